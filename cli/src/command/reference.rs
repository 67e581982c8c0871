//! `ketbra reference`: the program described by itself, for the documentation and its tests.

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::terminal::{print_exactly, print_json};
use clap::{Arg, Command, CommandFactory};
use ketbra::claims::{ClaimName, Verdict};
use ketbra::task::KNOWN_TASKS;
use serde_json::json;
use std::ffi::OsString;
use std::fmt::Write;

/// Describe the program itself, as the documentation shows it
#[derive(clap::Args)]
pub struct ReferenceCommand {
    /// Print the names of verdicts, claims and tasks as JSON
    #[arg(long)]
    json: bool,
    /// Print the page of settings
    #[arg(long, conflicts_with = "json")]
    settings: bool,
    /// Parse a command line, and do nothing more
    #[arg(long, num_args = 1.., allow_hyphen_values = true, value_name = "ARGUMENTS", conflicts_with = "json")]
    parse: Option<Vec<OsString>>,
}

impl ReferenceCommand {
    pub fn run(&self) -> Result<(), Failure> {
        if let Some(line) = &self.parse {
            let given = [OsString::from("ketbra")].into_iter().chain(line.iter().cloned());
            return Arguments::command().try_get_matches_from(given).map(|_| ()).map_err(Failure::bad_input);
        }
        match (self.json, self.settings) {
            (true, _) => print_json(&names()),
            (false, true) => print_exactly(&super::settings::page()),
            (false, false) => print_exactly(&page()),
        }
        Ok(())
    }
}

fn names() -> serde_json::Value {
    let verdicts: Vec<_> = Verdict::ALL
        .iter()
        .map(|verdict| json!({"name": verdict.name(), "definition": verdict.definition()}))
        .collect();
    let claims: Vec<_> =
        ClaimName::ALL.iter().map(|claim| json!({"name": claim.name(), "statement": claim.statement()})).collect();
    let tasks: Vec<_> = KNOWN_TASKS
        .iter()
        .map(|task| json!({"name": task.name, "sizes": task.sizes, "summary": task.summary}))
        .collect();
    json!({"verdicts": verdicts, "claims": claims, "tasks": tasks})
}

/// Every command with its options, as Markdown.
fn page() -> String {
    let mut program = Arguments::command();
    program.build();
    let mut page = String::from(
        "# Commands\n\n<!-- Written by `ketbra reference`; `scripts/docs commands` writes it again. -->\n\n\
         Exit codes: 0 done; 1 the work could not be done (disk, divergence); 2 the input cannot be meant, and the message says \
         what to type instead; 130 stopped by Ctrl-C. Colours go away where `NO_COLOR` is set or the output is not a terminal.\n",
    );
    program.get_subcommands().filter(|command| !hidden(command)).for_each(|command| push_command(&mut page, command));
    page
}

fn hidden(command: &Command) -> bool {
    command.is_hide_set() || command.get_name() == "help"
}

fn push_command(page: &mut String, command: &Command) {
    let name = command.get_display_name().unwrap_or(command.get_name()).replace('-', " ");
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let _ = write!(page, "\n## {name}\n\n{}.\n\n```text\n{usage}\n```\n", about.trim_end_matches('.'));
    let shown = |arg: &&Arg| !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version");
    let arguments: Vec<&Arg> = command.get_arguments().filter(shown).collect();
    if !arguments.is_empty() {
        page.push_str("\n| option | what it says |\n|---|---|\n");
        arguments.iter().for_each(|arg| push_argument(page, arg));
    }
    if let Some(help) = command.get_after_help() {
        push_examples(page, &help.to_string());
    }
    command.get_subcommands().filter(|below| !hidden(below)).for_each(|below| push_command(page, below));
}

fn push_argument(page: &mut String, arg: &Arg) {
    let value = match arg.get_num_args().is_some_and(|count| count.takes_values()) {
        true => arg.get_value_names().map(|names| names.join(" ")).unwrap_or_default(),
        false => String::new(),
    };
    let name = match (arg.get_long(), arg.get_short()) {
        (Some(long), None) => format!("--{long} {value}"),
        (Some(long), Some(short)) => format!("-{short}, --{long} {value}"),
        (None, Some(short)) => format!("-{short} {value}"),
        (None, None) => value,
    };
    let mut help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    // A flag is off unless given: nothing that needs saying.
    if arg.get_action().takes_values() {
        let possible: Vec<_> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        if !possible.is_empty() {
            let _ = write!(help, "; one of {}", possible.join(", "));
        }
        let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() {
            let _ = write!(help, " [default: {}]", defaults.join(" "));
        }
    }
    let _ = writeln!(page, "| `{}` | {} |", cell(name.trim()), cell(&help));
}

/// What ends a help text: examples as commands, the rest as it stands.
fn push_examples(page: &mut String, help: &str) {
    let (examples, rest) = match help.strip_prefix("Examples:\n") {
        Some(help) => help.split_once("\n\n").unwrap_or((help, "")),
        None => ("", help),
    };
    if !examples.is_empty() {
        let _ = write!(page, "\n```text\n{}\n```\n", examples.lines().map(str::trim).collect::<Vec<_>>().join("\n"));
    }
    if !rest.is_empty() {
        let _ = write!(page, "\n```text\n{}\n```\n", rest.trim_end());
    }
}

/// Text inside a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ").replace('<', "&lt;")
}
