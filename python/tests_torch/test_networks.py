"""Networks from modules of PyTorch, and back."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support import FIXTURES, T3, document

import ketbra


class Model(torch.nn.Module):
    def __init__(self, cell: Any, readout: Any) -> None:
        super().__init__()
        self.encoder, self.head = cell, readout


@pytest.fixture(scope="module")
def module() -> Any:
    return ketbra.Network(T3).to_torch()


def test_a_real_module_gives_what_the_command_line_gives_on_its_file(module: Any, tmp_path: Path) -> None:
    torch.save(module.state_dict(), tmp_path / "model.pt")
    typed = document("interpret", tmp_path / "model.pt", "--task", "T3")
    del typed["path"]
    assert ketbra.interpret(module, task="T3").to_dict() == typed
    assert ketbra.interpret(module.state_dict(), task="T3", activation="tanh").to_dict() == typed
    path = ketbra.interpret(tmp_path / "model.pt", task="T3").to_dict()
    del path["path"]
    assert path == typed


def test_a_module_runs_as_the_network_does(module: Any) -> None:
    net = ketbra.Network(T3)
    inputs = np.random.default_rng(1).choice([-1.0, 1.0], size=(8, 3, 8))
    outputs, hidden = module(torch.tensor(inputs, dtype=torch.float32))
    np.testing.assert_allclose(hidden.detach().numpy(), net.run(inputs), atol=1e-5)
    np.testing.assert_allclose(outputs.detach().numpy(), net.read(net.run(inputs)), atol=1e-5)
    found = ketbra.interpret(net)
    assert np.allclose(found.decode(hidden), found.decode(net.run(inputs)), atol=1e-4), "tensors are taken as they are"


def test_layers_are_found_by_type_or_named_by_the_caller() -> None:
    linear = torch.nn.Linear(12, 3)
    cell = torch.nn.RNNCell(3, 12, nonlinearity="relu")
    net = ketbra.Network(Model(cell, linear))
    assert (net.hidden, net.activation) == (12, "relu")
    assert np.array_equal(net.arrays()["rnn.bias_hh_l0"], cell.bias_hh.detach().double().numpy())
    assert np.array_equal(net.readout_weights, linear.weight.detach().double().numpy())
    two = torch.nn.ModuleDict({"rnn": torch.nn.RNN(3, 12, bias=False), "a": torch.nn.Linear(12, 3), "b": torch.nn.Linear(12, 3)})
    with pytest.raises(ketbra.NetworkError, match="several readout layers; name one with readout=: a, b"):
        ketbra.Network(two)
    assert np.array_equal(ketbra.Network(two, readout="b").readout_weights, two["b"].weight.detach().double().numpy())
    assert ketbra.Network(two, readout=two["a"]).inputs == 3
    with pytest.raises(ketbra.NetworkError, match="the module has no layer 'c'; choose from rnn, a, b"):
        ketbra.Network(two, readout="c")


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (lambda: Model(torch.nn.GRU(3, 12, bidirectional=True), torch.nn.Linear(12, 3)), "bidirectional=False"),
        (lambda: Model(torch.nn.LSTM(3, 12, proj_size=5), torch.nn.Linear(12, 3)), "projection .proj_size=5."),
        (lambda: Model(torch.nn.Linear(3, 12), torch.nn.Linear(12, 3)), "no recurrent layer"),
        (lambda: Model(torch.nn.RNN(3, 12), torch.nn.Linear(11, 3)), "no readout layer"),
    ],
)
def test_other_modules_are_refused_with_what_to_do(module: Any, message: str) -> None:
    with pytest.raises(ketbra.NetworkError, match=message):
        ketbra.Network(module())


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("bias", [False, True])
def test_every_cell_runs_as_torch_runs_it(kind: str, layers: int, bias: bool) -> None:
    torch.manual_seed(3)
    module = Model(getattr(torch.nn, kind)(3, 12, num_layers=layers, bias=bias), torch.nn.Linear(12, 3)).double()
    net = ketbra.Network(module)
    assert (net.cell, net.layers) == ({"RNN": "elman"}.get(kind, kind.lower()), layers)
    inputs = np.random.default_rng(2).choice([-1.0, 1.0], size=(9, 5, 3))
    hidden, last = module.encoder(torch.tensor(inputs))
    states = net.run(inputs, state="whole")
    np.testing.assert_allclose(states[..., net.units[-1]], hidden.detach().numpy(), atol=1e-12)
    if kind == "LSTM":
        cells = np.concatenate([states[-1][:, part.stop : part.stop + 12] for part in net.units])
        np.testing.assert_allclose(cells, last[1].detach().numpy().reshape(-1, 12), atol=1e-12)
    said = module.head(hidden).detach().numpy()
    for given in (states, net.run(inputs), hidden.detach().numpy()):
        np.testing.assert_allclose(net.read(given), said, atol=1e-12)
    outputs, again = net.to_torch().double()(torch.tensor(inputs))
    np.testing.assert_allclose(outputs.detach().numpy(), said, atol=1e-12)
    assert again.shape == hidden.shape


def test_a_module_has_the_default_type_of_torch(module: Any) -> None:
    edited = ketbra.interpret(T3).edit(negate=1)
    assert module.rnn.weight_hh_l0.dtype == edited.to_torch().rnn.weight_hh_l0.dtype == torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        exact = edited.to_torch()
        assert exact.rnn.weight_hh_l0.dtype == exact.readout.weight.dtype == torch.float64
        assert np.array_equal(exact.rnn.weight_hh_l0.detach().numpy(), edited.recurrent_weights)
    finally:
        torch.set_default_dtype(torch.float32)
    half = ketbra.Network(ketbra.Network(T3).to_torch().bfloat16())
    np.testing.assert_allclose(half.recurrent_weights, ketbra.Network(T3).recurrent_weights, atol=0.02)


def test_a_state_dict_does_not_tell_the_activation() -> None:
    relu = Model(torch.nn.RNN(3, 12, nonlinearity="relu"), torch.nn.Linear(12, 3))
    assert ketbra.Network(relu).activation == "relu"
    with pytest.raises(ketbra.NetworkError, match="pass activation='tanh', 'relu' or 'identity'"):
        ketbra.interpret(relu.state_dict(), blind=True, s=2)
    assert ketbra.Network(Model(torch.nn.GRU(3, 12), torch.nn.Linear(12, 3)).state_dict()).cell == "gru"


@pytest.mark.parametrize("name", ["state_dict.pt", "cell.pt", "float64.pt"])
def test_what_torch_loads_is_what_the_library_reads(name: str) -> None:
    loaded = torch.load(FIXTURES / "import" / name, weights_only=True)
    ours = ketbra.Network(FIXTURES / "import" / name).arrays()
    theirs = ketbra.Network(loaded, activation="tanh").arrays()
    assert ours.keys() == theirs.keys()
    assert all(np.array_equal(ours[key], theirs[key]) for key in ours)
