//! Networks that PyTorch trained, and one of ours: what an independent implementation found in them is found again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::interpret::{InterpretParams, Interpretation, Question, Verdict, interpret};
use ketbra::memories::{Component, Method};
use ketbra::network::NetworkFile;
use ketbra::recurrence::Confidence;
use ketbra::run_folder::Trained;
use ketbra::task::Window;
use ketbra::train::cpu::CpuEngine;
use ketbra::train::{Choices, Job, Unobserved};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> NetworkFile {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    NetworkFile::open(&path).unwrap()
}

fn read(name: &str) -> Interpretation {
    let file = fixture(name);
    let task = file.window().unwrap().unwrap();
    let params = InterpretParams { methods: Method::ALL.to_vec(), ..InterpretParams::default() };
    interpret(&file.network, &Question::Task(task), &params, &|_| true).unwrap()
}

fn blind(name: &str) -> Interpretation {
    interpret(&fixture(name).network, &Question::Blind { s: 8 }, &InterpretParams::default(), &|_| true).unwrap()
}

#[test]
fn a_trained_circuit_is_recovered_with_its_spectrum() {
    let found = read("t3-h64-l2_0-seed01.safetensors");
    assert_eq!(found.verdict, Verdict::Circuit);
    let origin = found.spectrum.origin.as_ref().unwrap();
    assert_eq!((origin.found, origin.expected), (36, Some(36)));
    assert!((origin.error.unwrap() - 0.0049).abs() < 5e-5, "{:?}", origin.error);
    assert!(found.spectrum.orbit.error.unwrap() < 2e-4);
    assert!(found.memories.unwrap().worst >= 0.99 && found.accuracy.unwrap().value > 0.999);
}

/// Most of what this network holds outside its orbit's subspace is curvature: a reading taught by the first steps alone took
/// it for contents and got 4 % of a variable wrong.
#[test]
fn settled_states_are_read_rightly_where_the_orbit_is_strongly_curved() {
    let found = read("t4-h64-l2_0.001-seed102.safetensors");
    assert_eq!(found.verdict, Verdict::Circuit);
    let by_orbit = &found.methods.unwrap()["orbit"];
    assert!(by_orbit.worst >= 0.999 && found.memories.unwrap().worst >= 0.99, "{by_orbit:?}");
}

#[test]
fn the_authors_method_scores_as_it_did_for_them() {
    // Worst components found by an independent NumPy implementation on other inputs.
    for (name, worst) in [("t3-h64-l2_0-seed01.safetensors", 0.3435), ("t3-h64-l2_0.001-seed02.safetensors", 0.4648)] {
        let found = read(name).methods.unwrap()["power-reference"].worst;
        assert!((found - worst).abs() <= 0.02, "{name}: {found} against {worst}");
    }
}

#[test]
fn the_function_is_read_back_without_the_task() {
    let found = blind("t3-h64-l2_0-seed01.safetensors");
    let task = fixture("t3-h64-l2_0-seed01.safetensors").window().unwrap().unwrap();
    assert_eq!((found.confidence, found.verdict), (Confidence::High, Verdict::Circuit));
    assert_eq!(found.recurrence_in_words, task.recurrence());
    assert_eq!(found.task.core, Some(36));
}

#[test]
fn a_superposed_network_names_the_variables_that_are_not_linear() {
    let found = read("t3-h64-l2_0.001-seed02.safetensors");
    assert_eq!(found.verdict, Verdict::Superposed);
    assert_eq!((found.spectrum.orbit.found, found.spectrum.orbit.error), (30, None));
    // The components that ride, and here and there the host that they ride on.
    let named = |at: &Component| at.component == 3 || at.component == 1;
    assert!(found.not_linear.iter().any(|at| at.component == 3), "{:?}", found.not_linear);
    assert!(found.not_linear.iter().all(named), "{:?}", found.not_linear);
    assert!(found.methods.unwrap()["rollout"].worst >= 0.99);
    // One direction carries two components as four levels; taking +-1 into account reads them all.
    let shared = found.superposition.unwrap();
    assert_eq!((shared.held, shared.read_as_signs), (36, 36), "{shared:?}");
    assert!(shared.riders.iter().any(|rider| (rider.component, rider.host) == (3, 1)), "{shared:?}");
    let blind = blind("t3-h64-l2_0.001-seed02.safetensors");
    assert_eq!(blind.confidence, Confidence::Behaviour);
    assert_eq!(blind.recurrence, found.recurrence);
}

#[test]
fn repeat_copy_in_too_few_units_is_superposed() {
    assert_eq!(read("t1-h64-l2_0-seed01.safetensors").verdict, Verdict::Superposed);
}

#[test]
fn collapsed_weights_are_not_learned_and_no_number_is_nan() {
    let name = "t1-h128-l2_0.1-seed01.safetensors";
    for (found, verdict) in [(read(name), Verdict::NotLearned), (blind(name), Verdict::Silent)] {
        assert_eq!(found.verdict, verdict);
        assert_eq!(found.recurrence, None);
        let text = serde_json::to_string(&found).unwrap();
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let bytes = || serde_json::to_string(&read("t3-h64-l2_0-seed01.safetensors")).unwrap();
    assert_eq!(bytes(), bytes());
}

#[test]
fn the_matrices_travel_in_one_file() {
    let found = read("t3-h64-l2_0-seed01.safetensors");
    let bytes = found.matrices().unwrap();
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    for (name, shape) in [
        ("orbit.memories", [64, 36]),
        ("orbit.readers", [36, 64]),
        ("power.remainder", [64, 10]),
        ("dual.circuit", [46, 46]),
    ] {
        assert_eq!(file.tensor(name).unwrap().shape(), shape, "{name}");
    }
    // Row-major: the second number is the first memory of the second component.
    let second = f64::from_le_bytes(file.tensor("orbit.memories").unwrap().data()[8..16].try_into().unwrap());
    let frame = found.details.memories.iter().find(|memories| memories.method == Method::Orbit).unwrap();
    assert_eq!(second, frame.frame.as_ref().unwrap().memories[(0, 1)]);
}

/// Training that is cut short leaves networks that err often: they have not learned their task, whatever shares directions in them.
#[test]
fn undertrained_networks_are_not_superposed() {
    let mut erring = 0;
    for (steps, seed) in [(150, 1), (300, 1), (500, 2), (800, 3)] {
        let task = Window::named("compose-copy", Some(4), Some(4)).unwrap();
        let choices = Choices { hidden: Some(20), steps: Some(steps), seed: Some(seed), ..Choices::default() };
        let (params, start) = choices.params(&task.clone().into()).unwrap();
        let job = Job { task: task.clone().into(), params, start };
        let network = Trained::in_memory(&job, &CpuEngine::default(), &Unobserved).unwrap().state.network;
        let found = interpret(&network, &Question::Task(task), &InterpretParams::default(), &|_| true).unwrap();
        let accuracy = found.accuracy.unwrap().value;
        erring += usize::from(accuracy < 0.875);
        let right = accuracy >= 0.875 || !matches!(found.verdict, Verdict::Superposed | Verdict::Circuit);
        assert!(right, "{steps} steps: {:?} at {accuracy}", found.verdict);
    }
    assert!(erring >= 2, "{erring}");
}
