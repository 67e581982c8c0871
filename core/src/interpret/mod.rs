//! From weights to a circuit that a person can read.
//!
//! Every stage runs once, on simulations that they share, and the result says what was found, how sure it is and what
//! speaks against it. Text, JSON and the page are views of one [`Interpretation`].

mod case;
mod coding;
pub(crate) mod contexts;
mod control;
mod doubts;
pub mod limits;
mod matrices;
mod moment;
mod params;
mod pipeline;
mod question;
mod recorded;
mod saved;
mod tables;
mod trajectories;
mod warning;

pub use crate::claims::{Claim, ClaimName, ClaimParams, Reason, Verdict};
pub use contexts::{
    Cue, InContext, InContexts, OBEYED, SHARED, Shared, in_context, interpret_context, interpret_contexts,
};
pub use control::{Control, Shuffled};
pub use params::{InterpretParams, StateView};
pub use pipeline::{interpret, interpret_watched};
pub use question::{Known, interpret_file, interpret_file_watched};
pub use recorded::{Ablation, NoiseSummary, RecordingSummary, Without};
pub use saved::SavedError;
pub use trajectories::interpret_trajectories;
pub use warning::{Note, Warning};

use crate::circuit::CircuitError;
use crate::code::{Contents, ContentsFrom, Product, Rows, Sharing};
use crate::linearize::{Linearization, LinearizeError};
use crate::memories::{Memories, MemoriesError, Method};
use crate::network::{Accuracy, CellKind};
use crate::numeric::{Matrix, NumericError, c64};
use crate::observe::{ObserveError, Stopped, TrajectoriesError};
use crate::recurrence::{Confidence, Reading, RecurrenceError, Step};
use crate::setting::Setting;
use crate::spectrum::Spectrum;
use crate::task::{Component, Gate, TableOf, Task, TaskError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is asked of a network: whether it does a task, or what it does.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// It was trained on this task: does it hold the task's circuit?
    Task(Task),
    /// Only the number of input steps is known: what does it compute?
    Blind {
        /// Input steps, which is variables.
        s: usize,
    },
}

impl InterpretError {
    /// Whether somebody asked for an end.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Stopped(_) | Self::Observe(ObserveError::Stopped(_)))
    }
}

impl Question {
    /// Variables and components of each; a network or trajectories with `outputs` know the second where no task is given.
    pub fn size(&self, outputs: usize) -> (usize, usize) {
        match self {
            Self::Task(task) => (task.s(), task.d()),
            Self::Blind { s } => (*s, outputs),
        }
    }
}

/// A task in a few numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskSummary {
    /// What it is called; nothing where it could not be told.
    pub name: Option<String>,
    /// Variables.
    pub s: usize,
    /// Components of a variable.
    pub d: usize,
    /// Components that are kept for good.
    pub core: Option<usize>,
}

/// The spectra, by place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spectra {
    /// Of the Jacobian at the zero state; nothing where only trajectories are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Spectrum>,
    /// Of the Jacobian at a fixed point, for networks with biases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_point: Option<Spectrum>,
    /// Of the best linear map on the visited states.
    pub orbit: Spectrum,
    /// Of the best linear map on what the code reads from them, where the orbit itself is led astray by units that hold
    /// nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memories: Option<Spectrum>,
}

impl Spectra {
    /// The one that claims rest on: what is read from the memories where the orbit is led astray, otherwise the orbit.
    pub fn lasting(&self) -> &Spectrum {
        self.memories.as_ref().unwrap_or(&self.orbit)
    }
}

/// Memories in a few numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoriesSummary {
    /// How they were found.
    pub method: Method,
    /// Share of contents read rightly from settled states on fresh inputs, over all components.
    pub mean: f64,
    /// The same for the worst component.
    pub worst: f64,
    /// Which component that is.
    pub worst_component: Option<Component>,
    /// The worst component over the first s output steps, while the state settles.
    pub first_steps: f64,
    /// Whether every component is recovered.
    pub recovered: bool,
    /// Condition number of the memories.
    pub condition: Option<f64>,
    /// Relative distance of the learned circuit from Phi.
    pub phi_error: Option<f64>,
}

/// The code in a few numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeSummary {
    /// What the contents are taken to be.
    pub contents: ContentsFrom,
    /// How many there are.
    pub count: usize,
    /// Share of the variance of fresh states that they explain.
    pub explained: f64,
    /// Directions in which they stand out of what is left over.
    pub directions: usize,
    /// Condition number of the memories.
    pub condition: Option<f64>,
    /// Contents that are read linearly.
    pub read: usize,
    /// The one that is read worst: share of right signs, or 1 less the error of real values.
    pub worst: f64,
    /// Rows of the step matrix that are those of f.
    pub rows: Rows,
    /// Products of contents that the states hold beside them, where f is a truth table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub products: Option<ProductsSummary>,
    /// The code of one output step, for cells whose code may change with time and for truth tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_one_moment: Option<AtOneMoment>,
}

