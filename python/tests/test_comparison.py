"""Networks against each other, and two in one."""

from pathlib import Path

import numpy as np
import pytest
from support import NOT_LEARNED, T3, document, refusal

import ketbra


def copy(d: int = 3) -> ketbra.Task:
    return ketbra.Task("compose-copy", s=3, d=d)


def test_the_same_function_in_other_cells_and_bases_is_the_same_circuit(tmp_path: Path) -> None:
    task = copy()
    networks = [task.network(hidden=40, seed=1), task.network(hidden=48, cell="gru", seed=2)]
    found = ketbra.compare(*networks, names=["elman", "gru"])
    assert found.verdict == "same-circuit", found.pairs[0].reasons
    pair = found.pair(1, 0)
    assert pair.distance is not None and pair.distance < 1e-6
    assert all(claim.holds for claim in pair.claims) and len(pair.claims) == 7
    assert found.clusters == [["elman", "gru"]]
    step, other, overlap = found.step(0), found.step(1), found.overlap()
    assert step is not None and other is not None and np.allclose(step, other)
    assert np.allclose(np.abs(step).sum(axis=1), 1), "a signed permutation"
    assert overlap is not None and overlap.shape == (6, 6) and np.diag(overlap).min() > 0.9
    assert [path.name for path in found.save_figures(tmp_path)] == ["comparison.svg"]
    assert "same-circuit" in repr(found)


def test_a_changed_wire_is_named_and_many_fall_into_clusters() -> None:
    other = ketbra.Task("u1 = u1[t-3]; u2 = -u2[t-2]; u3 = u3[t-1]", s=3)
    networks = [copy().network(hidden=40, seed=1), copy().network(hidden=40, seed=2), other.network(hidden=40, seed=3)]
    found = ketbra.compare(*networks)
    assert found.clusters == [["network 1", "network 2"], ["network 3"]]
    assert found.pair(0, 2).outputs == [{"output": 2, "first": "u2 = u2[t-2]", "second": "u2 = -u2[t-2]"}]
    with pytest.raises(ketbra.InterpretError, match="3 pairs"):
        _ = found.verdict
    with pytest.raises(ketbra.InterpretError, match="from 0 to 2"):
        found.pair(0, 3)


def test_recordings_are_compared_with_networks() -> None:
    networks = [copy().network(hidden=40, seed=1), copy().network(hidden=48, seed=2)]

    def recorded(network: ketbra.Network) -> ketbra.Trajectories:
        weights = network.arrays()
        bias = sum((value for name, value in weights.items() if "bias" in name and "rnn" in name), start=np.zeros(1))
        w_in, w = weights["rnn.weight_ih_l0"], weights["rnn.weight_hh_l0"]
        out = weights["readout.weight"]
        return ketbra.drive(
            lambda h, u: np.tanh(h @ w.T + u @ w_in.T + bias),
            lambda h: h @ out.T,
            s=3,
            d=3,
            hidden=network.hidden,
            batch=192,
            horizon=70,
        )

    found = ketbra.compare(recorded(networks[0]), networks[1], s=3)
    assert found.verdict == "same-circuit", found.pairs[0].reasons
    assert found.pairs[0].measures["cka"] is not None
    with pytest.raises(ketbra.InterpretError, match="pass s=N"):
        ketbra.compare(recorded(networks[0]), networks[1])


def test_python_says_what_the_command_line_says() -> None:
    found = ketbra.compare(T3, NOT_LEARNED)
    assert found.document == {key: value for key, value in document("compare", T3, NOT_LEARNED).items()}
    assert found.verdict == "unclear"


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(ketbra.InterpretError, match="takes two"):
        ketbra.compare(T3)
    with pytest.raises(ketbra.InterpretError, match="1 names for 2"):
        ketbra.compare(T3, T3, names=["one"])
    with pytest.raises(ketbra.InterpretError, match="from 1 to 12"):
        ketbra.compare(T3, T3, delays=40)
    assert "takes two" in refusal("compare", T3)
    assert "from 1 to 12" in refusal("compare", T3, T3, "--delays", "40")
    small, large = copy(2).network(hidden=32), copy(3).network(hidden=40)
    found = ketbra.compare(small, large)
    assert found.verdict == "not-comparable" and found.pairs[0].distance is None


def test_two_circuits_make_one() -> None:
    first = ketbra.Task("u1 = u1[t-3]; u2 = -u2[t-2]", s=3)
    second = ketbra.Task("u1 = u2[t-1]; u2 = u1[t-3]", s=3)
    networks = first.network(hidden=48, seed=1), second.network(hidden=48, seed=2)
    both = ketbra.compose(*networks)
    assert both.found.verdict == "circuit" and both.hidden == 96
    assert both.task is not None
    assert both.task.recurrence == ["u1 = u1[t-3]", "u2 = -u2[t-2]", "u3 = u4[t-1]", "u4 = u3[t-3]"]
    fed = ketbra.compose(*networks, how="feed")
    assert fed.task is not None and fed.task.recurrence[2:] == ["u3 = u2[t-1]", "u4 = u1[t-3]"]
    assert fed.found.accuracy is not None and fed.found.accuracy > 0.999
    with pytest.raises(ketbra.EditError, match="sum"):
        ketbra.compose(*networks, how="product")
    with pytest.raises(ketbra.EditError, match="same s"):
        ketbra.compose(networks[0], ketbra.Task("repeat-copy", s=4, d=2).network(hidden=32))
