//! Reprogramming a trained network, with no gradient step.
//!
//! The network's own code says which state stands for which contents. A new circuit is written in that code: the new
//! recurrent weights are the ridge regression that takes each state to the code of the contents that should follow.
//! Contents that the network never held get a unit each. Inputs are written more strongly than the feedback that they
//! compete with, so that raw inputs work too and not only loaded variables.

mod accuracy;
mod change;
mod code;
mod least;
mod rewrite;
mod summary;

pub use accuracy::EditAccuracy;
pub use change::Change;
pub use code::{OwnCode, own_code};
pub use summary::EditSummary;

use crate::circuit::CircuitError;
use crate::network::{Network, NetworkError};
use crate::numeric::{Matrix, NumericError};
use crate::observe::ObserveError;
use crate::task::{Task, TaskError};
use serde::{Deserialize, Serialize};

/// How a network is edited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EditParams {
    /// Seed of every input.
    pub seed: u64,
    /// Episodes that show the network's own code; an even number, as inputs come in pairs u, -u.
    pub episodes: usize,
    /// Output steps of these episodes.
    pub steps: usize,
    /// Output steps left out at the start, while the state settles.
    pub settle: usize,
    /// States are kept this far inside +-1 before the activation is inverted.
    pub largest_state: f64,
    /// Ridge of the linear readers that decide what the network holds.
    pub reading_ridge: f64,
    /// Ridge of the readers of pre-activations.
    pub before_ridge: f64,
    /// Change as little as possible: only what the new circuit does otherwise is added to the recurrent weights.
    pub least: bool,
    /// Contents read with at least this share of right signs are held: their code is kept.
    pub held: f64,
    /// Contents that are not held are written into one unit each, with this weight.
    pub fresh_weight: f64,
    /// The code is scaled down to this root mean square, so that the activation stays invertible.
    pub code_size: f64,
    /// Weight of the units that switch between input and feedback, where these are needed.
    pub gate_weight: f64,
    /// Random contents that the new weights are fitted on.
    pub samples: usize,
    /// Ridge of the new recurrent weights.
    pub ridge: f64,
    /// How much more strongly inputs are written than contents are kept; over 2 an input always wins.
    pub write_strength: f64,
    /// An edit is good enough from this accuracy on, loaded and from inputs; otherwise the next mode is tried.
    pub good: f64,
    /// Episodes and output steps on which modes are compared.
    pub trial: (usize, usize),
    /// Batches of 64 fresh inputs for the accuracies that are reported.
    pub score_batches: u32,
    /// Output steps of the accuracies that are reported.
    pub horizon: usize,
}

impl Default for EditParams {
    fn default() -> Self {
        Self {
            seed: 1,
            episodes: 128,
            steps: 60,
            settle: 20,
            largest_state: 0.999,
            reading_ridge: 1e-4,
            before_ridge: 1e-3,
            least: false,
            held: 0.995,
            fresh_weight: 0.8,
            code_size: 0.5,
            gate_weight: 2.0,
            samples: 2048,
            ridge: 1e-3,
            write_strength: 3.0,
            good: 0.999,
            trial: (64, 60),
            score_batches: 4,
            horizon: 200,
        }
    }
}

/// How much of the network's own code an edit keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Only what the new circuit does otherwise is added; asked for, and never chosen.
    Least,
    /// Every content that the network holds keeps its code.
    Own,
    /// The newest variable moves to units that switch between input and feedback; the rest keeps its code.
    Gated,
    /// Every content gets a unit of its own: a new network in the old one's place.
    Transplant,
}

/// An edited network.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The network.
    pub network: Network,
    /// What it computes now.
    pub task: Task,
    /// How much of its own code was kept.
    pub mode: Mode,
    /// Contents that were given a unit of their own.
    pub fresh_units: usize,
    /// Contents that the new circuit needs.
    pub contents: usize,
    /// Relative change of the recurrent weights (Frobenius).
    pub weight_change: f64,
    /// Relative change of the input weights: inputs are written anew in every edit.
    pub input_change: f64,
    /// Relative change of the readout.
    pub readout_change: f64,
    /// Whether the network had biases and has none now.
    pub biases_dropped: bool,
    /// Accuracy before the edit on what the network was said to compute.
    pub computed_before: f64,
    /// Accuracy on the new task.
    pub accuracy: EditAccuracy,
    /// H x contents: the state `act(code v)` holds the contents v.
    pub code: Matrix,
    /// Window components of the contents, rising.
    pub slots: Vec<usize>,
}

