"""Runs notebooks and stores them with their outputs.

python scripts/run_notebooks.py notebooks/tutorial.ipynb ...    with the package, nbclient and nbformat installed

Pages inside a notebook are megabytes that code hosts do not show: their text stands in their place.
"""

import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat


def run(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = nbclient.NotebookClient(notebook, timeout=900, kernel_name="python3", record_timing=False)
        client.execute(cwd=folder)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("data", {}).get("text/html", "").startswith("<iframe"):
                del output["data"]["text/html"]
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        run(Path(name))
