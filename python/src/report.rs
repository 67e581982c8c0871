//! The page of a network.

use crate::errors::Failed;
use crate::interpret::Interpretation;
use ketbra::report::{Provenance, page, page_of_recordings};
use pyo3::prelude::*;
use std::path::PathBuf;

/// The interactive page: one HTML document that needs nothing else. Where no network was given, it shows recorded
/// episodes.
pub fn page_of(py: Python<'_>, seen: &Interpretation, title: &str) -> Result<String, Failed> {
    let Some(file) = &seen.file else {
        let provenance = Provenance { title: title.into(), ..Provenance::default() };
        return Ok(py.detach(|| page_of_recordings(&seen.found, &provenance))?);
    };
    let provenance = match &seen.path {
        Some(path) => Provenance::of(path, file, &|_, _| ()),
        None => Provenance { title: title.into(), ..Provenance::default() },
    };
    Ok(py.detach(|| page(&file.network, &seen.found, &provenance))?)
}

/// Writes a text file, all of it or nothing.
#[pyfunction]
pub fn write_whole(py: Python<'_>, path: PathBuf, text: &str) -> Result<(), Failed> {
    py.detach(|| ketbra::files::write_whole(&path, text.as_bytes()))
        .map_err(|error| Failed::report(format!("cannot write {}: {error}", path.display())))
}
