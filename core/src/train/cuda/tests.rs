//! What the engine says without a device, and, on a machine with one (`cargo test -- --ignored cuda`), what it computes.

// What was measured is worth seeing beside whether it was good enough.
#![allow(clippy::print_stderr)]

use super::*;
use crate::network::{Architecture, CellKind, Initialization, Network, ParameterMut};
use crate::random::{Purpose, Stream};
use crate::task::{Task, Window};
use crate::train::cpu::{CpuEngine, Dispatch, Isa, Learner};
use crate::train::{Curriculum, Metrics, RecordError, Start, TrainParams, Unobserved};
use faer::Mat;
use std::sync::{Mutex, OnceLock};

mod gradients;
mod training;

#[test]
fn without_a_driver_the_engine_says_what_is_missing_and_what_to_do() {
    // SAFETY: only looks whether the library can be loaded.
    if unsafe { cudarc::driver::sys::is_culib_present() } {
        return;
    }
    let error = CudaEngine::new(Precision::Single).err().unwrap();
    assert_eq!(error, CudaError::NoDriver);
    assert!(error.to_string().contains("libcuda") && error.to_string().contains("device=cpu"), "{error}");
}

#[test]
fn without_a_compiler_the_engine_says_what_is_missing_and_what_to_do() {
    // SAFETY: only looks whether the library can be loaded.
    if unsafe { cudarc::nvrtc::sys::is_culib_present() } {
        return;
    }
    let program = kernel::Unit::Plain.peak((9, 0));
    let error = compile::compile(&program).unwrap_err();
    assert_eq!(error, CudaError::NoCompiler);
    assert!(error.to_string().contains("libnvrtc") && error.to_string().contains("device=cpu"), "{error}");
}

#[test]
fn every_refusal_names_the_value_the_limit_and_the_next_move() {
    let old = CudaError::TooOld { name: "Tesla P100".into(), major: 6, minor: 0 }.to_string();
    assert!(old.contains("Tesla P100") && old.contains("6.0") && old.contains("7.0") && old.contains("device=cpu"));
    let memory = CudaError::Memory { hidden: 128, steps: 100_000, needed: 3200, free: 2000 }.to_string();
    assert!(memory.contains("3200 MiB") && memory.contains("2000 are free") && memory.contains("horizon"), "{memory}");
    let device = CudaError::NoDevice { problem: "CUDA_ERROR_NO_DEVICE".into() }.to_string();
    assert!(device.contains("CUDA_ERROR_NO_DEVICE") && device.contains("nvidia-smi"), "{device}");
}

const NEEDS_DEVICE: &str = "this test needs a CUDA device";

fn engine(precision: Precision) -> CudaEngine {
    CudaEngine::new(precision).expect(NEEDS_DEVICE)
}

fn job(task: Task, change: impl Fn(&mut TrainParams)) -> Job {
    let mut params = TrainParams::default();
    change(&mut params);
    Job { task, params, start: Start::Random }
}

fn table1(name: &str) -> Task {
    Task::named(name, None, None).unwrap()
}

/// The first batch's gradient without L2, by the processor in `S`.
fn processor_gradient<S: Dispatch>(job: &Job, network: &Network) -> Network {
    let (horizon, seed) = (job.params.curriculum.longest(), job.params.seed);
    let mut learner: Learner<S> = Learner::new(network, Isa::best(), job.params.batch, &job.task, horizon);
    learner.learn_batch(&job.task, &Stream::new(seed, Purpose::TrainInputs), 0, horizon);
    learner.reduce();
    learner.gradient()
}

/// The same by the device, L2 included.
fn device_gradient(engine: &CudaEngine, job: &Job, network: &Network) -> Network {
    let mut job = job.clone();
    job.start = Start::Weights(Box::new(network.clone()));
    // With no moments and nothing clipped, the first moment is a tenth of the gradient.
    (job.params.steps, job.params.clip, job.params.test.batches) = (1, 1e30, 1);
    job.params.curriculum = Curriculum::None { horizon: job.params.curriculum.longest() };
    let mut found = engine.train(std::slice::from_ref(&job), &Unobserved).remove(0).unwrap().state.first_moment;
    let tenth = f64::from((1.0 - job.params.beta1) as f32);
    each_number(&mut found, |_, _, x| *x /= tenth);
    found
}

/// Visits every parameter: which, where in it, and the number itself.
fn each_number(network: &mut Network, mut visit: impl FnMut(usize, (usize, usize), &mut f64)) {
    for (which, (_, parameter)) in network.parameters_mut().into_iter().enumerate() {
        match parameter {
            ParameterMut::Matrix(matrix) => {
                for j in 0..matrix.ncols() {
                    for i in 0..matrix.nrows() {
                        visit(which, (i, j), &mut matrix[(i, j)]);
                    }
                }
            }
            ParameterMut::Vector(vector) => vector.iter_mut().enumerate().for_each(|(i, x)| visit(which, (i, 0), x)),
            ParameterMut::Constant => {}
        }
    }
}

fn numbers(network: &Network) -> Vec<f64> {
    network.parameters().into_iter().flat_map(|(_, parameter)| parameter.values()).collect()
}

fn with_l2(mut gradient: Network, network: &Network, l2: f64) -> Network {
    let mut weights = network.clone();
    let mut all = Vec::new();
    each_number(&mut weights, |_, _, x| all.push(*x));
    let mut all = all.into_iter();
    each_number(&mut gradient, |_, _, x| *x += l2 * all.next().unwrap());
    gradient
}

/// The relative error of a whole gradient.
fn distance(found: &Network, exact: &Network) -> f64 {
    let (found, exact) = (numbers(found), numbers(exact));
    assert_eq!(found.len(), exact.len());
    let error: f64 = found.iter().zip(&exact).map(|(a, b)| (a - b).powi(2)).sum();
    (error / exact.iter().map(|x| x * x).sum::<f64>()).sqrt()
}
