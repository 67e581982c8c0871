//! Networks as named tensors, under PyTorch's parameter names.

use super::{Activation, Cell, Network, NetworkError, Parameter, Readout, layers, unused};
use crate::foreign_text::listed;
use faer::Mat;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A tensor read from a file, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its dimensions.
    pub shape: Vec<usize>,
    /// Its values.
    pub values: Vec<f64>,
}

/// Named tensors, as every file format delivers them.
pub type Tensors = BTreeMap<String, Tensor>;

impl Network {
    /// The parameters under PyTorch's names.
    pub fn to_tensors(&self) -> Tensors {
        let tensor = |of: &Parameter<'_>| Tensor { shape: of.shape(), values: of.values() };
        self.parameters().iter().map(|(name, of)| (name.clone(), tensor(of))).collect()
    }

    /// A network from named tensors; the recurrent layers and the readout may carry any prefix.
    ///
    /// The names are those of PyTorch's `RNN`, `GRU` and `LSTM` (`weight_hh_l0`) or of their cells (`weight_hh`), or the
    /// paper's (`W_hh`); shapes tell the kind of a layer. The readout is `readout.weight`, or else the only other matrix
    /// `*.weight` with H columns.
    pub fn from_tensors(tensors: &Tensors, activation: Activation) -> Result<Self, NetworkError> {
        Self::from_tensors_with_unused(tensors, activation).map(|(network, _)| network)
    }

    /// As [`Network::from_tensors_with_unused`], but a readout may be missing; nothing reads the outputs then.
    pub fn from_tensors_of_a_cell(
        tensors: &Tensors,
        activation: Activation,
    ) -> Result<(Self, Vec<String>), NetworkError> {
        Self::from_tensors_with_unused(with_a_readout(tensors, activation)?.as_ref(), activation)
    }

    /// As [`Network::from_tensors`], with the names of the tensors that are not part of the network.
    ///
    /// What certainly makes another network of it is refused: further layers of the readout, a learned initial state.
    pub fn from_tensors_with_unused(
        tensors: &Tensors,
        activation: Activation,
    ) -> Result<(Self, Vec<String>), NetworkError> {
        let (layers, mut used) = layers::find(tensors, activation)?;
        let hidden = layers.last().map_or(0, Cell::units);
        let readout = find_readout(tensors, hidden)?;
        let weights = matrix(tensors, readout)?;
        let beside_readout = readout.strip_suffix("weight").map(|prefix| format!("{prefix}bias"));
        let bias = beside_readout.as_deref().filter(|name| tensors.contains_key(*name));
        used.push(readout);
        used.extend(bias);
        let unused = unused::of(tensors, &used, readout, hidden)?;
        let bias = bias.map(|name| tensors[name].values.clone());
        let network = Self { layers, readout: Readout { weights, bias } };
        network.check()?;
        Ok((network, unused))
    }
}

/// Adds a readout of zeros where there is none: fixed points and states need no readout.
pub(crate) fn with_a_readout(tensors: &Tensors, activation: Activation) -> Result<Cow<'_, Tensors>, NetworkError> {
    let (layers, _) = layers::find(tensors, activation)?;
    let hidden = layers.last().map_or(0, Cell::units);
    if find_readout(tensors, hidden).is_ok() {
        return Ok(Cow::Borrowed(tensors));
    }
    let mut all = tensors.clone();
    all.insert("readout.weight".into(), Tensor { shape: vec![1, hidden], values: vec![0.0; hidden] });
    Ok(Cow::Owned(all))
}

/// The units of a recurrent layer with weights of this shape, gates or not.
pub(super) fn shape_of_units(shape: &[usize]) -> Option<usize> {
    if let [_, columns] = shape { Some(*columns) } else { None }
}

pub(super) fn names(tensors: &Tensors) -> String {
    if tensors.is_empty() {
        return "no tensors of floating-point numbers at all".into();
    }
    listed(tensors.keys().map(String::as_str))
}

