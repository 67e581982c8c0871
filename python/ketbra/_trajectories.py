"""Networks of any kind, by what they did."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _ketbra
from ._arrays import FloatArray, floats, time_first, whole
from ._errors import InterpretError
from ._interpret import Interpretation
from ._recordings import is_ragged, of_one_length
from ._settings import Settings, reading
from ._task import Task


class Trajectories(NamedTuple):
    """What a network did: arguments for `interpret_trajectories`."""

    hidden: FloatArray
    """(time, batch, H)"""
    outputs: FloatArray
    """(time, batch, d)"""
    inputs: FloatArray
    """(s, batch, d)"""


def drive(
    step: Callable[[Any, Any], Any],
    readout: Callable[[Any], Any],
    *,
    s: int,
    d: int,
    hidden: int,
    batch: int = 128,
    horizon: int = 100,
    seed: int = 1,
) -> Trajectories:
    """Runs any cell on random inputs: `step(h, u) -> h` on batches (batch, hidden) and (batch, d), `readout(h) -> y`.

    `s` steps of random signs, then `horizon` steps of zero input, from the zero state.
    """
    inputs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(s, batch, d))
    state: Any = np.zeros((batch, hidden))
    states, said = [], []
    for t in range(s + horizon):
        state = step(state, inputs[t] if t < s else np.zeros((batch, d)))
        states.append(floats(state, f"the state after step {t + 1}", ("batch", "hidden"), InterpretError))
        said.append(floats(readout(state), f"the output after step {t + 1}", ("batch", "d"), InterpretError))
    return Trajectories(np.array(states), np.array(said), inputs)


def interpret_trajectories(
    hidden: Any,
    outputs: Any,
    inputs: Any = None,
    *,
    s: int | None = None,
    task: str | os.PathLike[str] | Task | None = None,
    method: str | None = None,
    methods: str | Sequence[str] | None = None,
    matching: str | None = None,
    horizon: int | None = None,
    settings: Settings | None = None,
    batch_first: bool = False,
) -> Interpretation:
    """Interprets a network of any kind (a GRU, a colleague's cell, a JAX function) by its trajectories alone.

    Every episode is `s` steps of input, each component -1 or +1, followed by an output phase with zero input. Episodes must
    have different inputs, at least some ten of them and more than the task has components; 100 output steps are plenty.

    Parameters
    ----------
    hidden: states (time, batch, H) over the whole episode; or a list of arrays (time, H), one an episode, of any lengths:
        they are cut to the length that keeps the most states, and a warning says so
    outputs: what the network said, (time, batch, d), over the whole episode; or a list in the same way
    inputs: (s, batch, d) or (time, batch, d). Without them, what the network says in its first s output steps stands for
        them: enough to check a task, or to read back one that forgets nothing
    s: input steps, which is variables
    task: what the network was trained on; without it, the function is read back
    method: code, orbit, dual-orbit or rollout [code]; methods: those to compare; matching: optimal or greedy [optimal]
    horizon: output steps after which a trial ends; nothing is said of later ones
    settings: any setting by its name, such as `{"code.read": 0.95}`; `ketbra.settings()` lists them
    batch_first: whether arrays come as (batch, time, feature)
    """
    cut = None
    if is_ragged(hidden) or is_ragged(outputs):
        if not (is_ragged(hidden) and is_ragged(outputs)):
            raise InterpretError("one of hidden and outputs is a list of episodes and the other is not; pass two lists")
        hidden, outputs, inputs, cut = of_one_length(hidden, outputs, inputs)
        batch_first = False
    known = _task(task, s, outputs)
    steps = whole(s, "s", InterpretError, 1) if known is None else known.s
    if steps is None:
        raise InterpretError("how many variables are there? pass s=N, the number of input steps, or task=T")
    if known is not None and s is not None and s != known.s:
        raise InterpretError(f"s is {s}, but task {known.name} has s={known.s}; leave s out")
    states = time_first(hidden, "hidden", None, batch_first, InterpretError)
    said = time_first(outputs, "outputs", None, batch_first, InterpretError)
    if states.shape[:2] != said.shape[:2]:
        raise InterpretError(
            f"hidden has (time, batch) {states.shape[:2]}, but outputs {said.shape[:2]}; pass states and outputs of the "
            "same steps and episodes"
        )
    if states.shape[0] <= steps + 1:
        raise InterpretError(
            f"hidden has {states.shape[0]} time steps (and {states.shape[1]} episodes), but s={steps} input steps and then output steps "
            "are needed; pass a smaller s, or batch_first=True if the first axis counts episodes"
        )
    found = _ketbra.interpret_trajectories(
        states[steps:],
        said[steps:],
        None if inputs is None else _presented(inputs, steps, said, batch_first),
        task=None if known is None else known._task,
        s=steps,
        settings=reading(settings, method, methods, matching, whole(horizon, "horizon", InterpretError, 1)),
        cut=cut,
    )
    return Interpretation(found)


def _task(task: str | os.PathLike[str] | Task | None, s: int | None, outputs: Any) -> Task | None:
    if task is None or isinstance(task, Task):
        return task
    shape = np.shape(outputs)
    return Task(task, s=s, d=shape[2] if len(shape) == 3 else None)


def _presented(inputs: Any, s: int, said: FloatArray, batch_first: bool) -> FloatArray:
    """The inputs of the s steps in which there are any."""
    array = time_first(inputs, "inputs", said.shape[2], batch_first, InterpretError)
    if array.shape[1] != said.shape[1] or array.shape[0] < s:
        raise InterpretError(
            f"inputs have (time, batch) {array.shape[:2]}, but at least {(s, said.shape[1])} are needed; pass the inputs "
            "of the same episodes"
        )
    if array[s:].any():
        raise InterpretError(f"inputs are not zero after step s={s}; run the output phase with zero input, or pass another s")
    return array[:s]
