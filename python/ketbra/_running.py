"""Running a PyTorch module as it is: its own forward, its own mode, everything put back afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ._arrays import floats
from ._driving import Driving, Episodes, OtherLayoutError, Ran, in_words, read_states
from ._errors import InterpretError
from ._optional import need
from ._recorded import Recorded, Watch


def run(module: Any, episodes: Episodes, driving: Driving, seed: int) -> Ran:
    """Runs a module on episodes; `seed` is for what is random in it. The module is left as it was, also where it fails."""
    with left_as_it_was(module, seed):
        return _run_steps(module, episodes, driving) if driving.step is not None else _run_whole(module, episodes, driving)


def _run_whole(module: Any, episodes: Episodes, driving: Driving) -> Ran:
    """Calls the module, with the batch where it wants it."""
    first = _layout(module, driving)
    try:
        return _run_forward(module, episodes, driving, first)
    except OtherLayoutError:
        pass
    except InterpretError:
        if driving.batch_first is not None:
            raise
        try:
            return _run_forward(module, episodes, driving, not first)
        except (InterpretError, OtherLayoutError):
            pass
        raise
    if driving.batch_first is not None:
        raise InterpretError(
            f"with batch_first={driving.batch_first} the recurrent layer takes time for batch; pass batch_first={not first}"
        )
    try:
        return _run_forward(module, episodes, driving, not first)
    except OtherLayoutError:
        raise InterpretError("the recurrent layer takes time for batch, whichever comes first; pass encode=") from None


def _layout(module: Any, driving: Driving) -> bool:
    """Whether the batch comes first, as far as can be told before the module runs."""
    if driving.batch_first is not None:
        return driving.batch_first
    return any(getattr(layer, "batch_first", False) for layer in recurrent_layers(module, driving).values())


def recurrent_layers(module: Any, driving: Driving) -> dict[str, Any]:
    """The recurrent layers by name: the one that the caller means, or all."""
    nn = need("torch", "a module").nn
    modules = dict(module.named_modules())
    if isinstance(driving.recurrent, str):
        if driving.recurrent not in modules:
            raise InterpretError(
                f"the module has no layer '{driving.recurrent}'; choose from {', '.join(name for name in modules if name)}"
            )
        return {driving.recurrent: modules[driving.recurrent]}
    kinds = (nn.RNNBase, nn.RNNCellBase)
    found = {name: layer for name, layer in modules.items() if isinstance(layer, kinds)}
    if driving.recurrent is not None:
        found = {name: layer for name, layer in modules.items() if layer is driving.recurrent}
    for name, layer in found.items():
        if getattr(layer, "bidirectional", False):
            raise InterpretError(
                f"the recurrent layer '{name}' is bidirectional: one direction sees the inputs from the end, so there is no "
                "step from state to state to read; train with bidirectional=False"
            )
    return found


@contextmanager
def left_as_it_was(module: Any, seed: int) -> Iterator[None]:
    """Puts back buffers, attributes and random numbers: statistics of a BatchNorm move, some modules keep their state."""
    torch = need("torch", "a module")
    devices = {value.device.index or 0 for value in module.parameters() if value.device.type == "cuda"}
    attributes = [(part, dict(part.__dict__), dict(part._buffers)) for part in module.modules()]
    buffers = [(buffer, buffer.detach().clone()) for buffer in module.buffers()]
    with torch.random.fork_rng(devices=sorted(devices)), torch.no_grad():
        torch.manual_seed(seed)
        try:
            yield
        finally:
            for part, before, held in attributes:
                part.__dict__.clear()
                part.__dict__.update(before)
                part._buffers.update(held)
            for buffer, values in buffers:
                buffer.copy_(values)


def inputs_of(module: Any, episodes: Episodes, driving: Driving) -> Any:
    """What the module is given, time first."""
    torch = need("torch", "a module")
    kind = next((value for value in module.parameters() if value.is_floating_point()), torch.zeros(()))
    signs = torch.tensor(episodes.signs, dtype=kind.dtype, device=kind.device)
    given = signs if driving.encode is None else _encoded(driving.encode, signs)
    if not driving.cue:
        return given
    if not torch.is_tensor(given) or given.ndim != 3:
        raise InterpretError("cue=True adds a channel to one tensor (time, batch, inputs); let encode= add the cue itself")
    go = torch.zeros_like(given[..., :1])
    go[episodes.first :] = 1
    return torch.cat([given, go], dim=-1)


def _encoded(encode: Callable[[Any], Any], signs: Any) -> Any:
    try:
        given = encode(signs)
    except Exception as error:
        raise InterpretError(
            f"encode= failed on signs of shape {tuple(signs.shape)}, (time, batch, d): {in_words(error)}"
        ) from error
    if given is None:
        raise InterpretError("encode= returned None; return the inputs of the module, (time, batch, inputs)")
    return given


def _run_forward(module: Any, episodes: Episodes, driving: Driving, batch_first: bool) -> Ran:
    torch = need("torch", "a module")
    layers = recurrent_layers(module, driving)
    meant = (driving.state, driving.readout)
    named = [name for name, layer in module.named_modules() if any(one is layer or (isinstance(one, str) and one == name) for one in meant)]
    watch = Watch(module, {*layers, *named})
    with watch:
        given = inputs_of(module, episodes, driving)
        if batch_first and torch.is_tensor(given) and given.ndim > 1:
            given = given.transpose(0, 1)
        returned = _call(module, given)
        watch.end()
        recorded = Recorded(watch, episodes, layers, batch_first)
        return recorded.ran(returned, driving)


def _call(module: Any, given: Any) -> Any:
    try:
        if isinstance(given, tuple):
            return module(*given)
        return module(**given) if isinstance(given, dict) else module(given)
    except Exception as error:
        raise InterpretError(
            f"the module cannot be called on {_shape(given)}: {in_words(error)}; pass encode=, a function from signs (time, batch, "
            "d) to what the module takes (a tuple for several arguments), batch_first=, or step= and readout="
        ) from error


def _shape(given: Any) -> str:
    if hasattr(given, "shape"):
        return f"inputs of shape {tuple(given.shape)}"
    if isinstance(given, (tuple, list)):
        return "(" + ", ".join(_shape(part) for part in given) + ")"
    return repr(given) if isinstance(given, (int, float, str)) else type(given).__name__


def _run_steps(module: Any, episodes: Episodes, driving: Driving) -> Ran:
    """step(state, input) -> state by hand, from None."""
    torch = need("torch", "a module")
    readout = driving.readout
    if isinstance(readout, str):
        modules = dict(module.named_modules())
        if readout not in modules:
            raise InterpretError(f"the module has no layer '{readout}'; choose readout= from {', '.join(name for name in modules if name)}")
        readout = modules[readout]
    if driving.step is None or not callable(readout):
        raise InterpretError("step= needs readout= beside it: the name of a layer, or a function from states to outputs")
    states, said = [], []
    given = inputs_of(module, episodes, driving)
    state: Any = None
    for t in range(episodes.steps):
        try:
            state = driving.step(state, given[t])
        except Exception as error:
            raise InterpretError(f"step= failed at step {t + 1}: {in_words(error)}") from error
        now = _taken(state, driving.state)
        states.append(now)
        # A readout sees the units, where the caller means no other state.
        said.append(read_states(readout, now if callable(driving.state) else _taken(state, None)))
    arrays = [torch.stack(values) for values in (states, said)]
    axes = ("time", "batch", "feature")
    return Ran(floats(arrays[0], "states", axes, InterpretError), floats(arrays[1], "outputs", axes, InterpretError))


def _taken(state: Any, take: Any) -> Any:
    torch = need("torch", "a module")
    if callable(take):
        return take(state)
    parts = state if isinstance(state, tuple) else (state,)
    return torch.cat([parts[0], *map(torch.tanh, parts[1:])], dim=-1) if take == "whole" else parts[0]
