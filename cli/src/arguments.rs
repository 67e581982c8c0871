//! What a person can type.

use crate::command::Command;
use crate::failure::Failure;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{CommandFactory, FromArgMatches, Parser};
use ketbra::setting::{Adjustable, Advice, in_dialect};
use ketbra::task::{Task, TaskError, Window};
use std::ffi::{OsStr, OsString};
use std::fmt::Display;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Blue.on_default().bold())
    .usage(AnsiColor::Blue.on_default().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(AnsiColor::Magenta.on_default());

/// Read recurrent networks as circuits of variable memories.
///
/// A trained recurrent network hides its variables in a superposition. ketbra trains networks on variable-binding
/// tasks, finds the basis in which the weights become a readable circuit, reads back the function they compute, and
/// edits it.
#[derive(Parser)]
#[command(name = "ketbra", version, styles = STYLES, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Examples:
  ketbra demo                                   the whole story in a few seconds
  ketbra task T3                                what a task asks for
  ketbra train T2 --hidden 128 --out runs/t2    train a network
  ketbra interpret runs/t2                      read its circuit
  ketbra edit runs/t2 --to T3 --out runs/t2-as-t3")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

impl Arguments {
    /// What was typed; ends the program where that cannot be meant.
    pub fn typed() -> Self {
        let mut typed = flowing(Self::command()).get_matches();
        Self::from_arg_matches_mut(&mut typed)
            .unwrap_or_else(|error| error.format(&mut flowing(Self::command())).exit())
    }
}

/// The same with help that breaks at the terminal's width alone.
fn flowing(command: clap::Command) -> clap::Command {
    let below: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_string()).collect();
    let help = command.get_after_help().map(|help| joined(&help.to_string()));
    let command = below.into_iter().fold(command, |command, name| command.mut_subcommand(name, flowing));
    match help {
        Some(help) => command.after_help(help),
        None => command,
    }
}

/// Lines of a paragraph as one; what is indented, and what follows a colon, stays a line by itself.
fn joined(text: &str) -> String {
    let mut lines: Vec<String> = vec![];
    for line in text.lines() {
        let own = |line: &str| line.is_empty() || line.starts_with(' ');
        match lines.last_mut().filter(|last| !own(last) && !last.ends_with(':') && !own(line)) {
            Some(last) => last.extend([" ", line]),
            None => lines.push(line.to_string()),
        }
    }
    lines.join("\n")
}

/// The words of the library, with settings as the options that a person types.
pub fn in_options(message: impl Display) -> String {
    in_dialect(
        |setting, f| match &setting.advice {
            Advice::Unsaid | Advice::On => write!(f, "--{}", setting.name),
            Advice::Value(value) => write!(f, "--{} {value}", setting.name),
            Advice::Word(word) => write!(f, "--{} {word}", setting.name),
        },
        message,
    )
}

/// Settings of interpretation.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Settings {
    /// A setting of interpretation by its name, such as code.read=0.95; as often as needed. `ketbra settings` lists all of them
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
}

impl Settings {
    /// Parameters with these settings.
    pub fn on<P: Adjustable>(&self, params: P) -> Result<P, Failure> {
        params.with(&self.set).map_err(Failure::bad_input)
    }
}

/// The size of a task that comes in any size.
#[derive(clap::Args, Clone, Debug)]
pub struct TaskSize {
    /// Variables: time steps of the input phase [default: 8]
    #[arg(long, value_name = "N")]
    pub s: Option<usize>,
    /// Components of each variable [default: 8]
    #[arg(long, value_name = "N")]
    pub d: Option<usize>,
    /// Lags that a shift register (lfsr) takes the xor of, such as 5,3
    #[arg(long, value_name = "LAGS")]
    pub taps: Option<String>,
}

impl TaskSize {
    /// A task of this size.
    pub fn of(&self, name: impl AsRef<OsStr>) -> Result<Task, TaskError> {
        let name = with_taps(name.as_ref(), self.taps.as_deref())?;
        Task::parse(name, self.s, self.d)?.of_size(self.s, self.d)
    }

    /// A window of this size, with one f.
    pub fn window(&self, name: impl AsRef<OsStr>) -> Result<Window, TaskError> {
        self.of(name)?.into_window()
    }
}

/// The name of a task with its taps, as in `lfsr:5,3`.
pub fn with_taps(name: &OsStr, taps: Option<&str>) -> Result<OsString, TaskError> {
    match taps {
        None => Ok(name.into()),
        Some(taps) if name.eq_ignore_ascii_case("lfsr") => Ok(format!("lfsr:{taps}").into()),
        Some(_) => Err(TaskError::Family {
            name: name.to_string_lossy().into(),
            problem: "only lfsr has taps; leave --taps out, or pass lfsr".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_of_help_flow_and_examples_stay_lines() {
        let text = "Examples:\n  ketbra a\n  ketbra b\n\nOne\ntwo.\n\nKeys:\n  k\nThree\nfour.";
        assert_eq!(joined(text), "Examples:\n  ketbra a\n  ketbra b\n\nOne two.\n\nKeys:\n  k\nThree four.");
    }

    #[test]
    fn examples_fit_into_80_columns() {
        fn look(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let wide = help.lines().find(|line| line.starts_with(' ') && line.chars().count() > 80);
            assert_eq!(wide, None, "{}", command.get_name());
            command.get_subcommands().for_each(look);
        }
        look(&Arguments::command());
    }
}