/// Why a network could not be edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The two tasks have different sizes.
    #[error(
        "the network works with s={s}, d={d}, but the new task has s={new_s}, d={new_d}; choose one of the same size"
    )]
    Sizes {
        /// Variables of the network's task.
        s: usize,
        /// Components of the network's task.
        d: usize,
        /// Variables of the new task.
        new_s: usize,
        /// Components of the new task.
        new_d: usize,
    },
    /// An activation that cannot be inverted.
    #[error("an edit inverts the activation, which relu does not allow; edit a tanh network")]
    NotInvertible,
    /// A cell that is not a plain layer.
    #[error("only networks of one plain layer can be edited")]
    NotElman,
    /// More contents than units.
    #[error("the new task needs {contents} contents, but the network has only {hidden} units; use a larger network")]
    TooFewUnits {
        /// Contents needed.
        contents: usize,
        /// Units there.
        hidden: usize,
    },
    /// A network that says nothing.
    #[error("activity dies out: there is no code to write a new circuit in; train the network first")]
    Silent,
    /// The least change of a network with biases.
    #[error("the least change works for networks without biases; edit this one without --least")]
    LeastNeedsNoBias,
    /// The least change needs a content that the network does not hold.
    #[error(
        "the least change needs u{component} in variable {variable}, which the network does not hold; edit it without \
         --least"
    )]
    NotHeld {
        /// The variable, from 1.
        variable: usize,
        /// The component, from 1.
        component: usize,
    },
    /// A change that names something that is not there.
    #[error("{what} {value} does not exist: choose 1 to {limit}")]
    OutOfRange {
        /// What was named.
        what: &'static str,
        /// The number given.
        value: usize,
        /// The largest number that works.
        limit: usize,
    },
    /// A strength that is no positive number.
    #[error(
        "a variable cannot be kept with strength {value}; give a number over 0 and up to {limit}, 1 keeps it as it is"
    )]
    Strength {
        /// The number given.
        value: f64,
        /// The largest that works.
        limit: f64,
    },
    /// A new function that is no task.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A network whose shapes do not fit.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// Simulation failed.
    #[error(transparent)]
    Observe(#[from] ObserveError),
    /// The circuit of a task could not be built.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
    /// A matrix computation failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
}

/// Makes a network that computes `from` compute what `change` asks for.
///
/// Modes are tried from the gentlest on, until one is good enough both from loaded variables and from raw inputs; if none
/// is, the one that is best from raw inputs is returned.
pub fn edit(network: &Network, from: &Task, change: &Change, params: &EditParams) -> Result<Edited, EditError> {
    network.check()?;
    let cell = network.as_elman().ok_or(EditError::NotElman)?;
    let target = change.apply(from)?;
    let own = code::own_code(network, from, params)?;
    let mut best: Option<(f64, Mode, rewrite::Rewritten)> = None;
    let modes: &[Mode] = if params.least { &[Mode::Least] } else { &[Mode::Own, Mode::Gated, Mode::Transplant] };
    for &mode in modes {
        let rewritten = match mode {
            Mode::Least => least::rewrite_least(network, &own, from, &target, params),
            mode => rewrite::rewrite(network, &own, &target, mode, params),
        };
        let rewritten = match rewritten {
            Ok(rewritten) => rewritten,
            // A gentler mode may have fitted where one that needs more units does not.
            Err(EditError::TooFewUnits { .. }) if best.is_some() => break,
            Err(error) => return Err(error),
        };
        let (loaded, raw) = accuracy::trial(&rewritten, &target.task, params);
        if best.as_ref().is_none_or(|(most, ..)| raw > *most) {
            best = Some((raw, mode, rewritten));
        }
        if loaded.min(raw) >= params.good {
            break;
        }
    }
    let Some((_, mode, rewritten)) = best else { return Err(EditError::Silent) };
    let accuracy = accuracy::accuracy(network, &rewritten, &target.task, params);
    let changed = |new: &Matrix, old: &Matrix| (new - old).norm_l2() / old.norm_l2().max(f64::MIN_POSITIVE);
    let edited = &rewritten.network;
    let edited_cell = edited.as_elman().ok_or(EditError::NotElman)?;
    Ok(Edited {
        // Where nothing that the new circuit needs was held, nothing of its own code is left.
        mode: if rewritten.fresh_units == rewritten.slots.len() { Mode::Transplant } else { mode },
        input_change: changed(&edited_cell.input_weights, &cell.input_weights),
        readout_change: changed(&edited.readout.weights, &network.readout.weights),
        biases_dropped: network.has_bias() && !edited.has_bias(),
        computed_before: accuracy::of(network, from, params),
        fresh_units: rewritten.fresh_units,
        contents: rewritten.slots.len(),
        weight_change: changed(&edited_cell.recurrent_weights, &cell.recurrent_weights),
        accuracy,
        network: rewritten.network,
        code: rewritten.code,
        slots: rewritten.slots,
        task: target.task,
    })
}
