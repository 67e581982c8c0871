//! Edits to and from truth tables: the new circuit is compiled into the network, in its own code as far as that goes.
//!
//! A truth table takes thresholds, which the code of a trained network does not have: they get the units that the code uses least,
//! and with them the newest value of the output that they compute. One step later it is a content like any other, and is
//! written as the network always wrote it.

use super::code::OwnCode;
use super::rewrite::{Holds, Rewritten};
use super::{EditError, EditParams, Mode, cell};
use crate::compile::{CompileParams, Given, Written, compile, compile_in_code};
use crate::network::Network;
use crate::numeric::{Matrix, regress};
use crate::random::{Purpose, Stream};
use crate::task::{Episodes, Slot, Window, in_window};

/// Episodes on which it is seen which state holds what.
const EPISODES: usize = 512;
/// Ridge of that regression: contents are independent.
const RIDGE: f64 = 1e-9;

/// A network that computes the task, in as much of the network's own code as the mode says.
pub(super) fn rewrite(
    network: &Network,
    own: &OwnCode,
    task: &Window,
    mode: Mode,
    params: &EditParams,
) -> Result<Rewritten, EditError> {
    let plain = cell::plain(network)?;
    let (edited, contents, fresh_units) = if mode == Mode::Transplant {
        let (hidden, cell, seed) = (Some(network.hidden()), plain.kind(), params.seed);
        let made = compile(task, &CompileParams { hidden, cell, seed, ..CompileParams::default() })?;
        let fresh = made.contents.len();
        (made.network, made.contents, fresh)
    } else {
        let slot = |k: usize| Slot::at(own.slots[k], task.s(), task.d());
        let kept = |k: &usize| own.right_signs[*k] >= params.held && (mode == Mode::SameCode || slot(*k).lag > 1);
        let kept: Vec<usize> = (0..own.slots.len()).filter(kept).collect();
        let given = Given {
            plain,
            slots: kept.iter().map(|&k| slot(k)).collect(),
            columns: Matrix::from_fn(own.columns.nrows(), kept.len(), |i, k| own.columns[(i, kept[k])]),
            size: params.code_size,
            written: params.write_strength,
        };
        let Written { weights, contents, fresh } = compile_in_code(task, &given, params.seed)?;
        if fresh == contents.len() {
            return Err(EditError::NothingKept);
        }
        (plain.network(weights, cell::GATE), contents, fresh)
    };
    let slots: Vec<usize> = contents.iter().map(|slot| slot.index(task.s(), task.d())).collect();
    let holds = holds(&edited, task, &slots, params)?;
    Ok(Rewritten { network: edited, holds, fresh_units, slots })
}

/// The states after random inputs, regressed on what they hold.
fn holds(network: &Network, task: &Window, slots: &[usize], params: &EditParams) -> Result<Holds, EditError> {
    let mut drawn = Episodes::new(task, EPISODES);
    drawn.draw(task, &Stream::new(params.seed, Purpose::ProbeInputs), 5, 0);
    let mut states = network.begin(drawn.inputs(), EPISODES, 0).end();
    let held =
        Matrix::from_fn(slots.len(), EPISODES, |i, k| in_window(drawn.inputs(), (EPISODES, task.d()), slots[i], k));
    let mean = crate::code::centre(&mut states);
    Ok(Holds::AsFound { memories: regress(states.as_ref(), held.as_ref(), RIDGE)?, mean })
}
