//! The cells that an edit can write in, each as a plain layer.

use super::EditError;
use crate::network::{Activation, Cell, Elman, Network, Plain, PlainWeights, Readout};
use crate::numeric::Matrix;

/// A gate with this bias and no weights stays open, with the opposite bias shut: within 0.0025 of 1 and 0, less than what
/// the fit of the weights leaves over. More would only make the change of the weights look larger than it is.
pub(super) const GATE: f64 = 6.0;

/// The network's layer, seen as one without gates.
pub(super) fn plain(network: &Network) -> Result<Plain, EditError> {
    match &network.layers[..] {
        [Cell::Elman(Elman { activation: Activation::Relu | Activation::Softplus, .. })] => {
            Err(EditError::NotInvertible)
        }
        [Cell::Elman(cell)] => Ok(Plain::Elman(cell.activation)),
        [cell] => {
            let about = cell.kind().about();
            about.written.map_err(|why| EditError::Cell { cell: about.title, why })
        }
        several => Err(EditError::Layers { layers: several.len() }),
    }
}

/// A network of the same kind in which only these weights act.
pub(super) fn network(plain: Plain, input: Matrix, recurrent: Matrix, readout: Readout) -> Network {
    plain.network(PlainWeights { input, recurrent, bias: None, readout }, GATE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Architecture, CellKind, Initialization};

    #[test]
    fn what_cannot_be_written_in_is_named() {
        let of = |cell, layers| Architecture { cell, layers, ..Architecture::elman(4, Activation::Tanh, true) };
        let error =
            |cell, layers| plain(&Initialization::Uniform.network(&of(cell, layers), 2, 2, 1)).unwrap_err().to_string();
        assert!(error(CellKind::Ssm, 1).contains("state-space"));
        assert!(error(CellKind::Gru, 2).contains("2 layers"));
    }
}
