//! What the engine says without a device, and, on a machine with one (`cargo test -- --ignored cuda`), what it computes.

// What was measured is worth seeing beside whether it was good enough.
#![allow(clippy::print_stderr)]

use super::*;
use crate::interpret::{InterpretParams, MemoriesSummary, Question, interpret};
use crate::memories::Method;
use crate::network::{Initialization, Network};
use crate::random::{Purpose, Stream};
use crate::task::Task;
use crate::train::cpu::{CpuEngine, Isa, Learner};
use crate::train::{Curriculum, Metrics, RecordError, Start, TrainParams, Unobserved};
use faer::Mat;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

#[test]
fn without_a_driver_the_engine_says_what_is_missing_and_what_to_do() {
    // SAFETY: only looks whether the library can be loaded.
    if unsafe { cudarc::driver::sys::is_culib_present() } {
        return;
    }
    let error = CudaEngine::new(Precision::Single).err().unwrap();
    assert_eq!(error, CudaError::NoDriver);
    assert!(error.to_string().contains("libcuda") && error.to_string().contains("--engine cpu"), "{error}");
}

#[test]
fn without_a_compiler_the_engine_says_what_is_missing_and_what_to_do() {
    // SAFETY: only looks whether the library can be loaded.
    if unsafe { cudarc::nvrtc::sys::is_culib_present() } {
        return;
    }
    let program = shape::Unit::Plain.peak((9, 0));
    let error = compile::compile(&program).unwrap_err();
    assert_eq!(error, CudaError::NoCompiler);
    assert!(error.to_string().contains("libnvrtc") && error.to_string().contains("--engine cpu"), "{error}");
}

