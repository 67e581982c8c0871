//! The compiled part of the Python package: the library's stages on NumPy arrays.
//!
//! Thin on purpose. What a person touches is written in Python, in `python/ketbra/`; here are only the types that hold the
//! library's data, views of their arrays, and the stages, which run with the interpreter free.

mod arrays;
mod called;
mod compare;
mod compose;
mod develop;
mod edit;
mod errors;
mod interpret;
mod linearize;
mod memories;
mod network;
mod report;
mod settings;
mod sweep;
mod task;
mod train;
mod trajectories;
mod wording;
mod work;

#[pyo3::pymodule]
mod _ketbra {
    #[pymodule_export]
    use crate::compare::{Comparison, compare};
    #[pymodule_export]
    use crate::compose::compose;
    #[pymodule_export]
    use crate::develop::{develop, interpret_contexts};
    #[pymodule_export]
    use crate::edit::edit;
    #[pymodule_export]
    use crate::errors::raised::{
        EditError, Error, InterpretError, LinearizeError, NetworkError, ReportError, RunFolderError, SweepError,
        TaskError, TrainError,
    };
    #[pymodule_export]
    use crate::interpret::{Interpretation, interpret};
    #[pymodule_export]
    use crate::linearize::linearize;
    #[pymodule_export]
    use crate::memories::Memories;
    #[pymodule_export]
    use crate::network::Network;
    #[pymodule_export]
    use crate::report::write_whole;
    #[pymodule_export]
    use crate::settings::settings;
    #[pymodule_export]
    use crate::sweep::{sweep, sweep_tally};
    #[pymodule_export]
    use crate::task::Task;
    #[pymodule_export]
    use crate::train::train;
    #[pymodule_export]
    use crate::trajectories::{interpret_trajectories, readings};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    /// Output steps that are run and claimed where nobody says how many.
    #[pymodule_export]
    const HORIZON: usize = ketbra::observe::HORIZON;
}
