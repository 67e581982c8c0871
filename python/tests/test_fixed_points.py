"""Fixed points of networks and of functions, as arrays."""

import json
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import FIXTURES, document

import ketbra

FLIP_FLOP = FIXTURES / "networks" / "flip-flop-h24.safetensors"
Array = NDArray[np.float64]


@pytest.fixture(scope="module")
def found() -> ketbra.FixedPoints:
    return ketbra.linearize(FLIP_FLOP, input=np.zeros(3))


def flip_flop() -> tuple[Any, Any]:
    """The step of the flip-flop and its derivatives, in NumPy."""
    arrays = ketbra.Network(FLIP_FLOP).arrays()
    recurrent, driven = arrays["rnn.weight_hh_l0"], arrays["rnn.weight_ih_l0"]
    bias = arrays["rnn.bias_ih_l0"] + arrays["rnn.bias_hh_l0"]

    def step(states: Array, inputs: Array) -> Array:
        return np.tanh(states @ recurrent.T + inputs @ driven.T + bias)

    def jacobian(state: Array, input: Array) -> tuple[Array, Array]:
        slope = 1 - step(state[None], input[None])[0] ** 2
        return slope[:, None] * recurrent, slope[:, None] * driven

    return step, jacobian


def test_a_flip_flop_has_eight_memories_and_they_come_first(found: ketbra.FixedPoints) -> None:
    assert found.counts == {0: 8, 1: 12, 2: 6, 3: 1}
    assert found.stable[:8].all() and not found.stable[8:].any()
    assert (np.diff(found.unstable_directions) >= 0).all() and set(found.kind) == {"fixed"}
    network = ketbra.Network(FLIP_FLOP)
    memories = network.read(found.points[None, :8])[0]
    assert len({tuple(row) for row in np.sign(memories)}) == 8
    np.testing.assert_allclose(np.abs(memories), 1, atol=0.2)
    assert repr(found) == "<ketbra.FixedPoints 8 stable, 12 with 1 unstable, 6 with 2 unstable, 1 with 3 unstable>"


def test_arrays_say_what_the_network_does(found: ketbra.FixedPoints) -> None:
    step, jacobian = flip_flop()
    zero = np.zeros((len(found), 3))
    np.testing.assert_allclose(step(found.points, zero), found.points, atol=1e-12)
    for k in range(len(found)):
        by_state, by_input = jacobian(found.points[k], zero[k])
        np.testing.assert_allclose(found.jacobians[k], by_state, atol=1e-12)
        np.testing.assert_allclose(found.input_jacobians[k], by_input, atol=1e-12)
        values = np.linalg.eigvals(by_state)
        assert (np.abs(values) > 1).sum() == found.unstable_directions[k] == (np.abs(found.eigenvalues[k]) > 1).sum()
        assert found.modes[k].shape == (found.unstable_directions[k], 24)


def test_saddles_lead_to_the_memories_on_either_side(found: ketbra.FixedPoints) -> None:
    step, _ = flip_flop()
    for saddle in np.flatnonzero(found.unstable_directions == 1):
        out = [connection for connection in found.connections if connection.source == saddle]
        assert len({connection.target for connection in out}) == 2
        for sign in (-1, 1):
            state = found.points[saddle] + sign * 1e-3 * found.modes[saddle][0]
            for _ in range(300):
                state = step(state[None], np.zeros((1, 3)))[0]
            targets = [found.points[connection.target] for connection in out]
            assert min(np.linalg.norm(state - target) for target in targets) < 1e-3


def test_python_and_the_command_line_find_the_same(found: ketbra.FixedPoints) -> None:
    said = document("linearize", FLIP_FLOP, "--at", "fixed-points", "--seed", 0, "--input", "0,0,0")["fixed_points"]
    for point in said["points"]:
        point.pop("spectrum")
    assert found.to_dict() == said == json.loads(found.to_json())


@pytest.mark.parametrize("exact", [False, True])
def test_a_function_has_the_points_of_its_network(found: ketbra.FixedPoints, exact: bool) -> None:
    step, jacobian = flip_flop()
    called = ketbra.linearize(step, hidden=24, inputs=3, jacobian=jacobian if exact else None)
    assert called.counts == found.counts
    np.testing.assert_allclose(called.points[:8], found.points[:8], atol=1e-9)
    np.testing.assert_allclose(called.jacobians[:8], found.jacobians[:8], atol=1e-12 if exact else 1e-8)


