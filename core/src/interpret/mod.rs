//! From weights to a circuit that a person can read.
//!
//! Every stage runs once, on simulations that they share, and the result says what was found, how sure it is and what
//! speaks against it. Text, JSON and the page are views of one [`Interpretation`].

mod case;
mod coding;
pub(crate) mod contexts;
mod control;
mod doubts;
mod error;
mod judging;
pub mod limits;
mod matrices;
mod moment;
mod other_kind;
mod over_time;
mod params;
mod pipeline;
mod question;
mod reading;
mod recorded;
mod saved;
mod stimulus;
mod summaries;
mod tables;
mod trajectories;
mod warning;
mod writing;

pub use crate::claims::{Claim, ClaimName, ClaimParams, Reason, Verdict};
pub use contexts::{Cue, InContext, InContexts, Shared, in_context, interpret_context, interpret_contexts};
pub use control::{Control, Shuffled};
pub use error::InterpretError;
pub use params::{InterpretParams, StateView};
pub use pipeline::interpret;
pub use question::{Known, interpret_file};
pub(crate) use reading::observe_and_read;
pub use recorded::{Ablation, NoiseSummary, RecordingSummary, Without};
pub use saved::SavedError;
pub use stimulus::Stimulus;
pub use summaries::{
    AtOneMoment, CodeSummary, MemoriesSummary, NetworkSummary, ProductsSummary, Rank, Spectra, TaskSummary, WholeState,
};
pub use trajectories::interpret_trajectories;
pub use warning::{Note, Warning};
pub use writing::write_contents;

use crate::circuit::Core;
use crate::code::{Contents, OverTime, Sharing};
use crate::linearize::Linearization;
use crate::memories::Memories;
use crate::network::Accuracy;
use crate::numeric::{Matrix, c64};
use crate::observe::Kind;
use crate::recurrence::{Confidence, Reading, Step};
use crate::task::{Component, Gate, TableOf, Window};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is asked of a network: whether it does a task, or what it does.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// It was trained on this task: does it hold the task's circuit?
    Task(Window),
    /// Only the number of input steps is known: what does it compute?
    Blind {
        /// Input steps, which is variables.
        s: usize,
    },
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
    /// What it was driven with; nothing where it was not run.
    #[serde(default)]
    pub stimulus: Option<Stimulus>,
    /// What it does when it is driven otherwise, where no task was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
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
    /// What states hold of the inputs at each step of the trial; nothing where the circuit says it all and nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_time: Option<OverTime>,
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
    /// What was asked of the network.
    pub fn question(&self) -> Question {
        match self.details.task.as_ref().filter(|_| !self.blind) {
            Some(task) => Question::Task(task.clone()),
            None => Question::Blind { s: self.task.s },
        }
    }

    /// The function that was read back as a task, where every output is stated; nothing for a dense f.
    pub fn read_back(&self) -> Option<Window> {
        let (s, d) = (self.task.s, self.task.d);
        let gates: Option<Vec<Gate>> = self.function.iter().map(TableOf::gate).collect();
        Window::table("read back", s, d, gates.filter(|gates| gates.len() == d)?).ok()
    }
}

/// The matrices behind an interpretation.
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// The task that the memories belong to.
    pub task: Option<Window>,
    /// The core of that task; nothing for a truth table.
    pub core: Option<Core>,
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
