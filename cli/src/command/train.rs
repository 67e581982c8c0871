//! `ketbra train`: trains a network and keeps the run in a folder.

use super::of_cell::OfCell;
use crate::arguments::TaskSize;
use crate::device::DeviceChoice;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::terminal::{GOOD, WARN, note, print, print_json};
use ketbra::network::{Activation, CellKind};
use ketbra::run_folder::{ContextResult, KeptTask, Resumed, RunFolder, RunResult};
use ketbra::task::Task;
use ketbra::train::{self, Engine, Freeze, Job, Metrics, Recipe, Snapshots, Start, TrainObserver};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Train a network on a task
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra train T2 --out runs/t2
  ketbra train repeat-copy --s 16 --d 5 --init gaussian
  ketbra train T3 --cell gru --layers 2 --hidden 64
  ketbra train T3 --snapshots 40 --log-spaced
  ketbra train T4 --from runs/t2 --freeze recurrent
  ketbra train both.toml --context b --from runs/a --protect a
  ketbra train --resume runs/t2

A run folder holds manifest.json (every parameter), network.safetensors (PyTorch's names), metrics.csv and a checkpoint.
The same seed gives the same bytes, with any number of threads and through any interruption.")]
pub struct TrainCommand {
    /// A name (see `ketbra task --list`), an id such as 255,0,0, formulas, or a .toml file
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
    #[arg(long, help = format!("Kind of the layers: {} [default: elman]", CellKind::listed()), value_name = "NAME", value_parser = CellKind::from_str)]
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
    /// Optimizer steps, at most [default: by recipe: steady 20000 to 40000, table1 20000, adaptive 45000]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// How: steady (made to learn; ends when the task is reliably solved), table1 or adaptive (as in the paper), or none
    /// (one horizon throughout) [default: steady]
    #[arg(long, alias = "curriculum", value_name = "NAME", value_parser = Recipe::from_str)]
    recipe: Option<Recipe>,
    /// What lengthens the horizon; table1: accuracy of a batch [default: 0.98]; adaptive: loss [default: 0.03]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Longest horizon, in output steps [default: 100]
    #[arg(long, value_name = "N")]
    horizon: Option<usize>,
    /// L2 regularization, PyTorch's weight_decay [default: 0; steady with few units: 0.00001]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    l2: Option<f64>,
    /// Learning rate of Adam [default: by recipe: steady 0.0005 to 0.001, others 0.001]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    lr: Option<f64>,
    /// Largest norm of the gradient [default: 1; steady 0.5]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    clip: Option<f64>,
    /// Samples in a batch [default: 64]
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// Initial weights: uniform, gaussian, orthogonal, or a file of a network [default: orthogonal for gru and lstm, uniform for
    /// others]
    #[arg(long, value_name = "INIT")]
    init: Option<PathBuf>,
    /// Give layers and readout biases [default for gru and lstm]
    #[arg(long, conflicts_with = "no_bias")]
    bias: bool,
    /// Give them none [default for other cells]
    #[arg(long)]
    no_bias: bool,
    /// Nonlinearity of layers without gates: tanh, relu, identity or softplus [default: tanh; ssm: identity]
    #[arg(long, value_name = "NAME", value_parser = Activation::from_str)]
    activation: Option<Activation>,
    /// Steps between rows of metrics [default: 100]
    #[arg(long, value_name = "N")]
    metrics_every: Option<u64>,
    /// Steps between checkpoints [default: 1000]
    #[arg(long, value_name = "N")]
    checkpoint_every: Option<u64>,
    /// Keep the weights at so many moments, all in snapshots.safetensors: the page then has a slider through training
    #[arg(long, value_name = "N")]
    snapshots: Option<u32>,
    /// Keep more of them early on: each so many times the steps of the one before
    #[arg(long, requires = "snapshots")]
    log_spaced: bool,
    /// Steps between looks at the network on fresh inputs [default: 500 with the recipe steady; others never look]
    #[arg(long, value_name = "N")]
    look_every: Option<u64>,
    /// Of a task with contexts, draw the episodes of one only
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// Begin with a trained network: a file or a run folder
    #[arg(long, value_name = "NET", conflicts_with = "init")]
    from: Option<PathBuf>,
    /// Keep of it: recurrent (all recurrent weights) or memories (what they do within the space of its memories)
    #[arg(long, value_name = "PART", value_parser = Freeze::from_str, requires = "from")]
    freeze: Option<Freeze>,
    /// Keep what it does in old tasks, or in other contexts: moves are projected out of the spaces that their states and
    /// inputs span
    #[arg(long, value_name = "OLD", value_delimiter = ',', requires = "from", conflicts_with = "freeze")]
    protect: Vec<String>,
    /// The paper's variant: moves are projected into those spaces
    #[arg(long, value_name = "OLD", value_delimiter = ',', requires = "from", conflicts_with_all = ["freeze", "protect"])]
    reuse: Vec<String>,
    /// Begin with strong cues: each context gets an equal share of the units, and its cue saturates all other units, so that what is
    /// learned in one does not meet what is learned in another
    #[arg(long)]
    strong_cue: bool,
    /// Share of the variance of old states and inputs that may be left outside those spaces [default: 1e-4]
    #[arg(long, value_name = "X", requires = "from", allow_negative_numbers = true)]
    left_out: Option<f64>,
    /// Elastic weight consolidation: weights are pulled back by how much the outputs of old tasks depend on them
    #[arg(long, value_name = "OLD", value_delimiter = ',', requires = "from", conflicts_with_all = ["freeze", "protect", "reuse"])]
    ewc: Vec<String>,
    /// How strongly; at 1 what old tasks lose counts as much as the loss of the new one [default: 100]
    #[arg(long, value_name = "X", requires = "ewc", allow_negative_numbers = true)]
    ewc_strength: Option<f64>,
    #[command(flatten)]
    of_cell: OfCell,
}

impl Choices {
    fn chosen(&self) -> train::Choices {
        train::Choices {
            cell: self.cell,
            layers: self.layers,
            hidden: self.hidden,
            seed: self.seed,
            steps: self.steps,
            recipe: self.recipe,
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
            snapshots: self.snapshots.map(|count| Snapshots { count, log_spaced: self.log_spaced }),
            look_every: self.look_every,
            context: self.context.clone(),
            from: self.from.clone(),
            given: None,
            freeze: self.freeze,
            protect: self.protect.clone(),
            reuse: self.reuse.clone(),
            left_out: self.left_out,
            strong_cue: self.strong_cue,
            ewc: self.ewc.clone(),
            ewc_strength: self.ewc_strength,
            cell_settings: self.of_cell.0,
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
        if task.window().is_ok() && !task.is_odd() {
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
        Some(result) => print(&in_words(result, &path, job.task.window().is_ok())),
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

fn in_words(result: &RunResult, path: &Path, read: bool) -> String {
    let (verdict, next) = match result.learned {
        true => (format!("{GOOD}learned{GOOD:#}"), format!("read its circuit: ketbra interpret {}\n", path.display())),
        false => (
            format!("{WARN}not learned{WARN:#}"),
            format!("see what is missing: ketbra interpret {}\n", path.display()),
        ),
    };
    let over = result.accuracy.horizon;
    let (of, next) = match read {
        true => (format!("over {over} output steps"), next),
        false => (format!("of all outputs that count (signs, symbols, numbers) over {over} steps"), String::new()),
    };
    let RunResult { steps, seconds, steps_per_second, loss, horizon, accuracy, .. } = result;
    let ended = if result.stopped_early { ", ended early: reliably solved" } else { "" };
    let kept = match result.best_step {
        Some(best) if best != *steps => format!("; kept the best weights, of step {best}"),
        _ => String::new(),
    };
    let reached = result.steps_to_99.map_or(String::new(), |step| format!(", accuracy 0.99 after {step}"));
    let contexts: String = result.contexts.iter().map(in_context).collect();
    let old: String = result.kept.iter().map(in_kept).collect();
    let why: String = result.why.iter().map(|reason| format!("  why: {reason}\n")).collect();
    format!(
        "{verdict}: accuracy {:.4} {of}\n{contexts}{old}{why}{steps} steps{reached} in {seconds:.1} s ({steps_per_second:.0} steps/s), \
         loss {loss:.1e} at horizon {horizon}{ended}{kept}\nsaved in {}\n{next}",
        accuracy.value,
        path.display()
    )
}

fn in_kept(kept: &KeptTask) -> String {
    let (before, after) = (kept.before.value, kept.after.value);
    match kept.fell() {
        true => format!(
            "  {WARN}not kept:{WARN:#} {} fell from accuracy {before:.4} to {after:.4}; leave out less of its variance with --left-out, or try \
             --ewc\n",
            kept.name
        ),
        false => format!("  kept: {} has accuracy {after:.4}, and had {before:.4}\n", kept.name),
    }
}

fn in_context(found: &ContextResult) -> String {
    let word = match (found.learned, found.trained) {
        (true, _) => "learned",
        (false, true) => "not learned",
        (false, false) => "not learned, and not trained here",
    };
    format!("  context {}: accuracy {:.4} ({word})\n", found.context, found.accuracy.value)
}

/// Moves the bar, and stops when asked to.
struct Watch<'a> {
    progress: &'a Progress,
}

impl TrainObserver for Watch<'_> {
    fn progress(&self, _job: usize, metrics: &Metrics) {
        self.progress.show(metrics);
    }

    fn stop(&self, _job: usize) -> bool {
        interrupt::asked()
    }
}

#[cfg(test)]
mod tests {
    use super::Choices;
    use clap::Args;
    use ketbra::train::SETTINGS;

    #[test]
    fn every_setting_of_training_is_a_flag_and_the_other_way_round() {
        let command = Choices::augment_args(clap::Command::new("train"));
        let flags = command.get_arguments().filter_map(clap::Arg::get_long).filter(|flag| *flag != "no-bias");
        let mut flags: Vec<String> = flags.map(|flag| flag.replace('-', "_")).collect();
        let mut settings: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
        flags.sort();
        settings.sort_unstable();
        assert_eq!(flags, settings);
    }
}
