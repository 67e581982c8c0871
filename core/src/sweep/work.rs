//! The work on a sweep that workers share.

use super::finish::Finished;
use super::local::Local;
use super::prepare::{Left, Prepared, prepare};
use super::record::{OneOf, Records};
use super::runner::{SweepObserver, Tally};
use super::{NetworkLock, Row, Run, SweepError, SweepFolder};
use crate::interpret::{Question, interpret};
use crate::network::Network;
use crate::panics::catch_panic;
use crate::run_folder::{RunFolder, RunResult};
use crate::setting::Adjustable;
use crate::train::{self, Job, Start, TrainError};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two looks at networks that others work on.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// A sweep under way.
pub(super) struct Work<'a> {
    local: &'a Local,
    folder: &'a SweepFolder,
    watcher: &'a dyn SweepObserver,
    tally: &'a Mutex<Tally>,
    queue: Mutex<VecDeque<&'a Run>>,
    held: Mutex<Vec<&'a Run>>,
    /// Held by whoever claims, so that a list is as long as it can be and not shared between workers.
    claiming: Mutex<()>,
    training: AtomicU64,
    interpreting: AtomicU64,
}

/// A network that is ours to work on.
struct Ours<'a> {
    run: &'a Run,
    folder: RunFolder,
    claim: NetworkLock,
}

