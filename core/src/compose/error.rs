//! Why two networks cannot be put together.

use crate::network::NetworkError;
use crate::task::TaskError;

/// Why two networks cannot be put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComposeError {
    /// A network that does not fit its task.
    #[error(
        "the {which} network has {inputs} inputs and {outputs} outputs, but its task has d={d} components; name its own task"
    )]
    Components {
        /// `first` or `second`.
        which: &'static str,
        /// Its inputs.
        inputs: usize,
        /// Its outputs.
        outputs: usize,
        /// Components of the task.
        d: usize,
    },
    /// Input phases of different length.
    #[error(
        "the first network gets inputs for s={first} steps and the second for s={second}: in one network both must get them \
         for as long; choose networks with the same s"
    )]
    InputSteps {
        /// Of the first.
        first: usize,
        /// Of the second.
        second: usize,
    },
    /// More units than a network may have.
    #[error("together they have {units} units in a layer, over the limit of {limit}; choose smaller networks")]
    TooLarge {
        /// How many.
        units: usize,
        /// The limit.
        limit: usize,
    },
    /// Cells that cannot stand in one layer.
    #[error(
        "a layer of {first} and a layer of {second} do not make one; choose networks of the same cell, or Elman networks with tanh"
    )]
    Cells {
        /// Of the first.
        first: &'static str,
        /// Of the second.
        second: &'static str,
    },
    /// Layers of one cell that is not put together.
    #[error("layers of {cell} are not put together yet; choose Elman, GRU or LSTM networks")]
    Cell {
        /// The cell.
        cell: &'static str,
    },
    /// Layers of one cell that squash their units in different ways.
    #[error("a layer with {first} and a layer with {second} do not make one; choose networks with the same activation")]
    Activations {
        /// Of the first.
        first: &'static str,
        /// Of the second.
        second: &'static str,
    },
    /// Networks of different depth.
    #[error("the first network has {first} layers and the second {second}; choose networks with as many layers")]
    Layers {
        /// Of the first.
        first: usize,
        /// Of the second.
        second: usize,
    },
    /// Functions of which one is real-valued and the other a truth table.
    #[error("one function is a truth table on +-1 and the other has real values; choose two of one kind")]
    Functions,
    /// A cell that nothing can be written into from outside.
    #[error(
        "feeding writes into one plain layer, and the {which} network is {found}; choose Elman networks of one layer"
    )]
    NotPlain {
        /// `first` or `second`.
        which: &'static str,
        /// What it is.
        found: String,
    },
    /// Numbers of components that do not fit.
    #[error("the first network says {first} components and the second takes {second}; choose networks with the same d")]
    Feed {
        /// Outputs of the first.
        first: usize,
        /// Inputs of the second.
        second: usize,
    },
    /// No memories to write into.
    #[error("no memories were found in the {which} network ({verdict}); choose one that is a circuit")]
    NoCode {
        /// `first` or `second`.
        which: &'static str,
        /// Its verdict.
        verdict: &'static str,
    },
    /// A newest value that is not kept.
    #[error(
        "the {which} network does not keep the newest value of u{component}, so that nothing can be read or written there; \
         choose an f that needs every component"
    )]
    NewestNotKept {
        /// `first` or `second`.
        which: &'static str,
        /// The component, from 1.
        component: usize,
    },
    /// A function with real values or one that forgets.
    #[error("feeding needs functions on +-1 whose contents last, and {name} is none; choose copies with signs")]
    NotLasting {
        /// The function.
        name: String,
    },
    /// A task that cannot be.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A network whose shapes do not fit or whose weights are not finite.
    #[error(transparent)]
    Network(#[from] NetworkError),
}
