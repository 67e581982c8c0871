//! The host's logic against a device made of the processor's own learner.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::network::Network;
use crate::random::{Purpose, Stream};
use crate::task::Task;
use crate::train::cpu::{AdamStep, CpuEngine, Isa, Learner};
use crate::train::{Curriculum, Engine, LearningRateChange, RecordError, Snapshots, Stopping, TrainParams, Unobserved};

/// A device that takes the steps of a plan on the processor, and counts.
struct StandIn {
    capacity: usize,
    waves: RefCell<Vec<usize>>,
    launches: Cell<usize>,
    /// The launch that fails, if any.
    fails_at: Option<usize>,
    /// The most time steps for which there is memory.
    most_steps: usize,
    /// The most input steps that fit a kernel other than the plain one.
    most_input: usize,
}

impl StandIn {
    fn new(capacity: usize) -> Self {
        let (waves, launches) = (RefCell::default(), Cell::new(0));
        Self { capacity, waves, launches, fails_at: None, most_steps: usize::MAX, most_input: usize::MAX }
    }

    fn train(&self, jobs: &[Job], observer: &dyn TrainObserver) -> Vec<Result<Outcome, TrainError>> {
        train(self, Precision::Single, jobs, observer, &Mutex::default())
    }
}

impl Device for StandIn {
    fn precision(&self, _: Shape, asked: Precision, input_steps: usize) -> Precision {
        if input_steps <= self.most_input { asked } else { Precision::Plain }
    }

    fn prepare(&self, _: Shape, _: Precision) -> Result<(), CudaError> {
        Ok(())
    }

    fn capacity(&self, shape: Shape, _: Precision, steps: usize, _: usize, _: usize) -> Result<usize, CudaError> {
        match steps <= self.most_steps {
            true => Ok(self.capacity),
            false => Err(CudaError::Memory { hidden: shape.hidden, steps, needed: steps, free: self.most_steps }),
        }
    }

    fn open<'a>(&'a self, wave: &Wave<'a>, _: Precision) -> Result<Box<dyn Session + 'a>, CudaError> {
        self.waves.borrow_mut().push(wave.jobs.len());
        let (rolling_stride, rows_each) = (wave.longest_horizon(), wave.rows_each);
        let (jobs, numbers) = (wave.jobs.clone(), wave.numbers.clone());
        Ok(Box::new(StandInSession {
            device: self,
            shape: wave.shape,
            jobs,
            numbers,
            rolling_stride,
            rows_each,
            plans: vec![],
            rows: vec![],
        }))
    }
}

struct StandInSession<'a> {
    device: &'a StandIn,
    shape: Shape,
    jobs: Vec<&'a Job>,
    numbers: Numbers,
    rolling_stride: usize,
    rows_each: usize,
    plans: Vec<Plan>,
    rows: Vec<Row>,
}

impl StandInSession<'_> {
    fn take_steps(&mut self, k: usize) {
        let (job, stride) = (self.jobs[k], self.shape.parameter_stride());
        let params = &job.params;
        let place = k * stride..(k + 1) * stride;
        let network = |numbers: &[f32]| self.shape.network(&numbers[place.clone()]);
        let mut learner: Learner<f32> = Learner::new(
            &network(&self.numbers.weights),
            Isa::best(),
            params.batch,
            &job.task,
            params.curriculum.longest(),
        );
        learner.load_moments(&network(&self.numbers.first_moments), &network(&self.numbers.second_moments));
        let stream = Stream::new(params.seed, Purpose::TrainInputs);
        let plan = &mut self.plans[k];
        let rolling = &mut self.numbers.rolling_losses[k * self.rolling_stride..];
        while plan.step < plan.until {
            let mut curriculum = plan.curriculum(rolling);
            let horizon = curriculum.steps();
            learner.learn_batch(&job.task, &stream, plan.step, horizon);
            let (loss, gradient_norm) = (learner.measures.loss, learner.reduce());
            // As the kernel reckons it, from the plan alone.
            let changed = plan.step >= plan.learning_rate_after;
            let learning_rate = plan.learning_rate * if changed { plan.learning_rate_factor } else { 1.0 };
            self.rows[k * self.rows_each + (plan.step - plan.begin) as usize] = Row {
                loss,
                accuracy: learner.measures.accuracy,
                gradient_norm,
                learning_rate,
                horizon: horizon as u32,
                step: plan.step + 1,
            };
            if !loss.is_finite() || !gradient_norm.is_finite() {
                plan.status = if loss.is_finite() { LOSS_DIVERGED + 1 } else { LOSS_DIVERGED };
                break;
            }
            plan.step += 1;
            learner.update(AdamStep {
                learning_rate,
                l2: params.l2,
                beta1: params.beta1,
                beta2: params.beta2,
                epsilon: params.epsilon,
                count: plan.step.into(),
                gradient_factor: AdamStep::clipping(params.clip, gradient_norm),
            });
            params.curriculum.advance(&mut curriculum, learner.measures.accuracy, &learner.measures.loss_by_step);
            (plan.stage, plan.horizon) = (curriculum.stage as u32, curriculum.horizon);
            plan.rolling_length = curriculum.rolling_loss.len() as u32;
            rolling[..curriculum.rolling_loss.len()].copy_from_slice(&curriculum.rolling_loss);
        }
        let (first, second) = learner.moments();
        self.shape.flatten(&learner.network(), &mut self.numbers.weights[place.clone()]);
        self.shape.flatten(&first, &mut self.numbers.first_moments[place.clone()]);
        self.shape.flatten(&second, &mut self.numbers.second_moments[place]);
    }
}

