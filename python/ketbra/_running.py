"""Running a PyTorch module as it is: its own forward, its own mode, states taken by hooks, everything put back afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._arrays import FloatArray, floats
from ._errors import InterpretError
from ._optional import need

STATE_WORDS = ("units", "whole")


@dataclass(frozen=True)
class Driving:
    """How a module is driven, where its caller says so."""

    recurrent: Any = None
    readout: Any = None
    state: Any = None
    encode: Callable[[Any], Any] | None = None
    step: Callable[[Any, Any], Any] | None = None
    batch_first: bool | None = None
    delay: int = 0
    cue: bool = False

    def said(self) -> list[str]:
        """The arguments without which the module is run on signs, from its first step to its last."""
        said = [f"{name}=" for name in ("encode", "step") if getattr(self, name) is not None]
        said += [f"delay={self.delay}"] if self.delay else []
        said += ["cue=True"] if self.cue else []
        said += ["state="] if self.state is not None and self.state not in STATE_WORDS else []
        return said + (["readout="] if reads_states(self.readout) else [])


@dataclass(frozen=True)
class Episodes:
    """Random signs for s steps, then zeros: the delay and the output phase."""

    signs: FloatArray
    s: int
    delay: int

    @classmethod
    def random(cls, s: int, d: int, *, delay: int, horizon: int, episodes: int, seed: int) -> Episodes:
        steps = s + max(delay, 0) + horizon
        # Which axis is time is told by its length.
        episodes += episodes in (steps, horizon)
        signs = np.zeros((steps, episodes, d))
        signs[:s] = np.random.default_rng(seed).choice([-1.0, 1.0], size=(s, episodes, d))
        return cls(signs, s, delay)

    @property
    def first(self) -> int:
        """The first step of the output phase."""
        return self.s + max(self.delay, 0)

    @property
    def steps(self) -> int:
        return int(self.signs.shape[0])

    @property
    def horizon(self) -> int:
        return self.steps - self.first

    @property
    def batch(self) -> int:
        return int(self.signs.shape[1])

    @property
    def d(self) -> int:
        return int(self.signs.shape[2])


    def said(self, outputs: FloatArray) -> FloatArray:
        """The outputs of the output phase. A module that predicts its next input says each of them one step early."""
        if self.delay >= 0:
            return outputs[-self.horizon :]
        if len(outputs) != self.steps:
            raise InterpretError("delay=-1 needs the outputs of the input steps, too; let the module return them")
        return outputs[self.first - 1 : -1]


@dataclass
class Ran:
    """What a module did, time first. Arrays begin at the first step, or at the first output step where there is no more."""

    states: FloatArray
    outputs: FloatArray
    whole: FloatArray | None = None
    """All that one recurrent layer keeps, layer by layer h then c, from the first step on; for comparison."""
    called: set[str] = field(default_factory=set)
    """Names of the layers that took part."""


class OtherLayoutError(Exception):
    """Time and batch are the other way round."""


def reads_states(readout: Any) -> bool:
    """Whether it is a function from states to outputs, and not the name of a layer or a layer."""
    return callable(readout) and not hasattr(readout, "named_modules")


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
            f"encode= failed on signs of shape {tuple(signs.shape)}, (time, batch, d): {_said(error)}"
        ) from error
    if given is None:
        raise InterpretError("encode= returned None; return the inputs of the module, (time, batch, inputs)")
    return given


def _run_forward(module: Any, episodes: Episodes, driving: Driving, batch_first: bool) -> Ran:
    torch = need("torch", "a module")
    layers = recurrent_layers(module, driving)
    watch = Watch(module)
    with watch:
        given = inputs_of(module, episodes, driving)
        if batch_first and torch.is_tensor(given) and given.ndim > 1:
            given = given.transpose(0, 1)
        returned = _call(module, given)
        watch.end()
        recorded = _Recorded(watch, episodes, layers, batch_first)
        return recorded.ran(returned, driving)


def _call(module: Any, given: Any) -> Any:
    try:
        if isinstance(given, tuple):
            return module(*given)
        return module(**given) if isinstance(given, dict) else module(given)
    except Exception as error:
        raise InterpretError(
            f"the module cannot be called on {_shape(given)}: {_said(error)}; pass encode=, a function from signs (time, batch, "
            "d) to what the module takes (a tuple for several arguments), batch_first=, or step= and readout="
        ) from error


def _said(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text if len(text) <= 300 else text[:300] + ' ...'}"


def _shape(given: Any) -> str:
    if hasattr(given, "shape"):
        return f"inputs of shape {tuple(given.shape)}"
    if isinstance(given, (tuple, list)):
        return "(" + ", ".join(_shape(part) for part in given) + ")"
    return repr(given) if isinstance(given, (int, float, str)) else type(given).__name__


class Watch:
    """Hooks on every layer, for as long as the module runs: which ones are called, with what, and what they give."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.calls: dict[str, list[tuple[Any, Any, Any]]] = {}
        self._hooks = ExitStack()

    def __enter__(self) -> Watch:
        for name, layer in self.module.named_modules():
            if name:
                self._hooks.callback(layer.register_forward_hook(self._hook(name), with_kwargs=True).remove)
        return self

    def _hook(self, name: str) -> Callable[[Any, Any, Any, Any], None]:
        def keep(_: Any, args: Any, kwargs: Any, output: Any) -> None:
            self.calls.setdefault(name, []).append((args, kwargs, output))

        return keep

    def end(self) -> None:
        """Takes the hooks off."""
        self._hooks.close()

    def __exit__(self, *_: object) -> None:
        self.end()