/// Product memories in a few numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProductsSummary {
    /// Share of the variance of fresh states that contents alone explain, then with products of two, of three, and so on.
    pub by_degree: Vec<f64>,
    /// The products that make up most of it.
    pub largest: Vec<Product>,
}

/// A code that was fitted and judged at one output step alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AtOneMoment {
    /// The output step, from 0.
    pub step: usize,
    /// Episodes that it was fitted on, and as many that it was judged on.
    pub episodes: usize,
    /// Share of the variance of fresh states that contents explain.
    pub explained: f64,
    /// The same with products of two, where f is a truth table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_products: Option<f64>,
    /// The content that is read worst.
    pub worst: f64,
    /// Condition number of the memories.
    pub condition: f64,
}

/// How the visited states fill the state space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rank {
    /// Directions that the orbit was linearized on.
    pub used: usize,
    /// Directions before the largest gap between consecutive singular values.
    pub largest_gap: usize,
    /// The ratio at that gap.
    pub gap_ratio: f64,
    /// Share of each step that the linear map does not predict.
    pub residual: f64,
    /// Singular values of the visited states, falling.
    pub singular_values: Vec<f64>,
}

/// What a network is made of, in a few numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkSummary {
    /// The kind of its layers; nothing where they are of several.
    pub cell: Option<CellKind>,
    /// How many layers.
    pub layers: usize,
    /// Units that the readout sees.
    pub units: usize,
    /// Numbers in its state, all layers together.
    pub state: usize,
}

impl std::fmt::Display for NetworkSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cell, layers, units, .. } = *self;
        match cell {
            Some(CellKind::Elman) => {}
            Some(cell) => write!(f, "{} ", cell.title())?,
            None => write!(f, "mixed cells ")?,
        }
        match layers {
            1 => write!(f, "H={units}"),
            layers => write!(f, "{layers} layers H={units}"),
        }
    }
}

/// What is found in the whole state, where the units are a part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WholeState {
    /// Numbers in it.
    pub size: usize,
    /// What it comes to there.
    pub verdict: Verdict,
    /// Why.
    pub reasons: Vec<Reason>,
    /// What is claimed of it.
    pub claims: Vec<Claim>,
    /// The code there.
    pub code: Option<CodeSummary>,
}

impl std::fmt::Display for WholeState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let failing: Vec<_> = self.claims.iter().filter(|claim| !claim.holds).map(|claim| claim.name.name()).collect();
        write!(f, "on the whole state ({} numbers): {}", self.size, self.verdict.name())?;
        match &failing[..] {
            [] => write!(f, ", all {} claims hold", self.claims.len()),
            some => write!(f, ", {} of {} claims fail ({})", some.len(), self.claims.len(), some.join(", ")),
        }
    }
}

/// What was found in a network.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Interpretation {
    /// The task, given or read back.
    pub task: TaskSummary,
    /// Whether the task was read back and not given.
    pub blind: bool,
    /// Units that were looked at.
    pub hidden: usize,
    /// What the network is made of; nothing where only trajectories are known.
    pub network: Option<NetworkSummary>,
    /// The part of the state that all this is about.
    pub state: StateView,
    /// What is found in the whole state, where that is more than what was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole_state: Option<WholeState>,
    /// Accuracy on the task over a long output phase.
    pub accuracy: Option<Accuracy>,
    /// Accuracy of each output over the first s output steps.
    pub outputs: Vec<f64>,
    /// What it comes to.
    pub verdict: Verdict,
    /// Why.
    pub reasons: Vec<Reason>,
    /// What is claimed, each with its figure and whether it holds.
    pub claims: Vec<Claim>,
    /// What the same procedure finds where there is nothing to find.
    pub control: Option<Control>,
    /// The code: which state stands for which contents.
    pub code: Option<CodeSummary>,
    /// Components that no linear reader reads.
    pub not_linear: Vec<Component>,
    /// Eigenvalues against the theory.
    pub spectrum: Spectra,
    /// What recordings say beside it; nothing for a network that was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<RecordingSummary>,
    /// How contents share directions, where there are fewer directions than contents.
    pub superposition: Option<Sharing>,
    /// How the visited states fill the state space; nothing where activity dies out.
    pub rank: Option<Rank>,
    /// The memories by the method asked for.
    pub memories: Option<MemoriesSummary>,
    /// Every method that was asked for, by name.
    pub methods: Option<BTreeMap<String, MemoriesSummary>>,
    /// The signed selection that the network computes, or nothing where it can't be told.
    pub recurrence: Option<Vec<Step>>,
    /// The truth table of every output whose function is stated; empty for a dense f.
    pub function: Vec<TableOf>,
    /// The function in words.
    pub recurrence_in_words: Vec<String>,
    /// How sure that is.
    pub confidence: Confidence,
    /// The evidence for each output.
    pub readings: Vec<Reading>,
    /// What a person should know before trusting this.
    pub warnings: Vec<Note>,
    /// Every number that decided something.
    pub params: InterpretParams,
    /// The matrices behind the numbers.
    #[serde(skip)]
    pub details: Details,
}

