//! Rare inputs in which a network follows another rule than the function that is known.
//!
//! A function that is right in 255 of 256 windows looks right in a sample of some hundred. So more windows are tried at the first
//! output step, those among them that push each output the other way; and where an output is not f's, it is asked which inputs
//! make it so, and whether they always do. An error that comes and goes with everything else is no rule.

use super::asking::{First, TOGETHER, first_outputs};
use super::{Batch, Observations, ObserveError, ObserveParams, Watch, as_windows};
use crate::network::Network;
use crate::numeric::{Matrix, beside, regress};
use crate::random::{Purpose, Stream};
use crate::score::differ;
use crate::setting::settings;
use crate::task::{Episodes, MAX_GATE_INPUTS, Slot, Window, draw_inputs};
use std::collections::BTreeSet;

settings! {
    /// How rare inputs are looked for.
    pub struct RareParams {
        /// Windows that are tried beside those that are run anyway.
        windows: usize = 768, COUNT;
        /// Windows that are looked at closely, at most, for each output whose first value is not f's.
        exceptions: usize = 4, COUNT;
        /// Random windows that agree with such a one in the inputs that matter there.
        backgrounds: usize = 32, EPISODES;
    }
}

/// What was found where the first outputs are not f's.
#[derive(Clone, Debug, PartialEq)]
pub struct Rare {
    /// Different windows that were tried.
    pub windows: usize,
    /// Outputs in these that were not f's.
    pub exceptions: usize,
    /// What these have in common, where it was found.
    pub rules: Vec<RareRule>,
}

/// A combination of inputs in which an output is not f's.
#[derive(Clone, Debug, PartialEq)]
pub struct RareRule {
    /// The output, from 0.
    pub output: usize,
    /// The inputs that make it so, and whether each is +1, the oldest first.
    pub inputs: Vec<(Slot, bool)>,
    /// The share of other windows with the same inputs there in which it is so too.
    pub share: f64,
}

