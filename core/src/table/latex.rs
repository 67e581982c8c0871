//! The paper's table in LaTeX, with the rules of booktabs.

use super::Table;
use super::layout::{Layout, entry};

/// The paper's table; needs `\usepackage{booktabs}`.
pub fn latex(table: &Table) -> String {
    let Layout { columns, rows } = Layout::of(table);
    let mut sizes: Vec<(usize, usize)> = vec![];
    for (hidden, _) in &columns {
        match sizes.last_mut() {
            Some((size, count)) if size == hidden => *count += 1,
            _ => sizes.push((*hidden, 1)),
        }
    }
    let head = sizes.iter().map(|(size, count)| format!(" & \\multicolumn{{{count}}}{{c}}{{hidden size: {size}}}"));
    let regularization = columns.iter().map(|(_, l2)| format!(" & L2: {l2}"));
    let body = rows.iter().map(|(name, cells)| {
        let cells: String = cells.iter().map(|cell| format!(" & {}", entry(*cell))).collect();
        format!("{}{cells} \\\\\n", escaped(name))
    });
    format!(
        "\\begin{{tabular}}{{l{}}}\n\\toprule\nTask{} \\\\\n{} \\\\\n\\midrule\n{}\\bottomrule\n\\end{{tabular}}\n",
        "c".repeat(columns.len()),
        head.collect::<String>(),
        regularization.collect::<String>(),
        body.collect::<String>()
    )
}

fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '_' | '%' | '&' | '#' | '$' | '{' | '}' => format!("\\{c}"),
        _ => c.to_string(),
    };
    text.chars().map(escape).collect()
}
