"""Fixed points: where a network stays, where it lingers, and what leads from one point to another."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _ketbra
from ._arrays import ComplexArray, FloatArray, floats, number, whole
from ._errors import LinearizeError
from ._network import Network
from ._settings import Settings, written
from ._optional import need
from ._progress import Bar

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_STARTS, MOST_THREADS = 100_000, 1024
DOUBLE, SINGLE = 1e-5, 5e-3
"""How far apart the states of a difference are, for a step in double and in single precision."""
SINGLE_TOLERANCE = {"tol_q": 1e-12, "precision": 1e-3}
"""What a step in single precision can tell: how still a point is, and how near to 1 an eigenvalue."""


@dataclass(frozen=True)
class Connection:
    """A run from a point along one of its unstable modes, to where the network comes to rest."""

    source: int
    """The point that it leaves."""
    target: int | None
    """The point that it arrives at; None if it arrives at none that is listed."""
    arrival: str
    """point, slow (it hardly moves, but at no isolated point) or moving (as on a limit cycle)"""
    mode: int | None
    """The unstable mode, 0 for the fastest; None for a mixture."""
    steps: int
    """Steps until it arrived or was left."""
    path: FloatArray
    """States on the way."""


@dataclass(frozen=True)
class SlowManifold:
    """Slow states apart from isolated fixed points, as a set."""

    shape: str
    """line, curve, ring, plane, surface, volume, pieces or unclear"""
    dimension: int
    """Directions in which it goes on from a state."""
    directions: int
    """Principal directions that hold 99 % of its variance."""
    states: FloatArray
    """The slow states, (n, H)."""

    def __repr__(self) -> str:
        return (
            f"<ketbra.SlowManifold {self.shape}, dimension {self.dimension}, {len(self.states)} states in "
            f"{self.directions} principal direction{'' if self.directions == 1 else 's'}>"
        )


class FixedPoints:
    """The fixed and slow points of a network, in the words of fixed-point-finder.

    Points are in one order everywhere: stable ones first, then by the number of unstable directions, slow ones last.
    """

    points: FloatArray
    """(n, H)"""
    q: FloatArray
    """Half the squared length of the step that the network takes from each point."""
    stable: NDArray[np.bool_]
    """Fixed, with every eigenvalue inside the unit circle."""
    unstable_directions: NDArray[np.int64]
    """Eigenvalues outside the unit circle."""
    degenerate: NDArray[np.bool_]
    """Fixed, but not isolated: a sample of a line, ring or surface."""
    eigenvalues: ComplexArray
    """(n, H)"""
    jacobians: FloatArray
    """(n, H, H): of the step, by the state"""
    input_jacobians: FloatArray
    """(n, H, inputs): of the step, by the input"""
    reached: NDArray[np.int64]
    """Starts that ended at each point."""
    modes: list[FloatArray]
    """The unstable modes of each point, (k, H): fastest first, two rows for a complex pair."""
    connections: list[Connection]
    """Where the unstable modes lead."""
    slow_manifold: SlowManifold | None
    """Slow states apart from isolated points, as a set; None where there are none."""
    doubts: list[str]
    """What speaks against the set as a whole."""
    point_doubts: list[list[str]]
    """What speaks against each point."""
    trajectories: FloatArray | None
    """The states that were given as starts."""

    def __init__(self, found: dict[str, Any], trajectories: FloatArray | None) -> None:
        self._document: dict[str, Any] = json.loads(found["document"])
        self._fixed: NDArray[np.bool_] = found["fixed"]
        self.points, self.q, self.stable = found["points"], found["q"], found["stable"]
        self.unstable_directions, self.degenerate = found["unstable"], found["degenerate"]
        self.eigenvalues, self.reached, self.modes = found["eigenvalues"], found["reached"], found["modes"]
        self.jacobians, self.input_jacobians = found["jacobians"], found["input_jacobians"]
        self.doubts, self.point_doubts = found["doubts"], found["point_doubts"]
        lines = zip(self._document["connections"], found["paths"], strict=True)
        self.connections = [Connection(**line, path=path) for line, path in lines]
        manifold = self._document["slow_manifold"]
        words = ("shape", "dimension", "directions")
        self.slow_manifold = manifold and SlowManifold(**{w: manifold[w] for w in words}, states=found["slow_states"])
        self.trajectories = trajectories

    @property
    def kind(self) -> list[str]:
        """fixed or slow, for each point"""
        return ["fixed" if fixed else "slow" for fixed in self._fixed]

    @property
    def counts(self) -> dict[int, int]:
        """Fixed points found by their number of unstable directions, described or not; 0 counts the stable ones.

        Points with an eigenvalue on the unit circle and none outside are in `marginal`.
        """
        counts = self._document["counts"]
        return {0: counts["stable"], **{int(k): n for k, n in counts["unstable"].items()}}

    @property
    def marginal(self) -> int:
        """Fixed points of which nobody can say whether they are stable: an eigenvalue lies on the unit circle."""
        return int(self._document["counts"]["marginal"])

    @property
    def slow(self) -> int:
        """Slow points found."""
        return int(self._document["counts"]["slow"])

    def to_dict(self) -> dict[str, Any]:
        """The block `fixed_points` that `ketbra linearize --json` prints, without the comparison with a task."""
        return dict(self._document)

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self._document)

    def to_pandas(self) -> DataFrame:
        """A row for each point: kind, stable, unstable, degenerate, q, distance, spectral_radius, reached, doubts, and the state h1, h2, ..."""
        pandas = need("pandas", "a table of fixed points")
        frame: DataFrame = pandas.DataFrame(
            {
                "kind": self.kind,
                "stable": self.stable,
                "unstable": self.unstable_directions,
                "degenerate": self.degenerate,
                "q": self.q,
                "distance": np.linalg.norm(self.points, axis=1),
                "spectral_radius": np.abs(self.eigenvalues).max(axis=1, initial=0.0),
                "reached": self.reached,
                "doubts": ["; ".join(doubts) for doubts in self.point_doubts],
                **{f"h{unit + 1}": self.points[:, unit] for unit in range(self.points.shape[1])},
            }
        )
        return frame

    def plot(self, ax: Any = None, *, trajectories: Any = None) -> Any:
        """The points on their principal components: stable black, unstable red with their modes, slow grey.

        trajectories: states (time, batch, H) to show behind them [the ones given as starts]. In depth where a third
        component holds 5 % of the variance, or where `ax` has three axes.
        """
        from ._plot_points import plot_points

        given = self.trajectories if trajectories is None else _states(trajectories, "trajectories", self.points.shape[1])
        return plot_points(self, ax, given)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        unstable = [f"{n} with {k} unstable" for k, n in self.counts.items() if k]
        parts = [f"{self.counts[0]} stable", *unstable]
        parts += [f"{n} {word}" for word, n in (("marginal", self.marginal), ("slow", self.slow)) if n]
        manifold = "" if self.slow_manifold is None else f"; slow manifold: {self.slow_manifold.shape}"
        doubts = f"; {len(self.doubts)} doubt{'' if len(self.doubts) == 1 else 's'}" if self.doubts else ""
        return f"<ketbra.FixedPoints {', '.join(parts)}{manifold}{doubts}>"


def linearize(
    source: Any,
    *,
    hidden: int | None = None,
    inputs: int | None = None,
    jacobian: Callable[..., Any] | None = None,
    input: Any = None,
    starts: Any = None,
    random_starts: int | None = None,
    radius: float | None = None,
    tol_q: float | None = None,
    slow_q: float | None = None,
    tol_unique: float | None = None,
    max_points: int | None = None,
    time_limit: float | None = None,
    seed: int | None = None,
    settings: Settings | None = None,
    activation: str | None = None,
    recurrent: Any = None,
    readout: Any = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> FixedPoints:
    """Searches for the fixed points of a network, linearizes it there, and follows its unstable modes.

    source: whatever `Network` takes (a readout is not needed), or a function `step(states, inputs) -> states` of arrays (batch, hidden) and
        (batch, inputs). A function needs `hidden=` and `inputs=`; it is called from a thread of its own, in batches.
    jacobian: for a function, `jacobian(state, input) -> (by state (H, H), by input (H, inputs))` [differences of steps]
    input: a constant input (inputs,) [zero]
    starts: states (n, H) or (time, batch, H) to search from, beside random ones
    random_starts, radius: how many random states, uniform between -radius and radius [128, 1]
    tol_q, slow_q: up to this q a point is fixed, up to that slow [1e-20, 1e-6; 1e-12 for a step in single precision]
    tol_unique: points nearer than this are one [1e-3]
    max_points: points that are described, stable ones before any other [256]
    time_limit: seconds after which no more starts are tried, with a doubt that says so [600]
    settings: any setting of the search by its name, such as `{"fixed_points.push": 0.01}`; `ketbra.settings()` lists them
    """
    asked = {
        "random_starts": whole(random_starts, "random_starts", LinearizeError),
        "max_points": whole(max_points, "max_points", LinearizeError, 1),
        "seed": whole(seed, "seed", LinearizeError),
    }
    at_once = whole(threads, "threads", LinearizeError, 1)
    if at_once is not None and at_once > MOST_THREADS:
        raise LinearizeError(f"threads is {at_once}, but must be at most {MOST_THREADS}")
    tolerances = {"time_limit": time_limit, "radius": radius, "tol_q": tol_q, "slow_q": slow_q, "tol_unique": tol_unique}
    positive = {name: _positive(value, name) for name, value in tolerances.items()}
    positive["start_radius"] = positive.pop("radius")
    if _is_step(source):
        size, channels = _function_sizes(hidden, inputs)
        step = _Step(source, size, channels)
        single = step.is_single()
        if single and positive["tol_q"] is None:
            positive["tol_q"] = SINGLE_TOLERANCE["tol_q"]
        if single:
            positive |= dict.fromkeys(("marginal", "degenerate"), SINGLE_TOLERANCE["precision"])
        slopes = None if jacobian is None else _Jacobian(jacobian, size, channels)
        subject: Any = (step, slopes, size, channels, SINGLE if single else DOUBLE)
    else:
        network = Network._cell(source, activation=activation, recurrent=recurrent, readout=readout)
        for name, given in (("hidden", hidden), ("inputs", inputs), ("jacobian", jacobian)):
            if given is not None:
                raise LinearizeError(f"{name} is for a step function; a network knows its own: leave it out")
        subject, size, channels = network._network, network.state_size, network.inputs
    visited = None if starts is None else _states(starts, "starts", size)
    flat = None if visited is None else np.ascontiguousarray(visited.reshape(-1, size))
    if flat is not None and len(flat) > MOST_STARTS:
        raise LinearizeError(f"starts has {len(flat)} states, but at most {MOST_STARTS} can be tried; pass some of them")
    bar = Bar("starts", progress)
    show = lambda done, total: bar.show(done, total, "starts")  # noqa: E731
    try:
        found = _ketbra.linearize(
            subject,
            input=_constant(input, channels),
            starts=flat,
            settings=written(settings, {f"fixed_points.{name}": value for name, value in (asked | positive).items()}),
            threads=at_once,
            progress=show,
        )
    finally:
        bar.finish()
    return FixedPoints(found, visited)


def _is_step(source: Any) -> bool:
    known = isinstance(source, (Network, str, os.PathLike, Mapping)) or hasattr(source, "named_modules")
    return callable(source) and not known


def _function_sizes(hidden: Any, inputs: Any) -> tuple[int, int]:
    size, channels = whole(hidden, "hidden", LinearizeError, 1), whole(inputs, "inputs", LinearizeError)
    if size is None or channels is None:
        raise LinearizeError("a step function does not say its sizes; pass hidden=H and inputs=d (0 for none)")
    if size > 4096:
        raise LinearizeError(f"hidden is {size}, but must be at most 4096")
    return size, channels


def _positive(value: Any, name: str) -> float | None:
    checked = number(value, name, LinearizeError)
    if checked is not None and not 0 < checked < np.inf:
        raise LinearizeError(f"{name} is {value!r}, but must be a finite number above 0")
    return checked


def _constant(value: Any, channels: int) -> FloatArray | None:
    if value is None:
        return None
    array = floats(value, "input", ("inputs",), LinearizeError)
    if len(array) != channels:
        raise LinearizeError(f"input has {len(array)} numbers, but there are {channels} inputs")
    return array


def _states(value: Any, name: str, size: int) -> FloatArray:
    array = floats(value, name, None, LinearizeError)
    if array.ndim not in (2, 3) or array.shape[-1] != size or 0 in array.shape:
        raise LinearizeError(f"{name} has shape {array.shape}; pass states (n, {size}) or (time, batch, {size})")
    return array


class _Step:
    """A step function, checked whenever it is called."""

    def __init__(self, step: Callable[..., Any], hidden: int, inputs: int) -> None:
        self._step, self._hidden, self._inputs = step, hidden, inputs

    def is_single(self) -> bool:
        """Whether it computes in single precision or less, by what it makes of double precision."""
        said = self._step(np.zeros((2, self._hidden)), np.zeros((2, self._inputs)))
        self._checked(said, 2)
        return "float64" not in str(getattr(said, "dtype", "float64"))

    def __call__(self, states: FloatArray, inputs: FloatArray) -> FloatArray:
        return self._checked(self._step(states, inputs), len(states))

    def _checked(self, said: Any, batch: int) -> FloatArray:
        if hasattr(said, "detach"):
            said = said.detach().cpu().double().numpy()
        array = np.asarray(said)
        if array.shape != (batch, self._hidden):
            raise LinearizeError(f"step gave shape {array.shape} for {batch} states, but must give ({batch}, {self._hidden})")
        if array.dtype.kind not in "fiu":
            raise LinearizeError(f"step gave dtype {array.dtype}, but must give real numbers, such as float64")
        # Numbers that are not finite end a descent, and need no error: far from the data many functions have them.
        return np.ascontiguousarray(array, dtype=np.float64)


class _Jacobian:
    """Derivatives of a step function, checked whenever they are asked for."""

    def __init__(self, jacobian: Callable[..., Any], hidden: int, inputs: int) -> None:
        self._jacobian, self._shapes = jacobian, ((hidden, hidden), (hidden, inputs))

    def __call__(self, state: FloatArray, input: FloatArray) -> tuple[FloatArray, FloatArray]:
        said = self._jacobian(state, input)
        if not isinstance(said, (tuple, list)) or len(said) != 2:
            raise LinearizeError(f"jacobian gave a {type(said).__name__}, but must give two arrays: by state and by input")
        by_state, by_input = (self._checked(part, shape) for part, shape in zip(said, self._shapes, strict=True))
        return by_state, by_input

    @staticmethod
    def _checked(part: Any, shape: tuple[int, int]) -> FloatArray:
        array = floats(part, "jacobian", None, LinearizeError)
        if array.shape != shape:
            raise LinearizeError(f"jacobian gave shape {array.shape}, but must give {shape}")
        return np.ascontiguousarray(array)
