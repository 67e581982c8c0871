"""What the tests share."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "core" / "tests" / "fixtures"
T3 = FIXTURES / "networks" / "t3-h128.safetensors"
SUPERPOSED = FIXTURES / "networks" / "t3-h64-superposed.safetensors"
NOT_LEARNED = FIXTURES / "t1-h128-l2_0.1-seed01.safetensors"

COMMAND = Path(os.environ.get("KETBRA", ROOT / "target" / "release" / "ketbra"))
"""The command line that Python must agree with."""


def command(*arguments: Any, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the command line with colours off."""
    line = [str(COMMAND), *map(str, arguments)]
    return subprocess.run(line, cwd=folder, env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True)


def succeeds(*arguments: Any, folder: Path | None = None) -> str:
    """Standard output of a command that must succeed."""
    done = command(*arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(*arguments: Any, folder: Path | None = None) -> str:
    """The message of a command that must refuse."""
    done = command(*arguments, folder=folder)
    assert done.returncode == 2, done.stderr
    return done.stderr.removeprefix("error: ").strip()


def document(*arguments: Any) -> dict[str, Any]:
    """What a command says with --json."""
    value: dict[str, Any] = json.loads(succeeds(*arguments, "--json"))
    return value
