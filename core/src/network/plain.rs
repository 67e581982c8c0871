//! The cells that weights can be written into, each as a plain layer: what a pre-activation becomes, and how weights that know
//! of no gates are put into it.

use super::{Activation, Biases, Cell, CellKind, Elman, Gru, Lstm, Network, Readout};
use crate::numeric::{Matrix, tanh_in_place};

/// The weights of a plain layer, and its readout.
pub(crate) struct PlainWeights {
    pub(crate) input: Matrix,
    pub(crate) recurrent: Matrix,
    pub(crate) bias: Option<Vec<f64>>,
    pub(crate) readout: Readout,
}

/// The largest unit of an LSTM whose gates stay open, tanh(tanh(a)), is tanh 1.
const LARGEST_LSTM: f64 = 0.761;

/// A layer, seen as one without gates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Plain {
    Elman(Activation),
    Gru,
    Lstm,
}

impl Plain {
    pub(crate) fn kind(self) -> CellKind {
        match self {
            Self::Elman(_) => CellKind::Elman,
            Self::Gru => CellKind::Gru,
            Self::Lstm => CellKind::Lstm,
        }
    }

    /// Pre-activations become units.
    pub(crate) fn squash(self, values: &mut [f64]) {
        match self {
            Self::Elman(activation) => activation.apply_in_place(values),
            Self::Gru => tanh_in_place(values),
            Self::Lstm => {
                tanh_in_place(values);
                tanh_in_place(values);
            }
        }
    }

    /// The slope of a unit at a pre-activation.
    pub(crate) fn slope(self, sum: f64) -> f64 {
        match self {
            Self::Elman(activation) => activation.slope_at_value(self.squashed(sum)),
            Self::Gru => 1.0 - sum.tanh().powi(2),
            Self::Lstm => (1.0 - sum.tanh().tanh().powi(2)) * (1.0 - sum.tanh().powi(2)),
        }
    }

    /// The pre-activation of a unit that is kept within `largest` of its range.
    pub(crate) fn unsquash(self, unit: f64, largest: f64) -> f64 {
        match self {
            Self::Elman(Activation::Tanh) | Self::Gru => unit.clamp(-largest, largest).atanh(),
            Self::Elman(_) => unit,
            Self::Lstm => unit.clamp(-largest * LARGEST_LSTM, largest * LARGEST_LSTM).atanh().atanh(),
        }
    }

    /// The state whose units are these: an LSTM's cells are what its units are the tanh of.
    pub(crate) fn state(self, units: Matrix) -> Matrix {
        if self != Self::Lstm {
            return units;
        }
        let hidden = units.nrows();
        Matrix::from_fn(2 * hidden, units.ncols(), |i, j| match i.checked_sub(hidden) {
            None => units[(i, j)],
            Some(i) => units[(i, j)].atanh(),
        })
    }

    /// What one pre-activation becomes.
    pub(crate) fn squashed(self, sum: f64) -> f64 {
        let mut value = [sum];
        self.squash(&mut value);
        value[0]
    }

    /// A network of this kind in which only these weights act. Its gates, if it has any, have no weights and a bias of `gate`
    /// if they stay open, `-gate` if they stay shut.
    pub(crate) fn network(self, weights: PlainWeights, gate: f64) -> Network {
        let PlainWeights { input, recurrent, bias, readout } = weights;
        let hidden = recurrent.nrows();
        // Gates in PyTorch's order: GRU r, z, n and LSTM i, f, g, o.
        let (gates, acts): (&[f64], usize) = match self {
            Self::Elman(activation) => {
                let biases = bias.map(|input| Biases { input, recurrent: vec![0.0; hidden] });
                let cell = Elman { activation, input_weights: input, recurrent_weights: recurrent, biases };
                return Network { layers: vec![Cell::Elman(cell)], readout };
            }
            Self::Gru => (&[gate, -gate, 0.0], 2),
            Self::Lstm => (&[gate, -gate, 0.0, gate], 2),
        };
        let among_gates = |weights: &Matrix| {
            let mut all = Matrix::zeros(gates.len() * hidden, weights.ncols());
            all.subrows_mut(acts * hidden, hidden).copy_from(weights);
            all
        };
        let mut to_gates: Vec<f64> = gates.iter().flat_map(|&gate| vec![gate; hidden]).collect();
        if let Some(bias) = bias {
            to_gates[acts * hidden..(acts + 1) * hidden].copy_from_slice(&bias);
        }
        let biases = Some(Biases { input: to_gates, recurrent: vec![0.0; gates.len() * hidden] });
        let (input_weights, recurrent_weights) = (among_gates(&input), among_gates(&recurrent));
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
    use crate::numeric::draw;
    use crate::random::{Purpose, Stream};

    #[test]
    fn with_its_gates_set_a_gated_cell_steps_like_a_plain_layer() {
        let stream = Stream::new(3, Purpose::Matrices);
        let [input, recurrent, units, bias] =
            [(5, 2), (5, 5), (5, 4), (5, 1)].map(|(m, n)| draw::normal(m, n, &stream, m as u32 * 10 + n as u32));
        let units = Matrix::from_fn(5, 4, |i, j| 0.5 * units[(i, j)].tanh());
        for plain in [Plain::Gru, Plain::Lstm] {
            let readout = Readout { weights: Matrix::zeros(2, 5), bias: None };
            let (input, recurrent) = (input.clone(), recurrent.clone());
            let mut wanted = &recurrent * &units;
            let bias = bias.col_as_slice(0).to_vec();
            (0..4).for_each(|j| wanted.col_as_slice_mut(j).iter_mut().zip(&bias).for_each(|(x, b)| *x += b));
            (0..4).for_each(|j| plain.squash(wanted.col_as_slice_mut(j)));
            let network = plain.network(PlainWeights { input, recurrent, bias: Some(bias), readout }, 24.0);
            network.check().unwrap();
            assert_eq!(network.kind(), Some(plain.kind()));
            let next = network.step_batch(plain.state(units.clone()).as_ref(), None);
            let off = (next.subrows(0, 5) - &wanted).norm_max();
            assert!(off < 1e-8, "{plain:?} {off}");
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
}
