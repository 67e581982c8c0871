//! Whether every direction of the contents is still there in the end, and not only each content by itself.
//!
//! A direction in which many contents are mixed may fade without turning a single sign. So the contents that the last outputs
//! show are regressed on those that f holds then: the singular values of that map say how much of every direction is left.

use super::{Behaviour, Grounds, Measured, Outcome};
use crate::code::{Contents, ContentsFrom};
use crate::numeric::{Matrix, NumericError, Svd, principal_directions};
use crate::observe::Batch;

/// Episodes that it takes for every direction of the contents.
const EPISODES_EACH: usize = 2;

/// Looks at the last s output steps; nothing where f keeps nothing, or where there are too few steps or episodes.
pub(super) fn keeps_contents(of: &Grounds<'_>) -> Outcome {
    let Behaviour { contents, followed, .. } = of.behaviour?;
    let (batch, steps) = (&of.observed.long, of.observed.long.outputs.len());
    let left = left(batch, contents, followed.unit, of.code.contents.faint).transpose()?;
    Some(left.map(|left| {
        let least = left.last().copied().unwrap_or(0.0) / left[left.len() / 2].max(f64::MIN_POSITIVE);
        let detail = format!(
            "what is left after {steps} steps of the direction that fades most, beside the middle one of {}",
            left.len()
        );
        Measured::new(least, detail)
    }))
}

/// How much of every direction of the contents is left after a long time, the most first.
fn left(batch: &Batch, contents: &Contents, unit: f64, faint: f64) -> Result<Option<Vec<f64>>, NumericError> {
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
    Ok(Some(Svd::of(&map)?.values))
}

fn centred(mut rows: Matrix) -> Matrix {
    crate::code::centre(&mut rows);
    rows
}
