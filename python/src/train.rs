//! Training.

use crate::errors::Failed;
use crate::network::Network;
use crate::task::TaskGiven;
use crate::work::{Ended, Stop, interruptible};
use ketbra::UnknownWord;
use ketbra::network::NetworkFile;
use ketbra::run_folder::{Manifest, Resumed, RunFolder, RunFolderError, Trained};
use ketbra::train::cuda::Precision;
use ketbra::train::{
    Choices, Device, Job, Metrics, NamedEngine, RecordError, SETTINGS, SettingKind, SettingValue, TrainError,
    TrainObserver, TrainState,
};
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Step, horizon, loss, accuracy, norm of the gradient, learning rate.
type Row = (u64, usize, f64, f64, f64, f64);

/// Initial weights: a word, a file, or a network.
#[derive(FromPyObject)]
pub enum InitGiven<'py> {
    Network(Bound<'py, Network>),
    Path(PathBuf),
}

/// Settings by name, as Python has them.
type Given<'py> = BTreeMap<String, Option<Bound<'py, PyAny>>>;

/// The choices that were given; the library's table says what each takes.
fn chosen(py: Python<'_>, given: &Given<'_>) -> Result<Choices, Failed> {
    if let Some(name) = given.keys().find(|name| SETTINGS.iter().all(|setting| setting.name != **name)) {
        return Err(Failed::train(format!("training has no setting '{name}'")));
    }
    let mut choices = Choices::default();
    for setting in &SETTINGS {
        let Some(Some(given)) = given.get(setting.name) else { continue };
        let value = match setting.kind {
            SettingKind::Whole => given.extract().map(SettingValue::Whole),
            SettingKind::Number => given.extract().map(SettingValue::Number),
            SettingKind::Flag => given.extract().map(SettingValue::Flag),
            SettingKind::Names => given.extract().map(SettingValue::Names),
            _ => given.extract().map(SettingValue::Text),
        };
        let value = value.map_err(|error| match error.is_instance_of::<PyTypeError>(py) {
            true => PyTypeError::new_err(format!("argument '{}': {}", setting.name, error.value(py))),
            false => error,
        });
        setting.set(&mut choices, &value?).map_err(Failed::train)?;
    }
    Ok(choices)
}

/// Trains a network. Gives it with what `ketbra train --json` prints and the rows of metrics.
///
/// `progress` is called now and then with step, steps, loss, accuracy and horizon.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the keywords of Python")]
#[pyo3(signature = (
    task, *, s, d, init, from_, settings, device, precision, threads, out, resume, force, tensorboard, progress, callback
))]
pub fn train(
    py: Python<'_>,
    task: Option<TaskGiven<'_>>,
    s: Option<usize>,
    d: Option<usize>,
    init: Option<InitGiven<'_>>,
    from_: Option<InitGiven<'_>>,
    settings: Given<'_>,
    device: Option<&str>,
    precision: Option<&str>,
    threads: Option<usize>,
    out: Option<PathBuf>,
    resume: Option<PathBuf>,
    force: bool,
    tensorboard: bool,
    progress: Option<Py<PyAny>>,
    callback: Option<Py<PyAny>>,
) -> Result<(Network, String, Vec<Row>), Failed> {
    let (engine, engine_name) = trainer(device, precision, threads)?;
    let (job, folder) = match (resume, task) {
        (Some(path), None) => {
            let Resumed { folder, job, .. } = RunFolder::resume(&path)?;
            (job, Some(folder))
        }
        (None, Some(task)) => {
            let at_hand = |given: &Option<InitGiven<'_>>| match given {
                Some(InitGiven::Network(network)) => Some(Box::new(NetworkFile::clone(&network.get().file))),
                _ => None,
            };
            let path = |given: Option<InitGiven<'_>>| match given {
                Some(InitGiven::Path(path)) => Some(path),
                _ => None,
            };
            if init.is_some() && from_.is_some() {
                return Err(Failed::train(TrainError::TwoStarts));
            }
            let given = at_hand(&init).or_else(|| at_hand(&from_));
            let choices = Choices { init: path(init), from: path(from_), given, ..chosen(py, &settings)? };
            let task = task.task(s, d)?;
            let (params, start) = choices.params(&task)?;
            let job = Job { task, params, start };
            job.check()?;
            let begin = |path: PathBuf| RunFolder::begin(&path, &job, engine_name.clone(), force);
            let folder = out.map(begin).transpose()?;
            (job, folder)
        }
        _ => return Err(Failed::train("name a task, such as T2, or a folder to resume; not both")),
    };
    let watch = Watch {
        steps: job.params.steps,
        last: Mutex::new(None),
        rows: Mutex::new(vec![]),
        bar: progress,
        callback,
        told: Mutex::new(0),
    };
    let path = folder.as_ref().map(|folder| folder.path().to_path_buf());
    let Ended { value, interrupt } = interruptible(
        py,
        |stop| {
            let watching = Watching { watch: &watch, stop };
            match folder {
                Some(folder) => folder.train(&job, engine.as_ref(), tensorboard, &watching),
                None => Ok(Trained::in_memory(&job, engine.as_ref(), &watching)?),
            }
        },
        |py| watch.show(py),
    );
    let Trained { state, result } = value?;
    if interrupt.is_none() {
        watch.tell(py)?;
    }
    let Some(result) = result else { return Err(stopped(py, &job, &state, path, engine_name, interrupt)) };
    let metadata = Manifest::new(&job.task, job.params, engine_name).metadata()?;
    let network = Network::new(NetworkFile::new(state.best().clone(), metadata), path);
    let rows = lock(&watch.rows).iter().map(row).collect();
    let mut document = serde_json::to_value(&result).map_err(Failed::train)?;
    document["why"] = result.why.iter().map(ToString::to_string).collect();
    Ok((network, document.to_string(), rows))
}

