//! What the engine says without a device, and, on a machine with one (`cargo test -- --ignored cuda`), what it computes.

// What was measured is worth seeing beside whether it was good enough.
#![allow(clippy::print_stderr)]

use super::*;
use crate::network::{Architecture, CellKind, Initialization, Network, ParameterMut};
use crate::random::{Purpose, Stream};
use crate::task::Task;
use crate::train::cpu::{CpuEngine, Dispatch, Isa, Learner};
use crate::train::{Curriculum, Metrics, RecordError, Start, TrainParams, Unobserved};
use faer::Mat;
use std::sync::{Mutex, OnceLock};

mod cells;

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
    let mut learner: Learner<S> = Learner::new(network, Isa::best(), job.params.batch, job.task.s(), horizon);
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

/// The largest relative errors of a gradient.
const SINGLE_LIMIT: f64 = 2e-5;
const FAST_LIMIT: f64 = 2e-3;

/// A network whose gradient is compared.
struct Place<'a> {
    job: &'a Job,
    network: Network,
    /// Once trained.
    accuracy: Option<f64>,
}

struct Case {
    job: Job,
    network: Network,
    name: String,
    /// The gradient in f64.
    exact: Network,
    /// The relative error that the processor makes in fp32, here and the largest one at weights that differ in the last place.
    processor: f64,
    processor_beside: f64,
    converged: bool,
}

impl Case {
    fn new(Place { job, network, accuracy }: Place) -> Self {
        let TrainParams { cell, hidden, l2, seed, .. } = job.params;
        let exact = with_l2(processor_gradient::<f64>(job, &network), &network, l2);
        let processor = processor_error(job, &network, &exact);
        let beside = |k| {
            let moved = in_the_last_place(&network, k);
            let exact = with_l2(processor_gradient::<f64>(job, &moved), &moved, l2);
            processor_error(job, &moved, &exact)
        };
        let when = accuracy.map_or("initial".into(), |accuracy| format!("trained to accuracy {accuracy:.3}"));
        Self {
            job: job.clone(),
            name: format!("{cell:?} {} H={hidden} L2={l2} seed {seed} {when}", job.task.name()),
            exact,
            processor,
            processor_beside: (0..4).map(beside).fold(0.0, f64::max),
            converged: accuracy.is_some_and(|accuracy| accuracy >= 0.99),
            network,
        }
    }

    /// A network that has learned its task is asked always. In others single samples may run away from any orbit, and then fp32
    /// does not resolve the gradient: where the processor in fp32 misses its limit, here or at weights that differ in the last
    /// place, nothing is asked of the device.
    fn is_asked(&self) -> bool {
        self.converged || self.processor.max(self.processor_beside) < SINGLE_LIMIT
    }
}

fn processor_error(job: &Job, network: &Network, exact: &Network) -> f64 {
    distance(&with_l2(processor_gradient::<f32>(job, network), network, job.params.l2), exact)
}

/// Every weight moved to a neighbouring number of fp32, or not, at random.
fn in_the_last_place(network: &Network, k: u32) -> Network {
    let mut moved = network.clone();
    let stream = Stream::new(u64::from(k), Purpose::Matrices);
    each_number(&mut moved, |which, (i, j), x| {
        let mut by = [0.0; 1];
        stream.fill_uniform(which as u32, (i * 4096 + j) as u32, &mut by);
        let weight = *x as f32;
        *x = f64::from(if by[0] < 0.5 { weight } else { weight.next_up() });
    });
    moved
}

/// Initial weights, weights in the middle of training, and those of networks trained to the end, as users have them.
struct Cases {
    early: Vec<Case>,
    end: Vec<Case>,
}

fn cases() -> &'static Cases {
    static CASES: OnceLock<Cases> = OnceLock::new();
    CASES.get_or_init(|| {
        let (mut early, mut end) = (Vec::new(), Vec::new());
        for (name, hidden) in ["T1", "T2", "T3", "T4"].into_iter().flat_map(|name| [(name, 64), (name, 128)]) {
            for (l2, seed) in [0.0, 1e-3].into_iter().flat_map(|l2| [7, 8, 9].map(|seed| (l2, seed))) {
                let one = |steps| job(table1(name), |p| (p.hidden, p.l2, p.seed, p.steps) = (hidden, l2, seed, steps));
                early.extend((seed == 7).then(|| one(4000)));
                end.push(one(TrainParams::default().steps));
            }
        }
        let initial = early.iter().map(|job| {
            let network = job.params.random_network(8);
            Place { job, network, accuracy: None }
        });
        let mut early_cases = compare(initial.collect());
        early_cases.extend(compare(trained(&early)));
        Cases { early: early_cases, end: compare(trained(&end)) }
    })
}

