//! Forward and backward through time for a few samples of the batch.

use super::isa::{Dispatch, Isa};
use super::kernels::{ColumnSums, Loss, LossSums, Slope, Squash, Unchanged};
use super::layout::Layout;
use super::packed::Packed;
use super::panels::{Aligned, Panels};
use super::product::{Outer, Product};
use crate::network::Activation;
use crate::random::Stream;
use crate::task::{Function, Task};

/// Time steps of deltas that are kept and turned into weight gradients together: enough that the gradient's own traffic
/// does not count, few enough that deltas and states are still in the cache.
const DELTA_STEPS: usize = 8;

/// The samples of a batch that one thread works on, with the tape of its states and its own gradient. The gradient of
/// the batch is the sum over chunks in their order, so it does not depend on which thread did which chunk.
pub(crate) struct Chunk<S> {
    /// The batch's number of the first sample here.
    first_sample: usize,
    /// h(0), h(1), ...; one row a sample.
    states: Vec<Panels<S>>,
    deltas: Vec<Panels<S>>,
    /// y(t) of the output phase, then the derivative of the loss by it.
    outputs: Vec<Panels<S>>,
    inputs: Vec<Panels<S>>,
    targets: Vec<Panels<S>>,
    pub(crate) gradient: Aligned<S>,
    pub(crate) sums: Vec<LossSums>,
}

/// What a chunk needs to know of the step it takes part in.
#[derive(Clone, Copy)]
pub(crate) struct Pass<'a, S> {
    pub(crate) isa: Isa,
    pub(crate) layout: &'a Layout,
    pub(crate) packed: &'a Packed<S>,
    pub(crate) activation: Activation,
    /// Time steps with input, and after them.
    pub(crate) input_steps: usize,
    pub(crate) horizon: usize,
}

impl<S: Dispatch> Chunk<S> {
    pub(crate) fn new(
        layout: &Layout,
        first_sample: usize,
        samples: usize,
        input_steps: usize,
        horizon: usize,
    ) -> Self {
        let sizes = layout.sizes;
        let steps = |count: usize, columns: usize| vec![Panels::zeros(samples, columns); count];
        Self {
            first_sample,
            states: steps(input_steps + horizon + 1, sizes.hidden),
            deltas: steps(DELTA_STEPS, sizes.hidden),
            outputs: steps(horizon, sizes.outputs),
            inputs: steps(input_steps, sizes.inputs),
            targets: steps(horizon, sizes.outputs),
            gradient: Aligned::zeros(layout.len),
            sums: vec![LossSums::default(); horizon],
        }
    }

