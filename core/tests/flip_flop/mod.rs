//! A 3-bit flip-flop, trained here: each output remembers the sign of the last pulse on its input.
//!
//! The task of Sussillo and Barak (2013), small: backpropagation through time and Adam on an Elman network.

#![allow(clippy::panic, clippy::expect_used)]

use ketbra::network::{Activation, Architecture, Biases, Elman, Initialization, Network};
use ketbra::numeric::Matrix;
use ketbra::random::{Purpose, Stream};

pub const BITS: usize = 3;
const HIDDEN: usize = 24;
const STEPS: usize = 40;
const BATCH: usize = 32;
const UPDATES: u32 = 1500;
/// How often an input has a pulse.
const PULSES: f64 = 0.15;

/// A network that has learned the task, and its mean squared error at the end.
pub fn trained(seed: u64) -> (Network, f64) {
    let mut network =
        Initialization::Uniform.network(&Architecture::elman(HIDDEN, Activation::Tanh, true), BITS, BITS, seed);
    let mut adam = Adam::default();
    let mut error = f64::INFINITY;
    for update in 0..UPDATES {
        let rate = if update < UPDATES / 2 { 3e-3 } else { 1e-3 };
        let episodes = Episodes::draw(seed, update);
        let gradient;
        (gradient, error) = gradient_of(&network, &episodes);
        adam.update(&mut network, gradient, rate);
    }
    (network, error)
}

/// Pulses and what is to be remembered, a matrix (bit x episode) a step.
pub struct Episodes {
    pub inputs: Vec<Matrix>,
    pub targets: Vec<Matrix>,
}

impl Episodes {
    pub fn draw(seed: u64, batch: u32) -> Self {
        let stream = Stream::new(seed, Purpose::TrainInputs);
        let (mut inputs, mut targets) = (vec![], vec![]);
        let mut memory = Matrix::zeros(BITS, BATCH);
        for t in 0..STEPS {
            let mut draws = vec![0.0; 2 * BITS * BATCH];
            stream.fill_uniform(batch, t as u32, &mut draws);
            let pulse = |bit: usize, episode: usize| {
                let at = 2 * (episode * BITS + bit);
                // Every memory is set once at the beginning.
                let is_there = t == 0 || draws[at] < PULSES;
                if is_there { (draws[at + 1] - 0.5).signum() } else { 0.0 }
            };
            let input = Matrix::from_fn(BITS, BATCH, pulse);
            memory =
                Matrix::from_fn(BITS, BATCH, |i, j| if input[(i, j)] == 0.0 { memory[(i, j)] } else { input[(i, j)] });
            inputs.push(input);
            targets.push(memory.clone());
        }
        Self { inputs, targets }
    }
}

/// The share of outputs with the right sign, over fresh episodes.
pub fn accuracy(network: &Network, seed: u64) -> f64 {
    let episodes = Episodes::draw(seed, u32::MAX);
    let mut state = Matrix::zeros(network.state_size(), BATCH);
    let (mut right, mut all) = (0, 0);
    for (input, target) in episodes.inputs.iter().zip(&episodes.targets) {
        state = network.step_batch(state.as_ref(), Some(input.as_ref()));
        let said = network.readout.read(state.as_ref());
        for j in 0..BATCH {
            for i in 0..BITS {
                right += usize::from(said[(i, j)] * target[(i, j)] > 0.0);
                all += 1;
            }
        }
    }
    right as f64 / all as f64
}

/// Input weights, recurrent weights, bias, readout weights.
type Gradient = [Matrix; 4];

fn parts(network: &mut Network) -> (&mut Elman, &mut Matrix) {
    let ketbra::network::Cell::Elman(cell) = &mut network.layers[0] else { panic!("an Elman cell") };
    (cell, &mut network.readout.weights)
}

fn gradient_of(network: &Network, episodes: &Episodes) -> (Gradient, f64) {
    let cell = network.as_elman().expect("an Elman cell");
    let mut states = vec![Matrix::zeros(HIDDEN, BATCH)];
    for input in &episodes.inputs {
        let state = network.step_batch(states[states.len() - 1].as_ref(), Some(input.as_ref()));
        states.push(state);
    }
    let readout = &network.readout.weights;
    let mut sums: Gradient = [(HIDDEN, BITS), (HIDDEN, HIDDEN), (HIDDEN, 1), (BITS, HIDDEN)]
        .map(|(rows, columns)| Matrix::zeros(rows, columns));
    let (mut error, mut back) = (0.0, Matrix::zeros(HIDDEN, BATCH));
    let scale = 1.0 / (STEPS * BATCH * BITS) as f64;
    for t in (0..STEPS).rev() {
        let state = &states[t + 1];
        let missed = network.readout.read(state.as_ref()) - &episodes.targets[t];
        error += scale * missed.squared_norm_l2();
        let missed = &missed * faer::Scale(2.0 * scale);
        sums[3] += &missed * state.transpose();
        back += readout.transpose() * &missed;
        let slope = Matrix::from_fn(HIDDEN, BATCH, |i, j| back[(i, j)] * (1.0 - state[(i, j)] * state[(i, j)]));
        sums[0] += &slope * episodes.inputs[t].transpose();
        sums[1] += &slope * states[t].transpose();
        sums[2] += &slope * Matrix::from_fn(BATCH, 1, |_, _| 1.0);
        back = cell.recurrent_weights.transpose() * &slope;
    }
    (sums, error)
}

#[derive(Default)]
struct Adam {
    moments: Vec<(Matrix, Matrix)>,
    updates: i32,
}

impl Adam {
    fn update(&mut self, network: &mut Network, gradient: Gradient, rate: f64) {
        self.updates += 1;
        let length = gradient.iter().map(|part| part.squared_norm_l2()).sum::<f64>().sqrt();
        let clip = 1.0f64.min(1.0 / length);
        let (cell, readout) = parts(network);
        let biases =
            cell.biases.get_or_insert_with(|| Biases { input: vec![0.0; HIDDEN], recurrent: vec![0.0; HIDDEN] });
        let mut bias = Matrix::from_fn(HIDDEN, 1, |i, _| biases.input[i]);
        if self.moments.is_empty() {
            let zeros =
                |part: &Matrix| (Matrix::zeros(part.nrows(), part.ncols()), Matrix::zeros(part.nrows(), part.ncols()));
            self.moments = gradient.iter().map(zeros).collect();
        }
        let [first, second] = [0.9f64, 0.999].map(|decay| 1.0 - decay.powi(self.updates));
        let all = [&mut cell.input_weights, &mut cell.recurrent_weights, &mut bias, readout];
        for ((weights, gradient), (mean, square)) in all.into_iter().zip(&gradient).zip(&mut self.moments) {
            for j in 0..weights.ncols() {
                for i in 0..weights.nrows() {
                    let slope = clip * gradient[(i, j)];
                    mean[(i, j)] += 0.1 * (slope - mean[(i, j)]);
                    square[(i, j)] += 0.001 * (slope * slope - square[(i, j)]);
                    weights[(i, j)] -= rate * (mean[(i, j)] / first) / ((square[(i, j)] / second).sqrt() + 1e-8);
                }
            }
        }
        biases.input = (0..HIDDEN).map(|i| bias[(i, 0)]).collect();
    }
}
