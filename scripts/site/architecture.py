"""The picture in ARCHITECTURE.md, drawn from its table of stages and from the modules of core/src, and what must hold of both.

python scripts/site/architecture.py    writes docs/images/architecture.svg; `scripts/docs architecture` runs this

The table says what each stage does and which types it takes and gives; the code says which stage names which type. Every folder is
in the table, no stage uses one that comes after it, and a type that the table says is taken is named in the code that takes it.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "core/src"
TEXT = ROOT / "ARCHITECTURE.md"
PICTURE = ROOT / "docs/images/architecture.svg"
AGAIN = "run scripts/docs architecture and look at docs/images/architecture.svg"


@dataclass
class Stage:
    name: str
    part: str
    takes: list[str]
    gives: list[str]
    product: str
    names: set[str] = field(default_factory=set)  # what others give and its code names


def code(module: str) -> str:
    """The code of a top module, without comments and tests."""
    folder = SRC / module
    files = sorted(folder.rglob("*.rs")) if folder.is_dir() else [SRC / f"{module}.rs"]
    texts = [path.read_text().split("#[cfg(test)]\nmod tests")[0] for path in files if path.stem != "tests"]
    return "\n".join(line for text in texts for line in text.split("\n") if not line.lstrip().startswith("//"))


def table(text: str) -> list[Stage]:
    """The rows of the table; a row with a bold name alone begins a part."""
    stages, part = [], ""
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("| ") else []
        if len(cells) == 4 and (title := re.fullmatch(r"\*\*(.+)\*\*", cells[0])):
            part = title[1]
        elif len(cells) == 4 and part and (name := re.fullmatch(r"`(\w+)`", cells[0])):
            types = [re.findall(r"`([A-Z]\w+)`", cell) for cell in cells[2:]]
            stages.append(Stage(name[1], part, *types, product=re.sub(r"[`*]", "", cells[3]).split(",")[0]))
    return stages


def read(stages: list[Stage]) -> list[str]:
    """Fills in what the code of each stage uses, and says where the table and the code differ."""
    modules, text = {path.stem for path in SRC.iterdir()} - {"lib"}, TEXT.read_text()
    if missing := [f"ARCHITECTURE.md has a stage {stage.name} that core/src has not" for stage in stages if stage.name not in modules]:
        return missing
    known = {stage.name: code(stage.name) for stage in stages}
    wrong = [f"ARCHITECTURE.md does not say what core/src/{name} is" for name in sorted(modules - known.keys()) if f"`{name}`" not in text]
    homes = {kind: stage.name for stage in stages for kind in stage.gives if re.search(rf"^pub (struct|enum|trait|type) {kind}\b", known[stage.name], re.M)}
    before: list[str] = []
    for stage in stages:
        paths = [of or path for of, path in re.findall(r"use crate::([^;]+);|crate::((?:\w+::)*\w+)", known[stage.name])]
        words = [(path[0] == "{", re.findall(r"\w+", path)) for path in paths]
        # A type may be reached by the name of a stage that passes it on.
        stage.names = {kind for _, path in words for kind in path if homes.get(kind, stage.name) != stage.name}
        used = {name for group, path in words for name in (path if group else path[:1])} & known.keys()
        wrong += [f"{stage.name} uses {other}: it comes after it in the table" for other in sorted(used - {*before, stage.name})]
        wrong += [f"{stage.name} gives {kind}, which it does not define" for kind in stage.gives if kind not in homes]
        wrong += [
            f"{stage.name} takes {kind}, which " + ("its code does not name" if kind in homes else "no stage gives")
            for kind in stage.takes
            if kind not in stage.names
        ]
        before.append(stage.name)
    return wrong


LEFT, TOP, ROW, GAP, LANE, BEND = 152, 96, 25, 16, 21, 8
LIGHT = dict(paper="#fbfaf7", ink="#22283a", quiet="#6b7180", colours=["#2f52a8", "#2f7d5b", "#b3402f", "#7a4fa3", "#96690f"])
DARK = dict(paper="#171c2b", ink="#e8eaf2", quiet="#9aa1b5", colours=["#9db4ff", "#7fd1ab", "#ff9d8a", "#cdaaf2", "#e8c06c"])


def style(look: dict) -> str:
    parts = "".join(f".p{i}{{--c:{colour}}}" for i, colour in enumerate(look["colours"]))
    return f".paper{{fill:{look['paper']}}}.halo{{stroke:{look['paper']}}}.ink{{fill:{look['ink']}}}.quiet{{fill:{look['quiet']}}}{parts}"


def svg(stages: list[Stage]) -> str:
    """Stages from above to below; the wire of each runs to the right, has a dot at what it takes, and turns down as what it gives."""
    parts = list(dict.fromkeys(stage.part for stage in stages))
    rows: dict[str, int] = {}
    y, part, titles = TOP, "", []
    for stage in stages:
        if stage.part != part:
            y, part = y + (GAP if part else 0), stage.part
            titles.append((y - 4, parts.index(part), part))
            y += ROW - 4
        rows[stage.name], y = y, y + ROW
    lanes: dict[str, tuple[float, Stage]] = {}
    takers = {kind: [stage for stage in stages if kind in stage.names] for stage in stages for kind in stage.gives}
    wires, down, dots, labels = [], [], [], []
    right, width, bottom, longest = LEFT, 0.0, rows[stages[-1].name], max(len(kind) for stage in stages for kind in stage.gives)
    for stage in stages:
        y, colour = rows[stage.name], f"p{parts.index(stage.part)}"
        for kind, (x, home) in lanes.items():
            if stage in takers[kind]:
                main = kind in stage.takes
                dots.append(
                    f'<circle class="p{parts.index(home.part)} dot{"" if main else " small"}" cx="{x}" cy="{y}" r="{4.6 if main else 2.6}">'
                    f"<title>{stage.name} {'takes' if main else 'also names'} {kind}</title></circle>"
                )
        own = [kind for kind in stage.gives if takers[kind]]
        for kind in own:
            right += LANE
            lanes[kind] = (right, stage)
            last = rows[takers[kind][-1].name]
            flows = [("flow", rows[of.name]) for of in takers[kind] if kind in of.takes][-1:]
            wires.append(f'<path class="{colour} wire" d="M{LEFT - 4} {y}H{right - BEND}q{BEND} 0 {BEND} {BEND}"/>')
            down += [f'<path class="{look} {colour}" d="M{right} {y + BEND}V{to}"/>' for look, to in [("halo", last), ("thin", last), *flows]]
            if last == bottom:
                labels.append(f'<text class="{colour} kind" transform="translate({right - 4} {last + 12}) rotate(90)">{kind}</text>')
        if not own:
            end = right + LANE
            wires.append(f'<path class="{colour} wire" d="M{LEFT - 4} {y}H{end}m-5 -4l5 4l-5 4"/>')
        said = ", ".join(own) if own else stage.product
        labels.append(f'<text class="ink name" x="{LEFT - 12}" y="{y + 4}">{stage.name}</text>')
        at = right + (10 if own else LANE + 8)
        labels.append(f'<text class="{colour} kind" x="{at}" y="{y + 4}">{escape(said)}</text>')
        width = max(width, at + 7.3 * len(said))
    height, width = round(bottom + 30 + 7.3 * longest), round(width + 24)
    heads = [f'<text class="p{i} part" x="20" y="{y}">{escape(name)}</text>' for y, i, name in titles]
    says = "A wire for each stage. A dot is what it takes from above, a small one what its code names besides; where it turns down is what it gives."
    title = '<text class="ink title" x="20" y="38">How data flows through ketbra</text>'
    legend = f'<text class="quiet says" x="20" y="60">{says}</text>'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="The stages of ketbra in the order in which data flows, and the types that pass between them">
<style>
{style(LIGHT)}
@media (prefers-color-scheme:dark){{{style(DARK)}}}
text{{font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;font-size:13px}}
.title{{font-size:19px;font-weight:600}}.name{{text-anchor:end;font-weight:600}}.says{{font-size:12px}}
.part{{fill:var(--c);font-size:11px;letter-spacing:.09em;text-transform:uppercase}}
.kind{{fill:var(--c);font-family:ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",monospace;font-size:12px}}
.wire,.thin,.flow{{fill:none;stroke:var(--c);stroke-linecap:round;stroke-linejoin:round;stroke-width:1.3}}.flow{{stroke-width:2.6}}.thin{{opacity:.6}}
.halo{{fill:none;stroke-width:6}}.dot{{fill:var(--c)}}
</style>
<rect class="paper" width="{width}" height="{height}" rx="10"/>
{title}
{chr(10).join([legend, *heads, *wires, *down, *dots, *labels])}
</svg>
"""


def wrong() -> list[str]:
    """What the page and the picture of the architecture say and the code does not."""
    stages = table(TEXT.read_text())
    differs = read(stages) if stages else ["ARCHITECTURE.md has no table of stages"]
    if not differs and (not PICTURE.is_file() or PICTURE.read_text() != svg(stages)):
        differs.append(f"docs/images/architecture.svg is not what the stages are now: {AGAIN}")
    return differs


def main() -> int:
    stages = table(TEXT.read_text())
    differs = read(stages)
    print("\n".join(differs) or f"{PICTURE.relative_to(ROOT)}: {len(stages)} stages")
    if not differs:
        PICTURE.write_text(svg(stages))
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
