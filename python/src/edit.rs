//! Editing.

use crate::errors::Failed;
use crate::network::Network;
use crate::settings::with;
use crate::task::Task;
use crate::work::without_bar;
use ketbra::edit::{Change, EditParams, edit as rewrite};
use ketbra::task::Source;
use pyo3::prelude::*;

/// What is to change.
#[derive(FromPyObject)]
pub enum ChangeGiven<'py> {
    To(Bound<'py, Task>),
    Set(String),
    Negate(usize),
    Keep((usize, f64)),
}

/// Makes a network that computes `task` compute something else; gives it with what `ketbra edit --json` prints.
#[pyfunction]
#[pyo3(signature = (network, task, change, *, settings))]
pub fn edit(
    py: Python<'_>,
    network: &Bound<'_, Network>,
    task: &Bound<'_, Task>,
    change: ChangeGiven<'_>,
    settings: &str,
) -> Result<(Network, String), Failed> {
    let (file, from) = (&network.get().file, task.get().task.window()?);
    let change = match change {
        ChangeGiven::To(task) => Change::To(task.get().task.window()?.clone()),
        ChangeGiven::Set(text) => {
            let (output, source) = Source::parse(&text)?;
            Change::Entry { output, source }
        }
        ChangeGiven::Negate(output) => Change::Sign { output },
        ChangeGiven::Keep((variable, strength)) => Change::Strength { variable, strength },
    };
    let params: EditParams = with(settings, Failed::edit)?;
    let edited = without_bar(py, |_| rewrite(&file.network, from, &change, &params))??;
    let document = serde_json::to_string(&edited.summary(from, &params))?;
    Ok((Network::new(edited.file(), None), document))
}
