//! Training that goes on, several functions in one network, and how circuits come to be.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::ketbra_in;
use std::path::Path;

const TWO: &str = "s = 2\nd = 2\n[context.a]\ntask = \"repeat-copy\"\n[context.b]\ntask = \"compose-copy\"\n";
const SMALL: [&str; 6] = ["--s", "2", "--d", "2", "--hidden", "12"];

fn said(folder: &Path, arguments: &[&str]) -> (bool, String, String) {
    let out = ketbra_in(folder, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.success(), text(&out.stdout), text(&out.stderr))
}

fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let (done, out, complaint) = said(folder, arguments);
    assert!(done, "{complaint}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn a_trained_network_is_trained_on_and_what_is_kept_is_said() {
    let here = tempfile::tempdir().unwrap();
    let train = |more: &[&str]| {
        let all = [&["train", "repeat-copy", "--steps", "20", "--json"], &SMALL[..], more].concat();
        json(here.path(), &all)
    };
    let first = train(&["--out", "a", "--look-every", "10"]);
    assert!(first["steps_to_99"].is_null(), "{first}");
    train(&["--out", "b", "--from", "a", "--freeze", "recurrent"]);
    let manifest = std::fs::read_to_string(here.path().join("b/manifest.json")).unwrap();
    assert!(manifest.contains("\"part\": \"recurrent\"") && manifest.contains("\"network\": \"a\""), "{manifest}");
    let (done, _, complaint) =
        said(here.path(), &[&["train", "repeat-copy", "--freeze", "recurrent"], &SMALL[..]].concat());
    assert!(!done && complaint.contains("--from"), "{complaint}");
    let all = [&["train", "repeat-copy", "--from", "a", "--freeze", "all"], &SMALL[..4]].concat();
    let (done, _, complaint) = said(here.path(), &all);
    assert!(!done && complaint.contains("recurrent"), "{complaint}");
}

#[test]
fn contexts_are_trained_told_and_read() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("two.toml"), TWO).unwrap();
    let result = json(here.path(), &["train", "two.toml", "--hidden", "32", "--out", "two", "--json"]);
    assert_eq!(result["contexts"][1]["context"], "b");
    let (done, out, complaint) = said(here.path(), &["interpret", "two"]);
    assert!(done && out.contains("a and b:") && out.contains("cue"), "{out}{complaint}");
    let found = json(here.path(), &["interpret", "two", "--json"]);
    assert_eq!(found["contexts"][0]["context"], "a");
    let (done, out, _) = said(here.path(), &["interpret", "two", "--context", "b"]);
    assert!(done && out.contains("circuit"), "{out}");
    let (done, _, complaint) = said(here.path(), &["interpret", "two", "--context", "c"]);
    assert!(!done && complaint.contains("no context 'c'; it has a, b"), "{complaint}");
    let (done, _, complaint) = said(here.path(), &["report", "two"]);
    assert!(!done && complaint.contains("has contexts"), "{complaint}");
    let (done, _, complaint) = said(here.path(), &["compile", "two.toml", "--out", "made"]);
    assert!(!done && complaint.contains("has contexts"), "{complaint}");
}

#[test]
fn development_is_told_drawn_and_refused_where_nothing_was_kept() {
    let here = tempfile::tempdir().unwrap();
    let steps = ["--steps", "600", "--lr", "5e-3", "--snapshots", "6", "--log-spaced", "--out", "run"];
    let (done, ..) = said(here.path(), &[&["train", "repeat-copy"], &SMALL[..], &steps].concat());
    assert!(done);
    let (done, out, complaint) = said(here.path(), &["develop", "run", "--picture", "way.png"]);
    assert!(done && out.contains("memories") && out.contains("accuracy"), "{out}{complaint}");
    assert!(std::fs::read(here.path().join("way.png")).unwrap().starts_with(b"\x89PNG"));
    let found = json(here.path(), &["develop", "run", "--json"]);
    assert_eq!(found["moments"].as_array().unwrap().len(), 6);
    let (done, _, complaint) = said(here.path(), &["develop", "run", "--picture", "way.gif"]);
    assert!(!done && complaint.contains("must end in .svg or .png"), "{complaint}");
    let (done, ..) =
        said(here.path(), &[&["train", "repeat-copy", "--steps", "3", "--out", "bare"], &SMALL[..]].concat());
    assert!(done);
    let (done, _, complaint) = said(here.path(), &["develop", "bare"]);
    assert!(!done && complaint.contains("--snapshots 40"), "{complaint}");
}

#[test]
fn a_sweep_begins_with_networks_of_its_seeds_and_tells_how_fast_they_learned() {
    let here = tempfile::tempdir().unwrap();
    for seed in ["1", "2"] {
        let out = format!("start{seed}");
        let (done, ..) = said(
            here.path(),
            &[&["train", "repeat-copy", "--steps", "20", "--seed", seed, "--out", &out], &SMALL[..]].concat(),
        );
        assert!(done);
    }
    let plan = "task = \"repeat-copy\"\ns = 2\nd = 2\nsteps = 20\nlook_every = 10\nseed = \"1-2\"\nfrom = \"start{seed}\"\nfreeze = \"recurrent\"\n";
    std::fs::write(here.path().join("plan.toml"), plan).unwrap();
    let (done, _, complaint) = said(here.path(), &["sweep", "plan.toml", "--out", "grid", "--yes"]);
    assert!(done, "{complaint}");
    let table = std::fs::read_to_string(here.path().join("grid/results.csv")).unwrap();
    assert!(table.lines().next().unwrap().contains("steps_to_99"), "{table}");
    assert!(table.contains("start1") && table.contains("start2") && table.contains("recurrent"), "{table}");
    std::fs::write(here.path().join("wrong.toml"), plan.replace("start{seed}", "nowhere")).unwrap();
    let (done, _, complaint) = said(here.path(), &["sweep", "wrong.toml", "--out", "other", "--yes"]);
    assert!(!done && complaint.contains("from = \"nowhere\""), "{complaint}");
}
