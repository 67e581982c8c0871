"""Training that goes on, several functions in one network, and how circuits come to be."""

from pathlib import Path

import ketbra
import numpy as np
import pytest

TWO = """name = "two"
s = 3
d = 2
[context.a]
task = "repeat-copy"
[context.b]
task = "compose-copy"
"""


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("contexts") / "two.toml"
    path.write_text(TWO)
    return path


def test_a_frozen_network_keeps_its_recurrent_weights() -> None:
    start = ketbra.train("repeat-copy", s=3, d=2, hidden=16, steps=30)
    on = ketbra.train("repeat-copy", s=3, d=2, from_=start, freeze="recurrent", steps=30)
    assert np.array_equal(start.recurrent_weights, on.recurrent_weights)
    assert not np.array_equal(start.input_weights, on.input_weights)
    with pytest.raises(ketbra.TrainError, match="nothing to keep"):
        ketbra.train("repeat-copy", s=3, d=2, freeze="recurrent", steps=3)
    with pytest.raises(ketbra.TrainError, match="recurrent"):
        ketbra.train("repeat-copy", s=3, d=2, from_=start, freeze="all", steps=3)


def test_contexts_are_trained_and_read_one_by_one(two: Path) -> None:
    net = ketbra.train(two, hidden=48, seed=1)
    assert net.training is not None
    assert set(net.training.contexts) == {"a", "b"} and min(net.training.contexts.values()) > 0.98
    found = ketbra.interpret_contexts(net)
    assert found.holds, found.failing
    assert found.contexts["a"]["found"]["verdict"] == "circuit"
    assert found.pairs[0]["contexts"] == ["a", "b"] and found.pairs[0]["cue_obeyed"] > 0.98
    with pytest.raises(ketbra.Error, match="context"):
        ketbra.interpret(net)


def test_protected_training_moves_only_its_own_cue(two: Path) -> None:
    start = ketbra.train(two, context="a", hidden=24, steps=30)
    on = ketbra.train(two, context="b", from_=start, protect="a", steps=30)
    moved = np.abs(on.input_weights - start.input_weights).max(axis=0)
    assert moved[:3].max() < 1e-6 < 1e-3 < moved[3], "components and the old cue stay, the new cue moves"


def test_development_tells_what_appears_when(tmp_path: Path) -> None:
    out = tmp_path / "run"
    ketbra.train("repeat-copy", s=3, d=2, hidden=24, steps=3000, snapshots=8, log_spaced=True, out=out)
    found = ketbra.develop(out)
    assert [moment["step"] for moment in found.moments][0] == 0
    assert found.appeared["accuracy"] is not None and found.appeared["memories"] is not None
    assert "memories" in found.order and found.svg.startswith("<svg")
    found.save_picture(tmp_path / "development.svg")
    assert (tmp_path / "development.svg").read_text() == found.svg
    ketbra.train("repeat-copy", s=3, d=2, hidden=8, steps=3, out=tmp_path / "bare")
    with pytest.raises(ketbra.Error, match="kept no weights on the way"):
        ketbra.develop(tmp_path / "bare")
