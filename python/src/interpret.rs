//! Interpretation.

use crate::arrays::{column_major, complex, held, matrix};
use crate::errors::Failed;
use crate::memories::Memories;
use crate::network::Network;
use crate::report::page_of;
use crate::settings::with;
use crate::task::{Task, TaskGiven};
use crate::wording::in_python;
use crate::work::{Stop, interruptible};
use ketbra::interpret::{self as stage, InterpretParams, Known, Note, Question, Warning};
use ketbra::network::NetworkFile;
use ketbra::task::{Gate, Slot};
use ketbra::train::threads_or_cores;
use numpy::ndarray::Array2;
use numpy::{Complex64, IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What was found in a network, with the network where there is one.
#[pyclass(frozen, module = "ketbra._ketbra")]
pub struct Interpretation {
    pub found: Arc<stage::Interpretation>,
    pub file: Option<Arc<NetworkFile>>,
    pub path: Option<PathBuf>,
}

#[pymethods]
impl Interpretation {
    /// The document that `ketbra interpret --json` prints.
    fn json(&self) -> Result<String, Failed> {
        Ok(self.found.document(self.path.as_deref())?.to_string())
    }

    /// The same with further warnings before the others, each a topic and a message.
    fn with_notes(&self, notes: Vec<(String, String)>) -> Self {
        let mut found = stage::Interpretation::clone(&self.found);
        let notes = notes.into_iter().map(|(topic, message)| Note { warning: Warning::Noted { topic }, message });
        found.warnings.splice(0..0, notes);
        Self { found: Arc::new(found), file: self.file.clone(), path: self.path.clone() }
    }

    /// The function in words, output by output; nothing for those whose function is not stated.
    #[getter]
    fn recurrence(&self) -> Result<Vec<Option<String>>, Failed> {
        let (s, d) = (self.found.task.s, self.found.task.d);
        let whole = &self.found.recurrence_in_words;
        if !whole.is_empty() {
            return Ok(whole.iter().cloned().map(Some).collect());
        }
        // A task has a function for every output: those that are not stated copy something, and are not shown.
        let mut gates = vec![Gate::new(&[Slot { lag: 1, component: 0 }], &[false, true])?; d];
        let mut lines = vec![None; d];
        for table in &self.found.function {
            let slots: Vec<Slot> =
                table.inputs.iter().map(|past| Slot { lag: past.lag, component: past.component - 1 }).collect();
            let up: Vec<bool> = table.table.iter().map(|&entry| entry > 0).collect();
            gates[table.output - 1] = Gate::new(&slots, &up)?;
        }
        let words = ketbra::task::Window::table("read back", s, d, gates)?.recurrence();
        for table in &self.found.function {
            lines[table.output - 1] = words.get(table.output - 1).cloned();
        }
        Ok(lines)
    }

    #[getter]
    fn verdict(&self) -> &'static str {
        self.found.verdict.name()
    }

    /// The reasons for the verdict, in words.
    #[getter]
    fn reasons(&self) -> Vec<String> {
        self.found.reasons.iter().map(ToString::to_string).collect()
    }

    /// The doubts, in words.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let words = |note: &Note| match &note.warning {
            // Said by Python itself: there is nothing to translate.
            Warning::Noted { .. } => note.message.clone(),
            warning => in_python(warning),
        };
        self.found.warnings.iter().map(words).collect()
    }

    /// The network, where one was given.
    #[getter]
    fn network(&self) -> Option<Network> {
        Some(Network { file: self.file.clone()?, path: self.path.clone() })
    }

    /// The task that the memories belong to.
    #[getter]
    fn task(&self) -> Option<Task> {
        self.found.details.task.clone().map(Task::of)
    }

    /// The memories of every method that ran, the one asked for first.
    #[getter]
    fn memories(this: &Bound<'_, Self>) -> Vec<Memories> {
        let count = this.get().found.details.memories.len();
        (0..count).map(|at| Memories { found: this.get().found.clone(), at }).collect()
    }

    /// Every eigenvalue of the Jacobian at the zero state.
    #[getter]
    fn origin_eigenvalues<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<Complex64>> {
        complex(py, self.found.details.origin_eigenvalues.iter().copied())
    }

    /// Everything that was found as bytes, with the network.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>, Failed> {
        let bytes = self.found.to_bytes(self.file.as_deref()).map_err(Failed::interpret)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Reads back what `to_bytes` wrote.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> Result<Self, Failed> {
        let (found, file) = py.detach(|| stage::Interpretation::from_bytes(bytes)).map_err(Failed::interpret)?;
        Ok(Self { found: Arc::new(found), file: file.map(Arc::new), path: None })
    }

    /// Writes everything that was found to a file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> Result<(), Failed> {
        py.detach(|| self.found.save(&path, self.file.as_deref())).map_err(Failed::interpret)
    }

    /// Reads what was saved.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> Result<Self, Failed> {
        let (found, file) = py.detach(|| stage::Interpretation::load(&path)).map_err(Failed::interpret)?;
        Ok(Self { found: Arc::new(found), file: file.map(Arc::new), path: None })
    }

    /// The mean state after each output step, (steps, units), which is taken off before contents are read.
    #[getter]
    fn mean_states<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let means = &self.found.details.means;
        let (steps, units) = (means.len(), means.first().map_or(0, Vec::len));
        Array2::from_shape_fn((steps, units), |(t, i)| means[t][i]).into_pyarray(py)
    }

    /// Whole states (batch, size) that hold windows of contents (batch, s*d) after an output step.
    fn write<'py>(
        &self,
        py: Python<'py>,
        windows: PyReadonlyArray2<'py, f64>,
        step: Option<usize>,
    ) -> Result<Bound<'py, PyArray2<f64>>, Failed> {
        let Some(file) = &self.file else {
            return Err(Failed::interpret("only trajectories are known, and only into a network can be written"));
        };
        let windows = matrix(windows.as_array().reversed_axes());
        let states = py.detach(|| stage::write_contents(&file.network, &self.found, &windows, step));
        let states = states.map_err(Failed::interpret)?;
        Ok(column_major(&states).reversed_axes().to_owned().into_pyarray(py))
    }

    /// The interactive page.
    fn page(&self, py: Python<'_>, title: &str) -> Result<String, Failed> {
        page_of(py, self, title)
    }

    /// One step on the visited states, r x r; nothing where activity dies out.
    #[getter]
    fn operator<'py>(this: &Bound<'py, Self>) -> Option<Bound<'py, PyArray2<f64>>> {
        held(this, |seen| Some(&seen.found.details.orbit.as_ref()?.operator))
    }
}

