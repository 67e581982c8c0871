//! NumPy's `.npz`: an archive of arrays.

use super::Contents;
use super::archive::{Archive, ArchiveError};
use super::limits::{self, TooMuch};
use super::npy::{self, Array, NpyError};
use crate::foreign_text::escaped_name;
use crate::network::Tensor;

/// Why a set of arrays could not be read.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum NpzError {
    /// The archive is at fault.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// One array is at fault.
    #[error("'{}': {source}", escaped_name(name))]
    Array { name: String, source: NpyError },
    /// More than a network may have.
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
    /// Weights as pickled objects.
    #[error("'{}' is an array of Python objects, which are never loaded; save it as numbers (array.astype(float))", escaped_name(.0))]
    Objects(String),
}

/// The largest array that is no array of numbers and still looked at: settings beside the weights.
const MAX_SETTING_BYTES: usize = 1 << 20;

/// Reads every array: numbers with dimensions are tensors, single texts and numbers are metadata.
pub(super) fn read(archive: &Archive<'_>) -> Result<Contents, NpzError> {
    let (mut contents, mut values) = (Contents::default(), 0);
    for entry in archive.names() {
        let Some(name) = entry.strip_suffix(".npy") else { continue };
        let wrong = |source| NpzError::Array { name: name.into(), source };
        let size = archive.size(entry);
        match npy::stated_shape(&archive.start(entry, npy::START)?, size).map_err(wrong)? {
            Some(shape) => limits::count(&mut values, name, &shape)?,
            None if size > MAX_SETTING_BYTES => continue,
            None => {}
        }
        let bytes = archive.read(entry)?;
        match npy::parse(&bytes).map_err(wrong)? {
            Array::Numbers(Tensor { shape, values }) if shape.is_empty() => {
                contents.metadata.extend(values.first().map(|value| (name.to_string(), value.to_string())));
            }
            Array::Numbers(tensor) => {
                contents.tensors.insert(name.into(), tensor);
            }
            Array::Text(text) => {
                contents.metadata.insert(name.into(), text);
            }
            Array::Objects if name.contains("weight") || name.contains("bias") => {
                return Err(NpzError::Objects(name.into()));
            }
            // Settings that someone saved beside the weights.
            Array::Objects | Array::Other => {}
        }
    }
    Ok(contents)
}
