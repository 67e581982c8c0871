"""Ends with the line that `./check` counts."""

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    count = {kind: len(terminalreporter.stats.get(kind, [])) for kind in ("passed", "failed", "error", "skipped")}
    failed = count["failed"] + count["error"]
    word = "FAILED" if failed else "ok"
    terminalreporter.write_line(
        f"test result: {word}. {count['passed']} passed; {failed} failed; {count['skipped']} skipped"
    )
