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

/// A batch of states on its way: on inputs, then in silence. Whoever runs it takes one step after the other and looks at what
/// there is to see; two buffers take turns, so that a step allocates no state.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    network: &'a Network,
    /// Inputs that are still to come, (steps, batch, inputs).
    inputs: &'a [f32],
    /// Steps of silence that are still to come.
    silence: usize,
    taken: usize,
    input: Option<Mat<f64>>,
    state: Mat<f64>,
    before: Mat<f64>,
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
    /// A run from the zero state: on inputs laid out (steps, batch, inputs), then so many steps in silence.
    pub fn begin<'a>(&'a self, inputs: &'a [f32], batch: usize, silence: usize) -> Run<'a> {
        self.begin_at(Mat::zeros(self.state_size(), batch), inputs, silence)
    }

    /// The same from given states, a column each.
    pub fn begin_at<'a>(&'a self, states: Mat<f64>, inputs: &'a [f32], silence: usize) -> Run<'a> {
        let before = Mat::zeros(states.nrows(), states.ncols());
        Run { network: self, inputs, silence, taken: 0, input: None, state: states, before }
    }

    /// Runs from the zero state: inputs laid out (steps, batch, inputs), then zero input for `horizon` steps.
    pub fn run(&self, inputs: &[f32], batch: usize, horizon: usize) -> Trajectory {
        let (mut run, mut states) = (self.begin(inputs, batch, horizon), vec![]);
        while run.step().is_some() {
            states.push(run.state().clone());
        }
        Trajectory { states }
    }

    /// What the network says in given states, and after each of so many steps in silence.
    pub fn says_on(&self, states: Mat<f64>, steps: usize) -> impl Iterator<Item = Mat<f64>> {
        let run = self.begin_at(states, &[], steps);
        std::iter::once(run.said()).chain(run.answers())
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
        let (mut episodes, mut tally) = (Episodes::new(task, batch), Tally::new(task.d()));
        for index in 0..batches {
            episodes.draw(task, stream, index, horizon);
            let answers = self.begin(episodes.inputs(), batch, horizon).answers();
            let wanted = episodes.targets().chunks((batch * task.d()).max(1));
            answers.zip(wanted).for_each(|(said, wanted)| tally.add_step(&said, wanted, is_right));
        }
        Accuracy { horizon, value: tally.share() }
    }
}

impl<'a> Run<'a> {
    /// Takes the next step and gives its number, from 0; nothing where the run is over.
    pub fn step(&mut self) -> Option<usize> {
        let (inputs, batch) = (self.network.inputs(), self.state.ncols());
        let input = match self.inputs.split_at_checked((inputs * batch).max(1)) {
            Some((now, rest)) => {
                self.inputs = rest;
                Some(Mat::from_fn(inputs, batch, |j, sample| f64::from(now[sample * inputs + j])))
            }
            None => {
                self.silence = self.silence.checked_sub(1)?;
                None
            }
        };
        self.step_on(input);
        Some(self.taken - 1)
    }

    /// Takes a step on an input of its own (inputs x batch); without one, in silence.
    pub fn step_on(&mut self, input: Option<Mat<f64>>) {
        self.network.step_into(self.state.as_ref(), input.as_ref().map(Mat::as_ref), self.before.as_mut());
        std::mem::swap(&mut self.state, &mut self.before);
        (self.input, self.taken) = (input, self.taken + 1);
    }

    /// The states, one column each.
    pub fn state(&self) -> &Mat<f64> {
        &self.state
    }

    /// The same, to be disturbed: the run goes on from what is made of them.
    pub fn state_mut(&mut self) -> &mut Mat<f64> {
        &mut self.state
    }

    /// The states before the last step.
    pub fn before(&self) -> &Mat<f64> {
        &self.before
    }

    /// The input of the last step; nothing where there was silence.
    pub fn input(&self) -> Option<&Mat<f64>> {
        self.input.as_ref()
    }

    /// What the network says in these states.
    pub fn said(&self) -> Mat<f64> {
        self.network.read(self.state.as_ref())
    }

    /// Runs on to the end, and gives what the network says after each step in silence.
    pub fn answers(mut self) -> impl Iterator<Item = Mat<f64>> + use<'a> {
        std::iter::from_fn(move || {
            self.step()?;
            while self.input.is_some() {
                self.step()?;
            }
            Some(self.said())
        })
    }

    /// Runs on to the end, and gives the states there.
    pub fn end(mut self) -> Mat<f64> {
        while self.step().is_some() {}
        self.state
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Architecture, Initialization};
    use crate::random::Purpose;

    #[test]
    fn a_run_goes_on_where_another_ended_and_shows_what_each_step_was_given() {
        let network = Initialization::Uniform.network(&Architecture::elman(7, Activation::Tanh, true), 3, 2, 4);
        let inputs: Vec<f32> = (0..5 * 4 * 3).map(|k| if k % 7 < 3 { 1.0 } else { -1.0 }).collect();
        let whole = network.run(&inputs, 4, 6).states;
        let (first, rest) = inputs.split_at(2 * 4 * 3);
        let mut run = network.begin_at(network.begin(first, 4, 0).end(), rest, 6);
        while let Some(t) = run.step() {
            assert_eq!((run.state(), run.before()), (&whole[t + 2], &whole[t + 1]));
            assert_eq!(run.input().map(|input| input[(2, 1)]), rest.get(t * 12 + 5).map(|u| f64::from(*u)), "{t}");
            let stepped = network.step_batch(run.before().as_ref(), run.input().map(Mat::as_ref));
            assert_eq!((&stepped, run.said()), (run.state(), network.read(run.state().as_ref())));
        }
        let answers: Vec<Mat<f64>> = network.begin(&inputs, 4, 6).answers().collect();
        assert_eq!(answers, whole[5..].iter().map(|state| network.read(state.as_ref())).collect::<Vec<_>>());
        let on: Vec<Mat<f64>> = network.says_on(whole[4].clone(), 6).collect();
        assert_eq!((on.len(), &on[0], &on[1..]), (7, &network.read(whole[4].as_ref()), &answers[..]));
        run.state_mut().fill(0.0);
        run.step_on(None);
        assert_eq!((run.step(), run.state()), (None, &network.begin(&[], 4, 1).end()));
    }

    #[test]
    fn accuracy_is_the_share_of_right_signs() {
        let task = Window::named("repeat-copy", Some(2), Some(2)).unwrap();
        let circuit = crate::circuit::AnalyticNetwork::of(
            &task,
            crate::circuit::Basis::orthonormal(6, 4, &Stream::new(1, Purpose::Matrices), 0).unwrap(),
        );
        let mut network = circuit.unwrap().network;
        let accuracy = |network: &Network| network.accuracy(&task, &Stream::new(1, Purpose::TestInputs), 3, 8, 10);
        assert_eq!(accuracy(&network), Accuracy { horizon: 10, value: 1.0 });
        network.readout.weights *= faer::Scale(-1.0);
        assert_eq!(accuracy(&network).value, 0.0);
    }
}
