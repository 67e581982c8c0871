"""Progress bars that look right in a terminal and in a notebook, and are silent elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from ._optional import need

WAIT = 2.0
"""Seconds of work before a bar appears: shorter work needs none."""
EVERY = 0.2
"""Seconds between two looks at a bar: more often nobody can read it."""
WIDTH = 30


def in_notebook() -> bool:
    """Whether a notebook shows what is displayed."""
    # Without IPython imported there is no notebook, so nothing is imported here.
    shell = sys.modules.get("IPython")
    running = getattr(shell, "get_ipython", lambda: None)()
    return running is not None and "IPKernelApp" in getattr(running, "config", {})


def duration(seconds: float) -> str:
    """A time as a person says it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Bar:
    """One line that says how far work has come, how fast it goes and how long it still takes.

    `progress` is True for a bar, False for none, None for one where somebody can see it.
    """

    def __init__(self, unit: str, progress: bool | None = None) -> None:
        self.unit = unit
        self._begin = time.monotonic()
        self._first: int | None = None
        self._width = 0
        self._display: Any = None
        self._shown = 0.0
        self._notebook = in_notebook()
        self._on = (self._notebook or sys.stderr.isatty()) if progress is None else progress

    def show(self, done: int, total: int, message: str) -> None:
        """Moves the bar."""
        elapsed = time.monotonic() - self._begin
        if self._first is None:
            self._first, self._begin = done, time.monotonic()
            return
        if not self._on or elapsed < WAIT or elapsed < self._shown + EVERY:
            return
        self._shown = elapsed
        rate = (done - self._first) / elapsed
        left = f", {duration((total - done) / rate)} left" if rate > 0 else ""
        text = f"{done}/{total} {message} {rate:.1f} {self.unit}/s{left}"
        if self._notebook:
            self._show_in_notebook(done / max(total, 1), text)
        else:
            filled = WIDTH * done // max(total, 1)
            line = "\u2588" * filled + "\u2591" * (WIDTH - filled) + " " + text
            sys.stderr.write("\r" + line.ljust(self._width))
            sys.stderr.flush()
            self._width = len(line)

    def _show_in_notebook(self, share: float, text: str) -> None:
        shown = need("IPython.display", "a bar in a notebook")
        html = shown.HTML(
            f'<div style="font-family:monospace;font-size:12px"><progress value="{share:.4f}" max="1" '
            f'style="width:16em;vertical-align:middle"></progress> {text}</div>'
        )
        if self._display is None:
            self._display = shown.display(html, display_id=True)
        else:
            self._display.update(html)

    def finish(self) -> None:
        """Takes the bar away."""
        if self._display is not None:
            self._display.update(need("IPython.display", "a bar in a notebook").HTML(""))
        elif self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


def training_bar(bar: Bar) -> Callable[[int, int, float, float, int], None]:
    """What training calls now and then."""

    def show(step: int, steps: int, loss: float, accuracy: float, horizon: int) -> None:
        bar.show(step, steps, f"loss {loss:.4f} accuracy {accuracy:.3f} horizon {horizon}")

    return show


def counting_bar(bar: Bar) -> Callable[[int, int], None]:
    """What work on a list calls now and then."""

    def show(done: int, total: int) -> None:
        bar.show(done, total, "networks")

    return show


def sweep_bar(bar: Bar) -> Callable[[int, int, int, int], None]:
    """What a sweep calls now and then."""

    def show(done: int, failed: int, running: int, total: int) -> None:
        bar.show(done + failed, total, f"{running} running, {failed} failed")

    return show
