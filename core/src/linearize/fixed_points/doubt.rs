//! What speaks against a set of fixed points, or against one.

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
