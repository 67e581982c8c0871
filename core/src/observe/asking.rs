//! Asking a network for its truth table: which inputs change an output, and what it says to every combination of them.

use super::inputs::turned_over;
use super::{Batch, ObserveError, Watch};
use crate::network::Network;
use crate::numeric::Matrix;
use crate::random::Stream;
use crate::score::differ;
use crate::setting::settings;
use crate::task::{MAX_GATE_INPUTS, Slot, draw_inputs};
use std::collections::BTreeSet;

/// Episodes that are run at once: more take memory and no less time.
pub(super) const TOGETHER: usize = 4096;

settings! {
    /// How a network is asked.
    pub struct AskParams {
        /// Random inputs in which each component is flipped.
        bases: usize = 256, EPISODES;
        /// An input matters to an output that changes its sign in more than this share of them.
        matters: f64 = 0.02, SHARE;
        /// And it matters mainly if it does so in more than this share of those in which the input with the most influence does.
        mainly: f64 = 0.25, SHARE;
        /// Random inputs around each combination of those that matter, at least, and for all combinations together.
        backgrounds: (usize, usize) = (8, 256), EPISODES;
        /// Windows of more components are not asked.
        window: usize = 1024, COUNT;
    }
}

/// What a network answered at the first output step, where the window holds our own inputs.
#[derive(Clone, Debug)]
pub struct Inquiry {
    /// For each output (rows) and window component the share of inputs in which flipping it changes the sign.
    pub influence: Matrix,
    /// What each output answered; nothing where too many inputs matter.
    pub answers: Vec<Option<Answers>>,
    /// The same for the inputs that matter mainly, where these are fewer: a network may err in a few windows.
    pub mainly: Vec<Option<Answers>>,
}

/// The answers of one output.
#[derive(Clone, Debug)]
pub struct Answers {
    /// The inputs that matter, the oldest first.
    pub inputs: Vec<Slot>,
    /// For each combination the share of backgrounds in which the output was positive.
    pub positive: Vec<f64>,
    /// Mean size of the answers.
    pub size: f64,
}

impl Inquiry {
    /// Asks a network; nothing where its window is too large.
    pub fn run(
        network: &Network,
        (s, d): (usize, usize),
        stream: &Stream,
        params: &AskParams,
        watch: &Watch<'_>,
    ) -> Result<Option<Self>, ObserveError> {
        if s * d > params.window {
            return Ok(None);
        }
        let first = |inputs: Vec<f32>, episodes: usize| first_outputs(network, (s, d), &inputs, episodes, watch);
        let influence = influence((s, d), stream, params, &first)?;
        let beyond = |output: usize, least: f64| -> Vec<usize> {
            (0..s * d).filter(|&at| influence[(output, at)] > least).collect()
        };
        let ask = |output: usize, inputs: &[usize]| answers_of(output, inputs, (s, d), stream, params, &first);
        let (mut answers, mut mainly) = (vec![], vec![]);
        for output in 0..d {
            let matters = beyond(output, params.matters);
            answers.push(ask(output, &matters)?);
            let most = (0..s * d).map(|at| influence[(output, at)]).fold(0.0, f64::max);
            let main = beyond(output, params.matters.max(params.mainly * most));
            mainly.push(if main == matters { answers[output].clone() } else { ask(output, &main)? });
        }
        Ok(Some(Self { influence, answers, mainly }))
    }

    /// Asks for the tables of given inputs (window components), for each output.
    pub fn these(
        network: &Network,
        (s, d): (usize, usize),
        inputs: &[Vec<usize>],
        stream: &Stream,
        params: &AskParams,
        watch: &Watch<'_>,
    ) -> Result<Self, ObserveError> {
        let first = |inputs: Vec<f32>, episodes: usize| first_outputs(network, (s, d), &inputs, episodes, watch);
        let influence = influence((s, d), stream, params, &first)?;
        let of = |(output, inputs): (usize, &Vec<usize>)| {
            let matters: BTreeSet<usize> = inputs.iter().copied().collect();
            let matters: Vec<usize> = matters.into_iter().collect();
            answers_of(output, &matters, (s, d), stream, params, &first)
        };
        let answers = inputs.iter().enumerate().map(of).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { influence, mainly: answers.clone(), answers })
    }
}

