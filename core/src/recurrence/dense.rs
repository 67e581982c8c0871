//! A dense f from the first output step.

use super::{RecurrenceError, RecurrenceParams};
use crate::circuit::Core;
use crate::linearize::{OrbitParams, VisitedParams, orbit, visit};
use crate::numeric::{Matrix, c64, eigenvalues, ridge_regression};
use crate::observe::{Batch, Observations};
use crate::task::Task;

/// Coefficients are rounded to multiples of one over this.
const DIGITS: f64 = 1e3;

/// A linear f that is no signed selection.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseReading {
    /// d x (s*d), variable 1 (the oldest) first.
    pub matrix: Matrix,
    /// Share of the variance of each output that it explains.
    pub explained: Vec<f64>,
    /// Relative error over several turns of the window, the recurrence run freely from the inputs.
    pub unrolled_error: f64,
}

/// Regresses the first output on the inputs: they are independent, so f is unique. `None` if too little is explained, then
/// or over several turns of the window, when the recurrence runs on what it said itself.
pub(super) fn dense(
    observed: &Observations,
    params: &RecurrenceParams,
) -> Result<Option<DenseReading>, RecurrenceError> {
    let (trial, s, d) = (&observed.trial, observed.s, observed.d);
    let (window, episodes) = (s * d, trial.episodes);
    let Some(said) = trial.outputs.first() else { return Ok(None) };
    let heard = Matrix::from_fn(window, episodes, |index, episode| {
        f64::from(trial.inputs[index / d * episodes * d + episode * d + index % d])
    });
    let moments = &heard * heard.transpose();
    let right = &heard * said.transpose();
    let mut matrix = ridge_regression(&moments, &right, params.dense_ridge)?.transpose().to_owned();
    let largest = matrix.norm_max();
    for column in 0..window {
        for entry in matrix.col_as_slice_mut(column) {
            let kept = if entry.abs() < params.dense_smallest * largest { 0.0 } else { *entry };
            // A regression on some hundred trials knows no more digits.
            *entry = (kept * DIGITS).round() / DIGITS;
        }
    }
    let missed = said - &matrix * &heard;
    let explained: Vec<f64> = (0..d)
        .map(|j| 1.0 - missed.row(j).squared_norm_l2() / said.row(j).squared_norm_l2().max(f64::MIN_POSITIVE))
        .collect();
    if explained.iter().any(|&share| share < params.dense_explained) {
        return Ok(None);
    }
    let task = Task::from_matrix("read back", s, d, matrix.clone())?;
    let unrolled_error = unrolled_error(&observed.probe, &task, params.dense_turns * s);
    let holds = unrolled_error < params.dense_unrolled && lasts_on_the_orbit(&observed.probe, &task, params);
    Ok(holds.then_some(DenseReading { matrix, explained, unrolled_error }))
}

/// Whether as many directions last on the orbit as the function keeps. A selection that is held in too few directions also
/// looks like a dense function for a while.
fn lasts_on_the_orbit(probe: &Batch, task: &Task, params: &RecurrenceParams) -> bool {
    let lasting = |values: &[c64]| values.iter().filter(|z| z.re.hypot(z.im) > params.dense_lasting).count();
    let found = || {
        let core = Core::of(task).ok()?;
        let visited = visit(probe, &VisitedParams::default()).ok()?;
        let orbit = orbit(&visited, core.dimension(), &OrbitParams::default()).ok()?;
        Some(lasting(&eigenvalues(&orbit.operator).ok()?) == lasting(core.eigenvalues()))
    };
    found().unwrap_or(false)
}

/// Relative error of the recurrence, run freely from the inputs, against what the network says.
fn unrolled_error(probe: &Batch, task: &Task, steps: usize) -> f64 {
    let (d, freely) = (task.d(), probe.targets(task));
    let (mut missed, mut all) = (0.0, f64::MIN_POSITIVE);
    for (said, wanted) in probe.outputs.iter().zip(freely.targets().chunks(probe.episodes * d)).take(steps) {
        for (episode, wanted) in wanted.chunks(d).enumerate() {
            for (y, u) in said.col_as_slice(episode).iter().zip(wanted) {
                missed += (y - f64::from(*u)).powi(2);
                all += y * y;
            }
        }
    }
    (missed / all).sqrt()
}
