//! `ketbra linearize` from the outside.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::{ketbra, refuses, succeeds};
use ketbra::network::{Activation, Architecture, Biases, Initialization, Metadata, Network, NetworkFile};
use serde_json::Value;
use std::path::Path;

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/fixtures").join(name).to_string_lossy().into_owned()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&succeeds(&ketbra(arguments))).unwrap()
}

/// Two units that amplify and know nothing of each other: x = tanh(gain x + bias) has three solutions each without bias.
fn two_units(folder: &Path, bias: f64) -> String {
    let mut network: Network =
        Initialization::Uniform.network(&Architecture::elman(2, Activation::Tanh, false), 1, 1, 1);
    let cell = network.as_elman_mut().unwrap();
    cell.recurrent_weights.fill(0.0);
    (cell.recurrent_weights[(0, 0)], cell.recurrent_weights[(1, 1)]) = (2.0, 1.5);
    cell.biases = (bias != 0.0).then(|| Biases { input: vec![bias, 0.0], recurrent: vec![0.0; 2] });
    let path = folder.join("two.safetensors");
    NetworkFile::new(network, Metadata::new()).save(&path).unwrap();
    path.to_string_lossy().into_owned()
}

#[test]
fn a_trained_network_is_linearized_at_all_three_places() {
    let found = json(&["linearize", &fixture("t3-h64-l2_0-seed01.safetensors"), "--json", "--starts", "16"]);
    for place in ["origin", "orbit"] {
        assert_eq!((&found[place]["found"], &found[place]["expected"]), (&36.into(), &36.into()), "{place}");
    }
    let points = found["fixed_points"]["points"].as_array().unwrap();
    let origin = points.iter().find(|point| point["distance"].as_f64().unwrap() < 1e-6).unwrap();
    assert_eq!((&origin["spectrum"]["found"], &origin["is_stable"]), (&36.into(), &false.into()));
    assert_eq!(origin["spectrum"]["error"], found["origin"]["error"]);
    assert!(points.iter().all(|point| point["q"].as_f64().unwrap() <= 1e-6));
}

#[test]
fn the_fixed_points_of_a_network_without_a_task_are_found_with_their_stability() {
    let folder = tempfile::tempdir().unwrap();
    let net = two_units(folder.path(), 0.0);
    let found = json(&["linearize", &net, "--json", "--jacobians"]);
    let points = found["fixed_points"]["points"].as_array().unwrap();
    assert_eq!((points.len(), &found["fixed_points"]["fixed"], &found["task"]), (9, &9.into(), &Value::Null));
    assert_eq!(points.iter().filter(|point| point["is_stable"] == true).count(), 4);
    assert!(points.iter().all(|point| point["unstable"].as_u64().unwrap() <= 2));
    assert!(points[..4].iter().all(|point| point["is_stable"] == true), "stable points come first");
    let origin = &points[8];
    assert_eq!(
        (&origin["unstable"], &origin["J_xstar"][0][0], &origin["J_xstar"][0][1]),
        (&2.into(), &2.0.into(), &0.0.into())
    );
    assert_eq!(origin["dFdu"].as_array().unwrap().len(), 2);
}

#[test]
fn an_lstm_is_linearized_by_h_c_and_input() {
    let net = fixture("networks/lstm-t3-h128.safetensors");
    let found = json(&["linearize", &net, "--at", "fixed-points", "--starts", "4", "--json", "--jacobians"]);
    let part = |k: usize, name: &str| found["state"][k][name].clone();
    assert_eq!(
        (part(0, "part"), part(0, "to"), part(1, "part"), part(1, "to")),
        ("h".into(), 128.into(), "c".into(), 256.into())
    );
    let point = &found["fixed_points"]["points"][0];
    let size = |name: &str| (point[name].as_array().unwrap().len(), point[name][0].as_array().unwrap().len());
    assert_eq!((size("J_xstar"), size("dFdu")), ((256, 256), (256, 8)));
}

#[test]
fn biases_and_a_constant_input_move_the_fixed_points() {
    let folder = tempfile::tempdir().unwrap();
    let net = two_units(folder.path(), 1.5);
    // With so much bias the first unit has one point left; the second has its three.
    let biased = json(&["linearize", &net, "--at", "fixed-points", "--json"]);
    assert_eq!(biased["fixed_points"]["fixed"], 3);
    assert!(biased["fixed_points"]["points"][0]["xstar"][0].as_f64().unwrap() > 0.9);
    let driven = json(&["linearize", &net, "--at", "fixed-points", "--json", "--input", "-0.5"]);
    assert_ne!(driven["fixed_points"]["points"][0]["xstar"], biased["fixed_points"]["points"][0]["xstar"]);
}

#[test]
fn a_person_reads_places_points_and_doubts() {
    let said = succeeds(&ketbra(&["linearize", &fixture("t3-h64-l2_0-seed01.safetensors"), "--starts", "8"]));
    for wanted in ["origin", "orbit", "36 of  36 eigenvalues", "Fixed points, from 113 starts", "unstable"] {
        assert!(said.contains(wanted), "no '{wanted}' in:\n{said}");
    }
}

