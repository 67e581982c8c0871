//! Gradients on the device against those of the processor in f64, at initial weights and at trained ones.

use super::*;

mod cells;

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
