//! Tensors beside a network that was found in a file: a model that uses them is another one.

use super::tensors::last_part;
use super::{NetworkError, Tensor, Tensors};

/// What a learned initial state is called, in lower case and without underscores.
const INITIAL_STATES: [&str; 8] =
    ["h0", "hinit", "hiddeninit", "inithidden", "initialhidden", "initialstate", "initstate", "hidden0"];

/// The names of the tensors that are not used; refuses those that certainly change what the network computes.
pub(super) fn of(tensors: &Tensors, used: &[&str], readout: &str, hidden: usize) -> Result<Vec<String>, NetworkError> {
    let mut names = vec![];
    for (name, tensor) in tensors.iter().filter(|(name, _)| !used.contains(&name.as_str())) {
        let refuse = |found, instead| {
            Err(NetworkError::Unsupported { name: name.clone(), shape: tensor.shape.clone(), found, instead })
        };
        if is_layer_of_the_readout(name, tensor, readout) {
            return refuse(
                "a further layer beside the readout",
                "only a linear readout can be read: train or export a model whose outputs are one matrix times the state",
            );
        }
        if is_initial_state(name, tensor, hidden) {
            if tensor.values.iter().any(|value| *value != 0.0) {
                return refuse(
                    "a learned initial state",
                    "networks are read as starting at zero: train or export a model without it",
                );
            }
            // A state of zeros is where every network starts.
            continue;
        }
        names.push(name.clone());
    }
    Ok(names)
}

/// Whether a matrix is a layer of the same head as the readout: `head.2.weight` beside `head.0.weight`, `fc2.weight` beside `fc1.weight`.
fn is_layer_of_the_readout(name: &str, tensor: &Tensor, readout: &str) -> bool {
    let is_weight = last_part(name) == "weight" && tensor.shape.len() == 2;
    is_weight && head(name).is_some() && head(name) == head(readout)
}

/// The name of a layer without its number: nothing where it has no more than that.
fn head(name: &str) -> Option<&str> {
    let layer = name.strip_suffix(".weight")?.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('.');
    (!layer.is_empty()).then_some(layer)
}

fn is_initial_state(name: &str, tensor: &Tensor, hidden: usize) -> bool {
    let word = last_part(name).to_ascii_lowercase().replace('_', "");
    tensor.values.len() == hidden && INITIAL_STATES.contains(&word.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::{Activation, Architecture, Initialization, Network};
    use super::*;

    fn read_with(extra: &[(&str, &[usize], f64)]) -> Result<Vec<String>, String> {
        let network = Initialization::Uniform.network(&Architecture::elman(5, Activation::Tanh, true), 3, 2, 1);
        let mut tensors: Tensors = network.to_tensors();
        for name in ["weight", "bias"] {
            let readout = tensors.remove(&format!("readout.{name}")).unwrap();
            tensors.insert(format!("head.0.{name}"), readout);
        }
        for (name, shape, value) in extra {
            let values = vec![*value; shape.iter().product()];
            tensors.insert((*name).into(), Tensor { shape: shape.to_vec(), values });
        }
        let read = Network::from_tensors_with_unused(&tensors, Activation::Tanh);
        read.map(|(_, rest)| rest).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_part_of_the_network_is_named() {
        assert_eq!(read_with(&[]), Ok(vec![]));
        let beside: [(&str, &[usize], f64); 3] =
            [("norm.weight", &[5], 1.0), ("encoder.weight", &[3, 3], 1.0), ("rnn.h_0", &[1, 1, 5], 0.0)];
        assert_eq!(read_with(&beside), Ok(vec!["encoder.weight".into(), "norm.weight".into()]));
    }

    #[test]
    fn a_further_layer_of_the_readout_is_refused() {
        let message = read_with(&[("head.2.weight", &[2, 2], 1.0)]).unwrap_err();
        assert!(
            message.starts_with("head.2.weight with shape [2, 2] is a further layer beside the readout"),
            "{message}"
        );
    }

    #[test]
    fn a_learned_initial_state_is_refused() {
        for name in ["h0", "model.initial_state", "rnn.h_0"] {
            let message = read_with(&[(name, &[1, 5], 0.1)]).unwrap_err();
            assert!(message.contains("is a learned initial state; networks are read as starting at zero"), "{message}");
        }
    }
}
