//! A program with inputs at every step, in words, with an episode as lanes over time.

use super::counted;
use crate::failure::Failure;
use crate::terminal::{FAINT, title};
use ketbra::task::{Program, ProgramDescription};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// Lanes of each kind that are drawn; `--json` has them all.
const MOST_LANES: usize = 16;
/// Steps that fit into a line.
const MOST_STEPS: usize = 32;

/// The program with an episode: of inputs in a file, or drawn.
pub fn described(
    program: &Program,
    inputs: Option<&Path>,
    steps: Option<usize>,
    seed: u64,
) -> Result<ProgramDescription, Failure> {
    let episode = match inputs {
        None => program.example(seed, steps),
        Some(path) => program.run(&read_inputs(program, path)?).map_err(Failure::bad_input)?,
    };
    Ok(ProgramDescription::of(program, &episode))
}

/// A JSON list of steps, each a list with a value for every input: a number, the name of a symbol, or null for none.
fn read_inputs(program: &Program, path: &Path) -> Result<Vec<Vec<f64>>, Failure> {
    let wrong = |problem: String| Failure::bad_input(format!("{}: {problem}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let steps: Vec<Vec<Value>> = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("{error}; write a list of steps, such as [[1, 0], [0, -1]]")))?;
    let columns = program.input_columns();
    let read = |(step, values): (usize, &Vec<Value>)| {
        let one = |(k, value): (usize, &Value)| {
            let kind = columns.get(k).map(|column| column.kind);
            let read = match (value, kind) {
                (Value::Number(number), _) => number.as_f64(),
                (Value::Null, Some(kind)) => Some(kind.none()),
                (Value::String(word), Some(kind)) => kind.value_named(word),
                _ => None,
            };
            read.ok_or_else(|| wrong(format!("step {} has {value}, which is no value of an input", step + 1)))
        };
        values.iter().enumerate().map(one).collect()
    };
    steps.iter().enumerate().map(read).collect()
}

/// Everything about it that a person reads.
pub fn in_words(task: &ProgramDescription) -> String {
    let (variables, inputs) = (counted(task.variables.len(), "variable"), counted(task.inputs.len(), "input"));
    let mut text = title(&format!("{}: {variables}, {inputs} at every step", task.name));
    let units = |parts: &[ketbra::task::ProgramPart]| parts.iter().map(|part| part.units).sum::<usize>();
    let (seen, said) = (units(&task.inputs), units(&task.outputs));
    let _ = writeln!(text, "{FAINT}a network for it has {seen} inputs and {said} outputs{FAINT:#}");
    if let Some(length) = task.length {
        let _ = writeln!(text, "{FAINT}an episode has {length} steps{FAINT:#}");
    }
    let _ = write!(text, "\n{}", title("Program"));
    for line in task.program.lines() {
        let _ = writeln!(text, "  {line}");
    }
    let steps = task.episode.len().min(MOST_STEPS);
    let _ = write!(text, "\n{}", title("An episode"));
    let _ = writeln!(text, "  {FAINT}a column a step; · is silence, or what is not set or does not count{FAINT:#}");
    let mut lanes = Lanes { text: &mut text, steps };
    lanes.push("sees", &task.inputs, |t, k| task.episode[t].inputs[k].clone());
    lanes.push("keeps", &task.variables, |t, k| task.episode[t].variables[k].clone());
    lanes.push("says", &task.outputs, |t, k| task.episode[t].outputs[k].clone().unwrap_or_else(|| "·".into()));
    if task.episode.len() > steps {
        let _ = writeln!(text, "  {FAINT}... and {} more steps (--json has all){FAINT:#}", task.episode.len() - steps);
    }
    text
}

struct Lanes<'a> {
    text: &'a mut String,
    steps: usize,
}

impl Lanes<'_> {
    fn push(&mut self, does: &str, parts: &[ketbra::task::ProgramPart], shown: impl Fn(usize, usize) -> String) {
        for (k, part) in parts.iter().enumerate().take(MOST_LANES) {
            let cells: Vec<String> = (0..self.steps).map(|t| shown(t, k)).collect();
            let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(1);
            let does = if k == 0 { does } else { "" };
            let _ = write!(self.text, "  {does:<6}{:<12}", part.name);
            for cell in cells {
                let _ = write!(self.text, " {cell:>width$}");
            }
            let _ = writeln!(self.text, "  {FAINT}{}{FAINT:#}", part.kind);
        }
        if parts.len() > MOST_LANES {
            let _ = writeln!(self.text, "  {FAINT}... and {} more (--json has all){FAINT:#}", parts.len() - MOST_LANES);
        }
    }
}
