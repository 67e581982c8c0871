//! One step of a network and its derivatives: all that analysis asks for.

use super::Network;
use super::cell::Layer;
use faer::prelude::{IntoConst as _, ReborrowMut as _};
use faer::{Mat, MatMut, MatRef};

/// What steps from state to state: a network of ours, or anything else that can be asked in this way.
///
/// State in, state out; nothing is kept inside.
pub trait Dynamics {
    /// How many numbers make the state.
    fn state_size(&self) -> usize;

    /// How many numbers make the input.
    fn input_size(&self) -> usize;

    /// One step of a batch, a column each; no input means zero input.
    fn step_into(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>, next: MatMut<'_, f64>);

    /// The derivatives of a step by state and input.
    fn jacobians(&self, state: &[f64], input: &[f64]) -> Jacobians;

    /// The step of one state.
    fn step(&self, state: &[f64], input: &[f64]) -> Vec<f64> {
        let mut next = Mat::zeros(self.state_size(), 1);
        self.step_into(column(state).as_ref(), Some(column(input).as_ref()), next.as_mut());
        next.col_as_slice(0).to_vec()
    }
}

/// The derivatives of a step.
#[derive(Clone, Debug)]
pub struct Jacobians {
    /// d next / d state.
    pub state: Mat<f64>,
    /// d next / d input, a column an input.
    pub input: Mat<f64>,
}

/// Numbers as a batch of one.
pub(super) fn column(numbers: &[f64]) -> Mat<f64> {
    Mat::from_fn(numbers.len(), 1, |i, _| numbers[i])
}

/// The step of one state of a layer.
pub(super) fn one_step(layer: &dyn Layer, state: &[f64], input: &[f64]) -> Vec<f64> {
    let mut next = Mat::zeros(layer.state_size(), 1);
    layer.step_into(column(state).as_ref(), Some(column(input).as_ref()), next.as_mut());
    next.col_as_slice(0).to_vec()
}

/// Every layer's state under one another; a layer sees what the one below it hands on in the same step.
impl Dynamics for Network {
    fn state_size(&self) -> usize {
        Self::state_size(self)
    }

    fn input_size(&self) -> usize {
        self.inputs()
    }

    fn step_into(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>, next: MatMut<'_, f64>) {
        let (mut state, mut next, mut below) = (state, next, input);
        let mut layers = self.layers.iter().peekable();
        while let Some(cell) = layers.next() {
            let (mine, rest) = state.split_at_row(cell.state_size());
            let (mut now, later) = next.split_at_row_mut(cell.state_size());
            cell.layer().step_into(mine, below, now.rb_mut());
            if layers.peek().is_none() {
                return;
            }
            below = Some(now.into_const().subrows(0, cell.units()));
            (state, next) = (rest, later);
        }
    }

    fn jacobians(&self, state: &[f64], input: &[f64]) -> Jacobians {
        let size = self.state_size();
        let mut all = Jacobians { state: Mat::zeros(size, size), input: Mat::zeros(size, self.inputs()) };
        let (mut first, mut input) = (0, input.to_vec());
        // What the layer below hands on changes with every state up to its own, and with the input.
        let mut below: Option<Jacobians> = None;
        for cell in &self.layers {
            let (layer, own) = (cell.layer(), first..first + cell.state_size());
            let here = layer.jacobians(&state[own.clone()], &input);
            let rows = |m: &mut Mat<f64>, by: &Mat<f64>| m.subrows_mut(own.start, own.len()).copy_from(by);
            match &below {
                None => rows(&mut all.input, &here.input),
                Some(below) => {
                    rows(&mut all.state, &(&here.input * &below.state));
                    rows(&mut all.input, &(&here.input * &below.input));
                }
            }
            all.state.submatrix_mut(own.start, own.start, own.len(), own.len()).copy_from(&here.state);
            input = one_step(layer, &state[own.clone()], &input)[..cell.units()].to_vec();
            below = Some(Jacobians {
                state: all.state.subrows(own.start, cell.units()).to_owned(),
                input: all.input.subrows(own.start, cell.units()).to_owned(),
            });
            first = own.end;
        }
        all
    }
}
