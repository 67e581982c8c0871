//! The same relations, looked for in the weights: among the readers of the linearized orbit.

use super::{Reading, Step};
use crate::linearize::{Linearization, Visited};
use crate::numeric::{Matrix, NumericError, pseudo_inverse};

/// Singular values of the operator below this share of the largest are not inverted.
const CUT: f64 = 1e-6;

/// Readers of the next output and of past ones, weighted by how far the orbit reaches in each direction.
struct Readers {
    next: Matrix,
    /// Lag 1 first.
    past: Vec<Matrix>,
}

fn readers(readout: &Matrix, visited: &Visited, orbit: &Linearization, s: usize) -> Result<Readers, NumericError> {
    let weighted = |block: &Matrix| {
        Matrix::from_fn(block.nrows(), block.ncols(), |i, j| block[(i, j)] * visited.singular_values[j])
    };
    let now = readout * &orbit.basis;
    let back = pseudo_inverse(&orbit.operator, CUT)?;
    let next = weighted(&(&now * &orbit.operator));
    let mut block = now;
    let past = (0..s)
        .map(|_| {
            let reader = weighted(&block);
            block = &block * &back;
            reader
        })
        .collect();
    Ok(Readers { next, past })
}

impl Readers {
    fn residual(&self, output: usize, lag: usize, component: usize, sign: f64) -> f64 {
        let (next, past) = (self.next.row(output), self.past[lag - 1].row(component));
        (next - past * faer::Scale(sign)).norm_l2() / next.norm_l2().max(f64::MIN_POSITIVE)
    }
}

pub(super) fn residuals(
    readout: &Matrix,
    visited: &Visited,
    orbit: &Linearization,
    readings: &[Reading],
) -> Result<Vec<f64>, NumericError> {
    let longest = readings.iter().map(|reading| reading.step.lag).max().unwrap_or(1);
    let readers = readers(readout, visited, orbit, longest)?;
    let of =
        |Step { output, lag, component, sign }: Step| readers.residual(output - 1, lag, component - 1, f64::from(sign));
    Ok(readings.iter().map(|reading| of(reading.step)).collect())
}
