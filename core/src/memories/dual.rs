//! Memories from the readout and the inverse of a linearization; f is not needed.

use super::{Evidence, Frame, MemoriesError, MemoriesParams};
use crate::linearize::Linearization;
use crate::numeric::{Matrix, pseudo_inverse};

/// Variable k holds the output of s-k steps ago: its reader is `W_r A^-(s-k)`.
pub(super) fn dual(
    evidence: &Evidence<'_>,
    place: &Linearization,
    params: &MemoriesParams,
) -> Result<Frame, MemoriesError> {
    let (s, d) = (evidence.task.s(), evidence.task.d());
    let back = pseudo_inverse(&place.operator, params.relative_cut)?;
    let mut block = evidence.readout * &place.basis;
    let mut window = Matrix::zeros(s * d, place.rank());
    for variable in (0..s).rev() {
        window.subrows_mut(variable * d, d).copy_from(&block);
        block = &block * &back;
    }
    let coordinates = &evidence.core.project * window;
    let memories = &place.basis * pseudo_inverse(&coordinates, params.relative_cut)?;
    Ok(Frame { memories, readers: coordinates * &place.dual })
}
