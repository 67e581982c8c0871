//! The engine on the processor: one network on several threads, or several networks on a thread each.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::ThreadPoolBuilder;

use super::isa::Isa;
use super::learner::Learner;
use super::optimizer::AdamStep;
use crate::network::{Accuracy, Network};
use crate::panics::catch_panic;
use crate::random::{Purpose, Stream};
use crate::task::Task;
use crate::train::TestParams;
use crate::train::{
    Engine, Evaluation, Evaluations, Job, Metrics, Outcome, Start, TrainError, TrainObserver, TrainState,
};

/// Trains on the processor. The weights do not depend on the number of threads.
#[derive(Clone, Copy, Debug)]
pub struct CpuEngine {
    /// Threads to use. Default: as many as the machine has cores.
    pub threads: usize,
    /// Instructions to use. Default: the best that the processor has.
    pub isa: Isa,
}

impl Default for CpuEngine {
    fn default() -> Self {
        Self { threads: std::thread::available_parallelism().map_or(1, usize::from), isa: Isa::best() }
    }
}

impl Engine for CpuEngine {
    fn train(&self, jobs: &[Job], observer: &dyn TrainObserver) -> Vec<Result<Outcome, TrainError>> {
        let threads = self.threads.max(1);
        // Whole networks side by side scale best; what is left of the threads splits each network's batch.
        let side_by_side = threads.min(jobs.len()).max(1);
        let threads_each = threads / side_by_side;
        let next = AtomicUsize::new(0);
        let results: Vec<Mutex<Option<Result<Outcome, TrainError>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
        std::thread::scope(|scope| {
            for _ in 0..side_by_side {
                scope.spawn(|| {
                    while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|k| *k < jobs.len()) {
                        // A mistake on one network is that network's error, and leaves the others alone.
                        let work = || self.train_in_pool(threads_each, index, &jobs[index], observer);
                        let result = catch_panic(work).unwrap_or_else(|panicked| Err(panicked.into()));
                        if let Ok(mut place) = results[index].lock() {
                            *place = Some(result);
                        }
                    }
                });
            }
        });
        let result = |place: Mutex<Option<_>>| place.into_inner().ok().flatten().unwrap_or(Err(TrainError::NoResult));
        results.into_iter().map(result).collect()
    }
}

impl CpuEngine {
    fn train_in_pool(
        &self,
        threads: usize,
        index: usize,
        job: &Job,
        observer: &dyn TrainObserver,
    ) -> Result<Outcome, TrainError> {
        self.supports(job)?;
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| TrainError::Threads { threads, problem: error.to_string() })?;
        pool.install(|| Run::new(job, self.isa).finish(index, observer))
    }
}

/// One job under way.
struct Run<'a> {
    job: &'a Job,
    isa: Isa,
    learner: Learner<f32>,
    step: u64,
    curriculum: crate::train::CurriculumState,
    metrics: Option<Metrics>,
    evaluations: Evaluations,
    snapshots: Vec<u64>,
}

impl<'a> Run<'a> {
    fn new(job: &'a Job, isa: Isa) -> Self {
        let params = &job.params;
        let longest = params.curriculum.longest();
        let learner = |network: &_| {
            let mut learner = Learner::new(network, isa, params.batch, &job.task, longest);
            learner.draw_only(job.only_context());
            if let Some(held) = params.restraint.as_ref().and_then(|restraint| restraint.held.clone()) {
                learner.hold(held);
            }
            learner
        };
        let random = || params.network_for(&job.task);
        let new = |learner| (learner, 0, params.curriculum.begin(), None, Evaluations::default());
        let (learner, step, curriculum, metrics, evaluations) = match &job.start {
            Start::Random => new(learner(&random())),
            Start::Weights(network) => new(learner(network)),
            Start::State(state) => {
                let mut learner = learner(&state.network);
                learner.load_moments(&state.first_moment, &state.second_moment);
                (learner, state.step, state.curriculum.clone(), state.metrics, state.evaluations.clone())
            }
        };
        Self { job, isa, learner, step, curriculum, metrics, evaluations, snapshots: job.snapshot_steps() }
    }

