//! A function that is not linear, in words: its tables, what it keeps, its states, its products.

use super::{cycles_in_words, push_grid, push_rows};
use crate::terminal::{FAINT, title};
use ketbra::circuit::{Description, Forgets, KeptDescription, LiftedDescription, StateCycles};
use ketbra::task::{PastComponent, TableOf};
use std::fmt::Write;

/// The most inputs of a table that is drawn: eight columns.
const MOST_INPUTS: usize = 3;
/// The most tables that are drawn.
const MOST_TABLES: usize = 4;

/// Everything between the recurrence and the eigenvalues.
pub fn push_function(text: &mut String, task: &Description) {
    push_tables(text, task);
    if let Some(kept) = &task.kept {
        push_kept(text, task, kept);
    }
    push_states(text, task);
    if let Some(lifted) = &task.lifted {
        push_products(text, lifted);
    }
}

fn push_tables(text: &mut String, task: &Description) {
    let small = |gate: &&TableOf| (2..=MOST_INPUTS).contains(&gate.inputs.len());
    let mut drawn: Vec<&TableOf> = task.function.iter().flatten().filter(small).collect();
    let ring = task.family.as_ref().is_some_and(|family| family.contains("ring"));
    if ring {
        // In the middle of the ring the inputs stand from left to right.
        drawn.retain(|gate| gate.output == 2);
    }
    let more = drawn.len().saturating_sub(MOST_TABLES);
    if drawn.is_empty() {
        return;
    }
    let _ = write!(text, "\n{}", title("Tables (+ is true)"));
    for (at, gate) in drawn.iter().take(MOST_TABLES).enumerate() {
        text.push_str(if at > 0 { "\n" } else { "" });
        push_table(text, gate);
    }
    if ring {
        let _ = writeln!(text, "  {FAINT}and so around the ring{FAINT:#}");
    }
    if more > 0 {
        let _ = writeln!(text, "  {FAINT}... and {more} more (--json lists all){FAINT:#}");
    }
}

/// One row an input, one column a combination, all true on the left.
fn push_table(text: &mut String, gate: &TableOf) {
    let names: Vec<String> = gate.inputs.iter().map(name).collect();
    let (inputs, width) = (names.len(), names.iter().map(String::len).max().unwrap_or(0));
    // The first input changes slowest here, and is the lowest bit of the table.
    let columns: Vec<usize> = (0..gate.table.len()).rev().collect();
    let entry = |column: usize| (0..inputs).fold(0, |m, q| m | (column >> (inputs - 1 - q) & 1) << q);
    let mut row = |name: &str, up: &dyn Fn(usize) -> bool| {
        let signs: String = columns.iter().map(|&column| if up(column) { " +" } else { " -" }).collect();
        let _ = writeln!(text, "  {name:<width$} {signs}");
    };
    for (q, name) in names.iter().enumerate() {
        row(name, &|column| column >> (inputs - 1 - q) & 1 == 1);
    }
    row(&format!("u{} =", gate.output), &|column| gate.table[entry(column)] > 0);
}

fn name(input: &PastComponent) -> String {
    format!("u{}[t-{}]", input.component, input.lag)
}

fn push_kept(text: &mut String, task: &Description, kept: &KeptDescription) {
    let _ = write!(text, "\n{}", title("Kept"));
    let (count, all) = (kept.members.len(), task.s * task.d);
    let _ = match (kept.forgotten, kept.exact) {
        (0, true) => writeln!(text, "  all {all} components of the window make a difference, now or later"),
        (0, false) => writeln!(text, "  all {all} components of the window are read, now or later"),
        (forgotten, true) => {
            writeln!(text, "  {count} of {all} components make a difference, now or later; {forgotten} never do")
        }
        (forgotten, false) => {
            writeln!(text, "  {count} of {all} components are read, now or later; {forgotten} never are")
        }
    };
    push_grid(text, task.s, task.d, &kept.members);
}

fn push_states(text: &mut String, task: &Description) {
    let forgets = match task.forgets {
        Some(Forgets::Everything) => "f forgets everything: all inputs end as the same constants",
        Some(Forgets::InPart) => "f forgets in part: different inputs can end as the same",
        Some(Forgets::Nothing) => "f forgets nothing: different inputs stay different",
        None => "",
    };
    let Some(states) = &task.states else {
        if !forgets.is_empty() {
            let _ = writeln!(text, "  {forgets}");
        }
        return;
    };
    let cycle = |cycle: &StateCycles| match (cycle.length, cycle.count) {
        (length, 1) => format!("length {length}"),
        (length, count) => format!("length {length}   ({count} of them)"),
    };
    let cycles: usize = states.cycles.iter().map(|cycle| cycle.count).sum();
    let mut rows: Vec<String> = states.cycles.iter().map(cycle).collect();
    rows.reverse();
    let within = match states.longest_transient {
        0 => "and all are on one from the start".to_string(),
        1 => "after 1 step at most".to_string(),
        steps => format!("after {steps} steps at most"),
    };
    let _ = write!(text, "\n{}", title("States"));
    let on = if cycles == 1 { "1 cycle".to_string() } else { format!("{cycles} cycles") };
    let _ = writeln!(text, "  {forgets}");
    let _ = writeln!(text, "  {} states end on {on}, {within}", 1u64 << states.components);
    push_rows(text, &rows);
}

fn push_products(text: &mut String, lifted: &LiftedDescription) {
    let _ = write!(text, "\n{}", title("Lifted circuit"));
    let Some(size) = lifted.size else {
        let _ = writeln!(text, "  more than {} products of components move together: not listed", lifted.limit);
        return;
    };
    let what = if lifted.selection { "one other, with a sign" } else { "a sum of others" };
    let _ = writeln!(text, "  {size} products of components move together; each comes from {what}");
    if lifted.lasting == Some(0) {
        let _ = writeln!(text, "  none lasts: what is said ends at constants");
    }
    let cycles = lifted.cycles.iter().map(|cycle| (cycle.length, cycle.sign, cycle.weight));
    let mut rows = cycles_in_words(cycles);
    rows.extend(lifted.tangles.iter().map(|size| format!("{size} products that mix their values")));
    push_rows(text, &rows);
}
