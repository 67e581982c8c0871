//! Invariant subspaces, their duals and spectral projectors.

use super::block::{block_eigenvalues, solve_sylvester};
use super::schur::small;
use super::{Matrix, NumericError, Schur, c64, order_eigenvalues};

/// The invariant subspace that belongs to a selection of eigenvalues.
///
/// It comes from the reordered real Schur form, never from eigenvectors, so repeated eigenvalues are no problem.
#[derive(Clone, Debug)]
pub struct InvariantSubspace {
    /// Orthonormal columns that span the subspace: `A basis = basis operator`.
    pub basis: Matrix,
    /// Rows that vanish on the complementary invariant subspace: `dual basis = I`, `dual A = operator dual`.
    pub dual: Matrix,
    /// The matrix on the subspace, quasi-triangular.
    pub operator: Matrix,
    /// The selected eigenvalues, in the order of [`order_eigenvalues`].
    pub eigenvalues: Vec<c64>,
}

impl InvariantSubspace {
    /// The subspace of the eigenvalues that `select` keeps; a conjugate pair is judged by its upper member.
    ///
    /// ```
    /// use ketbra::numeric::{InvariantSubspace, Matrix};
    /// let matrix = Matrix::from_fn(2, 2, |i, j| [[1.0, 5.0], [0.0, 0.5]][i][j]);
    /// let lasting = InvariantSubspace::of(&matrix, |z| z.norm_sqr() > 0.81)?;
    /// assert_eq!(lasting.eigenvalues.len(), 1);
    /// assert!((lasting.projector()[(0, 1)] - 10.0).abs() < 1e-12);
    /// # Ok::<(), ketbra::numeric::NumericError>(())
    /// ```
    pub fn of(matrix: &Matrix, select: impl Fn(c64) -> bool) -> Result<Self, NumericError> {
        Self::of_schur(Schur::of(matrix)?, select)
    }

    /// The same from a Schur form already at hand.
    pub fn of_schur(mut schur: Schur, select: impl Fn(c64) -> bool) -> Result<Self, NumericError> {
        let size = schur.form.nrows();
        let kept = schur.bring_forward(select)?;
        let complement = solve_coupling(&schur, kept)?;
        let basis = schur.vectors.subcols(0, kept).to_owned();
        let dual = (&basis - schur.vectors.subcols(kept, size - kept) * complement.transpose()).transpose().to_owned();
        let operator = schur.form.submatrix(0, 0, kept, kept).to_owned();
        let mut eigenvalues = schur.eigenvalues();
        eigenvalues.truncate(kept);
        order_eigenvalues(&mut eigenvalues);
        Ok(Self { basis, dual, operator, eigenvalues })
    }

    /// Dimension of the subspace.
    pub fn dimension(&self) -> usize {
        self.basis.ncols()
    }

    /// The spectral projector: identity on the subspace, zero on the complementary one.
    pub fn projector(&self) -> Matrix {
        &self.basis * &self.dual
    }
}

/// Solves `T11 Y - Y T22 = -T12`, so that the columns of `Z [Y; I]` span the complementary invariant subspace
/// (Bartels and Stewart, 1972).
fn solve_coupling(schur: &Schur, kept: usize) -> Result<Matrix, NumericError> {
    let form = &schur.form;
    let rest = form.nrows() - kept;
    let mut solution = Matrix::from_fn(kept, rest, |i, j| -form[(i, kept + j)]);
    let blocks = schur.blocks();
    let split = blocks.iter().take_while(|(start, _)| *start < kept).count();
    for &(column, q) in &blocks[split..] {
        let at = column - kept;
        for j in at..at + q {
            for k in 0..at {
                add_column(&mut solution, j, k, form[(kept + k, kept + j)], kept);
            }
        }
        let right = small(form, column, column, q, q);
        for &(row, p) in blocks[..split].iter().rev() {
            let left = small(form, row, row, p, p);
            let rhs = small(&solution, row, at, p, q);
            let piece = solve_sylvester(&left, p, &right, q, &rhs)
                .ok_or(NumericError::NotSeparated(block_eigenvalues(&left, p)[0]))?;
            for j in 0..q {
                for i in 0..p {
                    solution[(row + i, at + j)] = piece[i][j];
                    let pivot = form.col_as_slice(row + i);
                    for (entry, factor) in solution.col_as_slice_mut(at + j)[..row].iter_mut().zip(pivot) {
                        *entry -= factor * piece[i][j];
                    }
                }
            }
        }
    }
    Ok(solution)
}

