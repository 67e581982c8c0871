//! PyTorch's long short-term memory, gates in the order i, f, g, o, state (h, c):
//! `i, f, o = sigmoid(W u + b + W h + b)`, `g = tanh(..)`, `c' = f c + i g`, `h' = o tanh(c')`.

use super::gates::{self, Biases, input_sums, sigmoid_in_place, sigmoid_slope, sums};
use super::{About, Family, Layer, Parameter, ParameterMut, PartKind, gate};
use crate::network::dynamics::{Jacobians, column};
use crate::network::initialize::Draw;
use crate::network::{Activation, Architecture, Plain};
use crate::numeric::tanh_in_place;
use faer::{Mat, MatMut, MatRef};

/// A layer of long short-term memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Lstm {
    /// 4H x inputs.
    pub input_weights: Mat<f64>,
    /// 4H x H.
    pub recurrent_weights: Mat<f64>,
    /// Biases of the four gates, if it has them.
    pub biases: Option<Biases>,
}

impl Lstm {
    pub(super) const ABOUT: About = About {
        name: "lstm",
        explained: "lstm",
        title: "LSTM",
        layer: "LSTM",
        noun: "LSTM",
        whole_state: Some("(h, tanh c)"),
        gates: &[gate("i", "input"), gate("f", "forget"), gate("g", "candidate"), gate("o", "output")],
        family: Family::Gated,
        usually_biased: true,
        usual_activation: Activation::Tanh,
        written: Ok(Plain::Lstm),
        settings: &[],
    };

    /// Gates: i, f, g, o.
    pub const GATES: usize = 4;

    /// What lets a new state through: input and output open, nothing held.
    const OPENS: [f64; Self::GATES] = [1.0, -1.0, 0.0, 1.0];

    pub(super) fn random(of: &Architecture, inputs: usize, draw: &Draw<'_>) -> Self {
        let (input_weights, recurrent_weights, biases) = gates::random(&Self::OPENS, of, inputs, draw);
        Self { input_weights, recurrent_weights, biases }
    }

    /// i, f, g and o of a batch of h, under one another.
    fn gates(&self, h: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>) -> Mat<f64> {
        let units = self.units();
        let recurrent = sums(&self.recurrent_weights, h, self.biases.as_ref().map(|b| b.recurrent.as_slice()));
        let mut gates = input_sums(&self.input_weights, input, self.biases.as_ref(), h.ncols());
        gates += recurrent;
        for j in 0..gates.ncols() {
            let (first, last) = gates.col_as_slice_mut(j).split_at_mut(2 * units);
            let (candidates, output) = last.split_at_mut(units);
            sigmoid_in_place(first);
            tanh_in_place(candidates);
            sigmoid_in_place(output);
        }
        gates
    }
}

impl Layer for Lstm {
    fn units(&self) -> usize {
        self.recurrent_weights.ncols()
    }

    fn beside_units(&self) -> Vec<(PartKind, usize)> {
        vec![(PartKind::C, self.units())]
    }

    fn inputs(&self) -> usize {
        self.input_weights.ncols()
    }

    fn step_into(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>, mut next: MatMut<'_, f64>) {
        let units = self.units();
        let gates = self.gates(state.subrows(0, units), input);
        let mut squashed = vec![0.0; units];
        for j in 0..next.ncols() {
            let gates = gates.col_as_slice(j);
            for i in 0..units {
                let cell = gates[units + i] * state[(units + i, j)] + gates[i] * gates[2 * units + i];
                next[(units + i, j)] = cell;
                squashed[i] = cell;
            }
            tanh_in_place(&mut squashed);
            for i in 0..units {
                next[(i, j)] = gates[3 * units + i] * squashed[i];
            }
        }
    }

    fn jacobians(&self, state: &[f64], input: &[f64]) -> Jacobians {
        let units = self.units();
        let gates = self.gates(column(&state[..units]).as_ref(), Some(column(input).as_ref()));
        let at = |gate: usize, i: usize| gates[(gate * units + i, 0)];
        // What a change of each gate's sum does to c' and to h'.
        let by = |i: usize| {
            let (opened, forgot, candidate, out) = (at(0, i), at(1, i), at(2, i), at(3, i));
            let cell = state[units + i];
            let squashed = (forgot * cell + opened * candidate).tanh();
            let to_cell = [
                candidate * sigmoid_slope(opened),
                cell * sigmoid_slope(forgot),
                opened * (1.0 - candidate * candidate),
            ];
            (to_cell, forgot, out * (1.0 - squashed * squashed), squashed * sigmoid_slope(out))
        };
        let by: Vec<_> = (0..units).map(by).collect();
        let cell_rows = |weights: &Mat<f64>, i: usize, j: usize| {
            (0..3).map(|gate| by[i].0[gate] * weights[(gate * units + i, j)]).sum::<f64>()
        };
        let through = |weights: &Mat<f64>| {
            Mat::from_fn(2 * units, weights.ncols(), |row, j| {
                let i = row % units;
                let to_cell = cell_rows(weights, i, j);
                if row < units { by[i].2 * to_cell + by[i].3 * weights[(3 * units + i, j)] } else { to_cell }
            })
        };
        let by_h = through(&self.recurrent_weights);
        let jacobian = Mat::from_fn(2 * units, 2 * units, |row, j| match j.checked_sub(units) {
            None => by_h[(row, j)],
            Some(cell) if cell != row % units => 0.0,
            Some(i) if row < units => by[i].2 * by[i].1,
            Some(i) => by[i].1,
        });
        Jacobians { state: jacobian, input: through(&self.input_weights) }
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        gates::parameters(&self.input_weights, &self.recurrent_weights, self.biases.as_ref())
    }

    fn parameters_mut(&mut self) -> Vec<(&'static str, ParameterMut<'_>)> {
        gates::parameters_mut(&mut self.input_weights, &mut self.recurrent_weights, self.biases.as_mut())
    }

    fn biases_mut(&mut self) -> Option<&mut Option<Biases>> {
        Some(&mut self.biases)
    }

    fn shapes(&self) -> Vec<Vec<usize>> {
        gates::shapes(Self::GATES, &self.input_weights, &self.recurrent_weights, self.biases.is_some())
    }

    /// Its gates are open for u as for -u or not: never.
    fn is_odd(&self) -> bool {
        false
    }
}
