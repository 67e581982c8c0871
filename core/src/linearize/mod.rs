//! Linear maps that stand for a network: at the origin, at a fixed point, on the orbit it really visits.
//!
//! Trained networks live at the squashed amplitude of a limit cycle, not near the origin, so *where* decides how good
//! the linear map is. Every result carries its residual and its doubts.

mod fixed_points;
mod orbit;
mod origin;
mod settling;
mod visited;

pub use fixed_points::{
    Arrival, Connection, Counts, Ending, FixedPoint, FixedPointDoubt, FixedPointParams, FixedPoints, PhasePortrait,
    Shape, ShapeParams, SlowManifold, UnstableMode, fixed_points, phase_portrait,
};
pub use orbit::{OrbitParams, orbit};
pub use origin::{origin, restrict};
pub use settling::SettlingParams;
pub use visited::{Visited, VisitedParams, visit};

use crate::numeric::{Matrix, NumericError};
use serde::{Deserialize, Serialize};

/// Where a network was linearized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LinearizedAt {
    /// At the zero state with zero input.
    Origin,
    /// At a fixed point.
    FixedPoint,
    /// The best linear map on the states visited in the output phase.
    Orbit,
}

/// A linear map on a subspace of the state: `dual (h(t+1) - offset) = operator dual (h(t) - offset)`.
#[derive(Clone, Debug)]
pub struct Linearization {
    /// Where it was taken.
    pub place: LinearizedAt,
    /// H x r: columns that span the subspace.
    #[doc(alias = "Q")]
    pub basis: Matrix,
    /// r x H: reads the coordinates of a state; `dual basis = I`.
    pub dual: Matrix,
    /// r x r.
    #[doc(alias = "A")]
    pub operator: Matrix,
    /// H x r: where each basis vector goes in the full space, so that `dual image` is close to `operator`.
    pub image: Matrix,
    /// Share of the next state (root mean square) that the map does not predict; 0 where it is exact by definition.
    pub residual: f64,
    /// What speaks against it.
    pub doubts: Vec<Doubt>,
}

impl Linearization {
    /// The number of directions.
    pub fn rank(&self) -> usize {
        self.operator.nrows()
    }
}

/// What speaks against a linearization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Doubt {
    /// The map misses a good part of each step.
    LargeResidual {
        /// Share missed.
        residual: f64,
        /// Above this it is worth a doubt.
        limit: f64,
    },
    /// The states fall into another number of directions than the one used.
    RankDiffers {
        /// Directions used.
        used: usize,
        /// Where the singular values have their largest gap.
        largest_gap: usize,
    },
    /// Fewer directions were visited than asked for.
    TooFewDirections {
        /// Directions asked for.
        asked: usize,
        /// Directions visited.
        visited: usize,
    },
    /// A direction dies out, so what the first output steps hold is read without correction for settling.
    NoSettling {
        /// The smallest modulus among the eigenvalues.
        smallest: f64,
        /// The modulus that the correction needs.
        limit: f64,
    },
}

impl std::fmt::Display for Doubt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::LargeResidual { residual, limit } => {
                write!(f, "the linear map misses {residual:.3} of each step (more than {limit})")
            }
            Self::RankDiffers { used, largest_gap } => {
                write!(f, "{used} directions used, but the singular values have their largest gap after {largest_gap}")
            }
            Self::TooFewDirections { asked, visited } => {
                write!(f, "{asked} directions asked for, but the states visit only {visited}")
            }
            Self::NoSettling { smallest, limit } => write!(
                f,
                "the smallest eigenvalue has modulus {smallest:.3}, under {limit}: first output steps are read as they are"
            ),
        }
    }
}

/// Why a network could not be linearized.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinearizeError {
    /// The orbit was observed for too short a time.
    #[error("{steps} output steps were observed, but {needed} are needed; raise probe_steps")]
    TooShort {
        /// Steps observed.
        steps: usize,
        /// Steps needed.
        needed: usize,
    },
    /// No direction is left.
    #[error("activity dies out: no direction of the state space is visited in the output phase")]
    Silent,
    /// A matrix computation failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
}
