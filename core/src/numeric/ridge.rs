//! Ridge regression from second moments.

use super::{Matrix, NumericError, RELATIVE_CUT};
use faer::{MatRef, Side, prelude::Solve};

/// Solves `(moments + ridge * mean diagonal * I) X = right` for a matrix of second moments.
///
/// With inputs and outputs in columns, `moments = inputs inputs'` and `right = inputs outputs'` give the transposed map.
pub fn ridge_regression(moments: &Matrix, right: &Matrix, ridge: f64) -> Result<Matrix, NumericError> {
    let size = moments.nrows();
    let trace: f64 = (0..size).map(|i| moments[(i, i)]).sum();
    let mut damped = moments.clone();
    for i in 0..size {
        damped[(i, i)] += ridge * trace / size.max(1) as f64;
    }
    let singular = |_| NumericError::Singular { condition: f64::INFINITY, limit: 1.0 / RELATIVE_CUT };
    Ok(damped.llt(Side::Lower).map_err(singular)?.solve(right))
}

/// The linear map from `on` to `of`, samples in columns: rows of `of` by rows of `on`.
pub fn regress(of: MatRef<'_, f64>, on: MatRef<'_, f64>, ridge: f64) -> Result<Matrix, NumericError> {
    Ok(ridge_regression(&(on * on.transpose()), &(on * of.transpose()), ridge)?.transpose().to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::{draw, tolerance::Tolerance};
    use super::*;
    use crate::random::{Purpose, Stream};

    #[test]
    fn a_planted_map_is_found_and_a_large_ridge_shrinks_it() {
        let stream = Stream::new(41, Purpose::Matrices);
        let (inputs, map) = (draw::normal(6, 200, &stream, 0), draw::normal(3, 6, &stream, 1));
        let outputs = &map * &inputs;
        let found = |ridge| regress(outputs.as_ref(), inputs.as_ref(), ridge).unwrap();
        Tolerance::relative(1e-12).assert_close(&found(0.0), &map);
        assert!(found(10.0).norm_l2() < 0.2 * map.norm_l2());
    }

    #[test]
    fn nothing_to_learn_from_is_an_error() {
        let zero = Matrix::zeros(3, 3);
        assert!(matches!(ridge_regression(&zero, &zero, 1.0), Err(NumericError::Singular { .. })));
    }
}
