//! Recurrent networks: a cell, a linear readout, and how they are stored.
//!
//! `h(t) = act(W_hh h(t-1) + W_uh u(t) + b)`, `y(t) = W_r h(t) + c`, `h(0) = 0`. Weights are kept in f64, which holds
//! every f32 exactly: analysis works on them directly, training rounds to f32 and back without loss.

mod cell;
mod error;
mod import;
mod initialize;
mod rest;
mod simulate;
mod store;
mod tensors;

pub use cell::Cell;
pub use error::NetworkError;
pub use import::{MAX_FILE_BYTES, MAX_UNPACKED_BYTES, MAX_VALUES};
pub use initialize::Initialization;
pub use simulate::{Accuracy, Trajectory};
pub use store::{Metadata, NetworkFile};
pub use tensors::{Tensor, Tensors};

use crate::choose::{UnknownWord, choose};
use crate::numeric::tanh_in_place;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// The most hidden units of a network, read or trained: the eigenvalues of its weights take minutes and 128 MiB a matrix.
pub const MAX_HIDDEN: usize = 4096;

/// The nonlinearity of the cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// Hyperbolic tangent, the default of PyTorch and of the paper.
    #[default]
    Tanh,
    /// max(0, x).
    Relu,
    /// No nonlinearity: the linear network of the theory.
    Identity,
}

impl std::str::FromStr for Activation {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        choose("activation", word, &[("tanh", Self::Tanh), ("relu", Self::Relu), ("identity", Self::Identity)])
    }
}

impl Activation {
    /// The name, as typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tanh => "tanh",
            Self::Relu => "relu",
            Self::Identity => "identity",
        }
    }

    /// The activation of many units.
    pub fn apply_in_place(self, values: &mut [f64]) {
        match self {
            Self::Tanh => tanh_in_place(values),
            Self::Relu => values.iter_mut().for_each(|x| *x = x.max(0.0)),
            Self::Identity => {}
        }
    }

    /// The derivative, as a function of the activation's value (not of its argument).
    pub fn slope_at_value(self, value: f64) -> f64 {
        match self {
            Self::Tanh => 1.0 - value * value,
            Self::Relu => f64::from(u8::from(value > 0.0)),
            Self::Identity => 1.0,
        }
    }
}

/// An Elman network with a linear readout.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// The nonlinearity.
    pub activation: Activation,
    /// H x inputs.
    #[doc(alias = "W_uh")]
    pub input_weights: Mat<f64>,
    /// H x H.
    #[doc(alias = "W_hh")]
    pub recurrent_weights: Mat<f64>,
    /// outputs x H.
    #[doc(alias = "W_r")]
    pub readout_weights: Mat<f64>,
    /// Biases of the cell, if it has them.
    pub biases: Option<Biases>,
    /// Bias of the readout, if it has one.
    pub readout_bias: Option<Vec<f64>>,
}

/// The two bias vectors that PyTorch gives a cell; only their sum acts, but both are trained.
#[derive(Clone, Debug, PartialEq)]
pub struct Biases {
    /// `bias_ih_l0`, H numbers.
    pub input: Vec<f64>,
    /// `bias_hh_l0`, H numbers.
    pub recurrent: Vec<f64>,
}

impl Network {
    /// The number of hidden units.
    #[doc(alias = "H")]
    pub fn hidden(&self) -> usize {
        self.recurrent_weights.nrows()
    }

    /// The number of input components.
    pub fn inputs(&self) -> usize {
        self.input_weights.ncols()
    }

    /// The number of output components.
    pub fn outputs(&self) -> usize {
        self.readout_weights.nrows()
    }

    /// Whether the cell or the readout has a bias.
    pub fn has_bias(&self) -> bool {
        self.biases.is_some() || self.readout_bias.is_some()
    }

    /// Whether opposite inputs lead to opposite states and outputs.
    pub fn is_odd(&self) -> bool {
        !self.has_bias() && self.activation != Activation::Relu
    }

    /// The bias that acts on each unit: the sum of both vectors, zero without them.
    pub fn total_bias(&self) -> Vec<f64> {
        match &self.biases {
            Some(biases) => biases.input.iter().zip(&biases.recurrent).map(|(a, b)| a + b).collect(),
            None => vec![0.0; self.hidden()],
        }
    }

    /// Checks that the shapes fit each other and that every weight is a finite number.
    pub fn check(&self) -> Result<(), NetworkError> {
        let h = self.recurrent_weights.nrows();
        if h == 0 || self.inputs() == 0 || self.outputs() == 0 {
            return Err(NetworkError::Empty { hidden: h, inputs: self.inputs(), outputs: self.outputs() });
        }
        let matrix = |name, matrix: &Mat<f64>, rows, columns| {
            check_shape(name, &[matrix.nrows(), matrix.ncols()], &[rows, columns])?;
            let finite = (0..columns).all(|j| matrix.col(j).iter().all(|x| x.is_finite()));
            if finite { Ok(()) } else { Err(NetworkError::NotFinite { name }) }
        };
        matrix("rnn.weight_hh_l0", &self.recurrent_weights, h, h)?;
        matrix("rnn.weight_ih_l0", &self.input_weights, h, self.inputs())?;
        matrix("readout.weight", &self.readout_weights, self.outputs(), h)?;
        let vector = |name, values: &[f64], length| {
            check_shape(name, &[values.len()], &[length])?;
            if values.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(NetworkError::NotFinite { name }) }
        };
        if let Some(biases) = &self.biases {
            vector("rnn.bias_ih_l0", &biases.input, h)?;
            vector("rnn.bias_hh_l0", &biases.recurrent, h)?;
        }
        self.readout_bias.as_ref().map_or(Ok(()), |bias| vector("readout.bias", bias, self.outputs()))
    }
}

fn check_shape(name: &'static str, found: &[usize], expected: &[usize]) -> Result<(), NetworkError> {
    if found == expected {
        return Ok(());
    }
    Err(NetworkError::Shape { name: name.into(), found: found.to_vec(), expected: expected.to_vec() })
}
