//! Checkpoints as people save them: settings spelled their way, tensors that repeat a number, more than one network holds.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use crate::hostile::*;
use ketbra::network::{Activation, NetworkError, NetworkFile};
use std::path::Path;

fn read(weights: &[Weight]) -> Result<NetworkFile, NetworkError> {
    let file = pytorch(&[state_dict(weights), b".".to_vec()].concat(), weights);
    NetworkFile::from_bytes(&file, Path::new("net.pt"), None)
}

/// A checkpoint with a state dict and, under `key`, what `settings` builds.
fn checkpoint(key: &str, settings: &[u8]) -> Result<NetworkFile, NetworkError> {
    let weights = state_dict(&weights());
    let program = [b"\x80\x02}(", &text("state_dict")[..], &weights[2..], &text(key), settings, b"u."].concat();
    NetworkFile::from_bytes(&pytorch(&program, &crate::hostile::weights()), Path::new("net.ckpt"), None)
}

fn dictionary(key: &str, value: &[u8]) -> Vec<u8> {
    [b"}(", &text(key)[..], value, b"u"].concat()
}

#[test]
fn a_bias_repeated_out_of_one_number_is_read() {
    let bias = Weight { shape: vec![3], strides: vec![0], length: 1, ..matrix("rnn.bias_ih_l0", 1, 1) };
    let network = read(&weights().into_iter().chain([bias]).collect::<Vec<_>>()).unwrap().network;
    assert_eq!(network.as_elman().unwrap().biases.as_ref().unwrap().input, [0.0; 3]);
}

#[test]
fn activations_are_known_by_every_spelling() {
    for spelling in ["relu", "ReLU", "torch.relu", "nn.ReLU()", "torch.nn.functional.relu"] {
        let file = checkpoint("hyper_parameters", &dictionary("activation", &text(spelling))).unwrap();
        assert_eq!(file.network.activation(), Some(Activation::Relu), "{spelling}");
    }
    let class = b"ctorch.nn.modules.activation\nReLU\n";
    let file = checkpoint("hparams", &dictionary("nonlinearity", class)).unwrap();
    assert_eq!(file.network.activation(), Some(Activation::Relu));
}

#[test]
fn an_activation_is_found_one_level_deeper() {
    let model = dictionary("model", &dictionary("activation", &text("nn.Tanh")));
    assert!(checkpoint("config", &model).unwrap().says_activation());
    let model = dictionary("model", &dictionary("activation", &text("relu")));
    assert_eq!(checkpoint("config", &model).unwrap().network.activation(), Some(Activation::Relu));
}

#[test]
fn an_activation_that_is_given_counts_more_than_what_the_file_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    let mut file = read(&weights()).unwrap();
    assert!(!file.says_activation() && file.network.activation() == Some(Activation::Tanh));
    file.network.as_elman_mut().unwrap().activation = Activation::Relu;
    file.save(&path).unwrap();
    let opened = NetworkFile::open_as(&path, Some(Activation::Identity)).unwrap();
    assert_eq!((opened.network.activation(), opened.says_activation()), (Some(Activation::Identity), true));
    let said = checkpoint("config", &dictionary("activation", &text("gelu"))).unwrap_err().to_string();
    assert!(said.contains("unknown variant `gelu`") && said.contains("pass activation"), "{said}");
}

#[test]
fn tensors_beside_the_network_are_named() {
    let norm = Weight { shape: vec![3], strides: vec![1], ..matrix("norm.weight", 1, 3) };
    let beside = [matrix("encoder.weight", 2, 2), norm];
    let file = read(&weights().into_iter().chain(beside).collect::<Vec<_>>()).unwrap();
    assert_eq!(file.unused, ["encoder.weight", "norm.weight"]);
    assert!(read(&weights()).unwrap().unused.is_empty());
}

#[test]
fn a_readout_of_several_layers_and_a_learned_initial_state_are_refused() {
    let head = vec![
        matrix("rnn.weight_ih_l0", 3, 2),
        matrix("rnn.weight_hh_l0", 3, 3),
        matrix("head.0.weight", 4, 3),
        matrix("head.2.weight", 1, 4),
    ];
    let said = read(&head).unwrap_err().to_string();
    assert!(
        said.starts_with("net.pt: head.2.weight with shape [1, 4] is a further layer beside the readout"),
        "{said}"
    );
    let start = weights().into_iter().chain([matrix("h0", 1, 3)]).collect::<Vec<_>>();
    assert!(read(&start).unwrap_err().to_string().contains("h0 with shape [1, 3] is a learned initial state"));
}

#[test]
fn what_is_wrong_with_a_network_names_its_file() {
    let without = weights().into_iter().filter(|weight| weight.name != "rnn.weight_hh_l0").collect::<Vec<_>>();
    let said = read(&without).unwrap_err().to_string();
    assert!(said.starts_with("net.pt: there is no tensor 'weight_hh_l0'"), "{said}");
}

#[test]
fn names_that_steer_a_terminal_are_shown_harmless() {
    let weights = [matrix("\u{1b}[31mred\n\nfake: ok", 2, 2)];
    let said = read(&weights).unwrap_err().to_string();
    assert!(said.contains("\\u{1b}[31mred\\n\\nfake: ok") && !said.contains(['\u{1b}', '\n']), "{said}");
}

#[test]
fn a_folder_of_networks_says_how_to_pass_them() {
    let folder = tempfile::tempdir().unwrap();
    let refused = || NetworkFile::open(folder.path()).unwrap_err().to_string();
    assert!(refused().contains("pass a run folder"), "{}", refused());
    for name in ["a.safetensors", "b.safetensors"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    assert!(refused().contains("pass the 2 networks in it") && refused().contains("*.safetensors"), "{}", refused());
}

#[test]
fn a_safetensors_file_that_is_cut_short_says_what_to_do() {
    let bytes = read(&weights()).unwrap().to_safetensors().unwrap();
    for length in [0, 4, 20, bytes.len() - 1] {
        let error =
            NetworkFile::from_bytes(&bytes[..length], Path::new("net.safetensors"), None).unwrap_err().to_string();
        assert!(error.contains("copy or download it again"), "{error}");
    }
}
