//! `ketbra train`: trains a network and keeps the run in a folder.

use crate::arguments::TaskSize;
use crate::device::DeviceChoice;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::terminal::{GOOD, WARN, note, print, print_json};
use ketbra::network::{Activation, CellKind};
use ketbra::run_folder::{Resumed, RunFolder, RunResult};
use ketbra::task::Task;
use ketbra::train::{self, Curriculum, Engine, Job, Metrics, Observer, Start};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Train a network on a task
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra train T2 --hidden 128 --seed 1 --out runs/t2
  ketbra train repeat-copy --s 16 --d 5 --init gaussian
  ketbra train T3 --cell gru --layers 2 --hidden 64
  ketbra train --resume runs/t2

A run folder holds manifest.json (every parameter), network.safetensors (PyTorch's names), metrics.csv and a checkpoint.
The same seed gives the same bytes, with any number of threads and through any interruption.")]
pub struct TrainCommand {
    /// T1-T4, repeat-copy, compose-copy, an id such as 255,0,0, or a .toml file
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    task: Option<OsString>,
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
    /// Kind of the layers: elman, gru, lstm or ssm (diagonal linear state space) [default: elman]
    #[arg(long, value_name = "NAME", value_parser = CellKind::from_str)]
    cell: Option<CellKind>,
    /// Layers on top of one another [default: 1]
    #[arg(long, value_name = "N")]
    layers: Option<usize>,
    /// Hidden units of each layer [default: 128]
    #[arg(long, value_name = "N")]
    hidden: Option<usize>,
    /// Seed of weights and inputs [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Optimizer steps [default: 20000; 45000 for the adaptive curriculum]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// How the horizon grows: table1, adaptive or none [default: table1]
    #[arg(long, value_name = "NAME", value_parser = Curriculum::named)]
    curriculum: Option<Curriculum>,
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
    /// Initial weights: uniform, gaussian, or a file of a network [default: uniform]
    #[arg(long, value_name = "INIT")]
    init: Option<PathBuf>,
    /// Give layers and readout biases [default for gru and lstm]
    #[arg(long, conflicts_with = "no_bias")]
    bias: bool,
    /// Give them none [default for elman and ssm]
    #[arg(long)]
    no_bias: bool,
    /// Nonlinearity of elman and ssm layers: tanh, relu or identity [default: tanh; ssm: identity]
    #[arg(long, value_name = "NAME", value_parser = Activation::from_str)]
    activation: Option<Activation>,
    /// Steps between rows of metrics [default: 100]
    #[arg(long, value_name = "N")]
    metrics_every: Option<u64>,
    /// Steps between checkpoints [default: 1000]
    #[arg(long, value_name = "N")]
    checkpoint_every: Option<u64>,
}

impl Choices {
    fn chosen(&self) -> train::Choices {
        train::Choices {
            cell: self.cell,
            layers: self.layers,
            hidden: self.hidden,
            seed: self.seed,
            steps: self.steps,
            curriculum: self.curriculum.clone(),
            threshold: self.threshold,
            horizon: self.horizon,
            l2: self.l2,
            lr: self.lr,
            clip: self.clip,
            batch: self.batch,
            init: self.init.clone(),
            bias: (self.bias || self.no_bias).then_some(self.bias),
            activation: self.activation,
            metrics_every: self.metrics_every,
            checkpoint_every: self.checkpoint_every,
        }
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
        let (params, start) = self.choices.chosen().params(task)?;
        if !task.is_odd() {
            note(match params.bias {
                true => {
                    "with biases: the function is not odd (f(-u) is not -f(u)), and a network without biases would be"
                }
                false => {
                    "without biases a network is odd, and this function is not: it cannot be learned; leave out --no-bias"
                }
            });
        }
        let job = Job { task: task.clone(), params, start };
        let path = self.out.clone().unwrap_or_else(|| RunFolder::default_path(&job));
        Ok((RunFolder::begin(&path, &job, engine, self.force)?, job))
    }

    fn resumed(&self, path: &Path) -> Result<(RunFolder, Job), Failure> {
        let Resumed { folder, job, damage } = RunFolder::resume(path)?;
        if let (Some(damage), Start::State(state)) = (damage, &job.start) {
            note(&format!("{WARN}warning:{WARN:#} {damage}; going on from the checkpoint before, step {}", state.step));
        }
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
    interrupt::listen();
    let progress = Progress::new(job.params.steps, resumed_at);
    let trained = folder.train(&job, engine, tensorboard, &Watch { progress: &progress });
    progress.finish();
    let trained = trained?;
    match &trained.result {
        Some(result) if json => print_json(result),
        Some(result) => print(&in_words(result, &path)),
        None => {
            return Err(Failure::interrupted(format!(
                "stopped after step {} of {}, and saved; go on with 'ketbra train --resume {}'",
                trained.state.step,
                job.params.steps,
                path.display()
            )));
        }
    }
    Ok(())
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

/// Moves the bar, and stops when asked to.
struct Watch<'a> {
    progress: &'a Progress,
}

impl Observer for Watch<'_> {
    fn progress(&self, _job: usize, metrics: &Metrics) {
        self.progress.show(metrics);
    }

    fn stop(&self, _job: usize) -> bool {
        interrupt::asked()
    }
}
