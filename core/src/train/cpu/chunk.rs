//! Forward and backward through time for a few samples of the batch.

use super::cells::{DELTA_STEPS, LayerSizes, Step, Tape, TimeBlock};
use super::isa::{Dispatch, Isa};
use super::kernels::{Loss, LossSums};
use super::model::Model;
use super::panels::{Aligned, Panels};
use super::product::Terms;
use crate::random::Stream;
use crate::task::Task;

/// The samples of a batch that one thread works on, with the tape of its states and its own gradient. The gradient of
/// the batch is the sum over chunks in their order, so it does not depend on which thread did which chunk.
pub(crate) struct Chunk<S> {
    /// The batch's number of the first sample here.
    first_sample: usize,
    /// One for each layer.
    tapes: Vec<Tape<S>>,
    /// y(t) of the output phase, then the derivative of the loss by it; one row a sample.
    outputs: Vec<Panels<S>>,
    inputs: Vec<Panels<S>>,
    targets: Vec<Panels<S>>,
    pub(crate) gradient: Aligned<S>,
    pub(crate) sums: Vec<LossSums>,
}

/// What a chunk needs to know of the step it takes part in.
pub(crate) struct Pass<'a, S> {
    pub(crate) isa: Isa,
    pub(crate) model: &'a Model<S>,
    /// Time steps with input, and after them.
    pub(crate) input_steps: usize,
    pub(crate) horizon: usize,
}

impl<S: Dispatch> Pass<'_, S> {
    fn last(&self) -> usize {
        self.input_steps + self.horizon
    }

    /// Time steps at which the first layer has input: cues last to the end.
    fn with_input(&self) -> usize {
        if has_cues(self.model) { self.last() } else { self.input_steps }
    }

    /// The first time step at which the units of layer `k` are read.
    fn read_from(&self, k: usize) -> usize {
        if k + 1 == self.model.layers.len() { self.input_steps + 1 } else { 1 }
    }

    fn step(&self, k: usize, t: usize) -> Step {
        Step { isa: self.isa, t, last: self.last(), read_from: self.read_from(k) }
    }
}

/// Inputs beside the components of the task, which a network has as many outputs of.
fn has_cues<S: Dispatch>(model: &Model<S>) -> bool {
    model.inputs() > model.readout.outputs()
}

impl<S: Dispatch> Chunk<S> {
    pub(crate) fn new(
        model: &Model<S>,
        first_sample: usize,
        samples: usize,
        input_steps: usize,
        horizon: usize,
    ) -> Self {
        let steps = |count: usize, columns: usize| vec![Panels::zeros(samples, columns); count];
        let tape = |sizes: &LayerSizes| Tape::new(&sizes.tape_shape(), samples, input_steps + horizon);
        Self {
            first_sample,
            tapes: model.sizes.iter().map(tape).collect(),
            outputs: steps(horizon, model.readout.outputs()),
            inputs: steps(if has_cues(model) { input_steps + horizon } else { input_steps }, model.inputs()),
            targets: steps(horizon, model.readout.outputs()),
            gradient: Aligned::zeros(model.len()),
            sums: vec![LossSums::default(); horizon],
        }
    }

    /// Fresh inputs at `index` of the stream, and the targets that follow; the draw of [`crate::task::Episodes`].
    /// Where the task has contexts, the cue of the one that is asked for or drawn is there at every time step.
    pub(crate) fn draw(&mut self, task: &Task, only: Option<usize>, stream: &Stream, index: u32, horizon: usize) {
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
        if task.contexts().is_empty() {
            return self.continue_sequences(task, |_| true, horizon);
        }
        let first = self.first_sample;
        let drawn: Vec<usize> =
            (0..samples).map(|k| task.drawn_context(only, stream, index, (first + k) as u32)).collect();
        for inputs in &mut self.inputs {
            for (sample, &chosen) in drawn.iter().enumerate() {
                for k in 0..task.contexts().len() {
                    *inputs.at_mut(sample, d + k) = S::from_f64(f64::from(u8::from(k == chosen)));
                }
            }
        }
        for (k, context) in task.contexts().iter().enumerate() {
            self.continue_sequences(&context.task, |sample| drawn[sample] == k, horizon);
        }
    }

    /// The targets of some samples.
    fn continue_sequences(&mut self, task: &Task, of: impl Fn(usize) -> bool, horizon: usize) {
        let (s, samples) = (task.s(), self.inputs.first().map_or(0, Panels::rows));
        for t in 0..horizon {
            let (past, now) = self.targets.split_at_mut(t);
            let back = |lag: usize| if lag <= t { &past[t - lag] } else { &self.inputs[s + t - lag] };
            task.step_with(
                samples,
                |slot, sample| back(slot.lag).at(sample, slot.component).to_f64(),
                |output, sample, value| {
                    if of(sample) {
                        *now[0].at_mut(sample, output) = S::from_f64(value);
                    }
                },
            );
        }
    }

