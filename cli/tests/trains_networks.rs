//! `ketbra train`: run folders, interruptions, and what it refuses.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::{ketbra_in, refuses, succeeds};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A run of a second or so.
const SMALL: [&str; 17] = [
    "train",
    "repeat-copy",
    "--s",
    "3",
    "--d",
    "2",
    "--hidden",
    "20",
    "--horizon",
    "20",
    "--checkpoint-every",
    "40",
    "--metrics-every",
    "10",
    "--threads",
    "1",
    "--out",
];

fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SMALL.iter().chain(more).copied().collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_run_leaves_a_folder_and_ends_with_one_document() {
    let folder = tempfile::tempdir().unwrap();
    let summary =
        json(&succeeds(&ketbra_in(folder.path(), &small(&["run", "--steps", "600", "--lr", "0.01", "--json"]))));
    assert_eq!((&summary["steps"], &summary["accuracy"]["horizon"]), (&600.into(), &200.into()));
    assert!(summary["accuracy"]["value"].as_f64().unwrap() > 0.99, "{summary}");
    for number in ["seconds", "steps_per_second", "loss"] {
        assert!(summary[number].as_f64().unwrap() > 0.0, "{summary}");
    }
    let run = folder.path().join("run");
    let manifest = json(&fs::read_to_string(run.join("manifest.json")).unwrap());
    assert_eq!((&manifest["status"], &manifest["params"]["seed"]), (&"complete".into(), &1.into()));
    assert_eq!(manifest["params"]["learning_rate"], 0.01);
    assert_eq!(manifest["task"]["recurrence"][0], "u1 = u1[t-3]");
    let metrics = fs::read_to_string(run.join("metrics.csv")).unwrap();
    assert_eq!(metrics.lines().count(), 61, "a header and a row every ten steps");
    assert!(run.join("network.safetensors").exists() && run.join("checkpoint").exists());

    let again = refuses(&ketbra_in(folder.path(), &small(&["run", "--steps", "600"])));
    assert!(again.contains("run is complete") && again.contains("--force"), "{again}");
    let resumed = refuses(&ketbra_in(folder.path(), &["train", "--resume", "run"]));
    assert!(resumed.contains("complete"), "{resumed}");
    succeeds(&ketbra_in(folder.path(), &small(&["run", "--steps", "5", "--force"])));
}

/// Starts the command and kills it after a while; says whether it was still running.
fn killed_after(folder: &Path, arguments: &[&str], after: Duration) -> bool {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ketbra"))
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let running = child.try_wait().unwrap().is_none();
    // On Unix this is SIGKILL.
    child.kill().unwrap();
    child.wait().unwrap();
    running
}

#[test]
fn a_run_killed_again_and_again_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let steps = ["--steps", "16000"];
    let begin = |name| small(&[&[name], steps.as_slice(), &["--force"]].concat());
    succeeds(&ketbra_in(folder.path(), &begin("undisturbed")));
    let mut kills = 0;
    let finished = |name: &str| {
        let manifest = fs::read_to_string(folder.path().join(name).join("manifest.json")).unwrap_or_default();
        manifest.contains("\"status\": \"complete\"")
    };
    // Irregular pauses, so that the kill falls anywhere: at the start, in a step, in a checkpoint.
    for pause in (0..40).map(|k| 20 + (k * k * 37) % 211) {
        if finished("killed") {
            break;
        }
        let started = folder.path().join("killed/checkpoint").exists();
        let arguments = if started { vec!["train", "--resume", "killed"] } else { begin("killed") };
        kills += usize::from(killed_after(folder.path(), &arguments, Duration::from_millis(pause)));
    }
    assert!(kills >= 3, "the run was too short to be killed: {kills}");
    if !finished("killed") {
        succeeds(&ketbra_in(folder.path(), &["train", "--resume", "killed"]));
    }
    for file in ["network.safetensors", "metrics.csv", "checkpoint"] {
        let read = |name: &str| fs::read(folder.path().join(name).join(file)).unwrap();
        assert!(read("killed") == read("undisturbed"), "{file} differs after {kills} kills");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_finishes_the_step_saves_and_says_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_ketbra"))
        .args(small(&["run", "--steps", "4000000"]))
        .current_dir(folder.path())
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    while !folder.path().join("run/checkpoint.previous").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("and saved; go on with 'ketbra train --resume run'"), "{message}");
    assert!(folder.path().join("run/network.safetensors").exists());
    let told = ketbra_in(folder.path(), &["interpret", "run"]);
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    assert_eq!(
        told.matches("these are the weights so far; go on with 'ketbra train --resume run'").count(),
        1,
        "{told}"
    );
}

