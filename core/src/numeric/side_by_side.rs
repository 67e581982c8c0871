//! Matrices put together.

use super::Matrix;

/// One matrix beside another.
pub(crate) fn beside(left: &Matrix, right: &Matrix) -> Matrix {
    let mut all = Matrix::zeros(left.nrows(), left.ncols() + right.ncols());
    all.subcols_mut(0, left.ncols()).copy_from(left);
    all.subcols_mut(left.ncols(), right.ncols()).copy_from(right);
    all
}

/// One matrix above another.
pub(crate) fn stacked(above: &Matrix, below: &Matrix) -> Matrix {
    let mut all = Matrix::zeros(above.nrows() + below.nrows(), above.ncols());
    all.subrows_mut(0, above.nrows()).copy_from(above);
    all.subrows_mut(above.nrows(), below.nrows()).copy_from(below);
    all
}
