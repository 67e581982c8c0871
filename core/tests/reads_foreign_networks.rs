//! Files that PyTorch and NumPy wrote (`fixtures/import/make.py`) come in with every number in its place.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use ketbra::network::{Activation, CellKind, NetworkError, NetworkFile};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import").join(name)
}

/// Opens a foreign file, compares it to what the script that made it wrote down, and returns it.
fn agrees(name: &str) -> NetworkFile {
    let found = NetworkFile::open(&fixture(name)).unwrap();
    let stem = name.split('.').next().unwrap();
    let expected = NetworkFile::open(&fixture(&format!("{stem}.expected.safetensors"))).unwrap();
    assert_eq!(found.network, expected.network, "{name}");
    for (key, value) in &expected.metadata {
        let found = found.metadata.get(key).or(found.metadata.get("nonlinearity").filter(|_| key == "activation"));
        assert_eq!(found, Some(value), "{name}: {key}");
    }
    found
}

fn refused(name: &str) -> String {
    NetworkFile::open(&fixture(name)).unwrap_err().to_string()
}

#[test]
fn a_state_dict_is_read() {
    let network = agrees("state_dict.pt").network;
    assert_eq!((network.hidden(), network.inputs(), network.outputs()), (6, 3, 2));
    assert!(!network.has_bias());
}

#[test]
fn a_state_dict_in_a_checkpoint_with_biases_under_a_prefix_is_read() {
    let file = agrees("prefixed.pth");
    assert!(file.network.as_elman().unwrap().biases.is_some() && file.network.readout.bias.is_some());
    assert_eq!(file.metadata["epoch"], "3");
    assert_eq!(file.metadata["loss"], "0.25");
}

#[test]
fn doubles_keep_every_digit() {
    agrees("float64.pt");
}

#[test]
fn halves_of_both_kinds_are_widened() {
    agrees("halves.pt");
}

#[test]
fn transposed_offset_and_sliced_views_keep_their_order() {
    agrees("views.pt");
}

#[test]
fn parameters_are_read_and_whole_numbers_beside_them_are_left_out() {
    agrees("parameters.pt");
}

#[test]
fn a_lightning_checkpoint_gives_its_weights_activation_and_task() {
    let file = agrees("lightning.ckpt");
    assert_eq!(file.network.activation(), Some(Activation::Relu));
    assert_eq!(file.metadata["task"], "repeat_copy");
}

#[test]
fn a_whole_pickled_module_of_an_unknown_class_gives_its_parameters() {
    assert_eq!(agrees("whole_module.pt").metadata["activation"], "tanh");
}

#[test]
fn newer_pickle_protocols_are_read() {
    agrees("protocol5.pt");
}

#[test]
fn an_rnn_cell_is_read() {
    agrees("cell.pt");
}

#[test]
fn stored_arrays_are_read() {
    agrees("stored.npz");
}

#[test]
fn deflated_arrays_of_both_byte_orders_and_layouts_are_read_with_their_settings() {
    assert_eq!(agrees("deflated.npz").metadata["task"], "T2");
}

#[test]
fn the_contents_decide_and_not_the_name() {
    let folder = tempfile::tempdir().unwrap();
    for (from, to) in [("state_dict.pt", "a.npz"), ("stored.npz", "a.pt"), ("state_dict.expected.safetensors", "a")] {
        let path = folder.path().join(to);
        std::fs::copy(fixture(from), &path).unwrap();
        assert_eq!(NetworkFile::open(&path).unwrap().network, NetworkFile::open(&fixture(from)).unwrap().network);
    }
}

#[test]
fn a_run_folder_is_opened_by_its_network() {
    let folder = tempfile::tempdir().unwrap();
    let file = NetworkFile::open(&fixture("state_dict.pt")).unwrap();
    file.save(&folder.path().join(NetworkFile::FILE_NAME)).unwrap();
    assert_eq!(NetworkFile::open(folder.path()).unwrap().network, file.network);
    let empty = tempfile::tempdir().unwrap();
    let error = NetworkFile::open(empty.path()).unwrap_err().to_string();
    assert!(error.contains("network.safetensors"), "{error}");
}

#[test]
fn the_format_of_torch_before_1_6_is_refused_with_the_way_out() {
    assert!(refused("legacy.pt").contains("torch.save(model.state_dict(), PATH)"), "{}", refused("legacy.pt"));
}

#[test]
fn torchscript_is_refused_with_the_way_out() {
    assert!(refused("script.pt").contains("TorchScript program"), "{}", refused("script.pt"));
}

#[test]
fn other_cells_and_stacks_are_read_for_what_they_are() {
    for (name, kind, layers) in
        [("lstm.pt", CellKind::Lstm, 1), ("gru.pt", CellKind::Gru, 1), ("two_layers.pt", CellKind::Elman, 2)]
    {
        let network = NetworkFile::open(&fixture(name)).unwrap().network;
        assert_eq!((network.kind(), network.layers.len(), network.hidden()), (Some(kind), layers, 6), "{name}");
    }
}

#[test]
fn a_second_direction_is_refused_with_its_reason() {
    let said = refused("bidirectional.pt");
    let found = "rnn.weight_hh_l0_reverse with shape [6, 6] is the second direction of a bidirectional layer";
    assert!(said.contains(found) && said.contains("bidirectional=False"), "{said}");
}

#[test]
fn something_else_is_refused_as_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "weights: see the other file").unwrap();
    assert!(matches!(NetworkFile::open(&path), Err(NetworkError::UnknownFormat { .. })));
    assert!(matches!(NetworkFile::open(&folder.path().join("nothing.pt")), Err(NetworkError::Io { .. })));
    #[cfg(unix)]
    assert!(matches!(NetworkFile::open(Path::new("/dev/zero")), Err(NetworkError::UnknownFormat { .. })));
}
