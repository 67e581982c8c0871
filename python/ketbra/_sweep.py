"""Sweeps: every network of a grid, trained and interpreted."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import _ketbra
from ._arrays import whole
from ._errors import SweepError
from ._interpret import Interpretation, interpret
from ._optional import need
from ._progress import Bar, sweep_bar


class Sweep:
    """What came of a sweep: a folder with a run for each network and results.csv over all of them.

    `ketbra.Sweep("runs/table1")` opens a folder that `ketbra sweep` made, here or on a cluster, finished or not.
    """

    def __init__(self, path: str | os.PathLike[str], summary: dict[str, Any] | None = None) -> None:
        self.path = Path(path)
        """Its folder."""
        self.summary = {"tally": json.loads(_ketbra.sweep_tally(path))} if summary is None else summary
        """What `ketbra sweep --json` says; of a folder that was opened, how many networks are done."""

    @property
    def names(self) -> list[str]:
        """The networks, each a run folder under `path`."""
        return (self.path / "networks.txt").read_text(encoding="utf-8").split()

    def to_pandas(self) -> Any:
        """A row for each network."""
        return need("pandas", "to_pandas").read_csv(self.path / "results.csv")

    def interpret(self, name: str, **options: Any) -> Interpretation:
        """One of the networks, interpreted."""
        return interpret(self.path / name, **options)

    def __repr__(self) -> str:
        tally = self.summary["tally"]
        return f"<ketbra.Sweep {self.path}: {tally['done']} of {tally['total']} networks done, {tally['failed']} failed>"


def sweep(
    grid: Mapping[str, Any] | str | os.PathLike[str],
    *,
    out: str | os.PathLike[str],
    device: str | None = None,
    precision: str | None = None,
    threads: int | None = None,
    retry: bool = False,
    yes: bool = False,
    progress: bool | None = None,
) -> Sweep:
    """Trains and interprets every network of a grid into the folder `out`.

    `grid` is the path of a sweep file, or a mapping with its keys: each value or list of values, and the sweep is every
    combination, such as `{"task": ["T1", "T2"], "hidden": [64, 128], "seed": range(1, 21)}`.

    `device` is cpu, with one network a thread, or cuda, with hundreds at once on the first CUDA device [cpu]; `precision` is how
    exactly that multiplies: single, plain or fast [single].

    Stop it and start it again at any time; what is done stays done. `retry` tries again what failed, `yes` begins even a
    sweep of more than 10,000 networks.
    """
    plan: str | Path = _to_toml(grid) if isinstance(grid, Mapping) else Path(grid)
    bar = Bar("networks", progress)
    try:
        threads = whole(threads, "threads", SweepError, 1)
        text = _ketbra.sweep(
            plan,
            out=out,
            device=device,
            precision=precision,
            threads=threads,
            retry=retry,
            yes=yes,
            progress=sweep_bar(bar),
        )
    finally:
        bar.finish()
    return Sweep(Path(out), json.loads(text))


def _to_toml(grid: Mapping[str, Any]) -> str:
    return "".join(f"{json.dumps(str(key))} = {_toml_value(str(key), value)}\n" for key, value in grid.items())


def _toml_value(key: str, value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(name))} = {_toml_value(str(name), each)}" for name, each in value.items()) + "}"
    if isinstance(value, Iterable):
        return "[" + ", ".join(_toml_value(key, each) for each in value) + "]"
    raise SweepError(f"{key} is {value!r}; pass a number, a word, a flag or a list of these")
