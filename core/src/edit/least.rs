//! The least change: each step first turns what the old circuit would read into what the new one should, and all that
//! follows stays as it was trained.

use super::change::Target;
use super::code::OwnCode;
use super::rewrite::{Holds, Rewritten};
use super::{EditError, EditParams};
use crate::circuit::operator;
use crate::network::Network;
use crate::numeric::{Matrix, RELATIVE_CUT, pseudo_inverse};
use crate::task::{Component, Window};

/// `M h = h + Psi Phi^-1 (Phi' - Phi) Psi* (h - mean)`: a state that holds v becomes one that holds `Phi^-1 Phi' v`, which
/// the old circuit steps to `Phi' v`. The trained step is kept whole, with all that it does against its own errors. The rank
/// is that of `Phi' - Phi`, at most d for another f.
#[derive(Clone, Debug)]
pub(super) struct Reroute {
    /// Changed outputs x H: how far what the new circuit writes is from what the old one does.
    pub(super) reads: Matrix,
    /// The same of the state that holds nothing.
    pub(super) at_mean: Vec<f64>,
    /// H x changed outputs: the contents that make up for it.
    pub(super) lifts: Matrix,
}

impl Reroute {
    pub(super) fn of(own: &OwnCode, from: &Window, target: &Target, params: &EditParams) -> Result<Self, EditError> {
        for slot in target.slots() {
            let held = own.slots.binary_search(&slot).is_ok_and(|at| own.right_signs[at] >= params.held);
            if !held {
                let Component { variable, component } = Component::at(slot, from.d());
                return Err(EditError::NotHeld { variable, component });
            }
        }
        let count = own.slots.len();
        let restricted = |step: &Matrix| Matrix::from_fn(count, count, |i, j| step[(own.slots[i], own.slots[j])]);
        let old = restricted(&operator(from)?);
        let difference = restricted(&target.step) - &old;
        let changed: Vec<usize> = (0..count).filter(|&i| difference.row(i).norm_max() > 0.0).collect();
        let back = pseudo_inverse(&old, RELATIVE_CUT)?;
        let reads = Matrix::from_fn(changed.len(), count, |i, j| difference[(changed[i], j)]) * &own.readers;
        let lifts = &own.memories * Matrix::from_fn(count, changed.len(), |i, j| back[(i, changed[j])]);
        let at_mean = (0..reads.nrows()).map(|i| (0..reads.ncols()).map(|j| reads[(i, j)] * own.mean[j]).sum());
        Ok(Self { at_mean: at_mean.collect(), reads, lifts })
    }

    /// What the units' weights and biases gain if they see `M h` in the place of h.
    pub(super) fn gains(&self, weights: &Matrix) -> (Matrix, Vec<f64>) {
        let lifted = weights * &self.lifts;
        let offset = |i: usize| -> f64 { (0..lifted.ncols()).map(|j| -lifted[(i, j)] * self.at_mean[j]).sum() };
        (&lifted * &self.reads, (0..weights.nrows()).map(offset).collect())
    }
}

/// A plain layer that sees `M h` in the place of h. Inputs keep their weights, or some of them, and are written beside that
/// into the code of the newest variable where feedback of the new f would otherwise drown them.
pub(super) fn rewrite_least(
    network: &Network,
    own: &OwnCode,
    reroute: &Reroute,
    newest: std::ops::Range<usize>,
    (kept, strength): (f64, f64),
) -> Result<Rewritten, EditError> {
    let mut edited = network.clone();
    let cell = edited.as_elman_mut().ok_or(EditError::NotElman)?;
    let (gain, offset) = reroute.gains(&cell.recurrent_weights);
    cell.recurrent_weights += gain;
    if let Some(biases) = &mut cell.biases {
        biases.recurrent.iter_mut().zip(offset).for_each(|(bias, more)| *bias += more);
    }
    let at: Vec<usize> = newest.filter_map(|slot| own.slots.binary_search(&slot).ok()).collect();
    let input = &cell.input_weights;
    cell.input_weights =
        Matrix::from_fn(input.nrows(), input.ncols(), |i, j| kept * input[(i, j)] + strength * own.columns[(i, at[j])]);
    let holds = Holds::AsFound { memories: own.memories.clone(), mean: own.mean.clone() };
    Ok(Rewritten { network: edited, holds, slots: own.slots.clone(), fresh_units: 0 })
}
