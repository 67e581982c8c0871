"""Are these networks the same circuit?"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _ketbra
from ._arrays import FloatArray, time_first, whole
from ._errors import InterpretError
from ._interpret import Claim
from ._network import Network
from ._settings import Settings, written
from ._task import Task
from ._trajectories import Trajectories



@dataclass(frozen=True)
class ComparedPair:
    """Two networks against each other."""

    first: int
    """The number of the first network, from 0."""
    second: int
    """The number of the second."""
    verdict: str
    """same-circuit, same-function, different, unclear or not-comparable; drawn from the claims."""
    reasons: list[str]
    """Why."""
    claims: list[Claim]
    """What is claimed, each with its figure and whether it holds."""
    distance: float | None
    """How far the circuits are apart: 0 where they are the same, 1 where they share nothing; None where one shows none."""
    outputs: list[dict[str, Any]]
    """Outputs whose functions differ, in words."""
    wires: list[dict[str, Any]]
    """Entries of the step in which they differ most."""
    renamed: list[int] | None
    """Where the functions are the same under other names: what each component is called in the second, negative if negated."""
    codes: dict[str, Any] | None
    """How the codes differ: angles, alignment, spectrum; None where the contents are not the same."""
    measures: dict[str, float | None]
    """What the field's measures say of the same states: cka, shape, dsa, dsa_wasserstein."""


class Comparison:
    """What came of a comparison."""

    def __init__(self, found: _ketbra.Comparison) -> None:
        self._found = found
        self.document: dict[str, Any] = json.loads(found.json())
        """What `ketbra compare --json` says."""
        self.pairs = [_pair(pair) for pair in self.document["pairs"]]
        """Every two networks, in their order."""

    @property
    def names(self) -> list[str]:
        """The networks."""
        return [str(network["name"]) for network in self.document["networks"]]

    @property
    def verdict(self) -> str:
        """The verdict on two networks; for more look at `pairs` and `clusters`."""
        if len(self.pairs) != 1:
            raise InterpretError(f"there are {len(self.pairs)} pairs; look at pairs or clusters")
        return self.pairs[0].verdict

    @property
    def clusters(self) -> list[list[str]]:
        """Names of networks that hold the same circuit, the largest cluster first."""
        return [[self.names[member] for member in cluster["members"]] for cluster in self.document["clusters"]]

    def pair(self, first: int, second: int) -> ComparedPair:
        """The pair of two networks, by their numbers from 0."""
        wanted = (min(first, second), max(first, second))
        for pair in self.pairs:
            if (pair.first, pair.second) == wanted:
                return pair
        raise InterpretError(f"there is no pair {wanted}; networks are counted from 0 to {len(self.names) - 1}")

    def step(self, network: int = 0) -> FloatArray | None:
        """One step of a network's circuit as read from its states, rows receive; None where it shows none."""
        return self._found.step(network)

    def overlap(self, first: int = 0, second: int = 1) -> FloatArray | None:
        """Cosines between memories after the best rotation; None where the two keep different contents."""
        return self._found.overlap(self.pairs.index(self.pair(first, second)))

    def save_figures(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes the figures as SVG into a folder, and gives their paths."""
        paths = []
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, text in self._found.figures():
            path = Path(folder) / f"{name}.svg"
            _ketbra.write_whole(path, text)
            paths.append(path)
        return paths

    def __repr__(self) -> str:
        if len(self.pairs) == 1:
            pair = self.pairs[0]
            apart = "" if pair.distance is None else f", distance {pair.distance:.2g}"
            return f"<ketbra.Comparison {' and '.join(self.names)}: {pair.verdict}{apart}>"
        return f"<ketbra.Comparison of {len(self.names)} networks: {len(self.clusters)} circuits>"


def _pair(pair: dict[str, Any]) -> ComparedPair:
    shown = {name: pair[name] for name in ("first", "second", "verdict", "reasons", "distance", "outputs", "wires", "renamed")}
    claims = [Claim(**claim) for claim in pair["claims"]]
    return ComparedPair(**shown, claims=claims, codes=pair["codes"], measures=pair["measures"])


def compare(
    *networks: Any,
    names: Sequence[str] | None = None,
    s: int | None = None,
    task: str | os.PathLike[str] | Task | None = None,
    seed: int | None = None,
    delays: int | None = None,
    rank: int | None = None,
    settings: Settings | None = None,
) -> Comparison:
    """Says whether networks hold the same circuit, beside what CKA, shape distance and DSA say of the same states.

    Networks are read blind: the function is read back from each. Two are the same circuit if both are circuits, compute the same
    function, keep the same contents and no other input that a linear reader finds in one alone, move them in the same way, and each goes on
    from what the other holds.

    Parameters
    ----------
    networks: each a `Network`, whatever `Network` takes, or `Trajectories` (from `drive`, or states, outputs and inputs of
        your own); recordings need s or task
    names: what they are called [file names, or numbers]
    s: input steps [what each network says]
    task: what they were trained on; the function is read back all the same, the task says whether a network that shows none
        has not learned
    seed: of the inputs that drive the networks [1]
    delays, rank: of the delay embedding of DSA [2, 24]
    settings: any setting by its name, such as `{"compare.outputs": 0.97}`; `ketbra.settings()` lists them
    """
    if names is not None and len(names) != len(networks):
        raise InterpretError(f"{len(names)} names for {len(networks)} networks; name each of them")
    steps = whole(s, "s", InterpretError, 1)
    subjects = [
        (names[k] if names is not None else _name(network, k), *_subject(network, steps, task))
        for k, network in enumerate(networks)
    ]
    found = _ketbra.compare(
        subjects,
        settings=written(
            settings,
            {
                "observe.seed": whole(seed, "seed", InterpretError),
                "compare.dsa.delays": whole(delays, "delays", InterpretError, 1),
                "compare.dsa.rank": whole(rank, "rank", InterpretError, 1),
            },
        ),
    )
    return Comparison(found)


def _name(network: Any, at: int) -> str:
    if isinstance(network, (str, os.PathLike)):
        return Path(network).stem
    return f"network {at + 1}"


def _subject(given: Any, s: int | None, task: str | os.PathLike[str] | Task | None) -> tuple[Any, int | None, Any]:
    if isinstance(given, Trajectories):
        known = task if task is None or isinstance(task, Task) else Task(task, s=s, d=given.outputs.shape[2])
        steps = s if known is None else known.s
        if steps is None:
            raise InterpretError("how many variables does the recording have? pass s=N, the number of input steps, or task=T")
        arrays = [time_first(of, name, None, False, InterpretError) for of, name in ((given.hidden, "hidden"), (given.outputs, "outputs"))]
        inputs = None if given.inputs is None else time_first(given.inputs, "inputs", None, False, InterpretError)[:steps]
        recorded = (arrays[0][steps:], arrays[1][steps:], inputs)
        return recorded, steps, None if known is None else known._task
    network = given if isinstance(given, Network) else Network(given)
    meant = task if task is None or isinstance(task, Task) else Task(task, s=s, d=network.outputs)
    return network._network, s, None if meant is None else meant._task
