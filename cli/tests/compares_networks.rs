//! `ketbra compare` and `ketbra compose`: what they say, write and refuse.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::{ketbra_in, refuses, succeeds};
use serde_json::Value;
use std::path::Path;

fn compile(folder: &Path, task: &str, name: &str, options: &[&str]) {
    let all = [&["compile", task, "--out", name][..], options].concat();
    succeeds(&ketbra_in(folder, &all));
}

fn two(folder: &Path) {
    compile(folder, "compose-copy", "a.safetensors", &["--s", "3", "--d", "3", "--hidden", "40"]);
    compile(
        folder,
        "compose-copy",
        "b.safetensors",
        &["--s", "3", "--d", "3", "--hidden", "48", "--cell", "gru", "--seed", "2"],
    );
}

#[test]
fn two_networks_are_told_to_be_the_same_and_the_figure_is_written() {
    let folder = tempfile::tempdir().unwrap();
    two(folder.path());
    let shown = succeeds(&ketbra_in(folder.path(), &["compare", "a.safetensors", "b.safetensors", "--out", "seen"]));
    for word in ["a and b", "same circuit", "all 7 claims hold", "linear CKA", "DSA", "readers of a, rotated"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    assert!(!shown.contains('\u{1b}'), "NO_COLOR");
    let json = succeeds(&ketbra_in(folder.path(), &["compare", "a.safetensors", "b.safetensors", "--json"]));
    let said: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(said["pairs"][0]["verdict"], "same-circuit");
    assert!(said["pairs"][0]["distance"].as_f64().unwrap() < 1e-6);
    assert_eq!(std::fs::read_to_string(folder.path().join("seen/comparison.json")).unwrap(), json);
    assert!(std::fs::read_to_string(folder.path().join("seen/comparison.svg")).unwrap().starts_with("<svg"));
    let page = std::fs::read_to_string(folder.path().join("seen/comparison.html")).unwrap();
    assert!(page.contains("Are they the same circuit?"));
}

#[test]
fn many_networks_are_shown_as_clusters() {
    let folder = tempfile::tempdir().unwrap();
    two(folder.path());
    compile(folder.path(), "repeat-copy", "c.safetensors", &["--s", "3", "--d", "3", "--hidden", "48"]);
    let all = ["compare", "a.safetensors", "b.safetensors", "c.safetensors", "--out", "seen"];
    let shown = succeeds(&ketbra_in(folder.path(), &all));
    assert!(shown.contains("circuit 1: 2 networks: a, b") && shown.contains("circuit 2: 1 network: c"), "{shown}");
    assert!(shown.contains("What tells the circuits apart"), "{shown}");
    assert!(folder.path().join("seen/distances.svg").exists());
}

#[test]
fn what_cannot_be_compared_is_said() {
    let folder = tempfile::tempdir().unwrap();
    two(folder.path());
    compile(folder.path(), "repeat-copy", "other.safetensors", &["--s", "4", "--d", "3", "--hidden", "48"]);
    let run = |arguments: &[&str]| ketbra_in(folder.path(), arguments);
    assert!(refuses(&run(&["compare", "a.safetensors"])).contains("takes two"));
    assert!(refuses(&run(&["compare", "a.safetensors", "missing.safetensors"])).contains("missing"));
    assert!(refuses(&run(&["compare", "a.safetensors", "b.safetensors", "--rank", "0"])).contains("from 1 to 256"));
    let shown = succeeds(&run(&["compare", "a.safetensors", "other.safetensors"]));
    assert!(shown.contains("not comparable") && shown.contains("s=4") && !shown.contains("CKA"), "{shown}");
}

#[test]
fn two_circuits_become_one_file_with_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, f: &str| {
        std::fs::write(folder.path().join(name), format!("s = 3\nd = 2\nrecurrence = [{f}]\n")).unwrap();
    };
    write("f.toml", "\"u1 = u1[t-3]\", \"u2 = -u2[t-2]\"");
    write("g.toml", "\"u1 = u2[t-1]\", \"u2 = u1[t-3]\"");
    compile(folder.path(), "f.toml", "f.safetensors", &["--hidden", "48"]);
    compile(folder.path(), "g.toml", "g.safetensors", &["--hidden", "48", "--seed", "2"]);
    let run = |arguments: &[&str]| ketbra_in(folder.path(), arguments);
    let shown = succeeds(&run(&["compose", "f.safetensors", "g.safetensors", "--out", "both.safetensors"]));
    assert!(shown.contains("96 units") && shown.contains("u4 = u3[t-3]") && shown.contains("circuit"), "{shown}");
    let blind = succeeds(&run(&["interpret", "both.safetensors", "--blind", "--json"]));
    let blind: Value = serde_json::from_str(&blind).unwrap();
    assert_eq!((&blind["verdict"], &blind["recurrence_in_words"][2]), (&"circuit".into(), &"u3 = u4[t-1]".into()));
    let fed = ["compose", "f.safetensors", "g.safetensors", "--how", "feed", "--out", "fed.safetensors", "--json"];
    let fed: Value = serde_json::from_str(&succeeds(&run(&fed))).unwrap();
    assert_eq!((&fed["how"], &fed["recurrence"][2]), (&"feed".into(), &"u3 = u2[t-1]".into()));
    assert!(
        fed["interpretation"]["accuracy"]["value"].as_f64().unwrap() > 0.999,
        "{}",
        fed["interpretation"]["accuracy"]
    );
    let wrong = ["compose", "f.safetensors", "g.safetensors", "--how", "product", "--out", "x.safetensors"];
    assert!(refuses(&run(&wrong)).contains("sum"));
}
