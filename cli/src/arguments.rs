//! What a person can type.

use crate::command::Command;
use clap::Parser;
use clap::builder::styling::{AnsiColor, Styles};
use ketbra::setting::{To, in_dialect};
use ketbra::task::{Task, TaskError};
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

/// The words of the library, with settings as the options that a person types.
pub fn in_options(message: impl Display) -> String {
    in_dialect(
        |setting, f| match &setting.to {
            To::Something | To::On => write!(f, "--{}", setting.name),
            To::Value(value) => write!(f, "--{} {value}", setting.name),
            To::Word(word) => write!(f, "--{} {word}", setting.name),
        },
        message,
    )
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
        Task::parse(with_taps(name.as_ref(), self.taps.as_deref())?, self.s, self.d)?.of_size(self.s, self.d)
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
