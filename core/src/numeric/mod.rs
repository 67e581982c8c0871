//! Linear algebra with stated orders, cuts and errors, on top of [faer](https://docs.rs/faer).
//!
//! Everything runs on one thread: an analysis is small, and callers run many of them side by side.
//!
//! | wanted | where |
//! |---|---|
//! | eigenvalues in a stated order, with residuals | [`eigenvalues`], [`Eigen`] |
//! | real Schur form, reordered | [`Schur`] |
//! | an invariant subspace, its dual, its projector | [`InvariantSubspace`] |
//! | singular values, pseudo-inverse, condition, least squares | [`Svd`], [`pseudo_inverse`], [`condition`], [`least_squares`] |
//! | random matrices of a chosen condition number | [`draw`] |
//! | two sets of angles matched on the circle | [`match_angles`] |
//! | two sets matched at the least cost | [`assignment`] |

mod assignment;
mod block;
pub mod draw;
mod eigen;
mod francis;
mod matching;
mod principal;
mod ridge;
mod schur;
mod side_by_side;
mod singular;
mod subsets;
mod subspace;
mod tanh;
#[doc(hidden)]
pub mod tolerance;

pub use assignment::assignment;
pub use eigen::{Eigen, ORDER_GAP, ZERO_EIGENVALUE, eigenvalues, order_eigenvalues};
pub use faer::c64;
pub use matching::{AngleMatching, Matching, arc, match_angles};
pub(crate) use principal::principal_directions;
pub use ridge::{regress, ridge_regression};
pub use schur::Schur;
pub(crate) use side_by_side::{beside, stacked};
pub use singular::{RELATIVE_CUT, Svd, condition, least_squares, operator_norm, pseudo_inverse};
pub(crate) use subsets::{for_each_subset, subset_count};
pub use subspace::InvariantSubspace;
pub use tanh::tanh_in_place;

/// A dense real matrix, column-major.
pub type Matrix = faer::Mat<f64>;

/// Rows that a product handles at once on the widest processors.
const ROWS_AT_ONCE: usize = 8;

/// The same matrix with zeros in the memory between its columns.
///
/// As left factor of a product a matrix is read in whole registers, and what lies beyond its last row is multiplied too and
/// thrown away. Whatever was in that memory before may be numbers too small for fast arithmetic: four rows were ten times
/// slower than eight. Worth it for left factors that are used many times.
pub fn zero_padded(matrix: &Matrix) -> Matrix {
    let (rows, columns) = (matrix.nrows(), matrix.ncols());
    let mut padded = Matrix::zeros(rows.next_multiple_of(ROWS_AT_ONCE), columns);
    padded.subrows_mut(0, rows).copy_from(matrix);
    padded.truncate(rows, columns);
    padded
}

/// What can go wrong in a matrix computation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NumericError {
    /// An entry is NaN or infinite.
    #[error("entry ({row}, {column}) is {value}: every entry must be finite; check the weights for a diverged run")]
    NotFinite {
        /// Row of the first such entry.
        row: usize,
        /// Column of the first such entry.
        column: usize,
        /// What stands there.
        value: f64,
    },
    /// A square matrix was needed.
    #[error("the matrix is {rows} x {columns}: it must be square")]
    NotSquare {
        /// Rows found.
        rows: usize,
        /// Columns found.
        columns: usize,
    },
    /// Two operands do not fit together.
    #[error("{what}: found {found}, needed {needed}")]
    Size {
        /// The quantity whose size is wrong.
        what: &'static str,
        /// Its size.
        found: usize,
        /// The size it must have.
        needed: usize,
    },
    /// An iteration gave up.
    #[error("{what} of a {size} x {size} matrix did not converge; rescale the matrix or look for huge entries")]
    NoConvergence {
        /// The iteration.
        what: &'static str,
        /// Size of the matrix.
        size: usize,
    },
    /// Two eigenvalues are too close to be told apart by reordering.
    #[error(
        "eigenvalues {first} and {second} cannot change places: the swap leaves {residue:e}, more than {limit:e}; \
         select both or neither"
    )]
    CannotSwap {
        /// The eigenvalue that stood first.
        first: c64,
        /// The eigenvalue that was to take its place.
        second: c64,
        /// What the swap left below the diagonal, relative to the blocks.
        residue: f64,
        /// How much it may leave.
        limit: f64,
    },
    /// A selected eigenvalue equals one that was not selected.
    #[error("selected and unselected eigenvalues meet at {0}: no projector separates them; move the threshold")]
    NotSeparated(c64),
    /// A square matrix has no inverse within the stated cut.
    #[error("the matrix is singular: condition {condition:e} is beyond {limit:e}")]
    Singular {
        /// Its condition number.
        condition: f64,
        /// The largest condition number that is accepted.
        limit: f64,
    },
}

/// Fails on the first entry that is NaN or infinite.
pub fn require_finite(matrix: &Matrix) -> Result<(), NumericError> {
    for column in 0..matrix.ncols() {
        for (row, &value) in matrix.col_as_slice(column).iter().enumerate() {
            if !value.is_finite() {
                return Err(NumericError::NotFinite { row, column, value });
            }
        }
    }
    Ok(())
}

/// Fails unless the matrix is square and finite.
pub fn require_square(matrix: &Matrix) -> Result<(), NumericError> {
    if matrix.nrows() != matrix.ncols() {
        return Err(NumericError::NotSquare { rows: matrix.nrows(), columns: matrix.ncols() });
    }
    require_finite(matrix)
}
