//! Episodes of a program, and the states that a network comes to in them.

use super::DrivenError;
use crate::network::Network;
use crate::numeric::Matrix;
use crate::random::Stream;
use crate::task::{Frame, Machine, Program};

/// A batch of episodes: the program's side and the network's.
pub(super) struct Episodes<'p> {
    pub(super) program: &'p Program,
    /// The machine of every episode after each step: `machines[t][e]`.
    pub(super) machines: Vec<Vec<Machine<'p>>>,
    /// Inputs as the network sees them, for each step: a column an episode.
    pub(super) inputs: Vec<Matrix>,
}

impl<'p> Episodes<'p> {
    pub(super) fn drawn(program: &'p Program, stream: &Stream, index: u32, episodes: usize, steps: usize) -> Self {
        let mut machines: Vec<Machine<'p>> = (0..episodes).map(|_| program.machine()).collect();
        for (sample, machine) in machines.iter_mut().enumerate() {
            machine.begin(stream, index, sample as u32);
        }
        let mut drawn = Self { program, machines: vec![], inputs: vec![] };
        for _ in 0..steps {
            for (sample, machine) in machines.iter_mut().enumerate() {
                machine.step_drawn(stream, index, sample as u32);
            }
            drawn.inputs.push(seen(program, machines.iter().map(Machine::frame)));
            drawn.machines.push(machines.clone());
        }
        drawn
    }

    /// The states of a network after each step, from the zero state.
    pub(super) fn states(&self, network: &Network) -> Result<Vec<Matrix>, DrivenError> {
        let network = network.padded();
        let mut run = network.begin(&[], self.count(), 0);
        let mut states = Vec::with_capacity(self.steps());
        for (t, input) in self.inputs.iter().enumerate() {
            run.step_on(Some(input.clone()));
            if !run.state().is_all_finite() {
                return Err(DrivenError::Diverged { step: t + 1 });
            }
            states.push(run.state().clone());
        }
        Ok(states)
    }

    pub(super) fn count(&self) -> usize {
        self.machines.first().map_or(0, Vec::len)
    }

    pub(super) fn steps(&self) -> usize {
        self.machines.len()
    }

    pub(super) fn frame(&self, t: usize, episode: usize) -> &Frame {
        self.machines[t][episode].frame()
    }
}

/// Inputs as a network sees them, a column an episode.
pub(super) fn seen<'f>(program: &Program, frames: impl ExactSizeIterator<Item = &'f Frame>) -> Matrix {
    let mut inputs = Matrix::zeros(program.inputs(), frames.len());
    for (episode, frame) in frames.enumerate() {
        program.write_inputs(frame, inputs.col_as_slice_mut(episode));
    }
    inputs
}