    fn finish(mut self, index: usize, observer: &dyn TrainObserver) -> Result<Outcome, TrainError> {
        let params = &self.job.params;
        let stream = Stream::new(params.seed, Purpose::TrainInputs);
        if self.step == 0 {
            // From the first moment on there is something to go on from.
            observer.checkpoint(index, &self.state()).map_err(TrainError::NotRecorded)?;
            self.snapshot(index, observer)?;
        }
        let mut saved = self.step;
        while !self.job.is_done(self.step, &self.evaluations) && !observer.stop(index) {
            let metrics = self.take_step(&stream)?;
            self.look();
            observer.progress(index, &metrics);
            if self.step.is_multiple_of(params.metrics_every) || self.job.is_done(self.step, &self.evaluations) {
                observer.record(index, &metrics).map_err(TrainError::NotRecorded)?;
            }
            if self.step.is_multiple_of(params.checkpoint_every) {
                observer.checkpoint(index, &self.state()).map_err(TrainError::NotRecorded)?;
                saved = self.step;
            }
            if !self.job.is_done(self.step, &self.evaluations) {
                self.snapshot(index, observer)?;
            }
        }
        let state = self.state();
        if saved != self.step {
            observer.checkpoint(index, &state).map_err(TrainError::NotRecorded)?;
        }
        let done = self.job.is_done(self.step, &self.evaluations);
        if done {
            self.snapshot(index, observer)?;
        }
        let accuracy = done.then(|| test_with(self.isa, self.job, state.best()));
        Ok(Outcome { state, accuracy })
    }

    /// Keeps the weights where they are due, and at the end.
    fn snapshot(&self, index: usize, observer: &dyn TrainObserver) -> Result<(), TrainError> {
        let due = self.snapshots.binary_search(&self.step).is_ok();
        if due || (!self.snapshots.is_empty() && self.job.is_done(self.step, &self.evaluations)) {
            observer.snapshot(index, self.step, &self.learner.network()).map_err(TrainError::NotRecorded)?;
        }
        Ok(())
    }

    /// Looks at the network on inputs that training never draws, where a look is due.
    fn look(&mut self) {
        let Some(rule) = self.job.params.stopping.filter(|rule| rule.is_due(self.step, self.job.params.steps)) else {
            return;
        };
        let network = self.learner.network();
        let seen = look_with(self.isa, self.job, &network);
        self.evaluations.note(&rule, self.step, seen, || network);
    }

    fn take_step(&mut self, stream: &Stream) -> Result<Metrics, TrainError> {
        let params = &self.job.params;
        let horizon = self.curriculum.steps();
        let learning_rate = params.learning_rate_at(self.step, &self.evaluations);
        let diverged =
            |what, value| TrainError::Diverged { step: self.step + 1, what, value, learning_rate, clip: params.clip };
        self.learner.learn_batch(&self.job.task, stream, self.step as u32, horizon);
        let loss = self.learner.measures.loss;
        if !loss.is_finite() {
            return Err(diverged("loss", loss));
        }
        let gradient_norm = self.learner.reduce();
        if !gradient_norm.is_finite() {
            return Err(diverged("norm of the gradient", gradient_norm));
        }
        self.step += 1;
        self.learner.update(AdamStep {
            learning_rate,
            l2: params.l2,
            beta1: params.beta1,
            beta2: params.beta2,
            epsilon: params.epsilon,
            count: self.step,
            gradient_factor: AdamStep::clipping(params.clip, gradient_norm),
        });
        let measures = &self.learner.measures;
        params.curriculum.advance(&mut self.curriculum, measures.accuracy, &measures.loss_by_step);
        let accuracy = measures.accuracy;
        let metrics = Metrics { step: self.step, horizon, loss, accuracy, gradient_norm, learning_rate };
        self.metrics = Some(metrics);
        Ok(metrics)
    }

    fn state(&self) -> TrainState {
        let (first_moment, second_moment) = self.learner.moments();
        TrainState {
            step: self.step,
            curriculum: self.curriculum.clone(),
            network: self.learner.network(),
            first_moment,
            second_moment,
            metrics: self.metrics,
            evaluations: self.evaluations.clone(),
        }
    }
}

