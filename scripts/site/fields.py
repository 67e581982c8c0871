"""What the fields of `--json` mean: taken from what the program prints, explained by the comments in its sources.

A JSON object belongs to the struct (or variant of an enum) whose fields match its own best.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ITEM = re.compile(r"^(\s*)(?:pub(?:\([a-z]+\))? )?(?:struct |enum )?([A-Z]\w*)(?:<[^>]*>)? \{$")
FIELD = re.compile(r"^\s*(?:pub(?:\([a-z]+\))? )?(?:r#)?([a-z_0-9]+): (.+?),?$")
RENAME = re.compile(r'#\[serde\(.*rename = "([^"]+)"')


@dataclass
class Item:
    name: str
    fields: dict[str, str]


def items(folders: list[Path]) -> list[Item]:
    """Every struct and every variant with named fields, with the comment of each field."""
    found = []
    for path in sorted(path for folder in folders for path in folder.rglob("*.rs")):
        stack: list[tuple[str, Item]] = []
        comment, rename = [], None
        for line in path.read_text().splitlines():
            if line.strip().startswith("#[cfg(test)]"):
                break
            if text := re.match(r"^\s*/// ?(.*)$", line):
                comment.append(text[1])
                continue
            if name := RENAME.search(line):
                rename = name[1]
            if line.strip().startswith("#["):
                continue
            if opened := ITEM.match(line):
                stack.append((opened[1], Item(opened[2], {})))
                found.append(stack[-1][1])
            elif stack and re.match(rf"^{stack[-1][0]}\}}", line):
                stack.pop()
            elif stack and (field := FIELD.match(line)):
                stack[-1][1].fields[rename or field[1]] = " ".join(comment)
            comment, rename = [], None
    return [item for item in found if item.fields]


def kind(value: Any) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "number"
        case str():
            return "text"
        case None:
            return "null"
        case list():
            inner = sorted({kind(entry) for entry in value})
            return f"list of {inner[0]}" if len(inner) == 1 else "list"
        case _:
            return "object"


class Fields:
    """Explains the fields of documents."""

    def __init__(self, known: list[Item], words: dict[str, str]) -> None:
        self.known, self.words = known, words
        self.maps = {name.removesuffix(".NAME") for name in words if name.endswith(".NAME")}
        self.unexplained: list[str] = []

    def item(self, document: dict[str, Any]) -> Item | None:
        """The struct with these keys, or the variant that the document names as its kind."""
        keys = document.keys()
        named = str(document.get("kind", "")).replace("-", "")
        known = [item for item in self.known if item.name.lower() == named] or self.known

        def match(item: Item) -> tuple[float, int]:
            return len(keys & item.fields.keys()) / len(keys | item.fields.keys()), sum(map(bool, item.fields.values()))

        best = max(known, key=match)
        return best if match(best)[0] > 0.3 else None

    def rows(self, document: Any, path: str = "") -> dict[str, tuple[str, str]]:
        """Path of each field, with its kind and what it says."""
        rows: dict[str, tuple[str, str]] = {}
        if isinstance(document, list):
            for entry in document[:50]:
                rows.update({key: row for key, row in self.rows(entry, f"{path}[]").items() if key not in rows or rows[key][0] == "null"})
        if not isinstance(document, dict) or not document:
            return rows
        item = self.item(document)
        for key, value in document.items():
            # Maps from names, which are no fields: one line for all.
            name = f"{path}.{key if path not in self.maps else 'NAME'}".lstrip(".")
            words = self.words.get(name) or (item.fields.get(key, "") if item else "") or self.tagged(key)
            if not words:
                self.unexplained.append(name)
            rows[name] = (kind(value), words)
            rows.update(self.rows(value, name))
        return rows

    def tagged(self, key: str) -> str:
        """Fields of enums' variants, which stand beside their kind."""
        said = {item.fields[key] for item in self.known if key in item.fields and item.fields[key]}
        return said.pop() if len(said) == 1 else ""


def table(rows: dict[str, tuple[str, str]]) -> str:
    lines = ["| field | kind | what it says |", "|---|---|---|"]
    lines += [f"| `{name}` | {what} | {words.replace('|', '/')} |" for name, (what, words) in rows.items()]
    return "\n".join(lines) + "\n"
