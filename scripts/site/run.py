"""Runs every command and every piece of Python in the README and the documentation, page by page, each page in an empty folder.

python scripts/site/run.py [PAGE ...] [--also KIND ...]    with the package installed and target/release/ketbra built

Comments in a page's source say what its blocks need; they stand alone on a line:

    <!-- needs: runs/t2 -->                        a folder that an earlier page has kept
    <!-- needs: core/tests/x.safetensors as x -->  a file of the repository, under another name
    <!-- keeps: runs/t2 -->                        what later pages may need
    <!-- file: grid.toml -->                       the next block is this file
    <!-- prints: circuit -->                       what the next block must print
    <!-- not run: KIND: reason -->                 the next block is parsed only; KIND is one of KINDS, and --also KIND runs it

The examples on the page of commands are those of the program's help, and are parsed.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import ketbra

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "target/docs/kept"
BINARY = ROOT / "target/release/ketbra"
KINDS = {
    "torch": "needs PyTorch",
    "gpu": "needs a CUDA device",
    "slurm": "needs a SLURM cluster",
    "minutes": "takes minutes",
    "clone": "builds or tests the whole repository",
    "yours": "names files or arrays that only the reader has",
}
COMMENT = re.compile(r"^<!--\s*(needs|keeps|file|prints|not run):\s*(.*?)\s*-->$")
# Reads a block of Python a line, as JSON, and runs it among the names of those before it.
SESSION = """
import json, sys, traceback
names = {"__name__": "__main__"}
for line in sys.stdin:
    page, first, code = json.loads(line)
    try:
        exec(compile("\\n" * first + code, page, "exec"), names)
    except BaseException:
        traceback.print_exc()
        sys.exit(1)
    print("\\0", flush=True)
"""


class Failed(Exception):
    """What is wrong with a block."""


@dataclass
class Block:
    line: int
    language: str
    text: str = ""
    file: str | None = None
    prints: list[str] = field(default_factory=list)
    not_run: str | None = None


@dataclass
class Page:
    path: Path
    blocks: list[Block] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)
    keeps: list[str] = field(default_factory=list)


def read(path: Path) -> Page:
    """The blocks of a page that are marked as sh or python, or are files."""
    page, pending, block = Page(path), Block(0, ""), None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if block is not None:
            if line.startswith("```"):
                if path.name == "commands.md" and block.text.startswith("ketbra ") and not set("[<") & set(block.text.splitlines()[0]):
                    block.language, block.not_run = "sh", "yours"
                if block.language in ("sh", "python") or block.file:
                    page.blocks.append(block)
                block, pending = None, Block(0, "")
            else:
                block.text += line + "\n"
        elif line.startswith("```"):
            block, pending.line, pending.language = pending, number, line[3:].split(" ")[0]
        elif comment := COMMENT.match(line):
            word, value = comment.groups()
            if word in ("needs", "keeps"):
                getattr(page, word).append(value)
            elif word == "prints":
                pending.prints.append(value)
            elif word == "file":
                pending.file = value
            else:
                kind, _, reason = value.partition(":")
                if kind not in KINDS or not reason.strip():
                    raise Failed(f"{path}:{number}: say 'not run: KIND: reason', KIND one of {', '.join(KINDS)}")
                pending.not_run = kind
    return page


class Folder:
    """An empty folder in which a page is run, with one Python for all of its blocks."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page, self.folder, self.python = page, folder, None
        self.environment = os.environ | {
            "PATH": f"{BINARY.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "MPLBACKEND": "Agg",
            "NO_COLOR": "1",
        }
        for need in page.needs:
            source, _, name = need.partition(" as ")
            found = ROOT / source if name else KEPT / source
            if not found.exists():
                raise Failed(f"{page.path}: {source} is missing; run the page that keeps it first")
            to = folder / (name or source)
            to.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if found.is_dir() else shutil.copyfile)(found, to)

    def run(self, block: Block) -> None:
        if block.file:
            (self.folder / block.file).write_text(block.text)
            return
        printed = self.shell(block) if block.language == "sh" else self.session(block)
        for text in block.prints:
            if text not in printed:
                raise Failed(f"does not print {text!r}, but:\n{printed}")

    def shell(self, block: Block) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block.text],
            cwd=self.folder, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        if done.returncode:
            raise Failed(f"exit code {done.returncode}:\n{done.stdout}")
        return done.stdout

    def session(self, block: Block) -> str:
        if self.python is None:
            self.python = subprocess.Popen(
                [sys.executable, "-u", "-W", "error::DeprecationWarning", "-c", SESSION],
                cwd=self.folder, env=self.environment, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )
        assert self.python.stdin and self.python.stdout
        self.python.stdin.write(json.dumps([str(self.page.path), block.line, block.text]) + "\n")
        self.python.stdin.flush()
        printed = ""
        for line in self.python.stdout:
            if line == "\0\n":
                return printed
            printed += line
        raise Failed(printed)

    def close(self) -> None:
        if self.python is not None:
            assert self.python.stdin
            self.python.stdin.close()
            self.python.wait()


