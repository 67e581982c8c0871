//! Why a network could not be edited.

use super::Mode;
use crate::circuit::CircuitError;
use crate::compile::CompileError;
use crate::interpret::InterpretError;
use crate::network::NetworkError;
use crate::numeric::NumericError;
use crate::observe::ObserveError;
use crate::setting::Setting;
use crate::task::TaskError;

/// Why a network could not be edited.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    #[error("an edit inverts the activation, which relu and softplus do not allow; edit a tanh network")]
    NotInvertible,
    /// A mode for plain layers, asked of another cell.
    #[error("only a network of one Elman layer can be edited in this way")]
    NotElman,
    /// A cell that cannot be edited.
    #[error("a {cell} layer cannot be edited: {why}; edit a network of one Elman, GRU or LSTM layer")]
    Cell {
        /// The cell.
        cell: &'static str,
        /// Why not.
        why: &'static str,
    },
    /// A stack of layers.
    #[error(
        "a network of {layers} layers cannot be edited: which layer holds what the new f needs is not known; edit a network \
         of one layer"
    )]
    Layers {
        /// How many there are.
        layers: usize,
    },
    /// A mode that the cell does not have.
    #[error("mode {} is not for {cell} cells; choose one of {}, or none", mode.name(), names(allowed))]
    Mode {
        /// What was asked for.
        mode: Mode,
        /// The network's cell.
        cell: &'static str,
        /// The modes that it has.
        allowed: &'static [Mode],
    },
    /// More contents than units.
    #[error("the new task needs {contents} contents, but the network has only {hidden} units; use a larger network")]
    TooFewUnits {
        /// Contents needed.
        contents: usize,
        /// Units there.
        hidden: usize,
    },
    /// The least change, asked for a function that is not linear.
    #[error(
        "the least change cannot make an edit to or from a function that is not linear: thresholds need units of their own; \
         edit it without {}",
        Setting::named("least")
    )]
    NeedsUnits,
    /// The network's own code holds no content that the new truth tables keep.
    #[error(
        "the network's own code holds nothing that the new function keeps for more than a step; choose transplant, or no mode"
    )]
    NothingKept,
    /// No network of this size computes the new function.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// Nothing says what the network computes.
    #[error("nothing says what the network computes; give its task, or the number of input steps to read it back")]
    NoTask,
    /// What the network computes could not be read back.
    #[error("what the network computes now could not be read back; give the task it was trained on")]
    NotReadBack,
    /// Nothing could be read back: the network is too large, or its states are not finite.
    #[error(transparent)]
    Reading(#[from] InterpretError),
    /// A network whose activity dies out.
    #[error("activity dies out: there is no code to write a new circuit in; train the network first")]
    Silent,
    /// The least change needs a content that the network does not hold.
    #[error(
        "the least change needs u{component} in variable {variable}, which the network does not hold; edit it without \
         {}",
        Setting::named("least")
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
    /// A strength that is not a positive number, or is too large.
    #[error(
        "a variable cannot be kept with strength {value}; give a number over 0 and up to {limit}, 1 keeps it as it is"
    )]
    Strength {
        /// The number given.
        value: f64,
        /// The largest that works.
        limit: f64,
    },
    /// A new function that is not a task.
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

impl EditError {
    /// Whether another mode may do without what this one lacks: the contents, or so many units.
    pub(super) fn is_of_this_mode(&self) -> bool {
        let small = |error: &CompileError| matches!(error, CompileError::TooSmall { .. });
        matches!(self, Self::NotHeld { .. } | Self::TooFewUnits { .. } | Self::NeedsUnits | Self::NothingKept)
            || matches!(self, Self::Compile(error) if small(error))
    }
}

fn names(modes: &[Mode]) -> String {
    modes.iter().map(|mode| mode.name()).collect::<Vec<_>>().join(", ")
}
