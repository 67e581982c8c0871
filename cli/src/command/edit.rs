//! `ketbra edit`: rewrite what a trained network computes.

use crate::arguments::{TaskSize, with_taps};
use crate::failure::Failure;
use crate::subject::{Known, network_in};
use crate::terminal::{FAINT, print, print_exactly, title};
use ketbra::edit::{Change, EditError, EditParams, EditSummary, Edited, Mode, edit, task_read_back, task_to_edit};
use ketbra::interpret::{InterpretError, InterpretParams, Warning, limits};
use ketbra::network::{Activation, NetworkFile};
use ketbra::path_text;
use ketbra::setting::Adjustable;
use ketbra::task::Window;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Rewrite what a trained network computes, with no gradient step
#[derive(clap::Args)]
// The program's own line would name every way to say what to change, and be wider than a terminal.
#[command(override_usage = "ketbra edit [OPTIONS] <PATH> <--to | --set | --negate | --keep>")]
#[command(after_help = "Examples:
  ketbra edit runs/t2 --to T3 --out runs/t2-as-t3
  ketbra edit net.safetensors --set 'u1 = -u3[t-2]' --out edited
  ketbra edit net.safetensors --negate 4 --out edited
  ketbra edit net.safetensors --set 'u1 = xor(u3[t-2], u5[t-1])' --out edited
  ketbra edit net.safetensors --keep 3=0.5 --out edited
  ketbra edit net.safetensors --negate 4 --least --out edited

What the network computes now comes from --task, from the file, or is read back from the network (--blind --s N).")]
pub struct EditCommand {
    /// A run folder or a file: .safetensors, .npz, .pt, .pth, .ckpt, or a saved interpretation
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// What the network computes now
    #[arg(long)]
    task: Option<OsString>,
    /// Read back what the network computes now, whatever its file says; needs --s
    #[arg(long, conflicts_with = "task", requires = "s")]
    blind: bool,
    #[command(flatten)]
    size: TaskSize,
    /// The network's activation: tanh, relu, identity or softplus [default: what the file says, or tanh]
    #[arg(long, value_name = "NAME", value_parser = Activation::from_str)]
    activation: Option<Activation>,
    #[command(flatten)]
    change: ChangeArguments,
    /// Add only what the new circuit does otherwise to the recurrent weights, a change of rank d at most, and nothing else
    /// where that will do; the same as --mode least
    #[arg(long)]
    least: bool,
    /// The one way to edit: least, same-code, gated or transplant for Elman cells, fixed-gates or transplant for GRU and LSTM
    /// [default: from the least change on, until one does the new task]
    #[arg(long, value_name = "MODE", conflicts_with = "least", value_parser = Mode::from_str)]
    mode: Option<Mode>,
    /// Folder for the edited network
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seed of the inputs that drive the network
    #[arg(long, default_value_t = EditParams::default().seed)]
    seed: u64,
    /// A setting of edits by its name, such as edit.held=0.99; as often as needed. `ketbra settings` lists all of them
    #[arg(long = "setting", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is to change: exactly one.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct ChangeArguments {
    /// Another task: a name (see `ketbra task --list`), an id, formulas, or a .toml file
    #[arg(long, value_name = "TASK")]
    to: Option<OsString>,
    /// One output by its formula, e.g. 'u1 = -u3[t-2]' or 'u1 = xor(u3[t-2], u5[t-1])'
    #[arg(long, value_name = "RECURRENCE")]
    set: Option<String>,
    /// One output changes its sign
    #[arg(long, value_name = "OUTPUT")]
    negate: Option<usize>,
    /// One variable (1 is the oldest) is kept with another strength, e.g. 3=0.5
    #[arg(long, value_name = "VARIABLE=STRENGTH")]
    keep: Option<String>,
}

