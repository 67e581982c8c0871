//! Eigenvalues in a stated order, eigenvectors with fixed phases and residuals.

use faer::{Mat, c64};

use super::{Matrix, NumericError, Schur, require_square};

/// Arguments (radians) and moduli (relative) nearer than this count as equal when eigenvalues are put in order.
pub const ORDER_GAP: f64 = 1e-9;

/// Eigenvalues below this share of the largest modulus have no argument to speak of and come last.
pub const ZERO_EIGENVALUE: f64 = 1e-9;

/// How far the eigenvalues may sum from the trace, relative to the Frobenius norm, before a second method is asked.
const TRACE_GAP: f64 = 1e-10;

/// Eigenvalues of a square matrix, in the order of [`order_eigenvalues`].
///
/// ```
/// use ketbra::numeric::{Matrix, eigenvalues};
/// let turn = Matrix::from_fn(4, 4, |i, j| f64::from((i + 1) % 4 == j));
/// let directions: Vec<f64> = eigenvalues(&turn)?.iter().map(|z| z.arg().to_degrees().round()).collect();
/// assert_eq!(directions, [0.0, 90.0, -90.0, 180.0]);
/// # Ok::<(), ketbra::numeric::NumericError>(())
/// ```
pub fn eigenvalues(matrix: &Matrix) -> Result<Vec<c64>, NumericError> {
    require_square(matrix)?;
    let size = matrix.nrows();
    let trace: f64 = (0..size).map(|k| matrix[(k, k)]).sum();
    // faer does not say when its iteration gives up; the sum of the eigenvalues does.
    let sums_to_trace = |values: &Vec<c64>| {
        let sum: c64 = values.iter().sum();
        (sum.re - trace).abs() <= TRACE_GAP * matrix.norm_l2() && sum.im.abs() <= TRACE_GAP * matrix.norm_l2()
    };
    let mut values = match matrix.eigenvalues() {
        Ok(values) if sums_to_trace(&values) => values,
        _ => Schur::of(matrix)?.eigenvalues(),
    };
    order_eigenvalues(&mut values);
    Ok(values)
}

/// Puts eigenvalues in the order used throughout: by the size of the argument from 0 to pi, larger modulus first where
/// arguments agree within [`ORDER_GAP`], each pair as upper member, lower member; those near zero
/// ([`ZERO_EIGENVALUE`]) last, by modulus.
///
/// Rounding noise smaller than the gap does not change the order of distinct eigenvalues, and members of an exactly
/// conjugate pair are always neighbours.
pub fn order_eigenvalues(values: &mut [c64]) {
    let order = eigenvalue_order(values);
    let sorted: Vec<c64> = order.into_iter().map(|k| values[k]).collect();
    values.copy_from_slice(&sorted);
    for value in values {
        value.im += 0.0; // -0.0 would put a negative real number at -pi
    }
}

fn eigenvalue_order(values: &[c64]) -> Vec<usize> {
    let modulus: Vec<f64> = values.iter().map(|z| z.re.hypot(z.im)).collect();
    let angle: Vec<f64> = values.iter().map(|z| z.im.abs().atan2(z.re)).collect();
    let largest = modulus.iter().copied().fold(0.0, f64::max);
    let (mut order, mut zeros): (Vec<usize>, Vec<usize>) =
        (0..values.len()).partition(|&k| modulus[k] > ZERO_EIGENVALUE * largest);
    let exact = |a: &usize, b: &usize| {
        angle[*a]
            .total_cmp(&angle[*b])
            .then(modulus[*b].total_cmp(&modulus[*a]))
            .then(values[*b].im.total_cmp(&values[*a].im))
    };
    order.sort_by(exact);
    for alike in runs_mut(&mut order, |a, b| angle[b] - angle[a] <= ORDER_GAP) {
        alike.sort_by(|a, b| modulus[*b].total_cmp(&modulus[*a]));
        for equal in runs_mut(alike, |a, b| modulus[a] - modulus[b] <= ORDER_GAP * modulus[a]) {
            equal.sort_by(exact);
            let (upper, lower): (Vec<usize>, Vec<usize>) = equal.iter().partition(|&&k| values[k].im >= 0.0);
            equal.copy_from_slice(&take_turns(&upper, &lower, |k| values[k].im > 0.0));
        }
    }
    zeros.sort_by(|a, b| modulus[*b].total_cmp(&modulus[*a]).then_with(|| exact(a, b)));
    order.extend(zeros);
    order
}

/// Each upper member followed by the next lower one, so that repeated pairs come out as pairs; real values stay alone.
fn take_turns(upper: &[usize], lower: &[usize], has_partner: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut lower = lower.iter().copied();
    let mut turns = Vec::new();
    for &member in upper {
        turns.push(member);
        if has_partner(member) {
            turns.extend(lower.next());
        }
    }
    turns.extend(lower);
    turns
}

/// Splits a slice into runs whose neighbours are alike.
fn runs_mut<'a>(
    items: &'a mut [usize],
    alike: impl Fn(usize, usize) -> bool + 'a,
) -> impl Iterator<Item = &'a mut [usize]> + 'a {
    items.chunk_by_mut(move |a, b| alike(*a, *b))
}

