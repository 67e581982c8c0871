"""Networks from arrays of every kind, and back."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import FIXTURES, T3

import ketbra


def weights(dtype: Any = np.float64) -> dict[str, Any]:
    random = np.random.default_rng(1)
    shapes = {"W_hh": (6, 6), "W_uh": (6, 2), "W_r": (2, 6)}
    return {name: (random.normal(size=shape) / 3).astype(np.float32).astype(dtype) for name, shape in shapes.items()}


def same(a: ketbra.Network, b: ketbra.Network) -> bool:
    return all(np.array_equal(a.arrays()[name], b.arrays()[name]) for name in a.arrays())


def test_a_file_and_its_arrays_are_the_same_network(tmp_path: Path) -> None:
    net = ketbra.Network(T3)
    assert (net.hidden, net.inputs, net.outputs, net.activation) == (128, 8, 8, "tanh")
    assert net.task == ketbra.Task("T3") and net.path == str(T3)
    assert same(net, ketbra.Network(net.arrays()))
    net.save(tmp_path / "again.safetensors")
    assert same(net, ketbra.Network(tmp_path / "again.safetensors"))


def test_an_activation_that_is_passed_counts_more_than_what_the_source_says() -> None:
    for source in (T3, ketbra.Network(T3), ketbra.Network(T3).arrays()):
        net = ketbra.Network(source, activation="relu")
        assert net.activation == "relu" and same(net, ketbra.Network(T3))
    with pytest.raises(ketbra.NetworkError, match="choose from tanh, relu, identity"):
        ketbra.Network(T3, activation="gelu")


def test_an_activation_that_arrays_do_not_tell_is_asked_for() -> None:
    for arrays in (weights(), {NAMES[name]: array for name, array in weights().items()}):
        for call in (ketbra.Network, lambda arrays: ketbra.interpret(arrays, blind=True, s=2)):
            with pytest.raises(ketbra.NetworkError, match="pass activation='tanh', 'relu', 'identity' or 'softplus'"):
                call(arrays)
        assert ketbra.Network(arrays, activation="relu").activation == "relu"
    relu = ketbra.Network(weights(), activation="relu")
    assert ketbra.Network(relu.arrays()).activation == "relu", "what a network hands out keeps it"
    gru = ketbra.Network(FIXTURES / "networks" / "gru-t3-h128.safetensors")
    assert ketbra.Network(dict(gru.arrays())).cell == "gru", "gated cells leave no choice"


def test_arrays_that_are_not_part_of_the_network_are_warned_of() -> None:
    beside = {**ketbra.Network(T3).arrays(), "norm.weight": np.ones(128)}
    found = ketbra.interpret(ketbra.Network(beside, activation="tanh"), task="T3")
    assert any("norm.weight" in warning for warning in found.warnings)
    with pytest.raises(ketbra.NetworkError, match="learned initial state"):
        ketbra.Network({**beside, "h0": np.ones((1, 128))})


def test_arrays_are_views_that_cannot_be_written() -> None:
    net = ketbra.Network(T3)
    first, second = net.recurrent_weights, net.recurrent_weights
    assert np.shares_memory(first, second) and not first.flags.writeable
    copy = first.copy()
    del net, second
    assert np.array_equal(first, copy), "the view keeps its network alive"
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 1


def test_every_layout_and_precision_gives_the_same_network() -> None:
    plain = weights()
    net = ketbra.Network(plain, activation="tanh")
    spread = {name: np.repeat(array, 2, axis=1)[:, ::2] for name, array in plain.items()}
    assert not any(array.flags.c_contiguous for array in spread.values())
    others: list[dict[str, Any]] = [
        weights(np.float32),
        spread,
        {name: np.asfortranarray(array) for name, array in plain.items()},
        {name: array.astype(">f8") for name, array in plain.items()},
        {name: array[::-1][::-1] for name, array in plain.items()},
        {name: array.tolist() for name, array in plain.items()},
        {f"model.{new}": plain[old] for old, new in NAMES.items()},
        {**plain, "steps": 20_000, "note": "options ride along"},
    ]
    for other in others:
        assert same(net, ketbra.Network(other, activation="tanh"))
    half = ketbra.Network(weights(np.float16), activation="tanh")
    np.testing.assert_allclose(half.recurrent_weights, net.recurrent_weights, atol=1e-3)


NAMES = {"W_hh": "rnn.weight_hh_l0", "W_uh": "rnn.weight_ih_l0", "W_r": "fc.weight"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"W_hh": np.zeros((6, 5))}, r"W_hh has shape \[6, 5\]: rows must be 1 .Elman., 3 .GRU. or 4 .LSTM. times"),
        ({"W_uh": np.zeros((5, 2))}, r"rnn.weight_ih_l0 has shape \[5, 2\], but \[6, 2\] is needed"),
        ({"W_r": np.zeros((2, 7))}, r"readout.weight has shape \[2, 7\], but \[2, 6\] is needed"),
        ({"W_r": np.zeros(6)}, r"W_r has shape \[6\], but a matrix"),
        ({"W_hh": np.full((6, 6), np.nan)}, r"W_hh holds nan at \[0, 0\]; pass finite numbers"),
        ({"W_hh": np.zeros((6, 6), complex)}, "W_hh has dtype complex128; pass real numbers"),
        ({"W_hh": np.full((6, 6), "x")}, "W_hh has dtype <U1; pass real numbers"),
        ({"W_hh": np.zeros((18, 6))}, r"rnn.weight_ih_l0 has shape \[6, 2\], but \[18, 2\] is needed"),
    ],
)
def test_wrong_shapes_dtypes_and_numbers_are_refused_by_name(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ketbra.NetworkError, match=message):
        ketbra.Network({**weights(), **change})


def test_what_is_no_network_is_refused() -> None:
    with pytest.raises(ketbra.NetworkError, match="cannot read a network from int; pass a path, a torch.nn.Module"):
        ketbra.Network(3)
    with pytest.raises(ketbra.NetworkError, match="there is no activation 'sin'; choose from tanh, relu, identity"):
        ketbra.Network(weights(), activation="sin")
    with pytest.raises(ketbra.NetworkError, match="cannot read"):
        ketbra.Network("nowhere.pt")
    with pytest.raises(ketbra.NetworkError, match="the second direction of a bidirectional layer"):
        ketbra.Network(FIXTURES / "import" / "bidirectional.pt")


def test_running_a_network_is_its_equation() -> None:
    plain = weights()
    net = ketbra.Network(plain, activation="tanh")
    inputs = np.random.default_rng(2).choice([-1.0, 1.0], size=(3, 5, 2))
    hidden = net.run(inputs, 4)
    assert hidden.shape == (7, 5, 6)
    state = np.zeros((5, 6))
    for t in range(7):
        given = inputs[t] if t < 3 else np.zeros((5, 2))
        state = np.tanh(state @ plain["W_hh"].T + given @ plain["W_uh"].T)
        np.testing.assert_allclose(hidden[t], state, atol=1e-14)
    np.testing.assert_allclose(net.read(hidden), hidden @ plain["W_r"].T, atol=1e-14)
    batch_first = net.run(inputs.swapaxes(0, 1), 4, batch_first=True)
    assert np.array_equal(batch_first, hidden.swapaxes(0, 1)), "batch first in, batch first out"
    assert np.array_equal(net.read(batch_first, batch_first=True), net.read(hidden).swapaxes(0, 1))


def test_a_leak_among_the_arrays_makes_a_leaky_network_that_runs_as_its_equation() -> None:
    for alpha in (np.array(0.3), np.linspace(0.2, 1.0, 6)):
        net = ketbra.Network({**weights(), "alpha": alpha}, activation="softplus")
        assert (net.cell, net.activation) == ("leaky", "softplus")
        assert np.array_equal(net.arrays()["rnn.alpha_l0"], np.broadcast_to(alpha, 6))
        assert same(net, ketbra.Network(net.arrays()))
        recurrent, given, _ = weights().values()
        h = np.zeros(6)
        inputs = np.random.default_rng(2).choice([-1.0, 1.0], size=(4, 1, 2))
        hidden = net.run(inputs, 2)
        for t in range(6):
            sums = recurrent @ h + (given @ inputs[t, 0] if t < 4 else 0.0)
            h = (1 - alpha) * h + alpha * np.log1p(np.exp(sums))
            np.testing.assert_allclose(hidden[t, 0], h, atol=1e-14)
    with pytest.raises(ketbra.NetworkError, match=r"outside \(0, 1\]"):
        ketbra.Network({**weights(), "alpha": np.array(1.5)}, activation="tanh")


def test_inputs_of_another_shape_are_refused_with_what_to_pass() -> None:
    net = ketbra.Network(weights(), activation="tanh")
    with pytest.raises(ketbra.NetworkError, match=r"pass 3 axes: \(time, batch, feature\)"):
        net.run(np.zeros((3, 2)))
    with pytest.raises(ketbra.NetworkError, match="5 features, but 2 are needed on the last axis; move axis 0 to the end"):
        net.run(np.zeros((2, 3, 5)))
    with pytest.raises(ketbra.NetworkError, match="is empty"):
        net.run(np.zeros((0, 3, 2)))
    with pytest.raises(ketbra.NetworkError, match="horizon is 1.5"):
        net.run(np.zeros((1, 1, 2)), 1.5)  # type: ignore[arg-type]