class _Recorded:
    """What hooks saw of one run."""

    def __init__(self, watch: Watch, episodes: Episodes, layers: dict[str, Any], batch_first: bool) -> None:
        self.watch, self.episodes, self.layers, self.batch_first = watch, episodes, layers, batch_first

    def ran(self, returned: Any, driving: Driving) -> Ran:
        parts = {name: self.sequence(name) for name in self.layers if name in self.watch.calls}
        whole = self.whole(parts)
        states = self.states(returned, parts, whole, driving.state)
        # A readout belongs on what the recurrent layer puts out, where the caller means no other state.
        plain = len(parts) == 1 and (driving.state is None or driving.state in STATE_WORDS)
        seen = next(iter(parts.values())) if plain else states
        outputs = self.outputs(returned, states, seen, driving.readout)
        kept = whole if len(parts) == 1 else None
        said = [floats(value, name, None, InterpretError) for value, name in ((states, "states"), (outputs, "outputs"))]
        whole_array = None if kept is None else floats(_side_by_side(kept), "states", None, InterpretError)
        return Ran(said[0], said[1], whole_array, set(self.watch.calls))

    def sequence(self, name: str) -> Any:
        """What a recurrent layer put out, (time, batch, H), its calls one after the other."""
        torch = need("torch", "a module")
        parts = []
        for _, _, output in self.watch.calls[name]:
            hidden = output[0] if isinstance(output, tuple) else output
            if isinstance(output, tuple) and hasattr(hidden, "batch_sizes") and not torch.is_tensor(hidden):
                hidden = torch.nn.utils.rnn.pad_packed_sequence(hidden)[0]
            elif getattr(self.layers[name], "batch_first", False) and hidden.ndim == 3:
                hidden = hidden.transpose(0, 1)
            parts.append(hidden if hidden.ndim == 3 else hidden[None])
        if any(part.shape[1:] != parts[0].shape[1:] for part in parts):
            raise InterpretError(f"layer '{name}' is called on batches of different sizes; pass step= and readout=")
        return self.checked(torch.cat(parts), f"the recurrent layer '{name}'")

    def checked(self, value: Any, what: str) -> Any:
        """The value, if it has the steps of the episodes or of their output phase."""
        steps, batch = value.shape[:2]
        good = (self.episodes.steps, self.episodes.horizon)
        if batch == self.episodes.batch and steps in good:
            return value
        if steps == self.episodes.batch and batch in good:
            raise OtherLayoutError
        raise InterpretError(
            f"{what} gives {steps} steps of {batch} episodes where the module was given {self.episodes.steps} steps of "
            f"{self.episodes.batch}; say how it is driven with encode=, or with step= and readout="
        )

    def whole(self, parts: dict[str, Any]) -> list[tuple[Any, Any]] | None:
        """h and c (or None) of every layer of every recurrent layer; nothing where they cannot be told."""
        all_parts: list[tuple[Any, Any]] = []
        for name, hidden in parts.items():
            layer, calls = self.layers[name], self.watch.calls[name]
            kept = _cell_parts(calls) if not hasattr(layer, "num_layers") else _stepped(layer, calls, hidden)
            if kept is None:
                return None
            all_parts += kept
        return all_parts

    def states(self, returned: Any, parts: dict[str, Any], whole: list[tuple[Any, Any]] | None, state: Any) -> Any:
        torch = need("torch", "a module")
        if callable(state) and not hasattr(state, "named_modules"):
            return self.oriented(state(returned), "state=")
        if state is not None and state not in STATE_WORDS:
            return self.layer(state, "state")
        if not parts:
            known = "has none" if not self.layers else f"does not call {', '.join(self.layers)}"
            raise InterpretError(
                f"a module is read where its recurrent layer (RNN, GRU, LSTM or a cell) puts out its states, and this one {known}; "
                "pass state=, the name of a layer or a function from what the module returns to the states (time, batch, H)"
            )
        first = -self.episodes.horizon if any(len(part) == self.episodes.horizon for part in parts.values()) else 0
        if whole is None:
            return torch.cat([part[first:] for part in parts.values()], dim=-1)
        seen = [(h[first:], None if c is None or state != "whole" else torch.tanh(c[first:])) for h, c in whole]
        return _side_by_side(seen)

    def layer(self, named: Any, role: str) -> Any:
        """What a layer that the caller names put out."""
        torch = need("torch", "a module")
        modules = dict(self.watch.module.named_modules())
        names = [name for name, layer in modules.items() if name == named or layer is named]
        if not names:
            known = ", ".join(name for name in modules if name)
            raise InterpretError(f"the module has no layer '{named}'; choose {role}= from {known}")
        if names[0] not in self.watch.calls:
            raise InterpretError(f"layer '{names[0]}' is not called by the module; choose another {role}=")
        values = [output[0] if isinstance(output, tuple) else output for _, _, output in self.watch.calls[names[0]]]
        if values[0].ndim == 2 and len(values) > 1:
            return self.checked(torch.stack(values), f"layer '{names[0]}'")
        oriented = [value if not self.batch_first else value.transpose(0, 1) for value in values]
        return self.oriented(values[0] if len(values) == 1 else torch.cat(oriented), f"layer '{names[0]}'")

    def oriented(self, value: Any, what: str) -> Any:
        """(time, batch, feature), whichever came first."""
        value = need("torch", "a module").as_tensor(value)
        if value.ndim != 3:
            raise InterpretError(f"{what} gives shape {tuple(value.shape)}; it must be (time, batch, feature)")
        try:
            return self.checked(value, what)
        except OtherLayoutError:
            return value.transpose(0, 1)

    def outputs(self, returned: Any, states: Any, seen: Any, readout: Any) -> Any:
        """What the module says at each step: what it returns of the right shape, or what the caller names."""
        if reads_states(readout):
            return self.oriented(_read(readout, seen), "readout=")
        found = dict(self._fitting(returned, ""))
        for name in [name for name, value in found.items() if _same(value, states)]:
            if len(found) > 1:
                del found[name]
        if isinstance(readout, (str, int)) and not isinstance(readout, bool) and str(readout) in found:
            return found[str(readout)]
        if len(found) == 1:
            return next(iter(found.values()))
        if readout is not None:
            return self.layer(readout, "readout")
        wanted = f"({self.episodes.steps}, {self.episodes.batch}, {self.episodes.d}), (time, batch, d) or (batch, time, d)"
        if found:
            names = ", ".join(repr(name) for name in found)
            raise InterpretError(f"the module returns {len(found)} arrays of shape {wanted}: {names}; name one with readout=")
        raise InterpretError(
            f"the module returns {_shapes(returned)}, and none of that is {wanted}; pass readout=, the name of a layer or a "
            "function from states to outputs, or d=, if it has another number of outputs"
        )

    def _fitting(self, returned: Any, path: str) -> Iterator[tuple[str, Any]]:
        torch = need("torch", "a module")
        if torch.is_tensor(returned):
            value = returned[..., None] if returned.ndim == 2 and self.episodes.d == 1 else returned
            if value.ndim == 3 and value.shape[2] == self.episodes.d:
                try:
                    yield path, self.oriented(value, "the module")
                except InterpretError:
                    return
            return
        pairs = returned.items() if isinstance(returned, dict) else enumerate(returned) if isinstance(returned, (tuple, list)) else ()
        for key, value in pairs:
            yield from self._fitting(value, f"{path}.{key}" if path else str(key))


