//! How well an edited network does its new task.

use super::EditParams;
use super::rewrite::Rewritten;
use crate::network::Network;
use crate::numeric::Matrix;
use crate::random::{Purpose, Stream};
use crate::score::{Tally, is_right};
use crate::task::{Episodes, Window, in_window};
use serde::{Deserialize, Serialize};

/// Episodes of a batch when accuracies are reported.
const BATCH: usize = 64;

/// Accuracy on the new task.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditAccuracy {
    /// Of the network before the edit.
    pub before: f64,
    /// Of the edited network, its variables loaded.
    pub loaded: f64,
    /// Of the edited network, from raw inputs.
    pub from_inputs: f64,
    /// Output steps.
    pub horizon: usize,
}

/// Accuracy from loaded variables and from raw inputs, on a small batch.
pub(super) fn trial(rewritten: &Rewritten, task: &Window, params: &EditParams) -> (f64, f64) {
    let stream = Stream::new(params.seed, Purpose::ProbeInputs);
    let (batch, horizon) = params.trial;
    let loaded = loaded(rewritten, task, &stream, 2..3, batch, horizon);
    let episodes = rewritten.network.accuracy(task, &stream, 1, batch, horizon);
    (loaded, episodes.value)
}

/// The accuracies to report, on fresh inputs.
pub(super) fn accuracy(network: &Network, rewritten: &Rewritten, task: &Window, params: &EditParams) -> EditAccuracy {
    let stream = Stream::new(params.seed, Purpose::ScoreInputs);
    let (batches, horizon) = (params.score_batches, params.horizon);
    EditAccuracy {
        before: of(network, task, params),
        loaded: loaded(rewritten, task, &stream, 0..batches, BATCH, horizon),
        from_inputs: rewritten.network.accuracy(task, &stream, batches, BATCH, horizon).value,
        horizon,
    }
}

/// Accuracy of a network on a task, on fresh inputs.
pub(super) fn of(network: &Network, task: &Window, params: &EditParams) -> f64 {
    network.accuracy(task, &Stream::new(params.seed, Purpose::ScoreInputs), 1, BATCH, params.horizon).value
}

/// Starts in the states that hold the inputs, and runs on.
fn loaded(
    rewritten: &Rewritten,
    task: &Window,
    stream: &Stream,
    batches: std::ops::Range<u32>,
    batch: usize,
    horizon: usize,
) -> f64 {
    let (d, network) = (task.d(), &rewritten.network);
    let mut episodes = Episodes::new(task, batch);
    let mut tally = Tally::new(d);
    for index in batches {
        episodes.draw(task, stream, index, horizon);
        let window = episodes.inputs();
        let contents = Matrix::from_fn(rewritten.slots.len(), batch, |i, episode| {
            in_window(window, (batch, d), rewritten.slots[i], episode)
        });
        let answers = network.begin_at(rewritten.holds.states(&contents), &[], horizon).answers();
        let wanted = episodes.targets().chunks((batch * d).max(1));
        answers.zip(wanted).for_each(|(said, wanted)| tally.add_step(&said, wanted, is_right));
    }
    tally.share()
}
