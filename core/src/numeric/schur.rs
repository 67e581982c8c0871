//! The real Schur form and its reordering.

use faer::c64;

use super::block::{Small, block_eigenvalues, orthogonal_completion, solve_sylvester, standardizing_rotation};
use super::francis::{hessenberg, to_quasi_triangular};
use super::{Matrix, NumericError, require_square};

/// What a swap may leave below the diagonal, in units of rounding error of the blocks (Bai and Demmel, 1993, use 10).
const SWAP_RESIDUE: f64 = 20.0 * f64::EPSILON;

/// `A = Z T Z'` with orthogonal `Z` and quasi-triangular `T`: 1 x 1 blocks for real eigenvalues, 2 x 2 for pairs.
///
/// Unlike eigenvectors it exists for every matrix and is computed backward stably, however often an eigenvalue repeats.
///
/// ```
/// use ketbra::numeric::{Matrix, Schur};
/// let turn = Matrix::from_fn(3, 3, |i, j| f64::from((i + 1) % 3 == j));
/// let schur = Schur::of(&turn)?;
/// assert_eq!(schur.blocks().len(), 2); // 1 and the pair of complex cube roots
/// # Ok::<(), ketbra::numeric::NumericError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Schur {
    /// The orthogonal factor: its leading columns span invariant subspaces.
    #[doc(alias = "Z")]
    pub vectors: Matrix,
    /// The quasi-triangular factor.
    #[doc(alias = "T")]
    pub form: Matrix,
}

impl Schur {
    /// The real Schur form of a square matrix, in the order in which the iteration finds its eigenvalues.
    pub fn of(matrix: &Matrix) -> Result<Self, NumericError> {
        require_square(matrix)?;
        let (mut vectors, mut form) = hessenberg(matrix);
        to_quasi_triangular(&mut vectors, &mut form)?;
        let mut schur = Self { vectors, form };
        for start in (0..matrix.nrows().saturating_sub(1)).rev() {
            if schur.form[(start + 1, start)] != 0.0 {
                schur.standardize(start);
            }
        }
        Ok(schur)
    }

    /// First row and size (1 or 2) of each diagonal block.
    pub fn blocks(&self) -> Vec<(usize, usize)> {
        let size = self.form.nrows();
        let mut blocks = Vec::new();
        let mut start = 0;
        while start < size {
            let width = if start + 1 < size && self.form[(start + 1, start)] != 0.0 { 2 } else { 1 };
            blocks.push((start, width));
            start += width;
        }
        blocks
    }

    /// Eigenvalues in the order of the diagonal, the upper member of a pair first.
    pub fn eigenvalues(&self) -> Vec<c64> {
        let of_block = |(start, width)| {
            let values = block_eigenvalues(&small(&self.form, start, start, width, width), width);
            values.into_iter().take(width)
        };
        self.blocks().into_iter().flat_map(of_block).collect()
    }

    /// The eigenvalue of a block; of a pair, the member in the upper half plane.
    pub fn block_eigenvalue(&self, (start, width): (usize, usize)) -> c64 {
        block_eigenvalues(&small(&self.form, start, start, width, width), width)[0]
    }

    /// Brings the selected eigenvalues to the front, keeping the order among them, and returns how many there are.
    ///
    /// A conjugate pair is judged by its member in the upper half plane. Adjacent blocks change places by one
    /// orthogonal transformation each (Bai and Demmel, "On swapping diagonal blocks in real Schur form", 1993).
    pub fn bring_forward(&mut self, select: impl Fn(c64) -> bool) -> Result<usize, NumericError> {
        let chosen: Vec<bool> = self.blocks().into_iter().map(|block| select(self.block_eigenvalue(block))).collect();
        let mut widths: Vec<usize> = self.blocks().into_iter().map(|(_, width)| width).collect();
        let (mut front, mut size) = (0, 0);
        for (position, _) in chosen.iter().enumerate().filter(|(_, wanted)| **wanted) {
            for place in (front..position).rev() {
                let start = widths[..place].iter().sum();
                self.swap(start, widths[place], widths[place + 1])?;
                widths.swap(place, place + 1);
            }
            size += widths[front];
            front += 1;
        }
        Ok(size)
    }

