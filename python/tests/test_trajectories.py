"""Cells of any kind, known by their trajectories alone."""

from typing import Any

import numpy as np
import pytest
from support import T3

import ketbra

S, D = 4, 3


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


class GatedCell:
    """A GRU by hand: its candidate state moves variables along a register of 40 mixed units, and computes f for the newest.

    Each content sits on a group of units with gains of their own; both gates depend on the state.
    """

    def __init__(self, task: ketbra.Task, units: int = 40, seed: int = 0) -> None:
        assert task.matrix is not None
        random = np.random.default_rng(seed)
        window = task.s * task.d
        code = np.zeros((units, window))
        code[np.arange(units), random.permutation(units) % window] = random.choice([-1, 1], units) * random.uniform(
            0.7, 1.3, units
        )
        readers = np.linalg.pinv(code)
        register = np.vstack([np.eye(window)[task.d :], task.matrix])
        self.candidate = 1.6 * code @ register @ readers
        self.input = 4 * code[:, -task.d :]
        self.update, self.reset = random.normal(scale=0.1 / np.sqrt(units), size=(2, units, units))
        self.readout_weights = readers[-task.d :]
        self.units = units

    def step(self, h: Any, u: Any) -> Any:
        z, r = sigmoid(h @ self.update.T + 3), sigmoid(h @ self.reset.T + 3)
        return (1 - z) * h + z * np.tanh((r * h) @ self.candidate.T + u @ self.input.T)

    def readout(self, h: Any) -> Any:
        return h @ self.readout_weights.T


def task() -> ketbra.Task:
    matrix = np.zeros((D, S * D))
    matrix[0, 0], matrix[1, D + 2], matrix[2, 2 * D + 1] = 1, -1, 1
    return ketbra.Task.from_matrix(matrix, s=S, name="exchange")


def run() -> ketbra.Trajectories:
    cell = GatedCell(task())
    return ketbra.drive(cell.step, cell.readout, s=S, d=D, hidden=cell.units, seed=3)


def test_a_gru_by_hand_is_read_without_a_task() -> None:
    found = ketbra.interpret_trajectories(*run(), s=S)
    assert found.recurrence == task().recurrence
    assert (found.verdict, found.blind) == ("circuit", True)
    assert found.accuracy == 1.0
    assert found.spectrum.orbit.found == task().core and found.spectrum.origin is None


def test_its_states_decode_to_the_variables_they_hold() -> None:
    hidden, outputs, inputs = run()
    found = ketbra.interpret_trajectories(hidden, outputs, inputs, task=task(), methods="orbit,rollout")
    contents = found.decode(hidden[2 * S :], first=S)
    said = np.sign(outputs)
    held = np.stack([said[t - S + 1 : t + 1].swapaxes(0, 1) for t in range(2 * S, len(said))])
    assert contents.shape == held.shape == (100 - S, 128, S, D)
    assert (np.sign(contents) == held).mean() > 0.999
    assert found.methods["rollout"].worst > 0.99
    assert np.abs(found.phi - task().phi).max() < 0.1


def test_without_inputs_a_task_is_checked_on_what_the_network_says() -> None:
    hidden, outputs, _ = run()
    found = ketbra.interpret_trajectories(hidden, outputs, task=task())
    assert found.verdict == "circuit"
    assert found.warnings[-1].startswith("no inputs were given: what the network says in its first 4 output steps")
    wrong = ketbra.interpret_trajectories(hidden, outputs, task=ketbra.Task("repeat-copy", s=S, d=D))
    assert wrong.verdict != "circuit" and any("something else" in warning for warning in wrong.warnings)


def test_trajectories_of_a_network_show_what_its_weights_show() -> None:
    network = ketbra.Network(T3)
    inputs = np.random.default_rng(1).choice([-1.0, 1.0], size=(8, 96, 8))
    hidden = network.run(inputs, 100)
    found = ketbra.interpret_trajectories(hidden, network.read(hidden), inputs, s=8)
    assert found.recurrence == ketbra.interpret(T3).recurrence
    assert found.verdict == "circuit"


