"""States that somebody recorded: noise, parts of the units, unequal lengths; kept on disk and in pickles."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import T3

import ketbra

DENSE = Path(str(T3)).with_name("t3-h128-dense.safetensors")


def record(noise: float = 0.2, units: slice = slice(None, None, 2), episodes: int = 384) -> tuple[Any, Any, Any]:
    network, random = ketbra.Network(DENSE), np.random.default_rng(0)
    inputs = random.choice([-1.0, 1.0], (8, episodes, 8))
    hidden = network.run(inputs, 72)
    outputs = network.read(hidden)
    part = hidden[:, :, units]
    return part + noise * part.std(axis=(0, 1)) * random.standard_normal(part.shape), outputs, inputs


def contents(inputs: Any, outputs: Any) -> Any:
    """What the window holds after each output step, (time, batch, s, d)."""
    said = np.concatenate([inputs, np.sign(outputs[8:])])
    return np.stack([said[t + 1 : t + 9].swapaxes(0, 1) for t in range(len(outputs) - 8)])


def worst(found: ketbra.Interpretation, read: Any, held: Any) -> float:
    assert found.task is not None and found.task.components is not None
    right = (np.sign(read) == held)[20:].mean(axis=(0, 1))
    return float(min(right[variable - 1, component - 1] for variable, component in found.task.components))


def test_noise_is_told_and_several_states_in_a_row_read_through_it() -> None:
    hidden, outputs, inputs = record()
    found = ketbra.interpret_trajectories(hidden, outputs, inputs, task="T3")
    assert found.verdict == "circuit"
    recording = found.recording
    assert recording is not None and recording["noise"]["share"] == pytest.approx(0.04, abs=0.01)
    assert recording["worst_reading"]["low"] < recording["worst_reading"]["value"] < 0.99
    assert any("noise makes up" in warning for warning in found.warnings)
    held = contents(inputs, outputs)
    one = worst(found, found.decode(hidden[8:]), held)
    several = worst(found, found.decode(hidden[8:], states=4), held)
    assert one < 0.95 and several > 0.999
    # It reads what was said, whatever the state holds: states of nothing are still not held.
    silent = ketbra.interpret_trajectories(np.random.default_rng(1).normal(size=hidden.shape), outputs, inputs, task="T3")
    assert silent.verdict == "not-held" and silent.recording is not None and silent.recording["null"]["p"] > 0.01


def test_one_memory_projected_out_silences_one_output() -> None:
    hidden, outputs, inputs = record(noise=0.0, units=slice(None))
    found = ketbra.interpret_trajectories(hidden, outputs, inputs, task="T3")
    assert found.recording is not None
    ablation = found.recording["ablation"]
    assert min(ablation["intact"]) > 0.999
    newest = next(one for one in ablation["without"] if (one["variable"], one["component"]) == (8, 3))
    assert newest["outputs"][2] < 0.75 and min(newest["outputs"][:2] + newest["outputs"][3:]) > 0.98


def test_episodes_of_unequal_length_are_cut_and_a_warning_says_so() -> None:
    hidden, outputs, inputs = record(noise=0.0, units=slice(None), episodes=96)
    lengths = [80 if k % 8 else 30 for k in range(96)]
    found = ketbra.interpret_trajectories(
        [hidden[:length, k] for k, length in enumerate(lengths)],
        [outputs[:length, k] for k, length in enumerate(lengths)],
        [inputs[:, k] for k in range(96)],
        task="T3",
    )
    assert found.verdict == "circuit"
    assert any("cut to 80 steps" in warning and "12 of 96" in warning for warning in found.warnings)
    with pytest.raises(ketbra.InterpretError, match="episode 1 has 80 states and 79 outputs"):
        ketbra.interpret_trajectories([hidden[:, 0], hidden[:, 1]], [outputs[:, 0], outputs[1:, 1]], task="T3")
    with pytest.raises(ketbra.InterpretError, match="pass two lists"):
        ketbra.interpret_trajectories([hidden[:, 0]], outputs, task="T3")


@pytest.mark.parametrize("recorded", [False, True])
def test_interpretations_are_kept_in_files_and_pickles(recorded: bool, tmp_path: Path) -> None:
    if recorded:
        hidden, outputs, inputs = record(episodes=64)
        found = ketbra.interpret_trajectories(hidden, outputs, inputs, task="T3")
    else:
        found = ketbra.interpret(T3)
    found.save(tmp_path / "found.ketbra")
    for again in (ketbra.Interpretation.load(tmp_path / "found.ketbra"), pickle.loads(pickle.dumps(found))):
        assert {**again.to_dict(), "path": None} == {**found.to_dict(), "path": None}
        assert found.memories is not None and again.memories is not None
        assert np.array_equal(again.memories.basis, found.memories.basis)
        assert again.task == found.task and again.page()
        if not recorded:
            assert np.array_equal(again.network.recurrent_weights, found.network.recurrent_weights)
    with pytest.raises(ketbra.InterpretError, match="no whole interpretation"):
        (tmp_path / "torn.ketbra").write_bytes((tmp_path / "found.ketbra").read_bytes()[:999])
        ketbra.Interpretation.load(tmp_path / "torn.ketbra")
