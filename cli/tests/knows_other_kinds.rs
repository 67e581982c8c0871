//! Networks that do another task, as a person meets them at the command line and on the page: nothing false is said, and the next
//! step is named.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::{ketbra, ketbra_in, succeeds};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Running parity, flip-flops, a delayed copy and words over a group, with inputs at every step; and a network that nobody trained.
fn driven() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/fixtures/programs");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 7);
    files
}

/// What may be said of a network whose task nobody told and that does not go on alone.
const OPEN: [&str; 4] = ["other-kind", "silent", "unclear", "partial"];

#[test]
fn nothing_false_is_printed_and_the_next_step_is_named() {
    for path in driven() {
        let path = path.to_string_lossy();
        for s in ["1", "4", "8"] {
            let asked = ["interpret", &path, "--blind", "--s", s];
            let found: Value = serde_json::from_str(&succeeds(&ketbra(&[&asked[..], &["--json"]].concat()))).unwrap();
            let verdict = found["verdict"].as_str().unwrap();
            assert!(OPEN.contains(&verdict), "{path} s={s}: {verdict}");
            let shown = succeeds(&ketbra(&asked));
            // As lines go over the terminal's edge.
            let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(!shown.contains("learned nothing") && !shown.contains("not-learned"), "{shown}");
            let steps = if s == "1" { "1 step".to_string() } else { format!("{s} steps") };
            assert!(
                found["stimulus"].is_null() || shown.contains(&format!("driven with {steps} of +1 and -1")),
                "{shown}"
            );
            assert!(shown.contains("ketbra.readings(hidden, contents)"), "{shown}");
        }
    }
}

#[test]
fn its_page_says_no_more() {
    let folder = tempfile::tempdir().unwrap();
    for path in driven() {
        let page = folder.path().join("page.html");
        let arguments = ["report", &path.to_string_lossy(), "--blind", "--s", "4", "--out", &page.to_string_lossy()];
        let shown = succeeds(&ketbra_in(folder.path(), &arguments));
        assert!(!shown.contains("circuit") && !shown.contains("learned nothing"), "{shown}");
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(text.len() > 50_000 && !text.contains("learned nothing that lasts"));
    }
}