impl Session for StandInSession<'_> {
    fn launch(&mut self, plans: &[Plan]) -> Result<(), CudaError> {
        let launch = self.device.launches.get();
        self.device.launches.set(launch + 1);
        if self.device.fails_at == Some(launch) {
            return Err(CudaError::Call { action: "start a kernel", problem: "the plug was pulled".into() });
        }
        assert!(plans.iter().all(|plan| (plan.until - plan.begin) as usize <= self.rows_each));
        self.plans = plans.to_vec();
        self.rows = vec![Row::default(); plans.len() * self.rows_each];
        (0..plans.len()).for_each(|k| self.take_steps(k));
        Ok(())
    }

    fn wait(&mut self) -> Result<(Vec<Plan>, Vec<Row>), CudaError> {
        Ok((self.plans.clone(), self.rows.clone()))
    }

    fn download(&mut self) -> Result<Numbers, CudaError> {
        Ok(self.numbers.clone())
    }
}

fn job(task: &str, size: (usize, usize), change: impl Fn(&mut TrainParams)) -> Job {
    let mut params = TrainParams::with_curriculum(Curriculum::table1().up_to(4).with_threshold(0.5));
    (params.hidden, params.batch, params.steps) = (8, 4, 30);
    (params.metrics_every, params.checkpoint_every, params.test.horizon) = (7, 10, 6);
    change(&mut params);
    Job { task: Task::named(task, Some(size.0), Some(size.1)).unwrap(), params, start: Start::Random }
}

/// Jobs of three shapes, mixed.
fn mixed() -> Vec<Job> {
    vec![
        job("repeat-copy", (2, 3), |_| ()),
        job("compose-copy", (3, 2), |p| p.hidden = 12),
        job("compose-copy", (4, 3), |p| (p.seed, p.l2) = (2, 1e-3)),
        job("repeat-copy", (2, 3), |p| (p.bias, p.curriculum) = (true, Curriculum::adaptive().up_to(5))),
        job("repeat-copy", (3, 3), |p| {
            (p.seed, p.steps, p.snapshots) = (3, 25, Some(Snapshots { count: 5, log_spaced: true }));
        }),
        job("compose-copy", (2, 2), |p| (p.hidden, p.curriculum) = (12, Curriculum::adaptive().up_to(12))),
    ]
}

fn on_processor(jobs: &[Job], observer: &dyn TrainObserver) -> Vec<Result<Outcome, TrainError>> {
    CpuEngine { threads: 1, ..CpuEngine::default() }.train(jobs, observer)
}

fn assert_same(results: &[Result<Outcome, TrainError>], expected: &[Result<Outcome, TrainError>]) {
    assert_eq!(results.len(), expected.len());
    for (k, (result, expected)) in results.iter().zip(expected).enumerate() {
        let (result, expected) = (result.as_ref().unwrap(), expected.as_ref().unwrap());
        assert_eq!(result.state, expected.state, "job {k}");
        assert_eq!(result.accuracy, expected.accuracy, "job {k}");
    }
}

/// Writes down what it is told, job by job; may answer with an error or ask for a stop.
#[derive(Default)]
struct Diary {
    lines: Mutex<BTreeMap<usize, Vec<String>>>,
    refuses: Option<usize>,
    stops: Option<(usize, usize)>,
    asked: AtomicUsize,
}

impl Diary {
    fn write(&self, job: usize, line: String) {
        self.lines.lock().unwrap().entry(job).or_default().push(line);
    }
}

impl TrainObserver for Diary {
    fn record(&self, job: usize, metrics: &Metrics) -> Result<(), RecordError> {
        self.write(job, format!("{metrics:?}"));
        if self.refuses == Some(job) { Err("the disk is full".into()) } else { Ok(()) }
    }

