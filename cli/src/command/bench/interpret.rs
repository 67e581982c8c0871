//! `ketbra bench interpret`: how fast networks are interpreted.

use crate::failure::Failure;
use crate::terminal::{print, print_exactly, title};
use ketbra::circuit::{AnalyticNetwork, Basis};
use ketbra::interpret::{InterpretParams, Question, interpret};
use ketbra::memories::Method;
use ketbra::network::{Activation, MAX_HIDDEN, Network, NetworkFile};
use ketbra::numeric::Matrix;
use ketbra::random::{Purpose, Stream};
use ketbra::task::Window;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Amplitude of the bench's own circuits: small, so that tanh hardly bends them.
const AMPLITUDE: f64 = 0.05;

/// Most interpretations of one network.
const MOST_RUNS: usize = 1_000_000;

/// Time interpretation: one network on one core with the defaults and with every method, on every core, and many side by side
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra bench interpret
  ketbra bench interpret --hidden 1024 --repeats 3
  ketbra bench interpret net.safetensors")]
pub struct InterpretBench {
    /// Networks to time instead of the bench's own circuits, each with the task in its file
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Hidden units of the bench's own circuits
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [64, 128, 256])]
    hidden: Vec<usize>,
    /// Runs of which the median is shown
    #[arg(long, default_value_t = 7)]
    repeats: usize,
    /// Networks interpreted side by side
    #[arg(long, value_name = "N", default_value_t = 100)]
    many: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl InterpretBench {
    pub fn run(&self) -> Result<(), Failure> {
        for (name, asked) in [("--repeats", self.repeats), ("--many", self.many)] {
            if asked > MOST_RUNS {
                return Err(Failure::bad_input(format!("{name} is {asked}, but must be at most {MOST_RUNS}")));
            }
        }
        if let Some(hidden) = self.hidden.iter().find(|hidden| !(1..=MAX_HIDDEN).contains(*hidden)) {
            return Err(Failure::bad_input(format!("--hidden is {hidden}, but must be from 1 to {MAX_HIDDEN}")));
        }
        let all = InterpretParams { methods: Method::ALL.to_vec(), ..InterpretParams::default() };
        let one_core = ThreadPoolBuilder::new().num_threads(1).build().map_err(Failure::could_not)?;
        let mut rows = vec![];
        for (name, network, task) in self.networks()? {
            let question = Question::Task(task);
            let one = |params: &InterpretParams| self.median(|| interpret(&network, &question, params).is_ok());
            let params = InterpretParams::default();
            let (defaults, every_method) = one_core.install(|| Ok::<_, Failure>((one(&params)?, one(&all)?)))?;
            let every_core = one(&params)?;
            let start = Instant::now();
            (0..self.many).into_par_iter().for_each(|_| drop(interpret(&network, &question, &params)));
            let many = start.elapsed().as_secs_f64();
            rows.push((name, network.hidden(), [defaults, every_method, every_core, many]));
        }
        let threads = rayon::current_num_threads();
        if self.json {
            let rows = rows.iter().map(|(name, hidden, [defaults, all, every_core, many])| {
                json!({ "network": name, "hidden": hidden, "defaults_s": defaults, "all_methods_s": all,
                        "every_core_s": every_core, "many": self.many, "many_s": many, "threads": threads })
            });
            print_exactly(&format!("{}\n", json!(rows.collect::<Vec<_>>())));
            return Ok(());
        }
        let mut text = title("Interpretation, seconds");
        let (every_core, many) = (format!("on {threads} threads"), format!("{} on {threads} threads", self.many));
        text.push_str(&format!(
            "  {:<32}{:>6}{:>12}{:>14}{every_core:>16}{many:>22}\n",
            "", "H", "one core", "all methods"
        ));
        for (name, hidden, [defaults, all, every_core, many]) in rows {
            text.push_str(&format!(
                "  {name:<32}{hidden:>6}{defaults:>12.3}{all:>14.3}{every_core:>16.3}{many:>22.2}\n"
            ));
        }
        print(&text);
        Ok(())
    }

    fn networks(&self) -> Result<Vec<(String, Network, Window)>, Failure> {
        let from_file = |path: &PathBuf| {
            let file = NetworkFile::open(path)?;
            let no_task = || Failure::bad_input(format!("{} does not say its task", path.display()));
            let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            let task = file.window()?.ok_or_else(no_task)?;
            Ok((name, file.network, task))
        };
        if self.paths.is_empty() {
            self.hidden.iter().map(|&hidden| planted(hidden)).collect()
        } else {
            self.paths.iter().map(from_file).collect()
        }
    }

    fn median(&self, work: impl Fn() -> bool) -> Result<f64, Failure> {
        let mut times = vec![];
        for _ in 0..self.repeats.max(1) {
            let start = Instant::now();
            if !work() {
                return Err(Failure::could_not("the bench's network could not be interpreted"));
            }
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        Ok(times[times.len() / 2])
    }
}

/// Repeat copy with as many components as fit, at small amplitude through tanh.
fn planted(hidden: usize) -> Result<(String, Network, Window), Failure> {
    let d = (hidden / 16).clamp(1, 8);
    let task = Window::named("repeat-copy", Some(8), Some(d))?;
    let basis = Basis::orthonormal(hidden, 8 * d, &Stream::new(1, Purpose::Matrices), 0).map_err(Failure::bad_input)?;
    let mut network = AnalyticNetwork::of(&task, basis).map_err(Failure::could_not)?.network;
    if let Some(cell) = network.as_elman_mut() {
        cell.activation = Activation::Tanh;
        let input = cell.input_weights.clone();
        cell.input_weights = Matrix::from_fn(hidden, d, |i, j| AMPLITUDE * input[(i, j)]);
    }
    Ok((format!("planted repeat-copy, d={d}"), network, task))
}
