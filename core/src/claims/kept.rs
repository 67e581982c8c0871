//! Whether every direction of the contents is still there in the end, and not only each content by itself.
//!
//! A direction in which many contents are mixed may fade without turning a single sign. So the contents that the last outputs
//! show are regressed on those that f holds then: the singular values of that map say how much of every direction is left.

use super::{Claim, ClaimName, ClaimParams};
use crate::code::{Contents, ContentsFrom};
use crate::numeric::{Matrix, NumericError, Svd, principal_directions};
use crate::observe::Batch;

/// Episodes that it takes for every direction of the contents.
const EPISODES_EACH: usize = 2;

/// How much of every direction of the contents is left after a long time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// The least of any direction, as a share of the middle one.
    pub least: f64,
    /// Directions.
    pub directions: usize,
    /// Output steps that were run.
    pub steps: usize,
}

impl Kept {
    /// Looks at the last s output steps; nothing where f keeps nothing, or where there are too few steps or episodes.
    pub fn measure(batch: &Batch, contents: &Contents, unit: f64, faint: f64) -> Result<Option<Self>, NumericError> {
        let (steps, s) = (batch.outputs.len(), contents.task().s());
        if contents.fades || contents.count() == 0 || steps < s.max(2) {
            return Ok(None);
        }
        let over = contents.over(batch, ContentsFrom::Function, (&[], 1.0));
        let held = centred(over.at(steps - 1));
        let window = faer::Scale(1.0 / unit) * batch.window_of_outputs(steps - s, (s, contents.task().d()));
        let seen = centred(&contents.project * window);
        let (sizes, directions) = principal_directions(&(&held * held.transpose()))?;
        let largest = sizes.first().copied().unwrap_or(0.0);
        // What f itself has let go is not asked for.
        let varied = sizes.iter().take_while(|&&size| size > faint * largest && size > 0.0).count();
        if varied == 0 || batch.episodes < EPISODES_EACH * varied {
            return Ok(None);
        }
        let directions = directions.subcols(0, varied);
        let (held, seen) = (directions.transpose() * &held, directions.transpose() * &seen);
        let shared = &seen * held.transpose();
        let map = Matrix::from_fn(varied, varied, |i, j| shared[(i, j)] / (sizes[j] * sizes[j]));
        let left = Svd::of(&map)?.values;
        let middle = left[left.len() / 2];
        let least = left.last().copied().unwrap_or(0.0) / middle.max(f64::MIN_POSITIVE);
        Ok(Some(Self { least, directions: varied, steps }))
    }

    pub(super) fn claim(&self, params: &ClaimParams) -> Claim {
        let detail = format!(
            "what is left after {} steps of the direction that fades most, beside the middle one of {}",
            self.steps, self.directions
        );
        Claim::at_least(ClaimName::KeepsContents, self.least, params.kept, detail)
    }
}

fn centred(mut rows: Matrix) -> Matrix {
    crate::code::centre(&mut rows);
    rows
}
