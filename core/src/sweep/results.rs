//! All results in one table of comma-separated values, written whole.

use super::{NetworkLock, Row, SweepError, SweepFolder};
use crate::csv;
use crate::files::{cannot, write_whole};
use crate::network::CELL_SETTINGS;
use serde_json::Value;

/// Rows as comma-separated values with a header, sorted by name.
pub fn to_csv(rows: &[Row]) -> Result<String, serde_json::Error> {
    let mut rows: Vec<&Row> = rows.iter().collect();
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    let mut text = String::new();
    // A setting of cells has a column where one of them has it.
    let has = |name: &str| rows.iter().any(|row| row.cell_settings.get(name).is_some());
    let unused: Vec<&str> = CELL_SETTINGS.iter().map(|setting| setting.name).filter(|name| !has(name)).collect();
    for row in &rows {
        let mut columns = row.columns()?;
        columns.retain(|(name, _)| !unused.contains(&name.as_str()));
        if text.is_empty() {
            let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
            text = names.join(",") + "\n";
        }
        let cells: Vec<String> = columns.iter().map(|(_, value)| cell(value)).collect();
        text += &(cells.join(",") + "\n");
    }
    Ok(text)
}

/// Gathers the results of a folder into its table. Only one process writes at a time, and each reads before it writes.
pub fn write_csv(folder: &SweepFolder) -> Result<Vec<Row>, SweepError> {
    let _claim = NetworkLock::wait(&folder.table_lock())?;
    let rows = folder.rows()?;
    let path = folder.table();
    let text = to_csv(&rows).map_err(SweepError::damaged(&path))?;
    write_whole(&path, text.as_bytes()).map_err(cannot("write", &path))?;
    Ok(rows)
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => csv::text(text),
        other => other.to_string(),
    }
}
