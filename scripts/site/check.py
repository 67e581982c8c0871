"""What must hold of the site that was built: it asks nobody for anything, its own links lead somewhere, search knows its words, and
no verdict, claim, doubt, task or public name that the program has is missing; the architecture is that of the code.

python scripts/site/check.py    after mkdocs build
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urldefrag

import architecture

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "target/site"
BINARY = ROOT / "target/release/ketbra"
SECTIONS = {
    name
    for page in (ROOT / "core/src/report/explorer").glob("*.html")
    for name in re.findall(r'<section id="([^"]+)"', page.read_text())
}
# Attributes by which a page loads something; links are for the reader to follow.
LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href"), ("video", "src")}


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.names |= {given[name] for name in ("id", "name") if given.get(name)}
        # Canonical and search-engine links are not loaded.
        loaded = given.get("rel", "") in ("", "stylesheet", "icon", "preload", "preconnect", "modulepreload")
        for name, value in given.items():
            if (tag, name) in LOADS and (tag != "link" or loaded):
                self.loads.append(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)


def read(page: Path, known: dict[Path, Links] = {}) -> Links:
    if page not in known:
        known[page] = Links()
        known[page].feed(page.read_text())
    return known[page]


def links() -> list[str]:
    """Everything that is loaded from elsewhere, and every link of ours that leads nowhere."""
    wrong = []
    for page in sorted(SITE.rglob("*.html")):
        found = read(page)
        name = page.relative_to(SITE)
        wrong += [f"{name} loads {url}" for url in found.loads if re.match(r"(https?:)?//", url)]
        for url in found.loads + found.links:
            if re.match(r"(?:[a-z]+:|//)", url) or page.name == "404.html":
                continue
            path, anchor = urldefrag(url)
            # Pages of networks keep what they show in their address; their sections are unpacked when they open.
            sections = [value for key, value in parse_qsl(anchor) if key == "at"]
            wrong += [f"{name}: {url} has no such section" for section in sections if section not in SECTIONS]
            anchor = "" if "=" in anchor else anchor
            to = (page.parent / unquote(path)).resolve() if path else page
            if not to.is_file():
                wrong.append(f"{name}: {url} is not there")
            elif anchor and to.suffix == ".html" and unquote(anchor) not in read(to).names and anchor != "__top":
                wrong.append(f"{name}: {url} has no such place")
    for style in SITE.rglob("*.css"):
        wrong += [f"{style.name} loads {url}" for url in re.findall(r"url\([\"']?((?:https?:)?//[^)]*)", style.read_text())]
    return wrong


def words() -> list[str]:
    """What the program knows and the documentation does not."""
    wrong = []
    said = json.loads(subprocess.run([BINARY, "reference", "--json"], capture_output=True, check=True).stdout)
    verdicts = (ROOT / "docs/understand/verdicts.md").read_text()
    tasks = (ROOT / "docs/look-up/tasks.md").read_text()
    for verdict in said["verdicts"]:
        if f"| `{verdict['name']}` | {verdict['definition']} |" not in verdicts:
            wrong.append(f"verdicts.md does not define {verdict['name']} as the program does")
    wrong += [f"verdicts.md lacks the claim {claim['name']}" for claim in said["claims"] if f"| `{claim['name']}` |" not in verdicts]
    wrong += [f"tasks.md lacks {task['name']}" for task in said["tasks"] if f"`{task['name']}" not in tasks]
    for path, enum in [("interpret/warning.rs", "Warning"), ("linearize/mod.rs", "Doubt"), ("claims/reason.rs", "Reason")]:
        wrong += [f"verdicts.md lacks {kind}" for kind in kinds(ROOT / "core/src" / path, enum) if f"`{kind}`" not in verdicts]
    return wrong


def kinds(path: Path, enum: str) -> list[str]:
    """The variants of an enum as JSON names them; one that only wraps another enum has no name of its own."""
    body = re.search(rf"pub enum {enum} \{{\n(.*?)\n\}}", path.read_text(), re.DOTALL)
    assert body, f"{path} has no {enum}"
    names = re.findall(r"^    ([A-Z]\w+)(?: \{|,)", body[1], re.MULTILINE)
    assert names, f"{enum} has no variants"
    return [re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower() for name in names]


def python() -> list[str]:
    """Public names that the page of the API lacks."""
    tree = ast.parse((ROOT / "python/ketbra/__init__.py").read_text())
    page = (ROOT / "docs/look-up/python.md").read_text()
    public = next(node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    names = [name for name in ast.literal_eval(public) if not name.startswith("_")]
    return [f"python.md lacks {name}" for name in names if f"::: ketbra.{name}\n" not in page]


def search() -> list[str]:
    index = json.loads((SITE / "search/search_index.json").read_text())
    found = [entry for entry in index["docs"] if "superposed" in entry["text"]]
    return [] if found else ["search does not know superposed"]


def main() -> int:
    wrong = [*links(), *words(), *python(), *search(), *architecture.wrong()]
    print("\n".join(wrong) or "the site loads nothing from elsewhere, and every link of its own leads somewhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
