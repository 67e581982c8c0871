"""What is asked of networks, and of each the way to its answer: its weights, or what it did."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _ketbra
from ._driving import Driving
from ._errors import Error, InterpretError
from ._network import Network
from ._settings import Settings, reading
from ._task import Task

if TYPE_CHECKING:
    from ._module import Recording

MOST_S = 12
"""Up to how many input steps are tried where nobody says how many there are."""
NEEDED = ("function-known", "follows-function")
"""Claims without which a number of input steps is not the right one."""
IF_MADE = ("depends-on-inputs", "every-window")
"""Claims that must hold where they are made: not all are of what a module did."""


@dataclass(frozen=True)
class Tried:
    """What a blind look with one number of input steps came to."""

    s: int
    """Input steps."""
    verdict: str | None
    """The verdict; None where it could not be looked at."""
    recurrence: list[str | None]
    """What was read, a line for each output; None where no function is stated."""
    follows: bool
    """Whether a function is stated for every output and the network follows it."""

    @property
    def stated(self) -> int:
        """Outputs whose function is stated."""
        return sum(line is not None for line in self.recurrence)


class Answer(NamedTuple):
    """What was found, and the numbers of input steps that were tried on the way."""

    found: _ketbra.Interpretation
    tried: list[Tried]


@dataclass(frozen=True)
class Asked:
    """What is asked of every network of a list."""

    task: str | os.PathLike[str] | Task | None
    blind: bool
    s: int | None
    d: int | None
    method: str | None
    methods: str | Sequence[str] | None
    matching: str | None
    seed: int | None
    horizon: int | None
    readings: bool
    settings: Settings | None
    threads: int | None
    activation: str | None
    driving: Driving

    def of(
        self, sources: Sequence[Any], progress: Callable[[int, int], None] | None, *, stop: bool
    ) -> list[Answer | Exception]:
        """An answer or an exception for each; the first network that cannot be read ends it all, if `stop` says so."""
        answers: dict[int, Answer | Exception] = {}
        by_weights: dict[int, str | os.PathLike[str] | _ketbra.Network] = {}
        for place, source in enumerate(sources):
            try:
                given = self._given(source)
            except Error as error:
                if stop:
                    raise
                answers[place] = error
                continue
            if isinstance(given, Answer):
                answers[place] = given
            else:
                by_weights[place] = given
        for place, result in zip(by_weights, self._by_weights(list(by_weights.values()), progress), strict=True):
            answers[place] = result if isinstance(result, Exception) else Answer(result, [])
        return [answers[place] for place in sorted(answers)]

    def _by_weights(
        self, networks: list[Any], progress: Callable[[int, int], None] | None
    ) -> list[_ketbra.Interpretation | Exception]:
        if not networks:
            return []
        return _ketbra.interpret(
            networks,
            task=self.task._task if isinstance(self.task, Task) else self.task,
            blind=self.blind,
            s=self.s,
            d=self.d,
            settings=self._written(**{"state": self.driving.state, "observe.seed": self.seed, "readings": self.readings or None}),
            threads=self.threads,
            progress=progress,
        )

    def _written(self, **more: Any) -> str:
        return reading(self.settings, self.method, self.methods, self.matching, self.horizon, **more)

    def _given(self, source: Any) -> str | os.PathLike[str] | _ketbra.Network | Answer:
        module = hasattr(source, "named_modules")
        search = self.blind and self.task is None and self.s is None
        if module:
            if not search:
                return self._module(source)
            # A module that does what its weights do over many input steps does so over few.
            observed = replace(self, s=MOST_S)._observed(source, None)
            if isinstance(observed, Network):
                return replace(self, driving=Driving(state=self.driving.state))._searched(observed)
            return self._searched(source)
        self._check_driving()
        if isinstance(source, (str, os.PathLike)) and not search and self.activation is None:
            return source
        network = source if isinstance(source, Network) and self.activation is None else None
        network = network or Network(source, activation=self.activation)
        known = "s" in network.metadata or network.task is not None
        return self._searched(network) if search and not known else network._network

    def _check_driving(self) -> None:
        """Refuses what can only be said of a module."""
        driving = self.driving
        named = [name for name in ("recurrent", "readout", "encode", "step", "batch_first") if getattr(driving, name) is not None]
        named += [name for name in ("delay", "cue") if getattr(driving, name)]
        named += ["state"] if driving.state is not None and not isinstance(driving.state, str) else []
        if named:
            raise InterpretError(f"{named[0]}= says how a torch.nn.Module is run; pass the module itself, or leave it out")

    def _module(self, module: Any) -> _ketbra.Network | Answer:
        from ._module import interpret_recording

        if self.blind and self.task is not None:
            raise InterpretError("a task and blind=True exclude each other; leave one out")
        if not self.blind and self.task is None:
            raise InterpretError("a module does not say what it was trained on; pass task=T, or blind=True")
        task = None if self.task is None else Task(self.task, s=self.s, d=self.d)
        observed = self._observed(module, task)
        if isinstance(observed, Network):
            return observed._network
        return Answer(interpret_recording(observed, task, self._written()), [])

    def _observed(self, module: Any, task: Task | None) -> Network | Recording:
        from ._module import observe_module

        return observe_module(module, task, self.s, self.d, self.seed, self.driving, self.activation, self.horizon)

    def _searched(self, source: Any) -> Answer:
        """The fewest input steps with which the function of every output is read and followed."""
        tried, found, refused = [], {}, None
        for s in range(1, MOST_S + 1):
            try:
                (answer,) = replace(self, s=s).of([source], None, stop=True)
            except InterpretError as error:
                answer = error
            if isinstance(answer, Exception):
                refused = refused or answer
                tried.append(Tried(s, None, [], False))
            else:
                found[s] = answer.found
                tried.append(_tried(s, answer.found))
        if not found and refused is not None:
            raise refused
        s = _decided(tried)
        return Answer(found[s].with_notes([("s-was-found", _note(s, tried))]), tried)


def _tried(s: int, found: _ketbra.Interpretation) -> Tried:
    holds = {claim["name"]: claim["holds"] for claim in json.loads(found.json())["claims"]}
    lines = found.recurrence
    follows = None not in lines and all(holds.get(name) for name in NEEDED) and all(holds.get(name, True) for name in IF_MADE)
    return Tried(s, found.verdict, lines, follows)


def _decided(tried: list[Tried]) -> int:
    right = [one for one in tried if one.follows]
    if not right:
        # What holds for other kinds of networks holds for any number of input steps: the fewest are enough to say it.
        kind = next((one.s for one in tried if one.verdict in ("other-kind", "silent")), None)
        if kind is not None:
            return kind
        best = max(tried, key=lambda one: one.stated)
        nearest = f"most are read with s={best.s}: {best.stated} of {len(best.recurrence)}" if best.stated else "none is read at all"
        raise InterpretError(
            f"with no s from 1 to {MOST_S} the function of every output is read and followed ({nearest}). If it sees more input steps, "
            "pass s=N; if it has inputs at every step, look which states hold what with ketbra.readings(hidden, contents)"
        )
    others = [one for one in right[1:] if one.recurrence != right[0].recurrence]
    if others:
        raise InterpretError(
            f"s={right[0].s} and s={others[0].s} give different functions ({right[0].recurrence[0]}; {others[0].recurrence[0]}), "
            "and the network follows both; pass s=N, the number of input steps that it was trained with"
        )
    return right[0].s


def _note(s: int, tried: list[Tried]) -> str:
    if not any(one.follows for one in tried):
        return f"s was not given: with no s from 1 to {MOST_S} is a function read for every output that the network follows; this is s={s}"
    others = [str(one.s) for one in tried if one.follows and one.s != s]
    beside = f"; the same is read with s={', '.join(others)}" if others else "; no other does"
    return f"s was not given: of s=1 to {MOST_S}, s={s} reads a function for every output that the network follows{beside}"

