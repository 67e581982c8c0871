//! The exact variable-binding circuit of a task.
//!
//! The window of a task is s variables of d components. One step moves variable i+1 into variable i and writes f of the
//! whole window into variable s: that is [`operator`], acting on columns of activities. Its lasting part, without the
//! components that are forgotten, is the [`Core`]; [`Structure`] describes it from the graph alone, at any size. Put in
//! a [`Basis`] of hidden space it becomes the weights of an [`AnalyticNetwork`]. A function that is not linear has a circuit on
//! products of components, [`Lifted`], and if it is small a map of all its [`States`].

mod analytic;
mod basis;
mod core;
mod describe;
mod function;
mod graph;
mod lifted;
mod states;
mod structure;

pub use analytic::{AnalyticNetwork, take_apart};
pub use basis::{Basis, CONDITION_LIMIT, Subspace};
pub use core::{Core, RANK_CUT};
pub use describe::{CoreDescription, CycleDescription, Description, DirectionDescription, EigenvalueDescription};
pub use function::{Forgets, KeptDescription, LiftedDescription, ProductCycle, StateCycles, StatesDescription};
pub use lifted::{LARGEST_LIFTED, Lifted};
pub(crate) use states::readable;
pub use states::{LARGEST_STATE, States};
pub use structure::{Cycle, LARGEST_TANGLE, PredictedDirection, Structure, Tangle};

use crate::numeric::{Matrix, NumericError};
use crate::task::Window;

/// What can go wrong with a circuit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CircuitError {
    /// A matrix computation failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
    /// A basis of the wrong size.
    #[error("the basis has {found} vectors, but the circuit has {needed} components; make a basis of {needed}")]
    BasisSize {
        /// Vectors in the basis.
        found: usize,
        /// Components of the circuit.
        needed: usize,
    },
    /// More basis vectors than hidden units.
    #[error("{vectors} vectors do not fit in {hidden} hidden units; use at least {vectors}")]
    TooManyVectors {
        /// Vectors asked for.
        vectors: usize,
        /// Hidden units.
        hidden: usize,
    },
    /// A function without a matrix.
    #[error(
        "the function of '{name}' is not linear, so that no matrix moves its contents; its products have one: see the lifted circuit"
    )]
    NotLinear {
        /// The task's name.
        name: String,
    },
    /// A function whose products are too many.
    #[error("'{name}' moves more than {limit} products of components together, too many for the lifted circuit")]
    LiftedTooLarge {
        /// The task's name.
        name: String,
        /// The most products.
        limit: usize,
    },
    /// A part of the circuit whose eigenvalues would take a dense problem of a size that is not practical.
    #[error("f mixes {size} components into one another, more than {limit}: make f sparser, or s and d smaller")]
    TangleTooLarge {
        /// Components of the part.
        size: usize,
        /// The most that is solved.
        limit: usize,
    },
    /// Basis vectors that are (nearly) dependent.
    #[error("the basis has condition number {condition:e}, more than {limit:e}: its vectors are nearly dependent")]
    Dependent {
        /// The condition number.
        condition: f64,
        /// The largest one accepted.
        limit: f64,
    },
}

/// One step of the task on the whole window, s*d x s*d: identity blocks above the diagonal, f in the last block row.
#[doc(alias = "Phi")]
pub fn operator(task: &Window) -> Result<Matrix, CircuitError> {
    let (n, d) = (task.width(), task.d());
    let f = task.linear().ok_or_else(|| CircuitError::NotLinear { name: task.name().into() })?;
    let mut operator = Matrix::zeros(n, n);
    for k in 0..n - d {
        operator[(k, k + d)] = 1.0;
    }
    operator.as_mut().subrows_mut(n - d, d).copy_from(f);
    Ok(operator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_moves_each_variable_down_and_writes_f_into_the_last() {
        let task = Window::named("T3", None, None).unwrap();
        let window = Matrix::from_fn(64, 1, |i, _| (i as f64 + 1.0).sin());
        let next = operator(&task).unwrap() * &window;
        assert_eq!(next.subrows(0, 56), window.subrows(8, 56));
        assert_eq!(next.subrows(56, 8), (task.linear().unwrap() * &window).as_ref());
    }
}
