//! What the memories leave out, and the learned circuit with all its blocks.

use super::{Frame, MemoriesError, MemoriesParams};
use crate::linearize::Visited;
use crate::numeric::{Matrix, principal_directions, pseudo_inverse};

/// The directions outside the memories, and the circuit on memories and remainder together.
#[derive(Clone, Debug)]
pub struct Remainder {
    /// H x k: principal components of `h - Psi Psi* h` over the output phase, centred.
    #[doc(alias = "Psi-perp")]
    pub directions: Matrix,
    /// Their standard deviations.
    pub sizes: Vec<f64>,
    /// (core + k) x (core + k): memories first, then the remainder; rows receive, columns send.
    pub blocks: Matrix,
    /// Components of the core.
    pub core: usize,
}

impl Remainder {
    /// The block of the memories alone, core x core.
    #[doc(alias = "Phi_learned")]
    pub fn phi_learned(&self) -> Matrix {
        self.blocks.submatrix(0, 0, self.core, self.core).to_owned()
    }
}

/// What moves states on.
pub(crate) enum Drive<'a> {
    /// A linear map on the whole state.
    Jacobian(&'a Matrix),
    /// Where each memory goes, H x core; directions that hold nothing are followed while the state settles.
    Images(Matrix),
}

/// Finds the remainder of a frame.
pub(crate) fn remainder(
    visited: &Visited,
    frame: &Frame,
    drive: &Drive<'_>,
    params: &MemoriesParams,
) -> Result<Remainder, MemoriesError> {
    let core = frame.memories.ncols();
    let kept_in = &frame.memories * &frame.readers;
    let leave_out = Matrix::identity(kept_in.nrows(), kept_in.ncols()) - kept_in;
    let (sizes, all) = principal_directions(&(&leave_out * &visited.moments * leave_out.transpose()))?;
    let kept = params.remainder_components.min(all.ncols());
    let directions = all.subcols(0, kept).to_owned();
    let samples = (visited.deviations.ncols() as f64).sqrt();
    let sizes = sizes[..kept].iter().map(|value| value / samples).collect();
    let mut rows = Matrix::zeros(core + kept, directions.nrows());
    rows.subrows_mut(0, core).copy_from(&frame.readers);
    rows.subrows_mut(core, kept).copy_from(directions.transpose());
    let mut blocks = Matrix::zeros(core + kept, core + kept);
    match drive {
        Drive::Jacobian(jacobian) => {
            blocks.subcols_mut(0, core).copy_from(&rows * (*jacobian * &frame.memories));
            blocks.subcols_mut(core, kept).copy_from(&rows * (*jacobian * &directions));
        }
        Drive::Images(images) => {
            let from_memories = &rows * images;
            blocks.subcols_mut(0, core).copy_from(&from_memories);
            let (early, episodes) = (visited.settle * visited.episodes, visited.episodes);
            let now = &rows * visited.deviations.subcols(0, early);
            let next = &rows * visited.deviations.subcols(episodes, early);
            let unexplained = next - from_memories * now.subrows(0, core);
            let outside = now.subrows(core, kept).to_owned();
            let moments = &outside * outside.transpose();
            let from_outside = unexplained * outside.transpose() * pseudo_inverse(&moments, params.relative_cut)?;
            blocks.subcols_mut(core, kept).copy_from(from_outside);
        }
    }
    Ok(Remainder { directions, sizes, blocks, core })
}
