"""Packages that are imported only when used."""

import importlib
from typing import Any

from ._errors import MissingPackageError


def need(name: str, what: str) -> Any:
    """The module `name`, or an error that says what to install."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise MissingPackageError(f"{what} needs {package}, which is not installed; pip install {package}") from error
