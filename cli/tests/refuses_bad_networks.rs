//! Files that are wrong, hostile or more than a network: what the commands say of them, and how they end.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::{ketbra_in, refuses, succeeds};
use ketbra::network::{Metadata, NetworkFile};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/fixtures/t3-h64-l2_0-seed01.safetensors")
}

/// A folder with a network that says this about its task.
fn network_on(task: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let network = NetworkFile::open(&fixture()).unwrap().network;
    let metadata = Metadata::from([("task".to_string(), task.to_string())]);
    NetworkFile::new(network, metadata).save(&folder.path().join("net.safetensors")).unwrap();
    folder
}

/// The network with one tensor more.
fn with_tensor(folder: &Path, name: &str, values: &[f32], shape: &[usize]) {
    let mut bytes = fs::read(fixture()).unwrap();
    let length = u64::from_le_bytes(*bytes.first_chunk::<8>().unwrap()) as usize;
    let mut header: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let data = bytes.split_off(8 + length);
    let ends = [data.len(), data.len() + 4 * values.len()];
    header[name] = json!({ "dtype": "F32", "shape": shape, "data_offsets": ends });
    let header = header.to_string();
    let values: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let file = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data, &values].concat();
    fs::write(folder.join("net.safetensors"), file).unwrap();
}

