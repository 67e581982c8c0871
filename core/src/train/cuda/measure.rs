//! How fast a device trains, and how fast it could.

use std::time::Instant;

use super::CudaEngine;
use super::CudaError;
use super::device::{Device, Numbers, Wave};
use super::plan::Plan;
use super::shape::Shape;
use crate::train::cpu::SpeedSetup;
use crate::train::{Curriculum, Job, Start, TrainParams};

/// Optimizer steps of each network in one timed launch.
const LAUNCH_STEPS: u32 = 40;

/// The speed of training on a device.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct CudaRate {
    /// Networks trained at the same time.
    pub networks: usize,
    /// Optimizer steps a second, all networks together; the median over launches.
    pub steps_per_second: f64,
    /// Floating-point operations of one step of one network.
    pub operations: f64,
    /// Operations a second that the arithmetic unit in use can do, as measured.
    pub ceiling: f64,
    /// Products that the device computes for each one in the formulas.
    pub products: usize,
}

impl CudaRate {
    /// Useful operations a second.
    pub fn operations_per_second(&self) -> f64 {
        self.steps_per_second * self.operations
    }

    /// The share of the ceiling that is used, every product counted.
    pub fn share_of_ceiling(&self) -> f64 {
        self.operations_per_second() * self.products as f64 / self.ceiling
    }
}

impl CudaEngine {
    /// Times training for about `setup.seconds`. No networks asked for means as many as run side by side.
    pub fn training_speed(&self, setup: &SpeedSetup) -> Result<CudaRate, CudaError> {
        let mut params = TrainParams::with_curriculum(Curriculum::None { horizon: setup.horizon });
        (params.hidden, params.batch, params.layers) = (setup.hidden, setup.batch, setup.layers);
        params.choose_cell(setup.cell, &setup.task);
        let shape = Shape::of(&Job { task: setup.task.clone(), params: params.clone(), start: Start::Random });
        let precision = self.device.precision(shape, self.precision, setup.task.steps_before_outputs());
        let networks = match setup.networks {
            0 => self.device.side_by_side(shape, precision, setup.task.steps_before_outputs())?,
            given => given,
        };
        let jobs: Vec<Job> = (0..networks)
            .map(|k| {
                let params = TrainParams { seed: k as u64 + 1, ..params.clone() };
                Job { task: setup.task.clone(), params, start: Start::Random }
            })
            .collect();
        let stride = shape.parameter_stride();
        let mut numbers = Numbers {
            weights: vec![0.0; networks * stride],
            first_moments: vec![0.0; networks * stride],
            second_moments: vec![0.0; networks * stride],
            rolling_losses: vec![0.0; networks * setup.horizon],
        };
        let d = setup.task.outputs();
        for (job, place) in jobs.iter().zip(numbers.weights.chunks_mut(stride)) {
            let params = &job.params;
            shape.flatten(&params.random_network(d), place);
        }
        let wave = Wave { shape, jobs: jobs.iter().collect(), numbers, rows_each: LAUNCH_STEPS as usize };
        let mut session = self.device.open(&wave, precision)?;
        let mut plans =
            jobs.iter().map(|job| Plan::new(job, 0, &job.params.curriculum.begin())).collect::<Result<Vec<_>, _>>()?;
        let (mut rates, begin) = (Vec::new(), Instant::now());
        while rates.len() < 4 || begin.elapsed().as_secs_f64() < setup.seconds {
            for plan in &mut plans {
                (plan.begin, plan.until) = (plan.step, plan.step + LAUNCH_STEPS);
            }
            let start = Instant::now();
            session.launch(&plans)?;
            plans = session.wait()?.0;
            rates.push((networks as u32 * LAUNCH_STEPS) as f64 / start.elapsed().as_secs_f64());
        }
        // The first launch warms up.
        rates.remove(0);
        rates.sort_by(f64::total_cmp);
        let kernel = self.device.kernel(shape, precision);
        Ok(CudaRate {
            networks,
            steps_per_second: rates[rates.len() / 2],
            operations: setup.operations(),
            ceiling: self.device.peak(kernel.unit())?,
            products: kernel.products(),
        })
    }
}
