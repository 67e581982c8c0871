//! `ketbra sweep` trains every network of a grid exactly once, whatever happens to it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::{ketbra_in, refuses, succeeds};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const GRID: &str = "task = [\"repeat-copy\", \"compose-copy\"]\ns = 2\nd = 2\nhidden = 8\nsteps = 60\nhorizon = 10\n";

fn write_grid(folder: &Path, seeds: &str) {
    std::fs::write(folder.join("grid.toml"), format!("{GRID}seed = \"{seeds}\"\n")).unwrap();
}

fn sweep(folder: &Path, out: &str, more: &[&str]) -> String {
    succeeds(&ketbra_in(folder, &[&["sweep", "grid.toml", "--out", out], more].concat()))
}

fn results(folder: &Path, out: &str) -> String {
    std::fs::read_to_string(folder.join(out).join("results.csv")).unwrap()
}

fn start(folder: &Path, out: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_ketbra"))
        .args(["sweep", "grid.toml", "--out", out, "--threads", "1", "--json"])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_sweep_leaves_a_row_and_a_folder_for_each_network_and_a_changed_file_adds_only_what_is_new() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_grid(at, "1-2");
    assert!(sweep(at, "out", &[]).contains("4 of 4 networks done"));
    let table = results(at, "out");
    assert_eq!(table.lines().count(), 5);
    assert!(table.starts_with("name,key,task,s,d,cell,layers,hidden,l2,threshold"));
    let network = at.join("out/repeat-copy-s2-d2-h8-horizon10-steps60-seed01/network.safetensors");
    let written = std::fs::metadata(&network).unwrap().modified().unwrap();

    write_grid(at, "2-3");
    assert!(sweep(at, "out", &[]).contains("2 of them now"));
    assert_eq!(results(at, "out").lines().count(), 7, "what was there before stays");
    assert_eq!(std::fs::metadata(&network).unwrap().modified().unwrap(), written);
}

#[test]
fn a_sweep_killed_five_times_ends_with_the_table_of_an_undisturbed_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_grid(at, "1-12");
    sweep(at, "undisturbed", &[]);
    for delay in [15, 140, 290, 75, 210] {
        let mut child = start(at, "killed");
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    sweep(at, "killed", &[]);
    assert_eq!(results(at, "killed"), results(at, "undisturbed"));
}

#[test]
fn two_processes_on_one_folder_share_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // Seconds of work: on a busy machine the second process may begin late, and must still find some.
    let grid = GRID.replace("steps = 60", "steps = 6000");
    std::fs::write(at.join("grid.toml"), format!("{grid}seed = \"1-16\"\n")).unwrap();
    sweep(at, "alone", &[]);
    let both = [start(at, "together"), start(at, "together")];
    let done: Vec<u64> = both
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(summary["tally"]["done"], 32);
            summary["tally"]["here"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(done.iter().sum::<u64>(), 32, "{done:?}: no network is trained twice");
    assert!(done.iter().all(|&done| done > 0), "{done:?}");
    assert_eq!(results(at, "together"), results(at, "alone"));
}

#[test]
fn a_network_that_fails_is_recorded_and_the_rest_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let grid = "task = \"repeat-copy\"\ns = 2\nd = 2\nhidden = 8\nsteps = 60\nhorizon = 10\nactivation = \"relu\"\n";
    std::fs::write(at.join("grid.toml"), format!("{grid}lr = [1e39, 0.001]\nclip = 1e39\n")).unwrap();
    let failed = |more: &[&str]| {
        let output = ketbra_in(at, &[&["sweep", "grid.toml", "--out", "out"], more].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("1 of 2 networks failed; see why with 'ketbra sweep --status out'"), "{said}");
        (String::from_utf8(output.stdout).unwrap(), said)
    };
    let (said, beside) = failed(&[]);
    assert!(said.contains("1 of 2 networks done, 1 failed"), "{said}");
    assert!(beside.contains("failed: repeat-copy-s2-d2-h8") && beside.contains("training diverged"), "{beside}");
    assert!(results(at, "out").contains("training diverged at step"));
    let (summary, _) = failed(&["--json"]);
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!((&summary["tally"]["failed"], &summary["tally"]["done"]), (&1.into(), &1.into()));
    assert!(succeeds(&ketbra_in(at, &["table", "out"])).contains("relu"));
    let status = succeeds(&ketbra_in(at, &["sweep", "--status", "out"]));
    assert!(status.contains("1 of 2 networks done, 0 running, 1 failed, 0 waiting"), "{status}");
    assert!(failed(&["--retry"]).0.contains("1 of them now"));
}

