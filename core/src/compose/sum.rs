//! Two networks side by side in one.

use super::tasks::side_by_side;
use super::{ComposeError, Composed, NetworkAndTask, check};
use crate::network::{Activation, Biases, Cell, CellKind, Elman, Gru, Lstm, Network, Plain, PlainWeights, Readout};
use crate::numeric::Matrix;

/// Bias of gates that stay open or shut: within 4e-11 of 1 and 0.
const GATE: f64 = 24.0;

/// Two networks as one: inputs, units and outputs of the first, then those of the second, and no weight between them. A plain layer
/// with tanh beside gated units becomes gated units whose gates stay as they are.
pub fn sum(first: NetworkAndTask<'_>, second: NetworkAndTask<'_>) -> Result<Composed, ComposeError> {
    check(first, second)?;
    let task = side_by_side(first.1, second.1)?;
    let (a, b) = alike(first.0, second.0)?;
    if a.layers.len() != b.layers.len() {
        return Err(ComposeError::Layers { first: a.layers.len(), second: b.layers.len() });
    }
    let layers = a.layers.iter().zip(&b.layers).map(|(a, b)| beside(a, b)).collect::<Result<_, _>>()?;
    let network = Network { layers, readout: readout(&a.readout, &b.readout) };
    network.check()?;
    Ok(Composed { network, task })
}

/// Both networks in cells that can stand in one layer.
fn alike(first: &Network, second: &Network) -> Result<(Network, Network), ComposeError> {
    match (first.kind(), second.kind()) {
        (Some(CellKind::Elman), Some(kind)) if kind != CellKind::Elman => Ok((gated(first, kind)?, second.clone())),
        (Some(kind), Some(CellKind::Elman)) if kind != CellKind::Elman => Ok((first.clone(), gated(second, kind)?)),
        _ => Ok((first.clone(), second.clone())),
    }
}

/// A plain layer as gated units that do the same: those of a GRU. An LSTM squashes twice, so that none of its settings does.
fn gated(network: &Network, kind: CellKind) -> Result<Network, ComposeError> {
    let refused = || ComposeError::Cells { first: CellKind::Elman.title(), second: kind.title() };
    let cell = network.as_elman().filter(|cell| cell.activation == Activation::Tanh).ok_or_else(refused)?;
    if kind != CellKind::Gru {
        return Err(refused());
    }
    let sums = |biases: &Biases| biases.input.iter().zip(&biases.recurrent).map(|(a, b)| a + b).collect();
    let weights = PlainWeights {
        input: cell.input_weights.clone(),
        recurrent: cell.recurrent_weights.clone(),
        bias: cell.biases.as_ref().map(sums),
        readout: network.readout.clone(),
    };
    Ok(Plain::Gru.network(weights, GATE))
}

fn beside(a: &Cell, b: &Cell) -> Result<Cell, ComposeError> {
    if a.kind() != b.kind() {
        return Err(ComposeError::Cells { first: a.kind().title(), second: b.kind().title() });
    }
    let (Some(of_a), Some(of_b)) = (parts(a), parts(b)) else {
        return Err(ComposeError::Cell { cell: a.kind().title() });
    };
    same_activation(a.activation(), b.activation())?;
    let (input_weights, recurrent_weights, biases) = gates(of_a.1.nrows() / of_a.1.ncols(), of_a, of_b);
    Ok(match a {
        Cell::Gru(_) => Cell::Gru(Gru { input_weights, recurrent_weights, biases }),
        Cell::Lstm(_) => Cell::Lstm(Lstm { input_weights, recurrent_weights, biases }),
        _ => {
            let activation = a.activation().unwrap_or_default();
            Cell::Elman(Elman { activation, input_weights, recurrent_weights, biases })
        }
    })
}

/// Refuses layers that squash their units in different ways.
pub(super) fn same_activation(first: Option<Activation>, second: Option<Activation>) -> Result<(), ComposeError> {
    match (first, second) {
        (Some(first), Some(second)) if first != second => {
            Err(ComposeError::Activations { first: first.name(), second: second.name() })
        }
        _ => Ok(()),
    }
}

type Parts<'a> = (&'a Matrix, &'a Matrix, Option<&'a Biases>);

/// The weights of a layer that can be put beside another.
fn parts(cell: &Cell) -> Option<Parts<'_>> {
    match cell {
        Cell::Elman(Elman { input_weights, recurrent_weights, biases, .. })
        | Cell::Gru(Gru { input_weights, recurrent_weights, biases })
        | Cell::Lstm(Lstm { input_weights, recurrent_weights, biases }) => {
            Some((input_weights, recurrent_weights, biases.as_ref()))
        }
        _ => None,
    }
}

/// Gate by gate: the units of one, then the units of the other.
fn gates(count: usize, a: Parts<'_>, b: Parts<'_>) -> (Matrix, Matrix, Option<Biases>) {
    let blocks = |a: &Matrix, b: &Matrix| {
        let (rows, more) = (a.nrows() / count, b.nrows() / count);
        let mut all = Matrix::zeros(a.nrows() + b.nrows(), a.ncols() + b.ncols());
        for gate in 0..count {
            let at = gate * (rows + more);
            all.submatrix_mut(at, 0, rows, a.ncols()).copy_from(a.subrows(gate * rows, rows));
            all.submatrix_mut(at + rows, a.ncols(), more, b.ncols()).copy_from(b.subrows(gate * more, more));
        }
        all
    };
    let (rows, more) = (a.1.nrows() / count, b.1.nrows() / count);
    let joined = |of: fn(&Biases) -> &Vec<f64>| -> Vec<f64> {
        let part = |biases: Option<&Biases>, gate: usize, size: usize| match biases {
            Some(biases) => of(biases)[gate * size..(gate + 1) * size].to_vec(),
            None => vec![0.0; size],
        };
        (0..count).flat_map(|gate| [part(a.2, gate, rows), part(b.2, gate, more)].concat()).collect()
    };
    let biases = (a.2.is_some() || b.2.is_some())
        .then(|| Biases { input: joined(|biases| &biases.input), recurrent: joined(|biases| &biases.recurrent) });
    (blocks(a.0, b.0), blocks(a.1, b.1), biases)
}

pub(super) fn readout(a: &Readout, b: &Readout) -> Readout {
    let mut weights = Matrix::zeros(a.weights.nrows() + b.weights.nrows(), a.weights.ncols() + b.weights.ncols());
    weights.submatrix_mut(0, 0, a.weights.nrows(), a.weights.ncols()).copy_from(&a.weights);
    let (row, column) = (a.weights.nrows(), a.weights.ncols());
    weights.submatrix_mut(row, column, b.weights.nrows(), b.weights.ncols()).copy_from(&b.weights);
    let or_zero = |of: &Readout| of.bias.clone().unwrap_or_else(|| vec![0.0; of.weights.nrows()]);
    let bias = (a.bias.is_some() || b.bias.is_some()).then(|| [or_zero(a), or_zero(b)].concat());
    Readout { weights, bias }
}
