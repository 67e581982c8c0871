//! The same seed gives the same weights, whatever the threads, the list or the interruptions; one that diverges leaves
//! the others alone.

#![allow(clippy::unwrap_used)]

use ketbra::network::{Activation, CellKind, Network};
use ketbra::task::Task;
use ketbra::train::cpu::CpuEngine;
use ketbra::train::{
    Choices, Curriculum, Engine, Job, LearningRateChange, Metrics, Outcome, RecordError, Start, Stopping, TestParams,
    TrainError, TrainObserver, TrainParams, TrainState, Unobserved,
};
use std::sync::Mutex;

fn job(seed: u64) -> Job {
    let curriculum = Curriculum::Adaptive { shortest: 4, longest: 9, factor: 1.2, threshold: 0.9, smoothing: 0.3 };
    // Three chunks of the batch, the last one not full, and more than one panel of units.
    let params = TrainParams {
        hidden: 70,
        seed,
        steps: 40,
        batch: 70,
        learning_rate: 3e-3,
        bias: true,
        checkpoint_every: 15,
        ..TrainParams::with_curriculum(curriculum)
    };
    Job { task: Task::named("compose-copy", Some(3), Some(2)).unwrap(), params, start: Start::Random }
}

fn train(threads: usize, jobs: &[Job], observer: &dyn TrainObserver) -> Vec<Result<Outcome, TrainError>> {
    CpuEngine { threads, ..CpuEngine::default() }.train(jobs, observer)
}

fn network(threads: usize, job: Job) -> Network {
    train(threads, &[job], &Unobserved).pop().unwrap().unwrap().state.network
}

#[test]
fn any_number_of_threads_gives_the_same_weights() {
    let alone = network(1, job(1));
    for threads in [2, 3, 5] {
        assert!(network(threads, job(1)) == alone, "{threads} threads");
    }
    assert!(network(1, job(2)) != alone, "another seed");
}

#[test]
fn a_network_in_a_list_is_trained_as_if_it_were_alone() {
    let jobs: Vec<Job> = (1..=3).map(job).collect();
    for threads in [1, 2, 7] {
        for (seed, result) in (1..).zip(train(threads, &jobs, &Unobserved)) {
            assert!(result.unwrap().state.network == network(1, job(seed)), "seed {seed}, {threads} threads");
        }
    }
}

/// Keeps every checkpoint, and asks for a stop at a step.
struct Stopper {
    at: u64,
    now: Mutex<u64>,
    states: Mutex<Vec<TrainState>>,
}

impl TrainObserver for Stopper {
    fn progress(&self, _job: usize, metrics: &Metrics) {
        *self.now.lock().unwrap() = metrics.step;
    }

    fn checkpoint(&self, _job: usize, state: &TrainState) -> Result<(), RecordError> {
        self.states.lock().unwrap().push(state.clone());
        Ok(())
    }

    fn stop(&self, _job: usize) -> bool {
        *self.now.lock().unwrap() == self.at
    }
}

#[test]
fn a_run_stopped_at_any_step_goes_on_to_the_same_weights() {
    let whole = train(1, &[job(1)], &Unobserved).pop().unwrap().unwrap();
    for at in [1, 15, 23] {
        let stopper = Stopper { at, now: Mutex::new(0), states: Mutex::default() };
        let stopped = train(2, &[job(1)], &stopper).pop().unwrap().unwrap();
        assert_eq!((stopped.state.step, stopped.accuracy), (at, None));
        let states = stopper.states.into_inner().unwrap();
        assert_eq!(states.first().unwrap().step, 0, "there is something to go on from before the first step");
        assert!(states.last().unwrap() == &stopped.state, "the state at the stop is kept");
        for state in states {
            let resumed = Job { start: Start::State(Box::new(state)), ..job(1) };
            let end = train(1, &[resumed], &Unobserved).pop().unwrap().unwrap();
            assert!(end.state == whole.state && end.accuracy == whole.accuracy, "stopped at {at}");
        }
    }
}

#[test]
fn a_run_that_ends_early_ends_alike_however_it_was_stopped() {
    let early = |start| {
        let mut job = job(1);
        // Whatever it sees is good, so that it settles after step 12 and ends after step 21.
        let stopping = Stopping { look_every: 6, accuracy: 0.0, loss: 10.0, good: 2, settle: 9, ..Stopping::default() };
        job.params.stopping = Some(stopping);
        job.params.learning_rate_change = Some(LearningRateChange { after: 30, factor: 0.1 });
        Job { start, ..job }
    };
    let whole = train(1, &[early(Start::Random)], &Unobserved).pop().unwrap().unwrap();
    assert_eq!((whole.state.step, whole.state.evaluations.settling_since), (21, Some(12)));
    assert!(whole.accuracy.is_some());
    for at in [5, 12, 13, 20] {
        let stopper = Stopper { at, now: Mutex::new(0), states: Mutex::default() };
        let stopped = train(2, &[early(Start::Random)], &stopper).pop().unwrap().unwrap();
        assert_eq!((stopped.state.step, stopped.accuracy), (at, None));
        let resumed = early(Start::State(Box::new(stopped.state)));
        let end = train(1, &[resumed], &Unobserved).pop().unwrap().unwrap();
        assert!(end.state == whole.state && end.accuracy == whole.accuracy, "stopped at {at}");
    }
}

