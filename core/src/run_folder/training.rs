//! Training one network into its folder: begun, resumed, finished.

use super::{Manifest, Recorder, RunFolder, RunFolderError, RunResult, RunStatus};
use crate::network::{CellKind, Network};
use crate::train::{
    Engine, Job, Metrics, Outcome, RecordError, Start, TrainError, TrainObserver, TrainParams, TrainState,
};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A run that can go on.
pub struct Resumed {
    /// Its folder.
    pub folder: RunFolder,
    /// What is left to do.
    pub job: Job,
    /// What is wrong with a newer checkpoint, where an older one had to do.
    pub damage: Option<RunFolderError>,
}

/// Training that was finished, or stopped on request.
#[derive(Clone, Debug)]
pub struct Trained {
    /// Where it stands.
    pub state: TrainState,
    /// What came of it; nothing where the observer asked for a stop.
    pub result: Option<RunResult>,
}

impl Trained {
    /// Trains a job and keeps no records.
    pub fn in_memory(job: &Job, engine: &dyn Engine, observer: &dyn TrainObserver) -> Result<Self, TrainError> {
        let begin = Instant::now();
        let ended = engine.train(std::slice::from_ref(job), observer).pop();
        let seconds = begin.elapsed().as_secs_f64();
        let Outcome { state, accuracy } = ended.unwrap_or(Err(TrainError::NoResult))?;
        let result = accuracy.map(|accuracy| RunResult::of(job, &state, accuracy, resumed_at(job), seconds));
        Ok(Self { state, result })
    }
}

/// Steps that were taken before.
fn resumed_at(job: &Job) -> u64 {
    match &job.start {
        Start::State(state) => state.step,
        Start::Random | Start::Weights(_) => 0,
    }
}

impl RunFolder {
    /// Where a run goes if nobody says otherwise.
    pub fn default_path(job: &Job) -> PathBuf {
        let task = job.task.name().to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let TrainParams { cell, layers, hidden, seed, .. } = job.params;
        let cell = if cell == CellKind::default() { String::new() } else { format!("{}-", cell.name()) };
        let layers = if layers == 1 { String::new() } else { format!("{layers}x") };
        format!("runs/{task}-{cell}{layers}h{hidden}-seed{seed}").into()
    }

    /// Makes the folder of a new run; `engine` names what trains it.
    pub fn begin(path: &Path, job: &Job, engine: String, force: bool) -> Result<Self, RunFolderError> {
        job.check()?;
        Self::create(path, Manifest::new(&job.task, job.params.clone(), engine), force)
    }

    /// Opens an unfinished run at its newest checkpoint.
    pub fn resume(path: &Path) -> Result<Resumed, RunFolderError> {
        let folder = Self::open(path)?;
        let manifest = folder.manifest();
        if manifest.status == RunStatus::Complete {
            return Err(RunFolderError::Complete { path: path.into() });
        }
        let (state, damage) = folder.read_checkpoint()?;
        let job = Job { task: manifest.task()?, params: folder.params()?, start: Start::State(Box::new(state)) };
        job.check()?;
        Ok(Resumed { folder, job, damage })
    }

    /// Trains a job into this folder. `observer` looks on and may ask for a stop; records are kept here.
    pub fn train(
        self,
        job: &Job,
        engine: &dyn Engine,
        tensorboard: bool,
        observer: &dyn TrainObserver,
    ) -> Result<Trained, RunFolderError> {
        let mut recorder = Recorder::new();
        recorder.add(self, resumed_at(job), tensorboard)?;
        let kept = Kept { recorder, observer };
        let trained = Trained::in_memory(job, engine, &kept);
        let Some(mut folder) = kept.recorder.into_folders().pop() else { return Err(TrainError::NoResult.into()) };
        if matches!(trained, Err(TrainError::Diverged { .. })) {
            folder.write_manifest(|manifest| manifest.status = RunStatus::Diverged)?;
        }
        let trained = trained?;
        match &trained.result {
            Some(result) => folder.complete(trained.state.best(), result.clone())?,
            None => folder.write_network(trained.state.best())?,
        }
        Ok(trained)
    }

    /// Keeps the weights of a run that took all its steps, and what came of it.
    pub fn complete(&mut self, network: &Network, result: RunResult) -> Result<(), RunFolderError> {
        self.write_network(network)?;
        self.write_manifest(|manifest| {
            manifest.status = RunStatus::Complete;
            manifest.result = Some(result);
        })
    }

    /// Keeps a run that was stopped, so that it can go on.
    pub fn keep(&self, state: &TrainState) -> Result<(), RunFolderError> {
        self.write_checkpoint(state)?;
        self.write_network(state.best())
    }
}

/// Keeps records, and lets somebody else look on.
struct Kept<'a> {
    recorder: Recorder,
    observer: &'a dyn TrainObserver,
}

impl TrainObserver for Kept<'_> {
    fn progress(&self, job: usize, metrics: &Metrics) {
        self.observer.progress(job, metrics);
    }

    fn record(&self, job: usize, metrics: &Metrics) -> Result<(), RecordError> {
        self.recorder.record(job, metrics)?;
        self.observer.record(job, metrics)
    }

    fn checkpoint(&self, job: usize, state: &TrainState) -> Result<(), RecordError> {
        self.recorder.checkpoint(job, state)?;
        self.observer.checkpoint(job, state)
    }

    fn snapshot(&self, job: usize, step: u64, network: &Network) -> Result<(), RecordError> {
        self.recorder.snapshot(job, step, network)?;
        self.observer.snapshot(job, step, network)
    }

    fn stop(&self, job: usize) -> bool {
        self.observer.stop(job)
    }
}
