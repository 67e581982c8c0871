//! `h' = act(W_ih u + b_ih + W_hh h + b_hh)`.

use super::gates::{self, Biases};
use super::{About, Family, Layer, Parameter, ParameterMut};
use crate::network::dynamics::Jacobians;
use crate::network::initialize::Draw;
use crate::network::{Activation, Architecture, Plain};
use faer::prelude::ReborrowMut as _;
use faer::{Accum, Mat, MatMut, MatRef, Par, linalg::matmul::matmul};

/// A plain layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Elman {
    /// The nonlinearity.
    pub activation: Activation,
    /// H x inputs.
    #[doc(alias = "W_uh")]
    pub input_weights: Mat<f64>,
    /// H x H.
    #[doc(alias = "W_hh")]
    pub recurrent_weights: Mat<f64>,
    /// Biases, if it has them; only their sum acts, but both are trained.
    pub biases: Option<Biases>,
}

impl Elman {
    pub(super) const ABOUT: About = About {
        name: "elman",
        explained: "elman",
        title: "Elman",
        layer: "Elman",
        noun: "network",
        whole_state: None,
        gates: &[],
        family: Family::Plain,
        usually_biased: false,
        usual_activation: Activation::Tanh,
        written: Ok(Plain::Elman(Activation::Tanh)),
        settings: &[],
    };

    pub(super) fn random(of: &Architecture, inputs: usize, draw: &Draw<'_>) -> Self {
        let (input_weights, recurrent_weights, biases) = gates::random(&[0.0], of, inputs, draw);
        Self { activation: of.activation, input_weights, recurrent_weights, biases }
    }

    /// The bias that acts on each unit: the sum of both vectors, zero without them.
    pub fn total_bias(&self) -> Vec<f64> {
        match &self.biases {
            Some(biases) => biases.input.iter().zip(&biases.recurrent).map(|(a, b)| a + b).collect(),
            None => vec![0.0; self.units()],
        }
    }
}

impl Layer for Elman {
    fn units(&self) -> usize {
        self.recurrent_weights.nrows()
    }

    fn inputs(&self) -> usize {
        self.input_weights.ncols()
    }

    fn step_into(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>, mut next: MatMut<'_, f64>) {
        matmul(next.rb_mut(), Accum::Replace, self.recurrent_weights.as_ref(), state, 1.0, Par::Seq);
        if let Some(input) = input {
            matmul(next.rb_mut(), Accum::Add, self.input_weights.as_ref(), input, 1.0, Par::Seq);
        }
        let bias = self.biases.is_some().then(|| self.total_bias());
        for j in 0..next.ncols() {
            let Some(column) = next.rb_mut().col_mut(j).try_as_col_major_mut() else { continue };
            let column = column.as_slice_mut();
            if let Some(bias) = &bias {
                column.iter_mut().zip(bias).for_each(|(x, bias)| *x += bias);
            }
            self.activation.apply_in_place(column);
        }
    }

    fn jacobians(&self, state: &[f64], input: &[f64]) -> Jacobians {
        let next = super::super::dynamics::one_step(self, state, input);
        let slope: Vec<f64> = next.iter().map(|&value| self.activation.slope_at_value(value)).collect();
        let scaled = |m: &Mat<f64>| Mat::from_fn(m.nrows(), m.ncols(), |i, j| slope[i] * m[(i, j)]);
        Jacobians { state: scaled(&self.recurrent_weights), input: scaled(&self.input_weights) }
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        gates::parameters(&self.input_weights, &self.recurrent_weights, self.biases.as_ref())
    }

    fn parameters_mut(&mut self) -> Vec<(&'static str, ParameterMut<'_>)> {
        gates::parameters_mut(&mut self.input_weights, &mut self.recurrent_weights, self.biases.as_mut())
    }

    fn shapes(&self) -> Vec<Vec<usize>> {
        gates::shapes(1, &self.input_weights, &self.recurrent_weights, self.biases.is_some())
    }

    fn activation(&self) -> Option<Activation> {
        Some(self.activation)
    }

    fn biases_mut(&mut self) -> Option<&mut Option<Biases>> {
        Some(&mut self.biases)
    }

    fn is_odd(&self) -> bool {
        self.biases.is_none() && self.activation.is_odd()
    }
}
