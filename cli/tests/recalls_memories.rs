//! `ketbra recall` shows memories recalled in order and variables held.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::{ketbra, ketbra_in, refuses, succeeds};
use serde_json::Value;

#[test]
fn memories_come_one_after_another_and_variables_keep_their_contents() {
    let shown: Value = serde_json::from_str(&succeeds(&ketbra(&["recall", "--json"]))).unwrap();
    assert_eq!(shown["visited"], serde_json::json!([0, 1, 2, 3, 4, 5, 6, 7, 0]));
    let contents = shown["variables"]["overlaps"].as_array().unwrap();
    let at = |step: usize, variable: usize| contents[step][variable].as_f64().unwrap();
    for step in 0..contents.len() - 1 {
        for variable in 0..8 {
            let next = at(step + 1, variable);
            assert!((next - at(step, (variable + 1) % 8)).abs() < 1e-12 && (next.abs() - 1.0).abs() < 1e-12);
        }
    }
    assert!(shown["conjugacy"]["worst_gap"].as_f64().unwrap() < 1e-12);
}

#[test]
fn the_plot_in_text_has_a_row_for_every_memory_and_every_variable() {
    let text = succeeds(&ketbra(&["recall", "--memories", "5", "--time", "40"]));
    for row in 1..=5 {
        assert!(text.contains(&format!("memory {row} │")) && text.contains(&format!("variable {row} │")), "{text}");
    }
    assert!(text.contains("recalled in the order 1 2 3"), "{text}");
}

#[test]
fn the_picture_is_the_same_to_the_byte_every_time() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        let [svg, png] = ["svg", "png"].map(|kind| format!("new/{name}.{kind}"));
        succeeds(&ketbra_in(folder.path(), &["recall", "--svg", &svg, "--png", &png, "--dpi", "72"]));
    }
    let read = |name| std::fs::read(folder.path().join("new").join(name)).unwrap();
    assert!(read("a.png").starts_with(b"\x89PNG") && read("a.png") == read("b.png"));
    let text = String::from_utf8(read("a.svg")).unwrap();
    assert!(text.contains(">memory</text>") && text.contains(">variable</text>") && read("a.svg") == read("b.svg"));
}

#[test]
fn memories_that_do_not_fit_and_impossible_times_are_refused() {
    assert!(refuses(&ketbra(&["recall", "--memories", "9", "--features", "8"])).contains("--memories 1 to 8"));
    assert!(refuses(&ketbra(&["recall", "--memories", "0"])).contains("do not fit"));
    assert!(refuses(&ketbra(&["recall", "--features", "1000000"])).contains("up to 2048"));
    assert!(refuses(&ketbra(&["recall", "--time", "1e300"])).contains("beyond 100000"));
    assert!(refuses(&ketbra(&["recall", "--time", "0"])).contains("positive"));
    assert!(refuses(&ketbra(&["recall", "--time", "NaN"])).contains("positive"));
    assert!(refuses(&ketbra(&["recall", "--delay=-1"])).contains("zero or positive"));
}
