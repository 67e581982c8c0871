//! `ketbra task`: what a task asks for, and the circuit that theory predicts for it.

mod function;
mod program;

use crate::arguments::TaskSize;
use crate::failure::Failure;
use crate::terminal::{FAINT, answer, print, print_json, title};
use function::push_function;
use ketbra::circuit::Description;
use ketbra::task::Component;
use ketbra::task::{KNOWN_TASKS, PROGRAMS, Task};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::PathBuf;

/// Rows of a list that a person reads; `--json` has them all.
const MOST_ROWS: usize = 16;
/// Widest grid of variables and components that is drawn.
const MOST_COLUMNS: usize = 40;

/// Describe a task: the recurrence, the cycles, the core and its eigenvalues; or a program and an episode of it
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra task T3
  ketbra task repeat-copy --s 16 --d 5
  ketbra task 255,0,0 --json
  ketbra task rule110 --d 8
  ketbra task lfsr --taps 5,3
  ketbra task \"u1 = xor(u1[t-5], u2[t-3]); u2 = -u1[t-1]\"
  ketbra task mine.toml
  ketbra task flipflop:3
  ketbra task \"input x: sign; variable v: sign; v = v * x; output y = v\"
  ketbra task registers:4x2 --inputs steps.json
  ketbra task --list

A task file holds s, d and a recurrence, a matrix, or a table for each output:
  s = 8
  d = 2
  recurrence = [\"u1 = -u2[t-3]\", \"u2 = if(u1[t-8], u2[t-2], -u2[t-1])\"]

Lines are sums of past components (0.5*u1[t-1] - u2[t-3]), whose values are real numbers, or gates on values of +-1, where +1 is
true: * (the product of signs), and, or, xor, not, maj, if(a, b, c), rule0 to rule255 (left, centre, right),
table(-++-, a, b). A gate reads at most 10 past components.

A program has inputs at every step. Its file holds a name and program = '''...''', with statements on lines of their own or
behind a semicolon: input, variable, output, table, length, and a step v = ... for each variable. See docs/do/programs.md.")]
pub struct TaskCommand {
    /// A name (see --list), an id such as 255,0,0, formulas such as "u1 = xor(u1[t-5], u1[t-3])", a program, or a .toml file
    #[arg(required_unless_present = "list")]
    task: Option<OsString>,
    #[command(flatten)]
    size: TaskSize,
    /// List the tasks that go by a name
    #[arg(long)]
    list: bool,
    /// Steps of the episode that is drawn of a program [default: 24]
    #[arg(long, value_name = "N", conflicts_with = "inputs")]
    steps: Option<usize>,
    /// Seed of that episode
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Run a program on the inputs of a JSON file: a list of steps, each a list with a value for every input
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
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
        let task = match self.size.of(name)? {
            Task::Program(task) => {
                let described = program::described(&task, self.inputs.as_deref(), self.steps, self.seed)?;
                answer(self.json, &described, || program::in_words(&described));
                return Ok(());
            }
            task => task.into_window()?,
        };
        let description = Description::of(&task)?;
        answer(self.json, &description, || in_words(&description));
        Ok(())
    }

    fn list(&self) {
        if self.json {
            let of = |name: &str, summary: &str, any_size: bool, sizes: &str, driven: bool| serde_json::json!({ "name": name, "summary": summary, "any_size": any_size, "sizes": sizes, "driven": driven });
            let windows =
                KNOWN_TASKS.iter().map(|known| of(known.name, known.summary, known.any_size, known.sizes, false));
            let programs = PROGRAMS.iter().map(|known| of(known.name, known.summary, false, known.sizes, true));
            return print_json(&windows.chain(programs).collect::<Vec<_>>());
        }
        for known in KNOWN_TASKS {
            print(&format!("{:<13} {FAINT}{:<10}{FAINT:#}  {}\n", known.name, known.sizes, known.summary));
        }
        print(&format!("\n{}", title("Programs, with inputs at every step")));
        for known in PROGRAMS {
            print(&format!("{:<22} {FAINT}{:<21}{FAINT:#} {}\n", known.name, known.sizes, known.summary));
        }
        print(
            "\nAlso: an id of three whole numbers (255,0,0), formulas (\"u1 = xor(u1[t-5], u1[t-3])\"), or a program\n\
             (\"input x: sign; variable v: sign; v = v * x; output y = v\"), or a .toml file with any of these.\n",
        );
    }
}

