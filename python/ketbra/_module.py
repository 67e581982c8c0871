"""A module is run, not guessed: its weights stand for it only where it does what they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _ketbra
from ._arrays import FloatArray
from ._driving import Driving, Episodes, Ran, reads_states
from ._errors import InterpretError, NetworkError
from ._network import Network
from ._optional import need
from ._running import run
from ._task import Task
from ._torch import arrays_of_module

EPISODES = 512
"""Episodes that a module is run on."""
HORIZON = _ketbra.HORIZON
"""Output steps of each: as many as are claimed."""
FEW = (1, 2, 3)
"""Small batches that it is run in too: what holds for a whole batch need not hold for one episode."""
PROBED = 24
"""Episodes that are run twice, to see whether the module does the same again."""
TOLERANCE = 1e-4
"""Largest difference of a state after one step, or of an output, that rounding explains, in units of the largest value."""
ROUNDINGS = 8
"""The same in units of the module's own precision, where that is coarse."""
MOST_VALUES = 1 << 28
"""States that are kept at a time: 2 GiB."""


@dataclass(frozen=True)
class Recording:
    """What a module did on episodes, in the place of its weights."""

    hidden: FloatArray
    outputs: FloatArray
    inputs: FloatArray
    s: int
    notes: list[tuple[str, str]]


@dataclass(frozen=True)
class Simulation:
    """A module's weights by themselves."""

    network: Network | None
    unused: list[str]
    """Parameters of the module that are not in it."""
    why_not: str = ""
    """Why there is no network."""


def is_module(source: Any) -> bool:
    """Whether it is a torch.nn.Module."""
    return hasattr(source, "named_modules")


def observe_module(
    module: Any,
    task: Task | None,
    s: int | None,
    d: int | None,
    seed: int | None,
    driving: Driving,
    activation: str | None,
    horizon: int | None = None,
) -> Network | Recording:
    """The network of a module that does what its weights do; of any other, what it did."""
    simulation = _simulation(module, driving, activation)
    steps = s if task is None else task.s
    if steps is None:
        raise InterpretError("how many input steps does an episode have? pass s=N, or task=T")
    size = _components(module, task, d, simulation.network)
    first = 1 if seed is None else seed
    changes, ran, episodes = _observed(module, steps, size, first, driving, HORIZON if horizon is None else horizon)
    alone = None if changes is not None else _changes_in_small_batches(module, episodes, ran, driving, first)
    if changes is None and alone is None and simulation.network is not None and not driving.said():
        words = _difference(module, simulation.network, ran, episodes)
        if not words:
            return simulation.network
    else:
        words = _why_run(simulation, driving)
    notes = [("module-was-run", _note(words, _beside(module, simulation, ran)))]
    if changes is not None:
        notes.append(("module-is-random", _random_note(module, changes)))
    if alone is not None:
        notes.append(("batch-matters", alone))
    _check_outputs(ran, episodes)
    states = ran.states[-episodes.horizon :]
    return Recording(states, episodes.said(ran.outputs), episodes.signs[:steps], steps, notes)


