//! A trained network is reprogrammed with no gradient step.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::edit::{Change, EditParams, Mode, edit};
use ketbra::interpret::{InterpretParams, Question, Verdict, interpret};
use ketbra::network::{Activation, Architecture, Biases, Initialization, NetworkFile};
use ketbra::numeric::Svd;
use ketbra::task::{Source, Window};
use std::path::Path;

fn t3() -> (NetworkFile, Window) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/t3-h64-l2_0-seed01.safetensors");
    (NetworkFile::open(&path).unwrap(), Window::named("T3", None, None).unwrap())
}

/// Twice as many units, with room for a change of the weights that leaves the inputs alone.
fn roomy_t3() -> (NetworkFile, Window) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/networks/t3-h128.safetensors");
    (NetworkFile::open(&path).unwrap(), Window::named("T3", None, None).unwrap())
}

#[test]
fn another_task_runs_from_loaded_variables_and_from_raw_inputs() {
    let (file, task) = t3();
    let to = Window::named("T4", None, None).unwrap();
    let edited = edit(&file.network, &task, &Change::To(to.clone()), &EditParams::default()).unwrap();
    let accuracy = edited.accuracy;
    assert!(accuracy.before < 0.6 && accuracy.loaded >= 0.999 && accuracy.from_inputs >= 0.999, "{accuracy:?}");
    assert_ne!(edited.mode, Mode::Transplant);
    let found = interpret(&edited.network, &Question::Blind { s: 8 }, &InterpretParams::default(), &|_| true).unwrap();
    assert_eq!((found.verdict, found.recurrence_in_words), (Verdict::Circuit, to.recurrence()));
}

#[test]
fn one_sign_and_one_entry_can_be_changed() {
    let (file, task) = t3();
    let source = Source { lag: 3, component: 1, negated: false };
    for change in [Change::Sign { output: 1 }, Change::Entry { output: 1, source }] {
        let edited = edit(&file.network, &task, &change, &EditParams::default()).unwrap();
        let accuracy = edited.accuracy;
        assert!(accuracy.before < 0.95 && accuracy.loaded >= 0.999 && accuracy.from_inputs >= 0.99, "{accuracy:?}");
    }
}

#[test]
fn the_least_change_adds_a_matrix_of_rank_d_at_most_and_leaves_the_readout_alone() {
    let (file, task) = roomy_t3();
    let least = EditParams { mode: Some(Mode::Least), ..EditParams::default() };
    let change = Change::Sign { output: 1 };
    let edited = edit(&file.network, &task, &change, &least).unwrap();
    let own = EditParams { mode: Some(Mode::SameCode), ..EditParams::default() };
    let own = edit(&file.network, &task, &change, &own).unwrap();
    assert!(edited.accuracy.loaded >= 0.999 && edited.accuracy.from_inputs >= 0.999, "{:?}", edited.accuracy);
    assert!(edited.changed.share < 0.5 * own.changed.share, "{} {}", edited.changed.share, own.changed.share);
    assert!(edited.network.readout == file.network.readout);
    assert_eq!(edited.input_change, 0.0, "its own inputs still load one output that says the opposite");
    let added = Svd::of(
        &(&edited.network.as_elman().unwrap().recurrent_weights - &file.network.as_elman().unwrap().recurrent_weights),
    )
    .unwrap()
    .values;
    assert!(added[1] < 1e-9 * added[0], "one sign is one direction: {:?}", &added[..3]);
}

#[test]
fn the_least_change_comes_first_where_it_does_the_new_task() {
    let (file, task) = roomy_t3();
    let (usual, change) = (EditParams::default(), Change::Sign { output: 1 });
    let chosen = edit(&file.network, &task, &change, &usual).unwrap();
    let asked = edit(&file.network, &task, &change, &EditParams { mode: Some(Mode::Least), ..usual.clone() }).unwrap();
    assert_eq!(chosen.mode, Mode::Least);
    assert!(chosen.network == asked.network && chosen.changed.share < 0.4, "{}", chosen.changed.share);
    // u8 is kept for two steps only, so that something else must do.
    let source = Source { lag: 5, component: 7, negated: false };
    let chosen = edit(&file.network, &task, &Change::Entry { output: 1, source }, &usual).unwrap();
    assert!(
        chosen.mode > Mode::Least && chosen.accuracy.from_inputs >= 0.99,
        "{:?} {:?}",
        chosen.mode,
        chosen.accuracy
    );
}

