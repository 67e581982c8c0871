//! One network being trained: its parameters, their moments, and the optimizer step.

use std::ops::Range;

use faer::Mat;
use rayon::prelude::*;

use super::chunk::{Chunk, Pass};
use super::isa::{Dispatch, Isa};
use super::layout::{Layout, Sizes};
use super::optimizer::{Adam, AdamStep, Reduce};
use super::packed::Packed;
use super::panels::{Aligned, LANE_GROUP};
use crate::network::{Activation, Biases, Cell, Elman, Network, Readout};
use crate::random::Stream;
use crate::task::Task;

/// Samples in a chunk of the batch. Fixed, because the order of the sums depends on it and nothing else may change them.
const CHUNK_SAMPLES: usize = 32;
/// Parameters that one thread reduces or updates at a time. Fixed for the same reason.
const STRETCH: usize = 512 * LANE_GROUP;

/// What a batch told about the network before the update.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Measures {
    /// Mean squared error.
    pub(crate) loss: f64,
    /// Share of components with the right sign.
    pub(crate) accuracy: f64,
    /// Mean squared error at each output step.
    pub(crate) loss_by_step: Vec<f64>,
}

pub(crate) struct Learner<S> {
    isa: Isa,
    layout: Layout,
    activation: Activation,
    batch: usize,
    input_steps: usize,
    parameters: Aligned<S>,
    first_moment: Aligned<S>,
    second_moment: Aligned<S>,
    packed: Packed<S>,
    chunks: Vec<Chunk<S>>,
    squares: Vec<f64>,
    pub(crate) measures: Measures,
}

impl<S: Dispatch> Learner<S> {
    /// A learner of `network` with room for `horizon` output steps.
    pub(crate) fn new(network: &Network, isa: Isa, batch: usize, input_steps: usize, horizon: usize) -> Self {
        let sizes = Sizes {
            hidden: network.hidden(),
            inputs: network.inputs(),
            outputs: network.outputs(),
            bias: network.has_bias(),
        };
        let layout = Layout::new(sizes);
        let chunk = |start: usize| {
            let samples = CHUNK_SAMPLES.min(batch - start);
            Chunk::new(&layout, start, samples, input_steps, horizon)
        };
        let mut learner = Self {
            isa,
            activation: network.activation().unwrap_or_default(),
            batch,
            input_steps,
            parameters: Aligned::zeros(layout.len),
            first_moment: Aligned::zeros(layout.len),
            second_moment: Aligned::zeros(layout.len),
            packed: Packed::new(&layout),
            chunks: (0..batch).step_by(CHUNK_SAMPLES).map(chunk).collect(),
            squares: vec![0.0; layout.len.div_ceil(STRETCH)],
            measures: Measures { loss_by_step: vec![0.0; horizon], ..Measures::default() },
            layout,
        };
        Self::write(&learner.layout, network, learner.parameters.slice_mut());
        learner.pack();
        learner
    }

    fn write(layout: &Layout, network: &Network, parameters: &mut [S]) {
        let mut matrix = |range: &Range<usize>, rows: usize, columns: usize, at: &dyn Fn(usize, usize) -> f64| {
            for i in 0..rows {
                for j in 0..columns {
                    parameters[layout.index(range, i, j)] = S::from_f64(at(i, j));
                }
            }
        };
        let Sizes { hidden, inputs, outputs, .. } = layout.sizes;
        let Some(cell) = network.as_elman() else { return };
        matrix(&layout.recurrent, hidden, hidden, &|i, j| cell.recurrent_weights[(i, j)]);
        matrix(&layout.input, inputs, hidden, &|i, j| cell.input_weights[(j, i)]);
        matrix(&layout.readout, outputs, hidden, &|i, j| network.readout.weights[(i, j)]);
        let mut vector = |start: usize, values: &[f64]| {
            for (to, value) in parameters[start..].iter_mut().zip(values) {
                *to = S::from_f64(*value);
            }
        };
        if let Some(biases) = &cell.biases {
            vector(layout.bias_input.start, &biases.input);
            vector(layout.bias_recurrent.start, &biases.recurrent);
        }
        if let Some(bias) = &network.readout.bias {
            vector(layout.bias_readout.start, bias);
        }
    }

    /// Takes the moments of a run that goes on.
    pub(crate) fn load_moments(&mut self, first: &Network, second: &Network) {
        Self::write(&self.layout, first, self.first_moment.slice_mut());
        Self::write(&self.layout, second, self.second_moment.slice_mut());
    }

    /// Adam's first and second moment, weight by weight.
    pub(crate) fn moments(&self) -> (Network, Network) {
        (self.as_network(self.first_moment.slice()), self.as_network(self.second_moment.slice()))
    }

    /// The network as it stands.
    pub(crate) fn network(&self) -> Network {
        self.as_network(self.parameters.slice())
    }

