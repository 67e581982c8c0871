//! Singular values and what follows from them.

use super::{Matrix, NumericError, require_finite};

/// Singular values below this share of the largest one count as zero.
pub const RELATIVE_CUT: f64 = 1e-12;

/// The thin singular value decomposition `A = U diag(values) V'`.
#[derive(Clone, Debug)]
pub struct Svd {
    /// Orthonormal columns `U`; the largest entry of each is positive.
    pub left: Matrix,
    /// Singular values, falling.
    pub values: Vec<f64>,
    /// Orthonormal columns `V`.
    pub right: Matrix,
}

impl Svd {
    /// Decomposes any finite matrix.
    pub fn of(matrix: &Matrix) -> Result<Self, NumericError> {
        require_finite(matrix)?;
        let size = matrix.nrows().max(matrix.ncols());
        let found = matrix.thin_svd().map_err(|_| NumericError::NoConvergence { what: "the singular values", size })?;
        let (mut left, mut right) = (found.U().to_owned(), found.V().to_owned());
        let values: Vec<f64> = found.S().column_vector().iter().copied().collect();
        for j in 0..values.len() {
            let largest =
                left.col_as_slice(j).iter().fold(0.0f64, |most, x| if x.abs() > most.abs() { *x } else { most });
            if largest < 0.0 {
                left.col_as_slice_mut(j).iter_mut().for_each(|x| *x = -*x);
                right.col_as_slice_mut(j).iter_mut().for_each(|x| *x = -*x);
            }
        }
        Ok(Self { left, values, right })
    }

    /// How many singular values exceed `relative_cut` times the largest.
    pub fn rank(&self, relative_cut: f64) -> usize {
        let largest = self.values.first().copied().unwrap_or(0.0);
        self.values.iter().take_while(|value| **value > relative_cut * largest).count()
    }

    /// Largest over smallest singular value: infinite for a singular matrix, 1 for an empty one.
    pub fn condition(&self) -> f64 {
        match (self.values.first(), self.values.last()) {
            (Some(&largest), Some(&smallest)) if smallest > 0.0 => largest / smallest,
            (Some(_), _) => f64::INFINITY,
            _ => 1.0,
        }
    }

    /// `V diag(factor(value)) U'` over the singular values above the cut.
    fn filtered_inverse(&self, relative_cut: f64, factor: impl Fn(f64) -> f64) -> Matrix {
        let rank = self.rank(relative_cut);
        let scaled = Matrix::from_fn(self.right.nrows(), rank, |i, j| self.right[(i, j)] * factor(self.values[j]));
        scaled * self.left.subcols(0, rank).transpose()
    }

    /// The Moore-Penrose inverse, singular values up to `relative_cut` times the largest taken as zero.
    pub fn pseudo_inverse(&self, relative_cut: f64) -> Matrix {
        self.filtered_inverse(relative_cut, f64::recip)
    }
}

/// The Moore-Penrose inverse with the stated cut ([`RELATIVE_CUT`] unless there is a reason).
pub fn pseudo_inverse(matrix: &Matrix, relative_cut: f64) -> Result<Matrix, NumericError> {
    Ok(Svd::of(matrix)?.pseudo_inverse(relative_cut))
}

/// The most that a matrix stretches any direction: its largest singular value, 0 for an empty one.
pub fn operator_norm(matrix: &Matrix) -> Result<f64, NumericError> {
    if matrix.nrows().min(matrix.ncols()) == 0 {
        return Ok(0.0);
    }
    match matrix.is_all_finite() {
        true => Ok(Svd::of(matrix)?.values.first().copied().unwrap_or(0.0)),
        // What could not be measured is at no distance.
        false => Ok(f64::NAN),
    }
}

/// Largest over smallest singular value.
pub fn condition(matrix: &Matrix) -> Result<f64, NumericError> {
    Ok(Svd::of(matrix)?.condition())
}

/// The `X` that minimizes `|inputs X - outputs|^2 + ridge |X|^2`; of many, the shortest ([`RELATIVE_CUT`]).
pub fn least_squares(inputs: &Matrix, outputs: &Matrix, ridge: f64) -> Result<Matrix, NumericError> {
    require_finite(outputs)?;
    if inputs.nrows() != outputs.nrows() {
        return Err(NumericError::Size { what: "rows of outputs", found: outputs.nrows(), needed: inputs.nrows() });
    }
    let svd = Svd::of(inputs)?;
    Ok(svd.filtered_inverse(RELATIVE_CUT, |value| value / (value * value + ridge)) * outputs)
}

#[cfg(test)]
mod tests {
    use super::super::tolerance::Tolerance;
    use super::super::{condition, draw};
    use super::*;
    use crate::random::{Purpose, Stream};

    #[test]
    fn the_pseudo_inverse_satisfies_the_four_penrose_equations() {
        let stream = Stream::new(11, Purpose::Matrices);
        for (rows, columns, rank) in [(1, 1, 1), (5, 3, 3), (3, 5, 2), (40, 17, 9), (128, 64, 64), (64, 128, 30)] {
            let a = draw::normal(rows, rank, &stream, rows as u32) * draw::normal(rank, columns, &stream, 1000);
            let p = pseudo_inverse(&a, RELATIVE_CUT).unwrap();
            let close = Tolerance::relative(1e-11);
            close.assert_close(&(&a * &p * &a), &a);
            close.assert_close(&(&p * &a * &p), &p);
            let (ap, pa) = (&a * &p, &p * &a);
            close.assert_close(&ap.transpose().to_owned(), &ap);
            close.assert_close(&pa.transpose().to_owned(), &pa);
        }
    }

    #[test]
    fn least_squares_recovers_a_planted_solution_and_ridge_shrinks_it() {
        let stream = Stream::new(12, Purpose::Matrices);
        let inputs = draw::normal(300, 20, &stream, 0);
        let planted = draw::normal(20, 4, &stream, 1);
        let outputs = &inputs * &planted;
        let found = least_squares(&inputs, &outputs, 0.0).unwrap();
        Tolerance::relative(1e-12).assert_close(&found, &planted);
        let shrunk = least_squares(&inputs, &outputs, 10.0).unwrap();
        let normal = inputs.transpose() * &inputs + 10.0 * Matrix::identity(20, 20);
        Tolerance::relative(1e-12).assert_close(&(normal * &shrunk), &(inputs.transpose() * &outputs));
        assert!(shrunk.norm_l2() < found.norm_l2());
    }

    #[test]
    fn a_singular_matrix_has_an_infinite_condition_number_and_an_empty_one_has_one() {
        assert_eq!(condition(&Matrix::zeros(3, 3)).unwrap(), f64::INFINITY);
        assert_eq!(condition(&Matrix::zeros(0, 0)).unwrap(), 1.0);
    }
}