/// A network that took all its steps.
struct Trained<'a> {
    ours: Ours<'a>,
    network: Network,
    result: RunResult,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        local: &'a Local,
        folder: &'a SweepFolder,
        watcher: &'a dyn SweepObserver,
        tally: &'a Mutex<Tally>,
        runs: &'a [Run],
    ) -> Self {
        let work = Self {
            local,
            folder,
            watcher,
            tally,
            queue: Mutex::default(),
            held: Mutex::default(),
            claiming: Mutex::default(),
            training: AtomicU64::new(0),
            interpreting: AtomicU64::new(0),
        };
        let mut left = vec![];
        for run in runs {
            match work.settled(run) {
                Some(row) => lock(tally).count(&row),
                None => left.push(run),
            }
        }
        if local.trainer.list > 1 {
            // What takes longest comes first: what is left to interpret at the end is quickly interpreted.
            left.sort_by_key(|run| std::cmp::Reverse(shape(run)));
        }
        lock(&work.queue).extend(left);
        work
    }

    /// Claims and works until nothing is left.
    pub(super) fn work(&self, finished: &SyncSender<Finished>) -> Result<(), SweepError> {
        while !self.watcher.stop() {
            let claimed = self.claim()?;
            if claimed.is_empty() && !self.look_again() {
                break;
            }
            // Whoever writes has stopped only if the disk refused, and tells so itself.
            if self.work_on(claimed, finished).is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Seconds in training and in interpretation, over all workers.
    pub(super) fn spent(&self) -> (f64, f64) {
        let seconds = |nanoseconds: &AtomicU64| nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9;
        (seconds(&self.training), seconds(&self.interpreting))
    }

    /// What came of a run, unless it is to be done again.
    fn settled(&self, run: &Run) -> Option<Row> {
        let ours = |row: &Row| row.key.is_none() || row.key == run.key().ok();
        self.folder.row(&run.name).filter(|row| ours(row) && (row.error.is_none() || !self.local.retry))
    }

    fn claim(&self) -> Result<Vec<(&'a Run, NetworkLock)>, SweepError> {
        let _claiming = lock(&self.claiming);
        let mut claimed: Vec<(&Run, NetworkLock)> = vec![];
        while claimed.len() < self.local.trainer.list.max(1) {
            let fits = |run: &&Run| claimed.first().is_none_or(|(first, _)| shape(first) == shape(run));
            let Some(run) = lock(&self.queue).pop_front_if(|run| fits(run)) else { break };
            let Some(claim) = self.folder.claim(&run.name)? else {
                lock(&self.held).push(run);
                continue;
            };
            // Only behind the claim is it certain that nobody finished it a moment ago.
            match self.settled(run) {
                Some(row) => lock(self.tally).count(&row),
                None => claimed.push((run, claim)),
            }
        }
        let mut tally = lock(self.tally);
        tally.running += claimed.len();
        self.watcher.tally(&tally);
        Ok(claimed)
    }

    /// Waits a moment for networks that others hold; false if there are none to wait for.
    fn look_again(&self) -> bool {
        if lock(&self.held).is_empty() || !self.local.wait {
            return false;
        }
        std::thread::sleep(LOOK_AGAIN);
        let held = std::mem::take(&mut *lock(&self.held));
        lock(&self.queue).extend(held);
        true
    }

    fn work_on(&self, claimed: Vec<(&'a Run, NetworkLock)>, finished: &SyncSender<Finished>) -> Option<()> {
        let mut to_train = vec![];
        let mut trained = vec![];
        for (run, claim) in claimed {
            let prepared = catch_panic(|| prepare(&self.folder.run_path(&run.name), run, &self.local.trainer.name));
            match prepared.unwrap_or_else(|panicked| Err(TrainError::from(panicked).into())) {
                Ok(Prepared { folder, left }) => {
                    let ours = Ours { run, folder, claim };
                    match left {
                        Left::Train(start) => to_train.push((ours, start)),
                        Left::Interpret(network, result) => trained.push(Trained { ours, network: *network, result }),
                    }
                }
                Err(error) => fail(run, claim, &error, finished)?,
            }
        }
        if !to_train.is_empty() {
            trained.extend(self.train(to_train, finished)?);
        }
        let trained = Mutex::new(trained);
        let interpret = || -> Option<()> {
            loop {
                let Some(next) = lock(&trained).pop() else { return Some(()) };
                self.interpret(next, finished)?;
            }
        };
        if self.local.trainer.interpreters <= 1 {
            return interpret();
        }
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.local.trainer.interpreters).map(|_| scope.spawn(interpret)).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        })
    }

    /// Trains a list; gives back what took all its steps.
    fn train(&self, list: Vec<(Ours<'a>, Start)>, finished: &SyncSender<Finished>) -> Option<Vec<Trained<'a>>> {
        let mut records = Records::new(self.local.checkpoint_seconds, self.watcher);
        let (mut jobs, mut claimed) = (vec![], vec![]);
        for (ours, start) in list {
            let from = if let Start::State(state) = &start { state.step } else { 0 };
            match records.add(ours.folder.clone(), from, ours.run.tensorboard) {
                Ok(()) => {
                    jobs.push(Job { start, ..ours.run.job.clone() });
                    claimed.push((ours, from));
                }
                Err(error) => fail(ours.run, ours.claim, &error, finished)?,
            }
        }
        let begin = Instant::now();
        let outcomes = train_each(self.local.trainer.engine.as_ref(), &jobs, &records);
        // A device may have been busy with another list.
        let spent = records.began().unwrap_or(begin).elapsed();
        add(&self.training, spent.saturating_sub(records.spent()));
        let mut trained = vec![];
        for ((ours, from), outcome) in claimed.into_iter().zip(outcomes) {
            match outcome {
                Ok(train::Outcome { state, accuracy: Some(accuracy) }) => {
                    let result = RunResult::of(&ours.run.job, &state, accuracy, from, spent.as_secs_f64());
                    let (folder, network) = (ours.folder.clone(), state.best().clone());
                    let copy = Box::new(network.clone());
                    finished.send(Finished::Trained { folder, network: copy, result: result.clone() }).ok()?;
                    trained.push(Trained { ours, network, result });
                }
                // Stopped: the checkpoint is written, the rest is for later.
                Ok(_) => lock(self.tally).running -= 1,
                Err(error) => {
                    if matches!(error, TrainError::Diverged { .. }) {
                        finished.send(Finished::Diverged { folder: ours.folder }).ok()?;
                    }
                    fail(ours.run, ours.claim, &error, finished)?;
                }
            }
        }
        Some(trained)
    }

    fn interpret(&self, trained: Trained<'a>, finished: &SyncSender<Finished>) -> Option<()> {
        let Trained { ours: Ours { run, folder, claim }, network, result } = trained;
        let mut row = Row::of(run);
        row.accuracy = Some(result.accuracy.value);
        row.loss = Some(result.loss).filter(|loss| loss.is_finite());
        row.steps_taken = Some(result.steps);
        row.steps_to_99 = result.steps_to_99;
        row.mean_horizon = folder.mean_horizon();
        let begin = Instant::now();
        // Of a program a sweep says how well it is learned.
        let Ok(task) = run.job.task.window() else {
            return finished.send(Finished::Row { row: Box::new(row), claim }).ok();
        };
        let question = Question::Task(task.clone());
        let found = catch_panic(|| {
            interpret(&network, &question, &self.local.interpret.clone().with_map(&run.interpret)?, &|_| true)
        });
        add(&self.interpreting, begin.elapsed());
        match found {
            Ok(Ok(found)) => row.interpreted(run, &found),
            Ok(Err(error)) => row.error = Some(error.to_string()),
            Err(panicked) => row.error = Some(panicked.to_string()),
        }
        finished.send(Finished::Row { row: Box::new(row), claim }).ok()
    }
}

/// Trains a list, and where the engine panics over it, each network by itself: one result for each, whatever happens.
fn train_each(
    engine: &(dyn train::Engine + Sync + Send),
    jobs: &[Job],
    records: &Records<'_>,
) -> Vec<Result<train::Outcome, TrainError>> {
    match catch_panic(|| engine.train(jobs, records)) {
        Ok(outcomes) if outcomes.len() == jobs.len() => outcomes,
        Ok(_) => jobs.iter().map(|_| Err(TrainError::NoResult)).collect(),
        Err(panicked) if jobs.len() == 1 => vec![Err(panicked.into())],
        Err(_) => {
            let alone = |(place, job): (usize, &Job)| {
                let trained = catch_panic(|| engine.train(std::slice::from_ref(job), &OneOf { records, place }).pop());
                trained.unwrap_or_else(|panicked| Some(Err(panicked.into()))).unwrap_or(Err(TrainError::NoResult))
            };
            jobs.iter().enumerate().map(alone).collect()
        }
    }
}

/// Networks of one shape are trained side by side.
fn shape(run: &Run) -> (usize, usize, usize) {
    let task = &run.job.task;
    (run.job.params.hidden, task.steps_before_outputs() * task.outputs(), task.outputs())
}

fn fail(run: &Run, claim: NetworkLock, error: &dyn std::error::Error, finished: &SyncSender<Finished>) -> Option<()> {
    let row = Box::new(Row { error: Some(error.to_string()), ..Row::of(run) });
    finished.send(Finished::Row { row, claim }).ok()
}

fn add(total: &AtomicU64, spent: Duration) {
    total.fetch_add(spent.as_nanos() as u64, Ordering::Relaxed);
}

/// What a lock guards is whole at every moment, so a thread that failed leaves nothing half done.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
