//! Sweeps on this machine.

use super::finish::{Finisher, WAITING};
use super::runner::{Runner, SweepObserver, SweepOutcome, SweepSummary, Tally};
use super::work::{Work, lock};
use super::{COMPARED, Run, SweepError, SweepFolder, Trainer, write_csv};
use crate::interpret::InterpretParams;
use crate::panics::Panicked;
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::time::Instant;

/// Works on a sweep in this process: each worker claims networks, trains them, and interprets them at once.
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

impl Runner for Local {
    fn run(&self, folder: &SweepFolder, runs: &[Run], watcher: &dyn SweepObserver) -> Result<SweepOutcome, SweepError> {
        let begin = Instant::now();
        let tally = Mutex::new(Tally { total: runs.len(), ..Tally::default() });
        let work = Work::new(self, folder, watcher, &tally, runs);
        watcher.tally(&lock(&tally));
        let (sender, receiver) = sync_channel(WAITING);
        let finisher = Finisher::new(folder, watcher, &tally);
        let work = &work;
        std::thread::scope(|scope| {
            let finisher = scope.spawn(move || finisher.write_all(receiver));
            let workers: Vec<_> = (0..self.trainer.workers.max(1))
                .map(|_| sender.clone())
                .map(|sender| scope.spawn(move || work.work(&sender)))
                .collect();
            drop(sender);
            // What goes wrong with a network is its row; a thread that panics beside that ends the sweep with an error.
            let joined = |thread: std::thread::ScopedJoinHandle<'_, Result<(), SweepError>>| {
                thread.join().unwrap_or_else(|payload| Err(Panicked::of(payload.as_ref()).into()))
            };
            // Every thread is joined: the scope itself would panic over one that nobody asked.
            let worked = workers.into_iter().map(joined).fold(Ok(()), Result::and);
            joined(finisher).and(worked)
        })?;
        write_csv(folder)?;
        let seconds = begin.elapsed().as_secs_f64();
        let (training, interpreting) = work.spent();
        let side_by_side = self.trainer.interpreters.max(1) as f64;
        // A device trains one list at a time, and others are interpreted meanwhile.
        let at_once = if self.trainer.list > 1 { 1 } else { self.trainer.workers.max(1) };
        let outside = (1.0 - (training + interpreting / side_by_side) / (seconds * at_once as f64)).max(0.0);
        let tally = *lock(&tally);
        Ok(SweepOutcome::Worked(SweepSummary { tally, seconds, training, interpreting, outside }))
    }
}