#[test]
fn a_task_file_that_a_network_names_is_never_opened() {
    let secret = "secret words\n";
    let folder = network_on("task.toml");
    fs::write(folder.path().join("task.toml"), secret).unwrap();
    for command in ["interpret", "report", "linearize"] {
        let said = refuses(&ketbra_in(folder.path(), &[command, "net.safetensors"]));
        assert!(said.contains("names the task file 'task.toml'") && !said.contains("secret"), "{said}");
    }
    let said = refuses(&ketbra_in(folder.path(), &["interpret", "net.safetensors", "--task", "/dev/null.toml"]));
    assert!(said.contains("cannot read the task file"), "{said}");
    fs::create_dir(folder.path().join("folder.toml")).unwrap();
    let said = refuses(&ketbra_in(folder.path(), &["interpret", "net.safetensors", "--task", "folder.toml"]));
    assert!(said.contains("is not a regular file"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_path_that_steers_a_terminal_is_shown_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let name = "\u{1b}[31mred.pt";
    fs::write(folder.path().join(name), "").unwrap();
    let said = refuses(&ketbra_in(folder.path(), &["interpret", name]));
    assert!(said.contains("\\u{1b}[31mred.pt") && !said.contains('\u{1b}'), "{said}");
}

#[test]
fn a_task_in_a_file_that_cannot_be_used_is_blamed_on_the_file() {
    let recurrence = "s = 8\nd = 8\nrecurrence = []";
    for task in ["copy memory", &"x".repeat(100_000), &format!("name = \"\\u001b[31mred\"\n{recurrence}")] {
        let said = refuses(&ketbra_in(network_on(task).path(), &["interpret", "net.safetensors"]));
        assert!(said.contains("the network's file describes its task") && said.contains("--blind and --s N"), "{said}");
        assert!(said.len() < 700 && !said.contains('\u{1b}'), "{said}");
    }
}

#[test]
fn sizes_that_the_network_does_not_have_are_refused() {
    let task = ketbra::task::Task::named("T3", None, None).unwrap().to_toml();
    let folder = network_on(&task);
    let said = refuses(&ketbra_in(folder.path(), &["interpret", "net.safetensors", "--s", "4"]));
    assert!(said.contains("the task 'T3' has s=8, d=8, but --s 4 was passed"), "{said}");
    fs::write(folder.path().join("t3.toml"), task).unwrap();
    for arguments in
        [&["interpret", "net.safetensors", "--task", "t3.toml", "--d", "4"][..], &["task", "t3.toml", "--d", "4"]]
    {
        let said = refuses(&ketbra_in(folder.path(), arguments));
        assert!(said.contains("the task 'T3' has s=8, d=8, but --d 4 was passed"), "{said}");
    }
    let said = refuses(&ketbra_in(folder.path(), &["interpret", "net.safetensors", "--blind", "--d", "5"]));
    assert!(said.contains("as the network has outputs, 8, not --d 5"), "{said}");
}

#[test]
fn one_network_twice_is_written_by_both_without_a_clash() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(fixture(), folder.path().join("net.safetensors")).unwrap();
    let said = succeeds(&ketbra_in(
        folder.path(),
        &[&["interpret", "--json", "--out", "found"][..], &["net.safetensors"; 6]].concat(),
    ));
    assert_eq!(said.lines().count(), 6);
    let names: Vec<_> =
        fs::read_dir(folder.path().join("found/net")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let litter = names.iter().any(|name| name.to_string_lossy().ends_with(".tmp"));
    assert!(names.len() >= 2 && !litter, "{names:?}");
}

#[test]
fn tensors_that_are_not_part_of_the_network_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    with_tensor(folder.path(), "norm.weight", &[1.0; 64], &[64]);
    let said = succeeds(&ketbra_in(folder.path(), &["interpret", "net.safetensors", "--json"]));
    let found: Value = serde_json::from_str(&said).unwrap();
    let warnings = found["warnings"].as_array().unwrap();
    let unused = warnings.iter().find(|warning| warning["kind"] == "unused-tensors").unwrap();
    assert_eq!(unused["names"], json!(["norm.weight"]));
    assert!(unused["message"].as_str().unwrap().contains("(norm.weight)"), "{unused}");
    with_tensor(folder.path(), "h0", &[0.5; 64], &[1, 64]);
    let said = refuses(&ketbra_in(folder.path(), &["interpret", "net.safetensors"]));
    assert!(said.contains("net.safetensors: h0 with shape [1, 64] is a learned initial state"), "{said}");
}

#[test]
fn an_activation_that_is_passed_is_used() {
    let net = fixture().to_string_lossy().into_owned();
    let verdict = |arguments: &[&str]| {
        let said = succeeds(&ketbra_in(Path::new("."), &[&["interpret", &net, "--json"], arguments].concat()));
        serde_json::from_str::<Value>(&said).unwrap()["verdict"].clone()
    };
    assert_eq!((verdict(&[]), verdict(&["--activation", "tanh"])), ("circuit".into(), "circuit".into()));
    assert_ne!(verdict(&["--activation", "relu"]), "circuit");
    for command in ["interpret", "linearize", "report", "figures"] {
        let said = refuses(&ketbra_in(Path::new("."), &[command, &net, "--activation", "gelu"]));
        assert!(said.contains("choose from tanh, relu, identity"), "{command}: {said}");
    }
}

#[test]
fn the_exit_code_tells_bad_input_from_work_that_failed() {
    let net = fixture().to_string_lossy().into_owned();
    for (paths, code) in [
        (vec!["no.pt", "--json"], 2),
        (vec!["no.pt", "nor.pt"], 2),
        (vec!["no.pt", "nor.pt", "--json"], 2),
        (vec![&net, "no.pt"], 1),
    ] {
        let output = ketbra_in(Path::new("."), &[&["interpret"], &paths[..]].concat());
        assert_eq!(output.status.code(), Some(code), "{paths:?}");
    }
}

#[test]
fn a_network_of_a_list_that_fails_is_named_once() {
    let folder = network_on("copy memory");
    fs::write(folder.path().join("empty.pt"), "").unwrap();
    let said = refuses(&ketbra_in(folder.path(), &["interpret", "net.safetensors", "empty.pt"]));
    for name in ["net.safetensors", "empty.pt"] {
        assert_eq!(said.matches(name).count(), 1, "{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_of() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ketbra"))
        .args(["task", "T3"])
        .stdout(Stdio::from(full))
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && said.contains("cannot write the results"), "{said}");
}

#[test]
fn methods_that_do_not_exist_are_named_and_no_others() {
    let net = fixture().to_string_lossy().into_owned();
    let said = refuses(&ketbra_in(Path::new("."), &["interpret", &net, "--methods", "all,foo"]));
    assert!(said.contains("there is no method 'foo'"), "{said}");
}
