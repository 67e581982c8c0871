//! Numbers over the arms of a course.

use super::CourseRow;
use crate::table::IntervalParams;
use serde_json::Value;
use std::collections::BTreeMap;

/// A row as columns with their names: `accuracy_CONTEXT` for every context.
pub fn columns(row: &CourseRow) -> Vec<(String, Value)> {
    let mut columns = vec![
        ("arm".into(), row.arm.clone().into()),
        ("seed".into(), row.seed.into()),
        ("run".into(), row.run.clone().into()),
        ("steps".into(), row.steps.into()),
        ("steps_to_99".into(), row.steps_to_99.map_or(Value::Null, Value::from)),
        ("accuracy".into(), row.accuracy.into()),
        ("learned".into(), row.learned.into()),
    ];
    columns.extend(row.contexts.iter().map(|(name, value)| (format!("accuracy_{name}"), (*value).into())));
    columns
}

/// A quantity over the rows that are picked: the mean of a column, `least_COLUMN` and `most_COLUMN`; with `than`, `ratio_COLUMN`
/// is the geometric mean over seeds of one arm's value divided by the other's, and `ratio_COLUMN_low` and `_high` are
/// the ends of its 95 % interval. Nothing where a value is missing.
pub fn measure(
    what: &str,
    which: &BTreeMap<String, toml::Value>,
    than: Option<&BTreeMap<String, toml::Value>>,
    rows: &[CourseRow],
) -> Result<Option<f64>, String> {
    if let (Some(column), Some(than)) = (what.strip_prefix("ratio_"), than) {
        let (column, end) = match (column.strip_suffix("_low"), column.strip_suffix("_high")) {
            (Some(column), _) => (column, Some(0)),
            (None, Some(column)) => (column, Some(1)),
            (None, None) => (column, None),
        };
        let (here, there) = (by_seed(column, &picked(which, rows)?)?, by_seed(column, &picked(than, rows)?)?);
        // A network that never gets there has no ratio, and leaving it out would flatter the others.
        let pairs = here.iter().map(|(seed, value)| Some(((*value)? / (*there.get(seed)?)?).ln()));
        let Some(logs) = pairs.collect::<Option<Vec<f64>>>() else { return Ok(None) };
        return Ok(match end {
            None => mean(&logs).map(f64::exp),
            Some(end) => IntervalParams::default().interval_of_mean(&logs).map(|interval| interval[end].exp()),
        });
    }
    let (column, fold): (&str, Fold) = match (what.strip_prefix("least_"), what.strip_prefix("most_")) {
        (Some(column), _) => (column, |values| values.iter().copied().reduce(f64::min)),
        (None, Some(column)) => (column, |values| values.iter().copied().reduce(f64::max)),
        (None, None) => (what, mean),
    };
    let values: Option<Vec<f64>> = by_seed(column, &picked(which, rows)?)?.into_values().collect();
    Ok(values.and_then(|values| fold(&values)))
}

/// One number of many.
type Fold = fn(&[f64]) -> Option<f64>;

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn picked<'a>(which: &BTreeMap<String, toml::Value>, rows: &'a [CourseRow]) -> Result<Vec<&'a CourseRow>, String> {
    let mut picked = vec![];
    for row in rows {
        let columns = columns(row);
        let mut all = true;
        for (name, wanted) in which {
            let (_, value) =
                columns.iter().find(|(column, _)| column == name).ok_or(format!("there is no column '{name}'"))?;
            all &= match wanted {
                toml::Value::String(text) => value.as_str() == Some(text),
                toml::Value::Integer(number) => value.as_f64() == Some(*number as f64),
                toml::Value::Boolean(flag) => value.as_bool() == Some(*flag),
                _ => false,
            };
        }
        picked.extend(all.then_some(row));
    }
    Ok(picked)
}

fn by_seed(column: &str, rows: &[&CourseRow]) -> Result<BTreeMap<u64, Option<f64>>, String> {
    let mut values = BTreeMap::new();
    for row in rows {
        let columns = columns(row);
        let found = columns.iter().find(|(name, _)| name == column);
        let (_, value) = found.ok_or(format!("there is no such quantity and no column '{column}'"))?;
        let number = value.as_f64().or_else(|| value.as_bool().map(|flag| f64::from(u8::from(flag))));
        values.insert(row.seed, number);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(arm: &str, seed: u64, steps_to_99: Option<u64>, old: f64) -> CourseRow {
        CourseRow {
            arm: arm.into(),
            seed,
            run: String::new(),
            steps: 10,
            steps_to_99,
            accuracy: 1.0,
            learned: true,
            contexts: [("old".to_string(), old)].into(),
        }
    }

    fn of(arm: &str) -> BTreeMap<String, toml::Value> {
        [("arm".to_string(), arm.into())].into()
    }

    #[test]
    fn arms_are_compared_seed_by_seed() {
        let rows = [
            row("new", 1, Some(1000), 0.5),
            row("new", 2, Some(4000), 0.7),
            row("from", 1, Some(100), 0.9),
            row("from", 2, Some(400), 1.0),
        ];
        let fives = |arm: &str, steps: [u64; 5]| -> Vec<CourseRow> {
            (1..).zip(steps).map(|(seed, steps)| row(arm, seed, Some(steps), 0.5)).collect()
        };
        let many = [fives("new", [1000, 1000, 2000, 2000, 4000]), fives("from", [100, 110, 190, 210, 400])].concat();
        let ask =
            |what: &str, arm: &str, than: Option<&str>| measure(what, &of(arm), than.map(of).as_ref(), &rows).unwrap();
        assert_eq!(ask("accuracy_old", "from", None), Some(0.95));
        assert_eq!(ask("least_accuracy_old", "from", None), Some(0.9));
        assert_eq!(ask("most_steps_to_99", "new", None), Some(4000.0));
        let ratio = ask("ratio_steps_to_99", "from", Some("new")).unwrap();
        assert!((ratio - 0.1).abs() < 1e-12, "{ratio}");
        let ends = |rows: &[CourseRow]| {
            let than = of("new");
            ["low", "high"]
                .map(|end| measure(&format!("ratio_steps_to_99_{end}"), &of("from"), Some(&than), rows).unwrap())
        };
        assert_eq!(ends(&rows), [None, None], "two seeds have no interval");
        let [low, high] = ends(&many).map(Option::unwrap);
        assert!(0.08 < low && low < 0.1 && 0.1 < high && high < 0.12, "{low} {high}");
        assert!(measure("accuracy_other", &of("new"), None, &rows).is_err());
        assert!(measure("accuracy", &[("way".to_string(), "x".into())].into(), None, &rows).is_err());
    }

    #[test]
    fn a_network_that_never_gets_there_leaves_no_number() {
        let rows = [row("new", 1, Some(1000), 0.5), row("new", 2, None, 0.5)];
        assert_eq!(measure("steps_to_99", &of("new"), None, &rows).unwrap(), None);
        assert_eq!(measure("ratio_steps_to_99", &of("new"), Some(&of("new")), &rows).unwrap(), None);
    }
}
