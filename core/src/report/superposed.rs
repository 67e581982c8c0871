//! Contents that share directions: which memories overlap, and how each content is read.

use super::memories::Shown;
use super::stored::Stored;
use crate::code::Rider;
use crate::interpret::Interpretation;
use crate::numeric::Matrix;
use serde::Serialize;

/// What a page shows of sharing.
#[derive(Serialize)]
pub(super) struct SharingData {
    /// Cosines of the angles between memories, contents x contents.
    overlap: Stored,
    directions: usize,
    /// Contents that are read linearly, of how many, and by their signs.
    read: usize,
    count: usize,
    read_as_signs: usize,
    worst_as_signs: f64,
    riders: Vec<RiderData>,
    /// Contents that ride on no single host, in words.
    spread: Vec<String>,
}

#[derive(Serialize)]
struct RiderData {
    #[serde(flatten)]
    rider: Rider,
    words: String,
}

impl SharingData {
    /// Nothing where contents share nothing, or have no places of their own.
    pub(super) fn of(found: &Interpretation, shown: &Shown<'_>) -> Option<Self> {
        let (sharing, code) = (found.superposition.as_ref()?, found.code.as_ref()?);
        shown.named.then(|| Self {
            overlap: Stored::drawn(&cosines(&shown.frame.memories)),
            directions: sharing.directions,
            read: code.read,
            count: code.count,
            read_as_signs: sharing.read_as_signs,
            worst_as_signs: sharing.worst,
            riders: sharing
                .riders
                .iter()
                .map(|rider| RiderData { rider: rider.clone(), words: rider.to_string() })
                .collect(),
            spread: sharing.spread.iter().map(|at| format!("u{} in variable {}", at.component, at.variable)).collect(),
        })
    }
}

fn cosines(memories: &Matrix) -> Matrix {
    let lengths: Vec<f64> = (0..memories.ncols()).map(|k| memories.col(k).norm_l2().max(f64::MIN_POSITIVE)).collect();
    let products = memories.transpose() * memories;
    Matrix::from_fn(products.nrows(), products.ncols(), |i, j| products[(i, j)] / (lengths[i] * lengths[j]))
}
