"""Settings of interpretation, by name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import _ketbra
from ._errors import InterpretError

Settings = Mapping[str, Any]


def settings(part: str = "") -> list[dict[str, Any]]:
    """Every setting of interpretation: its name, its default, what it takes, in which unit, and what it decides.

    They go to `ketbra.interpret(network, settings={"code.read": 0.95})` and wherever else `settings` is a keyword.

    Parameters
    ----------
    part: only those whose name begins with this, such as "claims"
    """
    known: list[dict[str, Any]] = json.loads(_ketbra.settings())
    return [setting for setting in known if setting["name"].startswith(part)]


def written(given: Settings | None, keywords: Settings) -> str:
    """Settings as the library takes them: keywords with a value first, then what was given by name."""
    try:
        chosen = {name: value for name, value in keywords.items() if value is not None} | dict(given or {})
        return json.dumps(chosen, default=lambda value: value.tolist(), allow_nan=False)
    except (AttributeError, TypeError, ValueError):
        raise InterpretError(f"settings is {given!r}, but must hold plain values by name, such as {{'code.read': 0.95}}") from None


def reading(
    given: Settings | None,
    method: str | None,
    methods: str | Sequence[str] | None,
    matching: str | None,
    horizon: int | None,
    **more: Any,
) -> str:
    """The same of what every interpretation has."""
    eigenvalues = {"origin_spectrum.matching": matching, "orbit_spectrum.matching": matching}
    listed = methods if methods is None or isinstance(methods, str) else ",".join(methods)
    own = {"method": method, "methods": listed, "observe.ends_after": horizon}
    return written(given, own | eigenvalues | more)
