"""The notebooks run to their end, show what they tell, and are stored with what they showed."""

from pathlib import Path
from typing import Any

import pytest
from support import ROOT

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def read(name: str) -> Any:
    return nbformat.read(ROOT / "notebooks" / name, as_version=4)


def shown(notebook: Any, kind: str) -> list[str]:
    """What code cells show, in one of the kinds a notebook knows."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    data = [output.get("data", {}).get(kind) for output in outputs]
    return [one for one in data if one is not None]


def run(name: str, folder: Path) -> Any:
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    notebook = read(name)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute(cwd=str(folder))
    return notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_is_stored_with_its_outputs_and_without_an_error(path: Path) -> None:
    notebook = read(path.name)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1)), "run from the top, in order"
    assert sum(bool(cell.outputs) for cell in code) > len(code) / 2
    assert not any(output.output_type == "error" for cell in code for output in cell.outputs)
    assert path.stat().st_size < 1_000_000, "pages are left out"


def test_the_tutorial_runs_and_shows_what_it_tells(tmp_path: Path) -> None:
    notebook = run("tutorial.ipynb", tmp_path)
    text = "\n".join(shown(notebook, "text/plain"))
    assert "'circuit'" in text and "u2 = u2[t-4]" in text
    assert "['u1 = u1[t-5]', 'u2 = u2[t-5]', 'u3 = u3[t-5]', 'u4 = u4[t-5]']" in text, "the edited network"
    assert len(shown(notebook, "image/png")) == 3, "each figure once"
    (page,) = (html for html in shown(notebook, "text/html") if html.startswith("<iframe"))
    assert 100_000 < len(page) < 1_000_000
    assert len(shown(notebook, "image/png")) == len(shown(read("tutorial.ipynb"), "image/png"))


def test_recorded_states_are_a_circuit_and_those_of_other_episodes_are_not(tmp_path: Path) -> None:
    notebook = run("states_i_recorded.ipynb", tmp_path)
    text = "\n".join(shown(notebook, "text/plain"))
    assert "'not-held'" in text and "'circuit'" in text and "episodes were cut to 65 steps" in text
    stored = shown(read("states_i_recorded.ipynb"), "text/plain")
    assert len(stored) == len(shown(notebook, "text/plain"))