    fn checkpoint(&self, job: usize, state: &TrainState) -> Result<(), RecordError> {
        self.write(job, format!("{} {:?}", state.step, state.network.as_elman().unwrap().recurrent_weights));
        Ok(())
    }

    fn snapshot(&self, job: usize, step: u64, network: &Network) -> Result<(), RecordError> {
        self.write(job, format!("snapshot {step} {:?}", network.as_elman().unwrap().recurrent_weights));
        Ok(())
    }

    fn stop(&self, job: usize) -> bool {
        self.stops.is_some_and(|(who, after)| job == who && self.asked.fetch_add(1, Ordering::Relaxed) >= after)
    }
}

#[test]
fn networks_of_different_shapes_are_grouped_and_come_back_in_order() {
    let (jobs, device) = (mixed(), StandIn::new(100));
    assert_same(&device.train(&jobs, &Unobserved), &on_processor(&jobs, &Unobserved));
    // Hidden 12 with two components; hidden 8 with three, with and without biases.
    assert_eq!(device.waves.into_inner(), [2, 1, 3]);
}

/// A job that is learned within a few looks, of which the last are at the lower learning rate.
fn learned_early(seed: u64) -> Job {
    job("repeat-copy", (2, 2), |p| {
        (p.hidden, p.batch, p.steps, p.learning_rate, p.seed) = (16, 32, 4_000, 5e-3, seed);
        p.curriculum = Curriculum::None { horizon: 8 };
        p.learning_rate_change = Some(LearningRateChange { after: 3_900, factor: 0.1 });
        p.stopping = Some(Stopping { look_every: 60, loss: 0.5, settle: 130, ..Stopping::default() });
        p.checkpoint_every = 1_000;
        p.snapshots = Some(Snapshots { count: 9, log_spaced: false });
    })
}

#[test]
fn networks_end_when_their_task_is_learned_as_on_the_processor() {
    let jobs: Vec<Job> = (1..=3).map(learned_early).collect();
    let (ours, theirs) = (Diary::default(), Diary::default());
    let (results, expected) = (StandIn::new(2).train(&jobs, &ours), on_processor(&jobs, &theirs));
    assert_same(&results, &expected);
    assert_eq!(ours.lines.into_inner().unwrap(), theirs.lines.into_inner().unwrap());
    for result in results {
        let state = result.unwrap().state;
        let since = state.evaluations.settling_since.unwrap();
        assert!(state.step < 3_900 && state.step >= since + 130, "ended at {} after {since}", state.step);
        let rate = state.metrics.unwrap().learning_rate;
        assert!((rate / 5e-4 - 1.0).abs() < 1e-12, "the learning rate was {rate}");
        assert!(state.evaluations.best.unwrap().step > since, "settling made it better");
    }
}

#[test]
fn networks_that_do_not_fit_at_once_are_trained_in_waves() {
    let jobs: Vec<Job> = (1..=5).map(|seed| job("repeat-copy", (2, 2), |p| p.seed = seed)).collect();
    let device = StandIn::new(2);
    assert_same(&device.train(&jobs, &Unobserved), &on_processor(&jobs, &Unobserved));
    assert_eq!(device.waves.into_inner(), [2, 2, 1]);
}

#[test]
fn the_observer_is_told_what_the_processor_would_tell_it() {
    let jobs = mixed();
    let (ours, theirs) = (Diary::default(), Diary::default());
    StandIn::new(2).train(&jobs, &ours);
    on_processor(&jobs, &theirs);
    assert_eq!(ours.lines.into_inner().unwrap(), theirs.lines.into_inner().unwrap());
}

#[test]
fn the_host_looks_in_at_least_every_few_hundred_steps() {
    let long = job("repeat-copy", (1, 1), |p| (p.hidden, p.steps, p.checkpoint_every) = (2, 1100, 10_000));
    let device = StandIn::new(1);
    assert_same(&device.train(std::slice::from_ref(&long), &Unobserved), &on_processor(&[long], &Unobserved));
    assert_eq!(device.launches.get(), 3);
}

#[test]
fn one_network_that_diverges_stops_alone() {
    let mut jobs = mixed();
    jobs[0].start = Start::Weights(Box::new({
        let mut network: Network = jobs[0].params.random_network(3);
        network.readout.weights[(0, 0)] = f64::MAX;
        network
    }));
    let results = StandIn::new(100).train(&jobs, &Unobserved);
    let error = results[0].as_ref().unwrap_err().to_string();
    assert!(error.contains("diverged at step 1") && error.contains("smaller learning rate"), "{error}");
    assert_same(&results[1..], &on_processor(&jobs, &Unobserved)[1..]);
}

