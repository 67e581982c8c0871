//! Contents as what the network itself will say.

use super::{Evidence, MemoriesError, MemoriesParams, Score, observability, score::score};
use crate::numeric::{Matrix, pseudo_inverse};

/// Collects `y(t), ..., y(t+s-1)` and asks which contents would make the theory's circuit say that.
///
/// No linear basis comes out, but every accurate network is decoded, also one that keeps its variables nonlinearly.
pub(super) fn rollout(evidence: &Evidence<'_>, params: &MemoriesParams) -> Result<Score, MemoriesError> {
    let (s, d) = (evidence.task.s(), evidence.task.d());
    let decoder = pseudo_inverse(&observability(&evidence.core.readout, &evidence.core.step, s), params.relative_cut)?;
    let batch = &evidence.observed.score;
    let means = evidence.observed.probe.mean_outputs();
    Ok(score(evidence, params, |t| {
        let produced = Matrix::from_fn(s * d, batch.episodes, |row, episode| {
            let (at, j) = (t + row / d, row % d);
            // The sign, not the size: a saturated output says no more than a small one.
            1f64.copysign(batch.outputs[at][(j, episode)] - means[at][j])
        });
        &decoder * produced
    }))
}