#[test]
fn every_refusal_names_the_value_the_limit_and_the_next_move() {
    let old = CudaError::TooOld { name: "Tesla P100".into(), major: 6, minor: 0 }.to_string();
    assert!(old.contains("Tesla P100") && old.contains("6.0") && old.contains("7.0") && old.contains("--engine cpu"));
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

/// The relative error of the whole gradient of one step, L2 included, against back-propagation in f64.
fn gradient_error(engine: &CudaEngine, job: &Job, network: &Network) -> f64 {
    let mut job = job.clone();
    job.start = Start::Weights(Box::new(network.clone()));
    // With no moments and nothing clipped, the first moment is a tenth of the gradient.
    (job.params.steps, job.params.clip) = (1, 1e30);
    let (horizon, l2) = (job.params.curriculum.longest(), job.params.l2);
    job.params.curriculum = Curriculum::None { horizon };
    let outcome = engine.train(std::slice::from_ref(&job), &Unobserved).remove(0).unwrap();
    let mut learner: Learner<f64> = Learner::new(network, Isa::best(), job.params.batch, job.task.s(), horizon);
    learner.learn_batch(&job.task, &Stream::new(job.params.seed, Purpose::TrainInputs), 0, horizon);
    learner.reduce();
    let (exact, tenth) = (learner.gradient(), f64::from((1.0 - job.params.beta1) as f32));
    let (mut error, mut size) = (0.0, 0.0);
    let mut compare = |found: &Mat<f64>, exact: &Mat<f64>, weights: &Mat<f64>| {
        let wanted = exact + weights * faer::Scale(l2);
        error += (found * faer::Scale(1.0 / tenth) - &wanted).squared_norm_l2();
        size += wanted.squared_norm_l2();
    };
    let found = &outcome.state.first_moment;
    compare(&found.recurrent_weights, &exact.recurrent_weights, &network.recurrent_weights);
    compare(&found.input_weights, &exact.input_weights, &network.input_weights);
    compare(&found.readout_weights, &exact.readout_weights, &network.readout_weights);
    (error / size).sqrt()
}

fn check_gradients(precision: Precision, limit: f64) {
    let engine = engine(precision);
    let mut worst = [0.0_f64; 2];
    for (name, hidden) in [("T1", 128), ("T2", 64), ("T2", 128), ("T3", 64), ("T4", 64), ("T4", 128)] {
        for l2 in [0.0, 1e-3] {
            let one = job(table1(name), |p| (p.hidden, p.l2, p.seed, p.steps) = (hidden, l2, 7, 4000));
            let initial = Initialization::Uniform.network(hidden, 8, 8, Default::default(), false, 7);
            let trained = engine.train(std::slice::from_ref(&one), &Unobserved).remove(0).unwrap();
            let errors =
                [gradient_error(&engine, &one, &initial), gradient_error(&engine, &one, &trained.state.network)];
            eprintln!(
                "{precision:?} {name} hidden {hidden} l2 {l2}: gradient error {:.1e} at initial weights, {:.1e} after 4000 \
                 steps (accuracy {:.4})",
                errors[0],
                errors[1],
                trained.accuracy.map_or(0.0, |accuracy| accuracy.value)
            );
            worst = [worst[0].max(errors[0]), worst[1].max(errors[1])];
        }
    }
    assert!(worst[0] < limit && worst[1] < limit, "{worst:?}");
}

#[test]
#[ignore = "needs a CUDA device"]
fn plain_gradients_agree_with_f64() {
    check_gradients(Precision::Plain, 2e-5);
}

#[test]
#[ignore = "needs a CUDA device"]
fn gradients_of_pairs_on_tensor_cores_agree_with_f64() {
    check_gradients(Precision::Single, 2e-5);
}

#[test]
#[ignore = "needs a CUDA device"]
fn fast_gradients_agree_with_f64() {
    check_gradients(Precision::Fast, 2e-3);
}

/// Keeps the loss of every step.
#[derive(Default)]
struct Losses(Mutex<Vec<f64>>);

impl Observer for Losses {
    fn record(&self, _: usize, metrics: &Metrics) -> Result<(), RecordError> {
        self.0.lock().unwrap().push(metrics.loss);
        Ok(())
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn losses_follow_those_of_the_processor_for_fifty_steps() {
    let dense = {
        let mut matrix = Mat::zeros(2, 6);
        matrix[(0, 1)] = 0.6;
        matrix[(0, 4)] = -0.5;
        matrix[(1, 0)] = 0.9;
        Task::from_matrix("dense", 3, 2, matrix).unwrap()
    };
    let short = |p: &mut TrainParams| (p.steps, p.metrics_every, p.test.batches) = (50, 1, 1);
    let cases = [
        job(table1("T1"), short),
        job(table1("T3"), |p| {
            short(p);
            (p.hidden, p.l2) = (64, 1e-3);
            p.curriculum = Curriculum::adaptive();
        }),
        job(dense, |p| {
            short(p);
            (p.hidden, p.bias, p.batch) = (40, true, 48);
        }),
        job(Task::named("repeat-copy", Some(16), Some(16)).unwrap(), |p| {
            short(p);
            (p.hidden, p.curriculum) = (256, Curriculum::None { horizon: 20 });
            p.activation = crate::network::Activation::Identity;
        }),
    ];
    for precision in [Precision::Plain, Precision::Single] {
        for (k, one) in cases.iter().enumerate() {
            let (here, there) = (Losses::default(), Losses::default());
            CpuEngine::default().train(std::slice::from_ref(one), &here).remove(0).unwrap();
            engine(precision).train(std::slice::from_ref(one), &there).remove(0).unwrap();
            let (here, there) = (here.0.into_inner().unwrap(), there.0.into_inner().unwrap());
            assert_eq!((here.len(), there.len()), (50, 50));
            let worst = here.iter().zip(&there).map(|(a, b)| (a - b).abs() / a.abs()).fold(0.0, f64::max);
            eprintln!("{precision:?} case {k}: losses differ by {worst:.1e} at most");
            assert!(worst < 1e-4, "case {k} {precision:?}: {worst:e}");
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn bytes_do_not_depend_on_the_networks_beside() {
    for precision in [Precision::Plain, Precision::Single, Precision::Fast] {
        let engine = engine(precision);
        let jobs: Vec<Job> = (1..=300)
            .map(|seed| {
                job(table1(["T1", "T2", "T3", "T4"][seed as usize % 4]), |p| {
                    (p.seed, p.steps, p.test.batches, p.test.horizon) = (seed, 120, 1, 10);
                    p.hidden = if seed % 2 == 0 { 64 } else { 100 };
                    p.curriculum = Curriculum::table1().with_threshold(0.55);
                })
            })
            .collect();
        let together = engine.train(&jobs, &Unobserved);
        for k in [0, 1, 2, 131, 132, 299] {
            let alone = engine.train(&jobs[k..=k], &Unobserved).remove(0).unwrap();
            assert_eq!(alone.state, together[k].as_ref().unwrap().state, "{precision:?} job {k}");
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_shape_trains_and_resumes_on_either_engine() {
    for (hidden, s, d) in [(32, 8, 8), (33, 3, 1), (64, 16, 16), (100, 5, 13), (128, 16, 5), (200, 4, 3), (256, 8, 8)] {
        for precision in [Precision::Single, Precision::Fast, Precision::Plain] {
            let engine = engine(precision);
            let one = job(Task::named("compose-copy", Some(s), Some(d)).unwrap(), |p| {
                (p.hidden, p.steps, p.test.batches) = (hidden, 60, 1);
                p.curriculum = Curriculum::None { horizon: 12 };
            });
            let mut first_half = one.clone();
            first_half.params.steps = 30;
            let whole = engine.train(std::slice::from_ref(&one), &Unobserved).remove(0).unwrap();
            let half = engine.train(&[first_half], &Unobserved).remove(0).unwrap();
            let rest = [Job { start: Start::State(Box::new(half.state.clone())), ..one.clone() }];
            let resumed = engine.train(&rest, &Unobserved).remove(0).unwrap();
            assert_eq!(resumed.state, whole.state, "hidden {hidden} s {s} d {d} {precision:?}");
            let here = CpuEngine::default().train(&rest, &Unobserved).remove(0).unwrap();
            let losses = [&here, &whole].map(|outcome| outcome.state.metrics.unwrap().loss);
            let limit = if precision == Precision::Fast { 2e-2 } else { 1e-3 };
            assert!(
                (losses[0] / losses[1] - 1.0).abs() < limit,
                "hidden {hidden} s {s} d {d} {precision:?}: {losses:?}"
            );
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn one_network_that_diverges_stops_alone_on_the_device() {
    for precision in [Precision::Plain, Precision::Single] {
        let mut jobs: Vec<Job> =
            (1..=3).map(|seed| job(table1("T1"), |p| (p.seed, p.steps, p.test.batches) = (seed, 20, 1))).collect();
        let mut broken = Initialization::Uniform.network(128, 8, 8, Default::default(), false, 1);
        broken.readout_weights[(0, 0)] = 3e38;
        jobs[1].start = Start::Weights(Box::new(broken));
        let results = engine(precision).train(&jobs, &Unobserved);
        let error = results[1].as_ref().unwrap_err().to_string();
        assert!(error.contains("diverged at step 1"), "{error}");
        assert!(results[0].is_ok() && results[2].is_ok());
    }
}

/// What the seeds of one cell of Table 1 came to: the better one of two thresholds counts.
#[derive(Default)]
struct Cell {
    accuracy: BTreeMap<u64, f64>,
    error: BTreeMap<u64, f64>,
    /// By the orbit and by the paper's method.
    recovered: [usize; 2],
    networks: usize,
}

#[test]
#[ignore = "needs a CUDA device"]
fn table1_in_full_is_trained_and_interpreted_within_four_minutes() {
    let engine = engine(Precision::Single);
    let mut jobs = Vec::new();
    for name in ["T1", "T2", "T3", "T4"] {
        for hidden in [64, 128] {
            for l2 in [0.0, 1e-3, 0.1] {
                for threshold in [0.9, 0.98] {
                    jobs.extend((1..=20).map(|seed| {
                        job(table1(name), |p| {
                            (p.hidden, p.l2, p.seed) = (hidden, l2, seed);
                            p.curriculum = Curriculum::table1().with_threshold(threshold);
                        })
                    }));
                }
            }
        }
    }
    let begin = Instant::now();
    let outcomes = engine.train(&jobs, &Unobserved);
    let trained = begin.elapsed().as_secs_f64();
    let params = InterpretParams { methods: vec![Method::PowerReference], ..InterpretParams::default() };
    let findings: Vec<_> = jobs
        .par_iter()
        .zip(&outcomes)
        .map(|(job, outcome)| {
            let outcome = outcome.as_ref().unwrap();
            let reading = interpret(&outcome.state.network, &Question::Task(job.task.clone()), &params).unwrap();
            let ours = reading.memories.is_some_and(|memories| memories.recovered);
            let by_paper = |memories: &MemoriesSummary| memories.method == Method::PowerReference && memories.recovered;
            let papers = reading.methods.is_some_and(|methods| methods.values().any(by_paper));
            (outcome.accuracy.unwrap().value, reading.spectrum.origin.and_then(|origin| origin.error), [ours, papers])
        })
        .collect();
    let seconds = begin.elapsed().as_secs_f64();
    let mut cells: BTreeMap<(String, usize, String), Cell> = BTreeMap::new();
    for (job, (accuracy, error, recovered)) in jobs.iter().zip(findings) {
        let params = &job.params;
        let cell = cells.entry((job.task.name().into(), params.hidden, params.l2.to_string())).or_default();
        let best = cell.accuracy.entry(params.seed).or_insert(0.0);
        *best = best.max(accuracy);
        if let Some(error) = error {
            let least = cell.error.entry(params.seed).or_insert(f64::INFINITY);
            *least = least.min(error);
        }
        for (count, recovered) in cell.recovered.iter_mut().zip(recovered) {
            *count += usize::from(recovered);
        }
        cell.networks += 1;
    }
    let mean = |values: &BTreeMap<u64, f64>| values.values().sum::<f64>() / values.len() as f64;
    for ((task, hidden, l2), cell) in &cells {
        let (accuracy, error, n) = (mean(&cell.accuracy), mean(&cell.error), cell.error.len());
        let Cell { recovered: [ours, papers], networks, .. } = cell;
        eprintln!(
            "{task} H={hidden} L2={l2}: error {error:.4} (accuracy {accuracy:.3}) n={n}, recovered of {networks}: {ours} by \
             the orbit, {papers} by the paper's method"
        );
    }
    eprintln!("{} networks trained in {trained:.1} s, interpreted after {seconds:.1} s", jobs.len());
    assert!(seconds < 240.0, "{seconds} s");
    let accuracy = |task: &str, hidden, l2: &str| mean(&cells[&(task.to_string(), hidden, l2.to_string())].accuracy);
    assert!(accuracy("T1", 128, "0") > 0.99 && accuracy("T4", 128, "0.001") > 0.97);
    assert!(accuracy("T1", 64, "0.1") < 0.55, "so much decay lets nothing be learned");
}
