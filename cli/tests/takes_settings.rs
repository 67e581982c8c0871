//! `--set NAME=VALUE` and `ketbra settings`.

use crate::support::{ketbra, ketbra_in, refuses, succeeds};
use serde_json::Value;
use std::path::Path;

fn network() -> String {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/fixtures");
    fixtures.join("t3-h64-l2_0-seed01.safetensors").to_string_lossy().into_owned()
}

fn interpreted(settings: &[&str]) -> String {
    let set = settings.iter().flat_map(|setting| ["--set", setting]);
    let line: Vec<String> = ["interpret", "--json"].into_iter().chain(set).map(String::from).collect();
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    succeeds(&ketbra(&[&line[..], &[&network()]].concat()))
}

#[test]
fn a_setting_decides_and_is_written_into_the_results_and_a_default_changes_nothing() {
    let plain = interpreted(&[]);
    assert_eq!(interpreted(&["code.read=0.99", "observe.seed=1", "method=code"]), plain);
    let strict: Value = serde_json::from_str(&interpreted(&["claims.explained=1", "code.read = 0.5"])).unwrap();
    assert_eq!(
        (&strict["params"]["claims"]["explained"], &strict["params"]["code"]["read"]),
        (&1.0.into(), &0.5.into())
    );
    let failing = |found: &Value| {
        let claims = found["claims"].as_array().unwrap().iter().filter(|claim| claim["holds"] == false);
        claims.map(|claim| claim["name"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(failing(&serde_json::from_str(&plain).unwrap()), Vec::<String>::new());
    assert_eq!(failing(&strict), ["code-explains"]);
}

#[test]
fn a_flag_is_a_setting_by_another_name() {
    let both = [["--matching", "greedy", "--seed", "3"], ["--steps", "9", "--grounding", "0.5"]].concat();
    let flags = succeeds(&ketbra(&[&["interpret", "--json"][..], &both, &[&network()]].concat()));
    let greedy = ["origin_spectrum.matching=greedy", "orbit_spectrum.matching=greedy"];
    let set =
        interpreted(&[&greedy[..], &["observe.seed=3", "observe.ends_after=9", "memories.grounding=0.5"]].concat());
    assert_eq!(flags, set);
}

#[test]
fn what_cannot_be_meant_is_refused_before_anything_is_done() {
    let refused = |line: &[&str]| refuses(&ketbra(line));
    assert!(
        refused(&["interpret", "no-file", "--set", "code.read=2"]).contains("code.read is 2, but must be from 0 to 1")
    );
    assert!(refused(&["report", &network(), "--set", "code.raed=1"]).contains("did you mean 'code.read'?"));
    assert!(refused(&["interpret", &network(), "--set", "edit.good=1"]).contains("there is no setting 'edit.good'"));
    assert!(
        refused(&["interpret", &network(), "--grounding", "2"]).contains("--grounding is 2, but must be from 0 to 1")
    );
    let compared = ["compare", &network(), &network(), "--set", "compare.outputs=7"];
    assert!(refused(&compared).contains("compare.outputs is 7, but must be from 0 to 1"));
    let edited = ["edit", &network(), "--negate", "1", "--setting", "edit.held=7"];
    assert!(refused(&edited).contains("edit.held is 7, but must be from 0 to 1"));
    let linearized = ["linearize", &network(), "--set", "fixed_points.slow_q=-1"];
    assert!(refused(&linearized).contains("fixed_points.slow_q is -1, but must be at least 0"));
}

#[test]
fn a_sweep_interprets_with_the_settings_in_its_file_and_keeps_them_with_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let grid = "task = \"repeat-copy\"\ns = 2\nd = 2\nhidden = 8\nsteps = 20\n";
    let sweep = |text: String| {
        std::fs::write(folder.path().join("grid.toml"), text).unwrap();
        ketbra_in(folder.path(), &["sweep", "grid.toml", "--out", "out"])
    };
    succeeds(&sweep(grid.into()));
    succeeds(&sweep(format!("{grid}[interpret]\nclaims.follows = 0.5\n\"code.read\" = 0.75\n")));
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).unwrap();
    let names = read(folder.path().join("out/networks.txt"));
    let names: Vec<&str> = names.lines().collect();
    assert_eq!(names.len(), 2, "another interpretation is another row");
    let kept: Vec<Value> = names
        .iter()
        .map(|name| serde_json::from_str(&read(folder.path().join("out").join(name).join("result.json"))).unwrap())
        .map(|row: Value| row["interpret"].clone())
        .collect();
    assert_eq!(kept[0], Value::Null);
    assert_eq!(kept[1], serde_json::json!({"claims": {"follows": 0.5}, "code.read": 0.75}));
    let refused = refuses(&sweep(format!("{grid}[interpret]\ncode.raed = 0.5\n")));
    assert!(refused.contains("grid.toml:6: there is no setting 'code.raed'; did you mean 'code.read'?"), "{refused}");
}

#[test]
fn the_list_says_name_default_limits_and_meaning() {
    let said = succeeds(&ketbra(&["settings", "code.read"]));
    assert_eq!(
        said,
        "code.read=0.99  a number, from 0 to 1 (share)\n    A content is read from this share of right signs on\n"
    );
    let all: Value = serde_json::from_str(&succeeds(&ketbra(&["settings", "--json"]))).unwrap();
    assert!(all.as_array().unwrap().len() > 150);
    assert!(refuses(&ketbra(&["settings", "nothing"])).contains("no setting begins with 'nothing'"));
}
