//! The cells that an edit can write in, each as a plain layer: what a pre-activation becomes, and how weights that know of
//! no gates are put into it.

use super::EditError;
use crate::network::{Activation, Biases, Cell, CellKind, Gru, Lstm, Network, Readout};
use crate::numeric::{Matrix, tanh_in_place};

/// A gate with this bias and no weights stays open, with the opposite bias shut: within 0.0025 of 1 and 0, less than what
/// the fit of the weights leaves over. More would only make the change of the weights look larger than it is.
const GATE: f64 = 6.0;
/// The largest unit of an LSTM whose gates stay open, tanh(tanh(a)), is tanh 1.
const LARGEST_LSTM: f64 = 0.761;

/// A layer, seen as one without gates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Plain {
    Elman(Activation),
    Gru,
    Lstm,
}

impl Plain {
    pub(super) fn of(network: &Network) -> Result<Self, EditError> {
        match &network.layers[..] {
            [Cell::Elman(cell)] if cell.activation == Activation::Relu => Err(EditError::NotInvertible),
            [Cell::Elman(cell)] => Ok(Self::Elman(cell.activation)),
            [Cell::Gru(_)] => Ok(Self::Gru),
            [Cell::Lstm(_)] => Ok(Self::Lstm),
            [other] => Err(EditError::Cell { cell: other.kind().title() }),
            several => Err(EditError::Layers { layers: several.len() }),
        }
    }

    pub(super) fn kind(self) -> CellKind {
        match self {
            Self::Elman(_) => CellKind::Elman,
            Self::Gru => CellKind::Gru,
            Self::Lstm => CellKind::Lstm,
        }
    }

    /// Pre-activations become units.
    pub(super) fn squash(self, values: &mut [f64]) {
        match self {
            Self::Elman(activation) => activation.apply_in_place(values),
            Self::Gru => tanh_in_place(values),
            Self::Lstm => {
                tanh_in_place(values);
                tanh_in_place(values);
            }
        }
    }

    /// The pre-activation of a unit that is kept within `largest` of its range.
    pub(super) fn unsquash(self, unit: f64, largest: f64) -> f64 {
        match self {
            Self::Elman(Activation::Tanh) | Self::Gru => unit.clamp(-largest, largest).atanh(),
            Self::Elman(_) => unit,
            Self::Lstm => unit.clamp(-largest * LARGEST_LSTM, largest * LARGEST_LSTM).atanh().atanh(),
        }
    }

    /// The state whose units are these: an LSTM's cells are what its units are the tanh of.
    pub(super) fn state(self, units: Matrix) -> Matrix {
        if self != Self::Lstm {
            return units;
        }
        let hidden = units.nrows();
        Matrix::from_fn(2 * hidden, units.ncols(), |i, j| match i.checked_sub(hidden) {
            None => units[(i, j)],
            Some(i) => units[(i, j)].atanh(),
        })
    }

    /// A network of the same kind in which only these weights act; its gates, if it has any, stay as they are set here.
    pub(super) fn network(self, input: Matrix, recurrent: Matrix, readout: Readout) -> Network {
        // Gates in PyTorch's order: GRU r, z, n and LSTM i, f, g, o.
        let (gates, acts): (&[f64], usize) = match self {
            Self::Elman(activation) => return Network::elman(activation, input, recurrent, readout.weights),
            Self::Gru => (&[GATE, -GATE, 0.0], 2),
            Self::Lstm => (&[GATE, -GATE, 0.0, GATE], 2),
        };
        let hidden = recurrent.nrows();
        let among_gates = |weights: &Matrix| {
            let mut all = Matrix::zeros(gates.len() * hidden, weights.ncols());
            all.subrows_mut(acts * hidden, hidden).copy_from(weights);
            all
        };
        let biases = Biases {
            input: gates.iter().flat_map(|&gate| vec![gate; hidden]).collect(),
            recurrent: vec![0.0; gates.len() * hidden],
        };
        let (input_weights, recurrent_weights, biases) = (among_gates(&input), among_gates(&recurrent), Some(biases));
        let cell = match self {
            Self::Lstm => Cell::Lstm(Lstm { input_weights, recurrent_weights, biases }),
            _ => Cell::Gru(Gru { input_weights, recurrent_weights, biases }),
        };
        Network { layers: vec![cell], readout }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Architecture, Initialization};
    use crate::numeric::draw;
    use crate::random::{Purpose, Stream};

    #[test]
    fn with_its_gates_set_a_gated_cell_steps_like_a_plain_layer() {
        let stream = Stream::new(3, Purpose::Matrices);
        let [input, recurrent, units] =
            [(5, 2), (5, 5), (5, 4)].map(|(m, n)| draw::normal(m, n, &stream, m as u32 * 10 + n as u32));
        let units = Matrix::from_fn(5, 4, |i, j| 0.5 * units[(i, j)].tanh());
        for plain in [Plain::Gru, Plain::Lstm] {
            let readout = Readout { weights: Matrix::zeros(2, 5), bias: None };
            let network = plain.network(input.clone(), recurrent.clone(), readout);
            network.check().unwrap();
            assert_eq!(network.kind(), Some(plain.kind()));
            let next = network.step_batch(plain.state(units.clone()).as_ref(), None);
            let mut wanted = &recurrent * &units;
            (0..4).for_each(|j| plain.squash(wanted.col_as_slice_mut(j)));
            let off = (next.subrows(0, 5) - &wanted).norm_max();
            assert!(off < 0.01, "{plain:?} {off}");
        }
    }

    #[test]
    fn what_is_squashed_comes_back() {
        for plain in [Plain::Elman(Activation::Tanh), Plain::Gru, Plain::Lstm] {
            let mut values = [-1.5, 0.2, 0.9];
            plain.squash(&mut values);
            let back = values.map(|x| plain.unsquash(x, 0.999));
            assert!(back.iter().zip([-1.5, 0.2, 0.9]).all(|(a, b)| (a - b).abs() < 1e-9), "{plain:?} {back:?}");
        }
    }

    #[test]
    fn what_cannot_be_written_in_is_named() {
        let of = |cell, layers| Architecture { cell, layers, ..Architecture::elman(4, Activation::Tanh, true) };
        let error = |cell, layers| {
            Plain::of(&Initialization::Uniform.network(&of(cell, layers), 2, 2, 1)).unwrap_err().to_string()
        };
        assert!(error(CellKind::Ssm, 1).contains("state-space"));
        assert!(error(CellKind::Gru, 2).contains("2 layers"));
    }
}
