//! Paths are bytes: folders and files whose names are not UTF-8 work in every command, `--json` included.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::succeeds;
use ketbra::network::NetworkFile;
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What is shown of a name: every byte that is no text is replaced.
const SHOWN: &str = "odd\u{fffd}";

/// An argument; what follows `%` in it is the byte 0xFF.
fn odd(text: &str) -> OsString {
    OsString::from_vec(text.bytes().map(|byte| if byte == b'%' { 0xFF } else { byte }).collect())
}

fn ketbra(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ketbra"))
        .args(arguments.iter().map(|argument| odd(argument)))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("the binary starts")
}

fn says(folder: &Path, arguments: &[&str]) -> String {
    succeeds(&ketbra(folder, arguments))
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&says(folder, arguments)).unwrap()
}

/// A folder of an odd name with a network, a task and a sweep in it.
struct Odd {
    temporary: tempfile::TempDir,
}

impl Odd {
    fn new() -> Self {
        let odd_folder = Self { temporary: tempfile::tempdir().unwrap() };
        fs::create_dir(odd_folder.at("odd%")).unwrap();
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/fixtures");
        fs::copy(fixtures.join("t3-h64-l2_0-seed01.safetensors"), odd_folder.at("odd%/net%.safetensors")).unwrap();
        let task = "s = 2\nd = 2\nrecurrence = [\"u1 = u2[t-2]\", \"u2 = u1[t-1]\"]\n";
        fs::write(odd_folder.at("odd%/task%.toml"), task).unwrap();
        odd_folder
    }

    fn folder(&self) -> &Path {
        self.temporary.path()
    }

    fn at(&self, text: &str) -> PathBuf {
        self.folder().join(odd(text))
    }
}

const SMALL: [&str; 6] = ["--hidden", "8", "--steps", "60", "--horizon", "10"];

#[test]
fn a_task_file() {
    let odd = Odd::new();
    assert_eq!(json(odd.folder(), &["task", "odd%/task%.toml", "--json"])["recurrence"][0], "u1 = u2[t-2]");
}

#[test]
fn a_run_from_its_beginning_to_its_page() {
    let odd = Odd::new();
    let train = ["train", "odd%/task%.toml", "--out", "odd%/run%"];
    assert!(says(odd.folder(), &[&train[..], &SMALL].concat()).contains("saved in odd\u{fffd}/run\u{fffd}"));
    assert!(odd.at("odd%/run%/manifest.json").is_file());
    let again = [&train[..], &SMALL, &["--force", "--json", "--init", "odd%/run%/network.safetensors"]].concat();
    assert_eq!(json(odd.folder(), &again)["steps"], 60);
    let found = json(odd.folder(), &["interpret", "odd%/run%", "--json"]);
    assert_eq!(found["path"], "odd\u{fffd}/run\u{fffd}");
    let made = json(odd.folder(), &["report", "odd%/run%", "--json"]);
    assert_eq!(made["files"][0]["path"], "odd\u{fffd}/run\u{fffd}/report.html");
    assert!(odd.at("odd%/run%/report.html").is_file());
}

#[test]
fn a_run_that_goes_on() {
    let odd = Odd::new();
    says(odd.folder(), &[&["train", "odd%/task%.toml", "--out", "odd%/run%"][..], &SMALL].concat());
    let manifest = odd.at("odd%/run%/manifest.json");
    let longer = fs::read_to_string(&manifest).unwrap().replace("complete", "unfinished");
    fs::write(&manifest, longer.replacen("\"steps\": 60", "\"steps\": 80", 1)).unwrap();
    assert_eq!(json(odd.folder(), &["train", "--resume", "odd%/run%", "--json"])["steps"], 80);
}

#[test]
fn interpretations_with_what_they_write() {
    let odd = Odd::new();
    let one = ["interpret", "odd%/net%.safetensors", "--out", "odd%/found%", "--json"];
    assert_eq!(json(odd.folder(), &one)["verdict"], "circuit");
    for name in ["interpretation.json", "memories.safetensors", "report.html"] {
        assert!(odd.at("odd%/found%").join(name).is_file(), "{name}");
    }
    let kept: Value = serde_json::from_slice(&fs::read(odd.at("odd%/found%/interpretation.json")).unwrap()).unwrap();
    assert_eq!(kept["path"], format!("{SHOWN}/net\u{fffd}.safetensors"));
    assert!(says(odd.folder(), &["interpret", "odd%/net%.safetensors"]).contains(SHOWN));
    let by_file = ["interpret", "odd%/net%.safetensors", "--task", "odd%/task%.toml", "--json"];
    let refused = ketbra(odd.folder(), &by_file);
    let line: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(refused.status.code(), Some(2), "the task has other components than the network");
    assert_eq!(line["path"], format!("{SHOWN}/net\u{fffd}.safetensors"));
}

#[test]
fn two_networks_whose_names_only_look_the_same() {
    let odd = Odd::new();
    let other = odd.folder().join(OsStr::from_bytes(b"odd\xff/net\xfe.safetensors"));
    fs::copy(odd.at("odd%/net%.safetensors"), &other).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_ketbra"))
        .args(["interpret", "--out", "found"])
        .args([odd.at("odd%/net%.safetensors"), other])
        .current_dir(odd.folder())
        .output()
        .unwrap()
        .status;
    assert!(status.success());
    assert_eq!(fs::read_dir(odd.at("found")).unwrap().count(), 2, "each has a folder of its own");
}

