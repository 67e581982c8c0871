"""Makes what the site shows and nobody writes by hand, into target/docs/made: networks, pages, figures, tables of fields.

python scripts/site/make.py    with target/release/ketbra built
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from fields import Fields, items, table

ROOT = Path(__file__).resolve().parents[2]
MADE = ROOT / "target/docs/made"
BINARY = ROOT / "target/release/ketbra"
NETWORKS = ROOT / "core/tests/fixtures/networks"
# The network of Understand: small enough to see every weight of.
FOUR = ["repeat-copy", "--s", "4", "--d", "4", "--hidden", "32", "--seed", "1"]
# Pages of the gallery: name, file, what is known of it.
PAGES = {
    "t3": ("t3-h128-dense.safetensors", ["--task", "T3"]),
    "superposed": ("t3-h64-superposed.safetensors", ["--task", "T3"]),
    "gru": ("gru-t3-h128.safetensors", ["--task", "T3"]),
    "automaton": ("gru-rule110-h128.safetensors", ["--task", "rule110", "--d", "8"]),
}
# What the table of fields is drawn from.
DOCUMENTS = {
    "task": ["task", "T3", "--json"],
    "train": ["train", *FOUR, "--steps", "200", "--force", "--out", "{work}/short", "--json"],
    "compile": ["compile", "T3", "--out", "{work}/made", "--json"],
    "interpret": ["interpret", "{networks}/t3-h64-superposed.safetensors", "--task", "T3", "--methods", "all", "--json"],
    "develop": ["develop", "{work}/kept", "--json"],
    "linearize": ["linearize", "{networks}/flip-flop-h24.safetensors", "--json"],
    "report": ["report", "{four}", "--out", "{work}/page.html", "--json"],
    "edit": ["edit", "{networks}/t3-h128.safetensors", "--task", "T3", "--negate", "1", "--out", "{work}/edited", "--json"],
    "sweep": ["sweep", "{work}/grid.toml", "--out", "{work}/grid", "--json"],
    "table": ["table", "{work}/grid", "--json"],
    "recall": ["recall", "--json"],
}


def ketbra(*arguments: str | Path) -> str:
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        sys.exit(f"ketbra {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def networks(work: Path) -> Path:
    """The pages and figures of the networks that the site shows."""
    four = work / "four"
    ketbra("train", *FOUR, "--steps", "4000", "--out", four)
    ketbra("report", four, "--out", MADE / "four-by-four.html")
    ketbra("figures", four, "--still", "--out", MADE / "four")
    for name, (file, known) in PAGES.items():
        ketbra("report", NETWORKS / file, *known, "--out", MADE / f"pages/{name}.html")
        ketbra("figures", NETWORKS / file, *known, "--still", "--dpi", "60", "--out", MADE / "figures" / name)
    for picture in (*MADE.glob("figures/*/*.png"), *MADE.glob("four/*.png")):
        picture.unlink()
    return four


def documents(work: Path, four: Path) -> str:
    """A table of fields for each command that prints JSON."""
    (work / "grid.toml").write_text('task = "repeat-copy"\ns = 3\nd = 2\nhidden = 16\nsteps = 50\nseed = "1-2"\n')
    ketbra("train", *FOUR, "--steps", "200", "--snapshots", "4", "--out", work / "kept")
    # Words for fields that have no comment in a struct, or are keys of a map.
    words = json.loads((ROOT / "scripts/site/fields.json").read_text())
    fields = Fields(items([ROOT / "core/src", ROOT / "cli/src"]), words)
    text = ""
    for name, line in DOCUMENTS.items():
        filled = [part.format(work=work, networks=NETWORKS, four=four) for part in line]
        document: Any = json.loads(ketbra(*filled))
        text += f"## ketbra {name}\n\n{table(fields.rows(document))}\n"
    if fields.unexplained:
        sys.exit(f"fields without a comment in their struct: {', '.join(sorted(set(fields.unexplained)))}")
    return text


def experiments() -> str:
    """The READMEs of the experiments one after the other, with their pictures."""
    text = ""
    for folder in sorted((ROOT / "experiments").iterdir()):
        if not (folder / "README.md").is_file():
            continue
        readme = re.sub(r"^#", "##", (folder / "README.md").read_text(), flags=re.MULTILINE)
        pictures = sorted(folder.glob("*.svg"))
        for picture in pictures:
            to = MADE / "experiments" / f"{folder.name}-{picture.name}"
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(picture, to)
        readme = re.sub(r"\]\(([\w.-]+\.svg)\)", rf"](../made/experiments/{folder.name}-\1)", readme)
        shown = [picture for picture in pictures if picture.name not in readme]
        text += readme.rstrip() + "\n"
        for picture in shown:
            words = picture.stem.replace("-", " ").replace("l2_", "L2 ")
            text += f"\n![{words}](../made/experiments/{folder.name}-{picture.name})\n"
        text += "\n"
    return text


def stamp() -> str:
    """Changes with the program and with what is made from it."""
    digest = hashlib.sha256(BINARY.read_bytes())
    for path in sorted([*Path(__file__).parent.glob("*"), *(ROOT / "experiments").rglob("*")]):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(path.read_bytes())
    return digest.hexdigest()


def main() -> None:
    mark, now = MADE / ".stamp", stamp()
    if mark.is_file() and mark.read_text() == now:
        return
    shutil.rmtree(MADE, ignore_errors=True)
    MADE.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        four = networks(Path(folder))
        (MADE / "json.md").write_text(documents(Path(folder), four))
    (MADE / "experiments.md").write_text(experiments())
    mark.write_text(now)


if __name__ == "__main__":
    main()
