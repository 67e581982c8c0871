//! One Python exception a family of the library's errors, with the library's words as Python would say them.

use crate::wording::in_python;
use ketbra::circuit::CircuitError;
use ketbra::interpret;
use ketbra::network;
use ketbra::observe::ObserveError;
use ketbra::run_folder;
use ketbra::{edit, report, sweep, task, train};
use pyo3::PyErr;
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

impl Failed {
    pub fn task(error: impl Display) -> Self {
        Self(raised::TaskError::new_err(in_python(error)))
    }

    pub fn train(error: impl Display) -> Self {
        Self(raised::TrainError::new_err(in_python(error)))
    }

    pub fn network(error: impl Display) -> Self {
        Self(raised::NetworkError::new_err(in_python(error)))
    }

    pub fn report(error: impl Display) -> Self {
        Self(raised::ReportError::new_err(in_python(error)))
    }

    pub fn sweep(error: impl Display) -> Self {
        Self(raised::SweepError::new_err(in_python(error)))
    }

    pub fn edit(error: impl Display) -> Self {
        Self(raised::EditError::new_err(in_python(error)))
    }

    pub fn linearize(error: impl Display) -> Self {
        Self(raised::LinearizeError::new_err(in_python(error)))
    }

    pub fn interpret(error: impl Display) -> Self {
        Self(raised::InterpretError::new_err(in_python(error)))
    }
}

impl From<task::TaskError> for Failed {
    fn from(error: task::TaskError) -> Self {
        Self(raised::TaskError::new_err(in_python(error)))
    }
}

impl From<CircuitError> for Failed {
    fn from(error: CircuitError) -> Self {
        Self(raised::TaskError::new_err(in_python(error)))
    }
}

impl From<network::NetworkError> for Failed {
    fn from(error: network::NetworkError) -> Self {
        Self(raised::NetworkError::new_err(in_python(error)))
    }
}

impl From<train::TrainError> for Failed {
    fn from(error: train::TrainError) -> Self {
        match error {
            train::TrainError::Start(error) => error.into(),
            other => Self::train(other),
        }
    }
}

impl From<run_folder::RunFolderError> for Failed {
    fn from(error: run_folder::RunFolderError) -> Self {
        use run_folder::RunFolderError;
        match error {
            RunFolderError::Task(error) => error.into(),
            RunFolderError::Network(error) => error.into(),
            RunFolderError::Train(error) => error.into(),
            other => Self(raised::RunFolderError::new_err(in_python(other))),
        }
    }
}

impl From<ObserveError> for Failed {
    fn from(error: ObserveError) -> Self {
        match error {
            ObserveError::Task(error) => error.into(),
            ObserveError::Network(error) => error.into(),
            other => Self::interpret(other),
        }
    }
}

impl From<interpret::InterpretError> for Failed {
    fn from(error: interpret::InterpretError) -> Self {
        match error {
            interpret::InterpretError::Task(error) => error.into(),
            interpret::InterpretError::Observe(error) => error.into(),
            other => Self::interpret(other),
        }
    }
}

impl From<ketbra::linearize::LinearizeError> for Failed {
    fn from(error: ketbra::linearize::LinearizeError) -> Self {
        Self::linearize(error)
    }
}

impl From<edit::EditError> for Failed {
    fn from(error: edit::EditError) -> Self {
        match error {
            edit::EditError::Task(error) => error.into(),
            edit::EditError::Network(error) => error.into(),
            other => Self::edit(other),
        }
    }
}

impl From<report::ReportError> for Failed {
    fn from(error: report::ReportError) -> Self {
        Self::report(error)
    }
}

impl From<sweep::SweepError> for Failed {
    fn from(error: sweep::SweepError) -> Self {
        Self(raised::SweepError::new_err(in_python(error)))
    }
}
