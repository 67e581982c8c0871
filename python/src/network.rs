//! Networks.

use crate::arrays::{column_major, matrix, numbers, view};
use crate::errors::Failed;
use crate::task::Task;
use ketbra::network::{self, Activation, CellKind, NetworkFile, Parameter, Tensor, Tensors};
use ketbra::numeric::Matrix;
use ketbra::observe::View;
use numpy::ndarray::{Array3, ArrayViewD, s};
use numpy::{IntoPyArray, PyArray2, PyArray3, PyReadonlyArray2, PyReadonlyArray3, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The most numbers that a run may give back: 8 GiB.
const MOST_STATES: usize = 1 << 30;

/// A network with what its file says about it.
#[pyclass(frozen, module = "ketbra._ketbra")]
pub struct Network {
    pub file: Arc<NetworkFile>,
    pub path: Option<PathBuf>,
}

impl Network {
    pub fn new(file: NetworkFile, path: Option<PathBuf>) -> Self {
        Self { file: Arc::new(file), path }
    }

    fn network(&self) -> &network::Network {
        &self.file.network
    }
}

#[pymethods]
impl Network {
    /// From a run folder or a file; a `cell` needs no readout.
    #[staticmethod]
    #[pyo3(signature = (path, activation, cell = false))]
    fn open(py: Python<'_>, path: PathBuf, activation: Option<&str>, cell: bool) -> Result<Self, Failed> {
        let activation = activation.map(|word| word.parse::<Activation>().map_err(Failed::network)).transpose()?;
        let open = if cell { NetworkFile::open_cell } else { NetworkFile::open_as };
        let file = py.detach(|| open(&path, activation))?;
        Ok(Self::new(file, Some(path)))
    }

    /// From named arrays; names are those of PyTorch or of the paper, with any prefix. `unused` names what the arrays leave
    /// out of the module that they come from.
    #[staticmethod]
    #[pyo3(signature = (arrays, activation, metadata, unused = vec![], cell = false))]
    fn from_arrays(
        arrays: BTreeMap<String, PyReadonlyArrayDyn<'_, f64>>,
        activation: &str,
        metadata: BTreeMap<String, String>,
        unused: Vec<String>,
        cell: bool,
    ) -> Result<Self, Failed> {
        let activation: Activation = activation.parse().map_err(Failed::network)?;
        let tensors: Tensors = arrays.iter().map(|(name, array)| (name.clone(), tensor(array.as_array()))).collect();
        let (network, mut rest) = match cell {
            true => network::Network::from_tensors_of_a_cell(&tensors, activation)?,
            false => network::Network::from_tensors_with_unused(&tensors, activation)?,
        };
        rest.extend(unused);
        Ok(Self::new(NetworkFile { network, metadata, unused: rest }, None))
    }

    /// The parameters under PyTorch's names, without a copy where they are matrices.
    fn arrays<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let (py, network) = (this.py(), this.get().network());
        let all = PyDict::new(py);
        // SAFETY: a frozen class owns the matrices.
        let matrix = |matrix: &Matrix| unsafe { view(matrix, this.clone().into_any()) };
        for (name, parameter) in network.parameters() {
            match parameter {
                Parameter::Matrix(of) => all.set_item(name, matrix(of))?,
                Parameter::Vector(of) => all.set_item(name, numbers(py, of.to_vec()))?,
            }
        }
        Ok(all)
    }

    /// The kind of its layers; nothing where they are of several.
    #[getter]
    fn cell(&self) -> Option<&'static str> {
        self.network().kind().map(CellKind::name)
    }

    #[getter]
    fn layers(&self) -> usize {
        self.network().layers.len()
    }

    #[getter]
    fn hidden(&self) -> usize {
        self.network().hidden()
    }

    #[getter]
    fn state_size(&self) -> usize {
        self.network().state_size()
    }

    /// Where the units of each layer begin and end in the state.
    #[getter]
    fn units(&self) -> Vec<(usize, usize)> {
        self.network().units().into_iter().map(|units| (units.start, units.end)).collect()
    }

    #[getter]
    fn inputs(&self) -> usize {
        self.network().inputs()
    }

    #[getter]
    fn outputs(&self) -> usize {
        self.network().outputs()
    }

    #[getter]
    fn activation(&self) -> Option<&'static str> {
        self.network().activation().map(Activation::name)
    }

    #[getter]
    fn metadata(&self) -> BTreeMap<String, String> {
        self.file.metadata.clone()
    }

    #[getter]
    fn path(&self) -> Option<PathBuf> {
        self.path.clone()
    }

    /// The task that the file names.
    #[getter]
    fn task(&self) -> Result<Option<Task>, Failed> {
        Ok(self.file.task(None, None)?.map(Task::of))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> Result<(), Failed> {
        Ok(py.detach(|| self.file.save(&path))?)
    }

    /// States (time, batch, size): the inputs (time, batch, inputs), then `horizon` steps with zero input. The units of every
    /// layer, or the whole state.
    fn run<'py>(
        &self,
        py: Python<'py>,
        inputs: PyReadonlyArray3<'py, f64>,
        horizon: usize,
        whole: bool,
        start: Option<PyReadonlyArray2<'py, f64>>,
    ) -> Result<Bound<'py, PyArray3<f64>>, Failed> {
        let inputs = inputs.as_array();
        let (steps, batch, _) = inputs.dim();
        let (size, start) = (self.network().state_size(), start.map(|start| matrix(start.as_array().reversed_axes())));
        if let Some(start) = start.as_ref().filter(|start| (start.nrows(), start.ncols()) != (size, batch)) {
            let problem = format!(
                "start has (batch, size) {:?}, but {:?} are needed",
                (start.ncols(), start.nrows()),
                (batch, size)
            );
            return Err(Failed::network(problem));
        }
        let numbers = steps.saturating_add(horizon).saturating_mul(batch).saturating_mul(self.network().state_size());
        if numbers > MOST_STATES {
            let problem = format!("{numbers} numbers, more than the limit of {MOST_STATES}; pass a smaller horizon");
            return Err(Failed::network(format!("the states would be {problem}")));
        }
        let states = py.detach(|| {
            let start = start.unwrap_or_else(|| Matrix::zeros(size, batch));
            let view = if whole { View::plain() } else { View::units(self.network()) };
            let seen = view.of(&start).nrows();
            let mut run = self.network().begin_at(start, &[], 0);
            let mut states = Array3::zeros((steps + horizon, batch, seen));
            for t in 0..steps + horizon {
                run.step_on((t < steps).then(|| matrix(inputs.slice(s![t, .., ..]).reversed_axes())));
                let seen = view.of(run.state());
                states.slice_mut(s![t, .., ..]).assign(&column_major(&seen).reversed_axes());
            }
            states
        });
        Ok(states.into_pyarray(py))
    }

    /// Whole states (batch, size) after one step from these, with inputs (batch, inputs).
    fn step<'py>(
        &self,
        py: Python<'py>,
        states: PyReadonlyArray2<'py, f64>,
        inputs: PyReadonlyArray2<'py, f64>,
    ) -> Result<Bound<'py, PyArray2<f64>>, Failed> {
        let (states, inputs) = (states.as_array(), inputs.as_array());
        let needed = (self.network().state_size(), self.network().inputs(), states.nrows());
        let given = (states.ncols(), inputs.ncols(), inputs.nrows());
        if given != needed {
            let problem = format!("state size, inputs and batch are {given:?}, but {needed:?} are needed");
            return Err(Failed::network(problem));
        }
        let next = py.detach(|| {
            let (states, inputs) = (matrix(states.reversed_axes()), matrix(inputs.reversed_axes()));
            let next = self.network().step_batch(states.as_ref(), Some(inputs.as_ref()));
            column_major(&next).reversed_axes().to_owned()
        });
        Ok(next.into_pyarray(py))
    }

    /// What the network says (time, batch, outputs) when the last layer has these units (time, batch, H).
    fn read<'py>(&self, py: Python<'py>, hidden: PyReadonlyArray3<'py, f64>) -> Bound<'py, PyArray3<f64>> {
        let hidden = hidden.as_array();
        let produced = py.detach(|| {
            let (steps, batch, _) = hidden.dim();
            let mut produced = Array3::zeros((steps, batch, self.network().outputs()));
            for t in 0..steps {
                let state = matrix(hidden.slice(s![t, .., ..]).reversed_axes());
                let now = self.network().readout.read(state.as_ref());
                produced.slice_mut(s![t, .., ..]).assign(&column_major(&now).reversed_axes());
            }
            produced
        });
        produced.into_pyarray(py)
    }
}

fn tensor(array: ArrayViewD<'_, f64>) -> Tensor {
    // `iter` goes in logical order, row by row, whatever the strides.
    Tensor { shape: array.shape().to_vec(), values: array.iter().copied().collect() }
}
