//! A trained GRU or LSTM is made to compute something else, and says how much of it was changed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::edit::{Change, EditParams, Edited, Mode, edit};
use ketbra::interpret::{InterpretParams, Question, Verdict, interpret};
use ketbra::network::{Activation, Architecture, CellKind, Initialization, NetworkFile};
use ketbra::task::Window;
use std::collections::BTreeMap;
use std::path::Path;

fn task(name: &str) -> Window {
    Window::named(name, None, None).unwrap()
}

fn trained(name: &str) -> NetworkFile {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/networks");
    NetworkFile::open(&folder.join(format!("{name}.safetensors"))).unwrap()
}

fn to_t4(file: &NetworkFile) -> Edited {
    edit(&file.network, &task("T3"), &Change::To(task("T4")), &EditParams::default()).unwrap()
}

/// The share of the weights that changed, from the tensors of two files.
fn share_of_files(old: &Path, new: &Path) -> (f64, f64) {
    let tensors = |path: &Path| -> BTreeMap<String, Vec<f64>> {
        let network = NetworkFile::open(path).unwrap().network;
        network.parameters().into_iter().map(|(name, tensor)| (name, tensor.values())).collect()
    };
    let (old, new) = (tensors(old), tensors(new));
    assert!(old.keys().eq(new.keys()), "whoever loads the edited file finds the tensors that were there");
    let pairs: Vec<(f64, f64)> = old.iter().flat_map(|(name, a)| a.iter().copied().zip(new[name].clone())).collect();
    let difference: f64 = pairs.iter().map(|(a, b)| (a - b).powi(2)).sum();
    let size: f64 = pairs.iter().map(|(a, _)| a * a).sum();
    ((difference / size).sqrt(), pairs.iter().filter(|(a, b)| a != b).count() as f64 / pairs.len() as f64)
}

#[test]
fn another_task_runs_from_raw_inputs_in_the_same_kind_of_cell() {
    for (name, kind) in [("gru-t3-h128", CellKind::Gru), ("lstm-t3-h128", CellKind::Lstm)] {
        let file = trained(name);
        let edited = to_t4(&file);
        let accuracy = edited.accuracy;
        assert!(accuracy.before < 0.6 && accuracy.horizon == 200, "{name} {accuracy:?}");
        assert!(accuracy.loaded >= 0.99 && accuracy.from_inputs >= 0.99, "{name} {accuracy:?}");
        assert_ne!(edited.mode, Mode::Transplant, "{name}");
        let folder = tempfile::tempdir().unwrap();
        let [before, after] = ["before", "after"].map(|name| folder.path().join(format!("{name}.safetensors")));
        file.save(&before).unwrap();
        edited.file().save(&after).unwrap();
        let again = NetworkFile::open(&after).unwrap();
        assert_eq!(again.network.kind(), Some(kind), "{name}");
        assert!(again.network == edited.network, "{name}");
        let (share, differ) = share_of_files(&before, &after);
        assert!((share - edited.changed.share).abs() < 1e-9, "{name}: {share} {}", edited.changed.share);
        assert!((differ - edited.changed.differ).abs() < 1e-12, "{name}: {differ} {}", edited.changed.differ);
    }
}

#[test]
fn an_elman_cell_inside_is_called_that_and_said_to_replace_the_cell() {
    let file = trained("gru-t3-h128");
    let inside = EditParams { mode: Some(Mode::FixedGates), ..EditParams::default() };
    let (from, change) = (task("T3"), Change::Sign { output: 1 });
    let edited = edit(&file.network, &from, &change, &inside).unwrap();
    let summary = serde_json::to_value(edited.summary(&from, &inside)).unwrap();
    assert_eq!(summary["mode"], "fixed-gates");
    assert_eq!(summary["changed"]["share"].as_f64(), Some(edited.changed.share));
    let how = summary["how"].as_str().unwrap();
    assert!(how.starts_with("replaces the cell: ") && how.contains("turns the GRU into an Elman cell"), "{how}");
    // No weights are left in the gates, so that they are what their biases make them.
    let recurrent = file.network.layers[0].recurrent_weights().unwrap().ncols();
    let gates = edited.network.layers[0].recurrent_weights().unwrap().subrows(0, 2 * recurrent);
    assert_eq!(gates.norm_max(), 0.0);
}

#[test]
fn an_edited_gru_is_read_as_a_circuit_of_its_new_task() {
    let edited = to_t4(&trained("gru-t3-h128"));
    let found =
        interpret(&edited.network, &Question::Task(task("T4")), &InterpretParams::default(), &|_| true).unwrap();
    assert_eq!((found.verdict, found.recurrence_in_words), (Verdict::Circuit, task("T4").recurrence()));
}

#[test]
fn cells_and_modes_that_have_no_edit_are_refused_with_what_to_do_instead() {
    let [from, to] = ["T3", "T4"].map(task);
    let refusal = |cell, layers, mode| {
        let of = Architecture { cell, layers, ..Architecture::elman(40, Activation::Tanh, false) };
        let network = Initialization::Uniform.network(&of, 8, 8, 1);
        let params = EditParams { mode, ..EditParams::default() };
        edit(&network, &from, &Change::To(to.clone()), &params).unwrap_err().to_string()
    };
    for (cell, layers, mode, words) in [
        (CellKind::Ssm, 1, None, ["state-space", "Elman, GRU or LSTM"]),
        (CellKind::Elman, 2, None, ["2 layers", "one layer"]),
        (CellKind::Elman, 1, Some(Mode::FixedGates), ["mode fixed-gates is not for Elman cells", "least, same-code"]),
        (CellKind::Lstm, 1, Some(Mode::SameCode), ["mode same-code is not for LSTM cells", "fixed-gates"]),
    ] {
        let error = refusal(cell, layers, mode);
        assert!(words.iter().all(|word| error.contains(word)), "{cell:?} {layers}: {error}");
    }
}
