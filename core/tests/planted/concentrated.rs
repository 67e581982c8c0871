//! Networks and recordings with an error in one place.

use super::{analog_step, saturating};
use ketbra::circuit::operator;
use ketbra::network::{Activation, Biases, Network};
use ketbra::numeric::{Matrix, draw};
use ketbra::observe::Trajectories;
use ketbra::random::{Purpose, Stream};
use ketbra::task::{Episodes, Window};

/// A register of which some directions, each a mixture of many contents, fade by `modulus` a step.
pub fn fading(task: &Window, directions: usize, modulus: f64, seed: u64) -> Network {
    let (s, d) = (task.s(), task.d());
    // What is the same in every variable is an eigenvector of repeat copy.
    let drawn = draw::orthonormal(d, directions, &Stream::new(seed, Purpose::Matrices), 0);
    let mixed = Matrix::from_fn(s * d, directions, |slot, k| drawn[(slot % d, k)] / (s as f64).sqrt());
    let phi = operator(task).unwrap();
    let step = &phi - &phi * &mixed * mixed.transpose() * faer::Scale(1.0 - modulus);
    analog_step(task, &step, task.width() + 16, Activation::Identity)
}

/// What a network did, with something done to its outputs.
pub fn recorded(network: &Network, task: &Window, wrong: impl Fn(usize, usize, usize, f64) -> f64) -> Trajectories {
    const EPISODES: usize = 256;
    const STEPS: usize = 200;
    let (s, d) = (task.s(), task.d());
    let mut drawn = Episodes::new(task, EPISODES);
    drawn.draw(task, &Stream::new(5, Purpose::ProbeInputs), 9, 0);
    let inputs = drawn.inputs().to_vec();
    let states = network.run(&inputs, EPISODES, STEPS).states.split_off(s);
    let said = network.begin(&inputs, EPISODES, STEPS).answers().enumerate();
    let outputs = said.map(|(t, said)| Matrix::from_fn(d, EPISODES, |j, e| wrong(t, e, j, said[(j, e)]))).collect();
    Trajectories { inputs: Some(inputs), states, outputs }
}

/// A register with three further units: one sees a certain window, wherever it has turned to; one stays on from then on and pushes
/// an output down; and one is always on after the first step, as a bias that the zero state does not feel.
pub fn latching(task: &Window, window: &[f64]) -> Network {
    let mut network = saturating(task.s(), task.d(), &task.linear().unwrap());
    let (hidden, size, d) = (network.hidden(), task.width(), task.d());
    let plain = network.as_elman().unwrap().clone();
    let [sees, stays, on] = [hidden, hidden + 1, hidden + 2];
    let more = hidden + 3;
    let mut recurrent = Matrix::zeros(more, more);
    recurrent.subrows_mut(0, hidden).subcols_mut(0, hidden).copy_from(&plain.recurrent_weights);
    let readers = unit_signs(&network, task);
    for (k, u) in window.iter().enumerate() {
        recurrent[(sees, k)] = 8.0 * u * readers[k];
    }
    for (from, weight) in [(sees, 6.0), (stays, 6.0), (on, 8.0)] {
        recurrent[(stays, from)] = weight;
    }
    let mut biases = vec![0.0; more];
    (biases[sees], biases[stays], biases[on]) = (-8.0 * (size as f64 - 1.0), -5.0, 8.0);
    let input = Matrix::from_fn(more, d, |i, j| if i < hidden { plain.input_weights[(i, j)] } else { 0.0 });
    let cell = network.as_elman_mut().unwrap();
    (cell.recurrent_weights, cell.input_weights) = (recurrent, input);
    cell.biases = Some(Biases { input: biases, recurrent: vec![0.0; more] });
    let readout = network.readout.weights.clone();
    network.readout.weights = Matrix::from_fn(d, more, |j, i| match i {
        i if i < hidden => readout[(j, i)],
        i if i == stays && j == 0 => -2.0,
        _ => 0.0,
    });
    network.readout.bias = Some((0..d).map(|j| if j == 0 { -2.0 } else { 0.0 }).collect());
    network
}

/// The sign in which the first unit of every window component holds it: what it is after the component was shown as +1.
fn unit_signs(network: &Network, task: &Window) -> Vec<f64> {
    let (s, d) = (task.s(), task.d());
    let state = network.begin(&vec![1.0; s * d], 1, 0).end();
    (0..task.width()).map(|k| state[(k, 0)].signum()).collect()
}
