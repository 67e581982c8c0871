"""Read recurrent networks as circuits of variable memories.

    net = ketbra.train("T2", hidden=128, seed=1)
    found = ketbra.interpret(net)
    found.verdict, found.accuracy, found.recurrence
    edited = found.edit(to="T3")

Arrays are NumPy's, time first: (time, batch, feature). Variable 1 is the oldest, variable s the newest. Everything that is
random has a seed, and the same seed gives the same bytes as the command line.
"""

from ._compare import ComparedPair, Comparison, compare
from ._compose import Composed, compose
from ._develop import Development, InContexts, develop, interpret_contexts
from ._edit import Changed, EditAccuracy, Edited
from ._errors import (
    EditError,
    Error,
    InterpretError,
    LinearizeError,
    MissingPackageError,
    NetworkError,
    ReportError,
    RunFolderError,
    SweepError,
    TaskError,
    TrainError,
)
from ._asked import Tried
from ._interpret import Claim, Interpretation, interpret
from ._ketbra import __version__
from ._linearize import Connection, FixedPoints, SlowManifold, linearize
from ._memories import Memories
from ._network import Network
from ._readings import Readings, readings
from ._settings import settings
from ._spectrum import Spectra, Spectrum
from ._sweep import Sweep, sweep
from ._task import Task
from ._train import Training, train
from ._trajectories import Trajectories, drive, interpret_trajectories

__all__ = [
    "Changed",
    "Claim",
    "ComparedPair",
    "Comparison",
    "Composed",
    "Connection",
    "Development",
    "EditAccuracy",
    "EditError",
    "Edited",
    "Error",
    "FixedPoints",
    "InContexts",
    "InterpretError",
    "Interpretation",
    "LinearizeError",
    "Memories",
    "MissingPackageError",
    "Network",
    "NetworkError",
    "Readings",
    "ReportError",
    "RunFolderError",
    "SlowManifold",
    "Spectra",
    "Spectrum",
    "Sweep",
    "SweepError",
    "Task",
    "TaskError",
    "TrainError",
    "Training",
    "Trajectories",
    "Tried",
    "__version__",
    "compare",
    "compose",
    "develop",
    "drive",
    "interpret",
    "interpret_contexts",
    "interpret_trajectories",
    "linearize",
    "readings",
    "settings",
    "sweep",
    "train",
]
