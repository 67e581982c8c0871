//! Tasks.

use crate::arrays::{complex, held, matrix};
use crate::errors::Failed;
use crate::network::Network;
use crate::work::without_bar;
use ketbra::circuit::{CircuitError, Core, LARGEST_LIFTED, Lifted, States};
use ketbra::compile::{CompileParams, compile};
use ketbra::numeric::Matrix;
use ketbra::random::{Purpose, Stream};
use ketbra::task::{self, Component, Window};
use numpy::ndarray::{Array3, ArrayView1, s};
use numpy::{Complex64, IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray2};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A task with the circuit that theory predicts for it.
#[pyclass(frozen, module = "ketbra._ketbra")]
pub struct Task {
    pub task: task::Task,
    // Made when asked for: a task may be large.
    function: OnceLock<Option<Matrix>>,
    core: OnceLock<Core>,
    lifted: OnceLock<Option<Lifted>>,
}

/// Inputs, targets, which targets count, variables.
type Drawn<'py> = [Bound<'py, PyArray3<f64>>; 4];

/// An output (from 1), what it reads as lags and components (from 1), and its table of +-1.
type Output = (usize, Vec<(usize, usize)>, Vec<i8>);

impl Task {
    pub fn of(task: impl Into<task::Task>) -> Self {
        Self { task: task.into(), function: OnceLock::new(), core: OnceLock::new(), lifted: OnceLock::new() }
    }

    fn circuit(&self) -> Result<&Core, Failed> {
        if let Some(core) = self.core.get() {
            return Ok(core);
        }
        // Another thread may be faster, with the same core.
        let core = Core::of(self.task.window()?)?;
        Ok(self.core.get_or_init(|| core))
    }

    /// The circuit on products, of a function that is not linear.
    fn products(&self) -> Result<&Lifted, Failed> {
        let lifted = match self.lifted.get() {
            Some(lifted) => lifted,
            None => {
                let lifted = Lifted::of(self.task.window()?)?;
                self.lifted.get_or_init(|| lifted)
            }
        };
        let too_large = || CircuitError::LiftedTooLarge { name: self.task.name().into(), limit: LARGEST_LIFTED };
        Ok(lifted.as_ref().ok_or_else(too_large)?)
    }

    fn driven(&self) -> Result<&task::Program, Failed> {
        let window = || Failed::task("this task has no inputs after its input phase; a program such as flipflop:3 has");
        self.task.program().ok_or_else(window)
    }

    /// The window components that must be kept; nothing for a dense f.
    fn kept(&self) -> Result<Option<Vec<usize>>, Failed> {
        match self.task.is_linear() {
            true => Ok(self.circuit()?.components.clone()),
            false => Ok(Some(States::kept(self.task.window()?))),
        }
    }
}

#[pymethods]
impl Task {
    /// By name, id, formulas, or the path of a TOML file.
    #[staticmethod]
    fn parse(text: PathBuf, s: Option<usize>, d: Option<usize>) -> Result<Self, Failed> {
        Ok(Self::of(task::Task::parse(text, s, d)?.of_size(s, d)?))
    }

    /// By its d x (s*d) matrix.
    #[staticmethod]
    fn from_matrix(name: &str, s: usize, function: PyReadonlyArray2<'_, f64>) -> Result<Self, Failed> {
        let function = matrix(function.as_array());
        let d = function.nrows();
        Ok(Self::of(task::Window::from_matrix(name, s, d, function)?))
    }

    #[getter]
    fn name(&self) -> &str {
        self.task.name()
    }

    #[getter]
    fn s(&self) -> Result<usize, Failed> {
        Ok(self.task.window()?.s())
    }

    #[getter]
    fn d(&self) -> Result<usize, Failed> {
        Ok(self.task.window()?.d())
    }

    /// A line for each output; nothing for a program.
    #[getter]
    fn recurrence(&self) -> Vec<String> {
        self.task.window().map_or(vec![], Window::recurrence)
    }

    /// The text of a program; nothing for a window.
    #[getter]
    fn program(&self) -> Option<&str> {
        self.task.program().map(task::Program::source)
    }

