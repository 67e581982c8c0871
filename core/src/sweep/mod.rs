//! Sweeps: many networks from one file, trained and interpreted, each exactly once.
//!
//! A [`Plan`] lists the networks, a [`SweepFolder`] holds what came of them, an [`Engine`] does the work: [`Local`] on this
//! machine, [`Slurm`] on a cluster. Whoever works on a network claims it first, so any number of processes can share a
//! folder, be killed and be started again.

mod claim;
mod engine;
mod error;
mod estimate;
mod file;
mod finish;
mod folder;
mod grid;
mod local;
mod open_files;
mod prepare;
mod record;
mod results;
mod row;
mod settings;
mod shard;
mod slurm;
mod status;
mod trainer;
mod work;

pub use claim::Claim;
pub use engine::{Engine, Outcome, Summary, Tally, Unwatched, Watcher};
pub use error::SweepError;
pub use estimate::Estimate;
pub use folder::SweepFolder;
pub use grid::{Axis, Grid, MAX_NETWORKS, Plan, Run};
pub use local::Local;
pub use results::{to_csv, write_csv};
pub use row::{COMPARED, Found, Row};
pub use settings::{keys, name};
pub use shard::Submission;
pub use slurm::{Slurm, SlurmParams};
pub use status::{ArrayTasks, Status};
pub use trainer::Trainer;
