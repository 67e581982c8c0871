//! Records of the networks that a worker trains: metrics as always, checkpoints only as often as is worth it.

use super::SweepObserver;
use crate::network::Network;
use crate::run_folder::{Recorder, RunFolder, RunFolderError};
use crate::train::{Metrics, RecordError, TrainObserver, TrainState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Keeps the records of a list of networks and the time that this takes.
pub(super) struct Records<'a> {
    recorder: Recorder,
    /// When training began.
    began: OnceLock<Instant>,
    saved: Vec<Mutex<Option<Instant>>>,
    between: Duration,
    spent: AtomicU64,
    watcher: &'a dyn SweepObserver,
}

impl<'a> Records<'a> {
    pub(super) fn new(checkpoint_seconds: f64, watcher: &'a dyn SweepObserver) -> Self {
        let between = Duration::try_from_secs_f64(checkpoint_seconds).unwrap_or(Duration::ZERO);
        Self {
            recorder: Recorder::new(),
            began: OnceLock::new(),
            saved: vec![],
            between,
            spent: AtomicU64::new(0),
            watcher,
        }
    }

    /// Adds the run of the next job, which stands at `step`.
    pub(super) fn add(&mut self, folder: RunFolder, step: u64, tensorboard: bool) -> Result<(), RunFolderError> {
        self.recorder.add(folder, step, tensorboard)?;
        self.saved.push(Mutex::default());
        Ok(())
    }

    /// When the first record was made.
    pub(super) fn began(&self) -> Option<Instant> {
        self.began.get().copied()
    }

    /// The time that was spent on records.
    pub(super) fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent.load(Ordering::Relaxed))
    }

    fn timed<T>(&self, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        self.began.get_or_init(|| begin);
        let done = work();
        self.spent.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
        done
    }
}

impl TrainObserver for Records<'_> {
    fn record(&self, job: usize, metrics: &Metrics) -> Result<(), RecordError> {
        self.timed(|| self.recorder.record(job, metrics))
    }

    fn checkpoint(&self, job: usize, state: &TrainState) -> Result<(), RecordError> {
        let mut saved = self.saved[job].lock().unwrap_or_else(PoisonError::into_inner);
        // A network that is quickly trained is quickly trained again; one that is stopped must keep what it has.
        let began = *self.began.get_or_init(Instant::now);
        if saved.unwrap_or(began).elapsed() < self.between && !self.watcher.stop() {
            return Ok(());
        }
        *saved = Some(Instant::now());
        self.timed(|| self.recorder.checkpoint(job, state))
    }

    fn snapshot(&self, job: usize, step: u64, network: &Network) -> Result<(), RecordError> {
        self.timed(|| self.recorder.snapshot(job, step, network))
    }

    fn stop(&self, _job: usize) -> bool {
        self.watcher.stop()
    }
}

/// The records of one network of a list, for an engine that is given this one alone.
pub(super) struct OneOf<'a> {
    pub(super) records: &'a Records<'a>,
    /// Its place in the list.
    pub(super) place: usize,
}

impl TrainObserver for OneOf<'_> {
    fn record(&self, _job: usize, metrics: &Metrics) -> Result<(), RecordError> {
        self.records.record(self.place, metrics)
    }

    fn checkpoint(&self, _job: usize, state: &TrainState) -> Result<(), RecordError> {
        self.records.checkpoint(self.place, state)
    }

    fn snapshot(&self, _job: usize, step: u64, network: &Network) -> Result<(), RecordError> {
        self.records.snapshot(self.place, step, network)
    }

    fn stop(&self, _job: usize) -> bool {
        self.records.stop(self.place)
    }
}
