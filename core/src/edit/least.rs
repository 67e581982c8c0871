//! The least change: what turns the old circuit into the new one is added to the weights, and the rest stays.

use super::change::Target;
use super::code::OwnCode;
use super::rewrite::Rewritten;
use super::{EditError, EditParams};
use crate::circuit::operator;
use crate::network::Network;
use crate::numeric::{Matrix, RELATIVE_CUT, pseudo_inverse};
use crate::task::Task;

/// `W_hh + Pi (Phi' - Phi) Phi^-1 K W_hh`, with `Pi` the network's own code and `K` its reader of pre-activations: what
/// is about to be written tells what is held now, and the difference that the new circuit makes is added. The rank of the
/// change is that of `Phi' - Phi`, at most d for another f.
pub(super) fn rewrite_least(
    network: &Network,
    own: &OwnCode,
    from: &Task,
    target: &Target,
    params: &EditParams,
) -> Result<Rewritten, EditError> {
    if network.has_bias() {
        return Err(EditError::LeastNeedsNoBias);
    }
    let cell = network.as_elman().ok_or(EditError::NotElman)?;
    let d = from.d();
    let place = |slot: usize| own.slots.binary_search(&slot).ok();
    for slot in target.slots() {
        let held = place(slot).is_some_and(|at| own.read[at] >= params.held);
        if !held {
            return Err(EditError::NotHeld { variable: slot / d + 1, component: slot % d + 1 });
        }
    }
    let restricted =
        |step: &Matrix| Matrix::from_fn(own.slots.len(), own.slots.len(), |i, j| step[(own.slots[i], own.slots[j])]);
    let old = restricted(&operator(from));
    let difference = restricted(&target.step) - &old;
    let held_now = pseudo_inverse(&old, RELATIVE_CUT)? * &own.before;
    let change = &own.columns * (difference * (held_now * &cell.recurrent_weights));
    let newest: Vec<usize> = (from.window() - d..from.window()).filter_map(place).collect();
    let write = |i: usize, j: usize| params.write_strength * own.columns[(i, newest[j])];
    let (input, recurrent) = (Matrix::from_fn(network.hidden(), d, write), &cell.recurrent_weights + change);
    let edited = Network::elman(cell.activation, input, recurrent, network.readout.weights.clone());
    Ok(Rewritten { network: edited, code: own.columns.clone(), slots: own.slots.clone(), fresh_units: 0 })
}
