//! What is written about the program agrees with it.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::Command;

fn written(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

fn reference(arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_ketbra")).arg("reference").args(arguments).output().unwrap()
}

#[test]
fn the_page_of_commands_is_fresh() {
    let now = String::from_utf8(reference(&[]).stdout).unwrap();
    assert!(now.contains("## ketbra train") && now.contains("`--hidden N`"));
    assert!(!now.contains("ketbra reference\n"), "the command that describes the others is hidden");
    assert_eq!(written("docs/look-up/commands.md"), now, "scripts/docs commands writes it again");
}

#[test]
fn the_page_of_settings_is_fresh() {
    let now = String::from_utf8(reference(&["--settings"]).stdout).unwrap();
    assert_eq!(written("docs/look-up/settings.md"), now, "scripts/docs commands writes it again");
}

#[test]
fn a_stale_option_does_not_parse() {
    assert!(reference(&["--parse", "train", "T2", "--out", "runs/t2"]).status.success());
    let stale = reference(&["--parse", "train", "T2", "--outt", "runs/t2"]);
    assert_eq!(stale.status.code(), Some(2));
    assert!(String::from_utf8(stale.stderr).unwrap().contains("--outt"));
}

#[test]
fn one_version_is_stated_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    let manifest = written("Cargo.toml");
    assert!(manifest.contains(&format!("\nversion = \"{version}\"\n")));
    assert!(manifest.contains(&format!("ketbra = {{ path = \"core\", version = \"{version}\" }}")));
    assert!(written("CITATION.cff").contains(&format!("\nversion: {version}\n")));
    let released = written("CHANGELOG.md").lines().find_map(|line| line.strip_prefix("## ").map(str::to_owned));
    assert_eq!(released.and_then(|title| title.split(' ').next().map(str::to_owned)).as_deref(), Some(version));
    assert!(written("pyproject.toml").contains("dynamic = [\"version\"]"));
}

#[test]
fn every_file_of_tests_is_in_its_program() {
    for folder in ["core/tests", "cli/tests"] {
        let program = written(&format!("{folder}/main.rs"));
        for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder)).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let is_listed = program.contains(&format!("\nmod {name};\n"));
            assert!(
                is_listed || path.extension().is_none_or(|kind| kind != "rs") || name == "main",
                "{folder}/main.rs lacks {name}"
            );
        }
    }
}
