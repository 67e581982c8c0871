"""How circuits came to be, and networks with several functions."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _ketbra
from ._arrays import whole
from ._errors import InterpretError
from ._network import Network
from ._optional import need
from ._settings import Settings, written


@dataclass(frozen=True)
class Development:
    """How the circuit of a run came to be."""

    document: dict[str, Any]
    """What `ketbra develop --json` says."""
    moments: list[dict[str, Any]]
    """What was there after some steps: explained, read, directions, angle_error, recovered, accuracy, verdict."""
    appeared: dict[str, int | None]
    """The step from which on memories, spectrum, function and accuracy are there and stay; None where one never comes."""
    order: str
    """The same in words, such as "memories < function = spectrum"."""
    svg: str
    """The picture."""

    def save_picture(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture as SVG."""
        _ketbra.write_whole(path, self.svg)

    def to_pandas(self) -> Any:
        """The moments as a table."""
        return need("pandas", "to_pandas").DataFrame(self.moments)


def develop(run: str | os.PathLike[str], *, settings: Settings | None = None) -> Development:
    """Tells how the circuit of a run came to be: when memories, spectrum and function appear, and in which order.

    Parameters
    ----------
    run: the folder of a run that kept snapshots (`ketbra.train(..., snapshots=40, log_spaced=True, out=...)`)
    settings: any setting by its name, such as `{"develop.read": 0.9}`; `ketbra.settings()` lists them
    """
    text, svg = _ketbra.develop(Path(run), settings=written(settings, {}))
    document = json.loads(text)
    appeared = {name: step for name, step in document["appeared"].items() if name != "in_words"}
    return Development(document, document["moments"], appeared, document["appeared"]["in_words"], svg)


@dataclass(frozen=True)
class InContexts:
    """A network with several functions, context by context."""

    document: dict[str, Any]
    """What `ketbra interpret --json` says of it."""
    holds: bool
    """Whether every context has its circuit and the cue decides between them."""
    failing: list[str]
    """What speaks against it."""
    contexts: dict[str, dict[str, Any]]
    """Each context: where its cue acts (`cue`), and what was found (`found`)."""
    pairs: list[dict[str, Any]]
    """Every two contexts: angles between the spaces of their memories, memories that are shared and that are apart, and how far
    the cue is obeyed."""


def interpret_contexts(
    network: Any,
    *,
    task: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    settings: Settings | None = None,
) -> InContexts:
    """Reads a network whose task has contexts: each context by itself, what their memories share, where the cue acts.

    Parameters
    ----------
    network: a `ketbra.Network` or whatever `ketbra.Network(...)` takes
    task: the task file, where the network's file does not hold it
    seed: seed of the inputs that drive the network [1]
    settings: any setting by its name, such as `{"code.read": 0.95}`; `ketbra.settings()` lists them
    """
    given = network if isinstance(network, Network) else Network(network)
    path = None if task is None else Path(task)
    chosen = written(settings, {"observe.seed": whole(seed, "seed", InterpretError)})
    text = _ketbra.interpret_contexts(given._network, task=path, settings=chosen)
    document = json.loads(text)
    contexts = {found["context"]: found for found in document["contexts"]}
    return InContexts(document, document["holds"], document["failing"], contexts, document["pairs"])
