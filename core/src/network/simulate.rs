//! Running a network on batches of inputs.

use super::{Dynamics, Network, Readout};
use crate::random::Stream;
use crate::score::{Tally, is_right};
use crate::task::{Episodes, Window};
use faer::{Accum, Mat, MatRef, Par, linalg::matmul::matmul};

/// The hidden states of a batch over time.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// One state x batch matrix a time step; entry t is the state after step t (from 0).
    pub states: Vec<Mat<f64>>,
}

/// The share of right signs over an output phase.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Accuracy {
    /// Steps of the output phase.
    pub horizon: usize,
    /// Share of components whose sign was right, from 0 to 1.
    pub value: f64,
}

impl Network {
    /// Runs from the zero state: inputs laid out (steps, batch, inputs), then zero input for `horizon` steps.
    pub fn run(&self, inputs: &[f32], batch: usize, horizon: usize) -> Trajectory {
        let row = batch * self.inputs();
        let input_steps = inputs.len() / row.max(1);
        let mut states = Vec::with_capacity(input_steps + horizon);
        let mut state = Mat::zeros(self.state_size(), batch);
        for t in 0..input_steps + horizon {
            let input = (t < input_steps).then(|| {
                let now = &inputs[t * row..(t + 1) * row];
                Mat::from_fn(self.inputs(), batch, |j, sample| f64::from(now[sample * self.inputs() + j]))
            });
            state = self.step_batch(state.as_ref(), input.as_ref().map(Mat::as_ref));
            states.push(state.clone());
        }
        Trajectory { states }
    }

    /// One step of a batch of states; no input means zero input.
    pub fn step_batch(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>) -> Mat<f64> {
        let mut next = Mat::zeros(self.state_size(), state.ncols());
        self.step_into(state, input, next.as_mut());
        next
    }

    /// What the network says in given states: outputs x batch.
    pub fn read(&self, state: MatRef<'_, f64>) -> Mat<f64> {
        let (units, first) = (self.hidden(), self.units().last().map_or(0, |units| units.start));
        self.readout.read(state.subrows(first, units))
    }

    /// Accuracy on a task over `horizon` output steps and `batches` batches of `batch` fresh inputs.
    pub fn accuracy(&self, task: &Window, stream: &Stream, batches: u32, batch: usize, horizon: usize) -> Accuracy {
        let mut episodes = Episodes::new(task, batch);
        let mut tally = Tally::new(task.d());
        for index in 0..batches {
            episodes.draw(task, stream, index, horizon);
            let trajectory = self.run(episodes.inputs(), batch, horizon);
            for (t, target) in episodes.targets().chunks(batch * task.d()).enumerate() {
                tally.add_step(&self.read(trajectory.states[task.s() + t].as_ref()), target, is_right);
            }
        }
        Accuracy { horizon, value: tally.share() }
    }
}

impl Readout {
    /// The outputs for a batch of units: outputs x batch.
    pub fn read(&self, units: MatRef<'_, f64>) -> Mat<f64> {
        let bias = |output: usize| self.bias.as_ref().map_or(0.0, |bias| bias[output]);
        let mut produced = Mat::from_fn(self.weights.nrows(), units.ncols(), |output, _| bias(output));
        matmul(produced.as_mut(), Accum::Add, self.weights.as_ref(), units, 1.0, Par::Seq);
        produced
    }
}
