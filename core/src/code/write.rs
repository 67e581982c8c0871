//! Contents written into the state of a network, to see what it makes of them.

use super::{Code, Contents, Sample, memories, shift};
use crate::network::Network;
use crate::numeric::{Matrix, NumericError, zero_padded};
use crate::observe::{Batch, View};

/// Writes contents into whole states, also where a code reads a part of them.
#[derive(Clone, Debug)]
pub struct Writer<'a> {
    /// The network.
    pub network: &'a Network,
    /// The part of its state that is read.
    pub view: &'a View,
    memories: Matrix,
    /// The mean state when contents are written, and what is seen of the mean a step later.
    means: [Vec<f64>; 2],
}

impl<'a> Writer<'a> {
    /// A writer by a code of whole states, into the mean states of two consecutive steps.
    pub fn by_code(network: &'a Network, view: &'a View, code: &Code, means: [Vec<f64>; 2]) -> Self {
        Self { network, view, memories: zero_padded(&code.memories), means }
    }

    /// A writer by memories of whole states, into the mean state of a step; the second mean is what is seen a step later.
    pub fn new(network: &'a Network, view: &'a View, memories: Matrix, means: [Vec<f64>; 2]) -> Self {
        Self { network, view, memories: zero_padded(&memories), means }
    }

    /// A writer by the regression of whole states on what they hold; `at` is the step whose mean state is written into.
    pub fn by_states(
        network: &'a Network,
        view: &'a View,
        batch: &Batch,
        contents: (&Contents, &super::ContentsOver<'_>),
        steps: &[usize],
        at: usize,
        ridge: f64,
    ) -> Result<Self, NumericError> {
        let last = steps.iter().copied().chain([at + 1]).max().unwrap_or(0);
        let mean = |t: usize| batch.states.get(&t).map_or_else(Vec::new, |states| batch.mean(states));
        let means: Vec<Vec<f64>> = (0..=last).map(mean).collect();
        let sample = Sample::of(batch, contents.1, steps, &means, contents.0.count());
        let memories = zero_padded(&memories(&sample, ridge)?);
        let next = batch.states.get(&(at + 1)).map_or_else(Vec::new, |states| batch.mean(&view.of(states)));
        Ok(Self { network, view, memories, means: [means[at].clone(), next] })
    }

    /// The states that hold what is written.
    pub fn states(&self, written: &Matrix) -> Matrix {
        let mut states = &self.memories * written;
        shift(&mut states, &self.means[0], 1.0);
        states
    }

    /// What is seen of these states a step later, less the mean state there.
    pub fn after_a_step(&self, written: &Matrix) -> Matrix {
        let mut after = self.network.step_batch(self.states(written).as_ref(), None);
        if !self.view.is_plain() {
            after = self.view.of(&after);
        }
        shift(&mut after, &self.means[1], -1.0);
        after
    }
}
