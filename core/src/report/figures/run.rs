//! One run of the network on the example input, in the units and in the variable memories.

use super::pattern::example;
use crate::interpret::Interpretation;
use crate::network::{Activation, Cell, Network};
use crate::numeric::Matrix;
use crate::report::ReportError;
use crate::report::composition::{Part, parts, view};
use crate::report::data::Shown;
use crate::report::input_phase::InputPhase;

/// A run with everything that the figures show of it.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) s: usize,
    pub(super) d: usize,
    /// d x s.
    pub(super) inputs: Matrix,
    /// What is seen of the state, seen x steps.
    pub(super) states: Matrix,
    /// What its rows are.
    pub(super) parts: Vec<Part>,
    /// Whether they stay within 1, or are shown as if they did: those of a plain layer always were.
    pub(super) bounded: bool,
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
        let view = view(network, found);
        let mut states = Matrix::zeros(found.hidden, s + horizon);
        for (t, state) in trajectory.states.iter().enumerate() {
            states.col_as_slice_mut(t).copy_from_slice(&view.of_one(state.col_as_slice(0)));
        }
        let (parts, contents) = (parts(network, found.state), Matrix::zeros(0, s + horizon));
        let bounded = network.as_elman().is_some() || network.layers.iter().all(is_bounded);
        let mut run = Self { s, d, inputs, states, parts, bounded, members: vec![], contents, wires: vec![] };
        if let (Some(task), Some(shown)) = (&found.details.task, Shown::of(found)?) {
            run.members.clone_from(&shown.members);
            let means = &found.details.means;
            let input = InputPhase::of(network, found, &shown);
            let mean = |unit: usize, t: usize| match t.checked_sub(s) {
                None => input.as_ref().map_or(0.0, |input| input.means[(unit, t)]),
                Some(t) => means.get(t.min(means.len().saturating_sub(1))).map_or(0.0, |mean| mean[unit]),
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

/// Whether what is seen of a layer stays within 1, however long it runs.
fn is_bounded(cell: &Cell) -> bool {
    !matches!(cell, Cell::Ssm(_)) && cell.activation().is_none_or(|activation| activation == Activation::Tanh)
}
