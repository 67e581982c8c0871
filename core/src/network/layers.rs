//! The recurrent layers among named tensors: their kind is told by names and shapes.

use super::cell::Layer;
use super::tensors::{last_part, matrix, names};
use super::{Activation, Biases, Cell, Elman, Gru, Lstm, Modes, NetworkError, Ssm, Tensors};
use crate::foreign_text::listed;

/// The names of a parameter: in PyTorch's `RNN`, less the number of the layer, and in its `RNNCell`; in the paper.
type Names = [&'static str; 2];
const RECURRENT: Names = ["weight_hh", "W_hh"];
const INPUT: Names = ["weight_ih", "W_uh"];
const RECURRENT_BIAS: Names = ["bias_hh", "b_hh"];
const INPUT_BIAS: Names = ["bias_ih", "b"];
/// The first tensor of a state-space layer.
const EIGENVALUES: Names = ["lambda_re", "lambda_re"];

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
        let here = Here { tensors, layer };
        let (cell, names) = match here.find(EIGENVALUES) {
            Ok(_) => here.state_space(activation)?,
            Err(NetworkError::Missing { .. }) => here.gated(activation)?,
            Err(other) => return Err(other),
        };
        layers.push(cell);
        used.extend(names);
    }
    let with_bias =
        |with: bool| layers.iter().position(|cell| cell.has_bias() == with && !matches!(cell, Cell::Ssm(_)));
    if let (Some(with), Some(without)) = (with_bias(true), with_bias(false)) {
        return Err(NetworkError::BiasesInSomeLayers { with, without, missing: format!("bias_ih_l{without}") });
    }
    Ok((layers, used))
}

/// How many layers the names speak of: one more than the largest number.
fn count(tensors: &Tensors) -> usize {
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

/// One layer of a file.
struct Here<'a> {
    tensors: &'a Tensors,
    layer: usize,
}

impl<'a> Here<'a> {
    /// The name that PyTorch gives a parameter of this layer.
    fn name(&self, of: Names) -> String {
        format!("{}_l{}", of[0], self.layer)
    }

    /// The one tensor whose name ends in a parameter's name; bare names stand for the first layer.
    fn find(&self, of: Names) -> Result<&'a str, NetworkError> {
        let numbered = self.name(of);
        let bare: &[&str] = if self.layer == 0 { &of } else { &[] };
        let called = |wanted: &str| -> Vec<&'a str> {
            self.tensors.keys().map(String::as_str).filter(|name| last_part(name) == wanted).collect()
        };
        let found = [numbered.as_str()].iter().chain(bare).map(|name| called(name)).find(|found| !found.is_empty());
        match found.unwrap_or_default()[..] {
            [one] => Ok(one),
            [] => Err(NetworkError::Missing { wanted: numbered, found: names(self.tensors) }),
            ref several => {
                Err(NetworkError::Ambiguous { wanted: numbered, candidates: listed(several.iter().copied()) })
            }
        }
    }

    fn maybe(&self, of: Names) -> Result<Option<&'a str>, NetworkError> {
        match self.find(of) {
            Ok(name) => Ok(Some(name)),
            Err(NetworkError::Missing { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// A plain or gated layer: rows for each column tell which.
    fn gated(&self, activation: Activation) -> Result<(Cell, Vec<&'a str>), NetworkError> {
        let recurrent = self.find(RECURRENT)?;
        let recurrent_weights = matrix(self.tensors, recurrent)?;
        let input = self.find(INPUT)?;
        let input_weights = matrix(self.tensors, input)?;
        let rows = recurrent_weights.nrows();
        let (input_bias, recurrent_bias) = (self.maybe(INPUT_BIAS)?, self.maybe(RECURRENT_BIAS)?);
        let values = |name: &str| self.tensors[name].values.clone();
        let or_zero = |name: Option<&str>| name.map_or_else(|| vec![0.0; rows], values);
        // PyTorch's layers have both vectors or none. A plain layer acts by their sum, so that one may stand for both.
        let only_one = input_bias.is_some() != recurrent_bias.is_some();
        if only_one && (rows != recurrent_weights.ncols() || count(self.tensors) > 1) {
            let missing = if input_bias.is_some() { RECURRENT_BIAS } else { INPUT_BIAS };
            return Err(NetworkError::Missing { wanted: self.name(missing), found: names(self.tensors) });
        }
        let biases = (input_bias.is_some() || recurrent_bias.is_some())
            .then(|| Biases { input: or_zero(input_bias), recurrent: or_zero(recurrent_bias) });
        let used = [Some(recurrent), Some(input), input_bias, recurrent_bias].into_iter().flatten().collect();
        let units = recurrent_weights.ncols();
        let cell = match rows {
            _ if rows == units => Cell::Elman(Elman { activation, input_weights, recurrent_weights, biases }),
            _ if rows == Gru::GATES * units => Cell::Gru(Gru { input_weights, recurrent_weights, biases }),
            _ if rows == Lstm::GATES * units => Cell::Lstm(Lstm { input_weights, recurrent_weights, biases }),
            _ => return Err(NetworkError::Gates { name: recurrent.into(), found: vec![rows, units] }),
        };
        Ok((cell, used))
    }

    fn state_space(&self, activation: Activation) -> Result<(Cell, Vec<&'a str>), NetworkError> {
        let mut used = vec![];
        let mut part = |[lambda, b, c]: [&'static str; 3]| -> Result<Modes, NetworkError> {
            let [lambda, b, c] = [self.find([lambda, lambda])?, self.find([b, b])?, self.find([c, c])?];
            used.extend([lambda, b, c]);
            let eigenvalues = self.tensors[lambda].values.clone();
            Ok(Modes { eigenvalues, input: matrix(self.tensors, b)?, output: matrix(self.tensors, c)? })
        };
        let real = part(super::cell::REAL)?;
        let complex = self.maybe(["lambda_im", "lambda_im"])?.is_some();
        let imaginary = if complex { Some(part(super::cell::IMAGINARY)?) } else { None };
        let skip = self.maybe(["D", "D"])?;
        used.extend(skip);
        let skip = skip.map(|name| matrix(self.tensors, name)).transpose()?;
        let cell = Ssm { activation, real, imaginary, skip };
        // Other methods index one part by the sizes of the other.
        let wrong = cell.parameters().into_iter().zip(cell.shapes()).find(|((_, of), needed)| of.shape() != *needed);
        if let Some(((name, of), expected)) = wrong {
            let name = format!("{name}_l{}", self.layer);
            return Err(NetworkError::Shape { name, found: of.shape(), expected });
        }
        Ok((Cell::Ssm(cell), used))
    }
}
