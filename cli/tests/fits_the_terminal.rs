//! What a person reads fits into 80 columns without a word being cut, and what is written makes its folders, by the same
//! rules in every command.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::{ketbra_in, refuses, succeeds};
use std::fs;
use std::path::Path;
use std::process::Command;

const COLUMNS: usize = 80;

/// A folder with three networks, and a sweep of four.
fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/fixtures/networks");
    for (from, to) in [
        ("t3-h128", "t3"),
        ("t2-h128", "the-second-of-three-networks-with-a-name-that-is-long"),
        ("t3-h64-superposed", "superposed"),
    ] {
        let (from, to) = (fixtures.join(format!("{from}.safetensors")), format!("{to}.safetensors"));
        fs::copy(from, folder.path().join(to)).unwrap();
    }
    let grid = "task = 'repeat-copy'\ns = 3\nd = 2\nhidden = [12, 14]\nl2 = [0, 0.001]\nsteps = 20\nseed = 1\n";
    fs::write(folder.path().join("grid.toml"), grid).unwrap();
    succeeds(&ketbra_in(folder.path(), &["sweep", "grid.toml", "--out", "runs"]));
    folder
}

/// What a command says to a terminal of 80 columns.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ketbra"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("COLUMNS", COLUMNS.to_string())
        .output()
        .unwrap();
    succeeds(&output)
}

#[test]
fn no_line_is_wider_than_the_terminal_and_every_word_is_whole() {
    let folder = prepared();
    let networks = [
        "t3.safetensors",
        "the-second-of-three-networks-with-a-name-that-is-long.safetensors",
        "superposed.safetensors",
    ];
    let with_networks = |command: &'static str| [vec![command], networks.to_vec()].concat();
    let mut all = vec![
        vec!["task", "T3"],
        vec!["task", "--list"],
        vec!["recall"],
        vec!["recall", "--memories", "14"],
        vec!["interpret", networks[2], "--methods", "all"],
        vec!["interpret", networks[0]],
        with_networks("interpret"),
        with_networks("compare"),
        vec!["compare", networks[0], networks[1]],
        vec!["table", "runs"],
        vec!["sweep", "grid.toml", "--out", "runs"],
        vec!["sweep", "--status", "runs"],
        vec!["report", networks[1]],
        vec!["report", "runs"],
        vec!["figures", networks[0], "--still", "--dpi", "40"],
        vec!["edit", networks[0], "--negate", "2"],
        vec!["compile", "T3", "--out", "made"],
    ];
    for help in ["train", "sweep", "interpret", "compare", "figures", "recall", "report", "table", "edit", "compose"] {
        all.push(vec![help, "--help"]);
    }
    for arguments in all {
        let text = said(folder.path(), &arguments);
        assert!(text.lines().count() > 0, "{arguments:?} says nothing");
        for line in text.lines() {
            let words = line.split_whitespace().count();
            assert!(line.chars().count() <= COLUMNS || words <= 1, "{arguments:?}: {line}");
        }
        // Wrapping moves words and loses none: where nobody watches, the same words stand on longer lines.
        let whole = succeeds(&ketbra_in(folder.path(), &arguments));
        if arguments[0] == "compare" || arguments[0] == "interpret" {
            let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
            assert_eq!(words(&text), words(&whole), "{arguments:?}");
        }
    }
}

#[test]
fn missing_folders_are_made_wherever_something_is_written() {
    let folder = prepared();
    let run = |arguments: &[&str]| succeeds(&ketbra_in(folder.path(), arguments));
    let made = [
        (vec!["report", "t3.safetensors", "--out", "a/b/page.html"], "a/b/page.html"),
        (vec!["figures", "t3.safetensors", "--still", "--dpi", "40", "--out", "c/d"], "c/d/appendix-spectrum.svg"),
        (vec!["interpret", "t3.safetensors", "--out", "e/f"], "e/f/interpretation.json"),
        (vec!["compare", "t3.safetensors", "superposed.safetensors", "--out", "g/h"], "g/h/comparison.json"),
        (vec!["edit", "t3.safetensors", "--negate", "2", "--out", "i/j"], "i/j/network.safetensors"),
        (vec!["compile", "T3", "--out", "k/l"], "k/l/truth.json"),
        (vec!["compile", "T3", "--out", "m/n/made.safetensors"], "m/n/made.safetensors"),
        (vec!["compose", "t3.safetensors", "t3.safetensors", "--out", "o/p/both.safetensors"], "o/p/both.safetensors"),
        (vec!["recall", "--svg", "q/r/recall.svg"], "q/r/recall.svg"),
        (
            vec!["train", "repeat-copy", "--s", "2", "--d", "1", "--hidden", "4", "--steps", "2", "--out", "s/t"],
            "s/t/manifest.json",
        ),
        (vec!["sweep", "grid.toml", "--out", "u/v"], "u/v/results.csv"),
    ];
    for (arguments, file) in made {
        run(&arguments);
        assert!(folder.path().join(file).is_file(), "{arguments:?} did not write {file}");
    }
}

#[test]
fn what_has_the_same_name_is_replaced_but_a_training_run_keeps_its_network() {
    let folder = prepared();
    let run = |arguments: &[&str]| ketbra_in(folder.path(), arguments);
    succeeds(&run(&["train", "repeat-copy", "--s", "2", "--d", "1", "--hidden", "4", "--steps", "2", "--out", "run"]));
    let trained = fs::read(folder.path().join("run/network.safetensors")).unwrap();
    let into_a_run = [
        vec!["edit", "t3.safetensors", "--negate", "2", "--out", "run"],
        vec!["compile", "T3", "--out", "run"],
        vec!["train", "repeat-copy", "--s", "2", "--d", "1", "--hidden", "4", "--steps", "2", "--out", "run"],
    ];
    for arguments in into_a_run {
        let message = refuses(&run(&arguments));
        assert!(message.contains("run"), "{arguments:?}: {message}");
        assert_eq!(fs::read(folder.path().join("run/network.safetensors")).unwrap(), trained, "{arguments:?}");
    }
    for seed in ["1", "2"] {
        succeeds(&run(&["compile", "T3", "--seed", seed, "--out", "made"]));
    }
    succeeds(&run(&["compile", "T3", "--seed", "1", "--out", "again"]));
    let network = |name: &str| fs::read(folder.path().join(name).join("network.safetensors")).unwrap();
    assert_ne!(network("made"), network("again"), "the second was written over the first");
    // A file where a folder should be stays as it is.
    fs::write(folder.path().join("file"), "text").unwrap();
    assert!(!run(&["report", "t3.safetensors", "--out", "file/page.html"]).status.success());
    assert_eq!(fs::read_to_string(folder.path().join("file")).unwrap(), "text");
}
