"""Variable memories: where in the state each variable is kept."""

from __future__ import annotations

from typing import Any

from . import _ketbra
from ._arrays import FloatArray, laid_out, time_first, whole
from ._errors import InterpretError
from ._recordings import in_a_row
from ._task import Task


class Memories:
    """The memories that one method found. Arrays are read-only views, nothing is copied."""

    __slots__ = ("_memories",)

    def __init__(self, memories: _ketbra.Memories) -> None:
        self._memories = memories

    @property
    def method(self) -> str:
        """How they were found."""
        return self._memories.method

    @property
    def basis(self) -> FloatArray:
        """Psi, H x core: the state that holds one component of one variable and nothing else."""
        return self._linear(self._memories.basis)

    @property
    def dual(self) -> FloatArray:
        """Psi*, core x H: reads the contents from a state."""
        return self._linear(self._memories.dual)

    @property
    def perp(self) -> FloatArray:
        """Psi-perp, H x k: principal directions of what the memories leave out."""
        return self._linear(self._memories.perp)

    @property
    def phi(self) -> FloatArray:
        """The learned circuit, core x core; rows receive, columns send."""
        core = self.basis.shape[1]
        return self.blocks[:core, :core]

    @property
    def blocks(self) -> FloatArray:
        """The learned circuit on memories and on what they leave out, (core + k) x (core + k)."""
        return self._linear(self._memories.blocks)

    @property
    def scores(self) -> FloatArray:
        """Share of right signs on fresh inputs, for each component of the core."""
        return self._memories.scores

    @property
    def mean(self) -> float:
        """The mean of the scores."""
        return self._memories.mean

    @property
    def worst(self) -> float:
        """The worst of the scores."""
        return self._memories.worst

    @property
    def recovered(self) -> bool:
        """Whether every component is read."""
        return self._memories.recovered

    @property
    def condition(self) -> float | None:
        """Condition number of the basis."""
        return self._memories.condition

    @property
    def phi_error(self) -> float | None:
        """Relative distance of the learned circuit from the theory's."""
        return self._memories.phi_error

    def decode(self, hidden: Any, *, first: int = 0, states: int = 1, batch_first: bool = False) -> FloatArray:
        """Contents (time, batch, s, d) of hidden states (time, batch, H); with `batch_first`, both begin (batch, time).

        `hidden[0]` is the state after output step `first` (from 0). That matters only for networks with biases, whose mean
        state at each step is taken off first.

        `states` states in a row, this one and those before it, are read together where noise hides contents in one alone.
        They tell what a variable was when it was the newest: that is no evidence of what the state holds now.
        """
        units = self.basis.shape[0]
        array = time_first(hidden, "hidden", units, batch_first, InterpretError)
        contents = self._memories.decode(array, whole(first, "first", InterpretError) or 0)
        count = whole(states, "states", InterpretError, 1) or 1
        task = self._memories.task
        if count > 1 and task is not None:
            contents = in_a_row(contents, Task._of(task), self.scores, count)
        return laid_out(contents, batch_first)

    def _linear(self, array: FloatArray | None) -> FloatArray:
        if array is None:
            raise InterpretError(f"{self.method} has no linear basis; interpret with another method, such as orbit")
        return array

    def __repr__(self) -> str:
        return f"<ketbra.Memories {self.method}: mean {self.mean:.4f}, worst {self.worst:.4f}>"
