//! What forward leaves behind for backward, and what backward leaves for the gradient.

use super::super::isa::Isa;
use super::super::lanes::Real;
use super::super::panels::{PANEL, Panels};

/// Time steps of deltas that are kept and turned into weight gradients together: enough that the gradient's own traffic
/// does not count, few enough that deltas and states are still in the cache.
pub(crate) const DELTA_STEPS: usize = 8;

/// Most kinds of panels that a cell keeps beside its units, of deltas, and of what it carries from step to step.
const KEPT: usize = 5;
const DELTAS: usize = 4;
const CARRIED: usize = 2;

/// Columns of each panel of a [`Tape`]; zero where a cell needs fewer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TapeShape {
    pub(crate) units: usize,
    pub(crate) kept: [usize; KEPT],
    pub(crate) deltas: [usize; DELTAS],
    pub(crate) carried: [usize; CARRIED],
}

impl TapeShape {
    /// Numbers that a tape takes for each sample; in floating point, where nothing overflows.
    pub(crate) fn numbers_per_sample(&self, time_steps: usize) -> f64 {
        let in_panels = |columns: &usize| (columns.div_ceil(PANEL) * PANEL) as f64;
        let at_every_step = in_panels(&self.units) + self.kept.iter().map(in_panels).sum::<f64>();
        let deltas: f64 = self.deltas.iter().map(in_panels).sum();
        let carried: f64 = self.carried.iter().map(in_panels).sum();
        (time_steps as f64 + 1.0) * at_every_step + DELTA_STEPS as f64 * deltas + carried
    }
}

/// The record of one layer on the samples of a chunk, one row a sample.
pub(crate) struct Tape<S> {
    /// h(0), h(1), ...
    pub(crate) states: Vec<Panels<S>>,
    /// What else the cell needs of each time step to go back, from time 0 on.
    pub(crate) kept: [Vec<Panels<S>>; KEPT],
    /// Derivatives of the loss by the sums that go into the gates, for a block of time.
    pub(crate) deltas: [Vec<Panels<S>>; DELTAS],
    /// What goes from a time step to the one before, other than through the deltas.
    pub(crate) carried: [Panels<S>; CARRIED],
}

impl<S: Real> Tape<S> {
    /// A tape for so many time steps after the beginning.
    pub(crate) fn new(shape: &TapeShape, samples: usize, time_steps: usize) -> Self {
        let steps = |count: usize, columns: usize| match columns {
            0 => Vec::new(),
            _ => vec![Panels::zeros(samples, columns); count],
        };
        Self {
            states: steps(time_steps + 1, shape.units),
            kept: shape.kept.map(|columns| steps(time_steps + 1, columns)),
            deltas: shape.deltas.map(|columns| steps(DELTA_STEPS, columns)),
            carried: shape.carried.map(|columns| Panels::zeros(samples, columns)),
        }
    }
}

#[cfg(test)]
impl<S: Real> Tape<S> {
    /// All numbers that it holds.
    pub(crate) fn numbers(&self) -> usize {
        let steps = self.kept.iter().chain(&self.deltas).chain([&self.states]).flatten();
        steps.chain(&self.carried).map(|panels| panels.data().len()).sum()
    }
}

/// A time step, from 1.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub(crate) isa: Isa,
    pub(crate) t: usize,
    /// The last time step of the pass.
    pub(crate) last: usize,
    /// The first time step at which the units are read, by the layer above or the readout.
    pub(crate) read_from: usize,
}

impl Step {
    /// The slot of its deltas. Blocks of time begin at the end; within a block slots rise with time, so that it is one
    /// stretch of each factor of the gradient.
    pub(crate) fn slot(self) -> usize {
        DELTA_STEPS - 1 - (self.last - self.t) % DELTA_STEPS
    }

    pub(crate) fn is_read(self) -> bool {
        self.t >= self.read_from
    }

    /// The deltas to write, and those of the next time step, which were written before.
    pub(crate) fn deltas<S>(self, all: &mut [Panels<S>]) -> (&mut Panels<S>, &Panels<S>) {
        let slot = self.slot();
        if slot == DELTA_STEPS - 1 {
            let (head, tail) = all.split_at_mut(slot);
            (&mut tail[0], &head[0])
        } else {
            let (head, tail) = all.split_at_mut(slot + 1);
            (&mut head[slot], &tail[0])
        }
    }

    /// What comes from the next time step; nothing at the end.
    pub(crate) fn unless_last<T>(self, of: T) -> Option<T> {
        (self.t < self.last).then_some(of)
    }

    /// What comes from the time step before; nothing at the beginning, where all states are zero.
    pub(crate) fn unless_first<T>(self, of: T) -> Option<T> {
        (self.t > 1).then_some(of)
    }
}

/// The time steps start..=end, whose deltas are known.
pub(crate) struct TimeBlock<'a, S> {
    pub(crate) isa: Isa,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The first time step at which the units are read.
    pub(crate) read_from: usize,
    /// What the layer saw, from `start` on; shorter than the block when inputs end within it.
    pub(crate) inputs: &'a [Panels<S>],
    /// Whether a gradient has been begun by a later block: that of the inputs, and all others.
    pub(crate) add_inputs: bool,
    pub(crate) add: bool,
}

impl<'a, S> TimeBlock<'a, S> {
    /// The deltas of the block.
    pub(crate) fn deltas<'b>(&self, all: &'b [Panels<S>]) -> &'b [Panels<S>] {
        &all[DELTA_STEPS - (self.end + 1 - self.start)..]
    }

    /// The deltas of those of its time steps that had input.
    pub(crate) fn deltas_with_input<'b>(&self, all: &'b [Panels<S>]) -> &'b [Panels<S>] {
        &self.deltas(all)[..self.inputs.len()]
    }

    /// The deltas, and the panels of the time step before each. What was before the beginning is zero and adds nothing.
    pub(crate) fn with_before<'b>(
        &self,
        deltas: &'b [Panels<S>],
        states: &'b [Panels<S>],
    ) -> (&'b [Panels<S>], &'b [Panels<S>]) {
        let skip = usize::from(self.start == 1);
        (&self.deltas(deltas)[skip..], &states[self.start - 1 + skip..self.end])
    }

    /// The deltas of the time steps at which the units are read, and the panels of the same time steps.
    pub(crate) fn with_read<'b>(
        &self,
        deltas: &'b [Panels<S>],
        states: &'b [Panels<S>],
    ) -> (&'b [Panels<S>], &'b [Panels<S>]) {
        let from = self.start.max(self.read_from).min(self.end + 1);
        (&self.deltas(deltas)[from - self.start..], &states[from..=self.end])
    }

    /// Inputs and deltas of the time steps that have input and at which the units are read.
    pub(crate) fn inputs_read<'b>(&self, deltas: &'b [Panels<S>]) -> (&'a [Panels<S>], &'b [Panels<S>]) {
        let from = (self.start.max(self.read_from) - self.start).min(self.inputs.len());
        (&self.inputs[from..], &self.deltas_with_input(deltas)[from..])
    }
}
