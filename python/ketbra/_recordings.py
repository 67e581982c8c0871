"""What recordings need beside arrays of one shape: episodes of unequal length, and several states in a row."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from ._arrays import FloatArray, floats
from ._errors import InterpretError
from ._task import Task

BEST_SCORE = 0.9999
"""Readings without an error on a few thousand states say no more than this."""


def is_ragged(value: Any) -> bool:
    """Whether episodes come one by one: a list of arrays (time, feature) instead of one array."""
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(np.ndim(episode) == 2 for episode in value)


def of_one_length(
    hidden: Sequence[Any], outputs: Sequence[Any], inputs: Any
) -> tuple[FloatArray, FloatArray, Any, tuple[int, int, int]]:
    """Episodes cut to one length, the one that keeps the most states; (time, batch, feature).

    Also tells the length, how many episodes were too short for it, and how many there were.
    """
    if len(hidden) != len(outputs):
        raise InterpretError(f"there are {len(hidden)} episodes of hidden, but {len(outputs)} of outputs; pass one of each")
    states = [floats(each, f"hidden[{k}]", ("time", "unit"), InterpretError) for k, each in enumerate(hidden)]
    said = [floats(each, f"outputs[{k}]", ("time", "component"), InterpretError) for k, each in enumerate(outputs)]
    for k, (state, output) in enumerate(zip(states, said, strict=True)):
        if len(state) != len(output):
            raise InterpretError(f"episode {k} has {len(state)} states and {len(output)} outputs; pass both of every step")
        if (state.shape[1], output.shape[1]) != (states[0].shape[1], said[0].shape[1]):
            raise InterpretError(
                f"episode {k} has {state.shape[1]} units and {output.shape[1]} outputs, but episode 0 has "
                f"{states[0].shape[1]} and {said[0].shape[1]}; pass the same units in every episode"
            )
    lengths = np.array([len(state) for state in states])
    length = int(max(set(lengths.tolist()), key=lambda steps: steps * int((lengths >= steps).sum())))
    kept = np.flatnonzero(lengths >= length)
    if inputs is not None:
        inputs = _of_episodes(inputs, len(states), kept)
    cut = (length, len(states) - len(kept), len(states))
    return (
        np.stack([states[k][:length] for k in kept], axis=1),
        np.stack([said[k][:length] for k in kept], axis=1),
        inputs,
        cut,
    )


def _of_episodes(inputs: Any, episodes: int, kept: Any) -> FloatArray:
    """The inputs (s, batch, d) of the episodes that are kept, from one array or from one for each episode."""
    if is_ragged(inputs):
        arrays = [floats(each, f"inputs[{k}]", ("time", "component"), InterpretError) for k, each in enumerate(inputs)]
        if len(arrays) != episodes:
            raise InterpretError(f"there are {episodes} episodes, but inputs of {len(arrays)}; pass one for each")
        shortest = min(len(array) for array in arrays)
        return np.stack([arrays[k][:shortest] for k in kept], axis=1)
    array = floats(inputs, "inputs", ("time", "batch", "component"), InterpretError)
    if array.shape[1] != episodes:
        raise InterpretError(f"there are {episodes} episodes, but inputs of {array.shape[1]}; pass one for each")
    return array[:, kept]


def in_a_row(contents: FloatArray, task: Task, scores: FloatArray, states: int) -> FloatArray:
    """Contents (time, batch, s, d) read from the last `states` states each, moved on by f and weighted by how well they are read.

    A variable is then read from the moment when it was the newest too: that says what it was, not what the state holds now.
    """
    if task.matrix is None or task.components is None:
        raise InterpretError("several states in a row can be read where f copies components; read one state each")
    steps, batch, s, d = contents.shape
    window = s * d
    register = np.vstack([np.eye(window)[d:], task.matrix])
    weights = np.zeros(window)
    for (variable, component), score in zip(task.components, scores, strict=True):
        share = min(max(float(score), 0.5), BEST_SCORE)
        weights[(variable - 1) * d + component - 1] = NormalDist().inv_cdf(share) ** 2
    flat = contents.reshape(steps, batch, window)
    # What nothing is known of stays as it is.
    total, found = np.full((steps, window), 1e-12), 1e-12 * flat
    move, moved = np.eye(window), weights
    for lag in range(min(states, steps)):
        found[lag:] += moved * (flat[: steps - lag] @ move.T)
        total[lag:] += moved
        move, moved = register @ move, np.abs(register) @ moved
    read: FloatArray = (found / total[:, None]).reshape(contents.shape)
    return read
