//! Contents written into the state of a network, to see what it makes of them.

use super::{Code, ContentKind, Less, Sample, shift};
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
    /// A writer by memories of whole states, into the mean state of a step; the second mean is what is seen a step later.
    pub fn new(network: &'a Network, view: &'a View, memories: &Matrix, means: [Vec<f64>; 2]) -> Self {
        Self { network, view, memories: zero_padded(memories), means }
    }

    /// The same, into the mean of the whole states that a batch kept at a step, and of those that it kept a step later.
    pub fn into_mean(
        network: &'a Network,
        view: &'a View,
        memories: &Matrix,
        batch: &Batch,
        [now, later]: [usize; 2],
    ) -> Self {
        let mean = |t: &usize, seen: &dyn Fn(&Matrix) -> Matrix| {
            batch.states.get(t).map_or_else(Vec::new, |states| batch.mean(&seen(states)))
        };
        Self::new(network, view, memories, [mean(&now, &Matrix::clone), mean(&later, &|states| view.of(states))])
    }

    /// A writer by a code, into the mean of the whole states that a batch kept at a step. Where the code reads a part of them, they
    /// are regressed on the contents that they held at `steps`.
    pub fn by_code(
        network: &'a Network,
        view: &'a View,
        code: &Code,
        (batch, at): (&Batch, usize),
        (steps, held): (&[usize], &Matrix),
        ridge: f64,
    ) -> Result<Self, NumericError> {
        let into_mean = |memories: &Matrix| Self::into_mean(network, view, memories, batch, [at, at + 1]);
        if view.is_plain() {
            return Ok(into_mean(&code.memories));
        }
        let means = batch.mean_states();
        let whole = Sample::of(batch, steps, held.clone(), ContentKind::Sign, Less::Means(&means));
        Ok(into_mean(&whole.memories(ridge)?))
    }

    /// The states that hold what is written.
    pub fn states(&self, written: &Matrix) -> Matrix {
        let mut states = &self.memories * written;
        shift(&mut states, &self.means[0], 1.0);
        states
    }

    /// What is seen of these states a step later, less the mean state there.
    fn after_a_step(&self, written: &Matrix) -> Matrix {
        let mut after = self.network.step_batch(self.states(written).as_ref(), None);
        if !self.view.is_plain() {
            after = self.view.of(&after);
        }
        shift(&mut after, &self.means[1], -1.0);
        after
    }

    /// The same with what was held before: what is written, or more that follows from it.
    pub fn next(&self, written: &Matrix, before: Matrix) -> Sample {
        Sample::new(self.after_a_step(written), before, ContentKind::Sign, written.ncols())
    }
}
