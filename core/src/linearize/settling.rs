//! Reading a state that has not settled on the orbit yet.
//!
//! At the first output steps part of what the state holds lies outside the orbit's subspace, and an orthogonal projection
//! misreads it. What the state turns out to hold later, rolled back, tells how that part should have been read: no labels
//! are needed.

use super::orbit::power;
use super::{LinearizeError, Visited};
use crate::numeric::{Matrix, NumericError, RELATIVE_CUT, pseudo_inverse};
use faer::{Side, prelude::Solve};
use serde::{Deserialize, Serialize};

/// How the first output steps are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SettlingParams {
    /// How many of the first output steps teach the reading.
    pub early_steps: usize,
    /// How many steps later the state is taken as settled.
    pub later: usize,
    /// Ridge, relative to the mean second moment outside the subspace.
    pub ridge: f64,
    /// Rolling back needs every eigenvalue of the operator above this modulus.
    pub smallest_modulus: f64,
}

impl Default for SettlingParams {
    fn default() -> Self {
        Self { early_steps: 8, later: 20, ridge: 1e-2, smallest_modulus: 0.9 }
    }
}

/// r x H: the transposed basis plus a correction from outside the subspace, so that it still inverts the basis.
pub(super) fn settled_reading(
    visited: &Visited,
    basis: &Matrix,
    operator: &Matrix,
    params: &SettlingParams,
) -> Result<Matrix, LinearizeError> {
    let (hidden, used) = (basis.nrows(), basis.ncols());
    let steps = visited.deviations.ncols() / visited.episodes;
    let needed = params.early_steps + params.later;
    if steps < needed {
        return Err(LinearizeError::TooShort { steps, needed });
    }
    let columns = params.early_steps * visited.episodes;
    let early = visited.deviations.subcols(0, columns);
    let late = visited.deviations.subcols(params.later * visited.episodes, columns);
    let back = pseudo_inverse(&power(operator, params.later), RELATIVE_CUT)?;
    let read = basis.transpose() * early;
    let misread = back * (basis.transpose() * late) - &read;
    let outside = early - basis * &read;
    let mut moments = &outside * outside.transpose();
    let trace: f64 = (0..hidden).map(|i| moments[(i, i)]).sum();
    if trace <= 0.0 {
        return Ok(basis.transpose().to_owned());
    }
    for i in 0..hidden {
        moments[(i, i)] += params.ridge * trace / (hidden - used) as f64;
    }
    let singular = |_| NumericError::Singular { condition: f64::INFINITY, limit: 1.0 / RELATIVE_CUT };
    let factor = moments.llt(Side::Lower).map_err(singular)?;
    let correction = factor.solve(&outside * misread.transpose()).transpose().to_owned();
    let inside = (&correction * basis) * basis.transpose();
    Ok(basis.transpose() + correction - inside)
}
