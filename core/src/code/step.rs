//! The step matrix: how contents move, in the basis of the code.

use super::{CodeParams, Contents};
use crate::numeric::{Matrix, draw};
use crate::random::{Purpose, Stream};
use serde::{Deserialize, Serialize};

/// Rows of the step matrix that are those of f.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// Rows that compute f: the newest variable.
    pub of_f: usize,
    /// How many of those there are.
    pub all_of_f: usize,
    /// Rows that hand contents on.
    pub of_shift: usize,
    /// How many of those there are.
    pub all_of_shift: usize,
}

impl Rows {
    /// Counts the rows of `step` that differ from the theory's by at most `most` in every entry.
    pub fn count(step: &Matrix, contents: &Contents, most: f64) -> Self {
        let (newest, mut rows) = (contents.task().width() - contents.task().d(), Self::default());
        for (i, off) in off_by(step, &contents.whole_step()).into_iter().enumerate() {
            // Contents without a place of their own mix both kinds.
            let computes = contents.slots.as_ref().is_none_or(|slots| slots[i] >= newest);
            let (right, all) = match computes {
                true => (&mut rows.of_f, &mut rows.all_of_f),
                false => (&mut rows.of_shift, &mut rows.all_of_shift),
            };
            *all += 1;
            *right += usize::from(off <= most);
        }
        rows
    }

    /// Rows that are right, of both kinds.
    pub fn right(&self) -> usize {
        self.of_f + self.of_shift
    }

    /// All rows.
    pub fn all(&self) -> usize {
        self.all_of_f + self.all_of_shift
    }
}

/// For each row the largest difference of an entry.
pub(crate) fn off_by(step: &Matrix, theory: &Matrix) -> Vec<f64> {
    let off = |i: usize| (0..step.ncols()).map(|j| (step[(i, j)] - theory[(i, j)]).abs()).fold(0.0, f64::max);
    (0..step.nrows()).map(off).collect()
}

/// Random contents: signs where contents are signs, otherwise what random windows hold.
pub(crate) fn random_contents(contents: &Contents, columns: usize, seed: u64) -> Matrix {
    let signs = |rows: usize| draw::signs(rows, columns, &Stream::new(seed, Purpose::ScoreInputs), 7);
    match &contents.slots {
        Some(slots) => signs(slots.len()),
        None => &contents.project * signs(contents.task().width()),
    }
}

impl CodeParams {
    /// How many random contents are written.
    pub(crate) fn columns(&self, contents: usize) -> usize {
        self.writings.0.max(self.writings.1 * contents)
    }
}
