"""What a network should compute."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _ketbra
from ._arrays import BoolArray, ComplexArray, FloatArray, floats, number, whole
from ._errors import NetworkError, TaskError

if TYPE_CHECKING:
    from ._network import Network


class Episodes(NamedTuple):
    """Episodes of a program; arrays are (time, episode, component)."""

    inputs: FloatArray
    """What a network sees: a symbol takes a unit for each of its values."""
    targets: FloatArray
    """What it should say: +-1, numbers, and for a symbol +1 at its place and -1 elsewhere; 0 where nothing counts."""
    counts: BoolArray
    """Which targets count."""
    variables: FloatArray
    """The value of every variable after the step; NaN stands for a symbol that is not set."""


class Task:
    """What a network should compute: u(t) = f(u(t-1), ..., u(t-s)) with d components a variable, or a program.

    `Task("T3")`, `Task("repeat-copy", s=16, d=5)`, `Task("255,0,0")`, `Task("my.toml")`, or `Task.from_matrix(f, s=2)`.
    Programs, with inputs at every step: `Task("flipflop:3")`, `Task("input x: sign; variable v: sign; v = v * x; output y = v")`.
    Functions that are not linear: `Task("rule110", d=8)`, `Task("lfsr:5,3")`, `Task("u1 = xor(u1[t-5], u1[t-3])")`.
    """

    __slots__ = ("_task",)
    _task: _ketbra.Task

    def __init__(self, name: str | os.PathLike[str] | Task, *, s: int | None = None, d: int | None = None) -> None:
        if isinstance(name, Task):
            self._task = name._task
            return
        if not isinstance(name, (str, os.PathLike)):
            raise TaskError(f"{name!r} is no task; pass a name such as 'T3', an id, a formula, a path, or Task.from_matrix(f, s=S)")
        s, d = whole(s, "s", TaskError), whole(d, "d", TaskError)
        self._task = _ketbra.Task.parse(os.fspath(name), s, d)

    @classmethod
    def from_matrix(cls, matrix: Any, *, s: int, name: str = "matrix") -> Task:
        """A task by the matrix of f, d x (s*d), variable 1 (the oldest) first."""
        function = floats(matrix, "matrix", ("d", "s*d"), TaskError)
        steps = whole(s, "s", TaskError)
        return cls._of(_ketbra.Task.from_matrix(name, 0 if steps is None else steps, function))

    @classmethod
    def _of(cls, task: _ketbra.Task) -> Task:
        made = cls.__new__(cls)
        made._task = task
        return made

    @property
    def name(self) -> str:
        """What it is called."""
        return self._task.name

    @property
    def s(self) -> int:
        """Variables, which is input steps."""
        return self._task.s

    @property
    def d(self) -> int:
        """Components of a variable."""
        return self._task.d

    @property
    def recurrence(self) -> list[str]:
        """f, a line for each output."""
        return self._task.recurrence

    @property
    def program(self) -> str | None:
        """The text of a program with inputs at every step, such as that of "flipflop:3"; None for every other task."""
        return self._task.program

    def draw(self, episodes: int = 64, steps: int = 50, *, seed: int = 1) -> Episodes:
        """Episodes of a program: what a network sees, what it should say, when that counts, and what it has to keep."""
        count, length = whole(episodes, "episodes", TaskError, least=1), whole(steps, "steps", TaskError, least=1)
        inputs, targets, counts, variables = self._task.draw(
            episodes=count or 1, steps=length or 1, seed=whole(seed, "seed", TaskError) or 0
        )
        return Episodes(inputs, targets, counts != 0, variables)

    def run(self, inputs: Any) -> tuple[FloatArray, FloatArray]:
        """What a program says to inputs, (steps, inputs), NaN for none: its outputs, NaN where one does not count, and its variables."""
        given = floats(inputs, "inputs", ("steps", "inputs"), TaskError, finite=False)
        outputs, variables = self._task.run(given.tolist())
        return np.array(outputs), np.array(variables)

    @property
    def matrix(self) -> FloatArray | None:
        """f, d x (s*d); None where f is not linear."""
        return self._task.matrix

    @property
    def function(self) -> list[dict[str, Any]] | None:
        """f as truth tables, one for each output; None for a dense f.

        Each has `output` (from 1), `inputs` (each with `lag` and `component`, from 1) and `table`: entry m is the output where
        input q is +1 exactly if bit q of m is set.
        """
        function = self._task.function
        if function is None:
            return None
        return [
            {
                "output": output,
                "inputs": [{"lag": lag, "component": component} for lag, component in inputs],
                "table": table,
            }
            for output, inputs, table in function
        ]

    @property
    def family(self) -> str | None:
        """What kind of function f is, such as "rule 110 on a ring of 8"; None where that has no name, or f is linear."""
        return self._task.family

    @property
    def phi(self) -> FloatArray:
        """The circuit that theory predicts, core x core; rows receive, columns send. A TaskError where f is not linear."""
        return self._task.phi

    @property
    def core(self) -> int:
        """Components that are kept for good; where f is not linear, those that make a difference now or later."""
        return self._task.core

    @property
    def components(self) -> list[tuple[int, int]] | None:
        """Variable and component (both from 1) of each entry of the core; None for a dense f."""
        return self._task.components

    @property
    def eigenvalues(self) -> ComplexArray:
        """Eigenvalues of phi; where f is not linear, of the circuit on products of components."""
        return self._task.eigenvalues

    def to_toml(self) -> str:
        """The text of a task file."""
        return self._task.to_toml()

    def network(
        self,
        *,
        hidden: int | None = None,
        cell: str = "elman",
        basis: str = "random",
        superposed: int = 0,
        noise: float = 0.0,
        seed: int = 1,
    ) -> Network:
        """A network that is made for the task, not trained, as `ketbra compile` makes it: ground truth for what reads networks.

        It does the task for as long as it runs, with noise of 0.05 on every unit at every step. Its `truth` says what each
        unit is there for, and the memory and the reader of every content.
        """
        from ._network import Network

        network, truth = self._task.network(
            hidden=whole(hidden, "hidden", NetworkError, least=1),
            cell=cell,
            basis=basis,
            superposed=whole(superposed, "superposed", NetworkError) or 0,
            noise=number(noise, "noise", NetworkError) or 0.0,
            seed=whole(seed, "seed", NetworkError) or 0,
        )
        made = Network._of(network)
        made.truth = json.loads(truth)
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and self._task.same_function(other._task)

    def __hash__(self) -> int:
        return hash((self.s, self.d, tuple(self.recurrence)) if self.program is None else self.program)

    def __repr__(self) -> str:
        if self.program is not None:
            return f"<ketbra.Task {self.name}: inputs at every step>"
        return f"<ketbra.Task {self.name}: s={self.s} d={self.d}, core {self.core}>"
