//! Means taken off, and put back.

use crate::numeric::Matrix;
use faer::MatRef;

/// The mean of every row.
fn means_of(rows: MatRef<'_, f64>) -> Vec<f64> {
    let columns = rows.ncols().max(1) as f64;
    let mut means = vec![0.0; rows.nrows()];
    for k in 0..rows.ncols() {
        means.iter_mut().zip(rows.col(k).iter()).for_each(|(mean, x)| *mean += x / columns);
    }
    means
}

/// Takes the mean off every row, and gives the means.
pub(crate) fn centre(rows: &mut Matrix) -> Vec<f64> {
    let means = means_of(rows.as_ref());
    shift(rows, &means, -1.0);
    means
}

/// Adds `by` times a state to every column.
pub(crate) fn shift(states: &mut Matrix, state: &[f64], by: f64) {
    for j in 0..states.ncols() {
        states.col_as_slice_mut(j).iter_mut().zip(state).for_each(|(x, mean)| *x += by * mean);
    }
}

/// The mean of every row at each time step, rows x steps.
pub(super) fn means_by_step(rows: &Matrix, episodes: usize) -> Matrix {
    let mut means = Matrix::zeros(rows.nrows(), rows.ncols() / episodes.max(1));
    for step in 0..means.ncols() {
        means.col_as_slice_mut(step).copy_from_slice(&means_of(rows.subcols(step * episodes, episodes)));
    }
    means
}

/// Adds `by` times the mean of each time step to its columns.
pub(super) fn shift_by_step(rows: &mut Matrix, means: &Matrix, episodes: usize, by: f64) {
    for k in 0..rows.ncols() {
        let mean = means.col_as_slice(k / episodes.max(1));
        rows.col_as_slice_mut(k).iter_mut().zip(mean).for_each(|(x, mean)| *x += by * mean);
    }
}