impl RareRule {
    /// The inputs in words: `u1[t-3] = +1, u2[t-1] = -1`.
    pub fn condition(&self) -> String {
        let one = |(slot, up): &(Slot, bool)| format!("{slot} = {}1", if *up { "+" } else { "-" });
        self.inputs.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// A window of signs, and what the network said to it at the first output step.
struct Answered {
    /// s*d x windows.
    windows: Matrix,
    /// d x windows.
    outputs: Matrix,
}

impl Observations {
    /// Looks for rare inputs in which the first outputs are not those of a function of signs.
    pub(crate) fn look_for_rare(
        &self,
        network: &Network,
        task: &Window,
        params: &ObserveParams,
        watch: &Watch<'_>,
    ) -> Result<Rare, ObserveError> {
        let size = (self.s, self.d);
        let first = |inputs: Vec<f32>, episodes: usize| first_outputs(network, size, &inputs, episodes, watch);
        let mut known = self.drawn();
        known.extend(self.flips.as_ref().map(|flips| &flips.batch));
        Rare::look(task, &known, &Stream::new(params.seed, Purpose::ScoreInputs), &params.rare, &first)
    }
}

impl Rare {
    /// `known` are batches that were run anyway.
    fn look(
        task: &Window,
        known: &[&Batch],
        stream: &Stream,
        params: &RareParams,
        first: First<'_>,
    ) -> Result<Self, ObserveError> {
        let size = (task.s(), task.d());
        let mut seen = Answered::of_batches(known, size);
        let extra = draw_inputs(size, params.windows, stream, 11)?;
        seen.ask(&as_windows(&extra, size), size, first)?;
        seen.ask(&pushing(&seen, task), size, first)?;
        let distinct = seen.distinct();
        let wanted = of_function(task, &seen.windows)?;
        let mut found = Self { windows: distinct.len(), exceptions: 0, rules: vec![] };
        for output in 0..task.d() {
            let differs = |&k: &usize| differ(seen.outputs[(output, k)], wanted[(output, k)]);
            let mut odd: Vec<usize> = distinct.iter().copied().filter(differs).collect();
            found.exceptions += odd.len();
            // The clearest first: what is hardly said is more often an error than a rule.
            odd.sort_by(|&a, &b| seen.outputs[(output, b)].abs().total_cmp(&seen.outputs[(output, a)].abs()));
            for &k in odd.iter().take(params.exceptions) {
                let window = seen.windows.col_as_slice(k).to_vec();
                let Some(rule) = rule(task, output, &window, stream, params, first)? else { continue };
                if !found.rules.iter().any(|known| known.output == output && known.inputs == rule.inputs) {
                    found.rules.push(rule);
                }
            }
        }
        Ok(found)
    }
}

/// Which inputs make an output differ from f's in this window, and how often they do in others.
fn rule(
    task: &Window,
    output: usize,
    window: &[f64],
    stream: &Stream,
    params: &RareParams,
    first: First<'_>,
) -> Result<Option<RareRule>, ObserveError> {
    let size = (task.s(), task.d());
    let flipped = Matrix::from_fn(window.len(), window.len(), |i, k| if i == k { -window[i] } else { window[i] });
    let is_odd = differs_from(task, output, &flipped, first)?;
    let matters: Vec<usize> = (0..window.len()).filter(|&i| !is_odd[i]).collect();
    if matters.is_empty() || matters.len() > MAX_GATE_INPUTS {
        return Ok(None);
    }
    let mut others = as_windows(&draw_inputs(size, params.backgrounds.max(1), stream, 12)?, size);
    for k in 0..others.ncols() {
        matters.iter().for_each(|&i| others[(i, k)] = window[i]);
    }
    let is_odd = differs_from(task, output, &others, first)?;
    let share = is_odd.iter().filter(|odd| **odd).count() as f64 / is_odd.len() as f64;
    let inputs = matters.iter().map(|&i| (Slot::at(i, size.0, size.1), window[i] > 0.0)).collect();
    Ok(Some(RareRule { output, inputs, share }))
}

/// For each window whether the first output is not f's.
fn differs_from(task: &Window, output: usize, windows: &Matrix, first: First<'_>) -> Result<Vec<bool>, ObserveError> {
    let produced = first(as_inputs(windows, task.d()), windows.ncols())?;
    let wanted = of_function(task, windows)?;
    Ok((0..windows.ncols()).map(|k| differ(produced[(output, k)], wanted[(output, k)])).collect())
}

impl Answered {
    fn of_batches(batches: &[&Batch], size: (usize, usize)) -> Self {
        let known: Vec<&&Batch> = batches.iter().filter(|batch| !batch.outputs.is_empty()).collect();
        let count = known.iter().map(|batch| batch.episodes).sum();
        let (mut windows, mut outputs) = (Matrix::zeros(size.0 * size.1, count), Matrix::zeros(size.1, count));
        let mut from = 0;
        for batch in known {
            windows.subcols_mut(from, batch.episodes).copy_from(as_windows(&batch.inputs, size));
            outputs.subcols_mut(from, batch.episodes).copy_from(&batch.outputs[0]);
            from += batch.episodes;
        }
        Self { windows, outputs }
    }

    fn ask(&mut self, windows: &Matrix, size: (usize, usize), first: First<'_>) -> Result<(), ObserveError> {
        let outputs = first(as_inputs(windows, size.1), windows.ncols())?;
        self.windows = beside(&self.windows, windows);
        self.outputs = beside(&self.outputs, &outputs);
        Ok(())
    }

    /// The first place of every window.
    fn distinct(&self) -> Vec<usize> {
        let mut seen = BTreeSet::new();
        let key = |k: usize| self.windows.col_as_slice(k).iter().map(|&u| u > 0.0).collect::<Vec<bool>>();
        (0..self.windows.ncols()).filter(|&k| seen.insert(key(k))).collect()
    }
}

/// For every output the windows that would push it most to either side, by what a linear function makes of those that were seen
/// beyond f; and those in which all inputs are alike.
fn pushing(seen: &Answered, task: &Window) -> Matrix {
    const RIDGE: f64 = 1e-3;
    let (window, d) = (seen.windows.nrows(), task.d());
    let mut pushed: Vec<Vec<f64>> = vec![vec![1.0; window], vec![-1.0; window]];
    let Ok(found) = regress(seen.outputs.as_ref(), seen.windows.as_ref(), RIDGE) else {
        return columns(&pushed, window);
    };
    for output in 0..d {
        let read: Vec<usize> = inputs_of_function(task, output);
        let towards = |i: usize| if found[(output, i)] > 0.0 { 1.0 } else { -1.0 };
        // What f reads is left at both signs: a rule may hold beside it only.
        for (of_f, rest) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            let value = |i: usize| towards(i) * if read.contains(&i) { of_f } else { rest };
            pushed.push((0..window).map(value).collect());
        }
    }
    columns(&pushed, window)
}

/// The window components that an output of f reads.
fn inputs_of_function(task: &Window, output: usize) -> Vec<usize> {
    let gates = task.gates().unwrap_or_default();
    let of = |gate: &crate::task::Gate| gate.inputs().iter().map(|slot| slot.index(task.s(), task.d())).collect();
    gates.get(output).map(of).unwrap_or_default()
}

fn columns(all: &[Vec<f64>], rows: usize) -> Matrix {
    Matrix::from_fn(rows, all.len(), |i, k| all[k][i])
}

/// What f says to windows, d x windows.
fn of_function(task: &Window, windows: &Matrix) -> Result<Matrix, ObserveError> {
    let (d, count) = (task.d(), windows.ncols());
    let mut said = Matrix::zeros(d, count);
    for first in (0..count).step_by(TOGETHER) {
        let part = windows.subcols(first, TOGETHER.min(count - first)).to_owned();
        let mut episodes = Episodes::new(task, part.ncols());
        episodes.present(task, &as_inputs(&part, d), 1);
        let targets = episodes.targets();
        (0..part.ncols()).for_each(|k| (0..d).for_each(|j| said[(j, first + k)] = f64::from(targets[k * d + j])));
    }
    Ok(said)
}

/// Windows as inputs (s, episodes, d).
fn as_inputs(windows: &Matrix, d: usize) -> Vec<f32> {
    let (episodes, s) = (windows.ncols(), windows.nrows() / d);
    let value = |at: usize| windows[(at / (episodes * d) * d + at % d, at / d % episodes)] as f32;
    (0..s * episodes * d).map(value).collect()
}
