"""The tutorial runs from first import to first edit, and is stored without outputs."""

from typing import Any

import pytest
from support import ROOT

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
TUTORIAL = ROOT / "notebooks" / "tutorial.ipynb"


def outputs(notebook: Any, kind: str) -> list[str]:
    """What code cells show, in one of the kinds a notebook knows."""
    shown = (output.get("data", {}).get(kind) for cell in notebook.cells for output in cell.get("outputs", []))
    return [data for data in shown if data is not None]


def test_the_tutorial_is_stored_without_outputs() -> None:
    notebook = nbformat.read(TUTORIAL, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code and all(cell.outputs == [] and cell.execution_count is None for cell in code)


def test_the_tutorial_runs_and_shows_what_it_tells() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    notebook = nbformat.read(TUTORIAL, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    text = "\n".join(outputs(notebook, "text/plain"))
    assert "'circuit'" in text and "u2 = u2[t-4]" in text
    assert "['u1 = u1[t-5]', 'u2 = u2[t-5]', 'u3 = u3[t-5]', 'u4 = u4[t-5]']" in text, "the edited network"
    assert len(outputs(notebook, "image/png")) == 3, "each figure once"
    (page,) = (html for html in outputs(notebook, "text/html") if html.startswith("<iframe"))
    assert len(page) > 1_000_000