#[test]
fn linearizations() {
    let odd = Odd::new();
    let found = json(odd.folder(), &["linearize", "odd%/net%.safetensors", "--at", "origin", "--json"]);
    assert_eq!(found["path"], format!("{SHOWN}/net\u{fffd}.safetensors"));
    assert!(says(odd.folder(), &["linearize", "odd%/net%.safetensors", "--at", "origin"]).contains("net\u{fffd}"));
}

#[test]
fn edits() {
    let odd = Odd::new();
    let edit = ["edit", "odd%/net%.safetensors", "--negate", "1", "--out", "odd%/edited%", "--json"];
    let edited = json(odd.folder(), &edit);
    assert_eq!(edited["saved"], format!("{SHOWN}/edited\u{fffd}/network.safetensors"));
    assert!(NetworkFile::open(&odd.at("odd%/edited%")).is_ok());
    assert!(says(odd.folder(), &["edit", "odd%/net%.safetensors", "--negate", "1"]).contains("not saved"));
}

#[test]
fn figures() {
    let odd = Odd::new();
    let draw = ["figures", "odd%/net%.safetensors", "--out", "odd%/figures%", "--still", "--dpi", "30", "--json"];
    let made = json(odd.folder(), &draw);
    assert!(made["files"][0]["path"].as_str().unwrap().starts_with("odd\u{fffd}/figures\u{fffd}/"), "{made}");
    assert!(odd.at("odd%/figures%/figure2-circuit.svg").is_file());
    says(odd.folder(), &["figures", "odd%/net%.safetensors", "--still", "--dpi", "30"]);
    assert!(odd.at("odd%/net%.figures").is_dir());
}

#[test]
fn recalls_in_a_picture() {
    let odd = Odd::new();
    says(odd.folder(), &["recall", "--memories", "3", "--features", "20", "--png", "odd%/recall%.png", "--json"]);
    assert!(odd.at("odd%/recall%.png").is_file());
}

#[test]
fn sweeps_and_their_tables() {
    let odd = Odd::new();
    let grid = "hidden = 8\nsteps = 60\nhorizon = 10\nseed = \"1-2\"\ntask = ";
    fs::write(odd.at("odd%/grid%.toml"), format!("{grid}\"plain.toml\"\n")).unwrap();
    fs::copy(odd.at("odd%/task%.toml"), odd.at("odd%/plain.toml")).unwrap();
    let summary = json(odd.folder(), &["sweep", "odd%/grid%.toml", "--out", "odd%/out%", "--json"]);
    assert_eq!(summary["tally"]["done"], 2);
    assert!(fs::read_to_string(odd.at("odd%/out%/results.csv")).unwrap().contains("plain"));
    assert_eq!(json(odd.folder(), &["sweep", "--status", "odd%/out%", "--json"])["done"], 2);
    assert!(says(odd.folder(), &["sweep", "odd%/grid%.toml", "--out", "odd%/out%"]).contains("out\u{fffd}"));
    assert_eq!(json(odd.folder(), &["table", "odd%/out%", "--json"])[0]["networks"], 2);
    assert!(says(odd.folder(), &["table", "odd%/out%"]).contains("plain"));
}

#[test]
fn sweeps_handed_to_a_cluster() {
    let odd = Odd::new();
    fs::write(odd.at("odd%/grid.toml"), "task = \"repeat-copy\"\ns = 2\nd = 2\nhidden = 8\nsteps = 60\nhorizon = 10\n")
        .unwrap();
    // A cluster that keeps the script and has nothing queued.
    let programs = odd.at("programs");
    fs::create_dir(&programs).unwrap();
    for (name, script) in [("sbatch", "#!/bin/sh\ncat > script\necho 42\n"), ("squeue", "#!/bin/sh\n")] {
        fs::write(programs.join(name), script).unwrap();
        fs::set_permissions(programs.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let run = |program: &str, arguments: &[&str]| {
        let mut path = programs.clone().into_os_string();
        path.push(":/usr/bin:/bin");
        let mut command = Command::new(program);
        command.args(arguments.iter().map(|argument| self::odd(argument))).current_dir(odd.folder());
        command.envs([("PATH", path), ("SLURM_ARRAY_TASK_ID", "0".into())]).output().unwrap()
    };
    let sweep = ["sweep", "odd%/grid.toml", "--out", "odd%/it's%", "--engine", "slurm", "--json"];
    let submitted = run(env!("CARGO_BIN_EXE_ketbra"), &sweep);
    let submitted: Value = serde_json::from_str(&succeeds(&submitted)).unwrap();
    assert_eq!((&submitted["job"], &submitted["tasks"]), (&"42".into(), &1.into()));
    succeeds(&run("sh", &["script"]));
    assert!(fs::read_to_string(odd.at("odd%/it's%/results.csv")).unwrap().contains("repeat-copy"));
}

#[test]
fn what_is_wrong_with_an_odd_path_is_said_without_a_panic() {
    let odd = Odd::new();
    for arguments in [
        &["interpret", "odd%/none%", "--json"][..],
        &["interpret", "odd%"],
        &["table", "odd%"],
        &["sweep", "odd%/none%.toml", "--out", "x"],
        &["task", "odd%/none%.toml"],
        &["task", "none%"],
        &["train", "T1", "--init", "odd%/none%"],
        &["train", "--resume", "odd%"],
    ] {
        let output = ketbra(odd.folder(), arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && !said.contains("panicked"), "{arguments:?}: {said}");
    }
}
