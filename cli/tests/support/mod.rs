//! Runs the real binary.

#![allow(clippy::expect_used)]

use std::path::Path;
use std::process::{Command, Output};

/// The command, in a folder, with colours off.
pub fn ketbra_in(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ketbra"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("the binary starts")
}

/// The command, anywhere.
pub fn ketbra(arguments: &[&str]) -> Output {
    ketbra_in(Path::new("."), arguments)
}

/// Standard output of a command that must succeed.
pub fn succeeds(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

/// The message of a command that must refuse its input with exit code 2 and say nothing else.
pub fn refuses(output: &Output) -> String {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(output.stdout.is_empty());
    assert!(!message.contains("panicked"), "{message}");
    message
}

/// What `ketbra task --json` says.
pub fn described(arguments: &[&str]) -> serde_json::Value {
    let mut all = vec!["task", "--json"];
    all.extend(arguments);
    serde_json::from_str(&succeeds(&ketbra(&all))).expect("one JSON document")
}
