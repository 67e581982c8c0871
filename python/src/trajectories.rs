//! Interpretation of a network of which only trajectories are known.

use crate::arrays::matrix;
use crate::errors::Failed;
use crate::interpret::Interpretation;
use crate::settings::with;
use crate::task::Task;
use crate::work::without_bar;
use ketbra::code::{OverTimeParams, over_time};
use ketbra::interpret::{Question, Warning, interpret_trajectories as read};
use ketbra::numeric::Matrix;
use ketbra::observe::Trajectories;
use numpy::PyReadonlyArray3;
use numpy::ndarray::ArrayView3;
use pyo3::prelude::*;
use std::sync::Arc;

/// Interprets the output phase of a network: states (time, batch, H), outputs (time, batch, d), and perhaps the inputs
/// (s, batch, d) that came before.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the keywords of Python")]
#[pyo3(signature = (hidden, outputs, inputs, *, task, s, settings, cut))]
pub fn interpret_trajectories(
    py: Python<'_>,
    hidden: PyReadonlyArray3<'_, f64>,
    outputs: PyReadonlyArray3<'_, f64>,
    inputs: Option<PyReadonlyArray3<'_, f64>>,
    task: Option<&Bound<'_, Task>>,
    s: usize,
    settings: &str,
    cut: Option<(usize, usize, usize)>,
) -> Result<Interpretation, Failed> {
    let params = with(settings, Failed::interpret)?;
    let question = match task {
        Some(task) => Question::Task(task.get().task.window()?.clone()),
        None => Question::Blind { s },
    };
    let (hidden, outputs) = (hidden.as_array(), outputs.as_array());
    let inputs = inputs.as_ref().map(|inputs| inputs.as_array());
    let mut found = without_bar(py, |_| {
        let trajectories = Trajectories {
            inputs: inputs.map(|inputs| inputs.iter().map(|&u| u as f32).collect()),
            states: by_step(hidden),
            outputs: by_step(outputs),
        };
        read(&trajectories, &question, &params)
    })??;
    if let Some((steps, left_out, episodes)) = cut {
        found.warnings.push(Warning::CutToLength { steps, left_out, episodes }.into());
    }
    Ok(Interpretation { found: Arc::new(found), file: None, path: None })
}

/// (time, batch, feature) as one feature x batch matrix a step.
pub(crate) fn by_step(array: ArrayView3<'_, f64>) -> Vec<Matrix> {
    array.outer_iter().map(|step| matrix(step.reversed_axes())).collect()
}

/// Reads contents (time, batch, contents), each -1 or +1 or NaN where it is not defined, from states (time, batch, units), at every
/// time step by itself. Gives the document as JSON.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the keywords of Python")]
#[pyo3(signature = (hidden, contents, names, *, input_steps, folds, draws, ridge, seed))]
pub fn readings(
    py: Python<'_>,
    hidden: PyReadonlyArray3<'_, f64>,
    contents: PyReadonlyArray3<'_, f64>,
    names: Vec<String>,
    input_steps: usize,
    folds: Option<usize>,
    draws: Option<usize>,
    ridge: Option<f64>,
    seed: u64,
) -> Result<String, Failed> {
    let (states, held) = (by_step(hidden.as_array()), by_step(contents.as_array()));
    let mut params = OverTimeParams::default();
    params.folds = folds.unwrap_or(params.folds);
    params.draws = draws.unwrap_or(params.draws);
    params.ridge = ridge.unwrap_or(params.ridge);
    let found = without_bar(py, |_| over_time(&states, &held, names, input_steps, &params, seed));
    Ok(serde_json::to_string(&found?.map_err(Failed::interpret)?)?)
}
