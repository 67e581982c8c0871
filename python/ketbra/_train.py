"""Training."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _ketbra
from ._arrays import number, whole
from ._errors import TrainError
from ._network import Network
from ._optional import need
from ._progress import Bar, training_bar
from ._task import Task

METRICS = np.dtype(
    [
        ("step", np.int64),
        ("horizon", np.int64),
        ("loss", np.float64),
        ("accuracy", np.float64),
        ("gradient_norm", np.float64),
        ("learning_rate", np.float64),
    ]
)


@dataclass(frozen=True)
class Training:
    """How a network was trained."""

    accuracy: float
    """Accuracy on inputs that training never drew."""
    learned: bool
    """Whether that counts as learned."""
    why: tuple[str, ...]
    """Where it does not: why not, as far as the run shows, and what to try."""
    steps: int
    """Optimizer steps that were taken."""
    stopped_early: bool
    """Whether training ended before its last step, because the task was reliably solved."""
    steps_to_99: int | None
    """Steps before the first look at which accuracy was 0.99 in every quarter of the horizon."""
    contexts: dict[str, float]
    """Accuracy in each context, where the task has several."""
    kept: dict[str, tuple[float, float]]
    """Accuracy of each old task that training was to keep (`protect`, `reuse`, `ewc`), before and after."""
    best_step: int | None
    """Step of the weights that were kept, where they are the best that were seen on the way."""
    seconds: float
    """How long it took."""
    loss: float
    """Loss of the last batch."""
    horizon: int
    """Horizon of the last batch."""
    metrics: NDArray[np.void]
    """Its course: a record every `metrics_every` steps, with the columns of metrics.csv."""

    def to_pandas(self) -> Any:
        """The course of training as a table."""
        return need("pandas", "to_pandas").DataFrame(self.metrics)


def _names(given: str | Sequence[str]) -> list[str]:
    """One name, or several."""
    return [given] if isinstance(given, str) else list(given)


def train(
    task: str | os.PathLike[str] | Task | None = None,
    *,
    s: int | None = None,
    d: int | None = None,
    cell: str | None = None,
    layers: int | None = None,
    hidden: int | None = None,
    seed: int | None = None,
    steps: int | None = None,
    recipe: str | None = None,
    threshold: float | None = None,
    horizon: int | None = None,
    l2: float | None = None,
    lr: float | None = None,
    clip: float | None = None,
    batch: int | None = None,
    init: str | os.PathLike[str] | Network | None = None,
    bias: bool | None = None,
    activation: str | None = None,
    metrics_every: int | None = None,
    checkpoint_every: int | None = None,
    snapshots: int | None = None,
    log_spaced: bool = False,
    look_every: int | None = None,
    context: str | None = None,
    from_: str | os.PathLike[str] | Network | None = None,
    freeze: str | None = None,
    protect: str | Sequence[str] = (),
    reuse: str | Sequence[str] = (),
    left_out: float | None = None,
    strong_cue: bool = False,
    ewc: str | Sequence[str] = (),
    ewc_strength: float | None = None,
    alpha: float | None = None,
    learn_alpha: bool | None = None,
    device: str | None = None,
    precision: str | None = None,
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    force: bool = False,
    tensorboard: bool = False,
    progress: bool | None = None,
    callback: Callable[[dict[str, float]], Any] | None = None,
) -> Network:
    """Trains a network on a task and returns it.

    The same seed gives the same bytes as `ketbra train`, with any number of threads and through any interruption.

    Ctrl-C ends it within a second and saves the run: in `out`, or where the command line would have put it. The
    KeyboardInterrupt says how to go on.

    Parameters (what is not given keeps its default)
    ------------------------------------------------
    task: a name such as "T3" or "rule110", an id such as "255,0,0", a formula, a .toml file, or a `ketbra.Task`
    s, d: variables and components of a task that comes in any size [8, 8]
    cell: kind of the layers: elman, gru, lstm, ssm (diagonal linear state space) or leaky (leaky integration) [elman]
    layers: layers on top of one another [1]
    hidden: hidden units of each layer [128]
    seed: seed of weights and inputs [1]
    steps: optimizer steps, at most [by recipe: steady 20000 to 40000, table1 20000, adaptive 45000]
    recipe: steady (made to learn; ends when the task is reliably solved), table1 or adaptive (as in the paper), or none
        (one horizon throughout) [steady]
    threshold: what lengthens the horizon; table1: accuracy of a batch [0.98]; adaptive: loss [0.03]
    horizon: longest horizon, in output steps [100]
    l2: L2 regularization, PyTorch's weight_decay [0; steady with few units: 0.00001]
    lr: learning rate of Adam [by recipe: steady 0.0005 to 0.001, others 0.001]
    clip: largest norm of the gradient [1; steady 0.5]
    batch: samples in a batch [64]
    init: initial weights: uniform, gaussian, orthogonal, a file, or a `ketbra.Network` [orthogonal for gru and lstm]
    bias: whether layers and readout have biases [yes for gru and lstm, no for others]
    activation: of elman, leaky and ssm layers: tanh, relu, identity or softplus [tanh; ssm: identity]
    metrics_every, checkpoint_every: steps between rows of metrics, between checkpoints [100, 1000]
    snapshots: keep the weights at so many moments, all in `out`/snapshots.safetensors, for a slider on the page [none];
        log_spaced: more of them early on
    look_every: steps between looks at the network on fresh inputs [500 with the recipe steady; others never look]
    context: of a task with contexts, draw the episodes of one only
    from_: begin with a trained network: a file, a run folder or a `ketbra.Network`
    freeze: keep of it: recurrent (all recurrent weights) or memories (what they do within the space of its memories)
    protect: keep what it does in old tasks, or in other contexts: moves are projected out of the spaces that their states and
        inputs span; reuse: the paper's variant, into them; left_out: share of the variance of old states and inputs that may be
        left outside those spaces [1e-4]
    strong_cue: begin with strong cues: each context gets an equal share of the units, and its cue saturates all other units
    ewc: elastic weight consolidation: weights are pulled back by how much the outputs of old tasks depend on them;
        ewc_strength: how strongly; at 1 what old tasks lose counts as much as the loss of the new one [100]
    alpha: of leaky layers: how far units move in a step, h' = (1 - alpha) h + alpha act(..); where it is learned, to begin with
        [0.5]; learn_alpha: learn it, one for each unit
    device: cpu, or cuda for the first CUDA device [cpu]; precision: how exactly it multiplies: single, plain or fast [single]
    threads: threads to use [one for each core]
    out: a folder for the run, as `ketbra train --out`; nothing is written without it
    resume: go on with the run in this folder instead of beginning one
    force: start again where a run is already
    tensorboard: write TensorBoard event files into `out`
    progress: whether to show a bar [where somebody can see it, after two seconds]
    callback: called with each row of metrics as it comes (step, horizon, loss, accuracy, gradient_norm, learning_rate), for a
        tracker such as W&B or MLflow: `callback=wandb.log`; an exception in it ends training, and the run is saved
    """
    bar = Bar("steps", progress)
    try:
        network, result, rows = _ketbra.train(
            task._task if isinstance(task, Task) else task,
            s=whole(s, "s", TrainError),
            d=whole(d, "d", TrainError),
            init=init._network if isinstance(init, Network) else init,
            from_=from_._network if isinstance(from_, Network) else from_,
            settings={
                "cell": cell,
                "layers": whole(layers, "layers", TrainError),
                "hidden": whole(hidden, "hidden", TrainError),
                "seed": whole(seed, "seed", TrainError),
                "steps": whole(steps, "steps", TrainError),
                "recipe": recipe,
                "threshold": number(threshold, "threshold", TrainError),
                "horizon": whole(horizon, "horizon", TrainError),
                "l2": number(l2, "l2", TrainError),
                "lr": number(lr, "lr", TrainError),
                "clip": number(clip, "clip", TrainError),
                "batch": whole(batch, "batch", TrainError),
                "bias": bias,
                "activation": activation,
                "metrics_every": whole(metrics_every, "metrics_every", TrainError),
                "checkpoint_every": whole(checkpoint_every, "checkpoint_every", TrainError),
                "snapshots": whole(snapshots, "snapshots", TrainError),
                "log_spaced": log_spaced,
                "look_every": whole(look_every, "look_every", TrainError),
                "context": context,
                "freeze": freeze,
                "protect": _names(protect),
                "reuse": _names(reuse),
                "strong_cue": strong_cue,
                "left_out": number(left_out, "left_out", TrainError),
                "ewc": _names(ewc),
                "ewc_strength": number(ewc_strength, "ewc_strength", TrainError),
                "alpha": number(alpha, "alpha", TrainError),
                "learn_alpha": learn_alpha,
            },
            device=device,
            precision=precision,
            threads=whole(threads, "threads", TrainError),
            out=out,
            resume=resume,
            force=force,
            tensorboard=tensorboard,
            progress=training_bar(bar),
            callback=callback,
        )
    finally:
        bar.finish()
    ended = json.loads(result)
    trained = Network._of(network)
    trained.training = Training(
        accuracy=ended["accuracy"]["value"],
        learned=ended["learned"],
        why=tuple(ended["why"]),
        steps=ended["steps"],
        stopped_early=ended["stopped_early"],
        steps_to_99=ended["steps_to_99"],
        contexts={found["context"]: found["accuracy"]["value"] for found in ended.get("contexts", [])},
        kept={old["name"]: (old["before"]["value"], old["after"]["value"]) for old in ended.get("kept", [])},
        best_step=ended["best_step"],
        seconds=ended["seconds"],
        loss=ended["loss"],
        horizon=ended["horizon"],
        metrics=np.array(rows, dtype=METRICS),
    )
    return trained
