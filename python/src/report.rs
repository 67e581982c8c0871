//! The page of a network.

use crate::errors::Failed;
use crate::interpret::Interpretation;
use ketbra::files::cannot;
use ketbra::report::{Provenance, page};
use pyo3::prelude::*;
use std::path::PathBuf;

/// The interactive page: one HTML document that needs nothing else. Where no network was given, it shows recorded
/// episodes.
pub fn page_of(py: Python<'_>, seen: &Interpretation, title: &str) -> Result<String, Failed> {
    let provenance = match (&seen.file, &seen.path) {
        (Some(file), Some(path)) => Provenance::of(path, file, &|_, _| ()),
        _ => Provenance { title: title.into(), ..Provenance::default() },
    };
    let network = seen.file.as_ref().map(|file| &file.network);
    Ok(py.detach(|| page(network, &seen.found, &provenance))?)
}

/// Writes a text file, all of it or nothing.
#[pyfunction]
pub fn write_whole(py: Python<'_>, path: PathBuf, text: &str) -> Result<(), Failed> {
    let written = py.detach(|| ketbra::files::write_whole(&path, text.as_bytes()));
    written.map_err(cannot("write", &path)).map_err(Failed::report)
}
