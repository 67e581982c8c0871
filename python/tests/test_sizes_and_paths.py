"""What is too large is refused before memory is taken, and paths may hold any bytes."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from support import FIXTURES

import ketbra

ODD = os.fsdecode(b"odd\xff")


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    folder = tmp_path / ODD
    folder.mkdir()
    text = 's = 2\nd = 2\nrecurrence = ["u1 = u2[t-2]", "u2 = u1[t-1]"]\n'
    (folder / f"task{ODD}.toml").write_text(text, encoding="utf-8")
    return folder


def test_paths_that_are_not_utf8_work(odd: Path) -> None:
    task = odd / f"task{ODD}.toml"
    assert ketbra.Task(task).recurrence[0] == "u1 = u2[t-2]"
    net = ketbra.train(task, hidden=8, steps=60, horizon=10, out=odd / "run", progress=False)
    again = ketbra.train(task, hidden=8, steps=60, horizon=10, init=odd / "run", progress=False)
    assert again.hidden == net.hidden == 8
    found = ketbra.interpret(odd / "run", task=task)
    assert json.loads(json.dumps(found.to_dict()))["path"].endswith("odd\ufffd/run")
    swept = ketbra.sweep(
        {"task": "repeat-copy", "s": 2, "d": 2, "hidden": 8, "steps": 60, "horizon": 10}, out=odd / "sweep", progress=False
    )
    assert swept.summary["tally"]["done"] == 1


def test_sizes_beyond_the_limits_are_refused() -> None:
    with pytest.raises(ketbra.TaskError, match="over the limit of 262144"):
        ketbra.Task("repeat-copy", s=1, d=10**12)
    with pytest.raises(ketbra.TrainError, match="hidden is 1000000, but must be at most 4096"):
        ketbra.train("T1", hidden=1_000_000)
    with pytest.raises(ketbra.TrainError, match="more than the limit of 8 GiB"):
        ketbra.train("T1", hidden=4096, batch=65_536)
    with pytest.raises(ketbra.InterpretError, match="over the limit of 2048 window components"):
        ketbra.interpret(FIXTURES / "t3-h64-l2_0-seed01.safetensors", blind=True, s=1000)
    with pytest.raises(ketbra.SweepError, match="more than the limit of 1000000"):
        ketbra.sweep({"task": "T1", "seed": "1-1000000", "hidden": [8, 9]}, out="never", yes=True)
    net = ketbra.Network({"W_hh": np.eye(3), "W_uh": np.eye(3), "W_r": np.eye(3)}, activation="tanh")
    with pytest.raises(ketbra.NetworkError, match="more than the limit of 1073741824"):
        net.run(np.ones((1, 1, 3)), horizon=10**12)
