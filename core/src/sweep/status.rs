//! How a sweep stands, from its folder and from the cluster.

use super::slurm::queued_tasks;
use super::{Submission, SweepError, SweepFolder};
use serde::Serialize;
use std::collections::BTreeMap;

/// How a sweep stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepStatus {
    /// Networks asked for.
    pub total: usize,
    /// Networks with results.
    pub done: usize,
    /// Networks that failed, with why.
    pub failed: BTreeMap<String, String>,
    /// Networks under way, with who works on them.
    pub running: BTreeMap<String, String>,
    /// Networks that nobody works on yet.
    pub waiting: usize,
    /// What the cluster says; nothing where the sweep was never submitted.
    pub slurm: Option<ArrayTasks>,
}

/// Array tasks on the cluster.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ArrayTasks {
    /// How many are in which state.
    States(BTreeMap<String, usize>),
    /// Why that is not known.
    Unknown(String),
}

impl SweepStatus {
    /// Looks at a folder, and asks the cluster if the sweep went there.
    pub fn of(folder: &SweepFolder) -> Result<Self, SweepError> {
        let names = folder.names()?;
        let mut status = Self {
            total: names.len(),
            done: 0,
            failed: BTreeMap::new(),
            running: BTreeMap::new(),
            waiting: 0,
            slurm: array_tasks(&Submission::all(folder)),
        };
        for name in names {
            match folder.row(&name) {
                Some(row) => match row.error {
                    Some(error) => _ = status.failed.insert(name, error),
                    None => status.done += 1,
                },
                None => match folder.holder(&name) {
                    Some(holder) => _ = status.running.insert(name, holder),
                    None => status.waiting += 1,
                },
            }
        }
        Ok(status)
    }
}

fn array_tasks(submissions: &[Submission]) -> Option<ArrayTasks> {
    if submissions.is_empty() {
        return None;
    }
    let queue = match queued_tasks() {
        Ok(queue) => queue,
        Err(error) => return Some(ArrayTasks::Unknown(error.to_string())),
    };
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    for state in submissions.iter().filter_map(|submission| queue.get(&submission.job)).flat_map(BTreeMap::values) {
        *states.entry(state.to_lowercase()).or_default() += 1;
    }
    Some(ArrayTasks::States(states))
}
