"""Networks from and to PyTorch. Imported only when a module is at hand or asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import FloatArray, floats
from ._errors import NetworkError
from ._optional import need

if TYPE_CHECKING:
    from ._network import Network

BY_TRAJECTORIES = "interpret it by its trajectories: ketbra.interpret_trajectories(hidden, outputs, s=S)"
BY_ITS_STEP = "pass its step as a function: ketbra.linearize(step, hidden=H, inputs=d)"


def arrays_of_module(
    module: Any, recurrent: Any, readout: Any, cell: bool = False
) -> tuple[dict[str, FloatArray], str | None, list[str]]:
    """The weights of a module under PyTorch's names, its activation, and the parameters that are left out; a cell needs no readout."""
    torch = need("torch", "a network from a torch.nn.Module")
    nn, instead = torch.nn, BY_ITS_STEP if cell else BY_TRAJECTORIES
    layer = _layer(module, recurrent, "recurrent", (nn.RNNBase, nn.RNNCellBase), lambda _: True, instead)
    kind = type(layer).__name__
    if not isinstance(layer, (nn.RNN, nn.GRU, nn.LSTM, nn.RNNCellBase)):
        raise NetworkError(f"the recurrent layer is a {kind}; RNN, GRU, LSTM and their cells can be read, {instead}")
    if getattr(layer, "bidirectional", False):
        raise NetworkError(
            f"the {kind} is bidirectional: one direction sees the inputs from the end, so there is no step from state to "
            "state to read; train with bidirectional=False"
        )
    if getattr(layer, "proj_size", 0):
        raise NetworkError(f"the {kind} has a projection (proj_size={layer.proj_size}); train with proj_size=0, or {instead}")

    def fits(linear: Any) -> bool:
        return bool(linear.in_features == layer.hidden_size)

    fitting = [part for part in module.modules() if isinstance(part, nn.Linear) and fits(part)]
    linear = None if cell and readout is None and len(fitting) != 1 else _layer(module, readout, "readout", (nn.Linear,), fits, instead)
    if linear is not None and not isinstance(linear, nn.Linear):
        raise NetworkError(f"the readout is a {type(linear).__name__}; only a Linear can be read, {instead}")
    arrays = {}
    for number in range(getattr(layer, "num_layers", 1)):
        suffix = f"_l{number}" if isinstance(layer, nn.RNNBase) else ""
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            # Attributes and not the state_dict: a parametrized weight is what the layer uses.
            value = getattr(layer, name + suffix, None)
            if value is not None:
                arrays[f"rnn.{name}_l{number}"] = floats(value, f"{name}{suffix}", None, NetworkError)
    for name in ("weight", "bias"):
        value = getattr(linear, name, None)
        if value is not None:
            arrays[f"readout.{name}"] = floats(value, f"readout {name}", None, NetworkError)
    taken = {id(value) for part in (layer, linear) if part is not None for value in part.parameters()}
    unused = [name for name, value in module.named_parameters() if id(value) not in taken]
    return arrays, getattr(layer, "nonlinearity", None), unused


def _layer(module: Any, named: Any, role: str, kinds: tuple[Any, ...], fits: Any, instead: str) -> Any:
    """The layer that the caller named, or the only one of its kind."""
    modules = dict(module.named_modules())
    if isinstance(named, str):
        if named not in modules:
            known = ", ".join(name for name in modules if name)
            raise NetworkError(f"the module has no layer '{named}'; choose from {known}")
        return modules[named]
    if named is not None:
        return named
    found = {name: layer for name, layer in modules.items() if isinstance(layer, kinds) and fits(layer)}
    if len(found) == 1:
        return next(iter(found.values()))
    if not found:
        known = " or ".join(kind.__name__ for kind in kinds)
        raise NetworkError(f"the module has no {role} layer ({known}) that fits; name it with {role}=, or {instead}")
    raise NetworkError(f"the module has several {role} layers; name one with {role}=: {', '.join(found)}")


def module_of(network: Network) -> Any:
    """A module with the network's weights."""
    torch = need("torch", "to_torch")
    if network.activation in ("identity", "softplus"):
        raise NetworkError(f"torch.nn.RNN has no {network.activation} activation; keep the arrays: network.arrays()")
    arrays = network.arrays()
    dtype = torch.get_default_dtype()
    if network.cell not in ("elman", "gru", "lstm"):
        raise NetworkError(f"torch.nn has no layer for cell {network.cell}; keep the arrays: network.arrays()")
    options = {"num_layers": network.layers, "bias": "rnn.bias_ih_l0" in arrays, "dtype": dtype}
    if network.cell == "elman":
        options["nonlinearity"] = network.activation
    kind = {"elman": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[network.cell]
    rnn = kind(network.inputs, network.hidden, **options)
    readout = torch.nn.Linear(network.hidden, network.outputs, bias="readout.bias" in arrays, dtype=dtype)
    module = _module_class(torch)(rnn, readout)
    module.load_state_dict({name: torch.tensor(np.array(array), dtype=dtype) for name, array in arrays.items()})
    return module


def _module_class(torch: Any) -> Any:
    class Recurrent(torch.nn.Module):  # type: ignore[misc]
        """A recurrent network: outputs and hidden states (time, batch, ...) from inputs (time, batch, inputs)."""

        def __init__(self, rnn: Any, readout: Any) -> None:
            super().__init__()
            self.rnn, self.readout = rnn, readout

        def forward(self, inputs: Any, start: Any = None) -> Any:
            hidden, _ = self.rnn(inputs, start)
            return self.readout(hidden), hidden

    return Recurrent
