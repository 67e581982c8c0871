//! `ketbra develop`: how a circuit came to be.

use crate::arguments::Settings;
use crate::failure::Failure;
use crate::interrupt;
use crate::picture::Format;
use crate::progress::Count;
use crate::terminal::{FAINT, GOOD, WARN, answer, title};
use ketbra::develop::{DevelopParams, Development, Moment, develop};
use ketbra::report::figures::development_figure;
use ketbra::run_folder::RunFolder;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// See how the circuit of a run came to be: when memories, spectrum and function appear, and in which order
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra train T3 --snapshots 40 --log-spaced --out runs/t3
  ketbra develop runs/t3
  ketbra develop runs/t3 --picture development.svg
  ketbra develop runs/t3 --json

Every snapshot is interpreted as `ketbra interpret` would. A thing has appeared from the step on at which it is there and stays.")]
pub struct DevelopCommand {
    /// The folder of a run that kept snapshots
    #[arg(value_name = "RUN")]
    path: PathBuf,
    /// Draw it: a file that ends in .svg or .png
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    settings: Settings,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl DevelopCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let format = self.picture.as_deref().map(|path| Format::of("--picture", path)).transpose()?;
        let params = self.settings.on(DevelopParams::default())?;
        let run = RunFolder::open(&self.path)?;
        let bar = Count::new(0, "snapshots");
        interrupt::listen();
        let done = |done: usize, of: usize| {
            bar.set(done, of);
            !interrupt::asked()
        };
        let found = develop(&run, &params, &done);
        bar.finish();
        let found = found?;
        if let (Some(path), Some(format)) = (&self.picture, format) {
            format.write(path, &development_figure(&found))?;
        }
        answer(self.json, &found, || in_words(&self.path, &found));
        Ok(())
    }
}

fn in_words(path: &Path, found: &Development) -> String {
    let Development { task, cell, hidden, seed, moments, appeared, .. } = found;
    let mut text = title(&format!("{}: {task}, {cell} H={hidden}, seed {seed}", path.display()));
    let _ = writeln!(
        text,
        "{FAINT}{:>7}  {:>9}  {:>5}  {:>10}  {:>7}  {:>6}  {:>8}  verdict{FAINT:#}",
        "step", "explained", "read", "directions", "angle", "f read", "accuracy"
    );
    moments.iter().for_each(|moment| text += &row(moment));
    for (name, step) in appeared.all() {
        let _ = match step {
            Some(step) => writeln!(text, "  {GOOD}{name:<9}{GOOD:#} from step {step}"),
            None => writeln!(text, "  {WARN}{name:<9}{WARN:#} never, or not for good"),
        };
    }
    let _ = writeln!(text, "{}", appeared.in_words);
    text
}

fn row(moment: &Moment) -> String {
    let Moment { step, explained, read, directions, angle_error, recovered, accuracy, verdict } = moment;
    let share = |share: &Option<f64>| share.map_or("---".into(), |share| format!("{:.0} %", 100.0 * share));
    let angle = angle_error.map_or("---".into(), |error| format!("{error:.4}"));
    format!(
        "{step:>7}  {explained:>9.3}  {:>5}  {:>10}  {angle:>7}  {:>6}  {accuracy:>8.4}  {}\n",
        share(&Some(*read)),
        share(directions),
        share(&Some(*recovered)),
        verdict.name()
    )
}
