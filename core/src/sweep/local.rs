//! The engine on this machine: each worker claims networks, trains them, and interprets them at once.

use super::engine::{Engine, Outcome, Summary, Tally, Watcher};
use super::prepare::{Left, Prepared, prepare};
use super::record::Records;
use super::{COMPARED, Claim, Row, Run, SweepError, SweepFolder, Trainer, write_csv};
use crate::interpret::{InterpretParams, Question, interpret};
use crate::network::Network;
use crate::run_folder::{RunFolder, RunFolderError, RunResult, Status};
use crate::train::{self, Job, Start, TrainError};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two looks at networks that others work on.
const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// Shortest time between two tables of results.
const TABLE_EVERY: Duration = Duration::from_secs(2);
/// A table is written again after this many times what writing it took.
const TABLE_PATIENCE: u32 = 100;

/// Works on a sweep in this process.
pub struct Local {
    /// What trains the networks.
    pub trainer: Trainer,
    /// Seconds of training between checkpoints: the most that a kill can cost a network. Default 30.
    pub checkpoint_seconds: f64,
    /// Whether to stay until networks that others work on are done, and take over those that they leave. Default yes.
    pub wait: bool,
    /// Whether to try networks again that failed. Default no.
    pub retry: bool,
    /// How networks are interpreted.
    pub interpret: InterpretParams,
}

impl Local {
    /// With all defaults.
    pub fn new(trainer: Trainer) -> Self {
        let interpret = InterpretParams { methods: COMPARED.to_vec(), ..InterpretParams::default() };
        Self { trainer, checkpoint_seconds: 30.0, wait: true, retry: false, interpret }
    }
}

impl Engine for Local {
    fn run(&self, folder: &SweepFolder, runs: &[Run], watcher: &dyn Watcher) -> Result<Outcome, SweepError> {
        let begin = Instant::now();
        let work = Work {
            local: self,
            folder,
            watcher,
            queue: Mutex::default(),
            held: Mutex::default(),
            tally: Mutex::new(Tally { total: runs.len(), ..Tally::default() }),
            training: AtomicU64::new(0),
            interpreting: AtomicU64::new(0),
            next_table: Mutex::new(begin + TABLE_EVERY),
        };
        for run in runs {
            match work.settled(run) {
                Some(row) => work.count(&row),
                None => lock(&work.queue).push_back(run),
            }
        }
        watcher.tally(&lock(&work.tally));
        let results: Vec<Result<(), SweepError>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.trainer.workers.max(1)).map(|_| scope.spawn(|| work.work())).collect();
            workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
        });
        results.into_iter().collect::<Result<(), _>>()?;
        write_csv(folder)?;
        let seconds = begin.elapsed().as_secs_f64();
        let spent = |nanoseconds: &AtomicU64| nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9;
        let (training, interpreting) = (spent(&work.training), spent(&work.interpreting));
        let available = seconds * (self.trainer.workers.max(1) * self.trainer.interpreters.max(1)) as f64;
        let outside = 1.0 - (training * self.trainer.interpreters.max(1) as f64 + interpreting) / available;
        let tally = *lock(&work.tally);
        Ok(Outcome::Worked(Summary { tally, seconds, training, interpreting, outside }))
    }
}

/// A sweep under way.
struct Work<'a> {
    local: &'a Local,
    folder: &'a SweepFolder,
    watcher: &'a dyn Watcher,
    queue: Mutex<VecDeque<&'a Run>>,
    held: Mutex<Vec<&'a Run>>,
    tally: Mutex<Tally>,
    training: AtomicU64,
    interpreting: AtomicU64,
    next_table: Mutex<Instant>,
}

/// A network that is ours to work on.
struct Claimed<'a> {
    run: &'a Run,
    folder: RunFolder,
    // Given back when the network's row is written.
    _claim: Claim,
}

impl<'a> Work<'a> {
    fn work(&self) -> Result<(), SweepError> {
        while !self.watcher.stop() {
            let claimed = self.claim()?;
            if !claimed.is_empty() {
                self.work_on(claimed)?;
            } else if !self.look_again() {
                break;
            }
        }
        Ok(())
    }

    /// What came of a run, unless it is to be done again.
    fn settled(&self, run: &Run) -> Option<Row> {
        self.folder.row(&run.name).filter(|row| row.error.is_none() || !self.local.retry)
    }

    fn claim(&self) -> Result<Vec<(&'a Run, Claim)>, SweepError> {
        let mut claimed = vec![];
        while claimed.len() < self.local.trainer.list.max(1) {
            let Some(run) = lock(&self.queue).pop_front() else { break };
            let Some(claim) = self.folder.claim(&run.name)? else {
                lock(&self.held).push(run);
                continue;
            };
            // Only behind the claim is it certain that nobody finished it a moment ago.
            match self.settled(run) {
                Some(row) => self.count(&row),
                None => claimed.push((run, claim)),
            }
        }
        lock(&self.tally).running += claimed.len();
        self.watcher.tally(&lock(&self.tally));
        Ok(claimed)
    }

    /// Waits a moment for networks that others hold; false if there are none to wait for.
    fn look_again(&self) -> bool {
        let held = std::mem::take(&mut *lock(&self.held));
        if held.is_empty() || !self.local.wait {
            return false;
        }
        std::thread::sleep(LOOK_AGAIN);
        lock(&self.queue).extend(held);
        true
    }

