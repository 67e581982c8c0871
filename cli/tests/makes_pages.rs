//! `ketbra report`, `ketbra figures` and `ketbra interpret --out` write what a person looks at.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::{ketbra_in, refuses, succeeds};
use std::fs;
use std::path::Path;

fn with_network(folder: &Path) -> &'static str {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/fixtures/networks");
    fs::copy(fixtures.join("t3-h128.safetensors"), folder.join("net.safetensors")).unwrap();
    "net.safetensors"
}

#[test]
fn a_page_goes_beside_a_file_and_into_a_run_folder() {
    let folder = tempfile::tempdir().unwrap();
    let network = with_network(folder.path());
    let said = succeeds(&ketbra_in(folder.path(), &["report", network]));
    assert!(said.starts_with("circuit  net.report.html  ") && said.ends_with(" kB\n"), "{said}");
    let run = folder.path().join("run");
    fs::create_dir(&run).unwrap();
    fs::copy(folder.path().join(network), run.join("network.safetensors")).unwrap();
    fs::write(run.join("metrics.csv"), "step,horizon,loss,accuracy\n1,10,0.5,0.5\n2,10,0.1,0.9\n").unwrap();
    succeeds(&ketbra_in(folder.path(), &["report", "run"]));
    let [alone, trained] =
        ["net.report.html", "run/report.html"].map(|file| fs::read(folder.path().join(file)).unwrap());
    assert!(alone.len() > 100_000 && alone.len() < 400_000 && alone != trained, "{} bytes", alone.len());
}

#[test]
fn two_networks_are_put_on_one_page_beside_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let network = with_network(folder.path());
    fs::copy(folder.path().join(network), folder.path().join("other.safetensors")).unwrap();
    let said = succeeds(&ketbra_in(folder.path(), &["report", network, "other.safetensors"]));
    assert!(said.starts_with("circuit and circuit  net-and-other.report.html  "), "{said}");
    let page = fs::read_to_string(folder.path().join("net-and-other.report.html")).unwrap();
    assert!(page.contains("<title>net and other - ketbra</title>"));
    refuses(&ketbra_in(folder.path(), &["report", network, "other.safetensors", network]));
}

#[test]
fn a_sweep_is_a_page_and_links_to_the_pages_that_there_are() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("grid.toml"),
        "task = 'repeat-copy'\ns = 3\nd = 2\nhidden = 12\nsteps = 20\nseed = [1, 2]\n",
    )
    .unwrap();
    succeeds(&ketbra_in(folder.path(), &["sweep", "grid.toml", "--out", "runs"]));
    let said = succeeds(&ketbra_in(folder.path(), &["report", "runs", "--json"]));
    let made: serde_json::Value = serde_json::from_str(&said).unwrap();
    let counted: u64 = made["verdicts"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!((&made["networks"], counted), (&2.into(), 2));
    let page = fs::read_to_string(folder.path().join("runs/report.html")).unwrap();
    assert!(page.contains("<title>runs - ketbra</title>") && page.len() < 200_000, "{}", page.len());
    let said = succeeds(&ketbra_in(folder.path(), &["report", "runs"]));
    assert!(said.contains("  runs/report.html  "), "{said}");
}

#[test]
fn interpreting_into_a_folder_leaves_the_numbers_and_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let network = with_network(folder.path());
    succeeds(&ketbra_in(folder.path(), &["interpret", network, "--out", "found"]));
    let found = fs::read_to_string(folder.path().join("found/interpretation.json")).unwrap();
    assert!(found.contains("\"verdict\": \"circuit\""));
    let page = fs::read_to_string(folder.path().join("found/report.html")).unwrap();
    assert!(page.contains("<title>net - ketbra</title>"));
}

#[test]
fn figures_are_written_in_every_format_and_twice_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let network = with_network(folder.path());
    let said = succeeds(&ketbra_in(folder.path(), &["figures", network, "--out", "a", "--dpi", "72"]));
    assert!(said.contains("figure4-weights") && said.contains("circuit.gif"));
    succeeds(&ketbra_in(folder.path(), &["figures", network, "--out", "b", "--dpi", "72", "--still"]));
    let names = |which: &str| -> Vec<String> {
        let entries = fs::read_dir(folder.path().join(which)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names("a").len(), 11);
    for name in names("b") {
        let [a, b] = ["a", "b"].map(|which| fs::read(folder.path().join(which).join(&name)).unwrap());
        assert!(a == b, "{name}");
    }
}

