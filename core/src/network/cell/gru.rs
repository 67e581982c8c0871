//! PyTorch's gated recurrent units, gates in the order r, z, n:
//! `r = sigmoid(W_ir u + b_ir + W_hr h + b_hr)`, `z` likewise, `n = tanh(W_in u + b_in + r (W_hn h + b_hn))`,
//! `h' = (1 - z) n + z h`.

use super::gates::{self, Biases, input_sums, sigmoid_in_place, sigmoid_slope, sums};
use super::{About, Family, Layer, Parameter, ParameterMut, gate};
use crate::network::dynamics::{Jacobians, column};
use crate::network::initialize::Draw;
use crate::network::{Activation, Architecture, Plain};
use crate::numeric::tanh_in_place;
use faer::{Mat, MatMut, MatRef};

/// A layer of gated recurrent units.
#[derive(Clone, Debug, PartialEq)]
pub struct Gru {
    /// 3H x inputs.
    pub input_weights: Mat<f64>,
    /// 3H x H.
    pub recurrent_weights: Mat<f64>,
    /// Biases of the three gates, if it has them.
    pub biases: Option<Biases>,
}

/// The gates of a batch: r, z and n under one another, and the recurrent part of n before r scales it.
struct Gates {
    values: Mat<f64>,
    kept_back: Mat<f64>,
}

impl Gru {
    pub(super) const ABOUT: About = About {
        name: "gru",
        explained: "gru",
        title: "GRU",
        layer: "GRU",
        noun: "GRU",
        whole_state: None,
        gates: &[gate("r", "reset"), gate("z", "update"), gate("n", "candidate")],
        family: Family::Gated,
        usually_biased: true,
        usual_activation: Activation::Tanh,
        written: Ok(Plain::Gru),
        settings: &[],
    };

    /// Gates: r, z, n.
    pub const GATES: usize = 3;

    /// What lets a new state through: the reset open, the update gate closed.
    const OPENS: [f64; Self::GATES] = [1.0, -1.0, 0.0];

    pub(super) fn random(of: &Architecture, inputs: usize, draw: &Draw<'_>) -> Self {
        let (input_weights, recurrent_weights, biases) = gates::random(&Self::OPENS, of, inputs, draw);
        Self { input_weights, recurrent_weights, biases }
    }

    fn gates(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>) -> Gates {
        let units = self.units();
        let kept_back = sums(&self.recurrent_weights, state, self.biases.as_ref().map(|b| b.recurrent.as_slice()));
        let mut values = input_sums(&self.input_weights, input, self.biases.as_ref(), state.ncols());
        for j in 0..values.ncols() {
            let (gates, candidates) = values.col_as_slice_mut(j).split_at_mut(2 * units);
            let (to_gates, to_candidates) = kept_back.col_as_slice(j).split_at(2 * units);
            gates.iter_mut().zip(to_gates).for_each(|(sum, more)| *sum += more);
            sigmoid_in_place(gates);
            let reset = gates[..units].iter().zip(to_candidates);
            candidates.iter_mut().zip(reset).for_each(|(sum, (r, more))| *sum += r * more);
            tanh_in_place(candidates);
        }
        Gates { values, kept_back }
    }
}

impl Layer for Gru {
    fn units(&self) -> usize {
        self.recurrent_weights.ncols()
    }

    fn inputs(&self) -> usize {
        self.input_weights.ncols()
    }

    fn step_into(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>, mut next: MatMut<'_, f64>) {
        let (units, gates) = (self.units(), self.gates(state, input).values);
        for j in 0..next.ncols() {
            let gates = gates.col_as_slice(j);
            for i in 0..units {
                let (z, n) = (gates[units + i], gates[2 * units + i]);
                next[(i, j)] = (1.0 - z) * n + z * state[(i, j)];
            }
        }
    }

    fn jacobians(&self, state: &[f64], input: &[f64]) -> Jacobians {
        let (units, gates) = (self.units(), self.gates(column(state).as_ref(), Some(column(input).as_ref())));
        let at = |gate: usize, i: usize| gates.values[(gate * units + i, 0)];
        let candidate = |i: usize| gates.kept_back[(2 * units + i, 0)];
        // What a change of each gate's sum does to h', for the n gate apart from what r lets through.
        let by = |i: usize| {
            let (r, z, n) = (at(0, i), at(1, i), at(2, i));
            let to_n = (1.0 - z) * (1.0 - n * n);
            (to_n * candidate(i) * sigmoid_slope(r), (state[i] - n) * sigmoid_slope(z), to_n, r)
        };
        let by: Vec<_> = (0..units).map(by).collect();
        let through = |weights: &Mat<f64>, reset: bool| {
            Mat::from_fn(units, weights.ncols(), |i, j| {
                let (to_r, to_z, to_n, r) = by[i];
                let to_n = if reset { to_n * r } else { to_n };
                to_r * weights[(i, j)] + to_z * weights[(units + i, j)] + to_n * weights[(2 * units + i, j)]
            })
        };
        let mut jacobian = through(&self.recurrent_weights, true);
        (0..units).for_each(|i| jacobian[(i, i)] += at(1, i));
        Jacobians { state: jacobian, input: through(&self.input_weights, false) }
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
