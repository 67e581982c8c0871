//! The directions in which numbers vary, the largest first.

use super::{Matrix, NumericError};
use faer::Side;

/// Square roots of the eigenvalues of a matrix of second moments, falling, with the eigenvectors.
pub(crate) fn principal_directions(moments: &Matrix) -> Result<(Vec<f64>, Matrix), NumericError> {
    let size = moments.nrows();
    let failed = |_| NumericError::NoConvergence { what: "the principal directions", size };
    let found = moments.self_adjoint_eigen(Side::Lower).map_err(failed)?;
    let values = found.S().column_vector();
    let values = (0..size).rev().map(|k| values[k].max(0.0).sqrt()).collect();
    let mut directions = Matrix::from_fn(size, size, |i, j| found.U()[(i, size - 1 - j)]);
    for j in 0..size {
        let column = directions.col_as_slice_mut(j);
        let largest = column.iter().fold(0.0f64, |most, x| if x.abs() > most.abs() { *x } else { most });
        if largest < 0.0 {
            column.iter_mut().for_each(|x| *x = -*x);
        }
    }
    Ok((values, directions))
}
