"""How a module is driven, on which episodes, and what it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._arrays import FloatArray
from ._errors import InterpretError

STATE_WORDS = ("units", "whole")


@dataclass(frozen=True)
class Driving:
    """How a module is driven, where its caller says so."""

    recurrent: Any = None
    readout: Any = None
    state: Any = None
    encode: Callable[[Any], Any] | None = None
    step: Callable[[Any, Any], Any] | None = None
    batch_first: bool | None = None
    delay: int = 0
    cue: bool = False

    def said(self) -> list[str]:
        """The arguments without which the module is run on signs, from its first step to its last."""
        said = [f"{name}=" for name in ("encode", "step") if getattr(self, name) is not None]
        said += [f"delay={self.delay}"] if self.delay else []
        said += ["cue=True"] if self.cue else []
        said += ["state="] if self.state is not None and self.state not in STATE_WORDS else []
        return said + (["readout="] if reads_states(self.readout) else [])


@dataclass(frozen=True)
class Episodes:
    """Random signs for s steps, then zeros: the delay and the output phase."""

    signs: FloatArray
    s: int
    delay: int

    @classmethod
    def random(cls, s: int, d: int, *, delay: int, horizon: int, episodes: int, seed: int) -> Episodes:
        steps = s + max(delay, 0) + horizon
        # Which axis is time is told by its length.
        episodes += episodes in (steps, horizon)
        signs = np.zeros((steps, episodes, d))
        signs[:s] = np.random.default_rng(seed).choice([-1.0, 1.0], size=(s, episodes, d))
        return cls(signs, s, delay)

    def first_few(self, count: int) -> Episodes:
        """The first of these episodes."""
        return Episodes(self.signs[:, :count], self.s, self.delay)

    @property
    def first(self) -> int:
        """The first step of the output phase."""
        return self.s + max(self.delay, 0)

    @property
    def steps(self) -> int:
        return int(self.signs.shape[0])

    @property
    def horizon(self) -> int:
        return self.steps - self.first

    @property
    def batch(self) -> int:
        return int(self.signs.shape[1])

    @property
    def d(self) -> int:
        return int(self.signs.shape[2])

    def said(self, outputs: FloatArray) -> FloatArray:
        """The outputs of the output phase. A module that predicts its next input says each of them one step early."""
        if self.delay >= 0:
            return outputs[-self.horizon :]
        if len(outputs) != self.steps:
            raise InterpretError("delay=-1 needs the outputs of the input steps, too; let the module return them")
        return outputs[self.first - 1 : -1]


@dataclass
class Ran:
    """What a module did, time first. Arrays begin at the first step, or at the first output step where there is no more."""

    states: FloatArray
    outputs: FloatArray
    whole: FloatArray | None = None
    """All that one recurrent layer keeps, layer by layer h then c, from the first step on; for comparison."""
    called: set[str] = field(default_factory=set)
    """Names of the layers that took part."""


class OtherLayoutError(Exception):
    """Time and batch are the other way round."""


def reads_states(readout: Any) -> bool:
    """Whether it is a function from states to outputs, and not the name of a layer or a layer."""
    return callable(readout) and not hasattr(readout, "named_modules")


def in_words(error: Exception) -> str:
    """An exception of somebody else's code, in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text if len(text) <= 300 else text[:300] + ' ...'}"


def read_states(readout: Callable[[Any], Any], states: Any) -> Any:
    """What a readout of the caller says of states."""
    try:
        return readout(states)
    except Exception as error:
        raise InterpretError(f"readout= failed on states of shape {tuple(states.shape)}: {in_words(error)}") from error
