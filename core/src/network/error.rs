//! What can be wrong with a network or its file.

use crate::foreign_text::{escaped_name, escaped_sentence};
use crate::setting::Setting;
use std::path::{Path, PathBuf};

/// Why a network could not be made, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// A size of zero.
    #[error(
        "a network needs at least one unit, input and output, but hidden={hidden}, inputs={inputs}, outputs={outputs}"
    )]
    Empty {
        /// Hidden units.
        hidden: usize,
        /// Input components.
        inputs: usize,
        /// Output components.
        outputs: usize,
    },
    /// A tensor whose shape does not fit the others.
    #[error("{} has shape {found:?}, but {expected:?} is needed to fit the other weights", escaped_name(name))]
    Shape {
        /// The parameter.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape that fits.
        expected: Vec<usize>,
    },
    /// A weight that is a vector, a stack of matrices, or empty.
    #[error("{} has shape {found:?}, but a matrix with at least one row and column is needed", escaped_name(name))]
    NotAMatrix {
        /// The parameter.
        name: String,
        /// Its shape.
        found: Vec<usize>,
    },
    /// NaN or infinity among the weights.
    #[error("{name} holds NaN or infinite values: the network diverged or the file is damaged")]
    NotFinite {
        /// The parameter.
        name: String,
    },
    /// A layer that does not take in what the one below it hands on.
    #[error(
        "layer {layer} takes in {found} numbers, but the layer below it has {needed} units: they are not of one network"
    )]
    LayersDoNotFit {
        /// The upper layer, from 0.
        layer: usize,
        /// Columns of its input weights.
        found: usize,
        /// Units below it.
        needed: usize,
    },
    /// Layers of which one has biases and another has not.
    #[error(
        "layer {without} has no {missing}, but layer {with} has biases: the file is incomplete, save the whole state_dict"
    )]
    BiasesInSomeLayers {
        /// A layer with biases.
        with: usize,
        /// One without.
        without: usize,
        /// What is missing there.
        missing: String,
    },
    /// Recurrent weights with a number of rows that no cell has.
    #[error(
        "{} has shape {found:?}: rows must be 1 (Elman), 3 (GRU) or 4 (LSTM) times the columns",
        escaped_name(name)
    )]
    Gates {
        /// The recurrent weights.
        name: String,
        /// Their shape.
        found: Vec<usize>,
    },
    /// Layers with different nonlinearities, for which files have no word.
    #[error("the layers have different activations; give every layer the same one")]
    MixedActivations,
    /// A parameter that is not in the file.
    #[error("there is no tensor '{wanted}' (with or without a prefix); found: {found}")]
    Missing {
        /// The name looked for.
        wanted: String,
        /// What the file holds.
        found: String,
    },
    /// Several tensors that could be one parameter.
    #[error("'{wanted}' is ambiguous: {candidates} all fit; keep one in the file")]
    Ambiguous {
        /// The name looked for.
        wanted: String,
        /// The names found.
        candidates: String,
    },
    /// A file that is not what its name says.
    #[error("{path} is not a readable {format} file: {}", escaped_sentence(problem))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The expected format.
        format: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// A recurrent layer of another kind.
    #[error("{} with shape {shape:?} is {found}; {instead}", escaped_name(name))]
    Unsupported {
        /// The tensor that tells.
        name: String,
        /// Its shape.
        shape: Vec<usize>,
        /// What it is a part of.
        found: &'static str,
        /// What can be read instead.
        instead: &'static str,
    },
    /// A run folder without a network.
    #[error("the folder {folder} holds no network.safetensors{}", other_networks(folder, *others, *training))]
    NoNetwork {
        /// The folder.
        folder: PathBuf,
        /// How many files of other names could be networks.
        others: usize,
        /// Whether it is the folder of a run that has not ended.
        training: bool,
    },
    /// What is wrong with the network in a file.
    #[error("{path}: {source}")]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<NetworkError>,
    },
    /// A file beyond the limit.
    #[error("{path} has {bytes} bytes, more than the limit of {limit}; save the network's state_dict alone")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// A pickle made to run code.
    #[error(
        "{path} asks to run {} while loading, which weights never do; nothing was run. \
         Do not load this file in Python either",
        escaped_name(global)
    )]
    Executable {
        /// The file.
        path: PathBuf,
        /// The function named in the file.
        global: String,
    },
    /// A file of a kind that cannot be read.
    #[error("cannot tell what {path} is: expected .safetensors, .npz, .pt, .pth or .ckpt, or a run folder")]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The disk refused.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was being done.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
}

fn other_networks(folder: &Path, others: usize, training: bool) -> String {
    match others {
        _ if training => {
            format!(
                " yet: it is still training, or was stopped; go on with {}",
                Setting::of("resume", folder.display())
            )
        }
        0 => "; pass a run folder or the path of a network".into(),
        1 => format!("; pass the network in it: {}", folder.join("*.safetensors").display()),
        _ => format!("; pass the {others} networks in it: {}", folder.join("*.safetensors").display()),
    }
}
