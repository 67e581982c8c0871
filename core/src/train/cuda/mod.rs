//! Training on a CUDA device: hundreds of networks at the same time, each with its own task, seed and curriculum.
//!
//! Networks of one shape are trained by one kernel that takes whole optimizer steps without leaving the device; the host
//! looks in every few hundred steps for metrics and checkpoints. The kernels are CUDA C++ (`kernels/`), compiled for the
//! device at run time and kept on disk; the driver and the compiler are looked for at run time too, so that the library
//! builds and runs without either. Inputs, initial weights and curricula are those of the processor's engine.

mod compile;
mod device;
mod driver;
mod error;
mod kernel;
mod measure;
mod plan;
mod schedule;
mod shape;
mod streamed;

pub use error::CudaError;
pub use measure::CudaRate;

use crate::choose::words;
use driver::CudaDevice;
use std::fmt;
use std::sync::Mutex;

use super::{Engine, Job, Outcome, TrainError, TrainObserver, TrainParams};
use crate::network::Activation;

/// How exactly the device multiplies. Sums, moments and weights are fp32 in every case; `Single` rounds weights to
/// numbers that a pair of fp16 numbers can hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Precision {
    /// As good as fp32: on tensor cores each factor is a pair of fp16 numbers and each product three products; plain fp32
    /// where there are none, or where the shape does not fit them.
    #[default]
    Single,
    /// Plain fp32 on every device.
    Plain,
    /// Almost twice as fast on Hopper's tensor cores: forward as `Single`, backward with two products and one for the gradient;
    /// elsewhere as `Single`.
    Fast,
}

words!(Precision, "precision": Single = "single", Plain = "plain", Fast = "fast");

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Trains on the first CUDA device. Results do not depend on which networks are trained beside each other.
pub struct CudaEngine {
    device: CudaDevice,
    precision: Precision,
    /// Held by the list that trains: lists of different threads take turns.
    turn: Mutex<()>,
}

impl CudaEngine {
    /// Finds the device; compiles nothing yet.
    pub fn new(precision: Precision) -> Result<Self, CudaError> {
        Ok(Self { device: CudaDevice::first()?, precision, turn: Mutex::default() })
    }

    /// Device and precision in words, as a run's manifest keeps them.
    pub fn name(&self) -> String {
        format!("cuda {} {}", self.precision, self.device.name())
    }
}

/// Refuses what the kernels do not train.
pub(super) fn supports(job: &Job) -> Result<(), TrainError> {
    let TrainParams { cell, layers, activation, .. } = job.params;
    if shape::Gated::of(cell).is_none() {
        return Err(TrainError::NoKernel { engine: "cuda", cell: cell.title(), layers });
    }
    if activation == Activation::Softplus {
        return Err(TrainError::EngineLacks { engine: "cuda", what: "softplus" });
    }
    if job.task.program().is_some() {
        return Err(TrainError::EngineLacks { engine: "cuda", what: "tasks with inputs at every step" });
    }
    if !job.task.contexts().is_empty() {
        return Err(TrainError::EngineLacks { engine: "cuda", what: "tasks with contexts" });
    }
    if job.params.restraint.is_some() {
        return Err(TrainError::EngineLacks { engine: "cuda", what: "under a restraint (freeze, protect, ewc)" });
    }
    job.check()
}

impl Engine for CudaEngine {
    fn supports(&self, job: &Job) -> Result<(), TrainError> {
        supports(job)
    }

    fn train(&self, jobs: &[Job], observer: &dyn TrainObserver) -> Vec<Result<Outcome, TrainError>> {
        schedule::train(&self.device, self.precision, jobs, observer, &self.turn)
    }
}

#[cfg(test)]
mod tests;
