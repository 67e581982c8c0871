"""Tasks, and the circuit that theory predicts for them."""

from pathlib import Path

import numpy as np
import pytest
from support import refusal

import ketbra


def test_a_task_says_what_it_asks_for() -> None:
    task = ketbra.Task("T3")
    assert (task.s, task.d, task.core) == (8, 8, 36)
    assert task.recurrence[0] == "u1 = -u5[t-4]"
    assert repr(task) == "<ketbra.Task T3: s=8 d=8, core 36>"
    assert task.phi.shape == (36, 36) and len(task.components or []) == 36
    np.testing.assert_allclose(np.abs(task.eigenvalues), 1, atol=1e-12)
    np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(task.phi)).sum(), task.eigenvalues.sum(), atol=1e-9)


def test_a_task_is_its_matrix() -> None:
    task = ketbra.Task("compose-copy", s=3, d=2)
    again = ketbra.Task.from_matrix(task.matrix, s=3, name="again")
    assert again == task and hash(again) == hash(task) and again.name == "again"
    assert ketbra.Task.from_matrix([[1, 1]], s=2).recurrence == ["u1 = u1[t-1] + u1[t-2]"]
    assert task != ketbra.Task("repeat-copy", s=3, d=2)


@pytest.mark.parametrize("name", ["T9", "repeatcopy", "1,2", "nowhere.toml", "rule256", "lfsr:5", "u1 = xr(u1[t-1])", "u1 = xor(u1[t-1])"])
def test_what_the_command_line_refuses_is_refused_in_the_same_words(name: str) -> None:
    with pytest.raises(ketbra.TaskError) as refused:
        ketbra.Task(name)
    # The command line adds what to type there.
    assert str(refused.value) == refusal("task", name).removesuffix("; `ketbra task --list` shows all")


def test_wrong_matrices_and_sizes_are_refused() -> None:
    with pytest.raises(ketbra.TaskError, match=r"the matrix is 2 x 3, but s=2, d=2 needs d x s\*d = 2 x 4"):
        ketbra.Task.from_matrix(np.zeros((2, 3)), s=2)
    with pytest.raises(ketbra.TaskError, match=r"matrix has shape \(4,\); pass 2 axes: \(d, s\*d\)"):
        ketbra.Task.from_matrix(np.zeros(4), s=2)
    with pytest.raises(ketbra.TaskError, match="holds nan"):
        ketbra.Task.from_matrix([[float("nan"), 1.0]], s=2)
    with pytest.raises(ketbra.TaskError, match="s is -1, but must be a whole number from 0"):
        ketbra.Task("repeat-copy", s=-1)
    with pytest.raises(ketbra.TaskError, match="3 is no task"):
        ketbra.Task(3)  # type: ignore[arg-type]


def test_a_task_file_carries_its_own_sizes(tmp_path: Path) -> None:
    path = tmp_path / "task.toml"
    path.write_text(ketbra.Task("compose-copy", s=3, d=2).to_toml())
    assert ketbra.Task(path, s=3, d=2) == ketbra.Task(path) == ketbra.Task("compose-copy", s=3, d=2)
    with pytest.raises(ketbra.TaskError, match="s=4"):
        ketbra.Task(path, s=4)
    with pytest.raises(ketbra.TaskError, match="s=4"):
        ketbra.train(path, s=4, steps=1)


def test_a_task_makes_a_network_that_does_it_and_the_truth_about_it() -> None:
    task = ketbra.Task("compose-copy", s=4, d=3)
    made = task.network(hidden=64, cell="gru", seed=2)
    assert (made.hidden, made.cell, made.task) == (64, "gru", task)
    assert made.truth is not None and len(made.truth["contents"]) == 9 and len(made.truth["units"]) == 64
    inputs = np.random.default_rng(1).choice([-1.0, 1.0], size=(4, 5, 3))
    # Time 4 repeats what each component said at its own lag: 4, 3 and 2 steps before.
    said = np.sign(made.read(made.run(inputs, 1))[-1])
    np.testing.assert_array_equal(said, np.stack([inputs[0, :, 0], inputs[1, :, 1], inputs[2, :, 2]], axis=1))
    memories = np.array([content["memory"] for content in made.truth["contents"]]).T
    readers = np.array([content["reader"] for content in made.truth["contents"]])
    np.testing.assert_allclose(readers @ memories, np.eye(9), atol=1e-6)


