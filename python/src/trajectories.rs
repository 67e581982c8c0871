//! Interpretation of a network of which only trajectories are known.

use crate::arrays::matrix;
use crate::errors::Failed;
use crate::interpret::{Interpretation, chosen};
use crate::task::Task;
use crate::work::{interruptible, no_look};
use ketbra::interpret::{InterpretError, Question, Warning, interpret_trajectories as read};
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
#[pyo3(signature = (hidden, outputs, inputs, *, task, s, method, methods, matching, cut))]
pub fn interpret_trajectories(
    py: Python<'_>,
    hidden: PyReadonlyArray3<'_, f64>,
    outputs: PyReadonlyArray3<'_, f64>,
    inputs: Option<PyReadonlyArray3<'_, f64>>,
    task: Option<&Bound<'_, Task>>,
    s: usize,
    method: Option<&str>,
    methods: Option<&str>,
    matching: Option<&str>,
    cut: Option<(usize, usize, usize)>,
) -> Result<Interpretation, Failed> {
    let params = chosen(method, methods, matching, None, None)?;
    let question = match task {
        Some(task) => Question::Task(task.get().task.clone()),
        None => Question::Blind { s },
    };
    let (hidden, outputs) = (hidden.as_array(), outputs.as_array());
    let inputs = inputs.as_ref().map(|inputs| inputs.as_array());
    let ended = interruptible(
        py,
        |_| {
            let trajectories = Trajectories {
                inputs: inputs.map(|inputs| inputs.iter().map(|&u| u as f32).collect()),
                states: by_step(hidden),
                outputs: by_step(outputs),
            };
            let mut found = read(&trajectories, &question, &params)?;
            if let Some((steps, left_out, episodes)) = cut {
                found.warnings.push(Warning::CutToLength { steps, left_out, episodes }.into());
            }
            Ok::<_, InterpretError>(found)
        },
        no_look,
    );
    let found = ended.unless_interrupted()??;
    Ok(Interpretation { found: Arc::new(found), file: None, path: None })
}

/// (time, batch, feature) as one feature x batch matrix a step.
pub(crate) fn by_step(array: ArrayView3<'_, f64>) -> Vec<Matrix> {
    array.outer_iter().map(|step| matrix(step.reversed_axes())).collect()
}
