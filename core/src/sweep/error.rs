//! What can go wrong around a sweep; a network that fails is a row of the results instead.

use crate::files::FileError;
use crate::setting::Setting;
use std::path::{Path, PathBuf};

/// Why a sweep could not be planned, run or looked at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// A sweep file that cannot be meant.
    #[error("{file}:{line}: {problem}")]
    File {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// Two different networks that would share a folder.
    #[error("two different networks are both called '{name}'; give their task files different names")]
    SameName {
        /// The name.
        name: String,
    },
    /// A folder without a sweep.
    #[error("{path} holds no sweep; start one there")]
    NoSweep {
        /// The folder.
        path: PathBuf,
    },
    /// A file of the sweep's own that cannot be read.
    #[error("{path}: {problem}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A shard that does not exist.
    #[error("shard {shard} does not exist: shards go from 0 to {last}")]
    NoShard {
        /// The shard asked for.
        shard: usize,
        /// The last one.
        last: usize,
    },
    /// A program of the cluster that is not there.
    #[error(
        "there is no '{program}' on the path; run this on a node of a SLURM cluster, or without {}",
        Setting::word("engine", "slurm")
    )]
    NoProgram {
        /// What was looked for.
        program: &'static str,
    },
    /// A program of the cluster that refused.
    #[error("{program} refused: {problem}")]
    Refused {
        /// The program.
        program: &'static str,
        /// Its message.
        problem: String,
    },
    /// More networks than can be listed.
    #[error("this sweep asks for {count} networks, more than the limit of {limit}; divide it into several files")]
    TooMany {
        /// Networks asked for.
        count: u64,
        /// The most that are listed.
        limit: u64,
    },
    /// A bug that made the sweep itself panic, outside the work on any network.
    #[error("the sweep stopped: {0}")]
    Panicked(#[from] crate::panics::Panicked),
    /// The disk refused.
    #[error(transparent)]
    Io(#[from] FileError),
}

impl SweepError {
    /// What is wrong with one of the sweep's own files.
    pub(super) fn damaged<E: ToString>(path: &Path) -> impl Fn(E) -> Self {
        move |error| Self::Damaged { path: path.into(), problem: error.to_string() }
    }
}
