//! One Python exception a family of the library's errors, with the library's words as Python would say them.

use crate::wording::in_python;
use ketbra::circuit::CircuitError;
use ketbra::edit::EditError;
use ketbra::interpret::InterpretError;
use ketbra::linearize::LinearizeError;
use ketbra::network::NetworkError;
use ketbra::observe::ObserveError;
use ketbra::report::ReportError;
use ketbra::run_folder::RunFolderError;
use ketbra::sweep::SweepError;
use ketbra::task::TaskError;
use ketbra::train::TrainError;
use pyo3::PyErr;
use serde_json::Error as JsonError;
use std::fmt::Display;

/// The exceptions.
pub mod raised {
    use pyo3::create_exception;
    use pyo3::exceptions::PyException;

    create_exception!(ketbra, Error, PyException, "Whatever ketbra refuses or cannot do.");
    create_exception!(ketbra, TaskError, Error, "A task that cannot be meant.");
    create_exception!(ketbra, NetworkError, Error, "A network or its file that cannot be used.");
    create_exception!(ketbra, TrainError, Error, "Training that cannot begin or did not end well.");
    create_exception!(ketbra, RunFolderError, Error, "A run folder that cannot be used.");
    create_exception!(ketbra, InterpretError, Error, "A network that cannot be interpreted as asked.");
    create_exception!(ketbra, LinearizeError, Error, "A network or step whose fixed points cannot be searched for.");
    create_exception!(ketbra, EditError, Error, "An edit that cannot be made.");
    create_exception!(ketbra, ReportError, Error, "A page that cannot be made.");
    create_exception!(ketbra, SweepError, Error, "A sweep that cannot be planned or run.");
}

/// An error on its way to Python.
pub struct Failed(PyErr);

impl From<Failed> for PyErr {
    fn from(Failed(error): Failed) -> Self {
        error
    }
}

impl From<PyErr> for Failed {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

/// How each stage fails, and the errors of the library that are a stage's own; what stands in braces is another stage's.
macro_rules! families {
    ($($stage:ident: $Raised:ident, [$($Error:ident { $($Other:ident),* }),*];)+) => {
        impl Failed {
            $(pub fn $stage(error: impl Display) -> Self {
                Self(raised::$Raised::new_err(in_python(error)))
            })+
        }

        $($(impl From<$Error> for Failed {
            fn from(error: $Error) -> Self {
                match error {
                    $($Error::$Other(error) => error.into(),)*
                    own => Self::$stage(own),
                }
            }
        })*)+
    };
}

families! {
    task: TaskError, [TaskError {}, CircuitError {}];
    network: NetworkError, [NetworkError {}];
    train: TrainError, [TrainError { Start }];
    run_folder: RunFolderError, [RunFolderError { Task, Network, Train }];
    interpret: InterpretError, [ObserveError { Task, Network }, InterpretError { Task, Observe }, JsonError {}];
    linearize: LinearizeError, [LinearizeError {}];
    edit: EditError, [EditError { Task, Network }];
    report: ReportError, [ReportError {}];
    sweep: SweepError, [SweepError {}];
}
