//! A dense f from the first output step.

use super::RecurrenceParams;
use crate::numeric::{Matrix, NumericError, RELATIVE_CUT};
use crate::observe::Batch;
use faer::{Side, prelude::Solve};

/// A linear f that is no signed selection.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseReading {
    /// d x (s*d), variable 1 (the oldest) first.
    pub matrix: Matrix,
    /// Share of the variance of each output that it explains.
    pub explained: Vec<f64>,
}

/// Regresses the first output on the inputs: they are independent, so f is unique. `None` if too little is explained.
pub(super) fn dense(
    trial: &Batch,
    s: usize,
    d: usize,
    params: &RecurrenceParams,
) -> Result<Option<DenseReading>, NumericError> {
    let (window, episodes) = (s * d, trial.episodes);
    let Some(said) = trial.outputs.first() else { return Ok(None) };
    let heard = Matrix::from_fn(window, episodes, |index, episode| {
        f64::from(trial.inputs[index / d * episodes * d + episode * d + index % d])
    });
    let mut moments = &heard * heard.transpose();
    for i in 0..window {
        moments[(i, i)] += params.dense_ridge * episodes as f64;
    }
    let singular = |_| NumericError::Singular { condition: f64::INFINITY, limit: 1.0 / RELATIVE_CUT };
    let factor = moments.llt(Side::Lower).map_err(singular)?;
    let matrix = factor.solve(&heard * said.transpose()).transpose().to_owned();
    let missed = said - &matrix * &heard;
    let explained: Vec<f64> = (0..d)
        .map(|j| 1.0 - missed.row(j).squared_norm_l2() / said.row(j).squared_norm_l2().max(f64::MIN_POSITIVE))
        .collect();
    let enough = explained.iter().all(|&share| share > params.dense_explained);
    Ok(enough.then_some(DenseReading { matrix, explained }))
}
