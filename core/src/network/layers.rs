//! The recurrent layers among named tensors: their kind is told by names and shapes.

use super::tensors::{last_part, matrix, names};
use super::{Activation, Cell, NetworkError, Tensors};
use crate::foreign_text::listed;
use faer::Mat;

/// The names of a parameter: in PyTorch's layers, less the number of the layer, and in its cells; in the paper.
pub(super) type Names = [&'static str; 2];
pub(super) const RECURRENT: Names = ["weight_hh", "W_hh"];

/// A layer, and the names of its tensors.
pub(super) type Read<'a> = (Cell, Vec<&'a str>);

/// Whether a tensor goes by a name of the recurrent weights.
pub(super) fn is_recurrent(name: &str) -> bool {
    let last = last_part(name);
    RECURRENT.contains(&last) || last.strip_prefix("weight_hh_l").is_some_and(|layer| layer.parse::<u16>().is_ok())
}

/// The layers from the inputs up, and the names of their tensors.
pub(super) fn find(tensors: &Tensors, activation: Activation) -> Result<(Vec<Cell>, Vec<&str>), NetworkError> {
    refuse_what_is_not_read(tensors)?;
    let (mut layers, mut used) = (vec![], vec![]);
    for layer in 0..count(tensors) {
        let (cell, names) = Cell::read(&LayerTensors { tensors, layer }, activation)?;
        layers.push(cell);
        used.extend(names);
    }
    let with_bias = |with: bool| layers.iter().position(|cell| cell.has_bias() == with && cell.can_have_bias());
    if let (Some(with), Some(without)) = (with_bias(true), with_bias(false)) {
        return Err(NetworkError::BiasesInSomeLayers { with, without, missing: format!("bias_ih_l{without}") });
    }
    Ok((layers, used))
}

/// How many layers the names speak of: one more than the largest number.
pub(super) fn count(tensors: &Tensors) -> usize {
    let number = |name: &String| {
        let last = last_part(name);
        let number = last.strip_prefix("weight_hh_l").or(last.strip_prefix("lambda_re_l"))?;
        number.parse::<u16>().ok().map(|number| usize::from(number) + 1)
    };
    tensors.keys().filter_map(number).max().unwrap_or(1)
}

/// Refuses what shares PyTorch's names with layers that are read: a second direction, a projection.
fn refuse_what_is_not_read(tensors: &Tensors) -> Result<(), NetworkError> {
    for (name, tensor) in tensors {
        let last = last_part(name);
        let refuse = |found, instead| {
            Err(NetworkError::Unsupported { name: name.clone(), shape: tensor.shape.clone(), found, instead })
        };
        if last.starts_with("weight_") && last.ends_with("_reverse") {
            return refuse(
                "the second direction of a bidirectional layer",
                "it sees the inputs from the end, so there is no step from state to state to read: \
                 train with bidirectional=False",
            );
        }
        if last.starts_with("weight_hr_l") {
            return refuse(
                "the projection of an LSTM (proj_size)",
                "only layers that hand on all their units can be read: train with proj_size=0",
            );
        }
    }
    Ok(())
}

/// The tensors of one layer.
pub(super) struct LayerTensors<'a> {
    tensors: &'a Tensors,
    layer: usize,
}

impl<'a> LayerTensors<'a> {
    /// The name that PyTorch gives a parameter of this layer.
    pub(super) fn name(&self, of: &str) -> String {
        format!("{of}_l{}", self.layer)
    }

    /// Whether there are other layers.
    pub(super) fn is_one_of_several(&self) -> bool {
        count(self.tensors) > 1
    }

    /// The one tensor whose name ends in a parameter's name; bare names stand for the first layer.
    pub(super) fn find(&self, of: &[&str]) -> Result<&'a str, NetworkError> {
        let numbered = self.name(of[0]);
        let bare: &[&str] = if self.layer == 0 { of } else { &[] };
        let called = |wanted: &str| -> Vec<&'a str> {
            self.tensors.keys().map(String::as_str).filter(|name| last_part(name) == wanted).collect()
        };
        let found = [numbered.as_str()].iter().chain(bare).map(|name| called(name)).find(|found| !found.is_empty());
        match found.unwrap_or_default()[..] {
            [one] => Ok(one),
            [] => Err(self.missing(of[0])),
            ref several => {
                Err(NetworkError::Ambiguous { wanted: numbered, candidates: listed(several.iter().copied()) })
            }
        }
    }

    /// The same, or nothing where there is none.
    pub(super) fn maybe(&self, of: &[&str]) -> Result<Option<&'a str>, NetworkError> {
        match self.find(of) {
            Ok(name) => Ok(Some(name)),
            Err(NetworkError::Missing { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// That a parameter is not there.
    pub(super) fn missing(&self, of: &str) -> NetworkError {
        NetworkError::Missing { wanted: self.name(of), found: names(self.tensors) }
    }

    /// A tensor that was found, as a matrix.
    pub(super) fn matrix(&self, name: &str) -> Result<Mat<f64>, NetworkError> {
        matrix(self.tensors, name)
    }

    /// The values of a tensor that was found.
    pub(super) fn values(&self, name: &str) -> Vec<f64> {
        self.tensors[name].values.clone()
    }
}
