"""What hooks see of a module while it runs: its states, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

from ._arrays import floats
from ._driving import STATE_WORDS, Driving, Episodes, OtherLayoutError, Ran, read_states, reads_states
from ._errors import InterpretError
from ._optional import need


class Watch:
    """Hooks on every layer, for as long as the module runs: which ones are called and, of those in `kept`, with what and what
    they give."""

    def __init__(self, module: Any, kept: set[str]) -> None:
        self.module, self.kept = module, kept
        self.calls: dict[str, list[tuple[Any, Any, Any]]] = {}
        self._hooks = ExitStack()

    def __enter__(self) -> Watch:
        for name, layer in self.module.named_modules():
            if name:
                self._hooks.callback(layer.register_forward_hook(self._hook(name), with_kwargs=True).remove)
        return self

    def _hook(self, name: str) -> Callable[[Any, Any, Any, Any], None]:
        def keep(_: Any, args: Any, kwargs: Any, output: Any) -> None:
            calls = self.calls.setdefault(name, [])
            if name in self.kept:
                calls.append((args, kwargs, output))

        return keep

    def end(self) -> None:
        """Takes the hooks off."""
        self._hooks.close()

    def __exit__(self, *_: object) -> None:
        self.end()


class Recorded:
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
            return self.oriented(read_states(readout, seen), "readout=")
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


def _shapes(returned: Any) -> str:
    if isinstance(returned, dict):
        return "{" + ", ".join(f"{key!r}: {_shapes(value)}" for key, value in returned.items()) + "}"
    if isinstance(returned, (tuple, list)):
        return "(" + ", ".join(_shapes(value) for value in returned) + ")"
    return f"an array of shape {tuple(returned.shape)}" if hasattr(returned, "shape") else type(returned).__name__
