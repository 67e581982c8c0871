//! `ketbra compile`: make a network for a task, without training.

use crate::arguments::TaskSize;
use crate::failure::Failure;
use crate::subject::{network_in, write};
use crate::terminal::{GOOD, answer, title};
use ketbra::compile::{Checked, CompileParams, Compiled, CompiledFigures, CompiledSummary, UnitBasis, compile};
use ketbra::network::CellKind;
use ketbra::path_text::path_text;
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

/// Make a network for a task, without training: ground truth for what reads networks
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra compile T3 --out made/t3
  ketbra compile repeat-copy --s 5 --d 3 --hidden 64 --cell gru --out made/copy
  ketbra compile T1 --superposed 4 --noise 0.01 --seed 2 --out made/t1
  ketbra interpret made/t3

DIR gets network.safetensors, which names its task, and truth.json: every content with its memory, what each unit is there for,
and the thresholds that compute each output. Every network is right for as long as it runs, from the zero state and inputs
of +-1, although Gaussian noise of 0.05 is added to every unit after every step.")]
pub struct CompileCommand {
    /// A name (T3, rule110, lfsr:5,3; `ketbra task --list` shows all), formulas, an id such as 255,0,0, or a .toml file
    task: OsString,
    #[command(flatten)]
    size: TaskSize,
    /// Hidden units [default: 128, or twice what is needed if that is more]
    #[arg(long, value_name = "N")]
    hidden: Option<usize>,
    /// The cell: elman, gru or lstm
    #[arg(long, value_name = "NAME", default_value = "elman", value_parser = CellKind::from_str)]
    cell: CellKind,
    /// random: units in random order with random signs, each with a little of every content that is moved; units: in the order
    /// of the contents, one each
    #[arg(long, value_name = "NAME", default_value = "random", value_parser = UnitBasis::from_str)]
    basis: UnitBasis,
    /// Pairs of contents that share one direction for a step
    #[arg(long, value_name = "N", default_value_t = 0)]
    superposed: usize,
    /// Size of Gaussian noise on the finished weights, as a share of theirs
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true)]
    noise: f64,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = CompileParams::default().seed)]
    seed: u64,
    /// Folder for network.safetensors and truth.json, or a .safetensors file for the network alone
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl CompileCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let task = self.size.window(&self.task)?;
        let params = CompileParams {
            hidden: self.hidden,
            cell: self.cell,
            basis: self.basis,
            superposed: self.superposed,
            noise: self.noise,
            seed: self.seed,
            ..CompileParams::default()
        };
        let made = compile(&task, &params)?;
        let saved = self.save(&made)?;
        let line = Line { made: made.summary(), saved: saved.iter().map(|path| path_text(path)).collect() };
        answer(self.json, &line, || in_words(&made, &saved));
        Ok(())
    }

    fn save(&self, made: &Compiled) -> Result<Vec<PathBuf>, Failure> {
        if self.out.extension().is_some_and(|extension| extension == "safetensors") {
            made.file().save(&self.out)?;
            return Ok(vec![self.out.clone()]);
        }
        let (network, truth) = (network_in(&self.out)?, self.out.join("truth.json"));
        made.file().save(&network)?;
        write(&truth, made.truth().to_string().as_bytes())?;
        Ok(vec![network, truth])
    }
}

/// What `--json` prints.
#[derive(serde::Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    made: CompiledSummary<'a>,
    saved: Vec<Cow<'a, str>>,
}

fn in_words(made: &Compiled, saved: &[PathBuf]) -> String {
    let CompiledFigures { needed, margin, mixing, .. } = made.figures;
    let Checked { episodes, steps, noise, accuracy } = made.checked;
    let (cell, hidden) = (made.params.cell.title(), made.network.hidden());
    let mut text = title(&format!("{}: {cell} network of {hidden} units, made and not trained", made.task.name()));
    text.push_str(&format!("  {} contents; {needed} units would have done\n", made.contents.len()));
    if !made.pairs.is_empty() {
        text.push_str(&format!("  {} pairs of contents share a direction\n", made.pairs.len()));
    }
    if mixing > 0.0 {
        text.push_str(&format!(
            "  every unit that moves a content holds the others too, with a share of {mixing:.2}\n"
        ));
    }
    text.push_str(&format!("  every reading is {margin:.1} standard deviations of the noise from its threshold\n"));
    text.push_str(&format!(
        "  {GOOD}accuracy {accuracy:.4}{GOOD:#} over {steps} output steps of {episodes} episodes with noise of {noise} on every unit\n"
    ));
    saved.iter().for_each(|path| text.push_str(&format!("  saved {}\n", path.display())));
    text
}
