//! What cells with gates under one another share: the sums that go into the gates.

use super::{Cell, Elman, Gru, Lstm, Parameter, ParameterMut};
use crate::network::initialize::{Draw, Place};
use crate::network::layers::{LayerTensors, Names, RECURRENT, Read};
use crate::network::{Activation, Architecture, NetworkError};
use crate::numeric::tanh_in_place;
use faer::{Accum, Mat, MatRef, Par, linalg::matmul::matmul};

const INPUT: Names = ["weight_ih", "W_uh"];
const RECURRENT_BIAS: Names = ["bias_hh", "b_hh"];
const INPUT_BIAS: Names = ["bias_ih", "b"];

/// The two bias vectors that PyTorch gives a layer, each as long as the rows of its weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Biases {
    /// `bias_ih`.
    pub input: Vec<f64>,
    /// `bias_hh`.
    pub recurrent: Vec<f64>,
}

/// The weights of a layer, gates under one another, drawn as PyTorch draws them; `opens` is the sign of what opens each gate, zero
/// for the candidate.
pub(super) fn random(
    opens: &[f64],
    of: &Architecture,
    inputs: usize,
    draw: &Draw<'_>,
) -> (Mat<f64>, Mat<f64>, Option<Biases>) {
    let rows = opens.len() * of.hidden;
    let mut biases = of.bias.then(|| Biases {
        input: draw.vector(Place::InputBias, rows),
        recurrent: draw.vector(Place::RecurrentBias, rows),
    });
    let mut recurrent = draw.matrix(Place::Recurrent, rows, of.hidden);
    draw.open(opens, &mut recurrent, biases.as_mut().map(|biases| &mut biases.input));
    (draw.matrix(Place::Input, rows, inputs), recurrent, biases)
}

/// A plain or gated layer among named tensors: rows for each column tell which.
pub(super) fn read<'a>(from: &LayerTensors<'a>, activation: Activation) -> Result<Read<'a>, NetworkError> {
    let recurrent = from.find(&RECURRENT)?;
    let recurrent_weights = from.matrix(recurrent)?;
    let input = from.find(&INPUT)?;
    let input_weights = from.matrix(input)?;
    let (rows, units) = (recurrent_weights.nrows(), recurrent_weights.ncols());
    let (input_bias, recurrent_bias) = (from.maybe(&INPUT_BIAS)?, from.maybe(&RECURRENT_BIAS)?);
    // PyTorch's layers have both vectors or none. A plain layer acts by their sum, so that one may stand for both.
    let only_one = input_bias.is_some() != recurrent_bias.is_some();
    if only_one && (rows != units || from.is_one_of_several()) {
        return Err(from.missing(if input_bias.is_some() { RECURRENT_BIAS[0] } else { INPUT_BIAS[0] }));
    }
    let or_zero = |name: Option<&str>| name.map_or_else(|| vec![0.0; rows], |name| from.values(name));
    let biases = (input_bias.is_some() || recurrent_bias.is_some())
        .then(|| Biases { input: or_zero(input_bias), recurrent: or_zero(recurrent_bias) });
    let used = [Some(recurrent), Some(input), input_bias, recurrent_bias].into_iter().flatten().collect();
    let cell = match rows {
        _ if rows == units => Cell::Elman(Elman { activation, input_weights, recurrent_weights, biases }),
        _ if rows == Gru::GATES * units => Cell::Gru(Gru { input_weights, recurrent_weights, biases }),
        _ if rows == Lstm::GATES * units => Cell::Lstm(Lstm { input_weights, recurrent_weights, biases }),
        _ => return Err(NetworkError::Gates { name: recurrent.into(), found: vec![rows, units] }),
    };
    Ok((cell, used))
}

/// `weights * of + bias` for a batch.
pub(super) fn sums(weights: &Mat<f64>, of: MatRef<'_, f64>, bias: Option<&[f64]>) -> Mat<f64> {
    let mut sums = Mat::zeros(weights.nrows(), of.ncols());
    matmul(sums.as_mut(), Accum::Replace, weights.as_ref(), of, 1.0, Par::Seq);
    if let Some(bias) = bias {
        for j in 0..sums.ncols() {
            sums.col_as_slice_mut(j).iter_mut().zip(bias).for_each(|(sum, bias)| *sum += bias);
        }
    }
    sums
}

/// What the input adds to the gates of a batch; the bias alone where there is no input.
pub(super) fn input_sums(
    weights: &Mat<f64>,
    input: Option<MatRef<'_, f64>>,
    biases: Option<&Biases>,
    batch: usize,
) -> Mat<f64> {
    let bias = biases.map(|biases| biases.input.as_slice());
    match input {
        Some(input) => sums(weights, input, bias),
        None => Mat::from_fn(weights.nrows(), batch, |i, _| bias.map_or(0.0, |bias| bias[i])),
    }
}

/// The logistic function of many numbers.
pub(super) fn sigmoid_in_place(values: &mut [f64]) {
    values.iter_mut().for_each(|x| *x *= 0.5);
    tanh_in_place(values);
    values.iter_mut().for_each(|x| *x = 0.5 + 0.5 * *x);
}

/// The slope of the logistic function where it has this value.
pub(super) fn sigmoid_slope(value: f64) -> f64 {
    value * (1.0 - value)
}

/// Parameters under PyTorch's names.
pub(super) fn parameters<'a>(
    input: &'a Mat<f64>,
    recurrent: &'a Mat<f64>,
    biases: Option<&'a Biases>,
) -> Vec<(&'static str, Parameter<'a>)> {
    let mut all = vec![("weight_ih", Parameter::Matrix(input)), ("weight_hh", Parameter::Matrix(recurrent))];
    if let Some(Biases { input, recurrent }) = biases {
        all.extend([("bias_ih", Parameter::Vector(input)), ("bias_hh", Parameter::Vector(recurrent))]);
    }
    all
}

/// The same, to be changed.
pub(super) fn parameters_mut<'a>(
    input: &'a mut Mat<f64>,
    recurrent: &'a mut Mat<f64>,
    biases: Option<&'a mut Biases>,
) -> Vec<(&'static str, ParameterMut<'a>)> {
    let mut all = vec![("weight_ih", ParameterMut::Matrix(input)), ("weight_hh", ParameterMut::Matrix(recurrent))];
    if let Some(Biases { input, recurrent }) = biases {
        all.extend([("bias_ih", ParameterMut::Vector(input)), ("bias_hh", ParameterMut::Vector(recurrent))]);
    }
    all
}

/// The shapes of those for so many gates of as many units as the recurrent weights have columns.
pub(super) fn shapes(gates: usize, input: &Mat<f64>, recurrent: &Mat<f64>, biases: bool) -> Vec<Vec<usize>> {
    let (units, rows) = (recurrent.ncols(), gates * recurrent.ncols());
    let mut all = vec![vec![rows, input.ncols()], vec![rows, units]];
    if biases {
        all.extend([vec![rows], vec![rows]]);
    }
    all
}
