//! `ketbra interpret`: from weights to a circuit that a person can read.

mod contexts;
mod drawing;
mod over_time;
pub(super) mod summary;

use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Count;
use crate::subject::{Known, distinct_names, interpret_watched, note_training, write, write_page};
use crate::terminal::{complain, print, print_exactly};
use ketbra::interpret::{InterpretParams, Interpretation, StateView};
use ketbra::memories::Method;
use ketbra::network::NetworkFile;
use ketbra::numeric::Matching;
use ketbra::panics::catch_panic;
use ketbra::path_text::path_text;
use ketbra::setting::Adjustable;
use rayon::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Read the circuit of a trained network: verdict, spectrum, memories, recurrence
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra interpret runs/t2
  ketbra interpret net.safetensors --task T3 --methods all
  ketbra interpret model.pt --blind --s 8
  ketbra interpret nets/*.safetensors --json
  ketbra interpret net.pt --task repeat-copy --s 4 --d 3 --steps 4

A network whose task has contexts is read in each of them; --context NAME reads one.

The task comes from --task or from the file. Without either, --blind reads the function back; it needs to know only
for how many steps inputs are presented (--s). A state_dict does not say with which activation it was trained: pass
--activation relu if it is not tanh.")]
pub struct InterpretCommand {
    /// Run folders or files: .safetensors, .npz, .pt, .pth, .ckpt, or saved interpretations
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    known: Known,
    /// Of a task with contexts, this one [default: each, and what they share]
    #[arg(long, value_name = "NAME", conflicts_with = "blind")]
    context: Option<String>,
    /// How the memories are found [default: code]
    #[arg(long, value_name = "METHOD", value_parser = Method::from_str)]
    method: Option<Method>,
    /// Methods to compare: all, or names separated by commas
    #[arg(long, value_name = "METHODS")]
    methods: Option<String>,
    /// Which part of the state is looked at first: units (h of every layer), or whole (also an LSTM's cells, as tanh c, and
    /// the modes of a state-space layer); the verdict on the other is told beside it [default: units]
    #[arg(long, value_name = "PART", value_parser = StateView::from_str)]
    state: Option<StateView>,
    /// How found eigenvalues are paired with the theory's: optimal, or greedy as the authors do
    #[arg(long, value_name = "HOW", value_parser = Matching::from_str)]
    matching: Option<Matching>,
    /// For the method power: 1 grounds the newest variable in the inverse of the readout, 0 in the input weights
    #[arg(long, value_name = "ALPHA", default_value_t = InterpretParams::default().memories.grounding)]
    grounding: f64,
    /// Output steps after which the trial ends: nothing is run or said beyond, and the inputs are read at every step
    /// [default: 200 steps are run]
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// Read the inputs from the states of every step, also where the network is a circuit
    #[arg(long)]
    readings: bool,
    /// Seed of the inputs that drive the network
    #[arg(long, default_value_t = InterpretParams::default().observe.seed)]
    seed: u64,
    /// Print JSON, one line a network
    #[arg(long)]
    json: bool,
    /// Write interpretation.json, memories.safetensors (Psi, Psi*, the remainder and the learned circuit by every method) and
    /// report.html into this folder; with several networks, into a folder each below it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write what was found and the network as one file, which every command that interprets takes in place of the network
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

impl InterpretCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let params = self.params()?;
        if self.save.is_some() && (self.paths.len() > 1 || self.context.is_some()) {
            return Err(Failure::bad_input("--save keeps one network in one file; name one, without --context"));
        }
        // One alone is read before anything is said, as its task may have contexts.
        let alone = match &self.paths[..] {
            [path] => NetworkFile::open_as(path, self.known.activation).ok(),
            _ => None,
        };
        if let ([path], Some(file), None) = (&self.paths[..], &alone, &self.context)
            && let Ok(Some(task)) = self.known.contexts(file)
        {
            return contexts::run(path, file, &task, &params, self.json, self.out.is_some() || self.save.is_some());
        }
        let folders = self.folders();
        // Of several networks those that are done are kept; one alone has nothing to keep, and ends at once.
        if self.paths.len() > 1 {
            interrupt::listen();
        }
        let bar = Count::new(self.paths.len(), "networks");
        let work = self.paths.par_iter().enumerate();
        let results: Vec<Result<Interpretation, Failure>> = work
            .map(|(k, path)| {
                let folder = folders.get(k).map(PathBuf::as_path);
                let found = catch_panic(|| self.interpret_one(path, alone.as_ref(), folder, &params));
                let found = found.unwrap_or_else(|panicked| Err(Failure::could_not(panicked)));
                bar.one();
                found
            })
            .collect();
        bar.finish();
        let mut failed = vec![];
        for (path, result) in self.paths.iter().zip(results) {
            match result {
                Ok(found) if self.json => print_exactly(&format!("{}\n", found.document(Some(path))?)),
                Ok(found) if self.paths.len() == 1 => print(&summary::summary(path, &found)),
                Ok(found) => print(&summary::row(path, &found)),
                Err(failure) if self.paths.len() == 1 && !self.json => return Err(failure),
                Err(failure) => {
                    if self.json {
                        print_exactly(&format!(
                            "{}\n",
                            json!({ "path": path_text(path), "error": failure.to_string() })
                        ));
                    } else {
                        complain(&named(path, &failure));
                    }
                    failed.push(failure);
                }
            }
        }
        match failed.len() {
            0 => Ok(()),
            count if interrupt::asked() => Err(Failure::interrupted(format!(
                "stopped with {count} of {} networks not interpreted",
                self.paths.len()
            ))),
            count => {
                let message = format!("{count} of {} networks could not be interpreted", self.paths.len());
                let all_bad = count == self.paths.len() && failed.iter().all(Failure::is_bad_input);
                Err(if all_bad { Failure::bad_input(message) } else { Failure::could_not(message) })
            }
        }
    }

    fn params(&self) -> Result<InterpretParams, Failure> {
        let mut params = InterpretParams { method: self.method.unwrap_or_default(), ..InterpretParams::default() };
        params.observe.seed = self.seed;
        params.readings = self.readings;
        params.state = self.state.unwrap_or_default();
        let grounding = params.set("memories.grounding", &self.grounding.to_string());
        grounding.map_err(|error| error.called("--grounding"))?;
        let matching = self.matching.unwrap_or_default();
        (params.origin_spectrum.matching, params.orbit_spectrum.matching) = (matching, matching);
        params.methods = match self.methods.as_deref() {
            None => vec![],
            Some(words) => Method::list(words)?,
        };
        params.observe.ends_after = self.steps;
        self.known.settings.on(params)
    }

    /// Where what was found goes, a folder a network.
    fn folders(&self) -> Vec<PathBuf> {
        match &self.out {
            Some(out) if self.paths.len() == 1 => vec![out.clone()],
            Some(out) => distinct_names(&self.paths).iter().map(|name| out.join(name)).collect(),
            None => vec![],
        }
    }

    fn interpret_one(
        &self,
        path: &Path,
        read: Option<&NetworkFile>,
        folder: Option<&Path>,
        params: &InterpretParams,
    ) -> Result<Interpretation, Failure> {
        if let (None, Some((file, found))) = (&self.context, self.known.saved(path, params)?) {
            return self.kept(path, &file, found, folder);
        }
        let opened;
        let file = match read {
            Some(file) => file,
            None => {
                opened = NetworkFile::open_as(path, self.known.activation)?;
                &opened
            }
        };
        note_training(path);
        if let Some(name) = &self.context {
            let Some(task) = self.known.contexts(file)? else {
                return Err(Failure::bad_input("the network's task has no contexts; leave --context out"));
            };
            return contexts::one(file, &task, name, params, folder.is_some());
        }
        // Of several networks only their number is shown.
        let bar = (self.paths.len() == 1).then(Count::of_stages);
        let found = interpret_watched(file, &self.known.question(file)?, params, bar.as_ref())?;
        self.kept(path, file, found, folder)
    }

    /// What was found, once all that was asked for is written.
    fn kept(
        &self,
        path: &Path,
        file: &NetworkFile,
        found: Interpretation,
        folder: Option<&Path>,
    ) -> Result<Interpretation, Failure> {
        if let Some(folder) = folder {
            self.write(folder, path, &found)?;
            write_page(&folder.join("report.html"), path, file, &found)?;
        }
        if let Some(to) = &self.save {
            found.save(to, Some(file)).map_err(Failure::could_not)?;
        }
        Ok(found)
    }

    fn write(&self, folder: &Path, path: &Path, found: &Interpretation) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(&found.document(Some(path))?).map_err(Failure::could_not)?;
        write(&folder.join("interpretation.json"), text.as_bytes())?;
        write(&folder.join(Interpretation::MATRICES_FILE), &found.matrices().map_err(Failure::could_not)?)?;
        Ok(())
    }
}

/// What went wrong with one network of a list, which is named once.
fn named(path: &Path, failure: &Failure) -> String {
    let (path, message) = (path.display().to_string(), failure.to_string());
    if message.contains(&path) { message } else { format!("{path}: {message}") }
}