def _cell_parts(calls: list[tuple[Any, Any, Any]]) -> list[tuple[Any, Any]]:
    torch = need("torch", "a module")
    outputs = [output if isinstance(output, tuple) else (output, None) for _, _, output in calls]
    cells = None if outputs[0][1] is None else torch.stack([c for _, c in outputs])
    return [(torch.stack([h for h, _ in outputs]), cells)]


def _stepped(layer: Any, calls: list[tuple[Any, Any, Any]], hidden: Any) -> list[tuple[Any, Any]] | None:
    """h and c of each layer of a stack, which puts out only its last h: the layer again, on what it was given, step by step."""
    torch = need("torch", "a module")
    gated = isinstance(layer, torch.nn.LSTM)
    if layer.num_layers == 1 and not gated:
        return [(hidden, None)]
    kept: list[Any] = []
    for args, kwargs, _ in calls:
        inputs = args[0] if args else kwargs.get("input")
        state = args[1] if len(args) > 1 else kwargs.get("hx")
        if not torch.is_tensor(inputs) or inputs.ndim != 3:
            return None
        axis = 1 if layer.batch_first else 0
        for t in range(inputs.shape[axis]):
            _, state = layer(inputs.narrow(axis, t, 1), state)
            kept.append(state if gated else (state, None))
    units = torch.stack([h for h, _ in kept])
    # Dropout between the layers, or a state that the hooks do not see: then only what was put out is sure.
    if units.shape[0] != hidden.shape[0] or not torch.allclose(units[:, -1], hidden, atol=1e-4):
        return None
    cells = torch.stack([c for _, c in kept]) if gated else None
    return [(units[:, k], None if cells is None else cells[:, k]) for k in range(layer.num_layers)]


