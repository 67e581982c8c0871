//! How two spaces of memories lie to each other.

use crate::numeric::{Matrix, NumericError, Svd};
use serde::Serialize;

/// Principal angles between two spaces of memories, in the units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Angles {
    /// In radians, the smallest first.
    pub angles: Vec<f64>,
    /// Mean squared cosine: the share of one space that lies in the other.
    pub shared: f64,
    /// What two random spaces of these dimensions share.
    pub by_chance: f64,
}

impl Angles {
    /// Between the spaces that two sets of memories span; nothing where they are of different numbers of units.
    pub(crate) fn between(a: &Matrix, b: &Matrix) -> Result<Option<Self>, NumericError> {
        if a.nrows() != b.nrows() || a.nrows() < a.ncols().max(b.ncols()) {
            return Ok(None);
        }
        let basis = |of: &Matrix| of.qr().compute_thin_Q();
        let cosines = Svd::of(&(basis(a).transpose() * basis(b)))?.values;
        let shared = cosines.iter().map(|c| c * c).sum::<f64>() / cosines.len().max(1) as f64;
        let angles = cosines.iter().map(|c| c.clamp(0.0, 1.0).acos()).collect();
        Ok(Some(Self { angles, shared, by_chance: a.ncols().max(b.ncols()) as f64 / a.nrows() as f64 }))
    }
}
