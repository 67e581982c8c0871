"""Training: the same bytes as the command line, other threads alive, Ctrl-C heard."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import refusal, succeeds

import ketbra

SMALL: dict[str, Any] = {"s": 3, "d": 2, "hidden": 16, "steps": 300, "seed": 7}
TYPED = ["--s", 3, "--d", 2, "--hidden", 16, "--steps", 300, "--seed", 7]


def test_the_same_seed_gives_the_bytes_of_the_command_line(tmp_path: Path) -> None:
    succeeds("train", "repeat-copy", *TYPED, "--out", tmp_path / "typed")
    net = ketbra.train("repeat-copy", out=tmp_path / "run", **SMALL)
    in_memory = ketbra.train("repeat-copy", threads=1, **SMALL)
    in_memory.save(tmp_path / "saved.safetensors")
    bytes_typed = (tmp_path / "typed" / "network.safetensors").read_bytes()
    assert (tmp_path / "run" / "network.safetensors").read_bytes() == bytes_typed
    assert (tmp_path / "saved.safetensors").read_bytes() == bytes_typed
    for name in ("checkpoint", "metrics.csv"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "typed" / name).read_bytes()
    typed = json.loads((tmp_path / "typed" / "manifest.json").read_text())["result"]
    assert net.training is not None and net.training.accuracy == typed["accuracy"]["value"]


def test_a_leaky_network_is_trained_with_the_settings_of_its_cell(tmp_path: Path) -> None:
    flags = ["--cell", "leaky", "--alpha", 0.4, "--learn-alpha", "--out", tmp_path / "typed"]
    succeeds("train", "repeat-copy", *TYPED, *flags)
    net = ketbra.train("repeat-copy", cell="leaky", alpha=0.4, learn_alpha=True, out=tmp_path / "run", **SMALL)
    assert net.cell == "leaky" and net.arrays()["rnn.alpha_logit_l0"].shape == (16,)
    typed, run = ((tmp_path / name / "network.safetensors").read_bytes() for name in ("typed", "run"))
    assert typed == run
    fixed = ketbra.train("repeat-copy", cell="leaky", alpha=0.4, **SMALL)
    assert np.array_equal(fixed.arrays()["rnn.alpha_l0"], np.full(16, np.float32(0.4)))
    with pytest.raises(ketbra.TrainError, match="alpha is 0.4, but must be left out"):
        ketbra.train("repeat-copy", cell="gru", alpha=0.4, **SMALL)


def test_a_trained_network_knows_how_it_was_trained() -> None:
    net = ketbra.train("repeat-copy", metrics_every=100, **SMALL)
    assert net.training is not None
    assert net.training.metrics["step"].tolist() == [100, 200, 300]
    assert net.training.steps == 300 and net.training.metrics["loss"][-1] == net.training.loss
    assert "trained on repeat-copy, accuracy" in repr(net)
    assert net.task == ketbra.Task("repeat-copy", s=3, d=2)


def test_weights_of_one_network_start_another() -> None:
    first = ketbra.train("repeat-copy", bias=True, **SMALL)
    second = ketbra.train(ketbra.Task("compose-copy", s=3, d=2), init=first, steps=1, lr=1e-9)
    np.testing.assert_allclose(second.recurrent_weights, first.recurrent_weights, atol=1e-6)
    assert second.hidden == 16 and "rnn.bias_hh_l0" in second.arrays()


@pytest.mark.parametrize(
    ("option", "typed"),
    [
        ({"hidden": 0}, ["--hidden", "0"]),
        ({"lr": -0.1}, ["--lr", "-0.1"]),
        ({"recipe": "table1", "threshold": 1.5}, ["--recipe", "table1", "--threshold", "1.5"]),
        ({"batch": 0}, ["--batch", "0"]),
        ({"init": "missing.safetensors"}, ["--init", "missing.safetensors"]),
        ({"steps": 1 << 32}, ["--steps", str(1 << 32)]),
    ],
)
def test_options_are_refused_in_the_words_of_the_command_line(
    option: dict[str, Any], typed: list[str], tmp_path: Path
) -> None:
    with pytest.raises(ketbra.TrainError) as refused:
        ketbra.train("T1", **option)
    # An option of the command line is a keyword here.
    assert str(refused.value) == refusal("train", "T1", *typed, folder=tmp_path).removeprefix("--")


def test_words_and_numbers_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    message = "there is no recipe 'fast'; choose from steady, table1, adaptive, none"
    with pytest.raises(ketbra.TrainError, match=message):
        ketbra.train("T1", recipe="fast")
    assert message in refusal("train", "T1", "--recipe", "fast", folder=tmp_path)
    with pytest.raises(ketbra.TrainError, match=r"hidden is 12\.5, but must be a whole number"):
        ketbra.train("T1", hidden=12.5)  # type: ignore[arg-type]
    with pytest.raises(ketbra.TrainError, match="l2 is 'big', but must be a number"):
        ketbra.train("T1", l2="big")  # type: ignore[arg-type]
    with pytest.raises(ketbra.TrainError, match="name a task"):
        ketbra.train()
    with pytest.raises(ketbra.TaskError, match="did you mean"):
        ketbra.train("T7")


def test_a_run_folder_is_never_overwritten_by_accident(tmp_path: Path) -> None:
    ketbra.train("repeat-copy", out=tmp_path / "run", **SMALL)
    with pytest.raises(ketbra.RunFolderError, match="is complete"):
        ketbra.train("repeat-copy", out=tmp_path / "run", **SMALL)
    with pytest.raises(ketbra.RunFolderError, match="is complete"):
        ketbra.train(resume=tmp_path / "run")
    ketbra.train("repeat-copy", out=tmp_path / "run", force=True, **SMALL)


def test_other_threads_run_while_a_network_is_trained() -> None:
    # Without the interpreter free, a thread that sleeps and wakes would not wake before the training ends.
    woken = 0
    done = threading.Event()

    def wake() -> None:
        nonlocal woken
        while not done.wait(0.005):
            woken += 1

    other = threading.Thread(target=wake)
    other.start()
    ketbra.train("T1", hidden=64, steps=600, threads=1)
    done.set()
    other.join()
    assert woken >= 5


@pytest.mark.parametrize("where", ["out", "nowhere"])
def test_ctrl_c_saves_the_run_and_it_ends_with_the_same_bytes(where: str, tmp_path: Path) -> None:
    script = f"""
        import ketbra
        out = "run" if {where == "out"} else None
        print("begun", flush=True)
        try:
            ketbra.train("T1", hidden=64, seed=3, steps=1_000_000, out=out)
        except KeyboardInterrupt as stop:
            print(stop, flush=True)
    """
    line = [sys.executable, "-c", textwrap.dedent(script)]
    process = subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    path = "run" if where == "out" else "runs/t1-h64-seed3"
    assert process.returncode == 0
    assert f'and saved; go on with ketbra.train(resume="{path}")' in said
    # The step at which a person presses a key is nobody's to choose; the bytes after it are.
    manifest = tmp_path / path / "manifest.json"
    steps = int(said.split("stopped after step ")[1].split()[0]) + 20
    text = manifest.read_text()
    assert '"steps": 1000000' in text and '"status": "unfinished"' in text
    manifest.write_text(text.replace('"steps": 1000000', f'"steps": {steps}'))
    resumed = ketbra.train(resume=tmp_path / path)
    straight = ketbra.train("T1", hidden=64, seed=3, steps=steps)
    assert np.array_equal(resumed.recurrent_weights, straight.recurrent_weights)
    assert json.loads(manifest.read_text())["status"] == "complete"


def test_an_exception_of_a_signal_handler_goes_on_its_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class TimeIsUp(Exception):
        pass

    def ring(*_: object) -> None:
        raise TimeIsUp

    monkeypatch.chdir(tmp_path)
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(TimeIsUp):
            ketbra.train("T1", hidden=64, steps=1_000_000)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert (tmp_path / "runs" / "t1-h128-seed1").exists() or (tmp_path / "runs" / "t1-h64-seed1").exists()


def test_a_sweep_trains_and_interprets_a_grid(tmp_path: Path) -> None:
    grid = {"task": "repeat-copy", "s": 3, "d": 2, "hidden": [12, 16], "steps": 200, "seed": range(1, 3)}
    swept = ketbra.sweep(grid, out=tmp_path / "python")
    assert len(swept.names) == 4 and swept.summary["tally"]["done"] == 4
    assert "4 of 4 networks done" in repr(swept)
    (tmp_path / "grid.toml").write_text(
        'task = "repeat-copy"\ns = 3\nd = 2\nhidden = [12, 16]\nsteps = 200\nseed = "1-2"\n'
    )
    succeeds("sweep", tmp_path / "grid.toml", "--out", tmp_path / "typed")
    assert (tmp_path / "python" / "results.csv").read_bytes() == (tmp_path / "typed" / "results.csv").read_bytes()
    assert swept.interpret(swept.names[0]).network.hidden == 12
    again = ketbra.sweep(tmp_path / "grid.toml", out=tmp_path / "python")
    assert again.summary["tally"]["here"] == 0, "what is done stays done"


def test_ctrl_c_ends_a_sweep_that_can_go_on(tmp_path: Path) -> None:
    script = """
        import ketbra
        print("begun", flush=True)
        try:
            ketbra.sweep({"task": "T1", "steps": 1_000_000, "seed": [1, 2]}, out="sweep")
        except KeyboardInterrupt as stop:
            print(stop, flush=True)
    """
    line = [sys.executable, "-c", textwrap.dedent(script)]
    process = subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert said == "stopped, and saved; go on with the same call\n"
    assert len((tmp_path / "sweep" / "networks.txt").read_text().split()) == 2


def test_a_sweep_refuses_what_the_command_line_refuses(tmp_path: Path) -> None:
    with pytest.raises(ketbra.SweepError, match="hidden is 0, but must be at least 1"):
        ketbra.sweep({"task": "T1", "hidden": [64, 0]}, out=tmp_path / "out")
    with pytest.raises(ketbra.SweepError, match="hiden"):
        ketbra.sweep({"task": "T1", "hiden": 64}, out=tmp_path / "out")
    with pytest.raises(ketbra.SweepError, match="asks for 20000 networks, more than 10000; pass yes=True"):
        ketbra.sweep({"task": "T1", "seed": range(20_000)}, out=tmp_path / "out")
    with pytest.raises(ketbra.SweepError, match="l2 is None; pass a number"):
        ketbra.sweep({"task": "T1", "l2": None}, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_device_that_is_not_there_is_refused_and_nothing_is_begun(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(ketbra.SweepError, match="no device 'gpu'; choose from cpu, cuda"):
        ketbra.sweep({"task": "T1"}, out=out, device="gpu")
    with pytest.raises(ketbra.TrainError, match="no device 'gpu'; choose from cpu, cuda"):
        ketbra.train("T1", device="gpu", out=out)
    with pytest.raises(ketbra.SweepError, match="half"):
        ketbra.sweep({"task": "T1"}, out=out, device="cuda", precision="half")
    if not has_cuda_driver():
        with pytest.raises(ketbra.SweepError, match="libcuda"):
            ketbra.sweep({"task": "T1"}, out=out, device="cuda")
    assert not out.exists()


def has_cuda_driver() -> bool:
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def test_a_callback_gets_every_row_in_order() -> None:
    rows: list[dict[str, float]] = []
    net = ketbra.train("repeat-copy", s=2, d=2, hidden=8, steps=300, metrics_every=50, callback=rows.append)
    assert net.training is not None
    assert [row["step"] for row in rows] == net.training.metrics["step"].tolist() and len(rows) >= 6
    assert set(rows[0]) == {"step", "horizon", "loss", "accuracy", "gradient_norm", "learning_rate"}


def test_an_exception_in_a_callback_ends_training_and_the_run_is_kept(tmp_path: Path) -> None:
    class MineError(Exception):
        pass

    def callback(row: dict[str, float]) -> None:
        if row["step"] >= 100:
            raise MineError

    with pytest.raises(MineError):
        ketbra.train("T1", hidden=32, steps=200_000, metrics_every=50, out=tmp_path / "run", callback=callback)
    assert (tmp_path / "run" / "network.safetensors").exists()


def test_a_sweep_is_opened_from_its_folder(tmp_path: Path) -> None:
    grid = {"task": "repeat-copy", "s": 2, "d": 2, "hidden": 8, "steps": 60, "horizon": 10, "seed": [1, 2], "tensorboard": True}
    swept = ketbra.sweep(grid, out=tmp_path / "folder", progress=False)
    opened = ketbra.Sweep(tmp_path / "folder")
    assert opened.names == swept.names and len(opened.to_pandas()) == 2
    assert opened.summary["tally"]["done"] == 2 and "2 of 2 networks done" in repr(opened)
    assert all(list((opened.path / name).glob("events.out.tfevents*")) for name in opened.names)
    with pytest.raises(ketbra.SweepError, match="nowhere"):
        ketbra.Sweep(tmp_path / "nowhere")


def test_what_became_of_a_protected_task_is_known(tmp_path: Path) -> None:
    ketbra.train("repeat-copy", s=2, d=2, hidden=24, steps=1500, out=tmp_path / "old")
    on = ketbra.train("compose-copy", s=2, d=2, hidden=24, steps=200, from_=tmp_path / "old", protect="repeat-copy", left_out=0.9)
    assert on.training is not None
    before, after = on.training.kept["repeat-copy"]
    assert before > 0.99 and 0 <= after <= 1
