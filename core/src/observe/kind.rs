//! Is a network of the kind that sees s inputs and then goes on alone? What it does when it is driven otherwise.
//!
//! A latch, a counter or a grammar has inputs at every step. Driven by s steps of signs and then silence, some of these look like a
//! circuit that holds its last input: what tells them apart is that later inputs are taken like the first ones, and that the number of
//! input steps makes no difference.

use super::{Batch, ObserveError, ObserveParams, Watch};
use crate::network::{Network, Run};
use crate::numeric::Matrix;
use crate::random::{Purpose, Stream};
use crate::score::{Tally, differ, same_sign};
use crate::setting::settings;
use crate::task::{Episodes, Window, draw_inputs};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

settings! {
    /// How it is seen whether a network goes on alone.
    pub struct KindParams {
        /// Episodes that are driven otherwise.
        episodes: usize = 64, EPISODES;
        /// Output steps before one more input is given, and before it is seen whether what that changed stays changed.
        silence: usize = 20, STEPS;
    }
}

/// What a network does when it is driven otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kind {
    /// One more input after a silence.
    pub later: LaterInput,
    /// Other numbers of input steps, where a function is known that needs no more of them.
    pub lengths: Vec<OtherLength>,
}

/// What one more input does, given after a silence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaterInput {
    /// Output steps before it.
    pub after: usize,
    /// Share of outputs whose sign it changes at once.
    pub changes: f64,
    /// Share of outputs whose sign is another after as long a silence again.
    pub stays: f64,
}

/// The same function, asked of other numbers of input steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherLength {
    /// Input steps.
    pub steps: usize,
    /// Share of right signs of the first outputs, for the output that is right least often.
    pub agreement: f64,
}

impl Kind {
    /// Drives a network otherwise; `task` is what it was seen to compute.
    pub fn look(
        network: &Network,
        (s, d): (usize, usize),
        task: Option<&Window>,
        params: &ObserveParams,
        watch: &Watch<'_>,
    ) -> Result<Self, ObserveError> {
        let stream = Stream::new(params.seed, Purpose::ProbeInputs);
        let later = later_input(network, (s, d), &stream, &params.kind, watch)?;
        let mut lengths = vec![];
        // A function of signs is asked; real values fade in their own way.
        if let Some(task) = task.filter(|task| task.is_binary()) {
            // Of one step, one more is twice as many.
            for steps in BTreeSet::from([s + 1, 2 * s, 4 * s]) {
                let agreement = agreement_after(network, task, steps, &stream, &params.kind, watch)?;
                lengths.push(OtherLength { steps, agreement });
            }
        }
        Ok(Self { later, lengths })
    }
}

/// Share of episodes in which an output still changes its sign in the second half of the time.
pub fn still_moving(batch: &Batch) -> f64 {
    let late = &batch.outputs[batch.outputs.len() / 2..];
    let moves = |e: usize| {
        let changes = |pair: &[Matrix]| {
            let (now, next) = (pair[0].col_as_slice(e), pair[1].col_as_slice(e));
            now.iter().zip(next).any(|(now, next)| differ(*now, *next))
        };
        late.windows(2).any(changes)
    };
    (0..batch.episodes).filter(|&e| moves(e)).count() as f64 / batch.episodes.max(1) as f64
}

fn later_input(
    network: &Network,
    (s, d): (usize, usize),
    stream: &Stream,
    params: &KindParams,
    watch: &Watch<'_>,
) -> Result<LaterInput, ObserveError> {
    let (episodes, after) = (params.episodes.max(1), params.silence.max(1));
    let inputs = draw_inputs((s, d), episodes, stream, 13)?;
    let alone = Batch::run(network, inputs, episodes, 2 * after, &[after - 1], watch)?;
    let late = draw_inputs((1, d), episodes, stream, 14)?;
    let network = network.padded();
    let mut run = network.begin_at(alone.states[&(after - 1)].clone(), &late, after - 1);
    let changed = |run: &Run<'_>, t: usize| {
        let mut tally = Tally::new(d);
        tally.add_columns(&run.said(), &alone.outputs[t], differ);
        tally.share()
    };
    run.step();
    let changes = changed(&run, after);
    while run.step().is_some() {}
    Ok(LaterInput { after, changes, stays: changed(&run, 2 * after - 1) })
}

/// The first output after another number of input steps, against what f makes of the last of these.
fn agreement_after(
    network: &Network,
    task: &Window,
    steps: usize,
    stream: &Stream,
    params: &KindParams,
    watch: &Watch<'_>,
) -> Result<f64, ObserveError> {
    let (episodes, s, d) = (params.episodes.max(1), task.s(), task.d());
    let inputs = draw_inputs((steps, d), episodes, stream, 15)?;
    let mut wanted = Episodes::new(task, episodes);
    wanted.present(task, &inputs[(steps - s) * episodes * d..], 1);
    let batch = Batch::run(network, inputs, episodes, 1, &[], watch)?;
    let mut tally = Tally::new(d);
    tally.add_step(&batch.outputs[0], wanted.targets(), same_sign);
    Ok(tally.shares().into_iter().fold(1.0, f64::min))
}