def parse(block: Block) -> None:
    """What can be said of a block without running it: that no option of it is stale."""
    if block.file:
        return
    if block.language == "python":
        for call in (node for node in ast.walk(ast.parse(block.text)) if isinstance(node, ast.Call)):
            named(call)
        return
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        # What the shell does with the output is its own affair.
        words = words[: next((at for at, word in enumerate(words) if word in (">", ">>", "|", "&&")), None)]
        if words[:1] == ["ketbra"]:
            asked = subprocess.run([BINARY, "reference", "--parse", *words[1:]], capture_output=True, text=True)
            if asked.returncode:
                raise Failed(asked.stderr)


def named(call: ast.Call) -> None:
    """Checks a call of the package's own functions against their signature."""
    function = call.func
    if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "ketbra"):
        return
    known = inspect.signature(getattr(ketbra, function.attr)).parameters
    for keyword in call.keywords:
        if keyword.arg is not None and keyword.arg not in known:
            raise Failed(f"ketbra.{function.attr} takes no {keyword.arg}")


def run(page: Page, also: set[str]) -> tuple[int, int]:
    """Runs a page; how many blocks ran, and how many were parsed only."""
    ran = parsed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(page, Path(name))
        try:
            for block in page.blocks:
                try:
                    if block.not_run and block.not_run not in also:
                        parse(block)
                        parsed += 1
                    else:
                        folder.run(block)
                        ran += block.file is None
                except Failed as failed:
                    raise Failed(f"{page.path}:{block.line}: {failed}") from None
        finally:
            folder.close()
        for kept in page.keeps:
            shutil.rmtree(KEPT / kept, ignore_errors=True)
            shutil.copytree(Path(name) / kept, KEPT / kept)
    return ran, parsed


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--also", action="append", default=[], choices=KINDS)
    asked = parser.parse_args()
    pages = asked.pages or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    # What a page keeps, others may need.
    pages = sorted(pages, key=lambda page: not read(page).keeps)
    failures, total, skipped, begun = 0, 0, 0, time.monotonic()
    for path in pages:
        start = time.monotonic()
        try:
            ran, parsed = run(read(path), set(asked.also))
        except Failed as failed:
            failures += 1
            print(f"FAILED {failed}")
            continue
        total, skipped = total + ran, skipped + parsed
        if ran or parsed:
            seconds = time.monotonic() - start
            print(f"{path.resolve().relative_to(ROOT)}: {ran} blocks ran, {parsed} parsed only, {seconds:.1f} s", flush=True)
    print(f"{total} blocks ran, {skipped} were parsed only, {failures} pages failed, {time.monotonic() - begun:.0f} s")
    return 1 if failures or not total + skipped else 0


if __name__ == "__main__":
    sys.exit(main())
