//! What can be wrong with a run folder.

use std::path::PathBuf;

use crate::files::FileError;
use crate::network::NetworkError;
use crate::setting::Setting;
use crate::task::TaskError;
use crate::train::TrainError;

/// Why a run folder could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunFolderError {
    /// A folder that holds files which are not those of a run.
    #[error(
        "{path} is not empty and holds no run; nothing there was touched: choose another folder with {}",
        Setting::named("out")
    )]
    NotARun {
        /// The folder.
        path: PathBuf,
    },
    /// No run where one was expected.
    #[error("{path} holds no run: there is no manifest.json; start one there")]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
    /// A run that has nothing left to do.
    #[error(
        "the run in {path} is complete; start it again with {}, or choose another folder with {}",
        Setting::on("force"),
        Setting::named("out")
    )]
    Complete {
        /// The folder.
        path: PathBuf,
    },
    /// A run that is not finished and would be overwritten.
    #[error(
        "{path} holds an unfinished run; go on with {}, or start again with {}",
        Setting::of("resume", path.display()),
        Setting::on("force")
    )]
    Unfinished {
        /// The folder.
        path: PathBuf,
    },
    /// A manifest that cannot be read.
    #[error("{path} is not a manifest of this version: {problem}; start the run again in another folder")]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A checkpoint that cannot be used.
    #[error("{path} {problem}")]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Neither checkpoint can be used.
    #[error("the run in {path} cannot go on: {newest}; {previous}; start it again with {}", Setting::on("force"))]
    NoCheckpoint {
        /// The folder.
        path: PathBuf,
        /// What is wrong with the newest.
        newest: String,
        /// What is wrong with the one before.
        previous: String,
    },
    /// The task of the manifest is not valid.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// Training failed.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The weights could not be read or written.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The disk refused.
    #[error(transparent)]
    Io(#[from] FileError),
}