impl EditCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let known = Known { activation: self.activation, ..Known::default() };
        let (file, found) = match known.saved(&self.path, &InterpretParams::default())? {
            Some((file, found)) => (file, found.details.task.filter(|_| !self.says_what_it_computes())),
            None => (NetworkFile::open_as(&self.path, self.activation)?, None),
        };
        let from = found.map_or_else(|| self.from(&file), Ok)?;
        limits::check(from.s(), from.d(), file.network.state_size(), &InterpretParams::default())
            .map_err(Failure::bad_input)?;
        let change = self.change(&from)?;
        let params = self.params()?;
        let mode = self.mode.or(self.least.then_some(Mode::Least)).or(params.mode);
        let params = EditParams { mode, ..params };
        let edited = edit(&file.network, &from, &change, &params)?;
        let saved = self.out.as_ref().map(|out| save(out, &self.path, &edited)).transpose()?;
        let mut summary = edited.summary(&from, &params);
        if !file.unused.is_empty() {
            summary.warnings.push(Warning::UnusedTensors { names: file.unused }.to_string());
        }
        if self.json {
            let line = Line { summary, path: &self.path, saved };
            let line = serde_json::to_string(&line)?;
            print_exactly(&format!("{line}\n"));
        } else {
            print(&in_words(&from, &edited, &summary.warnings, saved));
        }
        Ok(())
    }

    fn params(&self) -> Result<EditParams, Failure> {
        let params = EditParams { seed: self.seed, ..EditParams::default() };
        params.with(&self.settings).map_err(Failure::bad_input)
    }

    /// Whether a person says what the network computes now, or a part of it.
    fn says_what_it_computes(&self) -> bool {
        self.task.is_some() || self.blind || self.size.s.is_some() || self.size.d.is_some()
    }

    fn from(&self, file: &NetworkFile) -> Result<Window, Failure> {
        let taps = self.size.taps.as_deref();
        let name = self.task.as_deref().map(|name| with_taps(name, taps)).transpose()?;
        let params = self.params()?;
        let task = match self.size.s.filter(|_| self.blind) {
            Some(s) => task_read_back(&file.network, s, &params),
            None => task_to_edit(file, name.as_deref(), (self.size.s, self.size.d), &params),
        };
        task.map_err(|error| match error {
            EditError::NoTask => Failure::bad_input(format!("{error} (--task T, or --blind --s N)")),
            EditError::NotReadBack => Failure::could_not(format!("{error} (--task T)")),
            EditError::Reading(InterpretError::Recurrence(_)) => Failure::could_not(error),
            error => Failure::bad_input(error),
        })
    }

    fn change(&self, from: &Window) -> Result<Change, Failure> {
        let asked = &self.change;
        if let Some(name) = &asked.to {
            return Ok(Change::to(name, from)?);
        }
        if let Some(output) = asked.negate {
            return Ok(Change::Sign { output });
        }
        if let Some(text) = &asked.set {
            return Ok(Change::set(text)?);
        }
        let text = asked.keep.as_deref().unwrap_or_default();
        let parts = text
            .split_once('=')
            .and_then(|(variable, strength)| Some((variable.trim().parse().ok()?, strength.trim().parse().ok()?)));
        let wrong = || Failure::bad_input(format!("'{text}' is not VARIABLE=STRENGTH; write e.g. --keep 3=0.5"));
        parts.map(|(variable, strength)| Change::Strength { variable, strength }).ok_or_else(wrong)
    }
}

/// What `--json` prints.
#[derive(serde::Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    summary: EditSummary,
    #[serde(serialize_with = "path_text::serialize")]
    path: &'a Path,
    #[serde(serialize_with = "path_text::serialize_option")]
    saved: Option<PathBuf>,
}

fn save(out: &Path, source: &Path, edited: &Edited) -> Result<PathBuf, Failure> {
    let path = out.join(NetworkFile::FILE_NAME);
    let (source, target) = (source.canonicalize(), path.canonicalize());
    if let (Ok(source), Ok(target)) = (source, target)
        && (source == target || source.join(NetworkFile::FILE_NAME) == target)
    {
        return Err(Failure::bad_input(format!(
            "{} is the network that is being edited, and nothing was written; choose another folder with --out",
            path.display()
        )));
    }
    let path = network_in(out)?;
    edited.file().save(&path)?;
    Ok(path)
}

fn in_words(from: &Window, edited: &Edited, warnings: &[String], saved: Option<PathBuf>) -> String {
    let accuracy = &edited.accuracy;
    let mut text = title(&format!("{} -> {}: {}", from.name(), edited.task.name(), edited.how()));
    text.push_str(&format!("  accuracy on the new task over {} steps\n", accuracy.horizon));
    text.push_str(&format!("    before               {:.4}\n", accuracy.before));
    text.push_str(&format!("    loaded variables     {:.4}\n", accuracy.loaded));
    text.push_str(&format!("    raw inputs           {:.4}\n", accuracy.from_inputs));
    let tensors = edited.changed.tensors.iter().filter_map(|(name, share)| Some(format!("{name} {:.2}", (*share)?)));
    text.push_str(&format!(
        "  {} of {} contents on units of their own\n  changed by a share of their size: {}\n",
        edited.fresh_units,
        edited.contents,
        tensors.collect::<Vec<_>>().join(", ")
    ));
    for warning in warnings {
        text.push_str(&format!("  warning: {warning}\n"));
    }
    match saved {
        Some(path) => text.push_str(&format!("  saved {}\n", path.display())),
        None => text.push_str(&format!("  {FAINT}not saved: pass --out DIR{FAINT:#}\n")),
    }
    text
}