#[test]
fn bad_sweep_files_are_refused_with_line_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let refused = |text: &str| {
        std::fs::write(at.join("grid.toml"), text).unwrap();
        refuses(&ketbra_in(at, &["sweep", "grid.toml", "--out", "out"]))
    };
    let message = refused("task = \"T1\"\nhiden = 64\n");
    assert!(message.contains("grid.toml:2: there is no key 'hiden'; did you mean 'hidden'?"), "{message}");
    let message = refused("task = \"T1\"\nseed = []\n");
    assert!(message.contains("grid.toml:2: seed has no values, so the grid is empty"), "{message}");
    let message = refused("");
    assert!(message.contains("no task is given"), "{message}");
    let message = refused("task = \"T1\"\nseed = \"1-1000000\"\n");
    assert!(message.contains("asks for 1000000 networks") && message.contains("--yes"), "{message}");
    assert!(message.contains(" days on ") && message.contains("GB on disk"), "{message}");
    assert!(refuses(&ketbra_in(at, &["sweep", "none.toml", "--out", "out"])).contains("cannot read none.toml"));
    assert!(refuses(&ketbra_in(at, &["sweep", "--status", "nowhere"])).contains("nowhere holds no sweep"));
}

#[test]
fn a_machine_without_slurm_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    write_grid(folder.path(), "1-2");
    let output = Command::new(env!("CARGO_BIN_EXE_ketbra"))
        .args(["sweep", "grid.toml", "--out", "out", "--engine", "slurm"])
        .current_dir(folder.path())
        .env("PATH", folder.path())
        .output()
        .unwrap();
    assert!(refuses(&output).contains("there is no 'sbatch' on the path"));
}

#[test]
fn another_f_under_the_same_name_is_another_network_and_neither_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("grid.toml"), "task = \"mine.toml\"\nhidden = 8\nsteps = 60\nhorizon = 10\nseed = 1\n")
        .unwrap();
    let task = |lag: usize| {
        let text = format!("name = \"mine\"\ns = 3\nd = 1\nrecurrence = [\"u1 = u1[t-{lag}]\"]\n");
        std::fs::write(at.join("mine.toml"), text).unwrap();
    };
    task(3);
    assert!(sweep(at, "out", &[]).contains("1 of 1 networks done"));
    let first = results(at, "out");
    // One byte of f.
    task(2);
    assert!(sweep(at, "out", &[]).contains("1 of them now"), "the first network is not taken for the second");
    let both = results(at, "out");
    assert_eq!(both.lines().count(), 3);
    let row = |text: &str, place: usize| text.lines().nth(place).unwrap().to_string();
    assert_eq!(row(&both, 1), row(&first, 1), "the first is kept as it was");
    let keys: Vec<String> = (1..3).map(|place| row(&both, place).split(',').nth(1).unwrap().to_string()).collect();
    assert_ne!(keys[0], keys[1]);
    // Nothing is done again, of either.
    for lag in [3, 2] {
        task(lag);
        assert!(!sweep(at, "out", &[]).contains("of them now"));
        assert_eq!(results(at, "out"), both);
    }
}

#[test]
fn a_name_that_is_a_formula_is_text_in_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("grid.toml"), "task = \"mine.toml\"\nhidden = 8\nsteps = 20\nhorizon = 10\nseed = 1\n")
        .unwrap();
    let text = "name = \"=HYPERLINK(1)\"\ns = 3\nd = 1\nrecurrence = [\"u1 = u1[t-3]\"]\n";
    std::fs::write(at.join("mine.toml"), text).unwrap();
    sweep(at, "out", &[]);
    let table = results(at, "out");
    assert!(table.contains(",'=HYPERLINK(1),") && !table.contains(",=HYPERLINK"), "{table}");
}
