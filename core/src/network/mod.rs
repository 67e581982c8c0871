//! Recurrent networks: layers of cells, a linear readout, and how they are stored.
//!
//! Every layer starts at the zero state and sees what the one below it hands on; `y(t) = W_r h(t) + c` reads the last one.
//! Weights are kept in f64, which holds every f32 exactly: analysis works on them directly, training rounds to f32 and back
//! without loss.

mod cell;
mod dynamics;
mod error;
mod import;
mod initialize;
mod layers;
mod plain;
mod simulate;
mod store;
mod tensors;
mod unused;

pub use cell::*;
pub use dynamics::{Dynamics, Jacobians};
pub use error::NetworkError;
#[cfg(fuzzing)]
pub(crate) use import::fuzzing;
pub use import::{MAX_FILE_BYTES, MAX_UNPACKED_BYTES, MAX_VALUES};
pub use initialize::{Architecture, Initialization};
pub(crate) use plain::{Plain, PlainWeights};
pub use simulate::{Accuracy, Run, Trajectory};
pub(crate) use store::sort_metadata;
pub use store::{Metadata, NetworkFile};
pub use tensors::{Tensor, Tensors};

use crate::choose::words;
use crate::numeric::{tanh_in_place, zero_padded};
use faer::Mat;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The most hidden units of a network, read or trained: the eigenvalues of its weights take minutes and 128 MiB a matrix.
pub const MAX_HIDDEN: usize = 4096;

/// The nonlinearity of the cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Activation {
    /// Hyperbolic tangent, the default of PyTorch and of the paper.
    #[default]
    Tanh,
    /// max(0, x).
    Relu,
    /// No nonlinearity: the linear network of the theory.
    Identity,
    /// ln(1 + e^x): rates that are never negative, and smooth.
    Softplus,
}

words!(Activation, "activation": Tanh = "tanh", Relu = "relu", Identity = "identity", Softplus = "softplus");

impl Activation {
    /// The activation of many units.
    pub fn apply_in_place(self, values: &mut [f64]) {
        match self {
            Self::Tanh => tanh_in_place(values),
            Self::Relu => values.iter_mut().for_each(|x| *x = x.max(0.0)),
            Self::Identity => {}
            Self::Softplus => values.iter_mut().for_each(|x| *x = x.max(0.0) + (-x.abs()).exp().ln_1p()),
        }
    }

    /// The derivative, as a function of the activation's value (not of its argument).
    pub fn slope_at_value(self, value: f64) -> f64 {
        match self {
            Self::Tanh => 1.0 - value * value,
            Self::Relu => f64::from(u8::from(value > 0.0)),
            Self::Identity => 1.0,
            Self::Softplus => -(-value).exp_m1(),
        }
    }

    /// Whether opposite arguments have opposite values.
    pub fn is_odd(self) -> bool {
        matches!(self, Self::Tanh | Self::Identity)
    }
}

/// A recurrent network: layers, and a linear readout of the last one's units.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// From the inputs up; at least one.
    pub layers: Vec<Cell>,
    /// The linear readout of the last layer's units.
    pub readout: Readout,
}

/// A part of a network's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The layer, from 0.
    pub layer: usize,
    /// What it is.
    #[serde(rename = "part")]
    pub kind: PartKind,
    /// The first number of the state that belongs to it.
    pub from: usize,
    /// One beyond the last.
    pub to: usize,
}

/// The linear readout.
#[derive(Clone, Debug, PartialEq)]
pub struct Readout {
    /// outputs x units.
    #[doc(alias = "W_r")]
    pub weights: Mat<f64>,
    /// Its bias, if it has one.
    pub bias: Option<Vec<f64>>,
}

impl Network {
    /// A network of one plain layer, without biases.
    pub fn elman(
        activation: Activation,
        input_weights: Mat<f64>,
        recurrent_weights: Mat<f64>,
        readout_weights: Mat<f64>,
    ) -> Self {
        let cell = Elman { activation, input_weights, recurrent_weights, biases: None };
        Self { layers: vec![Cell::Elman(cell)], readout: Readout { weights: readout_weights, bias: None } }
    }

