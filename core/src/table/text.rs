//! The table as plain text and as Markdown.

use super::Table;
use super::layout::{INTERVAL, Layout, entry, full, recovered};

/// The paper's table, the full one, and what each method recovers.
pub fn text(table: &Table) -> String {
    text_within(table, usize::MAX)
}

/// As [`text()`], in lines of at most `width` characters: a wider table continues below, with its first columns
/// repeated.
///
/// What is unusual about every cell alike is then said once, and not in every line.
pub fn text_within(table: &Table, width: usize) -> String {
    let alike = table.groups.first().map(|cell| cell.variant.as_str()).filter(|variant| {
        width < usize::MAX && !variant.is_empty() && table.groups.iter().all(|cell| cell.variant == *variant)
    });
    if let Some(variant) = alike {
        let mut bare = table.clone();
        bare.groups.iter_mut().for_each(|cell| cell.variant.clear());
        return format!("all with {variant}\n\n{}", text_within(&bare, width));
    }
    // The full table says which cell a line is about in three columns: task, H, L2.
    [(paper(table), 1), (full(table), 3), (recovered(table), 1)]
        .map(|(rows, keys)| blocks(&rows, keys, width).iter().map(|rows| aligned(rows)).collect::<Vec<_>>().join("\n"))
        .join("\n")
}

/// Columns that fit beside each other, the first `keys` of them in every block.
fn blocks(rows: &[Vec<String>], keys: usize, width: usize) -> Vec<Vec<Vec<String>>> {
    let sizes = widths(rows);
    let keys = keys.min(sizes.len());
    let start: usize = sizes[..keys].iter().map(|size| size + GAP).sum();
    // An interval stays beside the value that it belongs to.
    let header = |column: usize| rows.first().and_then(|row| row.get(column)).map_or("", String::as_str);
    let mut together: Vec<Vec<usize>> = vec![];
    for column in keys..sizes.len() {
        match together.last_mut() {
            Some(last) if header(column) == INTERVAL => last.push(column),
            _ => together.push(vec![column]),
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![];
    let mut used = width;
    for columns in together {
        let size: usize = columns.iter().map(|&column| sizes[column] + GAP).sum();
        if used.saturating_add(size) > width.saturating_add(GAP) {
            used = start;
            groups.push(vec![]);
        }
        used = used.saturating_add(size);
        groups.last_mut().into_iter().for_each(|group| group.extend(&columns));
    }
    let of = |row: &Vec<String>, group: &[usize]| -> Vec<String> {
        (0..keys).chain(group.iter().copied()).filter_map(|column| row.get(column).cloned()).collect()
    };
    if groups.is_empty() {
        return vec![rows.to_vec()];
    }
    groups.iter().map(|group| rows.iter().map(|row| of(row, group)).collect()).collect()
}

/// As [`text()`], in Markdown.
pub fn markdown(table: &Table) -> String {
    [piped(&paper(table)), piped(&full(table)), piped(&recovered(table))].join("\n")
}

fn paper(table: &Table) -> Vec<Vec<String>> {
    let layout = Layout::of(table);
    let columns = layout.columns.iter().map(|(hidden, l2)| format!("H={hidden}, L2={l2}"));
    let header = std::iter::once("task".to_string()).chain(columns).collect();
    let row = |(name, cells): &(String, Vec<Option<&super::Group>>)| {
        std::iter::once(name.clone()).chain(cells.iter().map(|cell| entry(*cell))).collect()
    };
    std::iter::once(header).chain(layout.rows.iter().map(row)).collect()
}

/// Blanks between columns.
const GAP: usize = 2;

fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    (0..columns).map(|column| width(column).unwrap_or(0)).collect()
}

fn aligned(rows: &[Vec<String>]) -> String {
    let widths = widths(rows);
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let padded = cells.map(|(column, (cell, &width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        padded.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_string() + "\n"
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_table_goes_on_below_with_its_first_columns_and_loses_nothing() {
        let row = |cells: &str| cells.split(' ').map(String::from).collect::<Vec<_>>();
        let rows = [row("task H a1 b22 c333 d4444"), row("T1 64 1 2 3 4"), row("T2 128 5 6 7 8")];
        let with_interval: Vec<String> = ["task", "error error", INTERVAL].map(String::from).to_vec();
        assert_eq!(blocks(std::slice::from_ref(&with_interval), 1, 20), [vec![with_interval]], "not torn apart");
        let parts = blocks(&rows, 2, 20);
        assert!(parts.len() > 1);
        for part in &parts {
            assert!(aligned(part).lines().all(|line| line.chars().count() <= 20), "{}", aligned(part));
            assert_eq!(part.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), ["task", "T1", "T2"]);
        }
        let shown: Vec<String> = parts.iter().flat_map(|part| part[2][2..].to_vec()).collect();
        assert_eq!(shown, ["5", "6", "7", "8"]);
        assert_eq!(blocks(&rows, 2, usize::MAX), [rows.to_vec()]);
    }

    #[test]
    fn what_all_cells_share_is_said_once_where_there_is_little_room() {
        let cell =
            |variant: &str| super::super::Group { task: "T1".into(), variant: variant.into(), ..Default::default() };
        let table = |variants: [&str; 2]| Table { groups: variants.map(cell).to_vec(), ..Default::default() };
        let (alike, apart) = (table(["gru, 400 steps"; 2]), table(["gru", "lstm"]));
        assert_eq!(text_within(&alike, 80).matches("gru").count(), 1, "{}", text_within(&alike, 80));
        assert!(text(&alike).matches("T1 (gru, 400 steps)").count() > 1);
        assert!(text_within(&apart, 80).contains("T1 (gru)") && text_within(&apart, 80).contains("T1 (lstm)"));
    }
}
