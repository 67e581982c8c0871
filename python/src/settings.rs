//! Settings as Python hands them over: JSON, from names to values.

use crate::errors::Failed;
use ketbra::interpret::InterpretError;
use ketbra::known_settings;
use ketbra::setting::Adjustable;
use pyo3::prelude::*;

/// Parameters with these settings; `failed` is how the stage fails.
pub fn with<P: Adjustable + Default>(settings: &str, failed: fn(InterpretError) -> Failed) -> Result<P, Failed>
where
    InterpretError: From<P::Error>,
{
    let settings = serde_json::from_str(settings)?;
    P::default().with_map(&settings).map_err(|error| failed(error.into()))
}

/// What `ketbra settings --json` prints.
#[pyfunction]
pub fn settings() -> Result<String, Failed> {
    Ok(serde_json::to_string(&known_settings())?)
}
