//! Forward and backward through time for a few samples of the batch.

use super::cells::{DELTA_STEPS, LayerSizes, Step, Tape, TimeBlock};
use super::isa::{Dispatch, Isa};
use super::kernels::{Loss, LossSums};
use super::model::Model;
use super::panels::{Aligned, Panels};
use super::product::Terms;
use crate::random::Stream;
use crate::task::{Program, Task, Window};

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
    /// Which answers of a program count: by step, then sample.
    counts: Vec<bool>,
    pub(crate) gradient: Aligned<S>,
    pub(crate) sums: Vec<LossSums>,
    pub(crate) counted: Vec<Counted>,
}

/// What counts at one output step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Counted {
    /// Output units.
    pub(crate) units: u64,
    /// Answers, which are right or wrong: a symbol is one answer of several units.
    pub(crate) answers: u64,
}

/// The time steps of episodes.
#[derive(Clone, Copy)]
pub(crate) struct Phases {
    /// Steps before the first output.
    pub(crate) input_steps: usize,
    /// Output steps.
    pub(crate) horizon: usize,
    /// Whether there are inputs beside the outputs too.
    pub(crate) throughout: bool,
}

impl Phases {
    pub(crate) fn of(task: &Task, horizon: usize) -> Self {
        Self { input_steps: task.steps_before_outputs(), horizon, throughout: task.has_inputs_throughout() }
    }

    fn last(&self) -> usize {
        self.input_steps + self.horizon
    }

    /// Time steps at which the first layer has input.
    fn with_input(&self) -> usize {
        if self.throughout { self.last() } else { self.input_steps }
    }
}

/// What a chunk needs to know of the step it takes part in.
pub(crate) struct Pass<'a, S> {
    pub(crate) isa: Isa,
    pub(crate) model: &'a Model<S>,
    pub(crate) phases: Phases,
}

impl<S: Dispatch> Pass<'_, S> {
    /// The first time step at which the units of layer `k` are read.
    fn read_from(&self, k: usize) -> usize {
        if k + 1 == self.model.layers.len() { self.phases.input_steps + 1 } else { 1 }
    }

    fn step(&self, k: usize, t: usize) -> Step {
        Step { isa: self.isa, t, last: self.phases.last(), read_from: self.read_from(k) }
    }
}

impl<S: Dispatch> Chunk<S> {
    pub(crate) fn new(model: &Model<S>, first_sample: usize, samples: usize, phases: Phases) -> Self {
        let (horizon, outputs) = (phases.horizon, model.readout.outputs());
        let all = (samples * outputs) as u64;
        let steps = |count: usize, columns: usize| vec![Panels::zeros(samples, columns); count];
        let tape = |sizes: &LayerSizes| Tape::new(&sizes.tape_shape(), samples, phases.last());
        Self {
            first_sample,
            tapes: model.sizes.iter().map(tape).collect(),
            outputs: steps(horizon, outputs),
            inputs: steps(phases.with_input(), model.inputs()),
            targets: steps(horizon, outputs),
            counts: vec![],
            gradient: Aligned::zeros(model.len()),
            sums: vec![LossSums::default(); horizon],
            counted: vec![Counted { units: all, answers: all }; horizon],
        }
    }

    /// Fresh inputs at `index` of the stream, and the targets that follow; the draw of [`crate::task::Episodes`].
    pub(crate) fn draw(&mut self, task: &Task, only: Option<usize>, stream: &Stream, index: u32, horizon: usize) {
        match task {
            Task::Window(window) => self.draw_window(window, only, stream, index, horizon),
            Task::Program(program) => self.draw_program(program, stream, index, horizon),
        }
    }

    /// Steps of a program from its start; which of its answers count may differ from sample to sample.
    fn draw_program(&mut self, program: &Program, stream: &Stream, index: u32, horizon: usize) {
        let answers = program.output_columns();
        let samples = self.inputs.first().map_or(0, Panels::rows);
        let (mut inputs, mut outputs) = (vec![0.0; program.inputs()], vec![0.0; program.outputs()]);
        self.counts.clear();
        self.counts.resize(horizon * samples * answers.len(), false);
        self.counted[..horizon].fill(Counted::default());
        let mut machine = program.machine();
        for sample in 0..samples {
            let number = (self.first_sample + sample) as u32;
            machine.begin(stream, index, number);
            for t in 0..horizon {
                let frame = machine.step_drawn(stream, index, number);
                program.write_inputs(frame, &mut inputs);
                inputs.iter().enumerate().for_each(|(j, x)| *self.inputs[t].at_mut(sample, j) = S::from_f64(*x));
                let counts = &mut self.counts[(t * samples + sample) * answers.len()..][..answers.len()];
                program.write_outputs(frame, &mut outputs, counts);
                outputs.iter().enumerate().for_each(|(j, y)| *self.targets[t].at_mut(sample, j) = S::from_f64(*y));
                for (answer, _) in answers.iter().zip(counts).filter(|(_, counts)| **counts) {
                    self.counted[t].units += answer.at.len() as u64;
                    self.counted[t].answers += 1;
                }
            }
        }
    }