/// The accuracy of a trained network on inputs that training never draws.
#[cfg(feature = "cuda")]
pub(crate) fn test_accuracy(job: &Job, network: &Network) -> Accuracy {
    test_with(Isa::best(), job, network)
}

/// What a look sees of a network, on inputs that neither training nor the test draws.
#[cfg(feature = "cuda")]
pub(crate) fn look_at(job: &Job, network: &Network) -> Evaluation {
    look_with(Isa::best(), job, network)
}

fn look_with(isa: Isa, job: &Job, network: &Network) -> Evaluation {
    let Job { task, params, .. } = job;
    let (test, batches) = (params.test, params.stopping.map_or(1, |rule| rule.batches));
    let stream = Stream::new(params.seed, Purpose::LookInputs);
    let mut learner: Learner<f32> = Learner::new(network, isa, test.batch, task, test.horizon);
    learner.draw_only(job.only_context());
    let (mut loss, mut accuracy) = (vec![0.0; test.horizon], vec![0.0; test.horizon]);
    let mut counts = vec![false; test.horizon];
    let add =
        |sums: &mut [f64], of: &[f64]| sums.iter_mut().zip(of).for_each(|(sum, of)| *sum += of / f64::from(batches));
    for index in 0..batches {
        learner.test_batch(task, &stream, index, test.horizon);
        add(&mut loss, &learner.measures.loss_by_step);
        add(&mut accuracy, &learner.measures.accuracy_by_step);
        counts.iter_mut().zip(&learner.measures.counts_by_step).for_each(|(any, counts)| *any |= counts);
    }
    Evaluation::in_quarters(&loss, &accuracy, &counts)
}

fn test_with(isa: Isa, job: &Job, network: &Network) -> Accuracy {
    test_in(isa, job, network, job.only_context())
}

/// The accuracy of a network in every context of its task; nothing where there is one f.
pub(crate) fn context_accuracies(job: &Job, network: &Network) -> Vec<Accuracy> {
    (0..job.task.contexts().len()).map(|k| test_in(Isa::best(), job, network, Some(k))).collect()
}

/// The accuracy of a network on a task that it may have learned before, or on a context of one.
pub(crate) fn accuracy_on(
    task: &Task,
    context: Option<usize>,
    network: &Network,
    test: TestParams,
    seed: u64,
) -> Accuracy {
    test_on(Isa::best(), (task, context), network, test, seed)
}

fn test_in(isa: Isa, job: &Job, network: &Network, context: Option<usize>) -> Accuracy {
    test_on(isa, (&job.task, context), network, job.params.test, job.params.seed)
}

fn test_on(
    isa: Isa,
    (task, context): (&Task, Option<usize>),
    network: &Network,
    test: TestParams,
    seed: u64,
) -> Accuracy {
    let stream = Stream::new(seed, Purpose::TestInputs);
    let mut learner: Learner<f32> = Learner::new(network, isa, test.batch, task, test.horizon);
    learner.draw_only(context);
    let mut sum = 0.0;
    for index in 0..test.batches {
        learner.test_batch(task, &stream, index, test.horizon);
        sum += learner.measures.accuracy;
    }
    Accuracy { horizon: test.horizon, value: sum / f64::from(test.batches) }
}

/// The diagonal of the Fisher information of a network's outputs, with unit noise, over some episodes of a task.
pub(crate) fn fisher(
    task: &Task,
    context: Option<usize>,
    network: &Network,
    episodes: u32,
    horizon: usize,
    seed: u64,
) -> Network {
    let mut learner: Learner<f32> = Learner::new(network, Isa::best(), 1, task, horizon);
    learner.draw_only(context);
    let streams = [Stream::new(seed, Purpose::OldInputs), Stream::new(seed, Purpose::OldSigns)];
    let mut sum: Option<Network> = None;
    for index in 0..episodes {
        let next = learner.squared_sensitivity(task, [&streams[0], &streams[1]], index, horizon);
        match &mut sum {
            None => sum = Some(next),
            Some(sum) => sum.combine(&next, |sum, next| sum + next),
        }
    }
    let mut mean = sum.unwrap_or_else(|| network.clone());
    mean.parameters_mut().into_iter().for_each(|(_, parameter)| parameter.change(|x| x / f64::from(episodes.max(1))));
    mean
}
