//! How circuits came to be, and networks with several functions.

use crate::errors::Failed;
use crate::network::Network;
use crate::settings::with;
use crate::work::without_bar;
use ketbra::develop::DevelopParams;
use ketbra::interpret::interpret_contexts as read_contexts;
use ketbra::report::figures::development_figure;
use ketbra::run_folder::RunFolder;
use pyo3::prelude::*;
use std::path::PathBuf;

/// What `ketbra develop --json` prints, and the picture as SVG.
#[pyfunction]
#[pyo3(signature = (run, *, settings))]
pub fn develop(py: Python<'_>, run: PathBuf, settings: &str) -> Result<(String, String), Failed> {
    let run = RunFolder::open(&run)?;
    let params = with::<DevelopParams>(settings, Failed::interpret)?;
    let found = without_bar(py, |stop| ketbra::develop::develop(&run, &params, &|_, _| !stop.asked()));
    let found = found?.map_err(Failed::interpret)?;
    Ok((serde_json::to_string(&found)?, development_figure(&found).svg()))
}

/// What `ketbra interpret --json` prints of a network whose task has contexts.
#[pyfunction]
#[pyo3(signature = (network, *, task, settings))]
pub fn interpret_contexts(
    py: Python<'_>,
    network: &Bound<'_, Network>,
    task: Option<PathBuf>,
    settings: &str,
) -> Result<String, Failed> {
    let file = network.get().file.clone();
    let task = file.task_named(task.as_ref().map(|path| path.as_os_str()), None, None)?;
    let task = task.ok_or_else(|| Failed::interpret(ketbra::interpret::InterpretError::NoTask))?;
    let task = task.window()?;
    let params = with(settings, Failed::interpret)?;
    let found = without_bar(py, |stop| read_contexts(&file.network, task, &params, &|_| !stop.asked()));
    Ok(serde_json::to_string(&found?.map_err(Failed::interpret)?)?)
}
