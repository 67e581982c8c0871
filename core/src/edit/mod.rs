//! Reprogramming a trained network, with no gradient step.
//!
//! The network's own code says which state stands for which contents. A new circuit is written in that code: the new
//! recurrent weights are the ridge regression that takes each state to the code of the contents that should follow.
//! Contents that the network never held get a unit each. Inputs are written more strongly than the feedback that they
//! compete with, so that raw inputs work too and not only loaded variables.
//!
//! An edit that replaces everything proves nothing about the reading it starts from, one that changes little does. So how
//! much of the weights changed is the first thing that is said of an edit, and the edit that changes least is tried first.

mod accuracy;
mod asked;
mod cell;
mod change;
mod changed;
mod code;
mod error;
mod least;
mod mode;
mod rewrite;
mod summary;
mod tables;

pub use accuracy::EditAccuracy;
pub use asked::{task_read_back, task_to_edit};
pub use change::Change;
pub use changed::Changed;
pub use code::{OwnCode, own_code};
pub use error::EditError;
pub use mode::Mode;
pub use summary::EditSummary;

use crate::network::Network;
use crate::setting::{Adjustable, SettingError, settings};
use crate::task::Window;
use change::Target;
use mode::Attempt;
use rewrite::Rewritten;

settings! {
    /// How a network is edited.
    pub struct EditParams {
        /// Seed of every input.
        seed: u64 = 1;
        /// Episodes that show the network's own code; an even number, as inputs come in pairs u, -u.
        episodes: usize = 128, EPISODES;
        /// Output steps of these episodes.
        steps: usize = 60, STEPS;
        /// Output steps left out at the start, while the state settles.
        settle: usize = 20, SETTLING;
        /// States are kept this far inside +-1 before the activation is inverted.
        largest_state: f64 = 0.999, SHARE;
        /// Ridge of the linear readers that decide what the network holds.
        reading_ridge: f64 = 1e-4, RIDGE;
        /// Ridge of the readers that the least change reads contents with: the larger, the smaller the change of the weights.
        reader_ridge: f64 = 1e-2, RIDGE;
        /// The only mode to try. Default all of them, from the least change on.
        mode: Option<Mode> = None, words::<Mode>();
        /// A network with a smaller accuracy on the task it is said to do does not do it: a warning.
        computes: f64 = 0.6, SHARE;
        /// Contents read with at least this share of right signs are held: their code is kept.
        held: f64 = 0.995, SHARE;
        /// Contents that are not held are written into one unit each, with this weight.
        fresh_weight: f64 = 0.8, SIZE;
        /// The code is scaled down to this root mean square, so that the activation stays invertible.
        code_size: f64 = 0.5, SHARE;
        /// Weight of the units that switch between input and feedback, where these are needed.
        gate_weight: f64 = 2.0, SIZE;
        /// Random contents that the new weights are fitted on.
        samples: usize = 2048, EPISODES;
        /// Ridge of the new recurrent weights.
        ridge: f64 = 1e-3, RIDGE;
        /// How much more strongly inputs are written than contents are kept; over 2 an input always wins.
        write_strength: f64 = 3.0, TIMES;
        /// What the least change does to the input weights, tried one after the other: how much of the network's own is
        /// kept, and how strongly inputs are written in addition. The first leaves them as they are.
        least_inputs: Vec<(f64, f64)> = vec![(1.0, 0.0), (1.0, 1.0), (0.0, 2.2), (0.0, 3.0)];
        /// An edit is good enough from this accuracy on, loaded and from inputs; otherwise the next mode is tried.
        good: f64 = 0.999, SHARE;
        /// Episodes and output steps on which modes are compared.
        trial: (usize, usize) = (16, 200), EPISODES;
        /// Batches of 64 fresh inputs for the accuracies that are reported.
        score_batches: u32 = 4, EPISODES;
        /// Output steps of the accuracies that are reported.
        horizon: usize = 200, STEPS;
    }
}

impl Adjustable for EditParams {
    const NAME: &'static str = "edit";
    type Error = SettingError;
}

