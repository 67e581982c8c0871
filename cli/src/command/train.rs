//! `ketbra train`: trains a network and keeps the run in a folder.

use crate::arguments::TaskSize;
use crate::device::DeviceChoice;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::terminal::{GOOD, WARN, note, print, print_json};
use clap::ValueEnum;
use ketbra::network::{Accuracy, Activation, Initialization, NetworkFile};
use ketbra::run_folder::{Manifest, Recorder, RunFolder, RunResult, Status};
use ketbra::task::Task;
use ketbra::train::{
    Curriculum, Engine, Job, Metrics, Observer, Outcome, RecordError, Start, TrainError, TrainParams, TrainState,
};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Train a network on a task
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra train T2 --hidden 128 --seed 1 --out runs/t2
  ketbra train repeat-copy --s 16 --d 5 --init gaussian
  ketbra train --resume runs/t2

A run folder holds manifest.json (every parameter), network.safetensors (PyTorch's names), metrics.csv and a checkpoint.
The same seed gives the same bytes, with any number of threads and through any interruption.")]
pub struct TrainCommand {
    /// T1-T4, repeat-copy, compose-copy, an id such as 255,0,0, or a .toml file
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    task: Option<String>,
    #[command(flatten)]
    size: TaskSize,
    /// Go on with the run in this folder
    #[arg(long, value_name = "FOLDER")]
    resume: Option<PathBuf>,
    /// Folder of the run [default: runs/TASK-hHIDDEN-seedSEED]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Start again where a run is already
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    choices: Choices,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    #[command(flatten)]
    device: DeviceChoice,
    /// Write TensorBoard event files into the run folder
    #[arg(long)]
    tensorboard: bool,
    /// End with one JSON document
    #[arg(long)]
    json: bool,
}

/// Every parameter of training; what is not given keeps its default.
#[derive(clap::Args)]
struct Choices {
    /// Hidden units [default: 128]
    #[arg(long, value_name = "N")]
    hidden: Option<usize>,
    /// Seed of weights and inputs [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Optimizer steps [default: 20000; 45000 for the adaptive curriculum]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// How the horizon grows [default: table1]
    #[arg(long, value_enum)]
    curriculum: Option<CurriculumName>,
    /// table1: accuracy that lengthens the horizon [default: 0.98]; adaptive: loss that does [default: 0.03]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Longest horizon, in output steps [default: 100]
    #[arg(long, value_name = "N")]
    horizon: Option<usize>,
    /// L2 regularization, PyTorch's weight_decay [default: 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    l2: Option<f64>,
    /// Learning rate of Adam [default: 0.001]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    lr: Option<f64>,
    /// Largest norm of the gradient [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    clip: Option<f64>,
    /// Samples in a batch [default: 64]
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// Initial weights: uniform, gaussian, or a .safetensors file [default: uniform]
    #[arg(long, value_name = "INIT")]
    init: Option<String>,
    /// Give cell and readout biases
    #[arg(long)]
    bias: bool,
    /// Nonlinearity of the cell [default: tanh]
    #[arg(long, value_enum)]
    activation: Option<ActivationName>,
    /// Steps between rows of metrics [default: 100]
    #[arg(long, value_name = "N")]
    metrics_every: Option<u64>,
    /// Steps between checkpoints [default: 1000]
    #[arg(long, value_name = "N")]
    checkpoint_every: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum CurriculumName {
    Table1,
    Adaptive,
    None,
}

#[derive(Clone, Copy, ValueEnum)]
enum ActivationName {
    Tanh,
    Relu,
    Identity,
}

impl Choices {
    fn params(&self) -> Result<(TrainParams, Start), Failure> {
        let mut curriculum = match self.curriculum {
            None | Some(CurriculumName::Table1) => Curriculum::table1(),
            Some(CurriculumName::Adaptive) => Curriculum::adaptive(),
            Some(CurriculumName::None) => Curriculum::none(),
        };
        if let Some(horizon) = self.horizon {
            curriculum = curriculum.up_to(horizon);
        }
        if let Some(threshold) = self.threshold {
            curriculum = curriculum.with_threshold(threshold);
        }
        let mut params = TrainParams::with_curriculum(curriculum);
        fn set<T: Copy>(field: &mut T, choice: Option<T>) {
            *field = choice.unwrap_or(*field);
        }
        set(&mut params.hidden, self.hidden);
        set(&mut params.seed, self.seed);
        set(&mut params.steps, self.steps);
        set(&mut params.l2, self.l2);
        set(&mut params.learning_rate, self.lr);
        set(&mut params.clip, self.clip);
        set(&mut params.batch, self.batch);
        set(&mut params.metrics_every, self.metrics_every);
        set(&mut params.checkpoint_every, self.checkpoint_every);
        params.bias = self.bias;
        let activation = self.activation.map(|name| match name {
            ActivationName::Tanh => Activation::Tanh,
            ActivationName::Relu => Activation::Relu,
            ActivationName::Identity => Activation::Identity,
        });
        set(&mut params.activation, activation);
        let start = match self.init.as_deref() {
            None | Some("uniform") => Start::Random,
            Some("gaussian") => {
                params.initialization = Initialization::Gaussian;
                Start::Random
            }
            Some(path) => self.given_weights(Path::new(path), &mut params)?,
        };
        params.check()?;
        Ok((params, start))
    }

    fn given_weights(&self, path: &Path, params: &mut TrainParams) -> Result<Start, Failure> {
        let bytes = std::fs::read(path).map_err(|error| {
            Failure::bad_input(format!("--init takes uniform, gaussian or a file; {}: {error}", path.display()))
        })?;
        let network = NetworkFile::from_safetensors(&bytes, path)?.network;
        if self.hidden.is_none() {
            params.hidden = network.hidden();
        }
        params.activation = network.activation;
        params.bias = network.has_bias();
        Ok(Start::Weights(Box::new(network)))
    }
}

impl TrainCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let (engine, name) = self.device.engine(self.threads)?;
        let (folder, job) = match (&self.resume, &self.task) {
            (Some(path), _) => self.resumed(path)?,
            (None, Some(task)) => self.begun(&self.size.of(task)?, name)?,
            (None, None) => return Err(Failure::bad_input("name a task, such as T2, or a folder to --resume")),
        };
        train(engine.as_ref(), folder, job, self.tensorboard, self.json)
    }

    fn begun(&self, task: &Task, engine: String) -> Result<(RunFolder, Job), Failure> {
        let (params, start) = self.choices.params()?;
        let default = || {
            let task = task.name().to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
            format!("runs/{task}-h{}-seed{}", params.hidden, params.seed).into()
        };
        let path = self.out.clone().unwrap_or_else(default);
        let job = Job { task: task.clone(), params: params.clone(), start };
        job.check()?;
        let manifest = Manifest::new(task, params, engine);
        Ok((RunFolder::create(&path, manifest, self.force)?, job))
    }

    fn resumed(&self, path: &Path) -> Result<(RunFolder, Job), Failure> {
        let folder = RunFolder::open(path)?;
        let manifest = folder.manifest();
        if manifest.status == Status::Complete {
            return Err(ketbra::run_folder::RunFolderError::Complete { path: path.into() }.into());
        }
        let (state, damage) = folder.read_checkpoint()?;
        if let Some(damage) = damage {
            note(&format!("{WARN}warning:{WARN:#} {damage}; going on from the checkpoint before, step {}", state.step));
        }
        let job = Job { task: manifest.task()?, params: manifest.params.clone(), start: Start::State(Box::new(state)) };
        Ok((folder, job))
    }
}