#[test]
fn the_least_change_keeps_the_biases_of_a_network_that_has_them() {
    let (file, task) = roomy_t3();
    let mut network = file.network;
    // Small enough that the network still does its task, and around another state than zero.
    let cell = network.as_elman_mut().unwrap();
    let (input, recurrent) = ((0..128).map(|i| 0.01 * f64::from(i % 5)).collect(), vec![0.0; 128]);
    cell.biases = Some(Biases { input, recurrent });
    let edited = edit(&network, &task, &Change::Sign { output: 1 }, &EditParams::default()).unwrap();
    assert_eq!((edited.mode, edited.biases_dropped), (Mode::Least, false));
    assert!(edited.accuracy.from_inputs >= 0.99, "{:?}", edited.accuracy);
}

#[test]
fn the_least_change_names_a_content_that_the_network_does_not_hold() {
    let (file, task) = t3();
    let least = EditParams { mode: Some(Mode::Least), ..EditParams::default() };
    // u8 is kept for two steps only.
    let source = Source { lag: 5, component: 7, negated: false };
    let error = edit(&file.network, &task, &Change::Entry { output: 1, source }, &least).unwrap_err().to_string();
    assert!(error.contains("u8 in variable") && error.contains("without least"), "{error}");
}

#[test]
fn a_variable_kept_less_strongly_speaks_more_softly() {
    let (file, task) = t3();
    let size = |strength: f64| {
        let change = Change::Strength { variable: 8, strength };
        let edited = edit(&file.network, &task, &change, &EditParams::default()).unwrap();
        let inputs = vec![1.0; 8 * 8];
        let trajectory = edited.network.run(&inputs, 1, 40);
        edited.network.read(trajectory.states[40].as_ref()).norm_l2()
    };
    let (soft, plain) = (size(0.7), size(1.0));
    assert!(soft < 0.9 * plain, "{soft} against {plain}");
}

#[test]
fn a_collapsed_network_cannot_be_edited() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/t1-h128-l2_0.1-seed01.safetensors");
    let file = NetworkFile::open(&path).unwrap();
    let task = file.window().unwrap().unwrap();
    let to = Change::To(Window::named("T4", None, None).unwrap());
    let error = edit(&file.network, &task, &to, &EditParams::default()).unwrap_err().to_string();
    assert!(error.contains("activity dies out"), "{error}");
}

#[test]
fn a_network_that_does_not_compute_what_was_said_is_called_a_transplant_and_warned_of() {
    let (file, _) = t3();
    let [from, to] = ["T2", "T4"].map(|name| Window::named(name, None, None).unwrap());
    let params = EditParams::default();
    let edited = edit(&file.network, &from, &Change::To(to), &params).unwrap();
    assert_eq!((edited.mode, edited.fresh_units), (Mode::Transplant, edited.contents));
    let warnings = edited.warnings(&from, &params);
    assert!(warnings.len() == 1 && warnings[0].contains("did not compute T2"), "{warnings:?}");
    let (_, right) = t3();
    let edited = edit(&file.network, &right, &Change::Sign { output: 4 }, &params).unwrap();
    assert!(edited.warnings(&right, &params).is_empty() && edited.computed_before > 0.99 && edited.input_change > 0.0);
}

#[test]
fn activity_that_settles_away_from_zero_whatever_the_inputs_is_no_code() {
    let network = Initialization::Uniform.network(&Architecture::elman(64, Activation::Tanh, true), 8, 8, 3);
    let [from, to] = ["T3", "T4"].map(|name| Window::named(name, None, None).unwrap());
    let error = edit(&network, &from, &Change::To(to), &EditParams::default()).unwrap_err().to_string();
    assert!(error.contains("activity dies out"), "{error}");
}