    #[cfg(test)]
    pub(crate) fn inputs(&self) -> &[Panels<S>] {
        &self.inputs
    }

    #[cfg(test)]
    pub(crate) fn tapes(&self) -> &[Tape<S>] {
        &self.tapes
    }

    #[cfg(test)]
    pub(crate) fn targets(&self) -> &[Panels<S>] {
        &self.targets
    }

    /// States and outputs for the inputs. A few time steps of each layer follow each other, so that its weights stay in
    /// the cache.
    pub(crate) fn forward(&mut self, pass: &Pass<'_, S>) {
        let &Pass { isa, model, input_steps, .. } = pass;
        let last = pass.last();
        for start in (1..=last).step_by(DELTA_STEPS) {
            for (k, layer) in model.layers.iter().enumerate() {
                let (below, tapes) = self.tapes.split_at_mut(k);
                for t in start..last.min(start + DELTA_STEPS - 1) + 1 {
                    let input = match below.last() {
                        Some(below) => Some(&below.states[t]),
                        None => self.inputs.get(t - 1),
                    };
                    layer.forward(pass.step(k, t), input, &mut tapes[0]);
                    if tapes.len() == 1 && t > input_steps {
                        model.readout.forward(isa, &tapes[0].states[t], &mut self.outputs[t - input_steps - 1]);
                    }
                }
            }
        }
    }

    /// Loss sums of every output step; `outputs` becomes the derivative of the loss: the error times `scale`.
    pub(crate) fn loss(&mut self, isa: Isa, horizon: usize, scale: f64) {
        for ((outputs, targets), sums) in self.outputs.iter_mut().zip(&self.targets).zip(&mut self.sums).take(horizon) {
            *sums = S::dispatch(isa, Loss { outputs, targets, scale: S::from_f64(scale) });
        }
    }

    /// Random signs in place of the derivative of the loss: the squared gradient is then, on average, the diagonal of the Fisher
    /// information of outputs with unit noise.
    pub(crate) fn random_signs(&mut self, stream: &Stream, index: u32, horizon: usize) {
        for (t, outputs) in self.outputs.iter_mut().enumerate().take(horizon) {
            for sample in 0..outputs.rows() {
                for output in 0..outputs.columns() {
                    let block =
                        stream.block(index, (self.first_sample + sample) as u32, ((t << 8) | (output / 128)) as u32);
                    let set = block[output % 128 / 32] >> (output % 32) & 1 == 1;
                    *outputs.at_mut(sample, output) = S::from_f64(if set { 1.0 } else { -1.0 });
                }
            }
        }
    }

    /// The gradient of the loss, after [`Chunk::forward`] and [`Chunk::loss`].
    pub(crate) fn backward(&mut self, pass: &Pass<'_, S>) {
        let &Pass { isa, model, input_steps, horizon } = pass;
        let (last, with_input) = (pass.last(), pass.with_input());
        let mut end = last;
        // Blocks of time from the end, each from the last layer down.
        while end > 0 {
            let start = end.saturating_sub(DELTA_STEPS) + 1;
            for k in (0..model.layers.len()).rev() {
                for t in (start..=end).rev() {
                    self.step_back(pass, k, t);
                }
                let layer_inputs = match k.checked_sub(1) {
                    Some(below) => &self.tapes[below].states[start..=end],
                    None => &self.inputs[with_input.min(start - 1)..with_input.min(end)],
                };
                let add = end < last;
                // Blocks run backwards: the first one that reaches the input phase is the one that ends it.
                let add_inputs = if k == 0 { end < with_input } else { add };
                let block =
                    TimeBlock { isa, start, end, read_from: pass.read_from(k), inputs: layer_inputs, add_inputs, add };
                model.layers[k].accumulate(&block, &self.tapes[k], self.gradient.slice_mut());
            }
            end = start - 1;
        }
        if let Some(tape) = self.tapes.last() {
            let (outputs, units) = (&self.outputs[..horizon], &tape.states[input_steps + 1..=last]);
            model.readout.accumulate(isa, outputs, units, self.gradient.slice_mut());
        }
    }

    fn step_back(&mut self, pass: &Pass<'_, S>, k: usize, t: usize) {
        let (model, step) = (pass.model, pass.step(k, t));
        let (tapes, above) = self.tapes.split_at_mut(k + 1);
        let above = match above.first() {
            Some(tape) => model.layers[k + 1].below(pass.step(k + 1, t), tape),
            None if t > pass.input_steps => Terms::of([model.readout.below(&self.outputs[t - pass.input_steps - 1])]),
            None => Terms::none(),
        };
        model.layers[k].backward(step, above, &mut tapes[k]);
    }
}
