//! Numbers over the arms of a course.

use super::CourseRow;
use crate::reproduce::records::{Columns, Which, mean, number, picks, without_end};
use crate::table::IntervalParams;
use std::collections::BTreeMap;

/// A row as columns with their names: `accuracy_CONTEXT` for every context.
fn columns(row: &CourseRow) -> Columns {
    let fields = serde_json::to_value(row).ok();
    let fields = fields.and_then(|fields| fields.as_object().cloned()).unwrap_or_default();
    let mut columns: Columns = fields.into_iter().filter(|(name, _)| name != "contexts").collect();
    columns.extend(row.contexts.iter().map(|(name, value)| (format!("accuracy_{name}"), (*value).into())));
    columns
}

/// A quantity over the rows that are picked: the mean of a column, `least_COLUMN` and `most_COLUMN`; with `than`, `ratio_COLUMN`
/// is the geometric mean over seeds of one arm's value divided by the other's, and `ratio_COLUMN_low` and `_high` are
/// the ends of its 95 % interval. Nothing where a value is missing.
pub(in crate::reproduce) fn measure(
    what: &str,
    which: &Which,
    than: Option<&Which>,
    rows: &[CourseRow],
) -> Result<Option<f64>, String> {
    if let (Some(column), Some(than)) = (what.strip_prefix("ratio_"), than) {
        let (column, end) = without_end(column);
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

fn picked<'a>(which: &Which, rows: &'a [CourseRow]) -> Result<Vec<&'a CourseRow>, String> {
    let mut picked = vec![];
    for row in rows {
        picked.extend(picks(which, &columns(row))?.then_some(row));
    }
    Ok(picked)
}

fn by_seed(column: &str, rows: &[&CourseRow]) -> Result<BTreeMap<u64, Option<f64>>, String> {
    rows.iter().map(|row| Ok((row.seed, number(&columns(row), column)?))).collect()
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

    fn of(arm: &str) -> Which {
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