#[test]
fn what_cannot_be_linearized_is_refused_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let net = two_units(folder.path(), 0.0);
    assert!(refuses(&ketbra(&["linearize", &net, "--at", "orbit"])).contains("--blind and --s N"));
    assert!(refuses(&ketbra(&["linearize", &net, "--input", "1,2"])).contains("constant input"));
    assert!(refuses(&ketbra(&["linearize", &net, "--at", "somewhere"])).contains("fixed-points"));
}

#[test]
fn a_flip_flop_is_listed_memories_first_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let net = fixture("networks/flip-flop-h24.safetensors");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let said = succeeds(&ketbra(&["linearize", &net, "--at", "fixed-points", "--figure", &at("points.svg")]));
    let counts = "\n  8 stable, 12 with 1 unstable direction, 6 with 2, 1 with 3";
    assert!(said.contains(counts) && said.contains("leads to"), "{said}");
    let rows: Vec<&str> = said.lines().filter(|line| line.contains(" yes ") || line.contains(" no ")).collect();
    assert!(rows.len() == 27 && rows[..8].iter().all(|row| row.contains(" yes ")), "{said}");
    let svg = std::fs::read_to_string(at("points.svg")).unwrap();
    for wanted in ["stable (8)", "1 unstable mode (12)", "3 unstable modes (1)", "PC 3", "where modes lead"] {
        assert!(svg.contains(wanted), "no '{wanted}'");
    }
    succeeds(&ketbra(&["linearize", &net, "--at", "fixed-points", "--figure", &at("points.png"), "--json"]));
    assert!(std::fs::read(at("points.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn connections_and_counts_are_in_the_json() {
    let found = json(&["linearize", &fixture("networks/flip-flop-h24.safetensors"), "--at", "fixed-points", "--json"]);
    let found = &found["fixed_points"];
    assert_eq!((&found["counts"]["stable"], &found["counts"]["unstable"]["2"]), (&8.into(), &6.into()));
    let connections = found["connections"].as_array().unwrap();
    let is_stable = |k: &Value| found["points"][k.as_u64().unwrap() as usize]["is_stable"] == true;
    assert!(connections.len() >= 54 && connections.iter().all(|line| is_stable(&line["target"])));
    assert_eq!(found["slow_manifold"], Value::Null);
}

#[test]
fn figures_that_cannot_be_meant_are_refused() {
    let net = fixture("networks/flip-flop-h24.safetensors");
    assert!(refuses(&ketbra(&["linearize", &net, "--figure", "points.gif"])).contains("must end in .svg or .png"));
    let elsewhere = ketbra(&["linearize", &net, "--at", "origin", "--figure", "points.svg"]);
    assert!(refuses(&elsewhere).contains("add fixed-points to --at"));
    assert!(refuses(&ketbra(&["linearize", &net, "--max-points", "0"])).contains("from 1 to 10000"));
}

#[test]
fn what_is_assumed_of_a_foreign_file_is_said() {
    let folder = tempfile::tempdir().unwrap();
    // A state_dict: its activation is in no file, and it has no readout.
    let network = Initialization::Uniform.network(&Architecture::elman(6, Activation::Relu, false), 3, 2, 1);
    let mut tensors = network.to_tensors();
    tensors.remove("readout.weight");
    let path = folder.path().join("cell.safetensors");
    save_tensors(&path, &tensors);
    let path = path.to_string_lossy();
    let said = |more: &[&str]| {
        let found = json(&[&["linearize", &path, "--at", "fixed-points", "--starts", "8", "--json"], more].concat());
        let doubts = found["fixed_points"]["doubts"].as_array().unwrap().clone();
        doubts.iter().map(|doubt| doubt["message"].as_str().unwrap().to_string()).collect::<Vec<_>>().join("\n")
    };
    let plain = said(&[]);
    assert!(plain.contains("tanh was assumed") && plain.contains("all 3 inputs are zero"), "{plain}");
    let known = said(&["--activation", "relu", "--input", "1,0,0"]);
    assert!(!known.contains("assumed") && !known.contains("zero"), "{known}");
    let shown = succeeds(&ketbra(&["linearize", &path, "--starts", "8"]));
    assert!(shown.contains("pass --activation") && shown.contains("--input"), "{shown}");
    assert!(refuses(&ketbra(&["interpret", &path, "--blind", "--s", "4"])).contains("readout.weight"));
}

/// Tensors as a safetensors file of their own.
fn save_tensors(path: &Path, tensors: &ketbra::network::Tensors) {
    let (mut header, mut bytes) = (serde_json::Map::new(), vec![]);
    for (name, tensor) in tensors {
        let begin = bytes.len();
        bytes.extend(tensor.values.iter().flat_map(|x| x.to_le_bytes()));
        header.insert(
            name.clone(),
            serde_json::json!({ "dtype": "F64", "shape": tensor.shape, "data_offsets": [begin, bytes.len()] }),
        );
    }
    let header = Value::Object(header).to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.bytes());
    file.extend(bytes);
    std::fs::write(path, file).unwrap();
}