fn in_words(task: &Description) -> String {
    let (s, d) = (counted(task.s, "variable"), counted(task.d, "component"));
    let mut text = title(&format!("{}: {s} of {d}", task.name));
    let domain = if task.binary {
        "values stay in {-1, +1}"
    } else {
        "f is not a signed selection: targets are real numbers and leave {-1, +1}"
    };
    let _ = writeln!(text, "{domain}");
    if let Some(id) = &task.id {
        let _ = writeln!(text, "{FAINT}id {id}{FAINT:#}");
    }
    if let Some(family) = &task.family {
        let _ = writeln!(text, "{family}");
    }
    push_list(&mut text, "Recurrence", &task.recurrence);
    match &task.lifted {
        Some(_) => push_function(&mut text, task),
        None => push_core(&mut text, task),
    }
    if task.lifted.is_none() || !task.eigenvalues.is_empty() {
        let (count, directions) = (task.eigenvalues.len(), task.directions.len());
        push_list(&mut text, &format!("Eigenvalues: {count} in {directions} directions"), &directions_in_words(task));
    }
    text
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The cycles of a linear f, and what must be kept for them.
fn push_core(text: &mut String, task: &Description) {
    let mut rows = cycles_in_words(task.cycles.iter().map(|cycle| (cycle.length, cycle.sign, cycle.weight)));
    rows.extend(task.tangles.iter().map(|size| format!("{size} components that mix their values")));
    push_list(text, "Cycles", &rows);
    let _ = write!(text, "\n{}", title("Core"));
    let rest = if task.binary { "the others only copy them" } else { "the others are forgotten" };
    let _ = writeln!(text, "  {} of {} components must be kept; {rest}", task.core.size, task.s * task.d);
    if let Some(members) = &task.core.members {
        push_grid(text, task.s, task.d, members);
    }
}

/// Cycles of the same length and sign share a line.
fn cycles_in_words(cycles: impl Iterator<Item = (usize, i8, f64)>) -> Vec<String> {
    let mut rows: Vec<(usize, String)> = Vec::new();
    for (length, sign, weight) in cycles {
        let weight = if weight.abs() == 1.0 { String::new() } else { format!(", weight {weight}") };
        let row = format!("length {length}, sign {}{weight}", if sign < 0 { '-' } else { '+' });
        match rows.last_mut() {
            Some((count, last)) if *last == row => *count += 1,
            _ => rows.push((1, row)),
        }
    }
    rows.into_iter().map(|(count, row)| if count == 1 { row } else { format!("{row}   ({count} of them)") }).collect()
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
    push_rows(text, rows);
}

fn push_rows(text: &mut String, rows: &[String]) {
    for row in rows.iter().take(MOST_ROWS) {
        let _ = writeln!(text, "  {row}");
    }
    if rows.len() > MOST_ROWS {
        let _ = writeln!(text, "  {FAINT}... and {} more (--json lists all){FAINT:#}", rows.len() - MOST_ROWS);
    }
}

/// One row a component, one column a variable: filled where the core keeps it.
fn push_grid(text: &mut String, s: usize, d: usize, members: &[Component]) {
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
            let place = Component { variable: variable + 1, component: component + 1 };
            let kept = members.binary_search(&place).is_ok();
            text.push_str(if kept { "● " } else { "· " });
        }
        text.push('\n');
    }
}