#[test]
fn files_that_hold_no_network_are_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("empty.safetensors"), b"").unwrap();
    refuses(&ketbra_in(folder.path(), &["report", "empty.safetensors"]));
    refuses(&ketbra_in(folder.path(), &["figures", "missing.safetensors"]));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_demo_ends_with_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let said = succeeds(&ketbra_in(folder.path(), &["demo"]));
    assert!(said.contains("accuracy") && said.contains("ketbra-demo.html"), "{said}");
    let page = fs::read_to_string(folder.path().join("ketbra-demo.html")).unwrap();
    assert!(page.contains("<title>demo - ketbra</title>"));
}

#[test]
fn what_was_made_is_told_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let network = with_network(folder.path());
    for arguments in [vec!["report", network, "--json"], vec!["figures", network, "--json", "--still", "--dpi", "72"]] {
        let said = succeeds(&ketbra_in(folder.path(), &arguments));
        let made: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!((&made["path"], &made["verdict"]), (&network.into(), &"circuit".into()));
        assert_eq!((&made["task"]["name"], &made["hidden"]), (&"T3".into(), &128.into()));
        assert!(made["accuracy"]["value"].as_f64().unwrap() > 0.99);
        let files = made["files"].as_array().unwrap();
        assert_eq!(files.len(), if arguments[0] == "report" { 1 } else { 10 });
        for file in files {
            let length = fs::metadata(folder.path().join(file["path"].as_str().unwrap())).unwrap().len();
            assert_eq!(file["bytes"], length);
        }
    }
}
fn saved(folder: &Path) -> &'static str {
    let network = with_network(folder);
    succeeds(&ketbra_in(folder, &["interpret", network, "--save", "net.ketbra"]));
    "net.ketbra"
}

#[test]
fn a_saved_interpretation_stands_for_its_network_in_every_command_that_interprets() {
    let folder = tempfile::tempdir().unwrap();
    let (saved, fresh) = (saved(folder.path()), "net.safetensors");
    let json = |command: &[&str]| -> serde_json::Value {
        let mut line: serde_json::Value = serde_json::from_str(&succeeds(&ketbra_in(folder.path(), command))).unwrap();
        for key in ["path", "files", "saved"] {
            line.as_object_mut().unwrap().remove(key);
        }
        line
    };
    let figures = ["--still", "--dpi", "30", "--json"];
    let edit = ["--negate", "1", "--json"];
    let linearize = ["--at", "origin,orbit", "--json"];
    for (command, options) in [
        ("interpret", &["--json"][..]),
        ("report", &["--json"]),
        ("figures", &figures),
        ("edit", &edit),
        ("linearize", &linearize),
    ] {
        let of = |path: &'static str| json(&[&[command, path][..], options].concat());
        assert_eq!(of(saved), of(fresh), "{command}");
    }
    for how in ["sum", "feed"] {
        let of =
            |path: &'static str| json(&["compose", path, path, "--how", how, "--out", "both.safetensors", "--json"]);
        assert_eq!(of(saved), of(fresh), "{how}");
    }
    let picture = |name: &str| fs::read(folder.path().join(name).join("figure2-circuit.svg")).unwrap();
    assert_eq!(picture("net.figures"), {
        succeeds(&ketbra_in(folder.path(), &["figures", saved, "--still", "--out", "again"]));
        picture("again")
    });
}

#[test]
fn a_saved_interpretation_answers_what_it_was_asked_and_refuses_anything_else() {
    let folder = tempfile::tempdir().unwrap();
    let saved = saved(folder.path());
    let page = |options: &[&str]| ketbra_in(folder.path(), &[&["report", saved][..], options].concat());
    succeeds(&page(&["--task", "T3"]));
    for other in [&["--task", "T1"][..], &["--blind", "--s", "8"], &["--activation", "relu"]] {
        let refusal = refuses(&page(other));
        assert!(refusal.contains("saved interpretation that was asked something else"), "{refusal}");
    }
    let refusal = refuses(&ketbra_in(folder.path(), &["interpret", saved, "--seed", "2"]));
    assert!(refusal.contains("name the network that it is of"), "{refusal}");
    let refusal = refuses(&ketbra_in(folder.path(), &["interpret", saved, saved, "--save", "x.ketbra"]));
    assert!(refusal.contains("--save keeps one network"), "{refusal}");
}
