//! What speaks against a set of fixed points, or against one.

use crate::network::{Activation, NetworkFile};
use crate::setting::Setting;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What speaks against a set of fixed points, or against one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FixedPointDoubt {
    /// The points are samples of a line, surface or space of fixed points.
    Continuum {
        /// Points found on it.
        found: usize,
        /// Points kept.
        kept: usize,
        /// Directions in which it extends.
        dimension: usize,
    },
    /// More points than are worth a description.
    Many {
        /// Points found.
        found: usize,
        /// Points described.
        described: usize,
        /// Stable points found.
        stable: usize,
        /// Stable points described: as many as fit, before any other.
        stable_described: usize,
    },
    /// Some points were reached from one start only, so there may be others that none reached.
    ReachedOnce {
        /// Points reached once.
        points: usize,
        /// Points found.
        of: usize,
    },
    /// Many starts ended where the network is not even slow.
    Lost {
        /// Starts that did.
        starts: usize,
        /// All starts.
        of: usize,
    },
    /// The search ended before its starts did.
    TimeLimit {
        /// Seconds that it was given.
        seconds: f64,
        /// Starts that were not tried.
        left: usize,
    },
    /// Nobody said which input is held, and what is known of the network does not say that zero occurs.
    ZeroInput {
        /// Inputs of the network.
        inputs: usize,
        /// A table of inputs that the file holds beside the network.
        table: Option<String>,
    },
    /// The file does not say which activation the network has.
    ActivationAssumed {
        /// The one assumed.
        activation: Activation,
    },
    /// The point is not isolated to first order: it may be one of many, and its place is uncertain.
    Degenerate {
        /// The smallest singular value of `J - I`.
        smallest: f64,
        /// Below this a point is degenerate.
        limit: f64,
    },
    /// The largest eigenvalue is so close to the unit circle that its side is not certain.
    Marginal {
        /// The largest modulus.
        modulus: f64,
        /// Nearer than this to 1 it is marginal.
        limit: f64,
    },
}

impl fmt::Display for FixedPointDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Continuum { found, kept, dimension } => write!(
                f,
                "fixed points form a continuum of dimension {dimension}: {found} samples of it were found, {kept} are kept"
            ),
            Self::Many { found, described, stable, stable_described } => write!(
                f,
                "{found} points were found, {described} are described: {stable_described} of the {stable} stable ones, then \
                 those with the fewest unstable directions; describe more ({})",
                Setting::named("max-points")
            ),
            Self::ReachedOnce { points, of } => {
                write!(
                    f,
                    "{points} of {of} points were reached from one start only: there may be more; start from more random states ({})",
                    Setting::named("starts")
                )
            }
            Self::Lost { starts, of } => write!(f, "{starts} of {of} starts ended at no fixed or slow point"),
            Self::TimeLimit { seconds, left } => write!(
                f,
                "the search was ended after {seconds} s, its limit, with {left} starts left: there may be more points, and another \
                 machine may find others; give it more time ({})",
                Setting::named("time-limit")
            ),
            Self::ZeroInput { inputs, table } => {
                write!(f, "points were searched for while all {inputs} inputs are zero")?;
                match table {
                    Some(table) => {
                        write!(f, ", but the file holds {table}: if its rows are the inputs, zero never occurs; ")?
                    }
                    None => write!(f, ": if inputs are one-hot or embedded, zero never occurs; ")?,
                }
                write!(f, "pass the input that you mean ({})", Setting::named("input"))
            }
            Self::ActivationAssumed { activation } => write!(
                f,
                "the file does not say which activation the network has: {} was assumed; pass {} if it is another",
                activation.name(),
                Setting::named("activation")
            ),
            Self::Degenerate { smallest, limit } => write!(
                f,
                "the smallest singular value of J - I is {smallest:.1e}, under {limit:.0e}: the point is not isolated"
            ),
            Self::Marginal { modulus, limit } => {
                write!(
                    f,
                    "the largest eigenvalue has modulus {modulus:.8}, within {limit:.0e} of 1: stability is uncertain"
                )
            }
        }
    }
}

impl FixedPointDoubt {
    /// What a file leaves open about its fixed points under an input; zero where none is given.
    pub fn of_file(file: &NetworkFile, input: Option<&[f64]>) -> Vec<Self> {
        let mut doubts = vec![];
        // A network that has a task of ours sees zeros once its inputs have ended.
        let knows_zero = file.task(None, None).is_ok_and(|task| task.is_some());
        let inputs = file.network.inputs();
        if input.is_none() && inputs > 0 && !knows_zero {
            let table = file.unused.iter().find(|name| name.to_lowercase().contains("emb")).cloned();
            doubts.push(Self::ZeroInput { inputs, table });
        }
        let activation = file.network.activation().filter(|_| !file.says_activation());
        doubts.extend(activation.map(|activation| Self::ActivationAssumed { activation }));
        doubts
    }
}
