//! Networks as named tensors, under PyTorch's parameter names.

use super::rest;
use super::{Activation, Biases, Network, NetworkError};
use crate::foreign_text::listed;
use faer::Mat;
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
        let matrix = |m: &Mat<f64>| Tensor {
            shape: vec![m.nrows(), m.ncols()],
            values: (0..m.nrows()).flat_map(|i| (0..m.ncols()).map(move |j| m[(i, j)])).collect(),
        };
        let vector = |v: &Vec<f64>| Tensor { shape: vec![v.len()], values: v.clone() };
        let mut tensors = Tensors::from([
            ("rnn.weight_ih_l0".to_string(), matrix(&self.input_weights)),
            ("rnn.weight_hh_l0".to_string(), matrix(&self.recurrent_weights)),
            ("readout.weight".to_string(), matrix(&self.readout_weights)),
        ]);
        if let Some(biases) = &self.biases {
            tensors.insert("rnn.bias_ih_l0".into(), vector(&biases.input));
            tensors.insert("rnn.bias_hh_l0".into(), vector(&biases.recurrent));
        }
        if let Some(bias) = &self.readout_bias {
            tensors.insert("readout.bias".into(), vector(bias));
        }
        tensors
    }

    /// A network from named tensors; the recurrent layer and the readout may carry any prefix.
    ///
    /// The names are those of PyTorch's `RNN` (`weight_hh_l0`) or `RNNCell` (`weight_hh`), or the paper's (`W_hh`).
    /// The readout is `readout.weight`, or else the only other matrix `*.weight` with H columns.
    pub fn from_tensors(tensors: &Tensors, activation: Activation) -> Result<Self, NetworkError> {
        Self::from_tensors_with_rest(tensors, activation).map(|(network, _)| network)
    }

    /// As [`Network::from_tensors`], with the names of the tensors that are not part of the network.
    ///
    /// What certainly makes another network of it is refused: further layers of the readout, a learned initial state.
    pub fn from_tensors_with_rest(
        tensors: &Tensors,
        activation: Activation,
    ) -> Result<(Self, Vec<String>), NetworkError> {
        let recurrent = find(tensors, RECURRENT)?;
        require_one_plain_layer(tensors, recurrent)?;
        let recurrent_weights = matrix(tensors, recurrent)?;
        let input = find(tensors, INPUT)?;
        let input_weights = matrix(tensors, input)?;
        let hidden = recurrent_weights.ncols();
        let readout = find_readout(tensors, hidden)?;
        let readout_weights = matrix(tensors, readout)?;
        let bias = |wanted| match find(tensors, wanted) {
            Ok(name) => Ok(Some(name)),
            Err(NetworkError::Missing { .. }) => Ok(None),
            Err(other) => Err(other),
        };
        let (input_bias, recurrent_bias) = (bias(INPUT_BIAS)?, bias(RECURRENT_BIAS)?);
        let values = |name: &str| tensors[name].values.clone();
        let biases = (input_bias.is_some() || recurrent_bias.is_some()).then(|| {
            let or_zero = |name: Option<&str>| name.map_or_else(|| vec![0.0; recurrent_weights.nrows()], values);
            Biases { input: or_zero(input_bias), recurrent: or_zero(recurrent_bias) }
        });
        let beside_readout = readout.strip_suffix("weight").map(|prefix| format!("{prefix}bias"));
        let readout_bias = beside_readout.as_deref().filter(|name| tensors.contains_key(*name));
        let used = [Some(recurrent), Some(input), Some(readout), input_bias, recurrent_bias, readout_bias];
        let rest = rest::of(tensors, &used, readout, hidden)?;
        let readout_bias = readout_bias.map(values);
        let network = Self { activation, input_weights, recurrent_weights, readout_weights, biases, readout_bias };
        network.check()?;
        Ok((network, rest))
    }
}

