//! Sweeps.

use crate::errors::Failed;
use crate::train::device_of;
use crate::work::{Stop, interruptible};
use ketbra::sweep::{Local, Plan, Runner, SweepFolder, SweepObserver, SweepOutcome, SweepStatus, Tally, Trainer};
use ketbra::train::threads_or_cores;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Networks that are trained without asking.
const WITHOUT_ASKING: u64 = 10_000;

/// What a sweep asks for: the path of a sweep file, or the text of one.
#[derive(FromPyObject)]
pub enum PlanGiven {
    Text(String),
    Path(PathBuf),
}

/// How the sweep in a folder stands: what `ketbra sweep --json` prints of its networks. `here` counts none.
#[pyfunction]
pub fn sweep_tally(path: PathBuf) -> Result<String, Failed> {
    let status = SweepStatus::of(&SweepFolder::open(&path)?)?;
    let (failed, running) = (status.failed.len(), status.running.len());
    let tally = Tally { total: status.total, done: status.done, failed, running, here: 0 };
    serde_json::to_string(&tally).map_err(Failed::sweep)
}

/// Trains and interprets every network of a grid into a folder; gives the summary that `ketbra sweep --json` prints.
///
/// `progress` is called now and then with the numbers of networks done, failed, running and asked for.
#[pyfunction]
#[pyo3(signature = (plan, *, out, device, precision, threads, retry, yes, progress))]
#[expect(clippy::too_many_arguments, reason = "the keywords of Python")]
pub fn sweep(
    py: Python<'_>,
    plan: PlanGiven,
    out: PathBuf,
    device: Option<&str>,
    precision: Option<&str>,
    threads: Option<usize>,
    retry: bool,
    yes: bool,
    progress: Option<Py<PyAny>>,
) -> Result<String, Failed> {
    let plan = match &plan {
        PlanGiven::Text(text) => Plan::parse(text, "sweep", Path::new(""))?,
        PlanGiven::Path(path) => Plan::read(path)?,
    };
    if plan.count() > WITHOUT_ASKING && !yes {
        let count = plan.count();
        let message =
            format!("this sweep asks for {count} networks, more than {WITHOUT_ASKING}; pass yes=True if you mean it");
        return Err(Failed::sweep(message));
    }
    let runs = SweepFolder::named(&out, plan.runs()?)?;
    let (device, precision) = device_of(device, precision).map_err(Failed::sweep)?;
    let trainer = Trainer::on(device, precision, threads_or_cores(threads)).map_err(Failed::sweep)?;
    let engine = Local { retry, ..Local::new(trainer) };
    let folder = SweepFolder::create(&out, &runs)?;
    let tally = Mutex::new(Tally::default());
    let ended = interruptible(
        py,
        |stop| engine.run(&folder, &runs, &Watching { tally: &tally, stop }),
        |py| {
            let now = *tally.lock().unwrap_or_else(PoisonError::into_inner);
            let show = |bar: &Py<PyAny>| bar.call1(py, (now.done, now.failed, now.running, now.total)).map(drop);
            progress.as_ref().map_or(Ok(()), show)
        },
    );
    if let Some(stop) = ended.interrupt {
        ended.value?;
        let pressed = stop.is_instance_of::<PyKeyboardInterrupt>(py);
        let stopped = || PyKeyboardInterrupt::new_err("stopped, and saved; go on with the same call");
        return Err(if pressed { stopped() } else { stop }.into());
    }
    match ended.value? {
        SweepOutcome::Worked(summary) => Ok(serde_json::to_string(&summary).map_err(Failed::sweep)?),
        SweepOutcome::Submitted(_) | SweepOutcome::NothingToSubmit => {
            Err(Failed::sweep("this machine handed its work to another"))
        }
    }
}

/// Sees how the sweep stands, and asks for a stop.
struct Watching<'a> {
    tally: &'a Mutex<Tally>,
    stop: &'a Stop,
}

impl SweepObserver for Watching<'_> {
    fn tally(&self, tally: &Tally) {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner) = *tally;
    }

    fn stop(&self) -> bool {
        self.stop.asked()
    }
}
