//! Another linear function that predicts the outputs better than the one that is stated.
//!
//! A function that is nearly right looks right for a while. The regression of the first output on independent inputs knows
//! every coefficient; if it also follows the network better over a long time, then something is missing in the function
//! stated, and its size can be said. A network that restores its values to +-1 does not follow such a regression for
//! long, however much its first output depends on other inputs: there signs are what it computes.

use crate::numeric::{Matrix, regress, zero_padded};
use crate::observe::{Batch, Observations, as_windows};
use crate::setting::settings;
use crate::task::{Slot, Window};

settings! {
    /// When the function that is stated can have a rival.
    pub struct RivalParams {
        /// A function that misses the network by less than this share has none.
        exact: f64 = 1e-3, SHARE;
        /// First outputs that correlate less with the function are not predicted by it.
        correlation: f64 = 0.2, SHARE;
    }
}

/// Ridge of the regression, relative to the mean second moment of the inputs.
const RIDGE: f64 = 1e-9;

/// A linear function that predicts better than the one stated.
#[derive(Clone, Debug, PartialEq)]
pub struct Rival {
    /// d x (s*d), variable 1 (the oldest) first.
    pub matrix: Matrix,
    /// The largest difference of an output's coefficients, all taken together (root of the sum of squares).
    pub missing: f64,
    /// The output (from 0) and window component of that coefficient.
    pub at: (usize, usize),
    /// Relative error over a long time, run freely from the inputs.
    pub error: f64,
    /// The same for the function that is stated.
    pub stated_error: f64,
}

impl Rival {
    /// Which coefficient differs most: `u1 from u2[t-3]`.
    pub fn place(&self) -> String {
        let (d, window) = (self.matrix.nrows(), self.matrix.ncols());
        let (output, slot) = self.at;
        format!("u{} from {}", output + 1, Slot::at(slot, window / d, d))
    }
}

/// What comes of looking for a linear function that predicts better.
#[derive(Clone, Debug, PartialEq)]
pub enum Rivalry {
    /// None does.
    Unrivalled,
    /// This one does.
    Rivalled(Rival),
    /// The function that is stated does not even predict the first output: there is nothing to compare with.
    NotPredicted {
        /// Correlation of the first outputs with what it says.
        correlation: f64,
    },
}

/// Looks for a linear function whose error is below `better` times that of `task`.
pub fn rivalry(observed: &Observations, task: &Window, better: f64, params: &RivalParams) -> Rivalry {
    // A truth table is compared by asking, not by regression.
    let Some(f) = task.linear() else { return Rivalry::NotPredicted { correlation: 0.0 } };
    let (unit, correlation) = unit(&observed.trial, &f);
    if correlation.is_nan() || correlation < params.correlation {
        return Rivalry::NotPredicted { correlation };
    }
    // A function that runs away predicts nothing either.
    let Some(stated) = free_run(&f, &observed.long, task.d()) else {
        return Rivalry::NotPredicted { correlation };
    };
    let stated_error = missed(&stated, &observed.long, unit, task.width());
    if stated_error < params.exact {
        return Rivalry::Unrivalled;
    }
    rival(observed, &f, (unit, stated_error), better).map_or(Rivalry::Unrivalled, Rivalry::Rivalled)
}

fn rival(observed: &Observations, f: &Matrix, (unit, stated_error): (f64, f64), better: f64) -> Option<Rival> {
    let (s, d, long) = (observed.s, observed.d, &observed.long);
    let found = regression(&observed.trial, s, d)?;
    // A gain of f and the unit in which outputs are said look alike at the first step; what follows tells them apart.
    let candidates = [1.0, unit].map(|unit| {
        let matrix = &found * faer::Scale(1.0 / unit);
        let error = free_run(&matrix, long, d).map_or(f64::INFINITY, |run| missed(&run, long, unit, s * d));
        (error, matrix)
    });
    let (error, matrix) = candidates.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    if error.is_nan() || error >= better * stated_error {
        return None;
    }
    let difference = &matrix - f;
    let entries = (0..s * d).flat_map(|slot| (0..d).map(move |output| (output, slot)));
    let at = entries.fold((0, 0), |most, at| if difference[at].abs() > difference[most].abs() { at } else { most });
    let missing = (0..d).map(|j| difference.row(j).norm_l2()).fold(0.0, f64::max);
    Some(Rival { missing, at, matrix, error, stated_error })
}

/// The first output regressed on independent inputs, d x (s*d).
pub(super) fn regression(trial: &Batch, s: usize, d: usize) -> Option<Matrix> {
    let produced = trial.outputs.first()?;
    let presented = as_windows(&trial.inputs, (s, d));
    regress(produced.as_ref(), presented.as_ref(), RIDGE).ok()
}

/// The window of a linear f: variables, and components of each.
fn size_of(f: &Matrix) -> (usize, usize) {
    (f.ncols() / f.nrows().max(1), f.nrows())
}

/// The size of the network's outputs (its first outputs, projected on what f asks for), and their correlation.
fn unit(trial: &Batch, f: &Matrix) -> (f64, f64) {
    let wanted = zero_padded(f) * as_windows(&trial.inputs, size_of(f));
    let (mut product, mut square, mut power) = (0.0, 0.0, 0.0);
    for episode in 0..trial.episodes {
        let produced = trial.outputs.first().map_or(&[][..], |produced| produced.col_as_slice(episode));
        for (y, u) in produced.iter().zip(wanted.col_as_slice(episode)) {
            product += y * u;
            square += u * u;
            power += y * y;
        }
    }
    // An f that says nothing is no measure, and needs none.
    if square == 0.0 { (1.0, 1.0) } else { (product / square, product / (square.sqrt() * power.sqrt())) }
}

/// Runs a linear function on from the inputs of a batch: inputs and outputs below one another, one column an episode.
/// Nothing where it grows without bound.
fn free_run(f: &Matrix, batch: &Batch, d: usize) -> Option<Matrix> {
    const BOUND: f64 = 1e140;
    let (window, steps) = (f.ncols(), batch.outputs.len());
    let mut run = Matrix::zeros(window + steps * d, batch.episodes);
    run.subrows_mut(0, window).copy_from(as_windows(&batch.inputs, (window / d, d)));
    let f = zero_padded(f);
    for t in 0..steps {
        let next = &f * run.subrows(t * d, window);
        if !next.is_all_finite() || next.norm_max() >= BOUND {
            return None;
        }
        run.subrows_mut(window + t * d, d).copy_from(&next);
    }
    Some(run)
}

fn missed(run: &Matrix, batch: &Batch, unit: f64, window: usize) -> f64 {
    let (mut missed, mut all) = (0.0, 0.0);
    for (t, produced) in batch.outputs.iter().enumerate() {
        for episode in 0..batch.episodes {
            let produced = produced.col_as_slice(episode);
            let wanted = &run.col_as_slice(episode)[window + t * produced.len()..];
            for (y, u) in produced.iter().zip(wanted) {
                missed += (y / unit - u).powi(2);
                all += (y / unit).powi(2);
            }
        }
    }
    if all > 0.0 { (missed / all).sqrt() } else { f64::INFINITY }
}