    /// The plain layer that this network is made of; nothing where it is made of something else.
    pub fn as_elman(&self) -> Option<&Elman> {
        match &self.layers[..] {
            [Cell::Elman(cell)] => Some(cell),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn as_elman_mut(&mut self) -> Option<&mut Elman> {
        match &mut self.layers[..] {
            [Cell::Elman(cell)] => Some(cell),
            _ => None,
        }
    }

    /// The number of units that the readout sees.
    #[doc(alias = "H")]
    pub fn hidden(&self) -> usize {
        self.layers.last().map_or(0, Cell::units)
    }

    /// How many numbers make the state, all layers together.
    pub fn state_size(&self) -> usize {
        self.layers.iter().map(Cell::state_size).sum()
    }

    /// The number of input components.
    pub fn inputs(&self) -> usize {
        self.layers.first().map_or(0, Cell::inputs)
    }

    /// The number of output components.
    pub fn outputs(&self) -> usize {
        self.readout.weights.nrows()
    }

    /// The kind of every layer, where they are of one.
    pub fn kind(&self) -> Option<CellKind> {
        let kind = self.layers.first()?.kind();
        self.layers.iter().all(|cell| cell.kind() == kind).then_some(kind)
    }

    /// The nonlinearity of the layers that have one to choose.
    pub fn activation(&self) -> Option<Activation> {
        self.layers.iter().find_map(Cell::activation)
    }

    /// What its layers were made with, of the settings of their cell.
    pub fn cell_settings(&self) -> CellSettings {
        self.layers.first().map(|cell| cell.layer().settings()).unwrap_or_default()
    }

    /// Whether a layer or the readout has a bias.
    pub fn has_bias(&self) -> bool {
        self.readout.bias.is_some() || self.layers.iter().any(Cell::has_bias)
    }

    /// Whether opposite inputs lead to opposite states and outputs.
    pub fn is_odd(&self) -> bool {
        self.readout.bias.is_none() && self.layers.iter().all(|cell| cell.layer().is_odd())
    }

    /// What the state is made of, in order.
    pub fn parts(&self) -> Vec<Part> {
        let (mut parts, mut from) = (vec![], 0);
        for (layer, cell) in self.layers.iter().enumerate() {
            for (kind, count) in [(PartKind::H, cell.units())].into_iter().chain(cell.layer().beside_units()) {
                parts.push(Part { layer, kind, from, to: from + count });
                from += count;
            }
        }
        parts
    }

    /// Where each layer's units lie in the state.
    pub fn units(&self) -> Vec<Range<usize>> {
        self.parts().iter().filter(|part| part.kind == PartKind::H).map(|part| part.from..part.to).collect()
    }

    /// Whether the state holds more than the units: an LSTM's cells, a state-space layer's modes.
    pub fn has_inner_state(&self) -> bool {
        self.layers.iter().any(|cell| cell.state_size() > cell.units())
    }

    /// What the network says of a change of its state: outputs x state, zero but for the last layer's units.
    pub fn readout_of_state(&self) -> Mat<f64> {
        let (size, units) = (self.state_size(), self.units().pop().unwrap_or_default());
        let mut weights = Mat::zeros(self.outputs(), size);
        weights.subcols_mut(units.start, units.len()).copy_from(&self.readout.weights);
        weights
    }

    /// Every parameter under PyTorch's name.
    pub fn parameters(&self) -> Vec<(String, Parameter<'_>)> {
        let mut all = vec![];
        for (k, cell) in self.layers.iter().enumerate() {
            all.extend(cell.layer().parameters().into_iter().map(|(name, of)| (format!("rnn.{name}_l{k}"), of)));
        }
        all.push(("readout.weight".into(), Parameter::Matrix(&self.readout.weights)));
        all.extend(self.readout.bias.as_deref().map(|bias| ("readout.bias".into(), Parameter::Vector(bias))));
        all
    }

    /// The same, to be changed.
    pub fn parameters_mut(&mut self) -> Vec<(String, ParameterMut<'_>)> {
        let mut all = vec![];
        for (k, cell) in self.layers.iter_mut().enumerate() {
            let named = cell.layer_mut().parameters_mut().into_iter();
            all.extend(named.map(|(name, of)| (format!("rnn.{name}_l{k}"), of)));
        }
        all.push(("readout.weight".into(), ParameterMut::Matrix(&mut self.readout.weights)));
        all.extend(self.readout.bias.as_mut().map(|bias| ("readout.bias".into(), ParameterMut::Vector(bias))));
        all
    }

    /// The same network with zeros in the memory between the columns of its weights: worth it where it takes many steps.
    pub(crate) fn padded(&self) -> Self {
        let mut padded = self.clone();
        padded.change_matrices(|matrix| *matrix = zero_padded(matrix));
        padded
    }

    /// The same network with the recurrent weights of every layer shuffled: what is true of it holds by chance, or of any network.
    pub fn shuffled(&self, seed: u64) -> Self {
        let mut network = self.clone();
        network.layers.iter_mut().for_each(|cell| cell.scramble(seed));
        network
    }

    /// Changes every weight matrix, and no bias.
    pub fn change_matrices(&mut self, mut change: impl FnMut(&mut Mat<f64>)) {
        for (_, parameter) in self.parameters_mut() {
            if let ParameterMut::Matrix(matrix) = parameter {
                change(matrix);
            }
        }
    }

    /// Checks that the shapes fit each other and that every weight is a finite number.
    pub fn check(&self) -> Result<(), NetworkError> {
        let (hidden, inputs, outputs) = (self.hidden(), self.inputs(), self.outputs());
        if self.layers.iter().any(|cell| cell.units() == 0) || hidden == 0 || inputs == 0 || outputs == 0 {
            return Err(NetworkError::Empty { hidden, inputs, outputs });
        }
        let mut shapes: Vec<Vec<usize>> = self.layers.iter().flat_map(|cell| cell.layer().shapes()).collect();
        shapes.push(vec![outputs, hidden]);
        shapes.extend(self.readout.bias.as_ref().map(|_| vec![outputs]));
        for ((name, parameter), needed) in self.parameters().into_iter().zip(shapes) {
            check_shape(&name, &parameter.shape(), &needed)?;
            if !parameter.is_finite() {
                return Err(NetworkError::NotFinite { name });
            }
        }
        for (k, pair) in self.layers.windows(2).enumerate() {
            if pair[1].inputs() != pair[0].units() {
                let (found, needed) = (pair[1].inputs(), pair[0].units());
                return Err(NetworkError::LayersDoNotFit { layer: k + 1, found, needed });
            }
        }
        let mut activations = self.layers.iter().filter_map(Cell::activation);
        match activations.next() {
            Some(first) if activations.any(|other| other != first) => Err(NetworkError::MixedActivations),
            _ => Ok(()),
        }
    }
}

fn check_shape(name: &str, found: &[usize], expected: &[usize]) -> Result<(), NetworkError> {
    if found == expected {
        return Ok(());
    }
    Err(NetworkError::Shape { name: name.into(), found: found.to_vec(), expected: expected.to_vec() })
}
