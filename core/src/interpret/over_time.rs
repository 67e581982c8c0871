//! What states hold of the inputs at each step of the trial, whatever the network computes.

use super::{InterpretError, InterpretParams, Question, Verdict};
use crate::code::{OverTime, OverTimeError, over_time};
use crate::network::Network;
use crate::numeric::Matrix;
use crate::observe::{View, Watch, watched_step};
use crate::random::{Purpose, Stream};
use crate::task::{Component, draw_inputs, in_window};

/// Inputs that are read at every step, at most, where nobody asked for it.
const MOST_UNASKED: usize = 256;

/// Reads the inputs from the states of every step; nothing where a circuit says it all and nobody asked.
pub(super) fn inputs_over_time(
    network: &Network,
    view: &View,
    question: &Question,
    verdict: Verdict,
    params: &InterpretParams,
    watch: &Watch<'_>,
) -> Result<Option<OverTime>, InterpretError> {
    let (s, d) = question.size(network.outputs());
    let says_it_all = verdict == Verdict::Circuit || s * d > MOST_UNASKED;
    if says_it_all && !params.readings {
        return Ok(None);
    }
    watch.stage("reading the inputs at each step", 0.8)?;
    let episodes = params.over_time.episodes.max(4 * network.state_size().min(1024));
    let inputs = draw_inputs((s, d), episodes, &Stream::new(params.observe.seed, Purpose::ScoreInputs), 16)?;
    let steps = params.over_time.steps.min(params.observe.accuracy_horizon);
    let mut states = Vec::with_capacity(s + steps);
    let network = network.padded();
    let mut run = network.begin(&inputs, episodes, steps);
    while watched_step(&mut run, watch)?.is_some() {
        states.push(view.of(run.state()));
    }
    if states.iter().any(|state| !state.is_all_finite()) {
        return Ok(None);
    }
    let shown = |t: usize| {
        Matrix::from_fn(s * d, episodes, |slot, e| match Component::at(slot, d).variable <= t + 1 {
            true => in_window(&inputs, (episodes, d), slot, e),
            false => f64::NAN,
        })
    };
    let contents: Vec<Matrix> = (0..states.len()).map(shown).collect();
    let name = |slot: usize| {
        let Component { variable, component } = Component::at(slot, d);
        format!("u{component} of step {variable}")
    };
    let names = (0..s * d).map(name).collect();
    match over_time(&states, &contents, names, s, &params.over_time, params.observe.seed) {
        // So few inputs are all that there are.
        Err(OverTimeError::TooFew { .. }) => Ok(None),
        found => Ok(Some(found?)),
    }
}
