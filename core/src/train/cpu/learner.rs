//! One network being trained: its parameters, their moments, and the optimizer step.

use rayon::prelude::*;

use super::chunk::{Chunk, Counted, Pass, Phases};
use super::isa::{Dispatch, Isa};
use super::model::Model;
use super::optimizer::{Adam, AdamStep, Reduce};
use super::panels::{Aligned, LANE_GROUP};
use crate::network::Network;
use crate::random::Stream;
use crate::task::Task;
use crate::train::Held;
use std::sync::Arc;

/// Samples in a chunk of the batch. Fixed, because the order of the sums depends on it and nothing else may change them.
pub(crate) const CHUNK_SAMPLES: usize = 32;
/// Parameters that one thread reduces or updates at a time. Fixed for the same reason.
const STRETCH: usize = 512 * LANE_GROUP;

/// What a batch told about the network before the update.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Measures {
    /// Mean squared error.
    pub(crate) loss: f64,
    /// Share of right answers: of components with the right sign, symbols, numbers that are near enough.
    pub(crate) accuracy: f64,
    /// Mean squared error at each output step.
    pub(crate) loss_by_step: Vec<f64>,
    /// Share of right answers at each output step.
    pub(crate) accuracy_by_step: Vec<f64>,
    /// Whether anything counts at each output step.
    pub(crate) counts_by_step: Vec<bool>,
}

pub(crate) struct Learner<S> {
    isa: Isa,
    model: Model<S>,
    batch: usize,
    phases: Phases,
    parameters: Aligned<S>,
    first_moment: Aligned<S>,
    second_moment: Aligned<S>,
    chunks: Vec<Chunk<S>>,
    squares: Vec<f64>,
    /// The only context that is drawn, where the task has several.
    only: Option<usize>,
    restraint: Option<Restrained<S>>,
    pub(crate) measures: Measures,
}

/// What training may not change, beside the flat vector.
struct Restrained<S> {
    held: Arc<Held>,
    /// Strength times Fisher information, and the weights that are pulled back to.
    pull: Option<(Aligned<S>, Aligned<S>)>,
}

impl<S: Dispatch> Learner<S> {
    /// A learner of `network` with room for `horizon` output steps of a task.
    pub(crate) fn new(network: &Network, isa: Isa, batch: usize, task: &Task, horizon: usize) -> Self {
        let (model, phases) = (Model::new(network), Phases::of(task, horizon));
        let chunk = |start: usize| {
            let samples = CHUNK_SAMPLES.min(batch - start);
            Chunk::new(&model, start, samples, phases)
        };
        let zeros = || Aligned::zeros(model.len());
        let mut learner = Self {
            isa,
            batch,
            phases,
            parameters: zeros(),
            first_moment: zeros(),
            second_moment: zeros(),
            chunks: (0..batch).step_by(CHUNK_SAMPLES).map(chunk).collect(),
            squares: vec![0.0; model.len().div_ceil(STRETCH)],
            only: None,
            restraint: None,
            measures: Measures { loss_by_step: vec![0.0; horizon], ..Measures::default() },
            model,
        };
        learner.model.write(network, learner.parameters.slice_mut());
        learner.pack();
        learner
    }

    /// Draws episodes of one context only.
    pub(crate) fn draw_only(&mut self, context: Option<usize>) {
        self.only = context;
    }

    /// Holds what training may not change.
    pub(crate) fn hold(&mut self, held: Arc<Held>) {
        let pull = held.penalty.as_ref().map(|penalty| {
            let (mut fisher, mut anchor) = (Aligned::zeros(self.model.len()), Aligned::zeros(self.model.len()));
            self.model.write(&penalty.fisher, fisher.slice_mut());
            self.model.write(&penalty.anchor, anchor.slice_mut());
            fisher.slice_mut().iter_mut().for_each(|f: &mut S| *f = S::from_f64(f.to_f64() * penalty.strength));
            (fisher, anchor)
        });
        self.restraint = Some(Restrained { held, pull });
    }

    /// Takes the moments of a run that goes on.
    pub(crate) fn load_moments(&mut self, first: &Network, second: &Network) {
        self.model.write(first, self.first_moment.slice_mut());
        self.model.write(second, self.second_moment.slice_mut());
    }

    /// Adam's first and second moment, weight by weight.
    pub(crate) fn moments(&self) -> (Network, Network) {
        (self.model.read(self.first_moment.slice()), self.model.read(self.second_moment.slice()))
    }

    /// The network as it stands.
    pub(crate) fn network(&self) -> Network {
        self.model.read(self.parameters.slice())
    }

