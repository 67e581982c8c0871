//! `ketbra compile` writes a network that does its task, with the truth about it, and refuses what it cannot make.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::{ketbra_in, refuses, succeeds};
use serde_json::Value;

#[test]
fn a_folder_gets_the_network_with_its_task_and_the_truth_about_it() {
    let folder = tempfile::tempdir().unwrap();
    let shown = succeeds(&ketbra_in(folder.path(), &["compile", "T3", "--out", "made"]));
    assert!(shown.contains("accuracy 1.0000") && shown.contains("36 contents"), "{shown}");
    let truth = std::fs::read_to_string(folder.path().join("made/truth.json")).unwrap();
    let truth: Value = serde_json::from_str(&truth).unwrap();
    assert_eq!(truth["task"]["name"], "T3");
    let contents = truth["contents"].as_array().unwrap();
    assert_eq!((contents.len(), contents[0]["memory"].as_array().unwrap().len()), (36, 128));
    assert_eq!((truth["units"].as_array().unwrap().len(), truth["gates"].as_array().unwrap().len()), (128, 8));
    let found = succeeds(&ketbra_in(folder.path(), &["interpret", "made", "--json"]));
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!((&found["verdict"], &found["task"]["name"]), (&"circuit".into(), &"T3".into()), "{found}");
}

#[test]
fn a_file_gets_the_network_alone_and_json_says_how_it_was_made() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--cell", "lstm", "--basis", "units", "--hidden", "40", "--out", "net.safetensors", "--json"];
    let all = [&["compile", "repeat-copy", "--s", "3", "--d", "2"][..], &options].concat();
    let said: Value = serde_json::from_str(&succeeds(&ketbra_in(folder.path(), &all))).unwrap();
    assert_eq!((&said["hidden"], &said["params"]["cell"], &said["contents"]), (&40.into(), &"lstm".into(), &6.into()));
    assert_eq!((&said["checked"]["accuracy"], &said["saved"][0]), (&1.0.into(), &"net.safetensors".into()));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_cannot_be_made_is_refused_with_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let sum = "s = 2\nd = 1\nrecurrence = [\"u1 = u1[t-1] + u1[t-2]\"]\n";
    std::fs::write(folder.path().join("sum.toml"), sum).unwrap();
    for (arguments, part) in [
        (&["T1", "--hidden", "63"][..], "pass --hidden 64 or more"),
        (&["sum.toml"], "real numbers"),
        (&["T1", "--cell", "ssm"], "elman, gru or lstm"),
        (&["T1", "--basis", "dense"], "choose from random, units"),
        (&["T1", "--hidden", "5000"], "over the limit of 4096"),
        (&["T1", "--superposed", "999"], "pass --superposed 12 or less"),
        (&["T1", "--noise", "-1"], "must be a number from 0 on"),
        (&["T1", "--noise", "0.9"], "smaller --noise"),
    ] {
        let all = [&["compile"], arguments, &["--out", "made"]].concat();
        let message = refuses(&ketbra_in(folder.path(), &all));
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
    assert!(!folder.path().join("made").exists());
}
