//! `ketbra task` describes functions that are not linear, by name, by formula and from files.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::{described, ketbra, ketbra_in, refuses, succeeds};
use serde_json::{Value, json};

#[test]
fn a_cellular_automaton_is_told_by_its_rule_its_table_and_its_cycles() {
    let shown = succeeds(&ketbra(&["task", "rule110", "--d", "8"]));
    for part in [
        "rule110: 1 variable of 8 components",
        "rule 110 on a ring of 8",
        "u1 = rule110(u8[t-1], u1[t-1], u2[t-1])",
        "u2 =     - + + - + + + -",
        "all 8 components of the window make a difference",
        "256 states end on 6 cycles, after 7 steps at most",
        "length 16   (2 of them)",
        "256 products of components move together; each comes from a sum of others",
        "Eigenvalues: 44 in 16 directions",
    ] {
        assert!(shown.contains(part), "{part} is missing in\n{shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn taps_a_name_and_a_formula_give_the_same_register() {
    let by_option = described(&["lfsr", "--taps", "5,3"]);
    let by_name = described(&["lfsr:5,3"]);
    let by_formula = described(&["u1 = xor(u1[t-5], u1[t-3])"]);
    assert_eq!(by_option, by_name);
    for field in ["s", "d", "recurrence", "function", "states", "lifted", "eigenvalues", "family", "kept"] {
        assert_eq!(by_name[field], by_formula[field], "{field}");
    }
    let input = |lag: u8| json!({ "lag": lag, "component": 1 });
    let function = json!([{ "output": 1, "inputs": [input(5), input(3)], "table": [-1, 1, 1, -1] }]);
    assert_eq!(by_name["function"], function);
    assert_eq!(by_name["states"]["cycles"], json!([{ "length": 1, "count": 1 }, { "length": 31, "count": 1 }]));
    assert_eq!((&by_name["lifted"]["selection"], &by_name["lifted"]["size"]), (&json!(true), &json!(31)));
    assert_eq!((&by_name["family"], &by_name["forgets"]), (&json!("xor of taps 5 and 3"), &json!("nothing")));
}

#[test]
fn what_forgets_everything_says_so() {
    let shown = succeeds(&ketbra(&["task", "rule90"]));
    assert!(shown.contains("f forgets everything") && shown.contains("none lasts"), "{shown}");
    assert_eq!(described(&["rule90"])["forgets"], "everything");
}

#[test]
fn a_file_with_formulas_or_tables_is_described() {
    let folder = tempfile::tempdir().unwrap();
    let formulas = "s = 4\nd = 2\nrecurrence = [\"u1 = if(u1[t-2], u2[t-1], -u2[t-3])\", \"u2 = u1[t-2] * u2[t-4]\"]\n";
    let tables = "s = 4\nd = 2\n[[output]]\ninputs = [\"u1[t-2]\", \"u2[t-1]\", \"u2[t-3]\"]\n\
                  table = [1, -1, 1, 1, -1, -1, -1, 1]\n[[output]]\ninputs = [\"u2[t-4]\", \"u1[t-2]\"]\ntable = [1, -1, -1, 1]\n";
    std::fs::write(folder.path().join("mux.toml"), formulas).unwrap();
    std::fs::write(folder.path().join("tables.toml"), tables).unwrap();
    let read = |file: &str| -> Value {
        serde_json::from_str(&succeeds(&ketbra_in(folder.path(), &["task", file, "--json"]))).unwrap()
    };
    assert_eq!(read("mux.toml")["function"], read("tables.toml")["function"]);
    let shown = succeeds(&ketbra_in(folder.path(), &["task", "mux.toml"]));
    for part in ["u1 = if(u1[t-2], u2[t-1], -u2[t-3])", "u2 = u2[t-4]*u1[t-2]", "Lifted circuit", "6 of 8 components"] {
        assert!(shown.contains(part), "{part} is missing in\n{shown}");
    }
}

#[test]
fn formulas_that_cannot_be_read_are_refused_with_their_column() {
    for (arguments, part) in [
        (&["u1 = xr(u1[t-5], u1[t-3])"][..], "formula:1:6: there is no function 'xr'; did you mean 'xor'?"),
        (&["u1 = u1[t-1]; u2 = and(u1[t-1])"], "formula:1:20: and takes 2 inputs or more, not 1"),
        (&["u1 = xor(u1[t-5], u1[t-3])", "--s", "4"], "formula:1:15: lag 5 is outside the window"),
        (&["u1 = xor(u1[t-5], u1[t-3])", "--d", "2"], "u2 is not defined"),
        (&["u1 = u1[t-1] + u1[t-2]*u1[t-3]"], "formula:1:14: a sum leaves +-1"),
        (&["rule256"], "rules go from rule0 to rule255"),
        (&["rule110", "--s", "2"], "s=1, not s=2"),
        (&["rule110", "--d", "2"], "3 components or more"),
        (&["lfsr", "--taps", "5"], "2 to 10 taps, not 1"),
        (&["lfsr", "--taps", "5,5"], "tap 5 stands twice"),
        (&["T1", "--taps", "5,3"], "only lfsr has taps"),
        (&["lfrs"], "did you mean 'lfsr'"),
        (&["rul110"], "did you mean 'rule110'"),
    ] {
        let mut all = vec!["task"];
        all.extend(arguments);
        let message = refuses(&ketbra(&all));
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
}

#[test]
fn a_run_keeps_the_formula_it_was_trained_on() {
    let folder = tempfile::tempdir().unwrap();
    let formula = "u1 = if(u1[t-2], u2[t-1], -u2[t-2]); u2 = table(-+++++-+, u1[t-1], u2[t-1], u2[t-2])";
    let train = ["train", formula, "--hidden", "8", "--steps", "2", "--batch", "4", "--horizon", "4", "--out", "run"];
    succeeds(&ketbra_in(folder.path(), &train));
    let manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("run/manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["task"]["recurrence"], described(&[formula])["recurrence"]);
    let network = ketbra::network::NetworkFile::open(&folder.path().join("run/network.safetensors")).unwrap();
    assert_eq!(json!(network.window().unwrap().unwrap().recurrence()), manifest["task"]["recurrence"]);
}
