//! `ketbra sweep`: trains and interprets every network of a grid, here or on a cluster.

mod bar;
mod text;

use crate::device::{check_threads, word};
use crate::failure::Failure;
use crate::interrupt;
use crate::terminal::{answer, print, print_json};
pub use bar::Bar;
use clap::ValueEnum;
use ketbra::sweep::{
    Estimate, Local, Plan, Run, Runner, Slurm, SlurmParams, Submission, SweepFolder, SweepOutcome, SweepStatus, Trainer,
};
use ketbra::train::cuda::Precision;
use ketbra::train::{Device, threads_or_cores};
use std::path::{Path, PathBuf};

/// Networks that are trained without asking.
const WITHOUT_ASKING: u64 = 10_000;

/// Train and interpret every network of a grid
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra sweep table1.toml --out runs/table1
  ketbra sweep table1.toml --out runs/table1 --engine slurm --time 4:00:00
  ketbra sweep table1.toml --out runs/table1 --engine cuda
  ketbra sweep --status runs/table1

A sweep file holds a value or a list for each key; the sweep is every combination:
  task = [\"T1\", \"T2\"]
  hidden = [64, 128]
  l2 = [0, 0.001]
  threshold = [0.9, 0.98]
  seed = \"1-20\"
Keys: task s d recipe threshold horizon cell layers hidden seed steps l2 lr clip batch init bias activation metrics_every
checkpoint_every look_every tensorboard snapshots (closer together early on) from (a network to begin with; {seed} stands for the seed)
freeze, and what a cell leaves to choose (the flags of `ketbra train`, with _ for -). Blocks under [[grid]] are swept one after another, each with the
keys above the first block. A table [interpret] holds settings of the interpretation, such as code.read = 0.95 (see ketbra settings).

Stop it and start it again at any time; what is done stays done. A changed file adds what is new. Any number of
processes may work on one folder. results.csv holds a row for each network.")]
pub struct SweepCommand {
    /// The sweep file
    #[arg(required_unless_present_any = ["status", "list"])]
    file: Option<PathBuf>,
    /// Folder of the sweep
    #[arg(long, value_name = "FOLDER", required_unless_present = "status")]
    out: Option<PathBuf>,
    /// Who works on it
    // Where other commands say --device, so can this one.
    #[arg(long, alias = "device", value_enum, default_value = "local")]
    engine: EngineName,
    /// How exactly a CUDA device multiplies
    #[arg(long, default_value = "single", value_parser = word::<Precision>(&Precision::NAMES))]
    precision: Precision,
    /// Networks that are trained side by side [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Try networks again that failed
    #[arg(long)]
    retry: bool,
    /// Begin even if the sweep is very large
    #[arg(long)]
    yes: bool,
    /// Tell how the sweep in a folder stands
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["file", "out"])]
    status: Option<PathBuf>,
    /// End with one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    cluster: Cluster,
    /// Networks of a submission, written by --engine slurm
    #[arg(long, value_name = "FILE", hide = true, requires = "shard", conflicts_with = "file")]
    list: Option<PathBuf>,
    /// Which share of them, as K/N with K from 0
    #[arg(long, value_name = "K/N", hide = true, value_parser = shard, requires = "list")]
    shard: Option<(usize, usize)>,
}

/// What is asked of a cluster.
#[derive(clap::Args)]
#[command(next_help_heading = "SLURM")]
struct Cluster {
    /// Partition
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,
    /// Time limit of an array task, as sbatch takes it
    #[arg(long, value_name = "TIME")]
    time: Option<String>,
    /// Cores of an array task, each with a network of its own
    #[arg(long, value_name = "N", default_value_t = 1)]
    cpus: usize,
    /// GPUs of an array task
    #[arg(long, value_name = "N")]
    gpus: Option<usize>,
    /// Array tasks that may run at the same time
    #[arg(long, value_name = "N")]
    array_limit: Option<usize>,
    /// Array tasks [default: the limit, or one for each network up to 1000]
    #[arg(long, value_name = "N")]
    array_tasks: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// This machine, one network a core
    #[value(alias = "cpu")]
    Local,
    /// A CUDA device, hundreds of networks at once
    Cuda,
    /// A SLURM cluster, as a job array
    Slurm,
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(shard, of)| Some((shard.parse().ok()?, of.parse().ok()?)));
    parts.ok_or_else(|| "a shard is written K/N, such as 0/4".into())
}

