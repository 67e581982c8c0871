"""Bars are shown where somebody can see them, and say rate and time left."""

import io

import pytest

from ketbra import _progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, progress: bool | None = None) -> str:
    """What a bar writes over ten seconds of work, half of it done."""
    now = [100.0]
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    bar = _progress.Bar("steps", progress)
    show = _progress.training_bar(bar)
    for step in (0, 100, 500):
        now[0] = 100.0 + step / 50
        show(step, 1000, 0.25, 0.9, 20)
    text = stream.getvalue()
    bar.finish()
    return text


def test_a_terminal_shows_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    text = shown(monkeypatch, terminal)
    assert text.endswith("500/1000 loss 0.2500 accuracy 0.900 horizon 20 50.0 steps/s, 10 s left")
    assert "\n" not in text and text.count("\r") == 2, "one line, from the second second on"
    assert terminal.getvalue().endswith(" \r"), "the bar is taken away"


def test_a_file_or_a_pipe_stays_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO()) == ""
    assert shown(monkeypatch, Terminal(), progress=False) == ""
    assert "500/1000" in shown(monkeypatch, io.StringIO(), progress=True)


@pytest.mark.parametrize(("seconds", "words"), [(5, "5 s"), (89, "89 s"), (600, "10 min"), (9000, "2.5 h")])
def test_times_are_said_as_a_person_says_them(seconds: float, words: str) -> None:
    assert _progress.duration(seconds) == words
