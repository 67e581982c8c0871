//! What the page gets back.

use crate::frame::{File, join};
use serde_json::{Value, json};

/// What was found, and the files that hold it; or what went wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What the command line prints with `--json`; or `{"error": ...}`.
    pub json: Value,
    /// Files to show and to download; the one called `report.html` is shown.
    pub files: Vec<File>,
}

/// Why there is no answer.
pub type Problem = Box<dyn std::error::Error>;

/// The name of the file that is shown.
pub const PAGE: &str = "report.html";

impl Answer {
    /// An answer that says what went wrong.
    pub fn problem(message: &str) -> Self {
        Self { json: json!({ "error": message }), files: vec![] }
    }

    /// As a frame: `{"answer": ..., "files": [{"name", "length"}]}`, then the files.
    pub fn write(&self) -> Vec<u8> {
        let listed = self.files.iter().map(|file| json!({ "name": file.name, "length": file.bytes.len() }));
        let head = json!({ "answer": self.json, "files": listed.collect::<Vec<_>>() });
        join(head.to_string().as_bytes(), &self.files)
    }
}

/// A file of an answer.
pub fn file(name: &str, bytes: impl Into<Vec<u8>>) -> File {
    File { name: name.into(), bytes: bytes.into() }
}
