"""Two circuits in one network."""

from __future__ import annotations

import os
from typing import Any

from . import _ketbra
from ._errors import EditError
from ._interpret import Interpretation
from ._network import Network
from ._task import Task


class Composed(Network):
    """A network of two."""

    found: Interpretation
    """What is read from it under the task that it should do."""

    def __repr__(self) -> str:
        task = self.task
        return f"<ketbra.Composed {'' if task is None else task.name}, H={self.hidden}: {self.found.verdict}>"


def compose(
    first: Any,
    second: Any,
    how: str = "sum",
    *,
    tasks: tuple[str | os.PathLike[str] | Task | None, str | os.PathLike[str] | Task | None] = (None, None),
) -> Composed:
    """Puts two networks into one that does both, by their codes.

    Parameters
    ----------
    first, second: each a `Network` or whatever `Network` takes
    how: sum (side by side: components of the first, then those of the second), or feed (the first drives the second, which computes
        its function of what the first says: components d+1 to 2d are g of the last s values of components 1 to d)
    tasks: what each computes [what the networks say]
    """
    parts = [_part(network, task, which) for network, task, which in zip((first, second), tasks, ("first", "second"))]
    made, _, found = _ketbra.compose(parts[0], parts[1], how)
    composed = Composed.__new__(Composed)
    composed._network, composed.training, composed.truth = made, None, None
    composed.found = Interpretation(found)
    return composed


def _part(given: Any, task: str | os.PathLike[str] | Task | None, which: str) -> tuple[_ketbra.Network, _ketbra.Task]:
    network = given if isinstance(given, Network) else Network(given)
    known = task if isinstance(task, Task) else network.task if task is None else Task(task, d=network.outputs)
    if known is None:
        raise EditError(f"the {which} network does not say which task it does; pass tasks=(T, T)")
    return network._network, known._task
