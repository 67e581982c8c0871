//! `ketbra interpret` and `ketbra edit` from the outside.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::network::{Activation, Architecture, Initialization, Metadata, NetworkFile};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/fixtures").join(name)
}

fn ketbra(arguments: &[&str], paths: &[PathBuf]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ketbra")).args(arguments).args(paths).output().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn json_has_what_was_promised() {
    let output = ketbra(&["interpret", "--json", "--methods", "all"], &[fixture("t3-h64-l2_0-seed01.safetensors")]);
    assert!(output.status.success());
    let [found] = &lines(&output)[..] else { panic!("one line a network") };
    assert_eq!(found["task"], serde_json::json!({ "name": "T3", "s": 8, "d": 8, "core": 36 }));
    assert_eq!((&found["verdict"], &found["accuracy"]["horizon"]), (&"circuit".into(), &200.into()));
    for place in ["origin", "orbit"] {
        assert_eq!(found["spectrum"][place]["found"], 36);
        assert_eq!(found["spectrum"][place]["expected"], 36);
        assert!(found["spectrum"][place]["error"].is_f64());
    }
    for field in ["mean", "worst", "condition", "phi_error"] {
        assert!(found["memories"][field].is_f64(), "{field}");
    }
    assert_eq!(found["memories"]["method"], "code");
    for method in ["code", "power", "power-reference", "dual", "orbit", "rollout"] {
        assert!(found["methods"][method]["worst"].is_f64(), "{method}");
    }
    assert_eq!(found["recurrence"][0], serde_json::json!({ "output": 1, "lag": 4, "component": 5, "sign": -1 }));
    assert!(found["warnings"].is_array());
    for claim in found["claims"].as_array().unwrap() {
        assert!(claim["holds"] == true && claim["measured"].is_number() && claim["limit"].is_number(), "{claim}");
        assert!(claim["name"].is_string() && claim["statement"].is_string() && claim["detail"].is_string(), "{claim}");
    }
    assert_eq!((&found["code"]["count"], &found["code"]["read"]), (&36.into(), &36.into()));
    assert_eq!(
        (&found["control"]["shuffled"], &found["control"]["rows"]["of_f"]),
        (&"recurrent-weights".into(), &0.into())
    );
}

#[test]
fn a_claim_that_fails_is_told_in_the_first_line() {
    let bad = ketbra(&["interpret", "--task", "T4"], &[fixture("t3-h64-l2_0-seed01.safetensors")]);
    let said = String::from_utf8_lossy(&bad.stdout).into_owned();
    let first = said.lines().next().unwrap();
    assert!(first.contains("claims fail") && !first.contains("circuit"), "{first}");
    let good = ketbra(&["interpret"], &[fixture("t3-h64-l2_0-seed01.safetensors")]);
    let said = String::from_utf8_lossy(&good.stdout).into_owned();
    assert!(said.starts_with("circuit  T3") && said.contains("control  with recurrent weights shuffled"), "{said}");
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let good = fixture("t3-h64-l2_0-seed01.safetensors");
    let output = ketbra(&["interpret", "--json"], &[good.clone(), fixture("no-such-file.safetensors"), good]);
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&output);
    assert_eq!(lines.len(), 3);
    assert!(lines[0]["verdict"] == "circuit" && lines[2]["verdict"] == "circuit");
    assert!(lines[1]["error"].as_str().unwrap().contains("no-such-file"), "{}", lines[1]);
}

#[test]
fn a_task_that_does_not_fit_is_a_clear_error() {
    let net = [fixture("t3-h64-l2_0-seed01.safetensors")];
    for (arguments, wanted) in [
        (vec!["interpret", "--task", "repeat-copy", "--d", "5"], "d=5"),
        (vec!["interpret", "--task", "T9"], "did you mean"),
        (vec!["interpret", "--method", "magic"], "there is no method 'magic'"),
        (vec!["edit", "--keep", "3"], "VARIABLE=STRENGTH"),
        (vec!["edit", "--negate", "9"], "output 9 does not exist"),
        (vec!["edit", "--set", "u1 = u2"], "expected '['"),
    ] {
        let output = ketbra(&arguments, &net);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(wanted), "{arguments:?}: {said}");
    }
}

/// Weights of 5 inputs and outputs that say of themselves that they were trained on T2, which has 8.
#[test]
fn d_that_does_not_fit_the_task_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("misfit.safetensors");
    let network = Initialization::Uniform.network(&Architecture::elman(16, Activation::Tanh, false), 5, 5, 1);
    let metadata = Metadata::from([("task".to_string(), "T2".to_string())]);
    NetworkFile::new(network, metadata).save(&path).unwrap();
    for command in ["interpret", "linearize", "edit"] {
        let arguments = if command == "edit" { vec!["edit", "--negate", "1"] } else { vec![command] };
        let output = ketbra(&arguments, std::slice::from_ref(&path));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && !said.contains("panicked"), "{command}: {said}");
        assert!(said.contains('5') && said.contains('8'), "{command} names both numbers: {said}");
    }
}

