//! `ketbra recall`: stored memories called up one after another, beside the same machinery holding variables.

use crate::failure::Failure;
use crate::subject::write;
use crate::terminal::{FAINT, answer, title, width};
use ketbra::circuit::operator;
use ketbra::random::{Purpose, Stream};
use ketbra::recall::{Conjugacy, Integrator, Parameters, ReadRule, Response, Retrieval, SequenceMemory};
use ketbra::report::figures::recall_figure;
use ketbra::task::Window;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;

/// Columns of the text plot.
const MOST_COLUMNS: usize = 96;
/// Columns for the names beside the plot, and its frame.
const NAMES: usize = 14;
/// Recorded times of a retrieval.
const SAMPLES: usize = 400;
/// Error allowed in one step of the integration.
const TOLERANCE: f64 = 1e-8;
/// Overlaps from 0 to 1 in text.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
/// Steps of the discrete limit compared with the Elman network.
const CONJUGACY_STEPS: usize = 1000;
/// More feature neurons than this only take longer.
const MOST_FEATURES: usize = 2048;
/// A longer time repeats the same sequence.
const MOST_TIME: f64 = 100_000.0;
/// Rounds of the variables that are shown.
const ROUNDS: usize = 3;

/// Recall stored memories one after another, and hold variables in the same memories
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra recall
  ketbra recall --svg recall.svg --png recall.png
  ketbra recall --memories 12 --features 200 --delay 3 --time 100
  ketbra recall --json

The first plot is the continuous memory model: each memory stays until its delayed trace has called the next. The second is
its discrete limit with the transitions of repeat copy: the same vectors now hold contents that can be anything.")]
pub struct RecallCommand {
    /// Stored memories
    #[arg(long, value_name = "N", default_value_t = 8)]
    memories: usize,
    /// Feature neurons; at least as many as memories
    #[arg(long, value_name = "N", default_value_t = 96)]
    features: usize,
    /// How long to watch, in units of the features' time constant
    #[arg(long, value_name = "T", default_value_t = 100.0)]
    time: f64,
    /// Time constant of the delayed trace: how long a memory stays
    #[arg(long, value_name = "T", default_value_t = Parameters::episodic().delay_time)]
    delay: f64,
    /// Read memories with the Hebbian rule instead of the pseudo-inverse
    #[arg(long)]
    hebbian: bool,
    /// Seed of the memories and of what the variables hold
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the figure to an SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the figure to a PNG file
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Dots per inch of the PNG file
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u16).range(30..=1200), requires = "png")]
    dpi: u16,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Everything that the text, the picture and the JSON show.
#[derive(Serialize)]
struct Shown {
    parameters: Parameters,
    integrator: Integrator,
    visited: Vec<usize>,
    episodes: Retrieval,
    variables: Retrieval,
    conjugacy: Conjugacy,
}

impl RecallCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let shown = self.show()?;
        let figure = recall_figure(&shown.episodes, &shown.variables);
        if let Some(path) = &self.svg {
            write(path, figure.svg().as_bytes())?;
        }
        if let Some(path) = &self.png {
            write(path, &figure.png(f64::from(self.dpi))?)?;
        }
        answer(self.json, &shown, || self.in_words(&shown));
        Ok(())
    }

    fn show(&self) -> Result<Shown, Failure> {
        if self.memories == 0 || self.features < self.memories || self.features > MOST_FEATURES {
            return Err(Failure::bad_input(format!(
                "{} memories do not fit in {} feature neurons; use --memories 1 to {limit}, --features up to {MOST_FEATURES}",
                self.memories,
                self.features,
                limit = self.features.min(MOST_FEATURES),
            )));
        }
        if self.time > MOST_TIME {
            return Err(Failure::bad_input(format!(
                "--time {:?} is beyond {MOST_TIME}; watch a shorter time",
                self.time
            )));
        }
        let rule = if self.hebbian { ReadRule::Hebbian } else { ReadRule::PseudoInverse };
        let parameters = Parameters { delay_time: self.delay, rule, ..Parameters::episodic() };
        let stream = Stream::new(self.seed, Purpose::Matrices);
        let memory = SequenceMemory::episodes(self.features, self.memories, parameters, &stream)?;
        let integrator = Integrator::Adaptive { tolerance: TOLERANCE };
        let interval = self.time / SAMPLES as f64;
        let episodes = memory.retrieve(&memory.starting_at(0), self.time, interval, integrator)?;
        let task = Window::named("repeat-copy", Some(self.memories), Some(1))?;
        let phi = operator(&task)?;
        let as_variables = |response| SequenceMemory::of_variables(memory.stored().clone(), &phi, response);
        let written = Stream::new(self.seed, Purpose::ProbeInputs);
        let contents: Vec<f64> = written.signs(0, 0, 0).take(self.memories).map(f64::from).collect();
        let variables = as_variables(Response::Identity)?.hold(&contents, ROUNDS * self.memories);
        let conjugacy = as_variables(Response::TANH)
            .and_then(|memory| memory.conjugacy(memory.stored().col_as_slice(0), CONJUGACY_STEPS))?;
        Ok(Shown { parameters, integrator, visited: episodes.visited(), episodes, variables, conjugacy })
    }

    fn in_words(&self, shown: &Shown) -> String {
        let columns = MOST_COLUMNS.min(width() - NAMES);
        let mut text = title(EPISODES);
        let times = &shown.episodes.times;
        let pick = |column: usize| column * (times.len() - 1) / (columns - 1);
        for memory in 0..self.memories {
            let shade = |column| {
                let overlap = shown.episodes.overlaps[pick(column)][memory].clamp(0.0, 1.0);
                SHADES[(overlap * (SHADES.len() - 1) as f64).round() as usize]
            };
            let row: String = (0..columns).map(shade).collect();
            let _ = writeln!(text, "{:>9} {FAINT}│{FAINT:#}{row}{FAINT}│{FAINT:#}", format!("memory {}", memory + 1));
        }
        let _ = writeln!(text, "{:>10} 0{:>end$}", "time", self.time, end = columns - 1);
        let order: Vec<String> = shown.visited.iter().map(|memory| (memory + 1).to_string()).collect();
        let _ = writeln!(text, "  recalled in the order {}\n", order.join(" "));
        text += &title(VARIABLES);
        for variable in 0..self.memories {
            let cell = |overlaps: &Vec<f64>| if overlaps[variable] > 0.0 { "██" } else { "░░" };
            let row: String = shown.variables.overlaps.iter().take(columns / 2).map(cell).collect();
            let _ =
                writeln!(text, "{:>11} {FAINT}│{FAINT:#}{row}{FAINT}│{FAINT:#}", format!("variable {}", variable + 1));
        }
        let _ = writeln!(text, "  █ +1  ░ -1, one step a cell; each step variable i takes what variable i+1 held\n");
        let Conjugacy { steps, worst_gap, norm, .. } = shown.conjugacy;
        let _ = writeln!(
            text,
            "  As an Elman network the discrete limit agrees to {worst_gap:.1e} over {steps} steps; |W_hh| = {norm:.3}."
        );
        text
    }
}

const EPISODES: &str = "Stored memories, recalled one after another";
const VARIABLES: &str = "The same memories as variables, holding what was written";
