"""The notebook on a module of one's own runs, and is stored with what it shows."""

from typing import Any

import nbclient
import nbformat
from support import ROOT

NOTEBOOK = ROOT / "notebooks" / "my_pytorch_gru.ipynb"


def shown(notebook: Any) -> str:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return "\n".join(str(output.get("text") or output.get("data", {}).get("text/plain")) for output in outputs)


def tells(text: str) -> bool:
    wanted = ["'circuit', 1.0, ['u1 = u2[t-3]', 'u2 = -u1[t-2]', 'u3 = u3[t-1]']", "s=3 reads", "Linear 'embed'", "not-learned 0.0"]
    return all(words in text for words in wanted)


def test_the_notebook_is_stored_with_its_outputs() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert tells(shown(notebook))


def test_the_notebook_runs_and_shows_what_it_tells() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        cell.update({"outputs": []} if cell.cell_type == "code" else {})
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    assert tells(shown(notebook))
