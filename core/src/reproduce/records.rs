//! What experiments ask of whatever has columns: which of it, and one number of many.

use serde_json::Value;
use std::collections::BTreeMap;

/// Columns, and the values that they must have.
pub(super) type Which = BTreeMap<String, toml::Value>;
/// What came of one network, by name.
pub(super) type Columns = Vec<(String, Value)>;

fn value<'a>(columns: &'a Columns, name: &str) -> Option<&'a Value> {
    columns.iter().find(|(column, _)| column == name).map(|(_, value)| value)
}

/// Whether all columns have the values that are wanted.
pub(super) fn picks(which: &Which, columns: &Columns) -> Result<bool, String> {
    let mut all = true;
    for (name, wanted) in which {
        let value = value(columns, name).ok_or_else(|| format!("there is no column '{name}'"))?;
        all &= match wanted {
            toml::Value::String(text) => value.as_str() == Some(text),
            toml::Value::Integer(number) => value.as_f64() == Some(*number as f64),
            toml::Value::Float(number) => value.as_f64() == Some(*number),
            toml::Value::Boolean(flag) => value.as_bool() == Some(*flag),
            _ => false,
        };
    }
    Ok(all)
}

/// The number in a column; yes counts as 1, no as 0.
pub(super) fn number(columns: &Columns, name: &str) -> Result<Option<f64>, String> {
    let value = value(columns, name).ok_or_else(|| format!("there is no such quantity and no column '{name}'"))?;
    Ok(value.as_f64().or_else(|| value.as_bool().map(f64::from)))
}

/// The mean, where there is anything.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// A quantity without its `_low` or `_high`, and which end of its interval that asks for.
pub(super) fn without_end(what: &str) -> (&str, Option<usize>) {
    match (what.strip_suffix("_low"), what.strip_suffix("_high")) {
        (Some(what), _) => (what, Some(0)),
        (None, Some(what)) => (what, Some(1)),
        (None, None) => (what, None),
    }
}