/// Eigenvalues with their eigenvectors.
///
/// For repeated eigenvalues the vectors can be nearly dependent: see [`condition`](super::condition) of `vectors`, or
/// use an [`InvariantSubspace`](super::InvariantSubspace), which needs none.
#[derive(Clone, Debug)]
pub struct Eigen {
    /// Eigenvalues in the order of [`order_eigenvalues`].
    pub values: Vec<c64>,
    /// One column an eigenvalue, of length 1, its largest entry real and positive.
    pub vectors: Mat<c64>,
    /// `|A v - lambda v|` relative to the Frobenius norm of `A`, one an eigenvalue.
    pub residuals: Vec<f64>,
}

impl Eigen {
    /// Eigenvalues and eigenvectors of a square matrix.
    pub fn of(matrix: &Matrix) -> Result<Self, NumericError> {
        require_square(matrix)?;
        let size = matrix.nrows();
        let found = matrix.eigen().map_err(|_| NumericError::NoConvergence { what: "the eigenvectors", size })?;
        let unsorted: Vec<c64> = found.S().column_vector().iter().copied().collect();
        let order = eigenvalue_order(&unsorted);
        let mut vectors = Mat::from_fn(size, size, |i, j| found.U()[(i, order[j])]);
        for j in 0..size {
            fix_phase(vectors.col_as_slice_mut(j));
        }
        let mut values: Vec<c64> = order.into_iter().map(|k| unsorted[k]).collect();
        values.iter_mut().for_each(|value| value.im += 0.0);
        let complex = Mat::from_fn(size, size, |i, j| c64::new(matrix[(i, j)], 0.0));
        let image = &complex * &vectors;
        let norm = matrix.norm_l2().max(f64::MIN_POSITIVE);
        let residuals = (0..size).map(|j| {
            let gaps = (0..size).map(|i| (image[(i, j)] - values[j] * vectors[(i, j)]).norm_sqr());
            gaps.sum::<f64>().sqrt() / norm
        });
        let residuals = residuals.collect();
        Ok(Self { values, vectors, residuals })
    }
}

/// Length 1, and the first entry of (nearly) the largest modulus real and positive.
fn fix_phase(vector: &mut [c64]) {
    let length = vector.iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt();
    let largest = vector.iter().map(|z| z.norm_sqr()).fold(0.0, f64::max).sqrt();
    let Some(anchor) = vector.iter().find(|z| z.norm_sqr().sqrt() >= (1.0 - ORDER_GAP) * largest).copied() else {
        return;
    };
    if length > 0.0 {
        let turn = anchor.conj() / (anchor.norm_sqr().sqrt() * length);
        vector.iter_mut().for_each(|z| *z *= turn);
    }
}

#[cfg(test)]
mod tests {
    use super::super::draw;
    use super::*;
    use crate::random::{Purpose, Stream};

    #[test]
    fn noise_below_the_gap_does_not_change_the_order() {
        let clean: Vec<c64> = (0..8).map(|k| c64::cis(std::f64::consts::TAU * f64::from(k) / 8.0)).collect();
        let mut sorted = clean.clone();
        order_eigenvalues(&mut sorted);
        for shift in 0..8u32 {
            let mut noisy: Vec<c64> = clean.iter().copied().cycle().skip(shift as usize).take(8).collect();
            for (k, z) in noisy.iter_mut().enumerate() {
                *z *= 1.0 + 1e-13 * ((k as f64) * 1.7).sin();
            }
            order_eigenvalues(&mut noisy);
            assert!(noisy.iter().zip(&sorted).all(|(a, b)| (a - b).norm_sqr() < 1e-20), "{noisy:?}");
        }
    }

    #[test]
    fn repeated_pairs_take_turns_with_noise_or_without() {
        let exact = [c64::new(0.0, 1.0), c64::new(0.0, 1.0), c64::new(0.0, -1.0), c64::new(0.0, -1.0)];
        for noise in [0.0, 1e-13] {
            let mut values = exact;
            (values[0].re, values[2].re) = (noise, noise);
            order_eigenvalues(&mut values);
            assert!(values[0].im > 0.0 && values[1] == values[0].conj() && values[3] == values[2].conj(), "{values:?}");
        }
    }

    #[test]
    fn conjugate_pairs_are_neighbours_upper_member_first() {
        let matrix = draw::normal(40, 40, &Stream::new(3, Purpose::Matrices), 0);
        let values = eigenvalues(&matrix).unwrap();
        let mut k = 0;
        while k < values.len() {
            if values[k].im == 0.0 {
                k += 1;
            } else {
                assert!(values[k].im > 0.0 && values[k + 1] == values[k].conj(), "{k}: {values:?}");
                k += 2;
            }
        }
    }

    #[test]
    fn eigenvectors_of_random_matrices_leave_rounding_size_residuals() {
        for size in [1, 2, 3, 7, 20, 64, 130] {
            let matrix = draw::normal(size, size, &Stream::new(5, Purpose::Matrices), size as u32);
            let eigen = Eigen::of(&matrix).unwrap();
            let worst = eigen.residuals.iter().copied().fold(0.0, f64::max);
            assert!(worst < 1e-13, "size {size}: residual {worst:e}");
            let values = eigenvalues(&matrix).unwrap();
            assert!(values.iter().zip(&eigen.values).all(|(a, b)| (a - b).norm_sqr().sqrt() < 1e-10), "size {size}");
        }
    }

    #[test]
    fn a_matrix_with_nan_is_refused_with_its_place() {
        let mut matrix = Matrix::identity(3, 3);
        matrix[(2, 1)] = f64::NAN;
        let error = eigenvalues(&matrix).unwrap_err().to_string();
        assert!(error.contains("(2, 1)") && error.contains("NaN"), "{error}");
    }
}
