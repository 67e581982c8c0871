//! A dense f from the first output step.

use super::rival::{LARGEST_WINDOW, inputs_of, regression};
use super::{RecurrenceError, RecurrenceParams, Rivalry, rivalry};
use crate::circuit::Core;
use crate::claims::follow;
use crate::linearize::{OrbitParams, VisitedParams, orbit, visit};
use crate::numeric::{Matrix, c64, eigenvalues};
use crate::observe::{Batch, Observations};
use crate::task::Task;

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
/// follow the network clearly better, and differ enough to matter. Where activity dies out, f must say so.
pub(super) fn dense(
    observed: &Observations,
    selection: Option<&Task>,
    alive: bool,
    params: &RecurrenceParams,
) -> Result<Option<DenseReading>, RecurrenceError> {
    let (s, d) = (observed.s, observed.d);
    if s * d > LARGEST_WINDOW {
        return Ok(None);
    }
    if let Some(selection) = selection {
        match rivalry(observed, selection, params.dense_better) {
            Rivalry::Rivalled(rival) if rival.missing > params.dense_differs => {}
            _ => return Ok(None),
        }
    }
    let Some(Regression { matrix, explained }) = regress(&observed.trial, s, d, params) else { return Ok(None) };
    if explained.iter().any(|&share| share < params.dense_explained) {
        return Ok(None);
    }
    let task = Task::from_matrix("read back", s, d, matrix.clone())?;
    let unrolled_error = match alive {
        true => worst(&observed.probe, &task, &[0, params.dense_turns * s]),
        // While it lasts, every step counts on its own scale.
        false => worst(&observed.probe, &task, &(0..=params.dense_turns * s).collect::<Vec<_>>()),
    };
    if !(unrolled_error < params.dense_unrolled) {
        return Ok(None);
    }
    // What mixes too many components is not looked at further.
    let Ok(core) = Core::of(&task) else { return Ok(None) };
    let holds = match alive {
        true => lasts_on_the_orbit(&observed.probe, &core, params),
        false => {
            let dies = core.eigenvalues().iter().all(|z| z.re.hypot(z.im) < params.dense_dying);
            dies && matrix.norm_max() >= params.dense_faintest
        }
    };
    Ok(holds.then_some(DenseReading { matrix, explained, unrolled_error }))
}

struct Regression {
    matrix: Matrix,
    explained: Vec<f64>,
}

/// The regression without coefficients that its residual could have made, rounded to what it knows.
fn regress(trial: &Batch, s: usize, d: usize, params: &RecurrenceParams) -> Option<Regression> {
    let mut matrix = regression(trial, s, d)?;
    let (said, heard) = (trial.outputs.first()?, inputs_of(trial, s * d, d));
    let largest = matrix.norm_max();
    let freedom = trial.episodes.saturating_sub(s * d).max(1) as f64;
    let missed = said - &matrix * &heard;
    for j in 0..d {
        let error = (missed.row(j).squared_norm_l2() / (freedom * trial.episodes as f64)).sqrt();
        let least = (params.dense_significant * error).max(params.dense_smallest * largest);
        for column in 0..s * d {
            let entry = &mut matrix[(j, column)];
            let kept = if entry.abs() < least { 0.0 } else { *entry };
            *entry = (kept * params.dense_digits).round() / params.dense_digits;
        }
    }
    let missed = said - &matrix * &heard;
    let explained = (0..d)
        .map(|j| match said.row(j).squared_norm_l2() {
            // An output that says nothing is explained by nothing.
            size if size <= params.dense_smallest * largest => 1.0,
            size => 1.0 - missed.row(j).squared_norm_l2() / size,
        })
        .collect();
    Some(Regression { matrix, explained })
}

/// Whether as many directions last on the orbit as the function keeps. A selection that is held in too few directions also
/// looks like a dense function for a while.
fn lasts_on_the_orbit(probe: &Batch, core: &Core, params: &RecurrenceParams) -> bool {
    let lasting = |values: &[c64]| values.iter().filter(|z| z.re.hypot(z.im) > params.dense_lasting).count();
    let found = || {
        let visited = visit(probe, &VisitedParams::default()).ok()?;
        let orbit = orbit(&visited, core.dimension(), &OrbitParams::default()).ok()?;
        Some(lasting(&eigenvalues(&orbit.operator).ok()?) == lasting(core.eigenvalues()))
    };
    found().unwrap_or(false)
}

/// The worst error of any output in any of the parts.
fn worst(probe: &Batch, task: &Task, cuts: &[usize]) -> f64 {
    let mut cuts: Vec<usize> = cuts.iter().map(|&cut| cut.min(probe.outputs.len())).collect();
    cuts.dedup();
    const FAINT: f64 = 0.01;
    let followed = follow(probe, task, &cuts, 1.0, FAINT);
    if followed.signs { 1.0 - followed.worst().0 } else { followed.worst().0 }
}
