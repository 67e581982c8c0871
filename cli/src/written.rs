//! What was made from a network, for `--json`: the files, and what the network comes to.

use crate::failure::Failure;
use crate::terminal::print_exactly;
use ketbra::interpret::{Interpretation, Note, TaskSummary, Verdict};
use ketbra::network::Accuracy;
use ketbra::path_text;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A file that was written.
#[derive(Serialize)]
pub struct Written {
    #[serde(serialize_with = "path_text::serialize")]
    pub path: PathBuf,
    pub bytes: usize,
}

/// One line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(serialize_with = "path_text::serialize_option")]
    path: Option<&'a Path>,
    task: &'a TaskSummary,
    hidden: usize,
    verdict: Verdict,
    accuracy: Option<&'a Accuracy>,
    warnings: &'a [Note],
    files: &'a [Written],
}

/// Prints what was made; `path` is where the network came from, if it came from a file.
pub fn print_made(path: Option<&Path>, found: &Interpretation, files: &[Written]) -> Result<(), Failure> {
    let Interpretation { task, hidden, verdict, accuracy, warnings, .. } = found;
    let accuracy = accuracy.as_ref();
    let line = Line { path, task, hidden: *hidden, verdict: *verdict, accuracy, warnings, files };
    print_exactly(&format!("{}\n", serde_json::to_string(&line)?));
    Ok(())
}