pub(super) fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn find_readout(tensors: &Tensors, hidden: usize) -> Result<&str, NetworkError> {
    let is_readout =
        |name: &str| name == "readout.weight" || name.ends_with(".readout.weight") || last_part(name) == "W_r";
    let fits = |(name, tensor): &(&String, &Tensor)| {
        last_part(name) == "weight" && matches!(tensor.shape[..], [_, columns] if columns == hidden)
    };
    let named: Vec<&str> = tensors.keys().map(String::as_str).filter(|name| is_readout(name)).collect();
    let fitting: Vec<&str> = tensors.iter().filter(fits).map(|(name, _)| name.as_str()).collect();
    match (&named[..], &fitting[..]) {
        ([one], _) | ([], [one]) => Ok(one),
        ([], []) => Err(NetworkError::Missing { wanted: "readout.weight".into(), found: names(tensors) }),
        ([], several) | (several, _) => Err(NetworkError::Ambiguous {
            wanted: "readout.weight".into(),
            candidates: listed(several.iter().copied()),
        }),
    }
}

pub(super) fn matrix(tensors: &Tensors, name: &str) -> Result<Mat<f64>, NetworkError> {
    let Tensor { shape, values } = &tensors[name];
    // A size of zero lets the other be anything, also more than memory can index.
    match shape[..] {
        [rows, columns] if !values.is_empty() => Ok(Mat::from_fn(rows, columns, |i, j| values[i * columns + j])),
        _ => Err(NetworkError::NotAMatrix { name: name.into(), found: shape.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Architecture, Initialization};
    use super::*;

    fn example() -> Network {
        Initialization::Uniform.network(&Architecture::elman(5, Activation::Tanh, true), 3, 2, 1)
    }

    #[test]
    fn tensors_carry_a_network_with_and_without_a_prefix() {
        let network = example();
        let tensors = network.to_tensors();
        assert_eq!(Network::from_tensors(&tensors, Activation::Tanh).unwrap(), network);
        let prefixed: Tensors = tensors.into_iter().map(|(name, t)| (format!("model.{name}"), t)).collect();
        assert_eq!(Network::from_tensors(&prefixed, Activation::Tanh).unwrap(), network);
    }

    #[test]
    fn a_readout_of_another_name_is_found_by_its_shape() {
        let network = example();
        let renamed: Tensors = network
            .to_tensors()
            .into_iter()
            .map(|(name, t)| (name.replace("readout", "fc").replace("rnn.", ""), t))
            .collect();
        assert_eq!(Network::from_tensors(&renamed, Activation::Tanh).unwrap(), network);
    }

    #[test]
    fn the_names_of_the_paper_and_of_a_bare_cell_are_known() {
        let mut network = example();
        let rename = |network: &Network, names: [(&str, &str); 3]| -> Tensors {
            let renamed = |name: String| names.iter().fold(name, |name, (from, to)| name.replace(from, to));
            network.to_tensors().into_iter().map(|(name, tensor)| (renamed(name), tensor)).collect()
        };
        let cell = rename(&network, [("_l0", ""), ("rnn", "cell"), ("", "")]);
        assert_eq!(Network::from_tensors(&cell, Activation::Tanh).unwrap(), network);
        network.as_elman_mut().unwrap().biases = None;
        network.readout.bias = None;
        let letters = [("rnn.weight_ih_l0", "W_uh"), ("rnn.weight_hh_l0", "W_hh"), ("readout.weight", "W_r")];
        assert_eq!(Network::from_tensors(&rename(&network, letters), Activation::Tanh).unwrap(), network);
    }

    #[test]
    fn missing_ambiguous_and_misshapen_tensors_are_refused_by_name() {
        let refused = |tensors: &Tensors| Network::from_tensors(tensors, Activation::Tanh).unwrap_err().to_string();
        let mut tensors = example().to_tensors();
        tensors.remove("rnn.weight_ih_l0");
        assert!(refused(&tensors).contains("no tensor 'weight_ih_l0'"));
        let mut tensors = example().to_tensors();
        tensors.insert("other.weight_hh_l0".into(), tensors["rnn.weight_hh_l0"].clone());
        assert!(refused(&tensors).contains("ambiguous"));
        let mut tensors = example().to_tensors();
        tensors.insert("rnn.weight_hh_l0".into(), Tensor { shape: vec![5, 4], values: vec![0.0; 20] });
        assert!(refused(&tensors).contains("rnn.weight_hh_l0 has shape [5, 4]"), "{}", refused(&tensors));
        let mut tensors = example().to_tensors();
        tensors.insert("readout.bias".into(), Tensor { shape: vec![3], values: vec![0.0; 3] });
        assert!(refused(&tensors).contains("readout.bias has shape [3]"));
        let mut tensors = example().to_tensors();
        tensors.get_mut("rnn.weight_hh_l0").unwrap().values[3] = f64::NAN;
        assert!(refused(&tensors).contains("NaN"));
    }
}