impl Interpretation {
    /// The function that was read back as a task, where every output is stated; nothing for a dense f.
    pub fn read_back(&self) -> Option<Task> {
        let (s, d) = (self.task.s, self.task.d);
        let gates: Option<Vec<Gate>> = self.function.iter().map(TableOf::gate).collect();
        Task::table("read back", s, d, gates.filter(|gates| gates.len() == d)?).ok()
    }
}

/// The matrices behind an interpretation.
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// The task that the memories belong to.
    pub task: Option<Task>,
    /// What a state must hold under that task, in the coordinates of the code.
    pub contents: Option<Contents>,
    /// The linearized orbit.
    pub orbit: Option<Linearization>,
    /// Mean state at each output step, which is taken off before contents are read; none where activity dies out.
    pub means: Vec<Vec<f64>>,
    /// Every eigenvalue of the Jacobian at the zero state.
    pub origin_eigenvalues: Vec<c64>,
    /// Memories in the order of the methods asked for, the one shown first.
    pub memories: Vec<Memories>,
    /// A few episodes of recordings, to look at; none for a network, which can be run.
    pub runs: Vec<RecordedRun>,
}

/// One episode of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRun {
    /// d x s: the inputs.
    pub inputs: Matrix,
    /// Units x output steps.
    pub states: Matrix,
    /// d x output steps.
    pub outputs: Matrix,
}

/// Why a network could not be interpreted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InterpretError {
    /// Nothing says what the network was trained on.
    #[error(
        "the file does not say which task the network was trained on; pass {}, or {} and {}",
        Setting::of("task", "T"),
        Setting::on("blind"),
        Setting::of("s", "N")
    )]
    NoTask,
    /// Nothing says for how many steps inputs are presented.
    #[error("{} needs to know the number of input steps; pass {}", Setting::on("blind"), Setting::of("s", "N"))]
    NoInputSteps,
    /// A task that is not to be used.
    #[error(
        "{} and {} exclude each other: pass the task, or let the function be read back",
        Setting::named("task"),
        Setting::on("blind")
    )]
    TaskAndBlind,
    /// A size that the network does not have.
    #[error(
        "{} reads back a function of as many components as the network has outputs, {outputs}, not {}",
        Setting::on("blind"),
        Setting::of("d", d)
    )]
    BlindSize {
        /// The size asked for.
        d: usize,
        /// The network's outputs.
        outputs: usize,
    },
    /// A method that trajectories do not feed.
    #[error("{method} needs the weights of a network; trajectories can be read by code, orbit, dual-orbit and rollout")]
    NeedsWeights {
        /// The method.
        method: &'static str,
    },
    /// Trajectories of another task.
    #[error(
        "the trajectories have {found} outputs, but the task has d={needed} components; pass the task they belong to"
    )]
    Outputs {
        /// Components of the outputs.
        found: usize,
        /// Components of the task.
        needed: usize,
    },
    /// A network without a cue for every context.
    #[error(
        "the network has {found} inputs; a task with {contexts} contexts and d={d} needs {}, a cue for each context: pass the \
         task that it was trained on",
        d + contexts
    )]
    CueInputs {
        /// Inputs of the network.
        found: usize,
        /// Components of the task.
        d: usize,
        /// Its contexts.
        contexts: usize,
    },
    /// A task with one function.
    #[error("task {0} has no contexts: interpret the network as it is")]
    NoContexts(String),
    /// A first layer without input weights.
    #[error("contexts are told apart in elman, gru and lstm layers only")]
    NoInputWeights,
    /// Sizes beyond the limits.
    #[error(transparent)]
    TooLarge(#[from] limits::TooLarge),
    /// Somebody asked for an end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Trajectories that cannot be used.
    #[error(transparent)]
    Trajectories(#[from] TrajectoriesError),
    /// A task that cannot be.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// Simulation failed.
    #[error(transparent)]
    Observe(#[from] ObserveError),
    /// The theory's circuit could not be built.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
    /// Linearization failed.
    #[error(transparent)]
    Linearize(#[from] LinearizeError),
    /// No memories.
    #[error(transparent)]
    Memories(#[from] MemoriesError),
    /// Nothing could be read back.
    #[error(transparent)]
    Recurrence(#[from] RecurrenceError),
    /// A matrix computation failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
}
