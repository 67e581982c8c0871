//! Edits to and from truth tables: the new circuit is compiled into a network of the same cell and size.
//!
//! A gate takes thresholds, which the code of a trained network does not have: nothing of it is kept, and the edit says so.

use super::rewrite::{Holds, Rewritten};
use super::{EditError, EditParams, Edited, Mode, finished};
use crate::compile::{CompileParams, compile};
use crate::network::{CellKind, Network};
use crate::numeric::{Matrix, ridge_regression};
use crate::random::{Purpose, Stream};
use crate::task::{Episodes, Task};

/// Episodes on which it is seen which state holds what.
const EPISODES: usize = 512;
/// Ridge of that regression: contents are independent.
const RIDGE: f64 = 1e-9;

pub(super) fn compiled(
    network: &Network,
    cell: CellKind,
    from: &Task,
    task: Task,
    params: &EditParams,
) -> Result<Edited, EditError> {
    if let Some(mode) = params.mode.filter(|mode| *mode != Mode::Transplant) {
        return Err(EditError::NeedsTransplant { mode });
    }
    let made = compile(
        &task,
        &CompileParams { hidden: Some(network.hidden()), cell, seed: params.seed, ..CompileParams::default() },
    )?;
    let slots: Vec<usize> = made.contents.iter().map(|slot| slot.index(task.s(), task.d())).collect();
    let holds = holds(&made.network, &task, &slots, params)?;
    let rewritten = Rewritten { network: made.network, holds, fresh_units: slots.len(), slots };
    Ok(finished(network, from, task, (Mode::Transplant, rewritten), params))
}

/// The states after random inputs, regressed on what they hold.
fn holds(network: &Network, task: &Task, slots: &[usize], params: &EditParams) -> Result<Holds, EditError> {
    let d = task.d();
    let mut drawn = Episodes::new(task, EPISODES);
    drawn.draw(task, &Stream::new(params.seed, Purpose::ProbeInputs), 5, 0);
    let mut states =
        network.run(drawn.inputs(), EPISODES, 0).states.pop().unwrap_or_else(|| Matrix::zeros(0, EPISODES));
    let held = Matrix::from_fn(slots.len(), EPISODES, |i, k| {
        f64::from(drawn.inputs()[(slots[i] / d * EPISODES + k) * d + slots[i] % d])
    });
    let mean = crate::code::centre(&mut states);
    let memories = ridge_regression(&(&held * held.transpose()), &(&held * states.transpose()), RIDGE)?;
    Ok(Holds::AsFound { memories: memories.transpose().to_owned(), mean })
}