/// The names of a parameter: in PyTorch's `RNN`, in its `RNNCell`, in the paper.
type Names = [&'static str; 3];
const RECURRENT: Names = ["weight_hh_l0", "weight_hh", "W_hh"];
const INPUT: Names = ["weight_ih_l0", "weight_ih", "W_uh"];
const RECURRENT_BIAS: Names = ["bias_hh_l0", "bias_hh", "b_hh"];
const INPUT_BIAS: Names = ["bias_ih_l0", "bias_ih", "b"];

/// Whether a tensor goes by a name of the recurrent weights.
pub(super) fn is_recurrent(name: &str) -> bool {
    RECURRENT.contains(&last_part(name))
}

/// The units of a recurrent layer with weights of this shape, gates or not.
pub(super) fn shape_of_units(shape: &[usize]) -> Option<usize> {
    if let [_, columns] = shape { Some(*columns) } else { None }
}

fn names(tensors: &Tensors) -> String {
    if tensors.is_empty() {
        return "no tensors of floating-point numbers at all".into();
    }
    listed(tensors.keys().map(String::as_str))
}

pub(super) fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The one tensor whose name ends in a parameter's name.
fn find(tensors: &Tensors, wanted: Names) -> Result<&str, NetworkError> {
    let called = |wanted| tensors.keys().map(String::as_str).filter(move |name| last_part(name) == wanted);
    let found = wanted.map(|name| called(name).collect::<Vec<_>>()).into_iter().find(|found| !found.is_empty());
    match found.unwrap_or_default()[..] {
        [one] => Ok(one),
        [] => Err(NetworkError::Missing { wanted: wanted[0], found: names(tensors) }),
        ref several => Err(NetworkError::Ambiguous { wanted: wanted[0], candidates: listed(several.iter().copied()) }),
    }
}

/// Refuses what shares PyTorch's names with a plain layer: further layers, a second direction, gates.
fn require_one_plain_layer(tensors: &Tensors, recurrent: &str) -> Result<(), NetworkError> {
    let refuse = |name: &String, tensor: &Tensor, found| {
        let instead = "only one layer of a plain (Elman) network can be read";
        Err(NetworkError::Unsupported { name: name.clone(), shape: tensor.shape.clone(), found, instead })
    };
    for (name, tensor) in tensors {
        match last_part(name).strip_prefix("weight_hh_l") {
            Some(suffix) if suffix.ends_with("_reverse") => return refuse(name, tensor, "the second direction"),
            Some(suffix) if suffix != "0" => return refuse(name, tensor, "a further layer"),
            _ => {}
        }
        if name == recurrent {
            match tensor.shape[..] {
                [rows, columns] if rows > 0 && columns.checked_mul(4) == Some(rows) => {
                    return refuse(name, tensor, "an LSTM (four gates of as many rows as columns)");
                }
                [rows, columns] if rows > 0 && columns.checked_mul(3) == Some(rows) => {
                    return refuse(name, tensor, "a GRU (three gates of as many rows as columns)");
                }
                _ => {}
            }
        }
    }
    Ok(())
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
        ([], []) => Err(NetworkError::Missing { wanted: "readout.weight", found: names(tensors) }),
        ([], several) | (several, _) => {
            Err(NetworkError::Ambiguous { wanted: "readout.weight", candidates: listed(several.iter().copied()) })
        }
    }
}

fn matrix(tensors: &Tensors, name: &str) -> Result<Mat<f64>, NetworkError> {
    let Tensor { shape, values } = &tensors[name];
    // A size of zero lets the other be anything, also more than memory can index.
    match shape[..] {
        [rows, columns] if !values.is_empty() => Ok(Mat::from_fn(rows, columns, |i, j| values[i * columns + j])),
        _ => Err(NetworkError::NotAMatrix { name: name.into(), found: shape.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Initialization;
    use super::*;

    fn example() -> Network {
        Initialization::Uniform.network(5, 3, 2, Activation::Tanh, true, 1)
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
        (network.biases, network.readout_bias) = (None, None);
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