/// Trains one job, records it in its folder and tells how it went.
pub fn train(engine: &dyn Engine, folder: RunFolder, job: Job, tensorboard: bool, json: bool) -> Result<(), Failure> {
    let path = folder.path().to_path_buf();
    let resumed_at = match &job.start {
        Start::State(state) => state.step,
        Start::Random | Start::Weights(_) => 0,
    };
    let mut recorder = Recorder::new();
    recorder.add(folder, resumed_at, tensorboard)?;
    interrupt::listen();
    let watch = Watch { recorder, progress: Progress::new(job.params.steps, resumed_at) };
    let begin = Instant::now();
    let result = engine.train(std::slice::from_ref(&job), &watch).pop();
    let seconds = begin.elapsed().as_secs_f64();
    let Watch { recorder, progress } = watch;
    progress.finish();
    let Some(mut folder) = recorder.into_folders().pop() else { return Ok(()) };
    match result {
        Some(Ok(Outcome { state, accuracy: Some(accuracy) })) => {
            let summary = summarize(&job, accuracy, state.metrics, resumed_at, seconds);
            folder.write_network(&state.network)?;
            folder.write_manifest(|manifest| {
                manifest.status = Status::Complete;
                manifest.result = Some(summary.clone());
            })?;
            if json {
                print_json(&summary)
            } else {
                print(&in_words(&summary, &path))
            }
            Ok(())
        }
        Some(Ok(outcome)) => {
            folder.write_network(&outcome.state.network)?;
            let (step, steps) = (outcome.state.step, job.params.steps);
            Err(Failure::interrupted(format!(
                "stopped after step {step} of {steps}, and saved; go on with 'ketbra train --resume {}'",
                path.display()
            )))
        }
        Some(Err(error)) => {
            if matches!(error, TrainError::Diverged { .. }) {
                folder.write_manifest(|manifest| manifest.status = Status::Diverged)?;
            }
            Err(error.into())
        }
        None => Err(Failure::could_not("training ended without a result")),
    }
}

fn summarize(job: &Job, accuracy: Accuracy, last: Option<Metrics>, resumed_at: u64, seconds: f64) -> RunResult {
    let steps = job.params.steps;
    RunResult {
        steps,
        seconds,
        steps_per_second: (steps - resumed_at) as f64 / seconds,
        loss: last.map_or(f64::NAN, |metrics| metrics.loss),
        horizon: last.map_or(0, |metrics| metrics.horizon),
        accuracy,
        learned: accuracy.value >= job.params.test.learned_from,
    }
}

fn in_words(result: &RunResult, path: &Path) -> String {
    let verdict = if result.learned { format!("{GOOD}learned{GOOD:#}") } else { format!("{WARN}not learned{WARN:#}") };
    format!(
        "{verdict}: accuracy {:.4} over {} output steps\n{} steps in {:.1} s ({:.0} steps/s), loss {:.2e} at horizon {}\n\
         saved in {}\n",
        result.accuracy.value,
        result.accuracy.horizon,
        result.steps,
        result.seconds,
        result.steps_per_second,
        result.loss,
        result.horizon,
        path.display()
    )
}

/// Keeps records, moves the bar, and stops when asked to.
struct Watch {
    recorder: Recorder,
    progress: Progress,
}

impl Observer for Watch {
    fn progress(&self, _job: usize, metrics: &Metrics) {
        self.progress.show(metrics);
    }

    fn record(&self, job: usize, metrics: &Metrics) -> Result<(), RecordError> {
        self.recorder.record(job, metrics)
    }

    fn checkpoint(&self, job: usize, state: &TrainState) -> Result<(), RecordError> {
        self.recorder.checkpoint(job, state)
    }

    fn stop(&self, _job: usize) -> bool {
        interrupt::asked()
    }
}
