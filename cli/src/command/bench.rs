//! `ketbra bench`: how fast this machine trains, against what it could do at most, and how fast it interprets.

mod interpret;

use crate::arguments::TaskSize;
use crate::device::{DeviceChoice, check_threads};
use crate::failure::Failure;
use crate::terminal::{FAINT, print, print_json, title};
use ketbra::network::CellKind;
use ketbra::task::Task;
use ketbra::train::cpu::{Isa, Rate, SpeedSetup, fma_peak};
use ketbra::train::cuda::{CudaEngine, CudaRate};
use ketbra::train::{Curriculum, Device, Job, Start, TrainParams, threads_or_cores};
use serde::Serialize;
use std::fmt::Write;

/// Measure the speed of this machine
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra bench train --sizes 128
  ketbra bench interpret --json")]
pub struct BenchCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Train(TrainBench),
    Interpret(interpret::InterpretBench),
}

/// Measure training: steps/s, GFLOP/s and the share of the fused-multiply-add peak
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra bench train
  ketbra bench train --sizes 128 --threads 1 --seconds 5 --json
  ketbra bench train --sizes 128 --cell gru --layers 2
  ketbra bench train --device cuda --precision fast --sizes 64,128

The peak is measured beside every size, on the same threads. 'best' is the best slice of a tenth of a second, what the
machine does when nothing else runs on it; 'median' is what it did while others ran. Shares compare best with best.
scripts/bench_pytorch.py adds PyTorch's figures in the same run.")]
struct TrainBench {
    /// Hidden units to measure, separated by commas
    #[arg(long, value_delimiter = ',', default_values_t = [32, 64, 128, 256, 512, 1024])]
    sizes: Vec<usize>,
    #[arg(long, help = format!("Kind of the layers: {}", CellKind::listed()), default_value = "elman")]
    cell: CellKind,
    /// Layers
    #[arg(long, value_name = "N", default_value_t = 1)]
    layers: usize,
    /// Threads [default: one for each core]
    #[arg(long)]
    threads: Option<usize>,
    #[command(flatten)]
    device: DeviceChoice,
    /// Networks trained at the same time, on a CUDA device [default: as many as run side by side]
    #[arg(long, value_name = "N")]
    networks: Option<usize>,
    #[command(flatten)]
    task_size: TaskSize,
    /// Seconds for each size
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Samples in a batch and output steps of every measurement: the end of the `table1` curriculum.
const BATCH: usize = 64;
const HORIZON: usize = 100;
/// Most networks that are trained at the same time.
const MOST_NETWORKS: usize = 65_536;
/// Seconds for each look at the peak.
const PEAK_SECONDS: f64 = 0.3;

#[derive(Serialize)]
struct Report {
    instructions: String,
    threads: usize,
    cell: CellKind,
    layers: usize,
    batch: usize,
    time_steps: usize,
    sizes: Vec<Row>,
    /// As many networks as threads, one each, against one network on one thread, by medians of the same run.
    networks_side_by_side: Option<SideBySide>,
}

#[derive(Serialize)]
struct Row {
    hidden: usize,
    steps_per_second: Rate,
    gflops: Rate,
    peak_gflops: Rate,
    share_of_peak: f64,
}

#[derive(Serialize)]
struct SideBySide {
    hidden: usize,
    networks: usize,
    steps_per_second_of_one: Rate,
    steps_per_second_of_all: Rate,
    speedup: f64,
}

impl BenchCommand {
    pub fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::Train(bench) => bench.run(),
            What::Interpret(bench) => bench.run(),
        }
    }
}

impl TrainBench {
    fn run(&self) -> Result<(), Failure> {
        if self.sizes.contains(&0) || !(self.seconds > 0.0 && self.seconds < 3600.0) {
            return Err(Failure::bad_input("--sizes must be at least 1, --seconds from above 0 to 3600"));
        }
        check_threads(self.threads)?;
        self.check_sizes()?;
        if self.device.device == Device::Cuda {
            return self.run_on_cuda();
        }
        let threads = threads_or_cores(self.threads);
        let task = self.task_size.of("repeat-copy")?;
        let setup = |hidden, networks, threads_each| self.setup(&task, hidden, networks, threads_each);
        let mut report = Report {
            instructions: Isa::best().to_string(),
            threads,
            cell: self.cell,
            layers: self.layers,
            batch: BATCH,
            time_steps: HORIZON + task.steps_before_outputs(),
            sizes: Vec::new(),
            networks_side_by_side: None,
        };
        if !self.json {
            let layers = if self.layers == 1 { "layer" } else { "layers" };
            let of = format!("{} {} {layers}", self.layers, self.cell.title());
            print(&format!(
                "{}{}",
                title(&format!("Training {of} on {threads} threads, {}", report.instructions)),
                HEAD
            ));
        }
        for &hidden in &self.sizes {
            let row = measure(&setup(hidden, 1, threads), threads)?;
            if !self.json {
                print(&row.in_words());
            }
            report.sizes.push(row);
        }
        if threads > 1 {
            let hidden = if self.sizes.contains(&128) { 128 } else { self.sizes[0] };
            report.networks_side_by_side = Some(side_by_side(hidden, threads, setup)?);
        }
        match (&report.networks_side_by_side, self.json) {
            (_, true) => print_json(&report),
            (Some(beside), false) => print(&beside.in_words()),
            (None, false) => {}
        }
        Ok(())
    }

