"""Every public name says what it is."""

from __future__ import annotations

import ast
import inspect
from functools import cached_property
from pathlib import Path
from typing import Any

import ketbra


def methods(kind: type) -> list[tuple[str, Any]]:
    """Methods and properties that a class of ours defines itself."""
    parts = [(name, value) for name, value in vars(kind).items() if not name.startswith("_")]
    return [(name, value) for name, value in parts if callable(value) or isinstance(value, (property, classmethod, staticmethod, cached_property))]


def test_functions_classes_and_their_methods_have_docstrings() -> None:
    silent = []
    for name in ketbra.__all__:
        value = getattr(ketbra, name)
        if name == "__version__":
            continue
        # A class without one shows its parent's.
        if not (value.__doc__ if inspect.isclass(value) else inspect.getdoc(value)):
            silent.append(name)
        if inspect.isclass(value):
            silent += [f"{name}.{part}" for part, of in methods(value) if not inspect.getdoc(of)]
    assert silent == []


def fields(kind: ast.ClassDef) -> list[tuple[str, bool]]:
    """Public fields that a class declares or sets in __init__, and whether a text stands below each."""
    declared = {field.target.id for field in kind.body if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)}
    found = []
    for body in [kind.body, *(part.body for part in kind.body if isinstance(part, ast.FunctionDef) and part.name == "__init__")]:
        for field, after in zip(body, [*body[1:], None]):
            if isinstance(field, ast.AnnAssign):
                name = ast.unparse(field.target).removeprefix("self.")
            elif isinstance(field, ast.Assign) and ast.unparse(field.targets[0]).startswith("self."):
                name = ast.unparse(field.targets[0]).removeprefix("self.")
            else:
                continue
            set_again = body is not kind.body and name in declared
            if not name.startswith("_") and not set_again and name.isidentifier():
                found.append((name, isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)))
    return found


def test_fields_have_docstrings() -> None:
    silent, seen = [], 0
    for path in sorted(Path(ketbra.__file__).parent.glob("*.py")):
        for kind in ast.parse(path.read_text()).body:
            if isinstance(kind, ast.ClassDef) and kind.name in ketbra.__all__:
                of_kind = fields(kind)
                seen += len(of_kind)
                silent += [f"{kind.name}.{name}" for name, said in of_kind if not said]
    assert seen > 20
    assert silent == []
