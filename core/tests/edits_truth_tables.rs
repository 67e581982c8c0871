//! Edits to and from functions that are not linear are written in the network's own code.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::compile::{CompileParams, compile};
use ketbra::edit::{Change, EditParams, Edited, Mode, edit, task_read_back};
use ketbra::interpret::{InterpretParams, Question, Verdict, interpret};
use ketbra::network::{Network, NetworkFile};
use ketbra::task::Window;
use std::path::Path;

fn trained(name: &str) -> NetworkFile {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/networks");
    NetworkFile::open(&fixtures.join(name).with_extension("safetensors")).unwrap()
}

fn edited(network: &Network, from: &Window, formula: &str) -> Edited {
    edit(network, from, &Change::set(formula).unwrap(), &EditParams::default()).unwrap()
}

/// Asserts that it does its new task from raw inputs, in the old code, and is read as a circuit by who does not know the task.
fn assert_rewritten(edited: &Edited, mode: Mode) {
    assert_eq!(edited.mode, mode);
    assert!(edited.fresh_units < edited.contents, "{} of {} are fresh", edited.fresh_units, edited.contents);
    let accuracy = edited.accuracy;
    assert!(accuracy.before < 0.95 && accuracy.loaded >= 0.999 && accuracy.from_inputs >= 0.999, "{accuracy:?}");
    let blind = Question::Blind { s: edited.task.s() };
    let found = interpret(&edited.network, &blind, &InterpretParams::default(), &|_| true).unwrap();
    assert_eq!((found.verdict, found.recurrence_in_words), (Verdict::Circuit, edited.task.recurrence()));
}

#[test]
fn a_copy_becomes_an_exclusive_or_and_all_else_keeps_its_code() {
    let task = Window::named("T3", None, None).unwrap();
    let edited = edited(&trained("t3-h128").network, &task, "u8 = xor(u1[t-8], u2[t-8])");
    assert_rewritten(&edited, Mode::SameCode);
    assert_eq!((edited.fresh_units, edited.contents), (2, 36), "the output, and a content that T3 does not keep");
}

#[test]
fn a_gated_cell_gets_a_gate_of_the_function_in_its_own_code() {
    let task = Window::named("T3", None, None).unwrap();
    assert_rewritten(&edited(&trained("gru-t3-h128").network, &task, "u1 = and(u1[t-1], u2[t-2])"), Mode::FixedGates);
}

#[test]
fn a_function_that_is_not_linear_is_read_back_and_edited_to_another_one() {
    let file = trained("mux-h128");
    let from = task_read_back(&file.network, 4, &EditParams::default()).unwrap();
    assert!(!from.is_linear());
    assert_rewritten(&edited(&file.network, &from, "u1 = maj(u1[t-1], u2[t-2], u3[t-3])"), Mode::SameCode);
}

#[test]
fn where_thresholds_make_every_content_nothing_of_the_code_is_kept_and_that_is_said() {
    let file = trained("gru-rule110-h128");
    let [from, to] = ["rule110", "rule30"].map(|name| Window::named(name, None, Some(8)).unwrap());
    let ask = |mode| edit(&file.network, &from, &Change::To(to.clone()), &EditParams { mode, ..EditParams::default() });
    let edited = ask(None).unwrap();
    assert_eq!((edited.mode, edited.fresh_units), (Mode::Transplant, edited.contents));
    assert!(edited.accuracy.from_inputs >= 0.999);
    let refused = ask(Some(Mode::FixedGates)).unwrap_err().to_string();
    assert!(refused.contains("holds nothing that the new function keeps"), "{refused}");
}

#[test]
fn the_least_change_cannot_make_thresholds_and_says_so() {
    let task = Window::named("T3", None, None).unwrap();
    let least = EditParams { mode: Some(Mode::Least), ..EditParams::default() };
    let change = Change::set("u8 = xor(u1[t-8], u2[t-8])").unwrap();
    let refused = edit(&trained("t3-h128").network, &task, &change, &least).unwrap_err().to_string();
    assert!(refused.contains("thresholds need units of their own"), "{refused}");
}

#[test]
fn a_network_whose_function_forgets_is_replaced() {
    let [from, to] = ["rule90", "rule110"].map(|name| Window::named(name, None, Some(8)).unwrap());
    let made = compile(&from, &CompileParams::default()).unwrap();
    let edited = edit(&made.network, &from, &Change::To(to), &EditParams::default()).unwrap();
    assert!(edited.mode == Mode::Transplant && edited.accuracy.from_inputs >= 0.999, "{:?}", edited.accuracy);
}
