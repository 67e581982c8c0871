"""One class a family of errors, all under `ketbra.Error`."""

from ._ketbra import (
    EditError,
    Error,
    InterpretError,
    LinearizeError,
    NetworkError,
    ReportError,
    RunFolderError,
    SweepError,
    TaskError,
    TrainError,
)

__all__ = [
    "EditError",
    "Error",
    "InterpretError",
    "LinearizeError",
    "MissingPackageError",
    "NetworkError",
    "ReportError",
    "RunFolderError",
    "SweepError",
    "TaskError",
    "TrainError",
]


class MissingPackageError(Error, ImportError):
    """A package that ketbra does not need but this call does."""