    /// The gradient of the last batch, as a network of derivatives.
    #[cfg(test)]
    pub(crate) fn gradient(&self) -> Network {
        self.model.read(self.chunks[0].gradient.slice())
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
        backward: impl Fn(&mut Chunk<S>, &Pass<'_, S>) + Sync,
    ) {
        let (isa, only) = (self.isa, self.only);
        let pass = Pass { isa, model: &self.model, phases: Phases { horizon, ..self.phases } };
        // How much counts must be known before the first derivative.
        let varies = task.program().is_some_and(|program| !program.counts_always());
        let units = match varies {
            false => (horizon * self.batch * self.model.readout.outputs()) as f64,
            true => {
                let draw = |chunk: &mut Chunk<S>| chunk.draw(task, only, stream, index, horizon);
                self.chunks.par_iter_mut().with_max_len(1).for_each(draw);
                let counted = self.chunks.iter().flat_map(|chunk| &chunk.counted[..horizon]);
                counted.map(|counted| counted.units).sum::<u64>().max(1) as f64
            }
        };
        let scale = 2.0 / units;
        self.chunks.par_iter_mut().with_max_len(1).for_each(|chunk| {
            if !varies {
                chunk.draw(task, only, stream, index, horizon);
            }
            chunk.forward(&pass);
            chunk.loss(isa, task, horizon, scale);
            backward(chunk, &pass);
        });
        self.measure(horizon);
    }

    fn measure(&mut self, horizon: usize) {
        let Measures { loss, accuracy, loss_by_step, accuracy_by_step, counts_by_step } = &mut self.measures;
        let (mut correct, mut answers, mut units) = (0, 0, 0);
        loss_by_step.resize(horizon, 0.0);
        accuracy_by_step.resize(horizon, 0.0);
        counts_by_step.resize(horizon, true);
        for (t, step) in loss_by_step.iter_mut().enumerate() {
            let sums = || self.chunks.iter().map(|chunk| chunk.sums[t]);
            let add =
                |sum: Counted, of: Counted| Counted { units: sum.units + of.units, answers: sum.answers + of.answers };
            let counted = self.chunks.iter().map(|chunk| chunk.counted[t]).fold(Counted::default(), add);
            counts_by_step[t] = counted.answers > 0;
            // Where nothing counts nothing is wrong.
            *step = sums().map(|sums| sums.squared_error).sum::<f64>() / counted.units.max(1) as f64;
            let right = sums().map(|sums| sums.correct).sum::<u64>();
            accuracy_by_step[t] = if counted.answers > 0 { right as f64 / counted.answers as f64 } else { 1.0 };
            (correct, answers) = (correct + right, answers + counted.answers);
            units += counted.units;
        }
        // Where all counts, the steps count alike; elsewhere the units do, as in the gradient.
        *loss = match units as usize == horizon * self.batch * self.model.readout.outputs() {
            true => loss_by_step.iter().sum::<f64>() / horizon as f64,
            false => {
                self.chunks.iter().flat_map(|chunk| &chunk.sums[..horizon]).map(|sums| sums.squared_error).sum::<f64>()
                    / units.max(1) as f64
            }
        };
        *accuracy = correct as f64 / answers.max(1) as f64;
    }

    /// The squared gradient of one episode under random signs in place of the loss, weight by weight.
    pub(crate) fn squared_sensitivity(
        &mut self,
        task: &Task,
        streams: [&Stream; 2],
        index: u32,
        horizon: usize,
    ) -> Network {
        let [inputs, signs] = streams;
        let pass = Pass { isa: self.isa, model: &self.model, phases: Phases { horizon, ..self.phases } };
        let chunk = &mut self.chunks[0];
        chunk.draw(task, self.only, inputs, index, horizon);
        chunk.forward(&pass);
        chunk.random_signs(signs, index, horizon);
        chunk.backward(&pass);
        let mut gradient = self.model.read(chunk.gradient.slice());
        for (_, parameter) in gradient.parameters_mut() {
            parameter.change(|x| x * x);
        }
        gradient
    }

    /// One step of Adam on the reduced gradient; what is held stays, whatever Adam makes of a gradient that leaves it alone.
    pub(crate) fn update(&mut self, step: AdamStep) {
        let isa = self.isa;
        let before = self.restraint.as_ref().map(|_| self.network());
        self.parameters
            .slice_mut()
            .par_chunks_mut(STRETCH)
            .zip(self.first_moment.slice_mut().par_chunks_mut(STRETCH))
            .zip(self.second_moment.slice_mut().par_chunks_mut(STRETCH))
            .zip(self.chunks[0].gradient.slice().par_chunks(STRETCH))
            .for_each(|(((parameters, first), second), gradient)| {
                S::dispatch(isa, Adam { step, parameters, first, second, gradient });
            });
        if let (Some(restraint), Some(before)) = (&self.restraint, before) {
            let mut after = self.network();
            restraint.held.restrict_move(&before, &mut after);
            self.model.write(&after, self.parameters.slice_mut());
        }
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
        match &self.restraint {
            None => self.squares.iter().sum::<f64>().sqrt(),
            Some(restraint) => restrain(restraint, &self.model, self.parameters.slice(), total.gradient.slice_mut()),
        }
    }

    fn pack(&mut self) {
        self.model.pack(self.parameters.slice());
    }
}

/// Takes out of a gradient what is held, after the pull back to old weights is added; returns its norm.
fn restrain<S: Dispatch>(restraint: &Restrained<S>, model: &Model<S>, parameters: &[S], gradient: &mut [S]) -> f64 {
    if let Some((fisher, anchor)) = &restraint.pull {
        let weights = parameters.iter().zip(anchor.slice()).zip(fisher.slice());
        for (g, ((weight, anchor), fisher)) in gradient.iter_mut().zip(weights) {
            *g = S::from_f64(g.to_f64() + fisher.to_f64() * (weight.to_f64() - anchor.to_f64()));
        }
    }
    if !restraint.held.holds.is_empty() {
        let mut of = model.read(gradient);
        restraint.held.restrict(&mut of);
        model.write(&of, gradient);
    }
    gradient.iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests;