    /// Episodes of a program: inputs as a network sees them, targets, which of them count, and the values of the variables; each
    /// (time, episode, component).
    #[pyo3(signature = (*, episodes, steps, seed))]
    fn draw<'py>(&self, py: Python<'py>, episodes: usize, steps: usize, seed: u64) -> Result<Drawn<'py>, Failed> {
        let program = self.driven()?;
        let columns = program.output_columns();
        let sizes = [program.inputs(), program.outputs(), program.outputs(), program.variables().len()];
        let mut drawn = sizes.map(|size| Array3::<f64>::zeros((steps, episodes, size)));
        let stream = Stream::new(seed, Purpose::TestInputs);
        let (mut seen, mut wanted) = (vec![0.0; sizes[0]], vec![0.0; sizes[1]]);
        let mut counts = vec![false; columns.len()];
        for episode in 0..episodes {
            for (t, frame) in program.draw(&stream, 0, episode as u32, steps).iter().enumerate() {
                program.write_inputs(frame, &mut seen);
                program.write_outputs(frame, &mut wanted, &mut counts);
                let at = s![t, episode, ..];
                drawn[0].slice_mut(at).assign(&ArrayView1::from(&seen));
                drawn[1].slice_mut(at).assign(&ArrayView1::from(&wanted));
                for (column, counts) in columns.iter().zip(&counts) {
                    drawn[2].slice_mut(s![t, episode, column.at.clone()]).fill(f64::from(u8::from(*counts)));
                }
                let variables: Vec<f64> = frame.variables.iter().map(|value| or_nan(*value)).collect();
                drawn[3].slice_mut(at).assign(&ArrayView1::from(&variables));
            }
        }
        Ok(drawn.map(|array| array.into_pyarray(py)))
    }

    /// What a program says to given inputs, a value for every input a step (NaN for none): its outputs (NaN where one does not count) and its
    /// variables, a value for each at every step.
    fn run(&self, mut inputs: Vec<Vec<f64>>) -> Result<[Vec<Vec<f64>>; 2], Failed> {
        let program = self.driven()?;
        for step in &mut inputs {
            for (value, column) in step.iter_mut().zip(program.input_columns()).filter(|(value, _)| value.is_nan()) {
                *value = column.kind.none();
            }
        }
        let episode = program.run(&inputs).map_err(Failed::task)?;
        let of = |frame: task::Frame| (frame.outputs, frame.variables.iter().map(|value| or_nan(*value)).collect());
        let (outputs, variables) = episode.into_iter().map(of).unzip();
        Ok([outputs, variables])
    }

    /// f, d x (s*d); nothing where f is not linear.
    #[getter]
    fn matrix<'py>(this: &Bound<'py, Self>) -> Option<Bound<'py, PyArray2<f64>>> {
        held(this, |this| this.function.get_or_init(|| this.task.window().ok()?.linear()).as_ref())
    }

    /// Phi on the core.
    #[getter]
    fn phi<'py>(this: &Bound<'py, Self>) -> Result<Option<Bound<'py, PyArray2<f64>>>, Failed> {
        this.get().circuit()?;
        Ok(held(this, |this| Some(&this.core.get()?.step)))
    }

    /// Every output as a truth table; nothing for a dense f.
    #[getter]
    fn function(&self) -> Option<Vec<Output>> {
        let output = |gate: task::TableOf| {
            let inputs = gate.inputs.iter().map(|input| (input.lag, input.component)).collect();
            (gate.output, inputs, gate.table)
        };
        Some(task::TableOf::all(self.task.window().ok()?)?.into_iter().map(output).collect())
    }

    /// What kind of function it is, where that has a name.
    #[getter]
    fn family(&self) -> Option<String> {
        self.task.window().ok()?.family().filter(|_| !self.task.is_linear())
    }

    /// Components that are kept for good.
    #[getter]
    fn core(&self) -> Result<usize, Failed> {
        match self.kept()? {
            Some(kept) => Ok(kept.len()),
            None => Ok(self.circuit()?.dimension()),
        }
    }

    /// Variable and component (from 1) of each entry of the core; nothing for a dense f.
    #[getter]
    fn components(&self) -> Result<Option<Vec<(usize, usize)>>, Failed> {
        let d = self.task.outputs();
        let named = |&index: &usize| Component::at(index, d);
        Ok(self.kept()?.map(|all| all.iter().map(named).map(|at| (at.variable, at.component)).collect()))
    }

    /// Eigenvalues of the core, or of the products where f is not linear.
    #[getter]
    fn eigenvalues<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<Complex64>>, Failed> {
        let values = match self.task.is_linear() {
            true => self.circuit()?.eigenvalues(),
            false => &self.products()?.structure.eigenvalues,
        };
        Ok(complex(py, values.iter().copied()))
    }

    /// The text of a task file.
    fn to_toml(&self) -> String {
        self.task.to_toml()
    }

    /// A network that is made for the task, and the truth about it as JSON.
    #[pyo3(signature = (*, hidden, cell, basis, superposed, noise, seed))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn network(
        &self,
        py: Python<'_>,
        hidden: Option<usize>,
        cell: &str,
        basis: &str,
        superposed: usize,
        noise: f64,
        seed: u64,
    ) -> Result<(Network, String), Failed> {
        let (cell, basis) = (cell.parse().map_err(Failed::network)?, basis.parse().map_err(Failed::network)?);
        let params = CompileParams { hidden, cell, basis, superposed, noise, seed, ..CompileParams::default() };
        let task = self.task.window()?;
        let made = without_bar(py, |_| compile(task, &params))?;
        let made = made.map_err(Failed::network)?;
        Ok((Network::new(made.file(), None), made.truth().to_string()))
    }

    fn same_function(&self, other: &Self) -> bool {
        self.task.same_function(&other.task)
    }
}

/// A value as NumPy has it: NaN for a symbol that is not set.
fn or_nan(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::NAN }
}

/// A task as Python hands it over: an object, or what a person types.
#[derive(FromPyObject)]
pub enum TaskGiven<'py> {
    Task(Bound<'py, Task>),
    Path(PathBuf),
}

impl TaskGiven<'_> {
    /// The task, which may have contexts where it is a file.
    pub fn task(&self, s: Option<usize>, d: Option<usize>) -> Result<task::Task, Failed> {
        match self {
            Self::Task(task) => Ok(task.get().task.clone()),
            Self::Path(text) => Ok(task::Task::parse(text, s, d)?.of_size(s, d)?),
        }
    }
}