/// What a network says at the first output step.
pub(super) fn first_outputs(
    network: &Network,
    (s, d): (usize, usize),
    inputs: &[f32],
    episodes: usize,
    watch: &Watch<'_>,
) -> Result<Matrix, ObserveError> {
    let mut produced = Matrix::zeros(d, episodes);
    for first in (0..episodes).step_by(TOGETHER) {
        let count = TOGETHER.min(episodes - first);
        let step = |t: usize| &inputs[(t * episodes + first) * d..][..count * d];
        let presented = (0..s).flat_map(|t| step(t).iter().copied()).collect();
        let run = Batch::run(network, presented, count, 1, &[], watch)?;
        run.outputs.iter().for_each(|outputs| produced.subcols_mut(first, count).copy_from(outputs));
    }
    Ok(produced)
}

/// What a network says at the first output step to so many inputs (s, episodes, d).
pub(super) type First<'a> = &'a dyn Fn(Vec<f32>, usize) -> Result<Matrix, ObserveError>;

/// Flips one input after the other in the same random inputs.
fn influence(
    (s, d): (usize, usize),
    stream: &Stream,
    params: &AskParams,
    first: First<'_>,
) -> Result<Matrix, ObserveError> {
    let bases = params.bases.max(1);
    let drawn = draw_inputs((s, d), bases, stream, 8)?;
    let plain = first(drawn.clone(), bases)?;
    let mut influence = Matrix::zeros(d, s * d);
    let all: Vec<Option<usize>> = (0..s * d).map(Some).collect();
    for group in all.chunks((TOGETHER / bases).max(1)) {
        let produced = first(turned_over(&drawn, (bases, d), group), group.len() * bases)?;
        for (k, at) in group.iter().flatten().enumerate() {
            for output in 0..d {
                let changed = |base: &usize| differ(produced[(output, k * bases + base)], plain[(output, *base)]);
                influence[(output, *at)] = (0..bases).filter(changed).count() as f64 / bases as f64;
            }
        }
    }
    Ok(influence)
}

/// Presents every combination of the inputs that matter, in many random backgrounds; nothing where too many matter.
fn answers_of(
    output: usize,
    matters: &[usize],
    (s, d): (usize, usize),
    stream: &Stream,
    params: &AskParams,
    first: First<'_>,
) -> Result<Option<Answers>, ObserveError> {
    if matters.len() > MAX_GATE_INPUTS {
        return Ok(None);
    }
    let combinations = 1usize << matters.len();
    let backgrounds = params.backgrounds.0.max(params.backgrounds.1 / combinations);
    let mut inputs = draw_inputs((s, d), combinations * backgrounds, stream, 9)?;
    let episodes = combinations * backgrounds;
    for (q, &at) in matters.iter().enumerate() {
        for episode in 0..episodes {
            let up = (episode / backgrounds) >> q & 1 == 1;
            inputs[(at / d * episodes + episode) * d + at % d] = if up { 1.0 } else { -1.0 };
        }
    }
    let produced = first(inputs, episodes)?;
    let positive = (0..combinations)
        .map(|m| {
            let up = |k: &usize| produced[(output, m * backgrounds + k)] > 0.0;
            (0..backgrounds).filter(up).count() as f64 / backgrounds as f64
        })
        .collect();
    let size = (0..episodes).map(|k| produced[(output, k)].abs()).sum::<f64>() / episodes as f64;
    Ok(Some(Answers { inputs: matters.iter().map(|&at| Slot::at(at, s, d)).collect(), positive, size }))
}
