//! A network as the page runs it: layers from the inputs up, each with its kind and its tensors, and the readout.
//!
//! An edited network is another list of layers.

use super::stored::Stored;
use crate::network::{Activation, Biases, Cell, Gru, Lstm, Modes, Network, Ssm};
use crate::numeric::Matrix;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct NetworkData {
    layers: Vec<LayerData>,
    readout: Stored,
    readout_bias: Option<Stored>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum LayerData {
    Elman { activation: Activation, recurrent: Stored, input: Stored, bias: Option<Stored> },
    Gru(GatedData),
    Lstm(GatedData),
    Ssm { activation: Activation, real: ModesData, imaginary: Option<ModesData>, skip: Option<Stored> },
}

#[derive(Serialize)]
struct GatedData {
    gates: &'static [Gate],
    recurrent: Stored,
    input: Stored,
    /// Apart from the other bias: a GRU's r scales one of the two.
    input_bias: Option<Stored>,
    recurrent_bias: Option<Stored>,
}

#[derive(Serialize)]
struct ModesData {
    eigenvalues: Stored,
    input: Stored,
    output: Stored,
}

/// A gate, whose weights are a block of rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Gate {
    /// The letter that PyTorch's documentation gives it.
    pub(super) letter: &'static str,
    /// What it does.
    pub(super) role: &'static str,
}

const fn gate(letter: &'static str, role: &'static str) -> Gate {
    Gate { letter, role }
}

const GRU_GATES: [Gate; Gru::GATES] = [gate("r", "reset"), gate("z", "update"), gate("n", "candidate")];
const LSTM_GATES: [Gate; Lstm::GATES] =
    [gate("i", "input"), gate("f", "forget"), gate("g", "candidate"), gate("o", "output")];

/// The gates of a layer in the order of their rows; none where there are none.
pub(super) fn gates(cell: &Cell) -> &'static [Gate] {
    match cell {
        Cell::Gru(_) => &GRU_GATES,
        Cell::Lstm(_) => &LSTM_GATES,
        Cell::Elman(_) | Cell::Ssm(_) => &[],
    }
}

pub(super) fn network_data(network: &Network) -> NetworkData {
    NetworkData {
        layers: network.layers.iter().map(layer_data).collect(),
        readout: Stored::exact(&network.readout.weights),
        readout_bias: network.readout.bias.as_deref().map(Stored::row),
    }
}

fn layer_data(cell: &Cell) -> LayerData {
    let gated = |recurrent: &Matrix, input: &Matrix, biases: Option<&Biases>| GatedData {
        gates: gates(cell),
        recurrent: Stored::blocks(recurrent, gates(cell).len()),
        input: Stored::blocks(input, gates(cell).len()),
        input_bias: biases.map(|biases| Stored::row(&biases.input)),
        recurrent_bias: biases.map(|biases| Stored::row(&biases.recurrent)),
    };
    match cell {
        Cell::Elman(cell) => LayerData::Elman {
            activation: cell.activation,
            recurrent: Stored::exact(&cell.recurrent_weights),
            input: Stored::exact(&cell.input_weights),
            bias: cell.biases.is_some().then(|| Stored::row(&cell.total_bias())),
        },
        Cell::Gru(Gru { recurrent_weights, input_weights, biases }) => {
            LayerData::Gru(gated(recurrent_weights, input_weights, biases.as_ref()))
        }
        Cell::Lstm(Lstm { recurrent_weights, input_weights, biases }) => {
            LayerData::Lstm(gated(recurrent_weights, input_weights, biases.as_ref()))
        }
        Cell::Ssm(Ssm { activation, real, imaginary, skip }) => LayerData::Ssm {
            activation: *activation,
            real: modes_data(real),
            imaginary: imaginary.as_ref().map(modes_data),
            skip: skip.as_ref().map(Stored::exact),
        },
    }
}

fn modes_data(modes: &Modes) -> ModesData {
    ModesData {
        eigenvalues: Stored::row(&modes.eigenvalues),
        input: Stored::exact(&modes.input),
        output: Stored::exact(&modes.output),
    }
}
