//! Random matrices from addressed streams ([`Purpose::Matrices`](crate::random::Purpose::Matrices)).

use super::Matrix;
use crate::random::Stream;

/// Independent standard normal entries; `index` tells apart the matrices of one stream.
pub fn normal(rows: usize, columns: usize, stream: &Stream, index: u32) -> Matrix {
    factor(rows, columns, stream, index, 0)
}

/// Independent random signs; column k holds those at (index, k, 0).
pub fn signs(rows: usize, columns: usize, stream: &Stream, index: u32) -> Matrix {
    let mut signs = Matrix::zeros(rows, columns);
    for k in 0..columns {
        let column = signs.col_as_slice_mut(k).iter_mut();
        column.zip(stream.signs(index, k as u32, 0)).for_each(|(x, sign)| *x = f64::from(sign));
    }
    signs
}

/// Orthonormal columns, uniformly distributed (Haar). Needs `rows >= columns`.
pub fn orthonormal(rows: usize, columns: usize, stream: &Stream, index: u32) -> Matrix {
    orthonormal_factor(rows, columns, stream, index, 0)
}

/// A matrix with random singular vectors whose singular values fall geometrically from `sqrt(condition)` to
/// `1 / sqrt(condition)`. Needs `rows >= columns`.
pub fn with_condition(rows: usize, columns: usize, condition: f64, stream: &Stream, index: u32) -> Matrix {
    let mut left = orthonormal_factor(rows, columns, stream, index, 0);
    let right = orthonormal_factor(columns, columns, stream, index, 1);
    for j in 0..columns {
        let place = if columns > 1 { j as f64 / (columns - 1) as f64 } else { 0.5 };
        let value = condition.powf(0.5 - place);
        left.col_as_slice_mut(j).iter_mut().for_each(|x| *x *= value);
    }
    left * right.transpose()
}

fn factor(rows: usize, columns: usize, stream: &Stream, index: u32, factor: u32) -> Matrix {
    let mut entries = vec![0.0; rows * columns];
    stream.fill_normal(index, factor, &mut entries);
    Matrix::from_fn(rows, columns, |i, j| entries[i * columns + j])
}

fn orthonormal_factor(rows: usize, columns: usize, stream: &Stream, index: u32, which: u32) -> Matrix {
    let qr = factor(rows, columns, stream, index, which).qr();
    let mut q = qr.compute_thin_Q();
    // Without this the signs of the factorization would bias the distribution (Mezzadri, 2007).
    for j in 0..q.ncols() {
        if qr.thin_R()[(j, j)] < 0.0 {
            q.col_as_slice_mut(j).iter_mut().for_each(|x| *x = -*x);
        }
    }
    q
}

#[cfg(test)]
mod tests {
    use super::super::condition;
    use super::super::tolerance::Tolerance;
    use super::*;
    use crate::random::Purpose;

    #[test]
    fn orthonormal_columns_are_orthonormal() {
        for (rows, columns) in [(1, 1), (8, 3), (64, 64), (128, 36)] {
            let q = orthonormal(rows, columns, &Stream::new(1, Purpose::Matrices), 0);
            Tolerance::relative(1e-13).assert_close(&(q.transpose() * &q), &Matrix::identity(columns, columns));
        }
    }

    #[test]
    fn the_condition_number_is_the_one_asked_for() {
        for wanted in [1.0, 10.0, 1e4, 1e8] {
            let matrix = with_condition(64, 36, wanted, &Stream::new(1, Purpose::Matrices), 0);
            Tolerance::relative(1e-6).assert_close(&condition(&matrix).unwrap(), &wanted);
        }
    }
}