def _observed(
    module: Any, s: int, d: int, seed: int, driving: Driving, horizon: int
) -> tuple[float | None, Ran, Episodes]:
    """How far two runs on the same inputs differ, and one long run."""
    probe = Episodes.random(s, d, delay=driving.delay, horizon=2 * s + 10, episodes=PROBED, seed=seed)
    once, again = (run(module, probe, driving, seed + other) for other in (1, 2))
    per_episode = (s + max(driving.delay, 0) + horizon) * max(once.states.shape[2], 1)
    count = int(np.clip(MOST_VALUES // per_episode, 4 * d + 16, EPISODES))
    episodes = Episodes.random(s, d, delay=driving.delay, horizon=horizon, episodes=count, seed=seed)
    return _changes(once, again), run(module, episodes, driving, seed), episodes


def _changes_in_small_batches(module: Any, episodes: Episodes, ran: Ran, driving: Driving, seed: int) -> str | None:
    """What is told where the first episodes come out otherwise when few are run at a time; None where they do not."""
    for few in FEW:
        try:
            alone = run(module, episodes.first_few(few), driving, seed)
        except InterpretError as error:
            return f"it cannot be run on batches of {few} ({error.__cause__ or error}); this describes batches of {episodes.batch}"
        whole = ran.outputs[:, :few]
        if alone.outputs.shape != whole.shape:
            return f"with {few} episodes at a time the outputs have another shape; this describes batches of {episodes.batch}"
        apart = float(np.abs(alone.outputs - whole).max())
        if apart > _allowed(module) * max(1.0, float(np.abs(whole).max())):
            signs = float((np.sign(alone.outputs) == np.sign(whole)).mean())
            return (
                f"the batch matters: run {few} at a time, the same episodes give outputs that differ by up to {apart:.2g} "
                f"({100 * signs:.1f} % of the signs agree); this describes batches of {episodes.batch}, and says nothing of smaller ones"
            )
    return None


def _simulation(module: Any, driving: Driving, activation: str | None) -> Simulation:
    named = None if reads_states(driving.readout) or isinstance(driving.readout, int) else driving.readout
    if isinstance(named, str) and named not in dict(module.named_modules()):
        # It names what the module returns.
        named = None
    try:
        arrays, found, unused = arrays_of_module(module, driving.recurrent, named)
        chosen = activation or found
        said = {} if chosen is None else {"activation": chosen}
        return Simulation(Network._of(_ketbra.Network.from_arrays(arrays, chosen or "tanh", said)), unused)
    except NetworkError as error:
        return Simulation(None, [], str(error))


def _components(module: Any, task: Task | None, d: int | None, network: Network | None) -> int:
    if task is not None:
        return task.d
    if d is not None:
        return d
    if network is not None:
        return network.outputs
    nn = need("torch", "a module").nn
    linear = [layer for layer in module.modules() if isinstance(layer, nn.Linear)]
    if not linear:
        raise InterpretError("how many outputs does the module have? pass d=N")
    return int(linear[-1].out_features)


def _changes(once: Ran, again: Ran) -> float | None:
    """The largest change between two runs on the same inputs; None where there is none."""
    largest = max(float(np.abs(a - b).max()) for a, b in ((once.states, again.states), (once.outputs, again.outputs)))
    return largest if largest > TOLERANCE else None


def _difference(module: Any, network: Network, ran: Ran, episodes: Episodes) -> list[str]:
    """Where module and weights part: step by step from the module's own states, so that no rounding adds up."""
    if network.inputs != episodes.d:
        return [f"its recurrent layer takes {network.inputs} inputs, the module {episodes.d}"]
    whole = ran.whole
    if whole is None or len(whole) != episodes.steps or whole.shape[2] != network.state_size:
        return ["its states over a whole episode are not those of one recurrent layer"]
    allowed = _allowed(module)
    words = []
    before = np.concatenate([np.zeros_like(whole[:1]), whole[:-1]])
    few = _judged(network, episodes)
    pairs = zip(before[:, :few], episodes.signs[:, :few], whole[:, :few], strict=True)
    moved = [float(np.abs(network._network.step(np.ascontiguousarray(h), u) - now).max()) for h, u, now in pairs]
    if max(moved) > allowed * max(1.0, float(np.abs(whole).max())):
        at = int(np.argmax(np.array(moved) > allowed)) + 1
        words.append(f"its states differ by up to {max(moved):.2g} from those of the recurrent layer alone, from step {at} on")
    said = network.read(whole)
    if len(ran.outputs) != episodes.steps:
        said = said[-len(ran.outputs) :]
    apart = np.abs(said - ran.outputs)
    if said.shape == ran.outputs.shape and float(apart.max()) > allowed * max(1.0, float(np.abs(said).max())):
        signs = float((np.sign(said) == np.sign(ran.outputs)).mean())
        words.append(
            f"its outputs differ by up to {apart.max():.2g} from what the readout says of the same states "
            f"({100 * signs:.1f} % of the signs agree)"
        )
    return words


def _allowed(module: Any) -> float:
    torch = need("torch", "a module")
    kinds = [torch.finfo(value.dtype).eps for value in module.parameters() if value.is_floating_point()]
    return max(TOLERANCE, ROUNDINGS * max(kinds, default=0.0))


def _judged(network: Network, episodes: Episodes) -> int:
    """Episodes on which every step is compared: all, but for large networks."""
    work = 8 * episodes.steps * network.state_size**2
    return int(np.clip(2e10 // work, 16, episodes.batch))


def _why_run(simulation: Simulation, driving: Driving) -> list[str]:
    said = driving.said()
    if said:
        return [f"driven as {', '.join(said)} say" + ("s" if len(said) == 1 else "")]
    return [] if simulation.network is not None else [f"its weights alone cannot be simulated ({simulation.why_not})"]


def _note(words: list[str], beside: list[str]) -> str:
    text = "this describes the module as it runs, not its recurrent layer alone"
    if words:
        text += ": " + "; ".join(words)
    return text + (f". Beside the recurrent layer and the readout it has {', '.join(beside)}" if beside else "")


def _beside(module: Any, simulation: Simulation, ran: Ran) -> list[str]:
    """Layers that took part, and parameters of none of them, beside the recurrent layer and the readout."""
    nn = need("torch", "a module").nn
    layers = {name: layer for name, layer in module.named_modules() if name and not any(layer.children())}
    owner = {key: key.rpartition(".")[0] for key in simulation.unused}
    beside = []
    for name, layer in layers.items():
        parameters = list(layer.parameters())
        idle = isinstance(layer, nn.Identity) or (_is_dropout(layer) and not layer.training)
        in_simulation = parameters and simulation.network is not None and name not in owner.values()
        recurrent = isinstance(layer, (nn.RNNBase, nn.RNNCellBase)) and simulation.network is None
        if name in ran.called and not (idle or in_simulation or recurrent):
            beside.append(f"{type(layer).__name__} '{name}'")
    beside += [f"parameter '{key}'" for key, name in owner.items() if name not in layers]
    return beside + [f"buffer '{key}'" for key, _ in module.named_buffers() if key.rpartition(".")[0] not in layers]


def _is_dropout(layer: Any) -> bool:
    return isinstance(layer, need("torch", "a module").nn.modules.dropout._DropoutNd)


def _random_note(module: Any, changes: float) -> str:
    nn = need("torch", "a module").nn
    drops = [
        f"{type(layer).__name__} '{name}'"
        for name, layer in module.named_modules()
        if layer.training and (_is_dropout(layer) or (isinstance(layer, nn.RNNBase) and layer.dropout > 0))
    ]
    cause = f" ({', '.join(drops)} in training mode)" if drops else ""
    then = "; call module.eval() first to read it without" if drops else ""
    return f"the module is random: the same inputs give outputs or states that differ by up to {changes:.2g}{cause}{then}"


def _check_outputs(ran: Ran, episodes: Episodes) -> None:
    if ran.outputs.shape[2] != episodes.d:
        raise InterpretError(
            f"the module has {ran.outputs.shape[2]} outputs, but episodes have d={episodes.d} components; pass d= or readout="
        )


def interpret_recording(recording: Recording, task: Task | None, settings: str) -> _ketbra.Interpretation:
    """What was found in what a module did."""
    found = _ketbra.interpret_trajectories(
        recording.hidden,
        recording.outputs,
        recording.inputs,
        task=None if task is None else task._task,
        s=recording.s,
        settings=settings,
        cut=None,
    )
    return found.with_notes(recording.notes)

