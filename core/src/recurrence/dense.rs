//! A dense f from the first output step.

use super::rival::regression;
use super::{RecurrenceError, RecurrenceParams, Rivalry, rivalry};
use crate::circuit::Core;
use crate::linearize::{OrbitParams, VisitedParams, orbit, visit};
use crate::numeric::{Matrix, c64, eigenvalues, zero_padded};
use crate::observe::{Batch, Observations, Yardstick, as_windows, follow};
use crate::task::Window;

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
/// or over several turns of the window, when the recurrence runs on its own outputs.
///
/// Signs alone do not tell a selection from a dense f that is near one. Where a selection could be stated, a dense f must
/// follow the network clearly better, and differ enough to matter. Where activity dies out, f must say so.
pub(super) fn dense(
    observed: &Observations,
    selection: Option<&Window>,
    alive: bool,
    params: &RecurrenceParams,
) -> Result<Option<DenseReading>, RecurrenceError> {
    let (s, d) = (observed.s, observed.d);
    if s * d > params.dense_window {
        return Ok(None);
    }
    if let Some(selection) = selection {
        match rivalry(observed, selection, params.dense_better, &params.rival) {
            Rivalry::Rivalled(rival) if rival.missing > params.dense_differs => {}
            _ => return Ok(None),
        }
    }
    let Some(Regression { matrix, explained }) = regress(&observed.trial, s, d, params) else { return Ok(None) };
    if explained.iter().any(|&share| share < params.dense_explained) {
        return Ok(None);
    }
    let unit = own_unit(&observed.probe, &matrix, params.dense_unit);
    let Some((matrix, unrolled_error)) =
        plainest(&observed.probe, &(matrix * faer::Scale(1.0 / unit)), unit, alive, params)?
    else {
        return Ok(None);
    };
    if unrolled_error.is_nan() || unrolled_error >= params.dense_unrolled {
        return Ok(None);
    }
    let task = Window::from_matrix("read back", s, d, matrix.clone())?;
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

/// The regression without coefficients that its residual could have made.
fn regress(trial: &Batch, s: usize, d: usize, params: &RecurrenceParams) -> Option<Regression> {
    let mut matrix = regression(trial, s, d)?;
    let (produced, presented) = (trial.outputs.first()?, as_windows(&trial.inputs, (s, d)));
    let largest = matrix.norm_max();
    let freedom = trial.episodes.saturating_sub(s * d).max(1) as f64;
    let missed = produced - zero_padded(&matrix) * &presented;
    for j in 0..d {
        let error = (missed.row(j).squared_norm_l2() / (freedom * trial.episodes as f64)).sqrt();
        let least = (params.dense_significant * error).max(params.dense_smallest * largest);
        for column in 0..s * d {
            let entry = &mut matrix[(j, column)];
            *entry = if entry.abs() < least { 0.0 } else { *entry };
        }
    }
    let missed = produced - zero_padded(&matrix) * &presented;
    let explained = (0..d)
        .map(|j| match produced.row(j).squared_norm_l2() {
            // An output that says nothing is explained by nothing.
            size if size <= params.dense_smallest * largest => 1.0,
            size => 1.0 - missed.row(j).squared_norm_l2() / size,
        })
        .collect();
    Some(Regression { matrix, explained })
}

/// The size of the network's outputs: where the whole window is its own outputs, f of them is the next output, and what
/// the regression on inputs of +-1 has too much is the unit.
fn own_unit(probe: &Batch, matrix: &Matrix, same: f64) -> f64 {
    // What has faded to rounding errors tells nothing.
    const GONE: f64 = 1e-16;
    let (d, window) = (matrix.nrows(), matrix.ncols());
    let (s, matrix) = (window / d, zero_padded(matrix));
    let (mut product, mut power) = (0.0, 0.0);
    for t in s..(2 * s).min(probe.outputs.len()) {
        let produced = &matrix * probe.window_of_outputs(t - s, (s, d));
        for k in 0..probe.episodes {
            for (z, y) in produced.col_as_slice(k).iter().zip(probe.outputs[t].col_as_slice(k)) {
                product += z * y;
                power += y * y;
            }
        }
    }
    let first: f64 = probe.outputs.iter().take(s).map(|produced| produced.squared_norm_l2()).sum();
    let unit = if power > GONE * first { product / power } else { 1.0 };
    if unit.is_finite() && unit > 0.0 && (unit - 1.0).abs() > same { unit } else { 1.0 }
}

/// The plainest form of a function that follows the network as well as any: entries near +-1 taken as these, then entries
/// rounded, then as they are. With its error.
fn plainest(
    probe: &Batch,
    matrix: &Matrix,
    unit: f64,
    alive: bool,
    params: &RecurrenceParams,
) -> Result<Option<(Matrix, f64)>, RecurrenceError> {
    let (d, s) = (matrix.nrows(), matrix.ncols() / matrix.nrows());
    let rounded = |x: f64| (x * params.dense_digits).round() / params.dense_digits;
    let snapped = |x: f64| if (x.abs() - 1.0).abs() < params.dense_snaps { x.signum() } else { rounded(x) };
    let formed = |form: &dyn Fn(f64) -> f64| Matrix::from_fn(d, s * d, |i, j| form(matrix[(i, j)]));
    let forms = [formed(&snapped), formed(&rounded), matrix.clone()];
    let longest = probe.outputs.len();
    let mut judged = vec![];
    for form in forms {
        let task = Window::from_matrix("read back", s, d, form.clone())?;
        let turns = params.dense_turns * s;
        let error = match alive {
            true => worst(probe, &task, &[0, turns], unit, params),
            // While it lasts, every step counts on its own scale.
            false => worst(probe, &task, &(0..=turns).collect::<Vec<_>>(), unit, params),
        };
        judged.push((form, error, values_missed(probe, &task, longest, unit)));
    }
    let best = judged.iter().map(|(_, _, long)| *long).fold(f64::INFINITY, f64::min);
    let good = judged.into_iter().find(|(_, _, long)| *long <= params.dense_plainer * best + params.rival.exact);
    Ok(good.map(|(form, error, _)| (form, error)))
}

/// Relative error of the values of all outputs over a long time, whatever kind of function it is.
fn values_missed(probe: &Batch, task: &Window, steps: usize, unit: f64) -> f64 {
    let (d, targets) = (task.d(), probe.targets(task));
    let (mut missed, mut all) = (0.0, f64::MIN_POSITIVE);
    for (produced, wanted) in probe.outputs.iter().zip(targets.targets().chunks(probe.episodes * d)).take(steps) {
        for (k, wanted) in wanted.chunks(d).enumerate() {
            for (y, u) in produced.col_as_slice(k).iter().zip(wanted) {
                missed += (y / unit - f64::from(*u)).powi(2);
                all += (y / unit).powi(2);
            }
        }
    }
    (missed / all).sqrt()
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
fn worst(probe: &Batch, task: &Window, cuts: &[usize], unit: f64, params: &RecurrenceParams) -> f64 {
    let mut cuts: Vec<usize> = cuts.iter().map(|&cut| cut.min(probe.outputs.len())).collect();
    cuts.dedup();
    let followed = follow(probe, task, &cuts, Yardstick { unit, faint: params.dense_faded });
    if followed.signs { 1.0 - followed.worst().0 } else { followed.worst().0 }
}