/// What is asked of every network of a list.
struct Asked {
    known: Known,
    task: Option<ketbra::task::Window>,
    params: InterpretParams,
}

impl Asked {
    fn of(&self, file: &NetworkFile, stop: &Stop) -> Result<stage::Interpretation, stage::InterpretError> {
        let question = match &self.task {
            Some(task) if !self.known.blind => Question::Task(task.clone()),
            Some(_) => return Err(stage::InterpretError::TaskAndBlind),
            None => self.known.question(file)?,
        };
        stage::interpret_file(file, &question, &self.params, &|_| !stop.asked())
    }
}

/// Networks as Python hands them over.
#[derive(FromPyObject)]
pub enum NetworkGiven<'py> {
    Network(Bound<'py, Network>),
    Path(PathBuf),
}

type Subject = (Option<Arc<NetworkFile>>, Option<PathBuf>);

impl NetworkGiven<'_> {
    fn subject(&self) -> Subject {
        match self {
            Self::Network(network) => (Some(network.get().file.clone()), network.get().path.clone()),
            Self::Path(path) => (None, Some(path.clone())),
        }
    }
}

fn interpret_one((file, path): Subject, asked: &Asked, stop: &Stop) -> Result<Interpretation, Failed> {
    let file = match (file, &path) {
        (Some(file), _) => file,
        (None, Some(path)) => Arc::new(NetworkFile::open(path)?),
        (None, None) => return Err(stage::InterpretError::NoTask.into()),
    };
    let found = asked.of(&file, stop)?;
    Ok(Interpretation { found: Arc::new(found), file: Some(file), path })
}

/// One network interpreted, or the exception that says why not.
#[derive(IntoPyObject)]
pub enum OneResult {
    Found(Interpretation),
    Failed(PyErr),
}

/// Interprets networks side by side: one result or exception for each.
///
/// `progress` is called now and then with the numbers of networks done and asked for.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the keywords of Python")]
#[pyo3(signature = (networks, *, task, blind, s, d, settings, threads, progress))]
pub fn interpret(
    py: Python<'_>,
    networks: Vec<NetworkGiven<'_>>,
    task: Option<TaskGiven<'_>>,
    blind: bool,
    s: Option<usize>,
    d: Option<usize>,
    settings: &str,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Vec<OneResult>, Failed> {
    let params = with(settings, Failed::interpret)?;
    let (name, task) = match task {
        Some(TaskGiven::Task(task)) => (None, Some(task.get().task.window()?.clone())),
        Some(TaskGiven::Path(text)) => (Some(text.into_os_string()), None),
        None => (None, None),
    };
    let asked = Asked { known: Known { task: name, blind, s, d }, task, params };
    let subjects: Vec<Subject> = networks.iter().map(NetworkGiven::subject).collect();
    let threads = threads_or_cores(threads).min(subjects.len()).max(1);
    // A pool of this call's own: a shared one would not survive a fork, which Python's multiprocessing likes to do.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failed::interpret)?;
    let (total, done) = (subjects.len(), AtomicUsize::new(0));
    let ended = interruptible(
        py,
        |stop| {
            pool.install(|| {
                let one = |subject: Subject| match stop.asked() {
                    true => Err(Failed::interpret("stopped before this network was interpreted")),
                    false => {
                        let found = interpret_one(subject, &asked, stop);
                        done.fetch_add(1, Ordering::Relaxed);
                        found
                    }
                };
                subjects.into_par_iter().map(one).collect::<Vec<_>>()
            })
        },
        |py| match &progress {
            Some(bar) => bar.call1(py, (done.load(Ordering::Relaxed), total)).map(drop),
            None => Ok(()),
        },
    );
    let results = ended.unless_interrupted()?.into_iter();
    Ok(results
        .map(|result| match result {
            Ok(found) => OneResult::Found(found),
            Err(error) => OneResult::Failed(error.into()),
        })
        .collect())
}
