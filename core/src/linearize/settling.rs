//! Reading a state that has not settled on the orbit yet.
//!
//! At the first output steps part of what the state holds lies outside the orbit's subspace, and an orthogonal projection
//! misreads it. What the state turns out to hold later, rolled back, tells how that part should have been read: no labels
//! are needed. Settled states have something outside too, the curvature of the orbit, and are read rightly without it:
//! they speak against any correction.

use super::orbit::power;
use super::{LinearizeError, Visited};
use crate::numeric::{Matrix, RELATIVE_CUT, pseudo_inverse, ridge_regression};
use crate::setting::settings;

settings! {
    /// How the first output steps are read.
    pub struct SettlingParams {
        /// How many of the first output steps teach the reading.
        early_steps: usize = 8, STEPS;
        /// How many steps later the state is taken as settled.
        later: usize = 20, SETTLING;
        /// Ridge, relative to the mean second moment outside the subspace.
        ridge: f64 = 1e-2, RIDGE;
        /// Rolling back needs every eigenvalue of the operator above this modulus.
        smallest_modulus: f64 = 0.9, SHARE;
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
    let settled = visited.outside(used);
    let moments = &outside * outside.transpose() + &settled * settled.transpose();
    if moments.norm_max() == 0.0 {
        return Ok(basis.transpose().to_owned());
    }
    // Relative to the directions outside the subspace, the only ones that vary here.
    let ridge = params.ridge * hidden as f64 / (hidden - used) as f64;
    let correction = ridge_regression(&moments, &(&outside * misread.transpose()), ridge)?.transpose().to_owned();
    let inside = (&correction * basis) * basis.transpose();
    Ok(basis.transpose() + correction - inside)
}
