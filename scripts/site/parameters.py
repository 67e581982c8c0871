"""Shows the parameters of a docstring as a list: they are written as `name: what it is`, which no docstring style knows."""

import re
from typing import Any

from griffe import Extension, Object

SECTION = re.compile(r"^(Parameters[^\n]*)\n-+\n", re.MULTILINE)
ENTRY = re.compile(r"^(?=[a-z])([a-z_]+(?:, [a-z_]+)*): ", re.MULTILINE)


class Parameters(Extension):
    """Turns the section into Markdown."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is None:
            return
        before, *rest = SECTION.split(obj.docstring.value, maxsplit=1)
        if rest:
            obj.docstring.value = f"{before}**{rest[0]}**\n\n" + ENTRY.sub(r"- `\1`: ", rest[1])
