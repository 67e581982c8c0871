//! The interface between the schedule and a device, so that the schedule can be tested without one.

use super::plan::{Plan, Row};
use super::shape::Shape;
use super::{CudaError, Precision};
use crate::train::Job;

/// Networks of one shape that are trained together.
pub(super) struct Wave<'a> {
    pub(super) shape: Shape,
    pub(super) jobs: Vec<&'a Job>,
    pub(super) numbers: Numbers,
    /// The most steps of one launch.
    pub(super) rows_each: usize,
}

/// The state of every network of a wave, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    pub(super) weights: Vec<f32>,
    pub(super) first_moments: Vec<f32>,
    pub(super) second_moments: Vec<f32>,
    pub(super) rolling_losses: Vec<f64>,
}

impl Wave<'_> {
    /// Output steps of the longest batch.
    pub(super) fn longest_horizon(&self) -> usize {
        self.jobs.iter().map(|job| job.params.curriculum.longest()).max().unwrap_or(1)
    }

    /// Input steps of the longest batch.
    pub(super) fn longest_input(&self) -> usize {
        self.jobs.iter().map(|job| job.task.steps_before_outputs()).max().unwrap_or(1)
    }
}

/// Something that trains waves of networks.
pub(super) trait Device {
    /// The precision asked for, or `Plain` where that has no kernel that fits networks of so many input steps.
    fn precision(&self, shape: Shape, asked: Precision, input_steps: usize) -> Precision;

    /// Makes a kernel ready, which may take seconds.
    fn prepare(&self, shape: Shape, precision: Precision) -> Result<(), CudaError>;

    /// How many networks of the shape, of `steps` time steps at most (`horizon` of them with outputs), fit at once.
    fn capacity(
        &self,
        shape: Shape,
        precision: Precision,
        steps: usize,
        horizon: usize,
        rows_each: usize,
    ) -> Result<usize, CudaError>;

    /// Puts a wave on the device.
    fn open<'a>(&'a self, wave: &Wave<'a>, precision: Precision) -> Result<Box<dyn Session + 'a>, CudaError>;
}

/// A wave on the device.
pub(super) trait Session {
    /// Begins to take every network from `begin` to `until` of its plan.
    fn launch(&mut self, plans: &[Plan]) -> Result<(), CudaError>;

    /// Waits for the launch: the plans as they stand, and a row for every step taken, `rows_each` places a network.
    fn wait(&mut self) -> Result<(Vec<Plan>, Vec<Row>), CudaError>;

    /// The state of every network.
    fn download(&mut self) -> Result<Numbers, CudaError>;
}