    /// Where the task has contexts, the cue of the one that is asked for or drawn is there at every time step.
    fn draw_window(&mut self, task: &Window, only: Option<usize>, stream: &Stream, index: u32, horizon: usize) {
        let (s, d) = (task.s(), task.d());
        let samples = self.inputs.first().map_or(0, Panels::rows);
        for sample in 0..samples {
            let signs = stream.signs(index, (self.first_sample + sample) as u32, 0);
            for (bit, sign) in signs.take(s * d).enumerate() {
                *self.inputs[bit / d].at_mut(sample, bit % d) = S::from_f64(sign.into());
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
    fn continue_sequences(&mut self, task: &Window, of: impl Fn(usize) -> bool, horizon: usize) {
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
        let &Pass { isa, model, phases } = pass;
        let (input_steps, last) = (phases.input_steps, phases.last());
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
    pub(crate) fn loss(&mut self, isa: Isa, task: &Task, horizon: usize, scale: f64) {
        let right: Option<Vec<u64>> = task.program().map(|program| self.answer(program, horizon));
        for ((outputs, targets), sums) in self.outputs.iter_mut().zip(&self.targets).zip(&mut self.sums).take(horizon) {
            *sums = S::dispatch(isa, Loss { outputs, targets, scale: S::from_f64(scale) });
        }
        for (sums, right) in self.sums.iter_mut().zip(right.into_iter().flatten()) {
            sums.correct = right;
        }
    }

    /// The right answers of every step; an output that does not count becomes 0, as its target is: nothing is wrong about it.
    fn answer(&mut self, program: &Program, horizon: usize) -> Vec<u64> {
        let answers = program.output_columns();
        let (mut said, mut wanted) = (vec![0.0; program.outputs()], vec![0.0; program.outputs()]);
        let one_step = |t: usize| {
            let (outputs, targets) = (&mut self.outputs[t], &self.targets[t]);
            let counts = self.counts[t * outputs.rows() * answers.len()..].chunks_exact(answers.len());
            let mut right = 0;
            for (sample, counts) in (0..outputs.rows()).zip(counts) {
                said.iter_mut().enumerate().for_each(|(j, y)| *y = outputs.at(sample, j).to_f64());
                wanted.iter_mut().enumerate().for_each(|(j, y)| *y = targets.at(sample, j).to_f64());
                for (answer, counts) in answers.iter().zip(counts) {
                    match *counts {
                        true => right += u64::from(answer.is_right(&said, &wanted)),
                        false => answer.at.clone().for_each(|j| *outputs.at_mut(sample, j) = S::from_f64(0.0)),
                    }
                }
            }
            right
        };
        (0..horizon).map(one_step).collect()
    }

    /// Random signs in place of the derivative of the loss: the squared gradient is then, on average, the diagonal of the Fisher
    /// information of outputs with unit noise.
    pub(crate) fn random_signs(&mut self, stream: &Stream, index: u32, horizon: usize) {
        for (t, outputs) in self.outputs.iter_mut().enumerate().take(horizon) {
            for sample in 0..outputs.rows() {
                let signs = stream.signs(index, (self.first_sample + sample) as u32, (t << 8) as u32);
                for (output, sign) in signs.take(outputs.columns()).enumerate() {
                    *outputs.at_mut(sample, output) = S::from_f64(sign.into());
                }
            }
        }
    }

    /// The gradient of the loss, after [`Chunk::forward`] and [`Chunk::loss`].
    pub(crate) fn backward(&mut self, pass: &Pass<'_, S>) {
        let &Pass { isa, model, phases } = pass;
        let Phases { input_steps, horizon, .. } = phases;
        let (last, with_input) = (phases.last(), phases.with_input());
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
            None if t > pass.phases.input_steps => {
                Terms::of([model.readout.below(&self.outputs[t - pass.phases.input_steps - 1])])
            }
            None => Terms::none(),
        };
        model.layers[k].backward(step, above, &mut tapes[k]);
    }
}
