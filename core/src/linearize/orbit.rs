//! The best linear map on the visited states: dynamic mode decomposition over many trajectories at once.

use super::settling::settled_reading;
use super::{Doubt, Linearization, LinearizeError, LinearizedAt, SettlingParams, Visited};
use crate::numeric::{Matrix, eigenvalues};
use crate::setting::settings;

settings! {
    /// How the orbit is linearized.
    pub struct OrbitParams {
        /// A larger share of each step missed by the map is worth a doubt.
        residual_limit: f64 = 0.2, SHARE;
        /// How the first output steps are read.
        settling: SettlingParams;
    }
}

/// Linearizes the orbit on its leading `rank` directions.
pub fn orbit(visited: &Visited, rank: usize, params: &OrbitParams) -> Result<Linearization, LinearizeError> {
    let mut doubts = vec![];
    if rank > visited.rank {
        doubts.push(Doubt::TooFewDirections { asked: rank, visited: visited.rank });
    }
    if rank != visited.largest_gap {
        doubts.push(Doubt::RankDiffers { used: rank, largest_gap: visited.largest_gap });
    }
    let used = rank.min(visited.rank);
    if used == 0 {
        return Err(LinearizeError::Silent);
    }
    let basis = visited.directions.subcols(0, used).to_owned();
    let (first, pairs) = visited.settled_pairs();
    let next = visited.deviations.subcols(first + visited.episodes, pairs);
    let all_coordinates = basis.transpose() * visited.deviations.subcols(first, pairs + visited.episodes);
    let coordinates = all_coordinates.subcols(0, pairs);
    // The principal directions make the normal equations diagonal.
    let mut image = next * coordinates.transpose();
    for j in 0..used {
        let weight = visited.singular_values[j].powi(2);
        image.col_as_slice_mut(j).iter_mut().for_each(|x| *x /= weight);
    }
    let operator = basis.transpose() * &image;
    let coordinates_next = all_coordinates.subcols(visited.episodes, pairs);
    let missed = &operator * coordinates - coordinates_next;
    // Squared: `norm_l2` guards against overflow with numbers too small for fast arithmetic.
    let residual = (missed.squared_norm_l2() / coordinates_next.squared_norm_l2().max(f64::MIN_POSITIVE)).sqrt();
    if residual > params.residual_limit {
        doubts.push(Doubt::LargeResidual { residual, limit: params.residual_limit });
    }
    let smallest = eigenvalues(&operator)?.iter().map(|z| z.re.hypot(z.im)).fold(f64::INFINITY, f64::min);
    let dual = if used == basis.nrows() {
        basis.transpose().to_owned()
    } else if smallest > params.settling.smallest_modulus {
        settled_reading(visited, &basis, &operator, &params.settling)?
    } else {
        doubts.push(Doubt::NoSettling { smallest, limit: params.settling.smallest_modulus });
        basis.transpose().to_owned()
    };
    Ok(Linearization { place: LinearizedAt::Orbit, basis, dual, operator, image, residual, doubts })
}

impl Visited {
    /// First column and number of columns of the settled states that have a successor.
    pub(crate) fn settled_pairs(&self) -> (usize, usize) {
        let first = self.settle * self.episodes;
        (first, self.deviations.ncols() - self.episodes - first)
    }
}

/// The operator applied `times` times.
pub(crate) fn power(operator: &Matrix, times: usize) -> Matrix {
    let mut result = Matrix::identity(operator.nrows(), operator.nrows());
    for _ in 0..times {
        result = &result * operator;
    }
    result
}