    /// Fresh inputs at `index` of the stream, and the targets that follow; the draw of [`crate::task::Episodes`].
    pub(crate) fn draw(&mut self, task: &Task, stream: &Stream, index: u32, horizon: usize) {
        let (s, d) = (task.s(), task.d());
        let samples = self.inputs.first().map_or(0, Panels::rows);
        for sample in 0..samples {
            let mut block = [0; 4];
            for bit in 0..s * d {
                if bit % 128 == 0 {
                    block = stream.block(index, (self.first_sample + sample) as u32, (bit / 128) as u32);
                }
                let (t, j) = (bit / d, bit % d);
                let value = if block[bit % 128 / 32] >> (bit % 32) & 1 == 1 { 1.0 } else { -1.0 };
                *self.inputs[t].at_mut(sample, j) = S::from_f64(value);
            }
        }
        for t in 0..horizon {
            let (past, now) = self.targets.split_at_mut(t);
            let back = |lag: usize| if lag <= t { &past[t - lag] } else { &self.inputs[s + t - lag] };
            match task.function() {
                Function::Selection(sources) => {
                    for (j, source) in sources.iter().enumerate() {
                        let from = back(source.lag);
                        for sample in 0..samples {
                            let value = from.at(sample, source.component);
                            *now[0].at_mut(sample, j) = if source.negated { -value } else { value };
                        }
                    }
                }
                Function::Dense(matrix) => {
                    for sample in 0..samples {
                        for j in 0..d {
                            let term = |k: usize| matrix[(j, k)] * back(s - k / d).at(sample, k % d).to_f64();
                            *now[0].at_mut(sample, j) = S::from_f64((0..s * d).map(term).sum());
                        }
                    }
                }
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn inputs(&self) -> &[Panels<S>] {
        &self.inputs
    }

    #[cfg(test)]
    pub(crate) fn targets(&self) -> &[Panels<S>] {
        &self.targets
    }

    /// States and outputs for the inputs.
    pub(crate) fn forward(&mut self, pass: Pass<'_, S>) {
        let Pass { isa, packed, activation, input_steps, horizon, .. } = pass;
        for t in 1..=input_steps + horizon {
            let (before, after) = self.states.split_at_mut(t);
            // h(0) is zero, so the first step has no recurrent part.
            let recurrent = (t > 1).then(|| (&before[t - 1], &packed.forward));
            let input = (t <= input_steps).then(|| (&self.inputs[t - 1], &packed.input));
            S::dispatch(
                isa,
                Product {
                    factors: [recurrent, input],
                    bias: Some(packed.bias.slice()),
                    out: &mut after[0],
                    finish: Squash(activation),
                },
            );
            if t > input_steps {
                S::dispatch(
                    isa,
                    Product {
                        factors: [Some((&after[0], &packed.readout)), None],
                        bias: Some(packed.bias_readout.slice()),
                        out: &mut self.outputs[t - input_steps - 1],
                        finish: Unchanged,
                    },
                );
            }
        }
    }

    /// Loss sums of every output step; `outputs` becomes the derivative of the loss: the error times `scale`.
    pub(crate) fn loss(&mut self, isa: Isa, horizon: usize, scale: f64) {
        for ((outputs, targets), sums) in self.outputs.iter_mut().zip(&self.targets).zip(&mut self.sums).take(horizon) {
            *sums = S::dispatch(isa, Loss { outputs, targets, scale: S::from_f64(scale) });
        }
    }

    /// The gradient of the loss, after [`Chunk::forward`] and [`Chunk::loss`].
    pub(crate) fn backward(&mut self, pass: Pass<'_, S>) {
        let Pass { isa, layout, packed, activation, input_steps, horizon } = pass;
        let last = input_steps + horizon;
        let mut add = false;
        let mut end = last;
        // Blocks of time from the end; within the deltas' slots time rises, so a block is one stretch of each factor.
        while end > 0 {
            let start = end.saturating_sub(DELTA_STEPS) + 1;
            for t in (start..=end).rev() {
                let slot = DELTA_STEPS - 1 - (end - t);
                let (out, later) = delta_slots(&mut self.deltas, slot);
                let recurrent = (t < last).then_some((later, &packed.backward));
                let readout = (t > input_steps).then(|| (&self.outputs[t - input_steps - 1], &packed.readout_backward));
                let finish = Slope { activation, states: self.states[t].data() };
                S::dispatch(isa, Product { factors: [recurrent, readout], bias: None, out, finish });
            }
            self.accumulate(isa, layout, (start, end), input_steps, add);
            add = true;
            end = start - 1;
        }
        let gradient = &mut self.gradient.slice_mut()[layout.readout.clone()];
        let (outputs, states) = (&self.outputs[..horizon], &self.states[input_steps + 1..=last]);
        S::dispatch(isa, Outer { left: outputs, right: states, out: gradient, add: false });
        if layout.sizes.bias {
            let out = &mut self.gradient.slice_mut()[layout.bias_readout.clone()];
            S::dispatch(isa, ColumnSums { steps: outputs, out, add: false });
            self.gradient.slice_mut().copy_within(layout.bias_input.clone(), layout.bias_recurrent.start);
        }
    }

    /// Adds the gradients of the block of time start..=end, whose deltas lie in the last slots.
    fn accumulate(&mut self, isa: Isa, layout: &Layout, (start, end): (usize, usize), input_steps: usize, add: bool) {
        let gradient = self.gradient.slice_mut();
        let deltas = &self.deltas[DELTA_STEPS - (end + 1 - start)..];
        // h(0) is zero and adds nothing.
        let skip = usize::from(start == 1);
        let states = &self.states[start - 1 + skip..end];
        S::dispatch(
            isa,
            Outer { left: &deltas[skip..], right: states, out: &mut gradient[layout.recurrent.clone()], add },
        );
        if start <= input_steps {
            // Blocks run backwards: the first one that reaches the input phase is the one that ends it.
            let stop = end.min(input_steps);
            let deltas = &deltas[..stop + 1 - start];
            let inputs = &self.inputs[start - 1..stop];
            let out = &mut gradient[layout.input.clone()];
            S::dispatch(isa, Outer { left: inputs, right: deltas, out, add: end < input_steps });
        }
        if layout.sizes.bias {
            S::dispatch(isa, ColumnSums { steps: deltas, out: &mut gradient[layout.bias_input.clone()], add });
        }
    }
}

/// The slot to write and the one written before it, which holds the delta of the next time step.
fn delta_slots<S>(deltas: &mut [Panels<S>], slot: usize) -> (&mut Panels<S>, &Panels<S>) {
    let last = deltas.len() - 1;
    if slot == last {
        let (head, tail) = deltas.split_at_mut(last);
        (&mut tail[0], &head[0])
    } else {
        let (head, tail) = deltas.split_at_mut(slot + 1);
        (&mut head[slot], &tail[0])
    }
}
