//! `ketbra task`: what a task asks for, and the circuit that theory predicts for it.

use crate::arguments::TaskSize;
use crate::failure::Failure;
use crate::terminal::{FAINT, print, print_json, title};
use ketbra::circuit::{Description, Place};
use ketbra::task::KNOWN_TASKS;
use std::ffi::OsString;
use std::fmt::Write;

/// Rows of a list that a person reads; `--json` has them all.
const MOST_ROWS: usize = 16;
/// Widest grid of variables and components that is drawn.
const MOST_COLUMNS: usize = 40;

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
    task: Option<OsString>,
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
        let description = Description::of(&task)?;
        if self.json {
            print_json(&description)
        } else {
            print(&in_words(&description))
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

fn in_words(task: &Description) -> String {
    let mut text = title(&format!("{}: {} variables of {} components", task.name, task.s, task.d));
    let domain = if task.binary {
        "values stay in {-1, +1}"
    } else {
        "f is not a signed selection: targets are real numbers and leave {-1, +1}"
    };
    let _ = writeln!(text, "{domain}");
    if let Some(id) = &task.id {
        let _ = writeln!(text, "{FAINT}id {id}{FAINT:#}");
    }
    push_list(&mut text, "Recurrence", &task.recurrence);
    push_list(&mut text, "Cycles", &cycles_in_words(task));
    let _ = write!(text, "\n{}", title("Core"));
    let rest = if task.binary { "the others only copy them" } else { "the others are forgotten" };
    let _ = writeln!(text, "  {} of {} components must be kept; {rest}", task.core.size, task.s * task.d);
    if let Some(members) = &task.core.members {
        push_grid(&mut text, task.s, task.d, members);
    }
    let directions = directions_in_words(task);
    push_list(
        &mut text,
        &format!("Eigenvalues: {} in {} directions", task.core.size, task.directions.len()),
        &directions,
    );
    text
}

/// Cycles of the same length and sign share a line.
fn cycles_in_words(task: &Description) -> Vec<String> {
    let mut rows: Vec<(usize, String)> = Vec::new();
    for cycle in &task.cycles {
        let weight = if cycle.weight.abs() == 1.0 { String::new() } else { format!(", weight {}", cycle.weight) };
        let row = format!("length {}, sign {}{weight}", cycle.length, if cycle.sign < 0 { '-' } else { '+' });
        match rows.last_mut() {
            Some((count, last)) if *last == row => *count += 1,
            _ => rows.push((1, row)),
        }
    }
    let mut rows: Vec<String> = rows
        .into_iter()
        .map(|(count, row)| if count == 1 { row } else { format!("{row}   ({count} of them)") })
        .collect();
    rows.extend(task.tangles.iter().map(|size| format!("{size} components that mix their values")));
    rows
}

/// Conjugate directions share a line.
fn directions_in_words(task: &Description) -> Vec<String> {
    let on_axis = |degrees: f64| degrees == 0.0 || degrees == 180.0;
    let upper = task.directions.iter().filter(|at| at.degrees >= 0.0);
    upper
        .map(|at| {
            let (sign, each) = if on_axis(at.degrees) { (' ', "") } else { ('±', " each") };
            format!("{sign}{:>7.2}°  {}{each}, |lambda| = {:.6}", at.degrees, at.count, at.modulus)
        })
        .collect()
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

/// One row a component, one column a variable: filled where the core keeps it.
fn push_grid(text: &mut String, s: usize, d: usize, members: &[Place]) {
    if s > MOST_COLUMNS || d > MOST_COLUMNS {
        return;
    }
    let _ = writeln!(
        text,
        "  {FAINT}variable 1 (oldest) on the left, {s} (newest) on the right; one row a component{FAINT:#}"
    );
    for component in 0..d {
        text.push_str("  ");
        for variable in 0..s {
            let place = Place { variable: variable + 1, component: component + 1 };
            let kept = members.binary_search(&place).is_ok();
            text.push_str(if kept { "● " } else { "· " });
        }
        text.push('\n');
    }
}
