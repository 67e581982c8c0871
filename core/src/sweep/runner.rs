//! What runs a sweep.

use super::{Row, Run, Submission, SweepError, SweepFolder};
use serde::Serialize;

/// A way to get the networks of a sweep trained and interpreted.
///
/// A runner sees to it that the folder gets a row for each network, and takes up what an earlier attempt left.
pub trait Runner {
    /// Works on every run that has no result yet, or sees to it that somebody will.
    fn run(&self, folder: &SweepFolder, runs: &[Run], watcher: &dyn SweepObserver) -> Result<SweepOutcome, SweepError>;
}

/// How a runner left its work.
#[derive(Clone, Debug)]
pub enum SweepOutcome {
    /// It worked on the sweep until nothing was left, or until it was asked to stop.
    Worked(SweepSummary),
    /// It handed the work to others.
    Submitted(Submission),
    /// There was nothing to hand out: every run has its result, or is under way.
    NothingToSubmit,
}

/// How a sweep stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Networks asked for.
    pub total: usize,
    /// Networks with results.
    pub done: usize,
    /// Networks that failed.
    pub failed: usize,
    /// Networks under way here.
    pub running: usize,
    /// Networks that this process finished.
    pub here: usize,
}

impl Tally {
    /// Counts a network of which is known what came of it.
    pub(super) fn count(&mut self, row: &Row) {
        match row.error {
            Some(_) => self.failed += 1,
            None => self.done += 1,
        }
    }
}

/// How a sweep went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SweepSummary {
    /// How it stands.
    pub tally: Tally,
    /// Seconds from beginning to end.
    pub seconds: f64,
    /// Seconds in training, over all workers; writing records is not counted.
    pub training: f64,
    /// Seconds in interpretation, over all workers.
    pub interpreting: f64,
    /// Share of the workers' time that went into neither.
    pub outside: f64,
}

/// Follows a sweep, and may ask for a stop.
pub trait SweepObserver: Sync {
    /// Is told how the sweep stands.
    fn tally(&self, tally: &Tally) {
        let _ = tally;
    }

    /// Is told what came of a network.
    fn finished(&self, row: &Row) {
        let _ = row;
    }

    /// Whether to stop as soon as everything is saved.
    fn stop(&self) -> bool {
        false
    }
}

/// A watcher that ignores all it is told.
pub struct Unwatched;

impl SweepObserver for Unwatched {}
