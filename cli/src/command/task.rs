//! `ketbra task`: what a task asks for, and the circuit that theory predicts for it.

use crate::arguments::TaskSize;
use crate::failure::Failure;
use crate::terminal::{FAINT, print, print_json, title};
use ketbra::task::{KNOWN_TASKS, Task};
use std::fmt::Write;

/// Rows of a list that a person reads; `--json` has them all.
const MOST_ROWS: usize = 16;

/// Describe a task: the recurrence, the cycles, the core and its eigenvalues
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra task T3
  ketbra task repeat-copy --s 16 --d 5
  ketbra task 255,0,0 --json
  ketbra task mine.toml
  ketbra task --list

A task file holds s, d and either a recurrence or a matrix:
  s = 8
  d = 2
  recurrence = [\"u1 = -u2[t-3]\", \"u2 = u1[t-8]\"]")]
pub struct TaskCommand {
    /// T1-T4, repeat-copy, compose-copy, an id such as 255,0,0, or a .toml file
    #[arg(required_unless_present = "list")]
    task: Option<String>,
    #[command(flatten)]
    size: TaskSize,
    /// List the tasks that go by a name
    #[arg(long)]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl TaskCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let Some(name) = self.task.as_ref().filter(|_| !self.list) else {
            self.list();
            return Ok(());
        };
        let task = self.size.of(name)?;
        if self.json {
            print_json(&task.recurrence())
        } else {
            print(&in_words(&task))
        }
        Ok(())
    }

    fn list(&self) {
        if self.json {
            let known = KNOWN_TASKS.map(
                |known| serde_json::json!({ "name": known.name, "summary": known.summary, "any_size": known.any_size }),
            );
            return print_json(&known);
        }
        for known in KNOWN_TASKS {
            let size = if known.any_size { "any s, d" } else { "s=8, d=8" };
            print(&format!("{:<13} {FAINT}{size}{FAINT:#}  {}\n", known.name, known.summary));
        }
        print("\nAlso: an id of three whole numbers (255,0,0), or a .toml file with a recurrence or a matrix.\n");
    }
}

fn in_words(task: &Task) -> String {
    let mut text = title(&format!("{}: {} variables of {} components", task.name(), task.s(), task.d()));
    push_list(&mut text, "Recurrence", &task.recurrence());
    text
}

fn push_list(text: &mut String, name: &str, rows: &[String]) {
    let _ = write!(text, "\n{}", title(name));
    for row in rows.iter().take(MOST_ROWS) {
        let _ = writeln!(text, "  {row}");
    }
    if rows.len() > MOST_ROWS {
        let _ = writeln!(text, "  {FAINT}... and {} more (--json lists all){FAINT:#}", rows.len() - MOST_ROWS);
    }
}
