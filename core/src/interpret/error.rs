//! Why a network could not be interpreted.

use super::limits;
use crate::circuit::CircuitError;
use crate::linearize::LinearizeError;
use crate::memories::MemoriesError;
use crate::numeric::NumericError;
use crate::observe::{ObserveError, Stopped, TrajectoriesError};
use crate::recurrence::RecurrenceError;
use crate::setting::{Setting, SettingError};
use crate::task::TaskError;

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
    /// Inputs that could not be read step by step.
    #[error(transparent)]
    OverTime(#[from] crate::code::OverTimeError),
    /// A trial that ends too soon.
    #[error("{0} output steps are too few to see how contents move; give at least {LEAST_STEPS}", LEAST_STEPS = super::params::LEAST_STEPS)]
    TooFewSteps(usize),
    /// A setting that is not taken.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Nothing that could be written.
    #[error(
        "no contents are known of this network, so that none can be written: no function was given or read back that it follows and \
         that keeps anything; whole states of your own can be run on from all the same"
    )]
    NothingToWrite,
    /// Contents of another size.
    #[error(
        "contents to write are windows of s={s} variables of d={d} components, all finite; pass them as (batch, {s}, {d})"
    )]
    WrittenSize {
        /// Variables.
        s: usize,
        /// Components of each.
        d: usize,
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
    #[error("contexts are told apart in layers that can have biases only, such as elman, gru and lstm")]
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

impl InterpretError {
    /// Whether somebody asked for an end.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Stopped(_) | Self::Observe(ObserveError::Stopped(_)))
    }
}
