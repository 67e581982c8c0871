//! One run of the network on the example input, in the units and in the variable memories.

use super::pattern::example;
use crate::interpret::Interpretation;
use crate::network::Network;
use crate::numeric::Matrix;
use crate::report::ReportError;
use crate::report::data::Shown;

/// A run with everything that the figures show of it.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) s: usize,
    pub(super) d: usize,
    /// d x s.
    pub(super) inputs: Matrix,
    /// H x steps.
    pub(super) states: Matrix,
    /// The window components that are held, rising; empty where there are no memories.
    pub(super) members: Vec<usize>,
    /// Members x steps.
    pub(super) contents: Matrix,
    /// For each output the window component that it copies, and its sign; empty for a dense f.
    pub(super) wires: Vec<(usize, f64)>,
}

impl Run {
    pub(super) fn of(network: &Network, found: &Interpretation, horizon: usize) -> Result<Self, ReportError> {
        let (s, d) = (found.task.s, found.task.d);
        let inputs = example(s, d);
        let presented: Vec<f32> =
            (0..s).flat_map(|t| (0..d).map(move |j| (j, t))).map(|at| inputs[at] as f32).collect();
        let trajectory = network.run(&presented, 1, horizon);
        let states = Matrix::from_fn(found.hidden, s + horizon, |unit, t| trajectory.states[t][(unit, 0)]);
        let mut run =
            Self { s, d, inputs, states, members: vec![], contents: Matrix::zeros(0, s + horizon), wires: vec![] };
        if let (Some(task), Some(shown)) = (&found.details.task, Shown::of(found)?) {
            run.members.clone_from(&shown.members);
            let means = &found.details.means;
            let mean = |unit: usize, t: usize| {
                let at = t.checked_sub(s).map(|t| t.min(means.len().saturating_sub(1)));
                at.and_then(|t| means.get(t)).map_or(0.0, |mean| mean[unit])
            };
            let deviations =
                Matrix::from_fn(run.states.nrows(), run.states.ncols(), |i, t| run.states[(i, t)] - mean(i, t));
            run.contents = shown.widened(&(&shown.frame.readers * deviations));
            let sources = task.sources().unwrap_or_default();
            run.wires = sources.iter().map(|source| (task.window_index(source), source.sign())).collect();
        }
        Ok(run)
    }

    /// Contents after a number of steps, zero before the first; the last stay.
    pub(super) fn contents_after(&self, steps: usize) -> Vec<f64> {
        match steps.min(self.contents.ncols()).checked_sub(1) {
            Some(t) => self.contents.col_as_slice(t).to_vec(),
            None => vec![0.0; self.members.len()],
        }
    }
}