def _side_by_side(parts: list[tuple[Any, Any]]) -> Any:
    torch = need("torch", "a module")
    return torch.cat([part for pair in parts for part in pair if part is not None], dim=-1)


def _same(value: Any, states: Any) -> bool:
    return bool(value.shape == states.shape and (value == states).all())


def _read(readout: Callable[[Any], Any], states: Any) -> Any:
    try:
        return readout(states)
    except Exception as error:
        raise InterpretError(f"readout= failed on states of shape {tuple(states.shape)}: {_said(error)}") from error


def _shapes(returned: Any) -> str:
    if isinstance(returned, dict):
        return "{" + ", ".join(f"{key!r}: {_shapes(value)}" for key, value in returned.items()) + "}"
    if isinstance(returned, (tuple, list)):
        return "(" + ", ".join(_shapes(value) for value in returned) + ")"
    return f"an array of shape {tuple(returned.shape)}" if hasattr(returned, "shape") else type(returned).__name__


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
            raise InterpretError(f"step= failed at step {t + 1}: {_said(error)}") from error
        now = _taken(state, driving.state)
        states.append(now)
        # A readout sees the units, where the caller means no other state.
        said.append(_read(readout, now if callable(driving.state) else _taken(state, None)))
    arrays = [torch.stack(values) for values in (states, said)]
    axes = ("time", "batch", "feature")
    return Ran(floats(arrays[0], "states", axes, InterpretError), floats(arrays[1], "outputs", axes, InterpretError))


def _taken(state: Any, take: Any) -> Any:
    torch = need("torch", "a module")
    if callable(take):
        return take(state)
    parts = state if isinstance(state, tuple) else (state,)
    return torch.cat([parts[0], *map(torch.tanh, parts[1:])], dim=-1) if take == "whole" else parts[0]
