//! What a sweep will cost, before it is begun.

use super::{Plan, SweepError};
use crate::train::Job;
use serde::Serialize;

/// Arithmetic operations a second that one core does in training, measured with H = 64 and 128.
const OPERATIONS_A_SECOND: f64 = 1e11;
/// Seconds that the interpretation of one network takes.
const SECONDS_TO_INTERPRET: f64 = 1.0;
/// Bytes of a run folder beside the weights: manifest, metrics, result.
const BYTES_BESIDE_WEIGHTS: f64 = 24e3;

/// What a sweep will cost, roughly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Networks.
    pub networks: u64,
    /// Hours on the given number of cores.
    pub hours: f64,
    /// Bytes on disk.
    pub bytes: f64,
}

impl Estimate {
    /// The cost of a plan on so many cores, with every step at the longest horizon.
    pub fn of(plan: &Plan, cores: usize) -> Result<Self, SweepError> {
        let mut estimate = Self { networks: plan.count(), hours: 0.0, bytes: 0.0 };
        for (job, count) in plan.samples()? {
            estimate.hours += count as f64 * seconds(&job) / 3600.0 / cores.max(1) as f64;
            estimate.bytes += count as f64 * (4.0 * weights(&job) + BYTES_BESIDE_WEIGHTS);
        }
        Ok(estimate)
    }
}

fn weights(job: &Job) -> f64 {
    let (hidden, d) = (job.params.hidden as f64, job.task.outputs() as f64);
    hidden * (hidden + 2.0 * d)
}

fn seconds(job: &Job) -> f64 {
    let params = &job.params;
    let time_steps = (job.task.steps_before_outputs() + params.curriculum.longest()) as f64
        * params.batch as f64
        * params.steps as f64;
    // Forward, backward through the state, backward into the weights: a multiplication and an addition each.
    6.0 * time_steps * weights(job) / OPERATIONS_A_SECOND + SECONDS_TO_INTERPRET
}