#[test]
fn a_damaged_checkpoint_is_reported_and_the_one_before_used() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let unfinish = || {
        succeeds(&ketbra_in(folder.path(), &small(&["run", "--steps", "100", "--force"])));
        let text = fs::read_to_string(run.join("manifest.json")).unwrap();
        fs::write(run.join("manifest.json"), text.replace("\"complete\"", "\"unfinished\"")).unwrap();
    };
    unfinish();
    let whole = fs::read(run.join("network.safetensors")).unwrap();
    fs::write(run.join("checkpoint"), b"").unwrap();
    let output = ketbra_in(folder.path(), &["train", "--resume", "run"]);
    let warning = String::from_utf8_lossy(&output.stderr).into_owned();
    succeeds(&output);
    assert!(warning.contains("run/checkpoint is empty; going on from the checkpoint before, step 80"), "{warning}");
    assert!(fs::read(run.join("network.safetensors")).unwrap() == whole);

    unfinish();
    fs::write(run.join("checkpoint"), b"ketbra").unwrap();
    fs::write(run.join("checkpoint.previous"), b"PNG\n").unwrap();
    let message = refuses(&ketbra_in(folder.path(), &["train", "--resume", "run"]));
    assert!(message.contains("run/checkpoint is no checkpoint, or is cut short"), "{message}");
    assert!(message.contains("run/checkpoint.previous is no checkpoint; start it again with --force"), "{message}");
}

#[test]
fn bad_input_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let refusals: [(&[&str], &str); 8] = [
        (&["--hidden", "0"], "hidden is 0, but must be at least 1"),
        (&["--lr", "-0.001"], "the learning rate is -0.001, but must be a number above 0"),
        (&["--lr", "nan"], "the learning rate is NaN"),
        (&["--recipe", "table1", "--threshold", "1.5"], "threshold is 1.5"),
        (&["--batch", "0"], "batch is 0"),
        (&["--threads", "0"], "--threads is 0"),
        (&["--init", "missing.safetensors"], "missing.safetensors: No such file"),
        (&["--horizon", "0"], "horizon is 0"),
    ];
    for (arguments, expected) in refusals {
        let message = refuses(&ketbra_in(folder.path(), &[&["train", "T1", "--out", "run"], arguments].concat()));
        assert!(message.contains(expected), "{message}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    fs::create_dir(folder.path().join("photos")).unwrap();
    fs::write(folder.path().join("photos/a.jpg"), b"").unwrap();
    let message = refuses(&ketbra_in(folder.path(), &["train", "T1", "--out", "photos", "--force"]));
    assert!(message.contains("photos is not empty and holds no run; nothing there was touched"), "{message}");
    assert!(refuses(&ketbra_in(folder.path(), &["train", "--resume", "photos"])).contains("holds no run"));
}

#[test]
fn divergence_says_when_and_what_to_try() {
    let folder = tempfile::tempdir().unwrap();
    let wild = small(&["run", "--steps", "50", "--activation", "identity", "--lr", "1e30"]);
    let output = ketbra_in(folder.path(), &wild);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("training diverged at step") && message.contains("smaller learning rate"), "{message}");
}

#[test]
fn tensorboard_files_are_written_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(&ketbra_in(folder.path(), &small(&["run", "--steps", "20", "--tensorboard"])));
    let names = fs::read_dir(folder.path().join("run")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.starts_with("events.out.tfevents.")).count(), 1);
}

#[test]
fn without_a_cuda_device_training_is_refused_with_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("grid.toml"), "task = \"T1\"\nhidden = 8\nsteps = 1\n").unwrap();
    let sweep = |option, engine| ["sweep", "grid.toml", "--out", "runs", option, engine];
    let bench = ["bench", "train", "--engine", "cuda", "--sizes", "32", "--seconds", "0.1"];
    let experiments = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments");
    let reproduce =
        ["reproduce", "figure-3", "--device", "cuda", "--out", "runs", "--from", experiments.to_str().unwrap()];
    let train = ["train", "T1", "--device", "cuda", "--steps", "1"];
    for arguments in [&train[..], &bench, &sweep("--engine", "cuda"), &reproduce] {
        let output = ketbra_in(folder.path(), arguments);
        if output.status.success() {
            // This machine has a device.
            return;
        }
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("CUDA") && message.contains("--device cpu"), "{message}");
        assert!(!folder.path().join("runs").exists(), "nothing is begun that cannot be done");
    }
    // The way out that the message names.
    assert!(ketbra_in(folder.path(), &sweep("--device", "cpu")).status.success());
}
