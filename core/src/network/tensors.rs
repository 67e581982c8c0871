//! Networks as named tensors, under PyTorch's parameter names.

use super::{Activation, Biases, Network, NetworkError};
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
    /// The readout is `readout.weight`, or else the only other matrix `*.weight` with H columns.
    pub fn from_tensors(tensors: &Tensors, activation: Activation) -> Result<Self, NetworkError> {
        let recurrent_weights = matrix(tensors, find(tensors, "weight_hh_l0")?)?;
        let input_weights = matrix(tensors, find(tensors, "weight_ih_l0")?)?;
        let readout_name = find_readout(tensors, recurrent_weights.ncols())?;
        let readout_weights = matrix(tensors, readout_name)?;
        let optional = |name: &str| tensors.get(name).map(|tensor| tensor.values.clone());
        let bias = |wanted| match find(tensors, wanted) {
            Ok(name) => Ok(optional(name)),
            Err(NetworkError::Missing { .. }) => Ok(None),
            Err(other) => Err(other),
        };
        let biases = match (bias("bias_ih_l0")?, bias("bias_hh_l0")?) {
            (None, None) => None,
            (input, recurrent) => {
                let zero = || vec![0.0; recurrent_weights.nrows()];
                Some(Biases { input: input.unwrap_or_else(zero), recurrent: recurrent.unwrap_or_else(zero) })
            }
        };
        let readout_bias = optional(&readout_name.replace("weight", "bias"));
        let network = Self { activation, input_weights, recurrent_weights, readout_weights, biases, readout_bias };
        network.check()?;
        Ok(network)
    }
}

fn names(tensors: &Tensors) -> String {
    tensors.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// The one tensor whose name ends in a parameter's name.
fn find<'a>(tensors: &'a Tensors, wanted: &'static str) -> Result<&'a str, NetworkError> {
    let found: Vec<&str> =
        tensors.keys().map(String::as_str).filter(|name| name.rsplit('.').next() == Some(wanted)).collect();
    match found[..] {
        [one] => Ok(one),
        [] => Err(NetworkError::Missing { wanted, found: names(tensors) }),
        _ => Err(NetworkError::Ambiguous { wanted, candidates: found.join(", ") }),
    }
}

fn find_readout(tensors: &Tensors, hidden: usize) -> Result<&str, NetworkError> {
    let is_readout = |name: &str| name == "readout.weight" || name.ends_with(".readout.weight");
    let fits = |(name, tensor): &(&String, &Tensor)| {
        name.rsplit('.').next() == Some("weight") && tensor.shape.len() == 2 && tensor.shape[1] == hidden
    };
    let named: Vec<&str> = tensors.keys().map(String::as_str).filter(|name| is_readout(name)).collect();
    let fitting: Vec<&str> = tensors.iter().filter(fits).map(|(name, _)| name.as_str()).collect();
    match (&named[..], &fitting[..]) {
        ([one], _) | ([], [one]) => Ok(one),
        ([], []) => Err(NetworkError::Missing { wanted: "readout.weight", found: names(tensors) }),
        ([], several) | (several, _) => {
            Err(NetworkError::Ambiguous { wanted: "readout.weight", candidates: several.join(", ") })
        }
    }
}

fn matrix(tensors: &Tensors, name: &str) -> Result<Mat<f64>, NetworkError> {
    let Tensor { shape, values } = &tensors[name];
    let &[rows, columns] = &shape[..] else {
        return Err(NetworkError::Shape { name: name.into(), found: shape.clone(), expected: vec![0, 0] });
    };
    Ok(Mat::from_fn(rows, columns, |i, j| values[i * columns + j]))
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
