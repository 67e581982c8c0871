//! A network at its task while noise disturbs its state.

use crate::network::{Dynamics, Network};
use crate::numeric::Matrix;
use crate::random::{Purpose, Stream};
use crate::task::{Episodes, Task};
use serde::Serialize;

/// How a network was run to see whether it is right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Checked {
    /// Episodes, each from the zero state and random inputs.
    pub episodes: usize,
    /// Output steps of each.
    pub steps: usize,
    /// Standard deviation of the Gaussian noise that is added to every number of the state after every step.
    pub noise: f64,
    /// Share of outputs with the right sign.
    pub accuracy: f64,
}

/// Runs a network on its task with noise on its state.
pub fn check(network: &Network, task: &Task, seed: u64, episodes: usize, steps: usize, noise: f64) -> Checked {
    let (s, d) = (task.s(), task.d());
    let mut drawn = Episodes::new(task, episodes);
    drawn.draw(task, &Stream::new(seed, Purpose::ScoreInputs), 0, steps);
    let (network, stream) = (network.padded(), Stream::new(seed, Purpose::Starts));
    let mut state = Matrix::zeros(network.state_size(), episodes);
    let mut next = state.clone();
    let mut disturbance = vec![0.0; network.state_size() * episodes];
    let mut right = 0;
    for t in 0..s + steps {
        let now = |j: usize, sample: usize| f64::from(drawn.inputs()[(t * episodes + sample) * d + j]);
        let input = (t < s).then(|| Matrix::from_fn(d, episodes, now));
        network.step_into(state.as_ref(), input.as_ref().map(Matrix::as_ref), next.as_mut());
        std::mem::swap(&mut state, &mut next);
        stream.fill_normal(t as u32, 1, &mut disturbance);
        for (j, column) in disturbance.chunks(network.state_size()).enumerate() {
            state.col_as_slice_mut(j).iter_mut().zip(column).for_each(|(x, normal)| *x += noise * normal);
        }
        if t >= s {
            let (said, wanted) = (network.read(state.as_ref()), &drawn.targets()[(t - s) * episodes * d..]);
            let is_right = |j: usize, sample: usize| said[(j, sample)] * f64::from(wanted[sample * d + j]) > 0.0;
            right += (0..d * episodes).filter(|at| is_right(at % d, at / d)).count();
        }
    }
    let all = (steps * episodes * d).max(1);
    Checked { episodes, steps, noise, accuracy: right as f64 / all as f64 }
}