    fn setup(&self, task: &Task, hidden: usize, networks: usize, threads_each: usize) -> SpeedSetup {
        SpeedSetup {
            task: task.clone(),
            cell: self.cell,
            layers: self.layers,
            hidden,
            batch: BATCH,
            horizon: HORIZON,
            networks,
            threads_each,
            seconds: self.seconds,
        }
    }

    /// Refuses what training itself would refuse.
    fn check_sizes(&self) -> Result<(), Failure> {
        if let Some(networks) = self.networks.filter(|networks| *networks > MOST_NETWORKS) {
            return Err(Failure::bad_input(format!("--networks is {networks}, but must be at most {MOST_NETWORKS}")));
        }
        let task = self.task_size.of("repeat-copy")?;
        for &hidden in &self.sizes {
            let curriculum = Curriculum::None { horizon: HORIZON };
            let (cell, layers) = (self.cell, self.layers);
            let params = TrainParams { cell, layers, hidden, batch: BATCH, ..TrainParams::with_curriculum(curriculum) };
            Job { task: task.clone(), params, start: Start::Random }.check()?;
        }
        Ok(())
    }

    fn run_on_cuda(&self) -> Result<(), Failure> {
        let engine = CudaEngine::new(self.device.precision)?;
        let task = self.task_size.of("repeat-copy")?;
        if !self.json {
            let steps = HORIZON + task.steps_before_outputs();
            let what =
                format!("Training on {}, d={}, {steps} time steps, batch {BATCH}", engine.name(), task.outputs());
            print(&format!("{}{CUDA_HEAD}", title(&what)));
        }
        let mut rows = Vec::new();
        for &hidden in &self.sizes {
            let rate = engine.training_speed(&self.setup(&task, hidden, self.networks.unwrap_or(0), 1))?;
            let row = CudaRow {
                hidden,
                tflops: rate.operations_per_second() / 1e12,
                share_of_ceiling: rate.share_of_ceiling(),
                rate,
            };
            if !self.json {
                print(&row.in_words());
            }
            rows.push(row);
        }
        if self.json {
            print_json(&rows);
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct CudaRow {
    hidden: usize,
    tflops: f64,
    share_of_ceiling: f64,
    #[serde(flatten)]
    rate: CudaRate,
}

const CUDA_HEAD: &str = "     H  networks  network-steps/s   TFLOP/s  products  ceiling TFLOP/s   share\n";

impl CudaRow {
    fn in_words(&self) -> String {
        let Self { hidden, tflops, share_of_ceiling, rate } = self;
        format!(
            "{hidden:>6} {:>9} {:>16.0} {tflops:>9.1} {:>9} {:>16.1} {:>6.1}%\n",
            rate.networks,
            rate.steps_per_second,
            rate.products,
            rate.ceiling / 1e12,
            100.0 * share_of_ceiling
        )
    }
}

fn measure(setup: &SpeedSetup, threads: usize) -> Result<Row, Failure> {
    let before = fma_peak(threads, PEAK_SECONDS);
    let speed = setup.training_speed()?;
    let after = fma_peak(threads, PEAK_SECONDS);
    let peak = if after.best > before.best { after } else { before };
    let giga = |rate: Rate, factor: f64| Rate { median: rate.median * factor / 1e9, best: rate.best * factor / 1e9 };
    let (gflops, peak_gflops) = (giga(speed, setup.operations()), giga(peak, 1.0));
    let share_of_peak = gflops.best / peak_gflops.best;
    Ok(Row { hidden: setup.hidden, steps_per_second: speed, gflops, peak_gflops, share_of_peak })
}

fn side_by_side(
    hidden: usize,
    threads: usize,
    setup: impl Fn(usize, usize, usize) -> SpeedSetup,
) -> Result<SideBySide, Failure> {
    let one = setup(hidden, 1, 1).training_speed()?;
    let all = setup(hidden, threads, 1).training_speed()?;
    Ok(SideBySide {
        hidden,
        networks: threads,
        steps_per_second_of_one: one,
        steps_per_second_of_all: all,
        speedup: all.median / one.median,
    })
}

const HEAD: &str = "     H    steps/s (median)   GFLOP/s      peak   share\n";

impl Row {
    fn in_words(&self) -> String {
        let Self { hidden, steps_per_second, gflops, peak_gflops, share_of_peak } = self;
        format!(
            "{hidden:>6} {:>10.1} {FAINT}{:>9}{FAINT:#} {:>9.1} {:>9.1} {:>6.1}%\n",
            steps_per_second.best,
            format!("({:.1})", steps_per_second.median),
            gflops.best,
            peak_gflops.best,
            100.0 * share_of_peak
        )
    }
}

impl SideBySide {
    fn in_words(&self) -> String {
        let mut text = String::new();
        let Self { hidden, networks, steps_per_second_of_one: one, steps_per_second_of_all: all, speedup } = self;
        let _ = writeln!(
            text,
            "{networks} networks of H={hidden} on {networks} threads: {:.1} steps/s, one on one: {:.1}, {speedup:.2} times",
            all.median, one.median
        );
        text
    }
}