def test_a_network_that_cannot_be_made_is_refused() -> None:
    with pytest.raises(ketbra.NetworkError, match="pass hidden=64 or more"):
        ketbra.Task("T1").network(hidden=10)
    with pytest.raises(ketbra.NetworkError, match="choose from random, units"):
        ketbra.Task("T1").network(basis="dense")


def test_functions_that_are_not_linear_have_tables_and_no_matrix() -> None:
    rule = ketbra.Task("rule110", d=8)
    assert (rule.s, rule.d, rule.core, rule.matrix) == (1, 8, 8, None)
    assert rule.family == "rule 110 on a ring of 8"
    assert rule.recurrence[1] == "u2 = rule110(u1[t-1], u2[t-1], u3[t-1])"
    register = ketbra.Task("u1 = xor(u1[t-5], u1[t-3])")
    assert register == ketbra.Task("lfsr:5,3") and hash(register) == hash(ketbra.Task("lfsr:5,3"))
    inputs = [{"lag": 5, "component": 1}, {"lag": 3, "component": 1}]
    assert register.function == [{"output": 1, "inputs": inputs, "table": [-1, 1, 1, -1]}]
    assert len(register.eigenvalues) == 31 and register.components == [(variable, 1) for variable in range(1, 6)]
    np.testing.assert_allclose(np.abs(register.eigenvalues), 1, atol=1e-12)
    with pytest.raises(ketbra.TaskError, match="is not linear"):
        _ = register.phi
    with pytest.raises(ketbra.TaskError, match="more than 512 products"):
        _ = ketbra.Task("rule110", d=16).eigenvalues
    assert ketbra.Task.from_matrix([[1, 1]], s=2).function is None


def test_a_formula_in_a_task_file_is_read_back(tmp_path: Path) -> None:
    task = ketbra.Task("u1 = if(u1[t-2], u2[t-1], -u2[t-2]); u2 = maj(u1[t-1], u2[t-1], u2[t-3])")
    path = tmp_path / "mux.toml"
    path.write_text(task.to_toml())
    assert ketbra.Task(path) == task and ketbra.Task(path).name == task.name


def test_a_program_is_drawn_and_run() -> None:
    task = ketbra.Task("registers:2x1")
    assert "variable r[2,1]: sign or none" in (task.program or "")
    assert repr(task) == "<ketbra.Task registers:2x1: inputs at every step>"
    assert {task} == {ketbra.Task("registers:2x1")} and task != ketbra.Task("registers:2x2")
    episodes = task.draw(5, 20, seed=3)
    assert episodes.inputs.shape == (20, 5, 5) and episodes.targets.shape == episodes.counts.shape == (20, 5, 1)
    assert episodes.variables.shape == (20, 5, 2)
    # What counts is the register that is asked for; what does not is zero.
    asked = episodes.inputs[..., 3:].argmax(axis=2)
    held = np.take_along_axis(episodes.variables, asked[..., None], axis=2)
    assert (episodes.targets == np.where(episodes.counts, held, 0.0)).all()
    assert episodes.counts[5:].all() and not episodes.counts[0].all()
    outputs, variables = task.run([[2, -1, 1], [float("nan"), 0, 2]])
    assert np.isnan(outputs[0, 0]) and outputs[1, 0] == -1 and variables[1].tolist() == [0, -1]
    with pytest.raises(ketbra.TaskError, match="inputs at every step"):
        _ = task.s
    with pytest.raises(ketbra.TaskError, match="input write is 3"):
        task.run([[3, 1, 1]])
    with pytest.raises(ketbra.TaskError, match="no inputs after its input phase"):
        ketbra.Task("T2").draw()