#[test]
fn networks_of_the_same_name_are_written_into_folders_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let nets: Vec<PathBuf> = ["a", "b"].map(|name| folder.path().join(name).join("net.safetensors")).to_vec();
    for (net, from) in nets.iter().zip(["t3-h64-l2_0-seed01.safetensors", "t3-h64-l2_0.001-seed02.safetensors"]) {
        std::fs::create_dir(net.parent().unwrap()).unwrap();
        std::fs::copy(fixture(from), net).unwrap();
    }
    let out = folder.path().join("out");
    let output = ketbra(&["interpret", "--out", &out.to_string_lossy()], &nets);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let verdict = |name: &str| {
        let text = std::fs::read_to_string(out.join(name).join("interpretation.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["verdict"].clone()
    };
    assert_eq!((verdict("a-net.safetensors"), verdict("b-net.safetensors")), ("circuit".into(), "superposed".into()));
}

#[test]
fn one_entry_one_sign_and_one_strength_are_edited() {
    let net = [fixture("t3-h64-l2_0-seed01.safetensors")];
    for change in [["--set", "u1 = u2[t-3]"], ["--negate", "4"], ["--keep", "8=0.7"]] {
        let output = ketbra(&["edit", change[0], change[1], "--json"], &net);
        let [edited] = &lines(&output)[..] else { panic!("{}", String::from_utf8_lossy(&output.stderr)) };
        assert!(edited["accuracy"]["loaded"].as_f64().unwrap() >= 0.99, "{change:?}: {edited}");
        assert!(edited["accuracy"]["from_inputs"].as_f64().unwrap() >= 0.99, "{change:?}: {edited}");
    }
}

#[test]
fn an_edited_network_is_saved_with_its_new_task_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("edited");
    let net = [fixture("t3-h64-l2_0-seed01.safetensors")];
    let output = ketbra(&["edit", "--to", "T4", "--json", "--out", &out.to_string_lossy()], &net);
    let [edited] = &lines(&output)[..] else { panic!("one line") };
    assert!(edited["accuracy"]["before"].as_f64().unwrap() < 0.6);
    for way in ["loaded", "from_inputs"] {
        assert!(edited["accuracy"][way].as_f64().unwrap() >= 0.999, "{way}: {edited}");
    }
    let found = lines(&ketbra(&["interpret", "--json", "--blind"], &[out]));
    assert_eq!((&found[0]["verdict"], &found[0]["confidence"]), (&"circuit".into(), &"high".into()));
}

#[test]
fn how_much_of_the_weights_an_edit_changes_is_said_first() {
    let gru = [fixture("networks/gru-t3-h128.safetensors")];
    let output = ketbra(&["edit", "--task", "T3", "--negate", "1", "--json"], &gru);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("{\"changed\":{\"share\":"), "{text}");
    let share = lines(&output)[0]["changed"]["share"].as_f64().unwrap();
    let output = ketbra(&["edit", "--task", "T3", "--negate", "1"], &gru);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let first = text.lines().next().unwrap();
    assert!(first.contains(&format!("replaces the cell: {:.0} % of the weights", 100.0 * share)), "{first}");
    assert!(first.contains("turns the GRU into an Elman cell inside its own code"), "{first}");
    let output = ketbra(&["edit", "--negate", "8", "--least"], &[fixture("t3-h64-l2_0-seed01.safetensors")]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.lines().next().unwrap().contains("changes 16 % of the weights"), "{text}");
}

#[test]
fn an_edit_does_not_write_over_the_network_that_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let net = folder.path().join("network.safetensors");
    std::fs::copy(fixture("t3-h64-l2_0-seed01.safetensors"), &net).unwrap();
    let before = std::fs::read(&net).unwrap();
    let out = folder.path().to_string_lossy().into_owned();
    for source in [net.clone(), folder.path().into()] {
        let output = ketbra(&["edit", "--negate", "1", "--out", &out], &[source]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("is the network that is being edited") && message.contains("--out"), "{message}");
        assert_eq!(std::fs::read(&net).unwrap(), before);
    }
}

#[test]
fn edits_that_cannot_be_are_refused() {
    let net = [fixture("t3-h64-l2_0-seed01.safetensors")];
    for (arguments, wanted) in [
        (&["--keep", "3=1e300"][..], "up to 100"),
        (&["--negate", "1", "--activation", "relu"], "relu and softplus do not allow"),
        (&["--negate", "9"], "choose 1 to 8"),
        (&["--negate", "1", "--mode", "magic"], "choose from least, same-code"),
        (&["--negate", "1", "--mode", "fixed-gates"], "choose one of least, same-code, gated, transplant"),
        // An old word is taken, and told by its new one.
        (&["--negate", "1", "--mode", "elman-inside"], "mode fixed-gates is not for Elman"),
    ] {
        let output = ketbra(&[&["edit"], arguments].concat(), &net);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn a_person_reads_verdict_spectrum_memories_and_function() {
    let output = ketbra(&["interpret"], &[fixture("t3-h64-l2_0.001-seed02.safetensors")]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    for wanted in [
        "superposed",
        "30 directions on the orbit do not fade",
        "rides on u1",
        "Spectrum",
        "Memories",
        "-u5",
        "warning:",
    ] {
        assert!(said.contains(wanted), "no '{wanted}' in:\n{said}");
    }
}
