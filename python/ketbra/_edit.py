"""Editing: another function in a trained network, without training."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from . import _ketbra
from ._arrays import number, whole
from ._errors import EditError
from ._network import Network
from ._settings import Settings, written
from ._task import Task


@dataclass(frozen=True)
class EditAccuracy:
    """Accuracy on the new task."""

    before: float
    """Before the edit."""
    loaded: float
    """From loaded variables."""
    from_inputs: float
    """From raw inputs."""
    horizon: int
    """Output steps."""


@dataclass(frozen=True)
class Changed:
    """How much of the weights an edit changed."""

    share: float
    """Frobenius norm of the difference of all parameters over that of the old ones."""
    differ: float
    """Share of all parameters that differ at all."""
    parameters: int
    """All parameters."""
    tensors: dict[str, float | None]
    """The share of each tensor by itself; None where the old one was zero or absent."""


class Edited(Network):
    """A network that was made to compute something else."""

    changed: Changed
    """How much of the weights changed: an edit that replaces everything proves nothing."""
    accuracy: EditAccuracy
    """What it does on the new task, and what it did before."""
    mode: str
    """least, same-code, gated, fixed-gates or transplant: how much of the network's own code was kept."""
    document: dict[str, Any]
    """What `ketbra edit --json` says."""

    def __repr__(self) -> str:
        task = self.task
        name = "" if task is None else task.name
        return (
            f"<ketbra.Edited {100 * self.changed.share:.0f} % of the weights changed, H={self.hidden} -> {name}: accuracy "
            f"{self.accuracy.before:.4f} before, {self.accuracy.from_inputs:.4f} now, mode {self.mode}>"
        )


def edit(
    network: _ketbra.Network,
    task: _ketbra.Task,
    to: str | os.PathLike[str] | Task | None,
    set: str | None,
    negate: int | None,
    keep: tuple[int, float] | None,
    seed: int | None,
    mode: str | None,
    settings: Settings | None,
) -> Edited:
    """Makes a network that computes `task` compute what exactly one of the choices asks for."""
    asked = [name for name, value in (("to", to), ("set", set), ("negate", negate), ("keep", keep)) if value is not None]
    if len(asked) != 1:
        given = " and ".join(asked) or "nothing"
        raise EditError(f"{given} given, but exactly one of to, set, negate and keep is needed, such as to='T3'")
    change: Any
    if to is not None:
        change = (to if isinstance(to, Task) else Task(to, s=task.s, d=task.d))._task
    elif negate is not None:
        change = whole(negate, "negate", EditError)
    elif keep is not None:
        if not isinstance(keep, tuple) or len(keep) != 2:
            raise EditError(f"keep is {keep!r}, but must be (variable, strength), such as (3, 0.5)")
        change = (whole(keep[0], "the variable to keep", EditError), number(keep[1], "the strength", EditError))
    else:
        change = set
    chosen = written(settings, {"edit.seed": whole(seed, "seed", EditError), "edit.mode": mode})
    made, text = _ketbra.edit(network, task, change, settings=chosen)
    edited = Edited.__new__(Edited)
    edited._network, edited.training = made, None
    edited.document = json.loads(text)
    edited.changed = Changed(**edited.document["changed"])
    edited.accuracy = EditAccuracy(**edited.document["accuracy"])
    edited.mode = edited.document["mode"]
    return edited
