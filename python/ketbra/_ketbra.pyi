"""The compiled part of the package. What a person touches is in the modules beside it."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "HORIZON",
    "Comparison",
    "EditError",
    "Error",
    "InterpretError",
    "Interpretation",
    "LinearizeError",
    "Memories",
    "Network",
    "NetworkError",
    "ReportError",
    "RunFolderError",
    "SweepError",
    "Task",
    "TaskError",
    "TrainError",
    "__version__",
    "compare",
    "compose",
    "develop",
    "edit",
    "interpret",
    "interpret_contexts",
    "interpret_trajectories",
    "linearize",
    "readings",
    "settings",
    "sweep",
    "sweep_tally",
    "train",
    "write_whole",
]

__version__: Final[str]
HORIZON: Final[int]

class Error(Exception): ...
class TaskError(Error): ...
class NetworkError(Error): ...
class TrainError(Error): ...
class RunFolderError(Error): ...
class InterpretError(Error): ...
class LinearizeError(Error): ...
class EditError(Error): ...
class ReportError(Error): ...
class SweepError(Error): ...

@final
class Task:
    @staticmethod
    def parse(text: str, s: int | None, d: int | None) -> Task: ...
    @staticmethod
    def from_matrix(name: str, s: int, function: NDArray[np.float64]) -> Task: ...
    @property
    def name(self) -> str: ...
    @property
    def s(self) -> int: ...
    @property
    def d(self) -> int: ...
    @property
    def recurrence(self) -> list[str]: ...
    @property
    def program(self) -> str | None: ...
    def draw(self, *, episodes: int, steps: int, seed: int) -> list[NDArray[np.float64]]: ...
    def run(self, inputs: Sequence[Sequence[float]]) -> list[list[list[float]]]: ...
    @property
    def matrix(self) -> NDArray[np.float64] | None: ...
    @property
    def function(self) -> list[tuple[int, list[tuple[int, int]], list[int]]] | None: ...
    @property
    def family(self) -> str | None: ...
    @property
    def phi(self) -> NDArray[np.float64]: ...
    @property
    def core(self) -> int: ...
    @property
    def components(self) -> list[tuple[int, int]] | None: ...
    @property
    def eigenvalues(self) -> NDArray[np.complex128]: ...
    def to_toml(self) -> str: ...
    def network(
        self, *, hidden: int | None, cell: str, basis: str, superposed: int, noise: float, seed: int
    ) -> tuple[Network, str]: ...
    def same_function(self, other: Task) -> bool: ...

@final
class Network:
    @staticmethod
    def open(path: str | os.PathLike[str], activation: str | None, cell: bool = False) -> Network: ...
    @staticmethod
    def from_arrays(
        arrays: Mapping[str, NDArray[np.float64]],
        activation: str,
        metadata: Mapping[str, str],
        unused: Sequence[str] = ...,
        cell: bool = False,
    ) -> Network: ...
    def arrays(self) -> dict[str, NDArray[np.float64]]: ...
    @property
    def cell(self) -> str | None: ...
    @property
    def layers(self) -> int: ...
    @property
    def hidden(self) -> int: ...
    @property
    def state_size(self) -> int: ...
    @property
    def units(self) -> list[tuple[int, int]]: ...
    @property
    def inputs(self) -> int: ...
    @property
    def outputs(self) -> int: ...
    @property
    def activation(self) -> str | None: ...
    @property
    def metadata(self) -> dict[str, str]: ...
    @property
    def path(self) -> os.PathLike[str] | None: ...
    @property
    def task(self) -> Task | None: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def run(
        self, inputs: NDArray[np.float64], horizon: int, whole: bool, start: NDArray[np.float64] | None
    ) -> NDArray[np.float64]: ...
    def step(self, states: NDArray[np.float64], inputs: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def read(self, hidden: NDArray[np.float64]) -> NDArray[np.float64]: ...

@final
class Memories:
    @property
    def method(self) -> str: ...
    @property
    def task(self) -> Task | None: ...
    @property
    def basis(self) -> NDArray[np.float64] | None: ...
    @property
    def dual(self) -> NDArray[np.float64] | None: ...
    @property
    def perp(self) -> NDArray[np.float64] | None: ...
    @property
    def blocks(self) -> NDArray[np.float64] | None: ...
    @property
    def mean(self) -> float: ...
    @property
    def worst(self) -> float: ...
    @property
    def scores(self) -> NDArray[np.float64]: ...
    @property
    def recovered(self) -> bool: ...
    @property
    def condition(self) -> float | None: ...
    @property
    def phi_error(self) -> float | None: ...
    def decode(self, hidden: NDArray[np.float64], first: int) -> NDArray[np.float64]: ...

@final
class Interpretation:
    def json(self) -> str: ...
    @property
    def verdict(self) -> str: ...
    @property
    def reasons(self) -> list[str]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def network(self) -> Network | None: ...
    @property
    def task(self) -> Task | None: ...
    @property
    def recurrence(self) -> list[str | None]: ...
    def with_notes(self, notes: Sequence[tuple[str, str]]) -> Interpretation: ...
    @property
    def memories(self) -> list[Memories]: ...
    @property
    def origin_eigenvalues(self) -> NDArray[np.complex128]: ...
    @property
    def operator(self) -> NDArray[np.float64] | None: ...
    @property
    def mean_states(self) -> NDArray[np.float64]: ...
    def write(self, windows: NDArray[np.float64], step: int | None) -> NDArray[np.float64]: ...
    def page(self, title: str) -> str: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Interpretation: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    @staticmethod
    def load(path: str | os.PathLike[str]) -> Interpretation: ...

@final
class Comparison:
    def json(self) -> str: ...
    def figures(self) -> list[tuple[str, str]]: ...
    def step(self, network: int) -> NDArray[np.float64] | None: ...
    def overlap(self, pair: int) -> NDArray[np.float64] | None: ...

def compare(
    subjects: Sequence[
        tuple[
            str,
            Network | tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None],
            int | None,
            Task | None,
        ]
    ],
    *,
    settings: str,
) -> Comparison: ...
def compose(
    first: tuple[Network, Task], second: tuple[Network, Task], how: str
) -> tuple[Network, Task, Interpretation]: ...
def interpret(
    networks: Sequence[Network | str | os.PathLike[str]],
    *,
    task: Task | str | os.PathLike[str] | None,
    blind: bool,
    s: int | None,
    d: int | None,
    settings: str,
    threads: int | None,
    progress: Callable[[int, int], None] | None,
) -> list[Interpretation | Exception]: ...
def interpret_trajectories(
    hidden: NDArray[np.float64],
    outputs: NDArray[np.float64],
    inputs: NDArray[np.float64] | None,
    *,
    task: Task | None,
    s: int,
    settings: str,
    cut: tuple[int, int, int] | None,
) -> Interpretation: ...
def readings(
    hidden: NDArray[np.float64],
    contents: NDArray[np.float64],
    names: Sequence[str],
    *,
    input_steps: int,
    folds: int | None,
    draws: int | None,
    ridge: float | None,
    seed: int,
) -> str: ...
def linearize(
    subject: Network
    | tuple[
        Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]],
        Callable[[NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]] | None,
        int,
        int,
        float,
    ],
    *,
    input: NDArray[np.float64] | None,
    starts: NDArray[np.float64] | None,
    settings: str,
    threads: int | None,
    progress: Callable[[int, int], None] | None,
) -> dict[str, Any]: ...
def edit(
    network: Network, task: Task, change: Task | str | int | tuple[int, float], *, settings: str
) -> tuple[Network, str]: ...
def settings() -> str: ...
def develop(run: os.PathLike[str], *, settings: str) -> tuple[str, str]: ...
def interpret_contexts(network: Network, *, task: os.PathLike[str] | None, settings: str) -> str: ...
def train(
    task: Task | str | os.PathLike[str] | None,
    *,
    s: int | None,
    d: int | None,
    cell: str | None,
    layers: int | None,
    hidden: int | None,
    seed: int | None,
    steps: int | None,
    recipe: str | None,
    threshold: float | None,
    horizon: int | None,
    l2: float | None,
    lr: float | None,
    clip: float | None,
    batch: int | None,
    init: Network | str | os.PathLike[str] | None,
    bias: bool | None,
    activation: str | None,
    metrics_every: int | None,
    checkpoint_every: int | None,
    snapshots: int | None,
    log_spaced: bool,
    look_every: int | None,
    context: str | None,
    from_: Network | str | os.PathLike[str] | None,
    freeze: str | None,
    protect: list[str],
    reuse: list[str],
    left_out: float | None,
    strong_cue: bool,
    ewc: list[str],
    ewc_strength: float | None,
    device: str | None,
    precision: str | None,
    threads: int | None,
    out: str | os.PathLike[str] | None,
    resume: str | os.PathLike[str] | None,
    force: bool,
    tensorboard: bool,
    progress: Callable[[int, int, float, float, int], None] | None,
    callback: Callable[[dict[str, float]], object] | None,
    **cell_settings: float | bool | None,
) -> tuple[Network, str, list[tuple[int, int, float, float, float, float]]]: ...
def sweep_tally(path: str | os.PathLike[str]) -> str: ...
def sweep(
    plan: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str],
    device: str | None,
    precision: str | None,
    threads: int | None,
    retry: bool,
    yes: bool,
    progress: Callable[[int, int, int, int], None] | None,
) -> str: ...
def write_whole(path: str | os.PathLike[str], text: str) -> None: ...
