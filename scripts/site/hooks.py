"""Puts what `make.py` has made into the site, beside the pages of docs/."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

MADE = Path("target/docs/made")
PICTURE = Path("docs/images/architecture.svg")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    # Anything with this name in it keeps the theme from fetching its own from a network.
    config.extra["polyfills"] = ["assets/iframe-worker.js"]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path in sorted(MADE.rglob("*")):
        if path.is_file() and path.suffix != ".md":
            uri = f"made/{path.relative_to(MADE).as_posix()}"
            files.append(File.generated(config, uri, abs_src_path=str(path.resolve())))
    # ARCHITECTURE.md is shown as it is, and finds its picture where it does in the repository.
    files.append(File.generated(config, f"contribute/{PICTURE}", abs_src_path=str(PICTURE.resolve())))
    return files
