//! Sweeps: many networks from one file, trained and interpreted, each exactly once.
//!
//! A [`Plan`] lists the networks, a [`SweepFolder`] holds what came of them, a [`Runner`] does the work: [`Local`] on this
//! machine, [`Slurm`] on a cluster. Whoever works on a network claims it first, so any number of processes can share a
//! folder, be killed and be started again.

mod error;
mod estimate;
mod file;
mod finish;
mod folder;
mod grid;
mod local;
mod lock;
mod open_files;
mod prepare;
mod record;
mod results;
mod row;
mod runner;
mod settings;
mod shard;
mod slurm;
mod status;
mod trainer;
mod work;

pub use error::SweepError;
pub use estimate::Estimate;
pub use folder::SweepFolder;
pub use grid::{Axis, Grid, MAX_NETWORKS, Plan, Run};
pub use local::Local;
pub use lock::NetworkLock;
pub use results::{to_csv, write_csv};
pub use row::{COMPARED, Row, SpectrumFigures};
pub use runner::{Runner, SweepObserver, SweepOutcome, SweepSummary, Tally, Unwatched};
pub use settings::{keys, name};
pub use shard::Submission;
pub use slurm::{Slurm, SlurmParams};
pub use status::{ArrayTasks, SweepStatus};
pub use trainer::Trainer;
