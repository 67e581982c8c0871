"""Networks, from wherever they come."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _ketbra
from ._arrays import FloatArray, floats, time_first, whole
from ._errors import NetworkError
from ._task import Task

if TYPE_CHECKING:
    from ._train import Training


class Network:
    """An Elman network with a linear readout: h(t) = act(W_hh h(t-1) + W_uh u(t) + b), y(t) = W_r h(t) + c.

    `Network(source)` takes a run folder or a file (.safetensors, .npz, .pt, .pth, .ckpt; never executed), a
    `torch.nn.Module` with a recurrent layer and a readout, a state_dict, or a mapping of names to arrays. Names are
    PyTorch's (`rnn.weight_hh_l0`, any prefix) or the paper's (`W_hh`, `W_uh`, `W_r`).

    `activation` (tanh, relu or identity) counts more than what the source says; a state_dict says nothing of it.

    In a module the recurrent layer and the readout are found by type; where there are several, say which with
    `recurrent=` and `readout=` (a dotted name or the layer itself).
    """

    _network: _ketbra.Network
    training: Training | None
    """How it was trained, where that was done here."""

    def __init__(
        self, source: Any, *, activation: str | None = None, recurrent: Any = None, readout: Any = None
    ) -> None:
        self.training = None
        if isinstance(source, Network):
            self._network, self.training = source._network, source.training
            if activation is not None:
                metadata = {**source._network.metadata, **_said(activation)}
                self._network = _ketbra.Network.from_arrays(source.arrays(), activation, metadata)
        elif isinstance(source, (str, os.PathLike)):
            self._network = _ketbra.Network.open(os.fspath(source), activation)
        elif isinstance(source, Mapping):
            arrays = {str(name): _weights(value, str(name)) for name, value in source.items() if _is_array(value)}
            self._network = _ketbra.Network.from_arrays(arrays, activation or "tanh", _said(activation))
        elif hasattr(source, "named_modules"):
            from ._torch import arrays_of_module

            arrays, found, unused = arrays_of_module(source, recurrent, readout)
            self._network = _ketbra.Network.from_arrays(arrays, activation or found, _said(activation or found), unused)
        else:
            raise NetworkError(
                f"cannot read a network from {type(source).__name__}; pass a path, a torch.nn.Module, a state_dict, "
                "or a mapping such as {'W_hh': ..., 'W_uh': ..., 'W_r': ...}"
            )

    @classmethod
    def _of(cls, network: _ketbra.Network) -> Network:
        made = cls.__new__(cls)
        made._network, made.training = network, None
        return made

    @property
    def hidden(self) -> int:
        """Hidden units."""
        return self._network.hidden

    @property
    def inputs(self) -> int:
        """Input components."""
        return self._network.inputs

    @property
    def outputs(self) -> int:
        """Output components."""
        return self._network.outputs

    @property
    def activation(self) -> str:
        """tanh, relu or identity."""
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
        return self._network.arrays()

    @property
    def recurrent_weights(self) -> FloatArray:
        """W_hh, H x H."""
        return self.arrays()["rnn.weight_hh_l0"]

    @property
    def input_weights(self) -> FloatArray:
        """W_uh, H x inputs."""
        return self.arrays()["rnn.weight_ih_l0"]

    @property
    def readout_weights(self) -> FloatArray:
        """W_r, outputs x H."""
        return self.arrays()["readout.weight"]

    def run(self, inputs: Any, horizon: int = 0, *, batch_first: bool = False) -> FloatArray:
        """Hidden states (time, batch, H) over the inputs (time, batch, inputs) and `horizon` steps of zero input."""
        array = time_first(inputs, "inputs", self.inputs, batch_first, NetworkError)
        return self._network.run(array, whole(horizon, "horizon", NetworkError) or 0)

    def read(self, hidden: Any, *, batch_first: bool = False) -> FloatArray:
        """What it says in hidden states (time, batch, H): (time, batch, outputs)."""
        return self._network.read(time_first(hidden, "hidden", self.hidden, batch_first, NetworkError))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a .safetensors file, all of it or nothing."""
        self._network.save(os.fspath(path))

    def to_torch(self) -> Any:
        """A `torch.nn.Module` with an `rnn` and a `readout`; called on inputs (time, batch, inputs) it gives outputs and
        hidden states."""
        from ._torch import module_of

        return module_of(self)

    def __repr__(self) -> str:
        task = self.task
        on = "" if task is None else f", trained on {task.name}"
        result = "" if self.training is None else f", accuracy {self.training.accuracy:.4f}"
        return (
            f"<ketbra.Network H={self.hidden}, {self.inputs} inputs, {self.outputs} outputs, {self.activation}{on}{result}>"
        )


def _is_array(value: Any) -> bool:
    # Counters and options ride along in some dictionaries; they are no weights.
    return hasattr(value, "shape") or isinstance(value, (list, tuple))


def _weights(value: Any, name: str) -> FloatArray:
    return floats(value, name, None, NetworkError)


def _said(activation: str | None) -> dict[str, str]:
    return {} if activation is None else {"activation": activation}
