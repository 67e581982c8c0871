//! `ketbra task` says what a task asks for, and refuses what is no task.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::{described, ketbra, ketbra_in, refuses, succeeds};
use serde_json::Value;

#[test]
fn t1_to_t4_have_the_cycles_and_cores_of_the_theory() {
    type Cycles = Vec<(u64, i64)>;
    let cycles = |task: &Value| -> Cycles {
        let rows = task["cycles"].as_array().unwrap().iter();
        rows.map(|c| (c["length"].as_u64().unwrap(), c["sign"].as_i64().unwrap())).collect()
    };
    let expected: [(&str, u64, Cycles); 4] = [
        ("T1", 64, vec![(8, 1); 8]),
        ("T2", 36, (1..=8).map(|length| (length, 1)).collect()),
        ("T3", 36, vec![(3, -1), (3, -1), (6, -1), (24, -1)]),
        ("T4", 36, vec![(1, -1), (35, 1)]),
    ];
    for (name, core, wanted) in expected {
        let task = described(&[name]);
        assert_eq!(task["core"]["size"], core, "{name}");
        let mut found = cycles(&task);
        found.sort();
        assert_eq!(found, wanted, "{name}");
        let counted: u64 = task["directions"].as_array().unwrap().iter().map(|d| d["count"].as_u64().unwrap()).sum();
        assert_eq!(counted, core, "{name}");
    }
}

#[test]
fn an_id_past_128_bits_is_described_like_the_task_it_encodes() {
    let by_name = described(&["repeat-copy", "--s", "40", "--d", "7"]);
    let by_id = described(&[by_name["id"].as_str().unwrap(), "--s", "40", "--d", "7"]);
    assert_eq!(by_id["recurrence"], by_name["recurrence"]);
    let long = described(&["compose-copy", "--s", "40", "--d", "40"]);
    assert!(long["id"].as_str().unwrap().len() > 400);
}

#[test]
fn a_recurrence_with_sums_is_described_as_real_valued() {
    let folder = tempfile::tempdir().unwrap();
    let text = "s = 2\nd = 1\nrecurrence = [\"u1 = u1[t-1] + u1[t-2]\"]\n";
    std::fs::write(folder.path().join("fibonacci.toml"), text).unwrap();
    let shown = succeeds(&ketbra_in(folder.path(), &["task", "fibonacci.toml"]));
    assert!(shown.contains("real numbers"), "{shown}");
    let json = succeeds(&ketbra_in(folder.path(), &["task", "fibonacci.toml", "--json"]));
    let task: Value = serde_json::from_str(&json).unwrap();
    let moduli: Vec<f64> =
        task["eigenvalues"].as_array().unwrap().iter().map(|e| e["modulus"].as_f64().unwrap()).collect();
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    assert!(moduli.iter().any(|m| (m - golden).abs() < 1e-12), "{moduli:?}");
}

#[test]
fn words_show_the_recurrence_the_cycles_and_the_core() {
    let shown = succeeds(&ketbra(&["task", "T3"]));
    for part in ["u1 = -u5[t-4]", "length 24, sign -", "36 of 64", "●", "Eigenvalues: 36"] {
        assert!(shown.contains(part), "{part} is missing in\n{shown}");
    }
    assert!(!shown.contains('\u{1b}'), "no colours under NO_COLOR");
}

#[test]
fn the_list_names_every_task() {
    let shown = succeeds(&ketbra(&["task", "--list"]));
    for name in ["T1", "T2", "T3", "T4", "repeat-copy", "compose-copy", "xor-copy", "rule110", "lfsr"] {
        assert!(shown.contains(name), "{name}");
    }
}

#[test]
fn what_is_no_task_is_refused_with_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("shape.toml", "s = 2\nd = 2\nmatrix = [[1, 0, 0], [0, 1, 0]]\n");
    write("nan.toml", "s = 1\nd = 1\nmatrix = [[nan]]\n");
    write("broken.toml", "s = 2\nd = 2\nrecurrence = [\"u1 = u1[t-1\"]\n");
    write("syntax.toml", "s = 2\nd = = 2\n");
    for (arguments, part) in [
        (&["127,0,0"][..], "7 bits set"),
        (&["255,2097152,0"], "swaps with choice 8"),
        (&["255,0"], "three whole numbers"),
        (&["T1", "--s", "0"], "s=0"),
        (&["repeat-copy", "--d", "0"], "at least one variable"),
        (&["repeat-copy", "--s", "18446744073709551615"], "over the limit"),
        (&["repeat-cpy"], "did you mean 'repeat-copy'"),
        (&["shape.toml"], "shape.toml:3:10: the matrix is 2 x 3"),
        (&["nan.toml"], "row 1, column 1 is NaN"),
        (&["broken.toml"], "broken.toml:3:27: expected ']'"),
        (&["syntax.toml"], "syntax.toml:2:5"),
        (&["missing.toml"], "missing.toml"),
    ] {
        let mut all = vec!["task"];
        all.extend(arguments);
        let message = refuses(&ketbra_in(folder.path(), &all));
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_ketbra"))
        .args(["task", "repeat-copy", "--s", "64", "--d", "64", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_program_is_shown_as_lanes_and_run_on_given_inputs() {
    let words = succeeds(&ketbra(&["task", "flipflop:2", "--steps", "8"]));
    assert!(words.contains("2 variables, 2 inputs at every step") && words.contains("keeps v[1]"), "{words}");
    let described = described(&["flipflop:2", "--steps", "8"]);
    assert_eq!(described["episode"].as_array().unwrap().len(), 8);
    assert_eq!(
        (&described["inputs"][0]["kind"], &described["outputs"][1]["units"]),
        (&"sign or none".into(), &1.into())
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("steps.json");
    std::fs::write(&path, "[[\"open\", 1], [\"shut\", -1], [null, 1]]").unwrap();
    let gate = "input door: one of open, shut or none(0.2); input x: sign; variable v: sign; v = if(door == open, x, v); output y = v";
    let ran = ["task", gate, "--json", "--inputs", path.to_str().unwrap()];
    let ran: serde_json::Value = serde_json::from_str(&succeeds(&ketbra(&ran))).unwrap();
    let said: Vec<&str> =
        ran["episode"].as_array().unwrap().iter().map(|step| step["outputs"][0].as_str().unwrap()).collect();
    assert_eq!(said, ["+", "+", "+"]);
}

#[test]
fn mistakes_in_a_program_are_told_with_their_place() {
    let told = |text: &str| refuses(&ketbra(&["task", text]));
    assert!(told("input x: sing").contains("1:10: there is no kind 'sing'"), "{}", told("input x: sing"));
    let unknown = told("input x: sign; variable v: sign; v = w; output y = v");
    assert!(unknown.contains("1:38: there is no 'w'"), "{unknown}");
    let sized = refuses(&ketbra(&["task", "flipflop:3", "--s", "4"]));
    assert!(sized.contains("no window") && sized.contains("--s 4"), "{sized}");
    let read = refuses(&ketbra(&["compile", "parity:2", "--out", "nowhere"]));
    assert!(read.contains("inputs at every step"), "{read}");
}
