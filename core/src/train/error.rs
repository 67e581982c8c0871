//! What can go wrong in training.

use crate::network::NetworkError;
use crate::setting::Setting;
use crate::task::TaskError;

/// Why a network was not trained to the end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A parameter that no training can use.
    #[error("{name} is {value}, but must be {limit}")]
    OutOfRange {
        /// What the parameter is called.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        limit: &'static str,
    },
    /// Sizes that together take too much memory.
    #[error(
        "training would take about {gib:.1} GiB, more than the limit of {limit} GiB: choose a smaller {}, {}, \
         {}, {} or {}",
        Setting::of("hidden", hidden),
        Setting::of("batch", batch),
        Setting::of("horizon", horizon),
        Setting::of("s", s),
        Setting::of("d", d)
    )]
    TooLarge {
        /// What it would take.
        gib: f64,
        /// What it may take.
        limit: f64,
        /// Hidden units.
        hidden: usize,
        /// Samples in a batch.
        batch: usize,
        /// Longest horizon.
        horizon: usize,
        /// Variables.
        s: usize,
        /// Components of each.
        d: usize,
    },
    /// Weights that do not fit the task.
    #[error("the given network has {found} {what}, but task {task} needs {needed}")]
    WrongNetwork {
        /// What differs.
        what: &'static str,
        /// How many the network has.
        found: usize,
        /// How many there should be.
        needed: usize,
        /// The task.
        task: String,
    },
    /// Weights of another cell.
    #[error("the given network is {found}, but {needed} layers are to be trained")]
    WrongCell {
        /// What was given.
        found: String,
        /// What was asked for.
        needed: &'static str,
    },
    /// A cell for which an engine has no kernels.
    #[error(
        "the {engine} engine trains networks of one Elman layer, not {layers} of {cell}; pass {}",
        Setting::word("engine", "cpu")
    )]
    NoKernel {
        /// The engine.
        engine: &'static str,
        /// The cell asked for.
        cell: &'static str,
        /// How many layers.
        layers: usize,
    },
    /// Something that an engine cannot train.
    #[error("the {engine} engine does not train {what}; pass {}", Setting::word("device", "cpu"))]
    EngineLacks {
        /// The engine.
        engine: &'static str,
        /// What was asked for.
        what: &'static str,
    },
    /// Something is to be kept, but training begins with random weights.
    #[error("there is nothing to keep of random weights; name the network to begin with: {}", Setting::named("from"))]
    NothingToKeep,
    /// What is to be kept cannot be determined.
    #[error("cannot tell what to keep: {0}")]
    BadRestraint(String),
    /// A context that the task does not have, or a task that is not valid.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// Initial weights that are neither a known distribution nor a file.
    #[error("{} takes uniform, gaussian, orthogonal or a file; {init}: {source}", Setting::named("init"))]
    NoSuchStart {
        /// What was given.
        init: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A network to begin with that is not there.
    #[error("{} takes the file or the run folder of a network; {from}: {source}", Setting::named("from"))]
    NoSuchNetwork {
        /// What was given.
        from: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Two networks to begin with.
    #[error(
        "{} and {} exclude each other: begin with the one network or with the other",
        Setting::named("init"),
        Setting::named("from")
    )]
    TwoStarts,
    /// Strong cues for a network that already has cues.
    #[error(
        "strong cues are drawn where a network begins, and this one has its cues; leave {out} out",
        out = Setting::named("strong-cue")
    )]
    HasCues,
    /// Strong cues for a task without contexts.
    #[error(
        "strong cues need a task with contexts, and {0} has none; leave {out} out",
        out = Setting::named("strong-cue")
    )]
    NoCues(String),
    /// Initial weights that cannot be read.
    #[error(transparent)]
    Start(#[from] NetworkError),
    /// The loss or the gradient is NaN or infinite.
    #[error(
        "training diverged at step {step}: the {what} is {value}; try a smaller learning rate than {learning_rate:e} or a \
         smaller clip than {clip}"
    )]
    Diverged {
        /// The optimizer step, from 1.
        step: u64,
        /// Loss or gradient.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The learning rate at that step.
        learning_rate: f64,
        /// The limit on the gradient's norm.
        clip: f64,
    },
    /// The observer could not keep a record.
    #[error("{0}")]
    NotRecorded(Box<dyn std::error::Error + Send + Sync>),
    /// The CUDA device cannot be used.
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    Cuda(#[from] super::cuda::CudaError),
    /// A bug that made training panic.
    #[error(transparent)]
    Panicked(#[from] crate::panics::Panicked),
    /// The engine gave no result for a job.
    #[error("training ended without a result; try again, and report it if it stays so")]
    NoResult,
    /// Threads could not be started.
    #[error("cannot start {threads} threads: {problem}; try {}", Setting::of("threads", 1))]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// The error of the system.
        problem: String,
    },
}