    fn swap(&mut self, start: usize, first: usize, second: usize) -> Result<(), NumericError> {
        let middle = start + first;
        let upper = small(&self.form, start, start, first, first);
        let lower = small(&self.form, middle, middle, second, second);
        let mut coupling = small(&self.form, start, middle, first, second);
        coupling.iter_mut().flatten().for_each(|x| *x = -*x);
        let refuse = |residue| NumericError::CannotSwap {
            first: block_eigenvalues(&upper, first)[0],
            second: block_eigenvalues(&lower, second)[0],
            residue,
            limit: SWAP_RESIDUE,
        };
        let solution =
            solve_sylvester(&upper, first, &lower, second, &coupling).ok_or_else(|| refuse(f64::INFINITY))?;
        let mut tall = solution;
        for k in 0..second {
            tall[first + k] = [0.0; 4];
            tall[first + k][k] = 1.0;
        }
        let width = first + second;
        let before = small(&self.form, start, start, width, width);
        let size = before.iter().flatten().fold(0.0f64, |most, x| most.max(x.abs()));
        self.transform(start, width, &orthogonal_completion(tall, width, second));
        let mut residue = 0.0f64;
        for row in start + second..start + width {
            for column in start..start + second {
                residue = residue.max(self.form[(row, column)].abs() / size);
                self.form[(row, column)] = 0.0;
            }
        }
        if residue > SWAP_RESIDUE {
            return Err(refuse(residue));
        }
        for (at, width) in [(start, second), (start + second, first)] {
            if width == 2 {
                self.standardize(at);
            }
        }
        Ok(())
    }

    fn standardize(&mut self, start: usize) {
        let block = small(&self.form, start, start, 2, 2);
        let is_pair = block_eigenvalues(&block, 2)[0].im != 0.0;
        let (c, s) = standardizing_rotation(&block);
        let mut rotation = Small::default();
        (rotation[0][0], rotation[0][1], rotation[1][0], rotation[1][1]) = (c, -s, s, c);
        self.transform(start, 2, &rotation);
        let form = &mut self.form;
        if is_pair {
            let mean = 0.5 * (form[(start, start)] + form[(start + 1, start + 1)]);
            (form[(start, start)], form[(start + 1, start + 1)]) = (mean, mean);
        } else {
            form[(start + 1, start)] = 0.0;
        }
    }

    /// `T <- Q' T Q`, `Z <- Z Q` with `Q` acting on `width` neighbouring coordinates.
    fn transform(&mut self, start: usize, width: usize, q: &Small) {
        for column in start..self.form.ncols() {
            let entries = &mut self.form.col_as_slice_mut(column)[start..start + width];
            let mut mixed = [0.0; 4];
            for (value, row) in entries.iter().zip(q) {
                for (sum, factor) in mixed.iter_mut().zip(row) {
                    *sum += factor * value;
                }
            }
            entries.copy_from_slice(&mixed[..width]);
        }
        mix_columns(&mut self.form, start, width, start + width, q);
        let rows = self.vectors.nrows();
        mix_columns(&mut self.vectors, start, width, rows, q);
    }
}

fn mix_columns(matrix: &mut Matrix, start: usize, width: usize, rows: usize, q: &Small) {
    for row in 0..rows {
        let mut mixed = [0.0; 4];
        for (k, line) in q.iter().enumerate().take(width) {
            let value = matrix[(row, start + k)];
            for (sum, factor) in mixed.iter_mut().zip(line) {
                *sum += factor * value;
            }
        }
        for (k, value) in mixed.into_iter().enumerate().take(width) {
            matrix[(row, start + k)] = value;
        }
    }
}

/// A corner of a matrix as a small block.
pub(super) fn small(matrix: &Matrix, row: usize, column: usize, rows: usize, columns: usize) -> Small {
    let mut block = Small::default();
    for (i, line) in block.iter_mut().enumerate().take(rows) {
        for (j, entry) in line.iter_mut().enumerate().take(columns) {
            *entry = matrix[(row + i, column + j)];
        }
    }
    block
}
