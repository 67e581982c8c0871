//! The manifest: every parameter of a run, and what came of it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::RunFolderError;
use crate::crc32c::crc32c;
use crate::network::{Accuracy, Metadata};
use crate::task::{Program, Task};
use crate::train::{Diagnosis, Job, OldAccuracy, TrainParams, TrainState, diagnose};
use crate::transfer::accuracies_after;

/// The version of the manifest's form.
const FORMAT: u32 = 1;

/// What a run trains, how, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of this form.
    pub format: u32,
    /// Version of ketbra that began the run.
    pub ketbra: String,
    /// What the network learns.
    pub task: TaskRecord,
    /// How it is trained.
    pub params: TrainParams,
    /// What trains it, instruction set included: another one may round differently.
    pub engine: String,
    /// Whether it is done.
    pub status: RunStatus,
    /// What came of it, once it is complete.
    pub result: Option<RunResult>,
}

/// A task in full, so that a run needs no other file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskRecord {
    /// What it is called.
    pub name: String,
    /// Variables of a window.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub s: usize,
    /// Components of each.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub d: usize,
    /// f, a line for each output component; that of the first context where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recurrence: Vec<String>,
    /// The contexts, each with an f of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contexts: Vec<ContextRecord>,
    /// The text of a program with inputs at every step; it has no s, d and f.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

fn is_zero(size: &usize) -> bool {
    *size == 0
}

impl TaskRecord {
    fn of(task: &Task) -> Self {
        let name = task.name().into();
        match task {
            Task::Program(program) => Self { name, program: Some(program.source().into()), ..Self::default() },
            Task::Window(window) => {
                let record = |context: &crate::task::Context| ContextRecord {
                    name: context.name.clone(),
                    recurrence: context.task.recurrence(),
                };
                let contexts = window.contexts().iter().map(record).collect();
                let (s, d, recurrence) = (window.s(), window.d(), window.recurrence());
                Self { name, s, d, recurrence, contexts, program: None }
            }
        }
    }
}

/// One f of several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextRecord {
    /// What the context is called.
    pub name: String,
    /// f, a line for each output component.
    pub recurrence: Vec<String>,
}

/// How a network does in one context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextResult {
    /// The context.
    pub context: String,
    /// Accuracy on inputs that training never drew.
    pub accuracy: Accuracy,
    /// Whether that accuracy counts as learned.
    pub learned: bool,
    /// Whether its episodes were drawn in training.
    pub trained: bool,
}

/// Whether a run is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// It can go on from its checkpoint.
    Unfinished,
    /// Every step was taken.
    Complete,
    /// The loss became NaN or infinite.
    Diverged,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Optimizer steps taken.
    pub steps: u64,
    /// Seconds of training since the run was begun or last resumed.
    pub seconds: f64,
    /// Steps a second.
    pub steps_per_second: f64,
    /// Loss of the last batch.
    pub loss: f64,
    /// Horizon of the last batch.
    pub horizon: usize,
    /// Accuracy on inputs that training never drew.
    pub accuracy: Accuracy,
    /// Whether that accuracy counts as learned.
    pub learned: bool,
    /// Whether training ended before its last step, because the task was reliably solved.
    #[serde(default)]
    pub stopped_early: bool,
    /// Steps before the first look at which accuracy was 0.99 in every quarter of the horizon; nothing where none was, or where
    /// training does not look on the way.
    #[serde(default)]
    pub steps_to_99: Option<u64>,
    /// How it does in every context, where the task has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contexts: Vec<ContextResult>,
    /// How well it does the tasks that it had learned before, where training was to keep them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptTask>,
    /// Step of the weights that were kept, where they are the best that were seen on the way.
    #[serde(default)]
    pub best_step: Option<u64>,
    /// Where the task is not learned: why not, as far as the run shows, and what to try.
    #[serde(default)]
    pub why: Vec<Diagnosis>,
}

impl RunResult {
    /// The result of a job that ended in this state with this accuracy; `seconds` is the time since it was begun or
    /// resumed at step `from`.
    pub fn of(job: &Job, state: &TrainState, accuracy: Accuracy, from: u64, seconds: f64) -> Self {
        let learned = accuracy.value >= job.params.test.learned_from;
        Self {
            steps: state.step,
            seconds,
            steps_per_second: (state.step - from) as f64 / seconds,
            loss: state.metrics.map_or(f64::NAN, |metrics| metrics.loss),
            horizon: state.metrics.map_or(0, |metrics| metrics.horizon),
            accuracy,
            learned,
            stopped_early: state.step < job.params.steps,
            steps_to_99: state.evaluations.reached,
            contexts: in_contexts(job, state),
            kept: kept(job, state),
            best_step: state.evaluations.best.as_ref().map(|best| best.step),
            why: if learned { vec![] } else { diagnose(job, state) },
        }
    }
}

