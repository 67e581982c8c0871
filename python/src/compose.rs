//! Two circuits in one network.

use crate::errors::Failed;
use crate::interpret::Interpretation;
use crate::network::Network;
use crate::task::Task;
use crate::work::without_bar;
use ketbra::compose::{How, feed, sum};
use ketbra::interpret::{InterpretParams, Question, interpret};
use pyo3::prelude::*;
use std::sync::Arc;

/// Puts two networks into one; gives it, its task, and what is read from it under that task.
#[pyfunction]
pub fn compose(
    py: Python<'_>,
    first: (Bound<'_, Network>, Bound<'_, Task>),
    second: (Bound<'_, Network>, Bound<'_, Task>),
    how: &str,
) -> Result<(Network, Task, Interpretation), Failed> {
    let how: How = how.parse().map_err(Failed::edit)?;
    let part = |(network, task): &(Bound<'_, Network>, Bound<'_, Task>)| {
        let window = task.get().task.window()?.clone();
        Ok::<_, Failed>((network.get().file.clone(), window))
    };
    let [(a, f), (b, g)] = [part(&first)?, part(&second)?];
    let [(a, f), (b, g)] = [(&a.network, &f), (&b.network, &g)];
    let params = InterpretParams::default();
    let (made, found) = without_bar(py, |_| {
        let read = |network, task: &ketbra::task::Window| {
            interpret(network, &Question::Task(task.clone()), &params, &|_| true)
        };
        let made = match how {
            How::Sum => sum((a, f), (b, g)),
            How::Feed => feed((a, f), (b, g), (&read(a, f)?, &read(b, g)?)),
        };
        let made = made.map_err(Failed::edit)?;
        let found = read(&made.network, &made.task)?;
        Ok::<_, Failed>((made, found))
    })??;
    let file = Arc::new(made.file());
    let network = Network { file: file.clone(), path: None };
    Ok((network, Task::of(made.task), Interpretation { found: Arc::new(found), file: Some(file), path: None }))
}