def test_a_function_in_single_precision_is_told_by_what_it_can_tell() -> None:
    step, _ = flip_flop()
    single = ketbra.linearize(lambda h, u: step(h, u).astype(np.float32), hidden=24, inputs=3)
    assert single.counts[0] == 8 and single.kind[:8] == ["fixed"] * 8


def test_an_exception_of_the_function_comes_back_as_it_is() -> None:
    class MineError(Exception):
        pass

    calls = 0

    def step(states: Array, inputs: Array) -> Array:
        nonlocal calls
        calls += 1
        if calls == 50:
            raise MineError("at call 50")
        return np.tanh(2 * states)

    with pytest.raises(MineError, match="at call 50") as caught:
        ketbra.linearize(step, hidden=2, inputs=0)
    assert any(entry.name == "step" for entry in caught.traceback) and calls == 50


def test_ctrl_c_ends_a_search() -> None:
    calls = 0

    def step(states: Array, inputs: Array) -> Array:
        nonlocal calls
        calls += 1
        time.sleep(0.01)
        return np.tanh(2 * states)

    main = threading.main_thread().ident
    assert main is not None
    # A shell that starts this in the background has it ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.5, signal.pthread_kill, (main, signal.SIGINT)).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            ketbra.linearize(step, hidden=20, inputs=0, random_starts=5000)
    finally:
        signal.signal(signal.SIGINT, before)
    # The whole search takes thousands of steps.
    assert 0 < calls < 1000


def test_a_line_is_a_set_and_none_of_its_points_is_stable() -> None:
    keeps = np.sin(np.arange(10) ** 2)
    found = ketbra.linearize(lambda h, u: h @ np.outer(keeps, keeps) / (keeps @ keeps), hidden=10, inputs=0)
    assert found.slow_manifold is not None and found.slow_manifold.shape == "line"
    assert found.counts == {0: 0} and found.marginal > 8 and found.degenerate.all()
    assert "continuum of dimension 1" in found.doubts[0] and "slow manifold: line" in repr(found)


def test_nothing_is_made_up() -> None:
    found = ketbra.linearize(lambda h, u: h + 0.1, hidden=3, inputs=0)
    assert len(found) == 0 and not found.connections and found.counts == {0: 0}
    assert "ended at no fixed or slow point" in found.doubts[0]


def test_a_constant_input_moves_the_points() -> None:
    found = ketbra.linearize(lambda h, u: 0.5 * h + u, hidden=2, inputs=2, input=[1.0, -0.5])
    np.testing.assert_allclose(found.points, [[2.0, -1.0]], atol=1e-9)
    np.testing.assert_allclose(found.input_jacobians, [np.eye(2)], atol=1e-9)


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads() -> None:
    one, three = (ketbra.linearize(FLIP_FLOP, seed=7, threads=threads) for threads in (1, 3))
    assert one.to_json() == three.to_json()
    assert ketbra.linearize(FLIP_FLOP, seed=8, random_starts=64).to_json() != one.to_json()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({}, "pass hidden=H and inputs=d"),
        ({"hidden": 3}, "pass hidden=H and inputs=d"),
        ({"hidden": 0, "inputs": 0}, "hidden is 0, but must be a whole number from 1"),
        ({"hidden": 2, "inputs": 0}, r"step gave shape \(2, 3\) for 2 states, but must give \(2, 2\)"),
        ({"hidden": 3, "inputs": 0, "tol_q": -1.0}, "tol_q is -1.0, but must be a finite number above 0"),
        ({"hidden": 3, "inputs": 0, "starts": np.zeros((4, 2))}, r"starts has shape \(4, 2\); pass states \(n, 3\)"),
        ({"hidden": 3, "inputs": 1, "input": [1.0, 2.0]}, "input has 2 numbers, but there are 1 inputs"),
        ({"hidden": 3, "inputs": 0, "random_starts": 10**6}, "random_starts is 1000000, but must be at most 100000"),
        ({"hidden": 3, "inputs": 0, "jacobian": lambda h, u: np.eye(3)}, "jacobian gave a ndarray, but must give two"),
    ],
)
def test_what_cannot_be_meant_is_refused(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ketbra.LinearizeError, match=message):
        ketbra.linearize(lambda h, u: np.zeros((len(h), 3)), **keywords)


