"""Interpretation: what the command line finds, as arrays."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import NOT_LEARNED, SUPERPOSED, T3, document, refusal, succeeds

import ketbra


@pytest.fixture(scope="module")
def found() -> ketbra.Interpretation:
    return ketbra.interpret(T3)


def signs(found: ketbra.Interpretation, horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """Hidden states of the output phase, and the window that the task holds at each of its steps."""
    task, network = found.task, found.network
    assert task is not None and task.matrix is not None
    inputs = np.random.default_rng(5).choice([-1.0, 1.0], size=(task.s, 12, task.d))
    said = list(inputs)
    for _ in range(horizon):
        window = np.concatenate(said[-task.s :], axis=1)
        said.append(window @ task.matrix.T)
    windows = [np.stack(said[t - task.s + 1 : t + 1], axis=1) for t in range(task.s, task.s + horizon)]
    return network.run(inputs, horizon)[task.s :], np.array(windows)


def test_the_document_is_that_of_the_command_line_to_the_bit(found: ketbra.Interpretation) -> None:
    assert found.to_json() + "\n" == succeeds("interpret", T3, "--json")
    typed = document("interpret", T3, "--blind", "--seed", 4, "--methods", "orbit,dual", "--method", "dual")
    assert ketbra.interpret(T3, blind=True, seed=4, methods=["orbit", "dual"], method="dual").to_dict() == typed
    assert ketbra.interpret(SUPERPOSED, methods="all").to_dict() == document("interpret", SUPERPOSED, "--methods", "all")


def test_arrays_without_a_file_give_the_same_result(found: ketbra.Interpretation) -> None:
    by_arrays = ketbra.interpret(ketbra.Network(T3).arrays(), task="T3").to_dict()
    expected = found.to_dict()
    del expected["path"]
    assert by_arrays == expected


def test_a_recorded_state_dict_gives_what_the_command_line_gives_on_its_file() -> None:
    # Saved by PyTorch itself; python/tests_torch compares a live module as well.
    path = Path(__file__).parent / "fixtures" / "state_dict.pt"
    typed = document("interpret", path, "--blind", "--s", 3)
    assert ketbra.interpret(path, blind=True, s=3).to_dict() == typed
    del typed["path"]
    state_dict = {name: array.astype(np.float32) for name, array in ketbra.Network(path).arrays().items()}
    assert ketbra.interpret(state_dict, blind=True, s=3, activation="tanh").to_dict() == typed
    assert typed["verdict"] == "circuit"


def test_a_person_finds_what_a_person_asks_first(found: ketbra.Interpretation) -> None:
    assert (found.verdict, found.accuracy, found.confidence) == ("circuit", 1.0, "high")
    assert found.recurrence == ketbra.Task("T3").recurrence
    assert found.reasons == ["all 16 claims hold"]
    assert [claim.name for claim in found.claims][0] == "follows-function" and all(claim.holds for claim in found.claims)
    assert found.code is not None and found.code["read"] == found.code["count"] == 36
    assert found.control is not None and found.control["read"] == 0 and found.control["rows"]["of_f"] == 0
    assert repr(found).startswith("<ketbra.Interpretation circuit: T3, s=8 d=8 H=128, accuracy 1.0000")
    assert found.task == ketbra.Task("T3") and not found.blind
    blind = ketbra.interpret(T3, blind=True, s=8)
    assert blind.recurrence == found.recurrence and blind.blind


def test_memories_are_a_basis_in_which_the_weights_are_the_circuit(found: ketbra.Interpretation) -> None:
    memories, task = found.memories, ketbra.Task("T3")
    assert memories is not None
    assert memories.basis.shape == (128, 36) and memories.dual.shape == (36, 128)
    np.testing.assert_allclose(memories.dual @ memories.basis, np.eye(36), atol=1e-8)
    assert np.abs(found.phi - task.phi).max() < 0.05
    assert memories.phi_error is not None and memories.phi_error < 0.01
    assert memories.worst == memories.scores.min() and memories.recovered
    assert memories.perp.shape[0] == 128 and memories.blocks.shape[0] == 36 + memories.perp.shape[1]
    assert np.shares_memory(memories.basis, found.methods["code"].basis) and not memories.basis.flags.writeable


def test_hidden_states_decode_to_the_variables_they_hold(found: ketbra.Interpretation) -> None:
    hidden, held = signs(found, 40)
    contents = found.decode(hidden)
    assert contents.shape == (40, 12, 8, 8) == held.shape
    # In the first s steps the window still holds inputs that the task is about to forget, and the core does not.
    assert (np.sign(contents) == held)[8:].mean() == 1
    kept = [(variable - 1, component - 1) for variable, component in found.task.components or []] if found.task else []
    variables, components = np.transpose(kept)
    assert (np.sign(contents) == held)[:, :, variables, components].mean() > 0.99
    other = found.decode(hidden.swapaxes(0, 1), batch_first=True)
    assert np.array_equal(other, contents.swapaxes(0, 1)), "batch first in, batch first out"
    assert np.allclose(found.decode(hidden.astype(np.float32)), contents, atol=1e-5)
    assert np.array_equal(found.decode(np.repeat(hidden, 2, axis=2)[:, :, ::2]), contents)


def test_hidden_states_of_another_shape_are_refused_with_what_to_pass(found: ketbra.Interpretation) -> None:
    hidden = np.zeros((5, 3, 128))
    with pytest.raises(ketbra.InterpretError, match=r"hidden has shape \(3, 128\); pass 3 axes: \(time, batch, feature\)"):
        found.decode(hidden[0])
    with pytest.raises(ketbra.InterpretError, match="3 features, but 128 are needed on the last axis; move axis 1 to the end"):
        found.decode(hidden.swapaxes(1, 2))
    with pytest.raises(ketbra.InterpretError, match="dtype object; pass real numbers"):
        found.decode(hidden.astype(object))
    hidden[2, 1, 7] = np.nan
    with pytest.raises(ketbra.InterpretError, match=r"hidden holds nan at \[2, 1, 7\]; pass finite numbers"):
        found.decode(hidden)


def test_spectra_are_complex_arrays_and_tables(found: ketbra.Interpretation) -> None:
    spectra = found.spectrum
    assert [spectrum.place for spectrum in spectra] == ["origin", "orbit"]
    assert spectra.orbit.found == spectra.orbit.expected == 36 and spectra.fixed_point is None
    assert spectra.orbit.error is not None and spectra.orbit.error < 1e-4
    assert spectra.orbit.eigenvalues.dtype == np.complex128
    pandas = pytest.importorskip("pandas")
    table = spectra.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert table.groupby(["place", "kind"]).size().to_dict()[("orbit", "found")] == 36
    np.testing.assert_allclose(np.hypot(table["real"], table["imag"]), table["modulus"])


def test_methods_are_compared_side_by_side() -> None:
    found = ketbra.interpret(T3, methods="all", method="dual")
    assert found.memories is not None and list(found.methods)[0] == "dual" == found.memories.method
    assert set(found.methods) == {"code", "orbit", "dual", "dual-orbit", "power", "power-reference", "rollout"}
    with pytest.raises(ketbra.InterpretError, match="rollout has no linear basis; interpret with another method"):
        found.methods["rollout"].decode(np.zeros((1, 1, 128)))


def test_a_network_that_learned_nothing_says_so() -> None:
    found = ketbra.interpret(NOT_LEARNED)
    assert found.verdict == "not-learned" and "did not learn" in found.warnings[0]
    assert found.memories is None and found.recurrence == [None] * 8 and "worst" not in repr(found)
    for call in (lambda: found.phi, lambda: found.decode(np.zeros((1, 1, 128))), lambda: found.plot.phi()):
        with pytest.raises(ketbra.InterpretError, match="there are no memories: the verdict is not-learned"):
            call()
    silent = ketbra.interpret(ketbra.Network(NOT_LEARNED), task="T1")
    assert silent.warnings[-1].endswith("tanh was assumed; pass activation if it is another")


def test_a_list_is_interpreted_side_by_side_in_its_order() -> None:
    many = ketbra.interpret([T3, ketbra.Network(SUPERPOSED), str(NOT_LEARNED)])
    assert [found.verdict for found in many] == ["circuit", "superposed", "not-learned"]
    assert many[0].to_json() == ketbra.interpret(T3, threads=1).to_json()
    with pytest.raises(ketbra.NetworkError, match="network 1 of the list: cannot read nowhere.pt"):
        ketbra.interpret([T3, "nowhere.pt"])
    assert ketbra.interpret([]) == []


def test_one_bad_network_of_a_list_costs_none_of_the_others() -> None:
    found = ketbra.interpret([T3, "nowhere.pt", {"not": "weights"}, T3], errors="return")
    assert [isinstance(one, ketbra.Interpretation) for one in found] == [True, False, False, True]
    assert "nowhere.pt" in str(found[1])
    assert all(isinstance(one, ketbra.Error) for one in found[1:3])
    with pytest.raises(ketbra.InterpretError, match="errors='return'"):
        ketbra.interpret(T3, errors="return")  # type: ignore[call-overload]


def test_what_the_command_line_refuses_is_refused_in_words_for_python(tmp_path: Path) -> None:
    bare = tmp_path / "bare.safetensors"
    network = ketbra.Network(ketbra.Network(T3).arrays())
    network.save(bare)
    with pytest.raises(ketbra.InterpretError) as refused:
        ketbra.interpret(bare)
    assert str(refused.value).endswith("; pass task=T, or blind=True and s=N")
    assert refusal("interpret", bare).endswith("; pass --task T, or --blind and --s N")
    found = ketbra.interpret(network, blind=True)
    assert found.recurrence == ketbra.Task("T3").recurrence, "Python looks for s where it is not told"
    assert refusal("interpret", bare, "--blind") == "--blind needs to know the number of input steps; pass --s N"
    with pytest.raises(ketbra.InterpretError) as refused:
        ketbra.interpret(T3, task="repeat-copy", s=4, d=4)
    assert str(refused.value) == refusal("interpret", T3, "--task", "repeat-copy", "--s", 4, "--d", 4)
    with pytest.raises(ketbra.InterpretError) as refused:
        ketbra.interpret(T3, method="magic")
    assert str(refused.value) in refusal("interpret", T3, "--method", "magic")
    with pytest.raises(ketbra.InterpretError) as refused:
        ketbra.interpret(T3, methods="orbit,magic")
    assert str(refused.value) == refusal("interpret", T3, "--methods", "orbit,magic")


def bare(path: Path) -> ketbra.Network:
    """Weights without a word about where they come from."""
    network = ketbra.Network(path)
    return ketbra.Network(dict(network.arrays()), activation=network.activation)


@pytest.mark.parametrize(("name", "s"), [("mux-h128", 4), ("lfsr5-h128", 5), ("t3-h128", 8)])
def test_the_number_of_input_steps_is_found_by_trying(name: str, s: int) -> None:
    path = T3.with_name(f"{name}.safetensors")
    found, told = ketbra.interpret(bare(path), blind=True), ketbra.interpret(path, blind=True)
    assert found.recurrence == told.recurrence and found.to_dict()["task"]["s"] == s
    assert [one.s for one in found.s_tried] == list(range(1, 13)) and [one.s for one in found.s_tried if one.follows] == [s]
    assert found.warnings[0].startswith(f"s was not given: of s=1 to 12, s={s} reads a function for every output")
    assert found.s_tried[s - 1].verdict == "circuit" and told.s_tried == []


def test_no_number_of_input_steps_is_made_up() -> None:
    found = ketbra.interpret(bare(NOT_LEARNED), blind=True)
    assert found.verdict == "silent" and not any(tried.follows for tried in found.s_tried)
    assert found.warnings[0].startswith("s was not given: with no s from 1 to 12 is a function read for every output")


def test_outputs_without_a_source_have_none() -> None:
    found = ketbra.interpret(T3, blind=True, s=5)
    told = {table["output"] for table in found.function}
    assert len(found.recurrence) == 8 and 0 < len(told) < 8
    for output, line in enumerate(found.recurrence, start=1):
        assert (line is None) == (output not in told)
        assert line is None or line == ketbra.Task("T3").recurrence[output - 1]


def test_an_edit_is_that_of_the_command_line(found: ketbra.Interpretation, tmp_path: Path) -> None:
    edited = found.edit(to="T4")
    assert edited.accuracy.from_inputs > 0.99 > edited.accuracy.before
    assert edited.task == ketbra.Task("T4") and "-> T4: accuracy" in repr(edited)
    typed = json.loads(succeeds("edit", T3, "--to", "T4", "--out", tmp_path / "typed", "--json"))
    assert {name: typed[name] for name in edited.document} == edited.document
    assert np.array_equal(ketbra.Network(tmp_path / "typed").recurrent_weights, edited.recurrent_weights)
    assert ketbra.interpret(edited).recurrence == ketbra.Task("T4").recurrence


def test_one_thing_is_changed_at_a_time(found: ketbra.Interpretation) -> None:
    negated = found.edit(negate=1)
    assert negated.task is not None and negated.task.recurrence[0] == "u1 = u5[t-4]"
    assert found.edit(set="u1 = u5[t-4]").task == negated.task
    least, own = found.edit(negate=1, least=True), found.edit(negate=1, mode="same-code")
    assert (least.mode, own.mode) == ("least", "same-code") and 0 < least.changed.share < own.changed.share
    moved, size = least.recurrent_weights - found.network.recurrent_weights, np.linalg.norm(found.network.recurrent_weights)
    assert least.changed.tensors["rnn.weight_hh_l0"] == pytest.approx(np.linalg.norm(moved) / size)
    refusals: list[tuple[dict[str, Any], str]] = [
        ({}, "nothing given, but exactly one of to, set, negate and keep"),
        ({"to": "T4", "negate": 1}, "to and negate given"),
        ({"negate": 9}, "output 9 does not exist: choose 1 to 8"),
        ({"negate": 1, "mode": "magic"}, "there is no mode 'magic'; choose from least, same-code"),
        ({"negate": 1, "least": True, "mode": "same-code"}, "least is a mode"),
        ({"keep": 3}, r"keep is 3, but must be \(variable, strength\)"),
    ]
    for wrong, message in refusals:
        with pytest.raises(ketbra.EditError, match=message):
            found.edit(**wrong)
    with pytest.raises(ketbra.EditError, match="choose one of the same size"):
        found.edit(to=ketbra.Task("repeat-copy", s=4, d=4))
    with pytest.raises(ketbra.TaskError):
        found.edit(set="u1 = nothing")


def test_a_notebook_shows_the_page(found: ketbra.Interpretation, tmp_path: Path) -> None:
    html = found._repr_html_()
    assert html.startswith('<iframe srcdoc="&lt;!doctype html') or html.startswith('<iframe srcdoc="&lt;!DOCTYPE html')
    assert html.count('"') == html.count("=\""  ) * 2, "nothing inside ends the attribute early"
    found.save_page(tmp_path / "page.html")
    succeeds("report", T3, "--out", tmp_path / "typed.html")
    assert (tmp_path / "page.html").read_bytes() == (tmp_path / "typed.html").read_bytes()
    with pytest.raises(ketbra.ReportError, match="cannot write"):
        found.save_page(tmp_path / "nowhere" / "page.html")
