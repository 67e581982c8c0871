//! How a circuit comes to be: memories, spectrum and function on the weights that a run kept on its way.

mod order;

pub use order::{Appeared, Order};

use crate::interpret::{InterpretError, InterpretParams, Interpretation, Question, Verdict, interpret};
use crate::network::Network;
use crate::run_folder::{RunFolder, RunFolderError};
use crate::setting::Setting;
use crate::setting::{Adjustable, settings};
use crate::task::{TableOf, TaskError, Window};
use rayon::prelude::*;
use serde::Serialize;

settings! {
    /// From when on something counts as there.
    pub struct DevelopParams {
        /// Share of the contents that are read linearly. Default 1.
        read: f64 = 1.0, SHARE;
        /// Share of the variance of the states that the contents explain.
        explained: f64 = 0.9, SHARE;
        /// Largest mean angle error of the eigenvalues; there must be as many as the theory asks for.
        angle: f64 = 0.05, RADIANS;
        /// Share of the outputs whose function is read back rightly. Default 1.
        recovered: f64 = 1.0, SHARE;
        /// Accuracy over a long output phase.
        accuracy: f64 = 0.99, SHARE;
        /// How each network is interpreted.
        #[serde(skip)]
        interpret: InterpretParams;
    }
}

impl Adjustable for DevelopParams {
    const NAME: &'static str = "develop";
    type Error = InterpretError;

    fn complete(self) -> Result<Self, InterpretError> {
        Ok(Self { interpret: self.interpret.complete()?, ..self })
    }
}

/// How the circuit of a run came to be.
#[derive(Clone, Debug, Serialize)]
pub struct Development {
    /// The task.
    pub task: String,
    /// The cell.
    pub cell: String,
    /// Hidden units.
    pub hidden: usize,
    /// Seed.
    pub seed: u64,
    /// The weights that were kept, in the order of training.
    pub moments: Vec<Moment>,
    /// What appeared, and when.
    pub appeared: Order,
    /// What decided.
    pub params: DevelopParams,
}

/// What was there after some steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// Optimizer steps taken.
    pub step: u64,
    /// Share of the variance of fresh states that the contents explain; 0 without a code.
    pub explained: f64,
    /// Share of the contents that are read linearly.
    pub read: f64,
    /// Directions on the circle, as a share of those that the theory asks for; above 1 where there are more.
    pub directions: Option<f64>,
    /// Mean angle error, where there are as many as the theory asks for.
    pub angle_error: Option<f64>,
    /// Share of the outputs whose function is read back rightly.
    pub recovered: f64,
    /// Accuracy over a long output phase.
    pub accuracy: f64,
    /// The verdict.
    pub verdict: Verdict,
}

/// Why the development of a run cannot be told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DevelopError {
    /// No weights on the way.
    #[error(
        "{0} kept no weights on the way: train it again with {many} and {spaced}, and {force} where it is to be replaced",
        many = Setting::of("snapshots", 40),
        spaced = Setting::on("log-spaced"),
        force = Setting::on("force")
    )]
    NoSnapshots(String),
    /// A dense function cannot be compared output by output.
    #[error("task {0} has no truth tables to hold against what is read back; use a task of copies or truth tables")]
    NoTables(String),
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] RunFolderError),
    /// The task.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A network that cannot be interpreted.
    #[error("after step {step}: {source}")]
    Interpret {
        /// Of which snapshot.
        step: u64,
        /// Why.
        source: InterpretError,
    },
}

/// Looks at every snapshot of a run; `done` is told after each, and says whether to go on.
pub fn develop(
    run: &RunFolder,
    params: &DevelopParams,
    done: &(dyn Fn(usize, usize) -> bool + Sync),
) -> Result<Development, DevelopError> {
    let manifest = run.manifest();
    let task = manifest.task()?.into_window()?;
    let kept = run.read_snapshots()?;
    if kept.is_empty() {
        return Err(DevelopError::NoSnapshots(run.path().display().to_string()));
    }
    let moments = moments(&kept, &task, params, done)?;
    let appeared = Order::of(&moments, params);
    let of = &manifest.params;
    let (cell, hidden, seed) = (of.cell.name().to_string(), of.hidden, of.seed);
    Ok(Development { task: task.name().into(), cell, hidden, seed, moments, appeared, params: params.clone() })
}

fn moments(
    kept: &[(u64, Network)],
    task: &Window,
    params: &DevelopParams,
    done: &(dyn Fn(usize, usize) -> bool + Sync),
) -> Result<Vec<Moment>, DevelopError> {
    let wanted = TableOf::all(task).ok_or_else(|| DevelopError::NoTables(task.name().into()))?;
    let question = Question::Task(task.clone());
    let count = std::sync::atomic::AtomicUsize::new(0);
    let one = |(step, network): &(u64, Network)| {
        let wrong = |source| DevelopError::Interpret { step: *step, source };
        let found = interpret(network, &question, &params.interpret, &|_| true).map_err(wrong)?;
        let so_far = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        if !done(so_far, kept.len()) {
            return Err(wrong(InterpretError::Stopped(crate::observe::Stopped)));
        }
        Ok(Moment::of(*step, &found, &wanted))
    };
    kept.par_iter().map(one).collect()
}

impl Moment {
    fn of(step: u64, found: &Interpretation, wanted: &[TableOf]) -> Self {
        let (explained, read) = found
            .code
            .as_ref()
            .map_or((0.0, 0.0), |code| (code.explained, code.read as f64 / code.count.max(1) as f64));
        let spectrum = found.spectrum.lasting();
        let right = found.function.iter().filter(|table| wanted.contains(table)).count();
        Self {
            step,
            explained: explained.max(0.0),
            read,
            directions: spectrum.expected.map(|expected| spectrum.found as f64 / expected.max(1) as f64),
            angle_error: spectrum.error,
            recovered: right as f64 / wanted.len().max(1) as f64,
            accuracy: found.accuracy.map_or(0.0, |accuracy| accuracy.value),
            verdict: found.verdict,
        }
    }
}