def test_a_network_needs_no_sizes() -> None:
    with pytest.raises(ketbra.LinearizeError, match="hidden is for a step function"):
        ketbra.linearize(FLIP_FLOP, hidden=24)


def test_the_figure_shows_the_points(found: ketbra.FixedPoints) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    axes = found.plot().axes[0]
    assert [axes.get_xlabel()[:4], axes.get_ylabel()[:4], axes.get_zlabel()[:4]] == ["PC 1", "PC 2", "PC 3"]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels[-1] == "stable (8)" and "1 unstable mode (12)" in labels and "where modes lead" in labels
    figure, (left, right) = plt.subplots(1, 2)
    runs = ketbra.Network(FLIP_FLOP).run(np.random.default_rng(0).choice([-1.0, 0, 0, 1], size=(30, 5, 3)))
    assert found.plot(right, trajectories=runs) is figure and not left.lines
    shown = next(line for line in right.lines if line.get_label() == "stable (8)")
    assert len(shown.get_xdata()) == 8 and shown.get_color() == "black"
    assert sum(line.get_color() == "#c3cad6" for line in right.lines) == 5


def test_points_are_a_table() -> None:
    found = ketbra.linearize(FLIP_FLOP, input=np.zeros(3))
    frame = found.to_pandas()
    assert len(frame) == len(found) and list(frame.columns[:3]) == ["kind", "stable", "unstable"]
    assert frame["stable"].sum() == 8 and frame["unstable"].tolist() == found.unstable_directions.tolist()
    np.testing.assert_array_equal(frame[[f"h{unit + 1}" for unit in range(24)]].to_numpy(), found.points)


def test_it_is_said_that_inputs_were_zero_where_nobody_said_so() -> None:
    assert any("all 3 inputs are zero" in doubt and "one-hot" in doubt for doubt in ketbra.linearize(FLIP_FLOP).doubts)
    assert ketbra.linearize(FLIP_FLOP, input=[1.0, 0.0, 0.0], random_starts=16).doubts == []
    step, _ = flip_flop()
    assert any("all 3 inputs are zero" in doubt for doubt in ketbra.linearize(step, hidden=24, inputs=3, random_starts=8).doubts)
    assert not any("zero" in doubt for doubt in ketbra.linearize(lambda h, u: np.tanh(2 * h), hidden=2, inputs=0).doubts)


def test_a_readout_is_not_needed_and_a_table_of_inputs_is_named() -> None:
    arrays = {name: np.array(value) for name, value in ketbra.Network(FLIP_FLOP).arrays().items() if not name.startswith("readout")}
    alone = ketbra.linearize(arrays, activation="tanh", input=np.zeros(3))
    np.testing.assert_allclose(alone.points, ketbra.linearize(FLIP_FLOP, input=np.zeros(3)).points, atol=1e-9)
    with pytest.raises(ketbra.NetworkError, match="readout"):
        ketbra.interpret(arrays, activation="tanh", blind=True, s=4)
    embedded = {**arrays, "embedding.weight": np.eye(3)[:, :3]}
    doubts = ketbra.linearize(embedded, activation="tanh", random_starts=8).doubts
    assert any("the file holds embedding.weight" in doubt and "input" in doubt for doubt in doubts), doubts


def test_a_search_that_has_no_time_says_so() -> None:
    def step(states: Array, inputs: Array) -> Array:
        time.sleep(0.01)
        return np.tanh(2 * states)

    found = ketbra.linearize(step, hidden=6, inputs=0, random_starts=500, time_limit=0.3)
    assert any("was ended after 0.3 s, its limit" in doubt and "time_limit" in doubt for doubt in found.doubts), found.doubts
    with pytest.raises(ketbra.LinearizeError, match="time_limit is 0"):
        ketbra.linearize(FLIP_FLOP, time_limit=0)