#[test]
fn a_program_gives_the_same_weights_in_every_cell_whatever_the_threads_and_stops() {
    for (name, cell) in ["registers:2x2", "recall:2x2", "group:S3"].into_iter().cycle().zip(CellKind::ALL) {
        let task = Task::named(name, None, None).unwrap();
        let job = |start| {
            let choices = Choices {
                cell: Some(cell),
                hidden: Some(9),
                seed: Some(4),
                steps: Some(30),
                batch: Some(70),
                ..Choices::default()
            };
            let (mut params, _) = choices.params(&task).unwrap();
            params.checkpoint_every = 10;
            params.test = TestParams { batches: 1, batch: 8, ..params.test };
            Job { task: task.clone(), params, start }
        };
        let whole = train(1, &[job(Start::Random)], &Unobserved).pop().unwrap().unwrap();
        assert!(network(3, job(Start::Random)) == whole.state.network, "{name}");
        let stopper = Stopper { at: 17, now: Mutex::new(0), states: Mutex::default() };
        let stopped = train(2, &[job(Start::Random)], &stopper).pop().unwrap().unwrap();
        let end = train(1, &[job(Start::State(Box::new(stopped.state)))], &Unobserved).pop().unwrap().unwrap();
        assert!(end.state == whole.state && end.accuracy == whole.accuracy, "{name}");
    }
}

#[test]
fn divergence_stops_one_network_and_says_when_and_what_to_try() {
    let mut wild = job(2);
    wild.params.activation = Activation::Identity;
    wild.params.learning_rate = 1e30;
    let results = train(2, &[job(1), wild, job(3)], &Unobserved);
    let message = results[1].as_ref().unwrap_err().to_string();
    assert!(message.starts_with("training diverged at step "), "{message}");
    assert!(message.contains("try a smaller learning rate than 1e30"), "{message}");
    for (index, seed) in [(0, 1), (2, 3)] {
        assert!(results[index].as_ref().unwrap().state.network == network(1, job(seed)));
    }
}

#[test]
fn weights_that_do_not_fit_the_task_are_refused() {
    let other = ketbra::network::Initialization::Uniform.network(
        &ketbra::network::Architecture::elman(70, Activation::Tanh, false),
        3,
        2,
        1,
    );
    let misfit = Job { start: Start::Weights(Box::new(other)), ..job(1) };
    let error = train(1, &[misfit], &Unobserved).pop().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the given network has 3 inputs, but task compose-copy needs 2");
}

/// A job for every cell, and for stacks, with and without biases.
fn jobs_of_every_cell() -> Vec<Job> {
    let of = |cell: CellKind, layers: usize, bias: bool| {
        let mut job = job(4);
        let params = &mut job.params;
        (params.cell, params.layers, params.bias, params.steps, params.checkpoint_every) = (cell, layers, bias, 12, 5);
        params.test = TestParams { horizon: 12, batches: 1, ..TestParams::default() };
        job
    };
    let single = CellKind::ALL.into_iter().flat_map(|cell| [of(cell, 1, false), of(cell, 1, true)]);
    single.chain(CellKind::ALL.into_iter().flat_map(|cell| [of(cell, 2, true), of(cell, 3, false)])).collect()
}

fn name(job: &Job) -> String {
    let TrainParams { cell, layers, bias, .. } = job.params;
    format!("{layers} layers of {}, bias {bias}", cell.name())
}

#[test]
fn any_number_of_threads_gives_the_same_weights_of_every_cell() {
    for job in jobs_of_every_cell() {
        let alone = network(1, job.clone());
        for threads in [2, 3] {
            assert!(network(threads, job.clone()) == alone, "{} on {threads} threads", name(&job));
        }
        assert!(alone != job.params.random_network(2), "{} learned nothing", name(&job));
    }
}

#[test]
fn every_cell_goes_on_from_a_stop_to_the_same_weights() {
    for job in jobs_of_every_cell() {
        let whole = train(2, std::slice::from_ref(&job), &Unobserved).pop().unwrap().unwrap();
        let stopper = Stopper { at: 7, now: Mutex::new(0), states: Mutex::default() };
        let stopped = train(1, std::slice::from_ref(&job), &stopper).pop().unwrap().unwrap();
        assert_eq!((stopped.state.step, stopped.accuracy), (7, None));
        let states = stopper.states.into_inner().unwrap();
        assert_eq!(states.iter().map(|state| state.step).collect::<Vec<_>>(), [0, 5, 7]);
        for state in states {
            let resumed = Job { start: Start::State(Box::new(state)), ..job.clone() };
            let end = train(1, &[resumed], &Unobserved).pop().unwrap().unwrap();
            assert!(end.state == whole.state && end.accuracy == whole.accuracy, "{}", name(&job));
        }
    }
}
