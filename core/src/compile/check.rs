//! A network at its task while noise disturbs its state.

use crate::network::Network;
use crate::numeric::Matrix;
use crate::random::{Purpose, Stream};
use crate::score::{Tally, agree};
use crate::task::{Episodes, Slot, Window};
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
pub fn check(network: &Network, task: &Window, seed: u64, episodes: usize, steps: usize, noise: f64) -> Checked {
    let mut tally = Tally::new(task.d());
    run(network, task, seed, (episodes, steps, noise), |t, state, drawn| {
        if t < task.s() {
            return true;
        }
        let wanted = &drawn.targets()[(t - task.s()) * episodes * task.d()..];
        tally.add_step(&network.read(state.as_ref()), wanted, agree);
        true
    });
    Checked { episodes, steps, noise, accuracy: tally.share() }
}

/// Something that is read from the units: a weighted sum of contents, and on which side of a threshold it is.
pub(super) struct Reading {
    pub(super) of: Vec<(Slot, f64)>,
    pub(super) threshold: f64,
    pub(super) half_gap: f64,
    /// How it is read.
    pub(super) reader: Vec<f64>,
}

/// Whether no reading comes nearer to its threshold than `limit`, from the end of the inputs on: 1 is as it should be, below 0 it
/// is wrong.
pub(super) fn keeps_clear(
    network: &Network,
    task: &Window,
    readings: &[Reading],
    seed: u64,
    (episodes, steps, noise): (usize, usize, f64),
    limit: f64,
) -> bool {
    let (s, d, mut nearest) = (task.s(), task.d(), f64::INFINITY);
    let readers = Matrix::from_fn(readings.len(), network.hidden(), |k, i| readings[k].reader[i]);
    run(network, task, seed, (episodes, steps, noise), |t, state, drawn| {
        if t + 1 < s {
            return true;
        }
        let (read, window) = (&readers * state.subrows(0, network.hidden()), drawn.contents(t));
        for (k, Reading { of, threshold, half_gap, .. }) in readings.iter().enumerate() {
            for sample in 0..episodes {
                let held = |slot: &Slot| f64::from(window[((s - slot.lag) * episodes + sample) * d + slot.component]);
                let meant = of.iter().map(|(slot, weight)| weight * held(slot)).sum::<f64>() - threshold;
                nearest = nearest.min((read[(k, sample)] - threshold) * meant.signum() / half_gap);
            }
        }
        nearest >= limit
    });
    nearest >= limit
}

/// Runs episodes from the zero state and shows every state, noise included, until whoever looks has seen enough.
fn run(
    network: &Network,
    task: &Window,
    seed: u64,
    (episodes, steps, noise): (usize, usize, f64),
    mut see: impl FnMut(usize, &Matrix, &Episodes) -> bool,
) {
    let mut drawn = Episodes::new(task, episodes);
    drawn.draw(task, &Stream::new(seed, Purpose::ScoreInputs), 0, steps);
    let (network, stream) = (network.padded(), Stream::new(seed, Purpose::Starts));
    let mut disturbance = vec![0.0; network.state_size() * episodes];
    let mut run = network.begin(drawn.inputs(), episodes, steps);
    while let Some(t) = run.step() {
        stream.fill_normal(t as u32, 1, &mut disturbance);
        for (j, column) in disturbance.chunks(network.state_size()).enumerate() {
            run.state_mut().col_as_slice_mut(j).iter_mut().zip(column).for_each(|(x, normal)| *x += noise * normal);
        }
        if !see(t, run.state(), &drawn) {
            return;
        }
    }
}