    /// The gradient of the last batch, as a network of derivatives.
    #[cfg(test)]
    pub(crate) fn gradient(&self) -> Network {
        self.as_network(self.chunks[0].gradient.slice())
    }

    fn as_network(&self, numbers: &[S]) -> Network {
        let layout = &self.layout;
        let Sizes { hidden, inputs, outputs, bias } = layout.sizes;
        let at = |range: &Range<usize>, i: usize, j: usize| numbers[layout.index(range, i, j)].to_f64();
        let vector = |start: usize, len: usize| numbers[start..start + len].iter().map(|x| x.to_f64()).collect();
        let cell = Elman {
            activation: self.activation,
            input_weights: Mat::from_fn(hidden, inputs, |i, j| at(&layout.input, j, i)),
            recurrent_weights: Mat::from_fn(hidden, hidden, |i, j| at(&layout.recurrent, i, j)),
            biases: bias.then(|| Biases {
                input: vector(layout.bias_input.start, hidden),
                recurrent: vector(layout.bias_recurrent.start, hidden),
            }),
        };
        let readout = Readout {
            weights: Mat::from_fn(outputs, hidden, |i, j| at(&layout.readout, i, j)),
            bias: bias.then(|| vector(layout.bias_readout.start, outputs)),
        };
        Network { layers: vec![Cell::Elman(cell)], readout }
    }

    /// Fresh inputs at `index` of the stream, the loss on them and its gradient.
    pub(crate) fn learn_batch(&mut self, task: &Task, stream: &Stream, index: u32, horizon: usize) {
        self.pass_batch(task, stream, index, horizon, Chunk::backward);
    }

    /// Fresh inputs at `index` of the stream and the loss on them.
    pub(crate) fn test_batch(&mut self, task: &Task, stream: &Stream, index: u32, horizon: usize) {
        self.pass_batch(task, stream, index, horizon, |_, _| ());
    }

    fn pass_batch(
        &mut self,
        task: &Task,
        stream: &Stream,
        index: u32,
        horizon: usize,
        backward: impl Fn(&mut Chunk<S>, Pass<'_, S>) + Sync,
    ) {
        let (isa, input_steps) = (self.isa, self.input_steps);
        let (layout, packed, activation) = (&self.layout, &self.packed, self.activation);
        let pass = Pass { isa, layout, packed, activation, input_steps, horizon };
        let scale = 2.0 / (horizon * self.batch * layout.sizes.outputs) as f64;
        self.chunks.par_iter_mut().with_max_len(1).for_each(|chunk| {
            chunk.draw(task, stream, index, horizon);
            chunk.forward(pass);
            chunk.loss(isa, horizon, scale);
            backward(chunk, pass);
        });
        self.measure(horizon);
    }

    fn measure(&mut self, horizon: usize) {
        let components = (self.batch * self.layout.sizes.outputs) as f64;
        let Measures { loss, accuracy, loss_by_step } = &mut self.measures;
        let mut correct = 0;
        loss_by_step.resize(horizon, 0.0);
        for (t, step) in loss_by_step.iter_mut().enumerate() {
            let sums = || self.chunks.iter().map(|chunk| chunk.sums[t]);
            *step = sums().map(|sums| sums.squared_error).sum::<f64>() / components;
            correct += sums().map(|sums| sums.correct).sum::<u64>();
        }
        *loss = loss_by_step.iter().sum::<f64>() / horizon as f64;
        *accuracy = correct as f64 / (components * horizon as f64);
    }

    /// One step of Adam on the reduced gradient.
    pub(crate) fn update(&mut self, step: AdamStep) {
        let isa = self.isa;
        self.parameters
            .slice_mut()
            .par_chunks_mut(STRETCH)
            .zip(self.first_moment.slice_mut().par_chunks_mut(STRETCH))
            .zip(self.second_moment.slice_mut().par_chunks_mut(STRETCH))
            .zip(self.chunks[0].gradient.slice().par_chunks(STRETCH))
            .for_each(|(((parameters, first), second), gradient)| {
                S::dispatch(isa, Adam { step, parameters, first, second, gradient });
            });
        self.pack();
    }

    /// Sums the chunks' gradients of the last batch; returns the norm of the sum.
    pub(crate) fn reduce(&mut self) -> f64 {
        let isa = self.isa;
        let Some((total, others)) = self.chunks.split_first_mut() else { return 0.0 };
        let others = &*others;
        let stretches = total.gradient.slice_mut().par_chunks_mut(STRETCH).zip(&mut self.squares).enumerate();
        stretches.for_each(|(k, (total, squares))| {
            *squares = S::dispatch(isa, Reduce { total, others, start: k * STRETCH });
        });
        self.squares.iter().sum::<f64>().sqrt()
    }

    fn pack(&mut self) {
        self.packed.pack(&self.layout, self.parameters.slice());
    }
}

#[cfg(test)]
mod tests;
