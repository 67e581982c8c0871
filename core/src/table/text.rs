//! The table as plain text and as Markdown.

use super::Table;
use super::layout::{Layout, entry, full, recovered};

/// The paper's table, the full one, and what each method recovers.
pub fn text(table: &Table) -> String {
    [aligned(&paper(table)), aligned(&full(table)), aligned(&recovered(table))].join("\n")
}

/// The same in Markdown.
pub fn markdown(table: &Table) -> String {
    [piped(&paper(table)), piped(&full(table)), piped(&recovered(table))].join("\n")
}

fn paper(table: &Table) -> Vec<Vec<String>> {
    let layout = Layout::of(table);
    let columns = layout.columns.iter().map(|(hidden, l2)| format!("H={hidden}, L2={l2}"));
    let header = std::iter::once("task".to_string()).chain(columns).collect();
    let row = |(name, cells): &(String, Vec<Option<&super::Cell>>)| {
        std::iter::once(name.clone()).chain(cells.iter().map(|cell| entry(*cell))).collect()
    };
    std::iter::once(header).chain(layout.rows.iter().map(row)).collect()
}

fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let padded = cells.map(|(column, (cell, &width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

fn piped(rows: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
    let rule = |row: &Vec<String>| format!("|{}\n", "---|".repeat(row.len()));
    let mut lines = rows.iter();
    let Some(header) = lines.next() else { return String::new() };
    line(header) + &rule(header) + &lines.map(line).collect::<String>()
}
