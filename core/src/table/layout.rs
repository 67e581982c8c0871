//! The table as the paper prints it: a row a task, a column for each size and regularization.

use super::{Group, Table};
use crate::claims::Verdict;

/// The paper's table.
pub(super) struct Layout<'a> {
    /// (hidden, l2), in order.
    pub columns: Vec<(usize, f64)>,
    /// Task with variant, and the cell of each column.
    pub rows: Vec<(String, Vec<Option<&'a Group>>)>,
}

impl<'a> Layout<'a> {
    pub(super) fn of(table: &'a Table) -> Self {
        let mut columns: Vec<(usize, f64)> = table.groups.iter().map(|cell| (cell.hidden, cell.l2)).collect();
        columns.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        columns.dedup();
        let mut names: Vec<String> = table.groups.iter().map(label).collect();
        names.dedup();
        names.sort();
        names.dedup();
        let row = |name: String| {
            let of = |&(hidden, l2): &(usize, f64)| {
                table.groups.iter().find(|cell| label(cell) == name && cell.hidden == hidden && cell.l2 == l2)
            };
            let cells = columns.iter().map(of).collect();
            (name, cells)
        };
        let rows = names.into_iter().map(row).collect();
        Self { columns, rows }
    }
}

/// Task, and what else is unusual.
pub(super) fn label(cell: &Group) -> String {
    if cell.variant.is_empty() { cell.task.clone() } else { format!("{} ({})", cell.task, cell.variant) }
}

/// Error with the accuracy in brackets; dashes where no seed's count matches.
pub(super) fn entry(cell: Option<&Group>) -> String {
    let Some(cell) = cell else { return String::new() };
    let accuracy = cell.accuracy.map_or("failed".into(), |accuracy| format!("{accuracy:.2}"));
    format!("{} ({accuracy})", number(cell.error))
}

pub(super) fn number(value: Option<f64>) -> String {
    match value {
        Some(value) if value > 0.0 && value < 5e-5 => format!("{value:.0e}"),
        Some(value) => format!("{value:.4}"),
        None => "---".into(),
    }
}

/// The header of an interval, which belongs to the value before it.
pub(super) const INTERVAL: &str = "95 % interval";

/// The rows of the full table, header first.
pub(super) fn full(table: &Table) -> Vec<Vec<String>> {
    let methods: Vec<&String> = table.converged.by.keys().collect();
    let mut header: Vec<String> = [
        "task", "H", "L2", "seeds", "matched", "error", INTERVAL, "on orbit", INTERVAL, "accuracy", INTERVAL,
        "verdicts",
    ]
    .map(String::from)
    .to_vec();
    header.extend(methods.iter().map(|method| format!("recovered {method}")));
    let interval = |interval: Option<[f64; 2]>, digits: usize| match interval {
        Some([low, high]) if digits < 4 => format!("{low:.digits$}-{high:.digits$}"),
        Some([low, high]) => format!("{}-{}", number(Some(low)), number(Some(high))),
        None => "---".into(),
    };
    let row = |cell: &Group| {
        let mut row = vec![
            label(cell),
            cell.hidden.to_string(),
            cell.l2.to_string(),
            cell.seeds.to_string(),
            cell.matched.to_string(),
            number(cell.error),
            interval(cell.error_interval, 4),
            number(cell.error_orbit),
            interval(cell.error_orbit_interval, 4),
            cell.accuracy.map_or("---".into(), |accuracy| format!("{accuracy:.3}")),
            interval(cell.accuracy_interval, 3),
            verdicts(cell),
        ];
        row.extend(methods.iter().map(|method| match cell.recovered_by.get(*method) {
            Some(share) => format!("{:.0}/{}", share * cell.converged as f64, cell.converged),
            None => "---".into(),
        }));
        row
    };
    std::iter::once(header).chain(table.groups.iter().map(row)).collect()
}

/// How many networks came to which verdict, the best first.
fn verdicts(cell: &Group) -> String {
    let counted = |verdict: Verdict| Some(format!("{} {}", cell.verdicts.get(verdict.name())?, verdict.name()));
    let words: Vec<String> = Verdict::ALL.into_iter().filter_map(counted).collect();
    if words.is_empty() { "---".into() } else { words.join(", ") }
}

/// How many networks each method recovers, in words.
pub(super) fn recovered(table: &Table) -> Vec<Vec<String>> {
    let header = ["recovered by", "count matches", "accuracy > 0.94"].map(String::from).to_vec();
    let share = |count: usize, of: usize| match of {
        0 => "---".into(),
        _ => format!("{count} of {of} ({:.0} %)", 100.0 * count as f64 / of as f64),
    };
    let row = |(method, count): (&String, &usize)| {
        let matching = table.matching.by.get(method).copied().unwrap_or(0);
        vec![method.clone(), share(matching, table.matching.of), share(*count, table.converged.of)]
    };
    std::iter::once(header).chain(table.converged.by.iter().map(row)).collect()
}
