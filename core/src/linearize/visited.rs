//! The states that a network visits in its output phase, and the directions they fill.

use super::LinearizeError;
use crate::numeric::{Matrix, principal_directions};
use crate::observe::Batch;
use crate::setting::settings;

settings! {
    /// Which states count as the orbit.
    pub struct VisitedParams {
        /// Output steps left out at the start, while the state settles.
        settle: usize = 20, SETTLING;
        /// Singular values below this share of the largest count as zero.
        zero: f64 = 1e-6, SHARE;
    }
}

/// The visited states, centred at each step, and their principal directions.
///
/// Subtracting the mean over the batch *at each step* leaves deviations that obey the linear map whatever the biases, the
/// fixed point and the distance of the start from it.
#[derive(Clone, Debug)]
pub struct Visited {
    /// Mean over the batch, one an output step.
    pub means: Vec<Vec<f64>>,
    /// H x (steps * episodes): deviations from the means, step by step.
    pub deviations: Matrix,
    /// H x H: second moments of all deviations, the unsettled ones too.
    pub moments: Matrix,
    /// H x H: second moments of the settled deviations that have a successor.
    pub settled_moments: Matrix,
    /// Episodes, which is columns a step.
    pub episodes: usize,
    /// Output steps left out at the start.
    pub settle: usize,
    /// Singular values of the settled deviations, falling.
    pub singular_values: Vec<f64>,
    /// H x H: the principal directions, in the order of the singular values.
    pub directions: Matrix,
    /// How many directions are not zero.
    pub rank: usize,
    /// Directions before the largest gap (ratio) between consecutive singular values.
    pub largest_gap: usize,
    /// The ratio at that gap.
    pub gap_ratio: f64,
}

/// Centres the states of a probe batch and finds the directions that they fill.
pub fn visit(probe: &Batch, params: &VisitedParams) -> Result<Visited, LinearizeError> {
    let (steps, episodes) = (probe.states.len(), probe.episodes);
    if steps < params.settle + 2 {
        return Err(LinearizeError::TooShort { steps, needed: params.settle + 2 });
    }
    let hidden = probe.states[&0].nrows();
    let mut deviations = Matrix::zeros(hidden, steps * episodes);
    let mut means = Vec::with_capacity(steps);
    for (t, state) in probe.states.values().enumerate() {
        let mean = probe.mean(state);
        for episode in 0..episodes {
            let column = deviations.col_as_slice_mut(t * episodes + episode);
            for ((x, h), m) in column.iter_mut().zip(state.col_as_slice(episode)).zip(&mean) {
                *x = h - m;
            }
        }
        means.push(mean);
    }
    // The last state has no successor, so it does not count.
    let settled = deviations.subcols(params.settle * episodes, (steps - 1 - params.settle) * episodes);
    let settled_moments = settled * settled.transpose();
    let (singular_values, directions) = principal_directions(&settled_moments)?;
    let (first, last) =
        (deviations.subcols(0, params.settle * episodes), deviations.subcols((steps - 1) * episodes, episodes));
    let moments = &settled_moments + first * first.transpose() + last * last.transpose();
    let largest = singular_values.first().copied().unwrap_or(0.0);
    let rank = singular_values.iter().take_while(|&&value| value > params.zero * largest).count();
    let floor = params.zero * largest;
    let ratios = singular_values.windows(2).map(|pair| pair[0] / pair[1].max(floor).max(f64::MIN_POSITIVE));
    let best = ratios.enumerate().take(rank).fold((0, 0.0), |best, (k, r)| if r > best.1 { (k + 1, r) } else { best });
    let (largest_gap, gap_ratio) = best;
    let settle = params.settle;
    Ok(Visited {
        means,
        deviations,
        moments,
        settled_moments,
        episodes,
        settle,
        singular_values,
        directions,
        rank,
        largest_gap,
        gap_ratio,
    })
}

impl Visited {
    /// H x (H - leading): the directions after the first `leading`, each as long as its singular value.
    pub(super) fn outside(&self, leading: usize) -> Matrix {
        let hidden = self.directions.nrows();
        let scaled = |i: usize, j: usize| self.directions[(i, leading + j)] * self.singular_values[leading + j];
        Matrix::from_fn(hidden, hidden - leading, scaled)
    }
}
