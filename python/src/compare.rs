//! Networks against each other.

use crate::arrays::held;
use crate::errors::Failed;
use crate::network::Network;
use crate::settings::with;
use crate::task::Task;
use crate::trajectories::by_step;
use crate::work::without_bar;
use ketbra::compare::{CompareParams, Examined, Subject, compare_examined, examine_all};
use ketbra::observe::Trajectories;
use ketbra::report::figures::comparison_figures;
use numpy::{PyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use std::sync::Arc;

/// A network, or what one did: states (time, batch, H), outputs (time, batch, d) and perhaps inputs (s, batch, d).
#[derive(FromPyObject)]
pub enum Given<'py> {
    Network(Bound<'py, Network>),
    Recording((PyReadonlyArray3<'py, f64>, PyReadonlyArray3<'py, f64>, Option<PyReadonlyArray3<'py, f64>>)),
}

/// Name, thing, input steps and task of a subject.
type Named<'py> = (String, Given<'py>, Option<usize>, Option<Bound<'py, Task>>);

/// What came of a comparison.
#[pyclass(frozen, module = "ketbra._ketbra")]
pub struct Comparison {
    found: ketbra::compare::Comparison,
    examined: Arc<Vec<Examined>>,
}

#[pymethods]
impl Comparison {
    /// The document that `ketbra compare --json` prints.
    fn json(&self) -> Result<String, Failed> {
        Ok(serde_json::to_string(&self.found)?)
    }

    /// Names and SVG files of the figures.
    fn figures(&self) -> Vec<(&'static str, String)> {
        comparison_figures(&self.found, &self.examined).iter().map(|of| (of.name, of.svg())).collect()
    }

    /// One step of a network's circuit, as read from its states.
    fn step<'py>(this: &Bound<'py, Self>, network: usize) -> Option<Bound<'py, PyArray2<f64>>> {
        held(this, |found| Some(&found.examined.get(network)?.circuit.as_ref()?.step))
    }

    /// Cosines between the memories of two networks after the best rotation; rows are those of the first.
    fn overlap<'py>(this: &Bound<'py, Self>, pair: usize) -> Option<Bound<'py, PyArray2<f64>>> {
        held(this, |found| Some(&found.found.pairs.get(pair)?.codes.as_ref()?.alignment.overlap.cosines))
    }
}

/// Compares networks and recordings, each with each.
#[pyfunction]
#[pyo3(signature = (subjects, *, settings))]
pub fn compare(py: Python<'_>, subjects: Vec<Named<'_>>, settings: &str) -> Result<Comparison, Failed> {
    let params = with::<CompareParams>(settings, Failed::interpret)?;
    let subjects = subjects.into_iter().map(subject).collect::<Result<Vec<_>, _>>()?;
    let compared = without_bar(py, |stop| {
        let examined = examine_all(&subjects, &params, &|_| !stop.asked(), &|| {})?;
        Ok::<_, ketbra::compare::CompareError>((compare_examined(&examined, &params)?, examined))
    });
    let (found, examined) = compared?.map_err(Failed::interpret)?;
    Ok(Comparison { found, examined: Arc::new(examined) })
}

fn subject((name, given, s, task): Named<'_>) -> Result<Subject, Failed> {
    let subject = match given {
        Given::Network(network) => {
            let s = s.or(task.as_ref().and_then(|task| task.get().task.window().ok()).map(ketbra::task::Window::s));
            Subject::network(name, network.get().file.as_ref().clone(), s).map_err(Failed::interpret)?
        }
        Given::Recording((hidden, outputs, inputs)) => {
            let recorded = Trajectories {
                inputs: inputs.map(|inputs| inputs.as_array().iter().map(|&u| u as f32).collect()),
                states: by_step(hidden.as_array()),
                outputs: by_step(outputs.as_array()),
            };
            Subject::recording(name, recorded, s.unwrap_or(0))
        }
    };
    Ok(match task {
        Some(task) => subject.on(task.get().task.window()?.clone()),
        None => subject,
    })
}