def test_every_layout_gives_the_same_result() -> None:
    hidden, outputs, inputs = run()
    found = ketbra.interpret_trajectories(hidden, outputs, inputs, s=S).to_dict()
    turned = [array.swapaxes(0, 1) for array in (hidden, outputs, inputs)]
    assert ketbra.interpret_trajectories(*turned, s=S, batch_first=True).to_dict() == found
    spread = np.repeat(hidden, 2, axis=2)[:, :, ::2]
    assert ketbra.interpret_trajectories(spread, outputs, inputs, s=S).to_dict() == found
    padded = np.concatenate([inputs, np.zeros((100, 128, D))])
    assert ketbra.interpret_trajectories(hidden, outputs, padded, s=S).to_dict() == found
    single = ketbra.interpret_trajectories(hidden.astype(np.float32), outputs.astype(np.float32), inputs, s=S)
    assert single.recurrence == task().recurrence


def test_what_only_weights_can_tell_is_refused() -> None:
    found = ketbra.interpret_trajectories(*run(), s=S)
    for call in (lambda: found.network, lambda: found.edit(negate=1), lambda: found.plot.weights()):
        with pytest.raises(ketbra.InterpretError, match="only trajectories are known"):
            call()
    assert "<iframe" in found._repr_html_() and "recordings" in found.page()
    with pytest.raises(ketbra.InterpretError, match="power needs the weights of a network"):
        ketbra.interpret_trajectories(*run(), s=S, method="power")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h, y, u: (h[0], y, u), r"hidden has shape \(128, 40\); pass 3 axes: \(time, batch, feature\)"),
        (lambda h, y, u: (h[:, :64], y, u), "pass states and outputs of the same steps and episodes"),
        (lambda h, y, u: (h[:20], y[:20], u), "16 output steps, but 26 are needed; run the network on for longer"),
        (lambda h, y, u: (h[:, :9], y[:, :9], u[:, :9]), "9 episodes show 9 different inputs, but 11 are needed"),
        (lambda h, y, u: (h[:5], y[:5], u), "pass a smaller s, or batch_first=True if the first axis counts episodes"),
        (lambda h, y, u: (h, y, u[:, :9]), "pass the inputs of the same episodes"),
        (lambda h, y, u: (h, y, u[:, :, :2]), "inputs has 2 features, but 3 are needed"),
        (lambda h, y, u: (h, y, 2 * u), "an input is .*2, but inputs are -1 or"),
        (lambda h, y, u: (h, y, np.ones((104, 128, D))), "inputs are not zero after step s=4"),
        (lambda h, y, u: (np.where(h == h[9, 1, 2], np.nan, h), y, u), r"hidden holds nan at \[9, 1, 2\]"),
        (lambda h, y, u: (h.astype(complex), y, u), "dtype complex128; pass real numbers"),
    ],
)
def test_wrong_arrays_are_refused_with_what_to_pass(change: Any, message: str) -> None:
    with pytest.raises(ketbra.InterpretError, match=message):
        ketbra.interpret_trajectories(*change(*run()), s=S)


def test_the_number_of_variables_must_be_known() -> None:
    hidden, outputs, inputs = run()
    with pytest.raises(ketbra.InterpretError, match="pass s=N, the number of input steps"):
        ketbra.interpret_trajectories(hidden, outputs, inputs)
    with pytest.raises(ketbra.InterpretError, match="has s=4; leave s out"):
        ketbra.interpret_trajectories(hidden, outputs, inputs, task=task(), s=5)
    with pytest.raises(ketbra.InterpretError, match="3 outputs, but the task has d=2"):
        ketbra.interpret_trajectories(hidden, outputs, inputs, task=ketbra.Task("repeat-copy", s=4, d=2))
    with pytest.raises(ketbra.InterpretError, match=r"the state after step 1 has shape \(40,\)"):
        ketbra.drive(lambda h, u: h[0], lambda h: h, s=S, d=D, hidden=40)