#[test]
fn a_record_that_cannot_be_kept_stops_its_job_alone() {
    let jobs = mixed();
    let results = StandIn::new(100).train(&jobs, &Diary { refuses: Some(2), ..Diary::default() });
    assert_eq!(results[2].as_ref().unwrap_err().to_string(), "the disk is full");
    assert!(results.iter().enumerate().all(|(k, result)| result.is_ok() || k == 2));
}

#[test]
fn a_stopped_network_goes_on_to_the_same_bytes_on_either_engine() {
    let jobs = mixed();
    let whole = on_processor(&jobs, &Unobserved);
    for stopped in [0, 3, 5] {
        let diary = Diary { stops: Some((stopped, 1)), ..Diary::default() };
        let results = StandIn::new(100).train(&jobs, &diary);
        let part = results[stopped].as_ref().unwrap();
        assert!(part.accuracy.is_none() && part.state.step > 0 && part.state.step < jobs[stopped].params.steps);
        let rest = [Job { start: Start::State(Box::new(part.state.clone())), ..jobs[stopped].clone() }];
        assert_same(&StandIn::new(1).train(&rest, &Unobserved), &whole[stopped..=stopped]);
        assert_same(&on_processor(&rest, &Unobserved), &whole[stopped..=stopped]);
    }
}

#[test]
fn a_finished_network_is_not_trained_again() {
    let done = on_processor(&mixed()[..1], &Unobserved).remove(0).unwrap();
    let again = [Job { start: Start::State(Box::new(done.state.clone())), ..mixed().remove(0) }];
    let device = StandIn::new(1);
    assert_same(&device.train(&again, &Unobserved), &[Ok(done)]);
    assert_eq!(device.launches.get(), 0);
}

#[test]
fn a_job_that_cannot_be_trained_leaves_the_others_alone() {
    let mut jobs = mixed();
    jobs[1].params.learning_rate = -1.0;
    jobs[4].params.curriculum = Curriculum::Table1 { horizons: vec![2; 40], threshold: 0.9 };
    let results = StandIn::new(100).train(&jobs, &Unobserved);
    assert!(results[1].as_ref().unwrap_err().to_string().contains("learning rate"));
    assert!(results[4].as_ref().unwrap_err().to_string().contains("40 horizons"));
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 4);
}

#[test]
fn a_device_that_fails_is_reported_for_every_job_it_held() {
    let jobs: Vec<Job> = (1..=3).map(|seed| job("repeat-copy", (2, 2), |p| p.seed = seed)).collect();
    let device = StandIn { fails_at: Some(3), ..StandIn::new(1) };
    let results = device.train(&jobs, &Unobserved);
    assert!(results[0].is_ok());
    for result in &results[1..] {
        let error = result.as_ref().unwrap_err().to_string();
        assert_eq!(error, "the CUDA driver could not start a kernel: the plug was pulled");
    }
}

#[test]
fn what_ended_before_a_device_failed_is_kept() {
    let jobs = [job("repeat-copy", (2, 2), |p| p.checkpoint_every = 500), job("repeat-copy", (2, 2), |p| p.steps = 60)];
    // The first launch ends the first job; the next one would go on with the other alone.
    let device = StandIn { fails_at: Some(1), ..StandIn::new(2) };
    let results = device.train(&jobs, &Unobserved);
    assert_same(&results[..1], &on_processor(&jobs[..1], &Unobserved));
    assert!(results[1].as_ref().unwrap_err().to_string().contains("the plug was pulled"));
}

#[test]
fn a_network_without_room_fails_alone() {
    let mut jobs: Vec<Job> = (1..=3).map(|seed| job("repeat-copy", (2, 2), |p| p.seed = seed)).collect();
    jobs[1].params.curriculum = Curriculum::None { horizon: 1000 };
    let device = StandIn { most_steps: 100, ..StandIn::new(5) };
    let results = device.train(&jobs, &Unobserved);
    assert!(results[1].as_ref().unwrap_err().to_string().contains("1002 time steps"), "{:?}", results[1]);
    assert_eq!(*device.waves.borrow(), [2]);
    for k in [0, 2] {
        assert_same(&results[k..=k], &on_processor(&jobs[k..=k], &Unobserved));
    }
}

#[test]
fn networks_of_another_kernel_are_trained_apart() {
    let jobs = [job("repeat-copy", (2, 2), |_| ()), job("repeat-copy", (5, 2), |_| ())];
    let device = StandIn { most_input: 4, ..StandIn::new(5) };
    assert_same(&device.train(&jobs, &Unobserved), &on_processor(&jobs, &Unobserved));
    assert_eq!(*device.waves.borrow(), [1, 1]);
}
