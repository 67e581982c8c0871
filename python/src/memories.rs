//! Variable memories, and what they read from states.

use crate::arrays::{column_major, held, numbers};
use crate::errors::Failed;
use crate::task::Task;
use ketbra::circuit::Core;
use ketbra::interpret as stage;
use ketbra::memories::{self, Frame, Method};
use ketbra::numeric::Matrix;
use numpy::ndarray::{Array4, ArrayView1};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray4, PyReadonlyArray3};
use pyo3::prelude::*;
use std::sync::Arc;

/// The memories that one method found.
#[pyclass(frozen, module = "ketbra._ketbra")]
pub struct Memories {
    pub found: Arc<stage::Interpretation>,
    pub at: usize,
}

impl Memories {
    fn memories(&self) -> &memories::Memories {
        &self.found.details.memories[self.at]
    }

    fn frame(&self) -> Option<&Frame> {
        self.memories().frame.as_ref()
    }
}

#[pymethods]
impl Memories {
    #[getter]
    fn method(&self) -> &'static str {
        self.memories().method.name()
    }

    /// The task that they belong to.
    #[getter]
    fn task(&self) -> Option<Task> {
        self.found.details.task.clone().map(Task::of)
    }

    /// H x core.
    #[getter]
    fn basis<'py>(this: &Bound<'py, Self>) -> Option<Bound<'py, PyArray2<f64>>> {
        held(this, |found| Some(&found.frame()?.memories))
    }

    /// core x H.
    #[getter]
    fn dual<'py>(this: &Bound<'py, Self>) -> Option<Bound<'py, PyArray2<f64>>> {
        held(this, |found| Some(&found.frame()?.readers))
    }

    /// H x k: principal directions of what the memories leave out.
    #[getter]
    fn perp<'py>(this: &Bound<'py, Self>) -> Option<Bound<'py, PyArray2<f64>>> {
        held(this, |found| Some(&found.memories().remainder.as_ref()?.directions))
    }

    /// The learned circuit on memories and remainder, (core + k) x (core + k).
    #[getter]
    fn blocks<'py>(this: &Bound<'py, Self>) -> Option<Bound<'py, PyArray2<f64>>> {
        held(this, |found| Some(&found.memories().remainder.as_ref()?.blocks))
    }

    /// Share of right signs, overall, in the worst component, and in each.
    #[getter]
    fn mean(&self) -> f64 {
        self.memories().score.mean
    }

    #[getter]
    fn worst(&self) -> f64 {
        self.memories().score.worst
    }

    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        numbers(py, self.memories().score.components.clone())
    }

    #[getter]
    fn recovered(&self) -> bool {
        self.worst() >= self.found.params.memories.recovered
    }

    #[getter]
    fn condition(&self) -> Option<f64> {
        self.memories().condition
    }

    #[getter]
    fn phi_error(&self) -> Option<f64> {
        self.memories().phi_error
    }

    /// Contents (time, batch, s, d) of states (time, batch, H); the first state is that of output step `first` (from 0).
    fn decode<'py>(
        &self,
        py: Python<'py>,
        hidden: PyReadonlyArray3<'py, f64>,
        first: usize,
    ) -> Result<Bound<'py, PyArray4<f64>>, Failed> {
        let (Some(frame), Some(task)) = (self.frame(), &self.found.details.task) else {
            let why = "rollout has no linear basis to decode with; interpret with another method, such as orbit";
            return Err(Failed::interpret(why));
        };
        let embed = match (&self.found.details.contents, self.memories().method) {
            (Some(contents), Method::Code) => contents.embed.clone(),
            _ => Core::of(task)?.embed,
        };
        let (s, d) = (task.s(), task.d());
        let means = &self.found.details.means;
        let hidden = hidden.as_array();
        let units = frame.readers.ncols();
        if hidden.dim().2 != units {
            return Err(Failed::interpret(format!("hidden has {} features, but {units} are needed", hidden.dim().2)));
        }
        let contents = py.detach(|| {
            let readers: Matrix = &embed * &frame.readers;
            let readers = column_major(&readers);
            let (steps, batch, _) = hidden.dim();
            let mut contents = Array4::zeros((steps, batch, s, d));
            let at_rest = vec![0.0; units];
            for (t, (mut to, from)) in contents.outer_iter_mut().zip(hidden.outer_iter()).enumerate() {
                // The last mean is that of a state that has settled.
                let mean = means.get(first + t).or(means.last()).unwrap_or(&at_rest);
                let read = (&from - &ArrayView1::from(mean)).dot(&readers.t());
                to.iter_mut().zip(read.iter()).for_each(|(to, from)| *to = *from);
            }
            contents
        });
        Ok(contents.into_pyarray(py))
    }
}