/// A device and how exactly it multiplies, by their names.
pub fn device_of(device: Option<&str>, precision: Option<&str>) -> Result<(Device, Precision), UnknownWord> {
    let precision = precision.map(str::parse).transpose()?.unwrap_or_default();
    Ok((device.map(str::parse).transpose()?.unwrap_or_default(), precision))
}

/// What trains, and the name under which a run remembers it.
fn trainer(device: Option<&str>, precision: Option<&str>, threads: Option<usize>) -> Result<NamedEngine, Failed> {
    if threads == Some(0) {
        return Err(Failed::train("threads is 0, but must be at least 1"));
    }
    let (device, precision) = device_of(device, precision).map_err(Failed::train)?;
    device.engine(precision, threads).map_err(Failed::train)
}

/// The exception for training that was stopped, once its state is safe.
fn stopped(
    py: Python<'_>,
    job: &Job,
    state: &TrainState,
    path: Option<PathBuf>,
    engine: String,
    interrupt: Option<PyErr>,
) -> Failed {
    let path = match path.map_or_else(|| keep_by_default(job, state, engine), Ok) {
        Ok(path) => path,
        Err(error) => return error.into(),
    };
    let message = format!(
        "stopped after step {} of {}, and saved; go on with ketbra.train(resume={:?})",
        state.step, job.params.steps, path
    );
    match interrupt {
        // An exception of the caller's own, such as a time limit, goes on its way.
        Some(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => error.into(),
        _ => PyKeyboardInterrupt::new_err(message).into(),
    }
}

/// Keeps a run that was begun without a folder where the command line would have put it, or beside that.
fn keep_by_default(job: &Job, state: &TrainState, engine: String) -> Result<PathBuf, RunFolderError> {
    let usual = RunFolder::default_path(job);
    let free = |path: &PathBuf| std::fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
    let beside = (2..).map(|k: u32| PathBuf::from(format!("{}-{k}", usual.display())));
    let path = std::iter::once(usual.clone()).chain(beside).find(free).unwrap_or(usual.clone());
    RunFolder::begin(&path, job, engine, false)?.keep(state)?;
    Ok(path)
}

fn row(metrics: &Metrics) -> Row {
    let Metrics { step, horizon, loss, accuracy, gradient_norm, learning_rate } = *metrics;
    (step, horizon, loss, accuracy, gradient_norm, learning_rate)
}

/// How training stands, for whoever looks.
struct Watch {
    steps: u64,
    last: Mutex<Option<Metrics>>,
    rows: Mutex<Vec<Metrics>>,
    bar: Option<Py<PyAny>>,
    /// Told every row, in order.
    callback: Option<Py<PyAny>>,
    /// Rows that it has been told.
    told: Mutex<usize>,
}

impl Watch {
    /// Tells the callback the rows that are new.
    fn tell(&self, py: Python<'_>) -> PyResult<()> {
        let Some(callback) = &self.callback else { return Ok(()) };
        let new: Vec<Metrics> = {
            let (rows, mut told) = (lock(&self.rows), lock(&self.told));
            let new = rows[*told..].to_vec();
            *told = rows.len();
            new
        };
        for metrics in new {
            let line = PyDict::new(py);
            line.set_item("step", metrics.step)?;
            line.set_item("horizon", metrics.horizon)?;
            line.set_item("loss", metrics.loss)?;
            line.set_item("accuracy", metrics.accuracy)?;
            line.set_item("gradient_norm", metrics.gradient_norm)?;
            line.set_item("learning_rate", metrics.learning_rate)?;
            callback.call1(py, (line,))?;
        }
        Ok(())
    }

    fn show(&self, py: Python<'_>) -> PyResult<()> {
        self.tell(py)?;
        if let (Some(bar), Some(now)) = (&self.bar, *lock(&self.last)) {
            bar.call1(py, (now.step, self.steps, now.loss, now.accuracy, now.horizon))?;
        }
        Ok(())
    }
}

/// What the engine talks to.
struct Watching<'a> {
    watch: &'a Watch,
    stop: &'a Stop,
}

impl TrainObserver for Watching<'_> {
    fn progress(&self, _job: usize, metrics: &Metrics) {
        *lock(&self.watch.last) = Some(*metrics);
    }

    fn record(&self, _job: usize, metrics: &Metrics) -> Result<(), RecordError> {
        lock(&self.watch.rows).push(*metrics);
        Ok(())
    }

    fn stop(&self, _job: usize) -> bool {
        self.stop.asked()
    }
}

/// Numbers are whole after every write, so a lock that a panic left behind still holds good ones.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use ketbra::train::SETTINGS;

    /// What `train` takes besides: the task, and where and how the run is done.
    const BESIDE: [&str; 12] = [
        "task",
        "s",
        "d",
        "device",
        "precision",
        "threads",
        "out",
        "resume",
        "force",
        "tensorboard",
        "progress",
        "callback",
    ];

    #[test]
    fn every_setting_of_training_is_a_keyword_and_the_other_way_round() {
        let source = include_str!("../ketbra/_train.py");
        let (_, from) = source.split_once("\ndef train(\n").unwrap();
        let (signature, _) = from.split_once("\n) -> Network:").unwrap();
        let keywords = signature.lines().filter_map(|line| Some(line.trim().split_once(':')?.0));
        // `from` is a word of the language.
        let mut keywords: Vec<&str> =
            keywords.filter(|name| !BESIDE.contains(name)).map(|name| name.trim_end_matches('_')).collect();
        let mut settings: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
        keywords.sort_unstable();
        settings.sort_unstable();
        assert_eq!(keywords, settings);
    }
}
