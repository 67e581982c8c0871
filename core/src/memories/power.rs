//! The paper's Algorithm 1.

use super::{Evidence, Frame, MemoriesError, MemoriesParams};
use crate::linearize::Linearization;
use crate::numeric::{Matrix, RELATIVE_CUT, pseudo_inverse};

/// `Psi_s` from readout and input weights, `Psi_k = W_hh^(s-k) Psi_s`, columns of length 1, `Psi* = pinv(Psi)`.
///
/// With `lasting`, what is not in the lasting subspace is removed by its spectral projector (which commutes with `W_hh`,
/// so once is enough).
pub(super) fn power(
    evidence: &Evidence<'_>,
    jacobian: &Matrix,
    lasting: Option<&Linearization>,
    params: &MemoriesParams,
) -> Result<Frame, MemoriesError> {
    let (s, d) = (evidence.task.s(), evidence.task.d());
    let spoken = pseudo_inverse(evidence.readout, RELATIVE_CUT)?;
    let alpha = params.grounding;
    let mut block = Matrix::from_fn(spoken.nrows(), d, |i, j| {
        alpha * spoken[(i, j)] + (1.0 - alpha) * evidence.input.map_or(0.0, |input| input[(i, j)])
    });
    if let Some(lasting) = lasting {
        block = &lasting.basis * (&lasting.dual * block);
    }
    let mut window = Matrix::zeros(spoken.nrows(), s * d);
    for variable in (0..s).rev() {
        for j in 0..d {
            let length = block.col(j).norm_l2().max(f64::MIN_POSITIVE);
            let column = window.col_as_slice_mut(variable * d + j);
            column.iter_mut().zip(block.col_as_slice(j)).for_each(|(to, from)| *to = from / length);
        }
        block = jacobian * block;
    }
    let memories = window * evidence.core.project.transpose();
    let readers = pseudo_inverse(&memories, RELATIVE_CUT)?;
    Ok(Frame { memories, readers })
}