/// A task that was to be kept while training went on with another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptTask {
    /// The task, or the context of one.
    pub name: String,
    /// Accuracy before training went on.
    pub before: Accuracy,
    /// Accuracy now.
    pub after: Accuracy,
}

impl KeptTask {
    /// Less than this share of wrong signs more is chance of the inputs.
    const FELL: f64 = 0.01;

    /// Whether it was not kept.
    pub fn fell(&self) -> bool {
        self.after.value < self.before.value - Self::FELL
    }
}

fn kept(job: &Job, state: &TrainState) -> Vec<KeptTask> {
    let Some(restraint) = &job.params.restraint else { return vec![] };
    let after = accuracies_after(state.best(), restraint, &job.task, job.params.seed);
    let of = |after: OldAccuracy| {
        let before = restraint.before.iter().find(|before| before.name == after.name)?;
        Some(KeptTask { name: after.name, before: before.accuracy, after: after.accuracy })
    };
    after.into_iter().filter_map(of).collect()
}

fn in_contexts(job: &Job, state: &TrainState) -> Vec<ContextResult> {
    let found = crate::train::cpu::context_accuracies(job, state.best());
    let of = |(context, accuracy): (&crate::task::Context, Accuracy)| ContextResult {
        context: context.name.clone(),
        learned: accuracy.value >= job.params.test.learned_from,
        trained: job.params.context.as_ref().is_none_or(|only| *only == context.name),
        accuracy,
    };
    job.task.contexts().iter().zip(found).map(of).collect()
}

impl Manifest {
    /// The manifest of a run that begins.
    pub fn new(task: &Task, params: TrainParams, engine: String) -> Self {
        Self {
            format: FORMAT,
            ketbra: env!("CARGO_PKG_VERSION").into(),
            task: TaskRecord::of(task),
            params,
            engine,
            status: RunStatus::Unfinished,
            result: None,
        }
    }

    pub(super) fn parse(text: &str, path: &Path) -> Result<Self, RunFolderError> {
        let wrong = |problem: String| RunFolderError::Manifest { path: path.into(), problem };
        let value: serde_json::Value = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format == u64::from(FORMAT) => {}
            Some(format) => return Err(wrong(format!("its format is {format}, this is format {FORMAT}"))),
            None => return Err(wrong("it has no format number".into())),
        }
        serde_json::from_value(value).map_err(|error| wrong(error.to_string()))
    }

    pub(super) fn to_text(&self) -> Result<String, RunFolderError> {
        let text = serde_json::to_string_pretty(self);
        text.map(|text| text + "\n")
            .map_err(|error| RunFolderError::Manifest { path: super::MANIFEST.into(), problem: error.to_string() })
    }

    /// The task.
    pub fn task(&self) -> Result<Task, RunFolderError> {
        let TaskRecord { name, s, d, recurrence, contexts, program } = &self.task;
        if let Some(program) = program {
            return Ok(Program::read(program)?.renamed(name).into());
        }
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let f = |recurrence: &[String]| {
            let lines: Vec<String> = recurrence.iter().map(|line| quoted(line)).collect();
            format!("recurrence = [{}]\n", lines.join(", "))
        };
        let of = |context: &ContextRecord| format!("[context.{}]\n{}", quoted(&context.name), f(&context.recurrence));
        let f = if contexts.is_empty() { f(recurrence) } else { contexts.iter().map(of).collect() };
        let text = format!("name = {}\ns = {s}\nd = {d}\n{f}", quoted(name));
        Ok(Task::from_toml(&text, super::MANIFEST, name)?)
    }

    /// What the file of the network says about it.
    pub fn metadata(&self) -> Result<Metadata, RunFolderError> {
        let Self { params, ketbra, .. } = self;
        let entries = [("task", self.task()?.to_toml()), ("seed", params.seed.to_string()), ("ketbra", ketbra.clone())];
        Ok(entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
    }

    /// A number that tells runs apart: checkpoints of one do not fit another. Steps may change, to go on for longer.
    pub(super) fn fingerprint(&self) -> Result<u32, RunFolderError> {
        let params = TrainParams { steps: 0, ..self.params.clone() };
        let text = serde_json::to_string(&(&self.task, params, &self.engine));
        let wrong =
            |e: serde_json::Error| RunFolderError::Manifest { path: super::MANIFEST.into(), problem: e.to_string() };
        Ok(crc32c(text.map_err(wrong)?.as_bytes()))
    }
}
