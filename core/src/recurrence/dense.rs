//! A dense f from the first output step.

use super::{RecurrenceError, RecurrenceParams, Step, behaviour};
use crate::circuit::Core;
use crate::linearize::{OrbitParams, VisitedParams, orbit, visit};
use crate::numeric::{Matrix, c64, eigenvalues, ridge_regression};
use crate::observe::{Batch, Observations};
use crate::task::{Episodes, Task};

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
///
/// Signs alone do not tell a selection from a dense f that is near one. Where a selection could be stated, a dense f must
/// have something that the selection lacks, and follow the network clearly better.
pub(super) fn dense(
    observed: &Observations,
    means: &[Vec<f64>],
    steps: &[Step],
    selection: Option<&Task>,
    params: &RecurrenceParams,
) -> Result<Option<DenseReading>, RecurrenceError> {
    let (s, d) = (observed.s, observed.d);
    if s * d > params.dense_window {
        return Ok(None);
    }
    let Some(Regression { matrix, explained }) = regress(observed, params)? else { return Ok(None) };
    if selection.is_some()
        && is_selection(&matrix, steps, s, &behaviour::strengths(steps, &observed.probe, means), params)
    {
        return Ok(None);
    }
    if explained.iter().any(|&share| share < params.dense_explained) {
        return Ok(None);
    }
    let task = Task::from_matrix("read back", s, d, matrix.clone())?;
    let unrolled = |task: &Task| unrolled_error(&observed.probe, task, params.dense_turns * s);
    let unrolled_error = unrolled(&task);
    let limit = selection.map_or(params.dense_unrolled, |selection| {
        params.dense_unrolled.min(params.dense_better * unrolled(selection))
    });
    let holds = unrolled_error < limit && lasts_on_the_orbit(&observed.probe, &task, params);
    Ok(holds.then_some(DenseReading { matrix, explained, unrolled_error }))
}

struct Regression {
    matrix: Matrix,
    explained: Vec<f64>,
}

fn regress(observed: &Observations, params: &RecurrenceParams) -> Result<Option<Regression>, RecurrenceError> {
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
    let explained = (0..d)
        .map(|j| 1.0 - missed.row(j).squared_norm_l2() / said.row(j).squared_norm_l2().max(f64::MIN_POSITIVE))
        .collect();
    Ok(Some(Regression { matrix, explained }))
}

/// Whether each output comes from one component alone, and repeats it as it is.
fn is_selection(matrix: &Matrix, steps: &[Step], s: usize, strengths: &[f64], params: &RecurrenceParams) -> bool {
    let (elsewhere, departure) = params.selected;
    steps.iter().zip(strengths).all(|(step, strength)| {
        let chosen = matrix[(step.output - 1, (s - step.lag) * matrix.nrows() + step.component - 1)];
        let whole = matrix.row(step.output - 1).squared_norm_l2();
        whole - chosen * chosen <= elsewhere * whole && (strength - 1.0).abs() <= departure
    })
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
    let (d, steps, mut freely) = (task.d(), steps.min(probe.outputs.len()), Episodes::new(task, probe.episodes));
    freely.present(task, &probe.inputs, steps);
    let (mut missed, mut all) = (0.0, f64::MIN_POSITIVE);
    for (said, wanted) in probe.outputs.iter().zip(freely.targets().chunks(probe.episodes * d)) {
        for (episode, wanted) in wanted.chunks(d).enumerate() {
            for (y, u) in said.col_as_slice(episode).iter().zip(wanted) {
                missed += (y - f64::from(*u)).powi(2);
                all += y * y;
            }
        }
    }
    (missed / all).sqrt()
}