/// An edited network.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The network.
    pub network: Network,
    /// What it computes now.
    pub task: Window,
    /// How much of the weights changed.
    pub changed: Changed,
    /// How much of its own code was kept.
    pub mode: Mode,
    /// Contents that were given a unit of their own.
    pub fresh_units: usize,
    /// Contents that the new circuit needs.
    pub contents: usize,
    /// Relative change of the recurrent weights (Frobenius).
    pub weight_change: f64,
    /// Relative change of the input weights.
    pub input_change: f64,
    /// Relative change of the readout.
    pub readout_change: f64,
    /// Whether the network had biases and has none now.
    pub biases_dropped: bool,
    /// Accuracy before the edit on what the network was said to compute.
    pub computed_before: f64,
    /// Accuracy on the new task.
    pub accuracy: EditAccuracy,
    /// Window components of the contents, rising.
    pub slots: Vec<usize>,
}

/// Makes a network that computes `from` compute what `change` asks for.
///
/// Modes are tried from the least change on, until one is good enough both from loaded variables and from raw inputs; if
/// none is, the one that is best from raw inputs is returned.
pub fn edit(network: &Network, from: &Window, change: &Change, params: &EditParams) -> Result<Edited, EditError> {
    network.check()?;
    let plain = cell::plain(network)?;
    let attempts = mode::attempts(plain.kind(), params)?;
    let task = change.task(from)?;
    let target = match task.is_linear() && from.is_linear() {
        true => Aim::Step(change.apply(from)?),
        false => Aim::Tables(task.clone()),
    };
    let own = match (own_code(network, from, params), &target) {
        // A function that forgets leaves no code to write in; it can still be replaced.
        (Err(EditError::Silent), Aim::Tables(_)) => OwnCode::none(network.hidden()),
        (own, _) => own?,
    };
    let mut best: Option<(f64, Mode, Rewritten)> = None;
    let mut refused = None;
    for attempt in &attempts {
        let rewritten = match rewritten(network, &own, from, &target, attempt, params) {
            Ok(rewritten) => rewritten,
            // Another mode may do without the contents, or with fewer units.
            Err(error) if error.is_of_this_mode() => {
                refused = Some(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        let (loaded, raw) = accuracy::trial(&rewritten, &task, params);
        if best.as_ref().is_none_or(|(most, ..)| raw > *most) {
            best = Some((raw, attempt.mode(plain.kind()), rewritten));
        }
        if loaded.min(raw) >= params.good {
            break;
        }
    }
    match best {
        Some((_, mode, rewritten)) => Ok(finished(network, from, task, (mode, rewritten), params)),
        None => Err(refused.unwrap_or(EditError::Silent)),
    }
}

fn rewritten(
    network: &Network,
    own: &OwnCode,
    from: &Window,
    aim: &Aim,
    attempt: &Attempt,
    params: &EditParams,
) -> Result<Rewritten, EditError> {
    let target = match (aim, *attempt) {
        (Aim::Step(target), _) => target,
        (Aim::Tables(_), Attempt::Least { .. }) => return Err(EditError::NeedsUnits),
        (Aim::Tables(task), Attempt::Rewrite(mode)) => return tables::rewrite(network, own, task, mode, params),
    };
    match *attempt {
        Attempt::Least { inputs } => {
            let reroute = least::Reroute::of(own, from, target, params)?;
            let newest = from.width() - from.d()..from.width();
            least::rewrite_least(network, own, &reroute, newest, inputs)
        }
        Attempt::Rewrite(mode) => rewrite::rewrite(network, own, target, mode, params),
    }
}

/// What an edit aims at.
enum Aim {
    /// A step that is linear, as the old one is.
    Step(Target),
    /// Truth tables, now or before.
    Tables(Window),
}

/// What is said of an edit.
fn finished(
    network: &Network,
    from: &Window,
    task: Window,
    (mode, rewritten): (Mode, Rewritten),
    params: &EditParams,
) -> Edited {
    let edited = &rewritten.network;
    let changed = Changed::between(network, edited);
    let tensor = |name: &str| changed.tensors.get(name).copied().flatten().unwrap_or(0.0);
    Edited {
        // Where nothing that the new circuit needs was held, nothing of its own code is left.
        mode: if rewritten.fresh_units == rewritten.slots.len() { Mode::Transplant } else { mode },
        weight_change: tensor("rnn.weight_hh_l0"),
        input_change: tensor("rnn.weight_ih_l0"),
        readout_change: tensor("readout.weight"),
        biases_dropped: network.has_bias() && !edited.has_bias(),
        computed_before: accuracy::of(network, from, params),
        fresh_units: rewritten.fresh_units,
        contents: rewritten.slots.len(),
        accuracy: accuracy::accuracy(network, &rewritten, &task, params),
        network: rewritten.network,
        slots: rewritten.slots,
        changed,
        task,
    }
}
