"""Which contents states hold, time step by time step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _ketbra
from ._arrays import FloatArray, floats, time_first, whole
from ._errors import InterpretError
from ._network import Network
from ._optional import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame


class Readings:
    """How well each content is read from the states of each time step, beside what shuffling gives."""

    contents: list[str]
    """What the contents are called."""
    read: FloatArray
    """(contents, time): share of right signs, on other episodes than the reader was fitted on; NaN where not defined."""
    null: FloatArray
    """The same for contents of other episodes: the largest of several shufflings."""
    episodes: int
    """Episodes."""
    different: int
    """Episodes whose contents differ: readers are fitted on some of these and judged on others."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self.contents = list(document["contents"])
        self.read = np.array(document["read"], dtype=float)
        self.null = np.array(document["null"], dtype=float)
        self.episodes, self.different = document["episodes"], document["different"]

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        return dict(self._document)

    def to_pandas(self) -> DataFrame:
        """A row for each content and time step: content, step (from 1), read, null."""
        pandas = need("pandas", "a table of readings")
        steps = np.arange(1, self.read.shape[1] + 1)
        rows = [
            {"content": name, "step": int(step), "read": self.read[k, step - 1], "null": self.null[k, step - 1]}
            for k, name in enumerate(self.contents)
            for step in steps
        ]
        frame: DataFrame = pandas.DataFrame(rows)
        return frame

    def plot(self, ax: Axes | None = None) -> Axes:
        """A picture of contents and time: chance (0.5) is white."""
        pyplot = need("matplotlib.pyplot", "plots")
        ax = pyplot.figure(figsize=(6.4, 0.8 + 0.22 * len(self.contents))).add_subplot() if ax is None else ax
        image = ax.imshow(self.read, vmin=0.5, vmax=1.0, cmap="Blues", aspect="auto", interpolation="nearest")
        image.set_extent((0.5, self.read.shape[1] + 0.5, len(self.contents) - 0.5, -0.5))
        ax.set_yticks(range(len(self.contents)), self.contents)
        ax.set_xlabel("time step")
        highest = np.nanmax(self.null) if np.isfinite(self.null).any() else float("nan")
        ax.figure.colorbar(image, ax=ax, label=f"share of signs read (shuffled: at most {highest:.2f})")
        return ax

    def __repr__(self) -> str:
        steps = self.read.shape[1]
        return f"<ketbra.Readings {len(self.contents)} contents, {steps} time steps, {self.different} different episodes>"


def readings(
    hidden: Any,
    contents: Any,
    *,
    inputs: Any = None,
    names: Sequence[str] | None = None,
    folds: int | None = None,
    draws: int | None = None,
    ridge: float | None = None,
    seed: int = 1,
    batch_first: bool = False,
) -> Readings:
    """Reads contents from the states of every time step by itself: what a network, or a recording, holds when.

    For any network and any task: episodes of your own, with inputs at every step. Nothing is assumed about how states follow one
    another. What is read of the last inputs may be an echo that any network has: compare with one whose weights are shuffled.

    Parameters
    ----------
    hidden: states (time, batch, units); or a network, whatever `ketbra.Network(...)` takes, with `inputs` (time, batch, inputs) of
        your own
    contents: what they may hold, each -1 or +1 (NaN where it is not defined): (time, batch, contents), or (batch, contents) for what
        stays the same over the episode
    names: what the contents are called
    folds: parts of the episodes, each read by readers of the others [4]; draws: shufflings [8]; ridge: of the readers [1e-6];
        seed: of the shufflings
    batch_first: whether arrays come as (batch, time, feature)
    """
    if inputs is not None:
        hidden = Network(hidden).run(inputs, batch_first=batch_first)
    states = time_first(hidden, "hidden", None, batch_first, InterpretError)
    if np.ndim(contents) == 2:
        held = floats(contents, "contents", ("batch", "contents"), InterpretError, finite=False)
        held = np.broadcast_to(held, (states.shape[0], *held.shape))
    else:
        held = time_first(contents, "contents", None, batch_first, InterpretError, finite=False)
    if held.shape[:2] != states.shape[:2]:
        raise InterpretError(
            f"hidden has (time, batch) {states.shape[:2]}, but contents {held.shape[:2]}; pass states and contents of the same steps "
            "and episodes"
        )
    known = held[np.isfinite(held)]
    if not np.isin(known, (-1.0, 1.0)).all():
        other = float(known[~np.isin(known, (-1.0, 1.0))][0])
        raise InterpretError(f"a content is {other}, but contents are -1 or +1, or NaN where they are not defined")
    count = held.shape[2]
    called = [f"content {k + 1}" for k in range(count)] if names is None else list(names)
    if len(called) != count:
        raise InterpretError(f"there are {count} contents, but {len(called)} names; pass a name for each")
    document = _ketbra.readings(
        states,
        np.ascontiguousarray(held),
        called,
        input_steps=0,
        folds=whole(folds, "folds", InterpretError, 2),
        draws=whole(draws, "draws", InterpretError, 1),
        ridge=ridge,
        seed=seed,
    )
    return Readings(json.loads(document))
