//! Running a network on batches of inputs.

use super::Network;
use crate::numeric::zero_padded;
use crate::random::Stream;
use crate::task::{Episodes, Task};
use faer::{Accum, Mat, MatRef, Par, linalg::matmul::matmul};

/// The hidden states of a batch over time.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// One H x batch matrix a time step; entry t is the state after step t (from 0).
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
    /// The same network with zeros in the memory between the columns of its weights: worth it where it takes many steps.
    pub(crate) fn padded(&self) -> Self {
        Self {
            recurrent_weights: zero_padded(&self.recurrent_weights),
            input_weights: zero_padded(&self.input_weights),
            readout_weights: zero_padded(&self.readout_weights),
            ..self.clone()
        }
    }

    /// Runs from the zero state: inputs laid out (steps, batch, inputs), then zero input for `horizon` steps.
    pub fn run(&self, inputs: &[f32], batch: usize, horizon: usize) -> Trajectory {
        let row = batch * self.inputs();
        let input_steps = inputs.len() / row.max(1);
        let mut states = Vec::with_capacity(input_steps + horizon);
        let mut state = Mat::zeros(self.hidden(), batch);
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

    /// Runs on from given states (H x batch) with zero input.
    pub fn run_from(&self, start: MatRef<'_, f64>, steps: usize) -> Trajectory {
        let mut states: Vec<Mat<f64>> = Vec::with_capacity(steps);
        for t in 0..steps {
            let next = self.step_batch(if t == 0 { start } else { states[t - 1].as_ref() }, None);
            states.push(next);
        }
        Trajectory { states }
    }

    /// One step of a batch of states; no input means zero input.
    pub fn step_batch(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>) -> Mat<f64> {
        let mut next = Mat::zeros(self.hidden(), state.ncols());
        self.step_into(state, input, &mut next);
        next
    }

    /// The same, written over `next` (H x batch).
    pub fn step_into(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>, next: &mut Mat<f64>) {
        matmul(next.as_mut(), Accum::Replace, self.recurrent_weights.as_ref(), state, 1.0, Par::Seq);
        if let Some(input) = input {
            matmul(next.as_mut(), Accum::Add, self.input_weights.as_ref(), input, 1.0, Par::Seq);
        }
        let bias = self.biases.is_some().then(|| self.total_bias());
        for j in 0..next.ncols() {
            let column = next.col_as_slice_mut(j);
            if let Some(bias) = &bias {
                column.iter_mut().zip(bias).for_each(|(x, bias)| *x += bias);
            }
            self.activation.apply_in_place(column);
        }
    }

    /// What the network says in given states: outputs x batch.
    pub fn read(&self, state: MatRef<'_, f64>) -> Mat<f64> {
        let bias = |output: usize| self.readout_bias.as_ref().map_or(0.0, |bias| bias[output]);
        let mut said = Mat::from_fn(self.outputs(), state.ncols(), |output, _| bias(output));
        matmul(said.as_mut(), Accum::Add, self.readout_weights.as_ref(), state, 1.0, Par::Seq);
        said
    }

    /// Accuracy on a task over `horizon` output steps and `batches` batches of `batch` fresh inputs.
    pub fn accuracy(&self, task: &Task, stream: &Stream, batches: u32, batch: usize, horizon: usize) -> Accuracy {
        let mut episodes = Episodes::new(task, batch);
        let mut right = 0u64;
        for index in 0..batches {
            episodes.draw(task, stream, index, horizon);
            let trajectory = self.run(episodes.inputs(), batch, horizon);
            for (t, target) in episodes.targets().chunks(batch * task.d()).enumerate() {
                right += count_right(&self.read(trajectory.states[task.s() + t].as_ref()), target);
            }
        }
        let all = u64::from(batches) * (batch * horizon * task.d()) as u64;
        Accuracy { horizon, value: right as f64 / all.max(1) as f64 }
    }
}

fn count_right(said: &Mat<f64>, target: &[f32]) -> u64 {
    let d = said.nrows();
    let mut right = 0;
    for (sample, wanted) in target.chunks(d).enumerate() {
        right += wanted
            .iter()
            .zip(said.col(sample).iter())
            .filter(|(w, y)| **w != 0.0 && (**w > 0.0) == (**y > 0.0))
            .count();
    }
    right as u64
}