    fn work_on(&self, claimed: Vec<(&'a Run, Claim)>) -> Result<(), SweepError> {
        let mut to_train = vec![];
        let mut trained = vec![];
        for (run, claim) in claimed {
            match prepare(&self.folder.run_path(&run.name), run, &self.local.trainer.name) {
                Ok(Prepared { folder, left }) => {
                    let claimed = Claimed { run, folder, _claim: claim };
                    match left {
                        Left::Train(start) => to_train.push((claimed, start)),
                        Left::Interpret(network, result) => trained.push((claimed, *network, result)),
                    }
                }
                Err(error) => self.fail(run, &error)?,
            }
        }
        trained.extend(self.train(to_train)?);
        let trained = Mutex::new(trained);
        let interpret = || -> Result<(), SweepError> {
            loop {
                let Some((claimed, network, result)) = lock(&trained).pop() else { return Ok(()) };
                self.interpret(&claimed, &network, &result)?;
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

    /// Trains a list; gives back what is trained to the end.
    fn train(&self, list: Vec<(Claimed<'a>, Start)>) -> Result<Vec<(Claimed<'a>, Network, RunResult)>, SweepError> {
        if list.is_empty() {
            return Ok(vec![]);
        }
        let records = Records::new(self.local.checkpoint_seconds, self.watcher);
        let (mut records, mut jobs, mut claimed) = (records, vec![], vec![]);
        for (ours, start) in list {
            let from = if let Start::State(state) = &start { state.step } else { 0 };
            match records.add(ours.folder.clone(), from) {
                Ok(()) => {
                    jobs.push(Job { start, ..ours.run.job.clone() });
                    claimed.push((ours, from));
                }
                Err(error) => self.fail(ours.run, &error)?,
            }
        }
        let begin = Instant::now();
        let outcomes = self.local.trainer.engine.train(&jobs, &records);
        let spent = begin.elapsed();
        add(&self.training, spent.saturating_sub(records.spent()));
        let mut trained = vec![];
        for ((mut ours, from), outcome) in claimed.into_iter().zip(outcomes) {
            let train::Outcome { state, accuracy } = match outcome {
                Ok(outcome) => outcome,
                Err(error) => {
                    let diverged = matches!(error, TrainError::Diverged { .. });
                    let written = diverged.then(|| ours.folder.write_manifest(|m| m.status = Status::Diverged));
                    written.transpose().map_err(|error| self.damaged(&error))?;
                    self.fail(ours.run, &error)?;
                    continue;
                }
            };
            let Some(accuracy) = accuracy else {
                // Stopped: the checkpoint is written, the rest is for later.
                lock(&self.tally).running -= 1;
                continue;
            };
            let steps = state.step;
            let seconds = spent.as_secs_f64();
            let result = RunResult {
                steps,
                seconds,
                steps_per_second: (steps - from) as f64 / seconds,
                loss: state.metrics.map_or(f64::NAN, |metrics| metrics.loss),
                horizon: state.metrics.map_or(0, |metrics| metrics.horizon),
                accuracy,
                learned: accuracy.value >= ours.run.job.params.test.learned_from,
            };
            let written = ours.folder.write_network(&state.network).and_then(|()| {
                ours.folder.write_manifest(|manifest| {
                    manifest.status = Status::Complete;
                    manifest.result = Some(result.clone());
                })
            });
            written.and_then(|()| ours.folder.remove_checkpoints()).map_err(|error| self.damaged(&error))?;
            trained.push((ours, state.network, result));
        }
        Ok(trained)
    }

    fn interpret(&self, claimed: &Claimed<'_>, network: &Network, result: &RunResult) -> Result<(), SweepError> {
        let mut row = Row::of(claimed.run);
        row.accuracy = Some(result.accuracy.value);
        row.loss = Some(result.loss).filter(|loss| loss.is_finite());
        row.mean_horizon = claimed.folder.mean_horizon();
        let begin = Instant::now();
        let found = interpret(network, &Question::Task(claimed.run.job.task.clone()), &self.local.interpret);
        add(&self.interpreting, begin.elapsed());
        match found {
            Ok(found) => row.interpreted(claimed.run, &found),
            Err(error) => row.error = Some(error.to_string()),
        }
        self.finish(&row)
    }

    fn fail(&self, run: &Run, error: &dyn std::error::Error) -> Result<(), SweepError> {
        self.finish(&Row { error: Some(error.to_string()), ..Row::of(run) })
    }

    fn finish(&self, row: &Row) -> Result<(), SweepError> {
        self.folder.write_row(row)?;
        {
            let mut tally = lock(&self.tally);
            tally.running -= 1;
            tally.here += 1;
        }
        self.count(row);
        self.watcher.finished(row);
        self.watcher.tally(&lock(&self.tally));
        // Whoever comes while another writes the table can leave it at that.
        let Ok(mut next) = self.next_table.try_lock() else { return Ok(()) };
        let begin = Instant::now();
        if begin >= *next {
            write_csv(self.folder)?;
            *next = Instant::now() + TABLE_EVERY.max(begin.elapsed() * TABLE_PATIENCE);
        }
        Ok(())
    }

    fn count(&self, row: &Row) {
        let mut tally = lock(&self.tally);
        if row.error.is_some() {
            tally.failed += 1;
        } else {
            tally.done += 1;
        }
    }

    fn damaged(&self, error: &RunFolderError) -> SweepError {
        SweepError::Damaged { path: self.folder.path().into(), problem: error.to_string() }
    }
}

fn add(total: &AtomicU64, spent: Duration) {
    total.fetch_add(spent.as_nanos() as u64, Ordering::Relaxed);
}

/// What a lock guards is whole at every moment, so a thread that failed leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
