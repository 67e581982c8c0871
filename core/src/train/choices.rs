//! What a person chooses about training; everything else keeps its default.

use super::{Freeze, Recipe, Snapshots};
use crate::network::{Activation, CellKind, CellSettings, NetworkFile};
use std::path::PathBuf;

/// Hidden units where nobody says how many.
pub const DEFAULT_HIDDEN: usize = 128;

/// Choices by the names of the command line, Python and sweep files. [`Choices::params`] is in `transfer`, as what is kept of a
/// network depends on what it has learned.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// The kind of every layer.
    pub cell: Option<CellKind>,
    /// Layers.
    pub layers: Option<usize>,
    /// Hidden units of each layer.
    pub hidden: Option<usize>,
    /// Seed of weights and inputs.
    pub seed: Option<u64>,
    /// Optimizer steps.
    pub steps: Option<u64>,
    /// The recipe: everything that is not chosen here follows from it.
    pub recipe: Option<Recipe>,
    /// Threshold of the curriculum.
    pub threshold: Option<f64>,
    /// Longest horizon.
    pub horizon: Option<usize>,
    /// L2 regularization.
    pub l2: Option<f64>,
    /// Learning rate.
    pub lr: Option<f64>,
    /// Largest norm of the gradient.
    pub clip: Option<f64>,
    /// Samples in a batch.
    pub batch: Option<usize>,
    /// `uniform`, `gaussian`, `orthogonal`, or a file with the initial weights.
    pub init: Option<PathBuf>,
    /// Whether layers and readout have biases.
    pub bias: Option<bool>,
    /// Nonlinearity of the cell.
    pub activation: Option<Activation>,
    /// Steps between rows of metrics.
    pub metrics_every: Option<u64>,
    /// Steps between checkpoints.
    pub checkpoint_every: Option<u64>,
    /// Weights that are kept during training.
    pub snapshots: Option<Snapshots>,
    /// Steps between two looks at how well the network does.
    pub look_every: Option<u64>,
    /// The only context whose episodes are drawn.
    pub context: Option<String>,
    /// A network to begin with: a file or a run folder.
    pub from: Option<PathBuf>,
    /// A network to begin with that is already loaded, in place of what `init` or `from` names.
    pub given: Option<Box<NetworkFile>>,
    /// The part of that network that stays as it is.
    pub freeze: Option<Freeze>,
    /// Old tasks, or contexts of the task, out of whose spaces changes of the weights are projected.
    pub protect: Vec<String>,
    /// Old tasks into whose spaces changes of the weights are projected.
    pub reuse: Vec<String>,
    /// Share of the variance of old states and inputs that may be left outside those spaces.
    pub left_out: Option<f64>,
    /// Whether the network begins with strong cues, which leave each context units of its own. Default no.
    pub strong_cue: bool,
    /// Old tasks for whose sake weights are pulled back.
    pub ewc: Vec<String>,
    /// How strongly they are pulled back.
    pub ewc_strength: Option<f64>,
    /// What the cell leaves to choose beside its nonlinearity.
    pub cell_settings: CellSettings,
}