fn trained(jobs: &[Job]) -> Vec<Place<'_>> {
    let outcomes = engine(Precision::Single).train(jobs, &Unobserved).into_iter().map(Result::unwrap);
    let place = |(job, outcome): (_, Outcome)| {
        let accuracy = outcome.accuracy.expect("training ends with a test").value;
        Place { job, network: outcome.state.network, accuracy: Some(accuracy) }
    };
    jobs.iter().zip(outcomes).map(place).collect()
}

/// The processor's gradients, which take a while, side by side.
fn compare(places: Vec<Place>) -> Vec<Case> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = places.into_iter().map(|place| scope.spawn(move || Case::new(place))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Prints the errors of all cases; gives those beyond a limit.
fn beyond(engine: &CudaEngine, cases: &[Case], limit: f64) -> Vec<String> {
    let precision = engine.precision;
    let (mut missed, mut asked) = (Vec::new(), 0);
    for case in cases {
        let device = distance(&device_gradient(engine, &case.job, &case.network), &case.exact);
        let Case { name, processor, processor_beside, .. } = case;
        let line = format!(
            "{precision:?} {name}: error {device:.1e}, processor in fp32 {processor:.1e}, beside {processor_beside:.1e}"
        );
        eprintln!("{line}");
        if !case.is_asked() {
            continue;
        }
        asked += 1;
        // Near the end of training so much cancels in a gradient that fp32 may miss the limit wherever it is computed.
        if device.is_nan() || device >= limit.max(*processor) {
            missed.push(line);
        }
    }
    eprintln!("{precision:?}: {} of {asked} missed; {} more are beyond fp32", missed.len(), cases.len() - asked);
    // Most cases must be such that something is asked.
    assert!(2 * asked > cases.len(), "{asked} of {}", cases.len());
    missed
}

#[track_caller]
fn check_gradients(precision: Precision, limit: f64) {
    let engine = engine(precision);
    let missed = [&cases().early, &cases().end].map(|cases| beyond(&engine, cases, limit)).concat();
    assert!(missed.is_empty(), "beyond {limit:e}: {missed:#?}");
}

/// The relative error of one precision's gradient at the given weights.
fn error_at(precision: Precision, job: &Job, network: &Network) -> f64 {
    distance(&device_gradient(&engine(precision), job, network), &processor_gradient::<f64>(job, network))
}

#[test]
#[ignore = "needs a CUDA device"]
fn plain_gradients_agree_with_f64() {
    check_gradients(Precision::Plain, SINGLE_LIMIT);
}

#[test]
#[ignore = "needs a CUDA device"]
fn gradients_of_pairs_on_tensor_cores_agree_with_f64() {
    check_gradients(Precision::Single, SINGLE_LIMIT);
}

#[test]
#[ignore = "needs a CUDA device"]
fn fast_gradients_agree_with_f64() {
    check_gradients(Precision::Fast, FAST_LIMIT);
}

#[test]
#[ignore = "needs a CUDA device"]
fn gradients_without_warpgroups_agree_with_f64() {
    let mut engine = engine(Precision::Single);
    engine.device.chip.warpgroups = false;
    let missed = beyond(&engine, &cases().early, SINGLE_LIMIT);
    assert!(missed.is_empty(), "beyond {SINGLE_LIMIT:e}: {missed:#?}");
}

#[test]
#[ignore = "needs a CUDA device"]
fn gradients_of_long_inputs_agree_with_f64() {
    let long = job(Task::named("repeat-copy", Some(64), Some(2)).unwrap(), |p| {
        (p.hidden, p.curriculum) = (64, Curriculum::None { horizon: 20 });
    });
    let network = Initialization::Uniform.network(&Architecture::elman(64, Default::default(), false), 2, 2, 1);
    for (precision, limit) in
        [(Precision::Plain, SINGLE_LIMIT), (Precision::Single, SINGLE_LIMIT), (Precision::Fast, FAST_LIMIT)]
    {
        let error = error_at(precision, &long, &network);
        eprintln!("{precision:?} s=64: error {error:.1e}");
        assert!(error < limit, "{precision:?}: {error:e}");
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_step_that_overflows_fp16_is_taken_again() {
    let one = job(table1("T1"), |p| p.hidden = 64);
    let mut growing = Initialization::Uniform.network(&Architecture::elman(64, Default::default(), false), 8, 8, 1);
    // Small states, for which tanh does nothing, and deltas that grow by 1.12^100.
    growing.as_elman_mut().unwrap().recurrent_weights =
        Mat::from_fn(64, 64, |i, j| if j == (i + 1) % 64 { 1.12 } else { 0.0 });
    growing.as_elman_mut().unwrap().input_weights *= faer::Scale(1e-9);
    let mut heavy = Initialization::Uniform.network(&Architecture::elman(64, Default::default(), false), 8, 8, 1);
    heavy.readout.weights[(0, 0)] = 2000.0;
    for (network, what) in [(growing, "growing deltas"), (heavy, "a weight of 2,000")] {
        for (precision, limit) in
            [(Precision::Plain, SINGLE_LIMIT), (Precision::Single, FAST_LIMIT), (Precision::Fast, FAST_LIMIT)]
        {
            let error = error_at(precision, &one, &network);
            eprintln!("{precision:?} {what}: error {error:.1e}");
            assert!(error < limit, "{precision:?} {what}: {error:e}");
        }
    }
}

/// Keeps the loss of every step.
#[derive(Default)]
struct Losses(Mutex<Vec<f64>>);

impl TrainObserver for Losses {
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
        job(Task::named("rule110", None, None).unwrap(), |p| {
            short(p);
            p.bias = true;
        }),
        job(Task::named("lfsr:5,3", None, None).unwrap(), |p| {
            short(p);
            (p.hidden, p.bias) = (100, true);
        }),
        job(table1("T2"), |p| {
            short(p);
            p.choose_cell(CellKind::Gru, &table1("T2"));
            p.l2 = 1e-4;
        }),
        job(Task::named("rule110", None, None).unwrap(), |p| {
            short(p);
            p.choose_cell(CellKind::Lstm, &table1("T2"));
            p.hidden = 64;
        }),
        job(table1("T4"), |p| {
            short(p);
            p.choose_cell(CellKind::Gru, &table1("T4"));
            (p.hidden, p.layers, p.curriculum) = (48, 2, Curriculum::None { horizon: 20 });
        }),
        job(table1("T3"), |p| {
            short(p);
            (p.hidden, p.curriculum) = (256, Curriculum::None { horizon: 20 });
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
                    if seed % 5 == 0 {
                        p.choose_cell(CellKind::Gru, &table1("T1"));
                    }
                })
            })
            .collect();
        let together = engine.train(&jobs, &Unobserved);
        for k in [0, 1, 2, 4, 131, 132, 299] {
            let alone = engine.train(&jobs[k..=k], &Unobserved).remove(0).unwrap();
            assert_eq!(alone.state, together[k].as_ref().unwrap().state, "{precision:?} job {k}");
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_shape_trains_and_resumes_on_either_engine() {
    let elman = [(32, 8, 8), (33, 3, 1), (64, 16, 16), (100, 5, 13), (128, 16, 5), (200, 4, 3), (256, 8, 8)];
    let gated = [(33, 3, 1), (100, 5, 13), (128, 8, 8), (200, 4, 3)];
    let shapes = elman.map(|shape| (CellKind::Elman, shape)).into_iter();
    let shapes =
        shapes.chain(gated.map(|shape| (CellKind::Gru, shape))).chain(gated.map(|shape| (CellKind::Lstm, shape)));
    for (cell, (hidden, s, d)) in shapes {
        for precision in [Precision::Single, Precision::Fast, Precision::Plain] {
            let engine = engine(precision);
            let task = Task::named("compose-copy", Some(s), Some(d)).unwrap();
            let one = job(task.clone(), |p| {
                p.choose_cell(cell, &task);
                (p.hidden, p.steps, p.test.batches) = (hidden, 60, 1);
                p.curriculum = Curriculum::None { horizon: 12 };
            });
            let mut first_half = one.clone();
            first_half.params.steps = 30;
            let whole = engine.train(std::slice::from_ref(&one), &Unobserved).remove(0).unwrap();
            let half = engine.train(&[first_half], &Unobserved).remove(0).unwrap();
            let rest = [Job { start: Start::State(Box::new(half.state.clone())), ..one.clone() }];
            let resumed = engine.train(&rest, &Unobserved).remove(0).unwrap();
            assert_eq!(resumed.state, whole.state, "{cell:?} hidden {hidden} s {s} d {d} {precision:?}");
            let here = CpuEngine::default().train(&rest, &Unobserved).remove(0).unwrap();
            let losses = [&here, &whole].map(|outcome| outcome.state.metrics.unwrap().loss);
            let limit = if precision == Precision::Fast { 2e-2 } else { 1e-3 };
            assert!(
                (losses[0] / losses[1] - 1.0).abs() < limit,
                "{cell:?} hidden {hidden} s {s} d {d} {precision:?}: {losses:?}"
            );
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn one_network_that_diverges_stops_alone_on_the_device() {
    for precision in [Precision::Plain, Precision::Single, Precision::Fast] {
        let mut jobs: Vec<Job> =
            (1..=3).map(|seed| job(table1("T1"), |p| (p.seed, p.steps, p.test.batches) = (seed, 20, 1))).collect();
        let mut broken = Initialization::Uniform.network(&Architecture::elman(128, Default::default(), false), 8, 8, 1);
        broken.readout.weights[(0, 0)] = 3e38;
        jobs[1].start = Start::Weights(Box::new(broken));
        let results = engine(precision).train(&jobs, &Unobserved);
        let error = results[1].as_ref().unwrap_err().to_string();
        assert!(error.contains("diverged at step 1"), "{error}");
        assert!(results[0].is_ok() && results[2].is_ok());
    }
}