fn add_column(matrix: &mut Matrix, to: usize, from: usize, factor: f64, rows: usize) {
    for i in 0..rows {
        let addend = factor * matrix[(i, from)];
        matrix[(i, to)] += addend;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tolerance::Tolerance;
    use super::super::{draw, eigenvalues};
    use super::*;
    use crate::random::{Purpose, Stream};

    /// Random, orthogonal, cyclic, defective and repeated cases of every size.
    fn specimens() -> Vec<(String, Matrix)> {
        let stream = Stream::new(21, Purpose::Matrices);
        let mut all = Vec::new();
        for size in [1, 2, 3, 4, 5, 8, 16, 33, 64, 130] {
            let basis = draw::with_condition(size, size, 100.0, &stream, size as u32);
            let inverse = basis.partial_piv_lu();
            let planted = |core: Matrix| {
                use faer::prelude::Solve;
                inverse.solve((&basis * core).transpose().to_owned().transpose()).to_owned()
            };
            let cycle = Matrix::from_fn(size, size, |i, j| f64::from((i + 1) % size == j));
            let copies = Matrix::from_fn(size, size, |i, j| f64::from((i + 8) % size == j));
            let jordan = Matrix::from_fn(size, size, |i, j| if i == j { 0.5 } else { f64::from(i + 1 == j) });
            all.push((format!("normal {size}"), draw::normal(size, size, &stream, 500 + size as u32)));
            all.push((format!("orthonormal {size}"), draw::orthonormal(size, size, &stream, size as u32)));
            all.push((format!("copies in a basis {size}"), planted(copies)));
            all.push((format!("cycle {size}"), cycle));
            all.push((format!("jordan {size}"), jordan));
            all.push((format!("zero {size}"), Matrix::zeros(size, size)));
        }
        all
    }

    #[test]
    fn the_schur_form_rebuilds_the_matrix() {
        for (name, matrix) in specimens() {
            let schur = Schur::of(&matrix).unwrap_or_else(|error| panic!("{name}: {error}"));
            let (z, size) = (&schur.vectors, matrix.nrows());
            let close = Tolerance { relative: 1e-13 * (size as f64).sqrt().max(4.0), absolute: 0.0 };
            close.assert_close(&(z.transpose() * z), &Matrix::identity(size, size));
            close.assert_close(&(z * &schur.form * z.transpose()), &matrix);
            for j in 0..size {
                assert!((j + 2..size).all(|i| schur.form[(i, j)] == 0.0), "{name}: not quasi-triangular");
                assert!(j + 2 >= size || schur.form[(j + 1, j)] * schur.form[(j + 2, j + 1)] == 0.0, "{name}");
            }
        }
    }

    #[test]
    fn selected_eigenvalues_come_to_the_front_and_the_matrix_stays_the_same() {
        for (name, matrix) in specimens().into_iter().filter(|(name, _)| !name.starts_with("jordan")) {
            for (way, select) in [(0, (|z: c64| z.re > 0.1) as fn(c64) -> bool), (1, |z| z.im.abs() < 0.6)] {
                let mut schur = Schur::of(&matrix).unwrap();
                let wanted = schur.eigenvalues().iter().filter(|z| select(c64::new(z.re, z.im.abs()))).count();
                let kept = schur.bring_forward(select).unwrap_or_else(|error| panic!("{name} {way}: {error}"));
                assert_eq!(kept, wanted, "{name}");
                let z = &schur.vectors;
                Tolerance::relative(1e-11).assert_close(&(z * &schur.form * z.transpose()), &matrix);
                assert!(schur.eigenvalues()[..kept].iter().all(|z| select(c64::new(z.re, z.im.abs()))), "{name}");
            }
        }
    }

    #[test]
    fn the_dual_inverts_the_basis_and_both_are_invariant() {
        for (name, matrix) in specimens().into_iter().filter(|(name, _)| !name.starts_with("jordan")) {
            let found = InvariantSubspace::of(&matrix, |z| z.re > 0.1).unwrap();
            let (q, dual, size) = (&found.basis, &found.dual, found.dimension());
            let scale = dual.norm_l2().max(1.0) * matrix.norm_l2().max(1.0);
            let close = Tolerance { relative: 0.0, absolute: 1e-13 * scale * scale };
            close.assert_close(&(dual * q), &Matrix::identity(size, size));
            close.assert_close(&(&matrix * q), &(q * &found.operator));
            close.assert_close(&(dual * &matrix), &(&found.operator * dual));
            let projector = found.projector();
            close.assert_close(&(&projector * &projector), &projector);
            assert_eq!(size, eigenvalues(&matrix).unwrap().iter().filter(|z| z.re > 0.1).count(), "{name}");
        }
    }

    #[test]
    fn eightfold_eigenvalues_separate_from_the_rest() {
        // Eight cycles of length 8 (repeat copy) and 64 decaying directions, in an ill-conditioned basis.
        let stream = Stream::new(22, Purpose::Matrices);
        let core = Matrix::from_fn(128, 128, |i, j| match (i < 64, j < 64) {
            (true, true) => f64::from((i + 8) % 64 == j),
            (false, false) if i == j => 0.5,
            _ => 0.0,
        });
        let basis = draw::with_condition(128, 128, 1e3, &stream, 0);
        let inverse = super::super::pseudo_inverse(&basis, super::super::RELATIVE_CUT).unwrap();
        let matrix = &basis * core * &inverse;
        let found = InvariantSubspace::of(&matrix, |z| z.norm_sqr() > 0.64).unwrap();
        assert_eq!(found.dimension(), 64);
        let expected = basis.subcols(0, 64) * inverse.subrows(0, 64);
        Tolerance::relative(1e-9).assert_close(&found.projector(), &expected);
    }

    #[test]
    fn equal_eigenvalues_on_both_sides_of_the_selection_are_refused() {
        let mut schur = Schur::of(&Matrix::identity(2, 2)).unwrap();
        schur.form[(0, 1)] = 1.0;
        let calls = std::cell::Cell::new(0);
        let second_only = |_: c64| calls.replace(calls.get() + 1) == 1;
        assert!(matches!(schur.bring_forward(second_only), Err(NumericError::CannotSwap { .. })));
    }
}
