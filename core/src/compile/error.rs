//! Why a network could not be made.

use crate::network::MAX_HIDDEN;
use crate::numeric::NumericError;
use crate::setting::Setting;

/// Why a task could not be compiled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// f adds up: its values are real numbers, which no saturating unit can hold.
    #[error(
        "'{name}' adds up past values: its values are real numbers, and a compiled network holds only +1 and -1. Pass a task \
         whose outputs are copies or truth tables; `ketbra::circuit::AnalyticNetwork` makes the linear network of this one"
    )]
    Dense {
        /// The task.
        name: String,
    },
    /// A cell that cannot act as a plain layer.
    #[error("a {cell} layer cannot be compiled into; choose elman, gru or lstm")]
    Cell {
        /// The cell's name in a sentence.
        cell: &'static str,
    },
    /// Not enough units to hold everything in spite of the noise.
    #[error(
        "'{name}' needs {needed} hidden units to hold its {contents} contents against noise, but {} is {hidden}; pass {} or more",
        Setting::named("hidden"),
        Setting::of("hidden", needed)
    )]
    TooSmall {
        /// The task.
        name: String,
        /// Units asked for.
        hidden: usize,
        /// Units needed.
        needed: usize,
        /// What has to be held.
        contents: usize,
    },
    /// The task needs more units than a network may have.
    #[error(
        "'{name}' needs more than {MAX_HIDDEN} hidden units, the limit; choose smaller s or d, or outputs that read fewer inputs"
    )]
    TooLarge {
        /// The task.
        name: String,
    },
    /// More units asked for than a network may have.
    #[error("{} is over the limit of {MAX_HIDDEN}; choose fewer", Setting::of("hidden", hidden))]
    OverLimit {
        /// Units asked for.
        hidden: usize,
    },
    /// Fewer pairs of contents can share a direction than were asked for.
    #[error(
        "only {possible} pairs of contents of '{name}' are moved without being read and can share a direction, not {wanted}; pass {} or less",
        Setting::of("superposed", possible)
    )]
    TooFewPairs {
        /// The task.
        name: String,
        /// Pairs asked for.
        wanted: usize,
        /// Pairs that there are.
        possible: usize,
    },
    /// Noise on the weights that is negative or not a number.
    #[error("{} is {noise}; it must be a number from 0 on, such as 0.01", Setting::named("noise"))]
    Noise {
        /// What was asked for.
        noise: f64,
    },
    /// The finished network makes mistakes.
    #[error("the network is right in only {accuracy:.4} of its outputs with noise on its states; {}", advice(*noise))]
    Unreliable {
        /// Share of right outputs.
        accuracy: f64,
        /// Noise on its weights.
        noise: f64,
    },
    /// A regression failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
}

fn advice(noise: f64) -> String {
    let (noisy, hidden) = (Setting::named("noise"), Setting::named("hidden"));
    if noise > 0.0 {
        format!("pass a smaller {noisy}, or more {hidden} units")
    } else {
        format!("pass more {hidden} units")
    }
}
