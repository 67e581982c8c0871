//! Somebody looks on while a network is simulated and interpreted, and may end it.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What an onlooker is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageProgress {
    /// What is being done.
    pub stage: &'static str,
    /// Share of the whole that is done, from 0 to 1; an estimate.
    pub share: f64,
}

/// Somebody asked for an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the end, as asked")]
pub struct Stopped;

/// Looks at each moment, and says whether to go on.
pub type OnProgress<'a> = &'a (dyn Fn(StageProgress) -> bool + Sync);

/// Share of the work that simulation takes.
const SIMULATION: f64 = 0.7;

/// An onlooker with a count of the work that is done.
pub struct Watch<'a> {
    look: OnProgress<'a>,
    done: AtomicUsize,
    all: usize,
}

impl<'a> Watch<'a> {
    /// An onlooker of so much simulation, counted in steps of episodes.
    pub fn new(look: OnProgress<'a>, all: usize) -> Self {
        Self { look, done: AtomicUsize::new(0), all: all.max(1) }
    }

    /// Nobody looks.
    pub fn nobody() -> Watch<'static> {
        Watch::new(&|_| true, 1)
    }

    /// So many steps of episodes were simulated.
    pub fn simulated(&self, steps: usize) -> Result<(), Stopped> {
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        self.tell("simulating", SIMULATION * (done as f64 / self.all as f64).min(1.0))
    }

    /// A stage after the simulation begins; `share` of what then is left is done.
    pub fn stage(&self, stage: &'static str, share: f64) -> Result<(), Stopped> {
        self.tell(stage, SIMULATION + (1.0 - SIMULATION) * share)
    }

    fn tell(&self, stage: &'static str, share: f64) -> Result<(), Stopped> {
        if (self.look)(StageProgress { stage, share }) { Ok(()) } else { Err(Stopped) }
    }
}