impl SweepCommand {
    pub fn run(&self) -> Result<(), Failure> {
        if let Some(path) = &self.status {
            return self.tell_status(path);
        }
        check_threads(self.threads)?;
        let Some(out) = &self.out else { return Err(Failure::bad_input("name a folder with --out")) };
        if let (Some(list), Some((shard, shards))) = (&self.list, self.shard) {
            let runs = Submission::shard(list, shard, shards)?;
            return self.work(&Local { wait: false, ..self.here(Device::Cpu)? }, out, &runs);
        }
        let Some(file) = &self.file else { return Err(Failure::bad_input("name a sweep file")) };
        let plan = Plan::read(file)?;
        plan.check_count()?;
        if plan.count() > WITHOUT_ASKING && !self.yes {
            let estimate = Estimate::of(&plan, self.cores())?;
            return Err(Failure::bad_input(text::too_large(&estimate, self.cores(), WITHOUT_ASKING)));
        }
        let runs = SweepFolder::named(out, plan.runs()?)?;
        match self.engine {
            EngineName::Local => self.work(&self.here(Device::Cpu)?, out, &runs),
            EngineName::Cuda => self.work(&self.here(Device::Cuda)?, out, &runs),
            EngineName::Slurm => self.work(&self.slurm()?, out, &runs),
        }
    }

    fn cores(&self) -> usize {
        threads_or_cores(self.threads)
    }

    fn here(&self, device: Device) -> Result<Local, Failure> {
        Ok(Local { retry: self.retry, ..Local::new(Trainer::on(device, self.precision, self.cores())?) })
    }

    fn slurm(&self) -> Result<Slurm, Failure> {
        let program = std::env::current_exe().map_err(Failure::could_not)?;
        let Cluster { partition, time, cpus, gpus, array_limit, array_tasks } = &self.cluster;
        let params = SlurmParams {
            partition: partition.clone(),
            time: time.clone(),
            cpus: (*cpus).max(1),
            gpus: *gpus,
            array_limit: *array_limit,
            tasks: *array_tasks,
            ..SlurmParams::default()
        };
        Ok(Slurm { program, params })
    }

    fn work(&self, engine: &dyn Runner, out: &Path, runs: &[Run]) -> Result<(), Failure> {
        let folder = SweepFolder::create(out, runs)?;
        interrupt::listen();
        let bar = Bar::new();
        let outcome = engine.run(&folder, runs, &bar);
        bar.finish();
        let outcome = outcome?;
        match &outcome {
            SweepOutcome::Worked(summary) if self.json => print_json(summary),
            SweepOutcome::Submitted(submission) if self.json => print_json(submission),
            _ => print(&text::outcome(&outcome, &folder)),
        }
        match outcome {
            SweepOutcome::Worked(summary)
                if interrupt::asked() && summary.tally.done + summary.tally.failed < runs.len() =>
            {
                Err(Failure::interrupted("stopped, and saved; go on with the same command"))
            }
            SweepOutcome::Worked(summary) if summary.tally.failed > 0 => {
                Err(Failure::could_not(text::failed(&summary.tally, out)))
            }
            _ => Ok(()),
        }
    }

    fn tell_status(&self, path: &Path) -> Result<(), Failure> {
        let status = SweepStatus::of(&SweepFolder::open(path)?)?;
        answer(self.json, &status, || text::status(&status));
        Ok(())
    }
}
