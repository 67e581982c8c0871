//! Gradients against finite differences, f32 against f64, and the draw of inputs.

use super::super::chunk::Chunk;
use super::super::isa::{Dispatch, Isa};
use super::super::panels::Panels;
use super::Learner;
use crate::network::{Activation, Architecture, Initialization, Network, ParameterMut};
use crate::random::{Purpose, Stream};
use crate::task::{Episodes, Task};

const STREAM_SEED: u64 = 3;

struct Case {
    hidden: usize,
    s: usize,
    d: usize,
    batch: usize,
    horizon: usize,
    activation: Activation,
    bias: bool,
}

impl Case {
    fn task(&self) -> Task {
        Task::named("compose-copy", Some(self.s), Some(self.d)).unwrap()
    }

    fn network(&self) -> Network {
        Initialization::Uniform.network(
            &Architecture::elman(self.hidden, self.activation, self.bias),
            self.d,
            self.d,
            1,
        )
    }

    fn learner<S: Dispatch>(&self, isa: Isa, network: &Network) -> Learner<S> {
        let mut learner = Learner::new(network, isa, self.batch, self.s, self.horizon);
        let stream = Stream::new(STREAM_SEED, Purpose::TrainInputs);
        learner.learn_batch(&self.task(), &stream, 5, self.horizon);
        learner.reduce();
        learner
    }
}

fn cases() -> impl Iterator<Item = Case> {
    let sizes = [(3, 2, 1, 2, 3), (5, 3, 2, 4, 9), (17, 4, 5, 35, 6), (66, 2, 1, 2, 3), (20, 9, 18, 2, 12)];
    let kinds = [(Activation::Tanh, false), (Activation::Tanh, true), (Activation::Identity, true)];
    kinds.into_iter().chain([(Activation::Relu, true)]).flat_map(move |(activation, bias)| {
        sizes.map(|(hidden, s, d, batch, horizon)| Case { hidden, s, d, batch, horizon, activation, bias })
    })
}

/// The loss by the book: one sample after the other, in f64.
fn plain_loss(case: &Case, network: &Network) -> f64 {
    let mut episodes = Episodes::new(&case.task(), case.batch);
    episodes.draw(&case.task(), &Stream::new(STREAM_SEED, Purpose::TrainInputs), 5, case.horizon);
    let trajectory = network.run(episodes.inputs(), case.batch, case.horizon);
    let mut sum = 0.0;
    for (t, target) in episodes.targets().chunks(case.batch * case.d).enumerate() {
        let said = network.read(trajectory.states[case.s + t].as_ref());
        for (k, target) in target.iter().enumerate() {
            sum += (said[(k % case.d, k / case.d)] - f64::from(*target)).powi(2);
        }
    }
    sum / (case.horizon * case.batch * case.d) as f64
}

fn parameters(network: &mut Network) -> Vec<&mut f64> {
    let mut all = Vec::new();
    for (_, parameter) in network.parameters_mut() {
        match parameter {
            ParameterMut::Matrix(matrix) => {
                all.extend(matrix.as_mut().col_iter_mut().flat_map(|column| column.iter_mut()));
            }
            ParameterMut::Vector(vector) => all.extend(vector),
        }
    }
    all
}

#[test]
fn gradients_agree_with_finite_differences_for_every_parameter() {
    let stream = Stream::new(STREAM_SEED, Purpose::TrainInputs);
    // The slope of relu jumps, so a difference across the jump proves nothing.
    for case in cases().filter(|case| case.activation != Activation::Relu) {
        let mut learner = case.learner::<f64>(Isa::Portable, &case.network());
        let gradient = learner.chunks[0].gradient.slice().to_vec();
        let largest = gradient.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        // Four points: the truncation error is of fourth order, so the step can be large against rounding.
        let step = 1e-3;
        for (k, exact) in gradient.iter().enumerate() {
            let mut loss_at = |shift: f64| {
                let before = std::mem::replace(&mut learner.parameters.slice_mut()[k], 0.0);
                learner.parameters.slice_mut()[k] = before + shift;
                learner.pack();
                learner.test_batch(&case.task(), &stream, 5, case.horizon);
                learner.parameters.slice_mut()[k] = before;
                learner.measures.loss
            };
            let near = loss_at(step) - loss_at(-step);
            let far = loss_at(2.0 * step) - loss_at(-2.0 * step);
            let numeric = (8.0 * near - far) / (12.0 * step);
            let error = (exact - numeric).abs() / exact.abs().max(1e-3 * largest);
            assert!(error < 1e-6, "parameter {k} of H={}: {exact:e} against {numeric:e}", case.hidden);
        }
    }
}

#[test]
fn every_instruction_set_agrees_with_f64() {
    for case in cases() {
        let network = case.network();
        let exact = case.learner::<f64>(Isa::Portable, &network);
        let loss = plain_loss(&case, &network);
        assert!((exact.measures.loss - loss).abs() < 1e-12 * loss);
        let mut wide = exact.gradient();
        let wide = parameters(&mut wide);
        let largest = wide.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        for isa in Isa::available() {
            let learner = case.learner::<f32>(isa, &network);
            let mut narrow = learner.gradient();
            for (a, b) in parameters(&mut narrow).into_iter().zip(&wide) {
                assert!((*a - **b).abs() < 2e-6 * largest, "{isa} H={}: {a:e} against {b:e}", case.hidden);
            }
            assert_eq!(learner.measures.accuracy, exact.measures.accuracy, "{isa}");
        }
    }
}

#[test]
fn a_chunk_draws_what_episodes_draw() {
    for case in cases() {
        let learner = case.learner::<f32>(Isa::best(), &case.network());
        let mut episodes = Episodes::new(&case.task(), case.batch);
        episodes.draw(&case.task(), &Stream::new(STREAM_SEED, Purpose::TrainInputs), 5, case.horizon);
        let drawn = |phase: fn(&Chunk<f32>) -> &[Panels<f32>], steps: usize| {
            let mut all = Vec::new();
            for t in 0..steps {
                for step in learner.chunks.iter().map(|chunk| &phase(chunk)[t]) {
                    all.extend((0..step.rows() * case.d).map(|k| step.at(k / case.d, k % case.d)));
                }
            }
            all
        };
        assert_eq!(drawn(Chunk::inputs, case.s), episodes.inputs());
        assert_eq!(drawn(Chunk::targets, case.horizon), episodes.targets());
    }
}

#[test]
fn a_network_that_says_nothing_is_right_about_every_minus_one() {
    for case in cases().filter(|case| case.batch * case.horizon > 100) {
        let mut silent = case.network();
        silent.readout.weights.fill(0.0);
        silent.readout.bias.iter_mut().flatten().for_each(|bias| *bias = 0.0);
        let mut episodes = Episodes::new(&case.task(), case.batch);
        episodes.draw(&case.task(), &Stream::new(STREAM_SEED, Purpose::TrainInputs), 5, case.horizon);
        let targets = episodes.targets();
        let negative = targets.iter().filter(|target| **target < 0.0).count() as f64 / targets.len() as f64;
        for isa in Isa::available() {
            assert_eq!(case.learner::<f32>(isa, &silent).measures.accuracy, negative, "{isa} H={}", case.hidden);
        }
        assert!((0.3..0.7).contains(&negative));
    }
}
