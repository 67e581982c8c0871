"""Networks, from wherever they come."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _ketbra
from ._arrays import FloatArray, floats, laid_out, time_first, whole
from ._errors import NetworkError
from ._task import Task

if TYPE_CHECKING:
    from ._train import Training


class Network:
    """A recurrent network with a linear readout: layers of Elman, GRU, LSTM, linear state-space or other cells, y(t) = W_r h(t) + c.

    `Network(source)` takes a run folder or a file (.safetensors, .npz, .pt, .pth, .ckpt; never executed), a
    `torch.nn.Module` with a recurrent layer and a readout, a state_dict, or a mapping of names to arrays. Names are
    PyTorch's (`rnn.weight_hh_l0`, any prefix) or the paper's (`W_hh`, `W_uh`, `W_r`); shapes tell the kind of the cell.

    `activation` (tanh, relu, identity or softplus) counts more than what the source says. Arrays and a state_dict do not say which
    one an Elman layer has, so there it must be passed.

    In a module the recurrent layer and the readout are found by type; where there are several, say which with
    `recurrent=` and `readout=` (a dotted name or the layer itself).
    """

    _network: _ketbra.Network
    training: Training | None
    """How it was trained, where that was done here."""
    truth: dict[str, Any] | None
    """What is known of it, where it was made and not trained (`Task.network`); what `ketbra compile` writes as truth.json."""

    def __init__(
        self, source: Any, *, activation: str | None = None, recurrent: Any = None, readout: Any = None
    ) -> None:
        self._begin(source, activation, recurrent, readout, cell=False)

    @classmethod
    def _cell(cls, source: Any, *, activation: str | None, recurrent: Any, readout: Any) -> Network:
        """The same; a source without a readout will do, for what looks at states alone."""
        made = cls.__new__(cls)
        made._begin(source, activation, recurrent, readout, cell=True)
        return made

    def _begin(self, source: Any, activation: str | None, recurrent: Any, readout: Any, cell: bool) -> None:
        self.training = self.truth = None
        if isinstance(source, Network):
            self._network, self.training, self.truth = source._network, source.training, source.truth
            if activation is not None:
                metadata = {**source._network.metadata, **_said(activation)}
                self._network = _ketbra.Network.from_arrays(source.arrays(), activation, metadata)
        elif isinstance(source, (str, os.PathLike)):
            self._network = _ketbra.Network.open(os.fspath(source), activation, cell)
        elif isinstance(source, Mapping):
            arrays = {str(name): _weights(value, str(name)) for name, value in source.items() if _is_array(value)}
            said = activation or (source.activation if isinstance(source, Arrays) else None)
            self._network = _from_arrays(arrays, said, cell)
        elif hasattr(source, "named_modules"):
            from ._torch import arrays_of_module

            arrays, found, unused = arrays_of_module(source, recurrent, readout, cell)
            chosen = activation or found
            self._network = _ketbra.Network.from_arrays(arrays, chosen or "tanh", _said(chosen), unused, cell)
        else:
            raise NetworkError(
                f"cannot read a network from {type(source).__name__}; pass a path, a torch.nn.Module, a state_dict, "
                "or a mapping such as {'W_hh': ..., 'W_uh': ..., 'W_r': ...}"
            )

    @classmethod
    def _of(cls, network: _ketbra.Network) -> Network:
        made = cls.__new__(cls)
        made._network, made.training, made.truth = network, None, None
        return made

    @property
    def cell(self) -> str | None:
        """The kind of its layers, as `train` names it (elman, gru, ..); None where they are of several."""
        return self._network.cell

    @property
    def layers(self) -> int:
        """How many layers it has."""
        return self._network.layers

    @property
    def hidden(self) -> int:
        """Units of the last layer, which the readout sees."""
        return self._network.hidden

    @property
    def state_size(self) -> int:
        """Numbers in the state, all layers together: an LSTM's cells and a state-space layer's modes count too."""
        return self._network.state_size

    @property
    def units(self) -> list[slice]:
        """Where the units h of each layer lie in the whole state."""
        return [slice(first, end) for first, end in self._network.units]

    @property
    def inputs(self) -> int:
        """Input components."""
        return self._network.inputs

    @property
    def outputs(self) -> int:
        """Output components."""
        return self._network.outputs

    @property
    def activation(self) -> str | None:
        """tanh, relu, identity or softplus; None where the cell leaves no choice."""
        return self._network.activation

    @property
    def task(self) -> Task | None:
        """The task that it was trained on, where the file says so."""
        task = self._network.task
        return None if task is None else Task._of(task)

    @property
    def metadata(self) -> dict[str, str]:
        """What the file says."""
        return self._network.metadata

    @property
    def path(self) -> str | None:
        """Where it was read from or trained into."""
        path = self._network.path
        return None if path is None else os.fspath(path)

    def arrays(self) -> dict[str, FloatArray]:
        """The parameters under PyTorch's names; read-only views, nothing is copied."""
        arrays = Arrays(self._network.arrays())
        arrays.activation = self.activation
        return arrays

    @property
    def recurrent_weights(self) -> FloatArray:
        """W_hh of the first layer: H x H, gate under gate for a GRU (r, z, n) or LSTM (i, f, g, o)."""
        return self._tensor("rnn.weight_hh_l0")

    @property
    def input_weights(self) -> FloatArray:
        """W_uh of the first layer: H x inputs, gate under gate."""
        return self._tensor("rnn.weight_ih_l0")

    @property
    def readout_weights(self) -> FloatArray:
        """W_r, outputs x H."""
        return self.arrays()["readout.weight"]

    def _tensor(self, name: str) -> FloatArray:
        arrays = self.arrays()
        if name not in arrays:
            raise NetworkError(f"a layer of kind {self.cell} has no {name}; its parameters: {', '.join(arrays)}")
        return arrays[name]

    def run(
        self, inputs: Any = None, horizon: int = 0, *, start: Any = None, state: str = "units", batch_first: bool = False
    ) -> FloatArray:
        """States (time, batch, size) over the inputs (time, batch, inputs) and `horizon` steps of zero input.

        `start` are whole states (batch, state_size) to go on from, such as `Interpretation.write` gives; without it, zero. `state`
        is "units", the h of every layer side by side, or "whole", with all that layers keep beside it. With `batch_first`, inputs
        and states are (batch, time, ...).
        """
        if state not in ("units", "whole"):
            raise NetworkError(f"state is {state!r}, but must be 'units' or 'whole'")
        begin = None if start is None else floats(start, "start", ("batch", "size"), NetworkError)
        if inputs is None:
            if begin is None:
                raise NetworkError("there is nothing to run; pass inputs=, start=, or both")
            array = np.zeros((0, begin.shape[0], self.inputs))
        else:
            array = time_first(inputs, "inputs", self.inputs, batch_first, NetworkError)
        steps = whole(horizon, "horizon", NetworkError) or 0
        return laid_out(self._network.run(array, steps, state == "whole", begin), batch_first)

    def read(self, hidden: Any, *, batch_first: bool = False) -> FloatArray:
        """What it says (time, batch, outputs) in states (time, batch, H): the units of the last layer, or all that `run` gives."""
        array = np.asarray(hidden)
        if array.ndim == 3 and array.shape[-1] != self.hidden:
            units = self.units
            if array.shape[-1] == self.state_size:
                hidden = array[..., units[-1]]
            elif array.shape[-1] == sum(part.stop - part.start for part in units):
                hidden = array[..., -self.hidden :]
        return laid_out(self._network.read(time_first(hidden, "hidden", self.hidden, batch_first, NetworkError)), batch_first)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a .safetensors file, all of it or nothing."""
        self._network.save(os.fspath(path))

    def to_torch(self) -> Any:
        """A `torch.nn.Module` with an `rnn` and a `readout`, in torch's default type; called on inputs (time, batch, inputs) it
        gives outputs and hidden states."""
        from ._torch import module_of

        return module_of(self)

    def _kind(self) -> str:
        layers = "" if self.layers == 1 else f"{self.layers} layers of "
        return f"{layers}{self.cell or 'several cells'}" + (f" {self.activation} " if self.activation else " ")

    def __repr__(self) -> str:
        task = self.task
        on = "" if task is None else f", trained on {task.name}"
        result = "" if self.training is None else f", accuracy {self.training.accuracy:.4f}"
        return (
            f"<ketbra.Network {self._kind()}H={self.hidden}, {self.inputs} inputs, {self.outputs} outputs{on}{result}>"
        )


class Arrays(dict[str, FloatArray]):
    """The parameters of a network by name, and the activation that arrays do not tell."""

    activation: str | None = None


def _from_arrays(arrays: dict[str, FloatArray], activation: str | None, cell: bool = False) -> _ketbra.Network:
    network = _ketbra.Network.from_arrays(arrays, activation or "tanh", _said(activation), [], cell)
    if activation is None and network.activation is not None:
        raise NetworkError("arrays do not say which activation an Elman layer has; pass activation='tanh', 'relu', 'identity' or 'softplus'")
    return network


def _is_array(value: Any) -> bool:
    # Counters and options ride along in some dictionaries; they are no weights.
    return hasattr(value, "shape") or isinstance(value, (list, tuple))


def _weights(value: Any, name: str) -> FloatArray:
    return floats(value, name, None, NetworkError)


def _said(activation: str | None) -> dict[str, str]:
    return {} if activation is None else {"activation": activation}
