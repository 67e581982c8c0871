//! What a linear system says over several steps.

use crate::numeric::Matrix;

/// `[R; R A; ...; R A^(steps-1)]`: what is read now and in the steps that follow, as a function of the state.
#[doc(alias = "O_Phi")]
pub fn observability(readout: &Matrix, operator: &Matrix, steps: usize) -> Matrix {
    let rows = readout.nrows();
    let mut all = Matrix::zeros(steps * rows, operator.ncols());
    let mut block = readout.clone();
    for step in 0..steps {
        all.subrows_mut(step * rows, rows).copy_from(&block);
        block = &block * operator;
    }
    all
}
