//! What experiments ask of networks held against each other.

use crate::compare::{CompareParams, Comparison, Pair, PairVerdict, Subject, compare};
use crate::network::NetworkFile;
use crate::sweep::{Row, SweepFolder};
use std::collections::BTreeMap;

/// Compares every network of an experiment that was trained.
pub(super) fn compare_all(rows: &[Row], folder: &SweepFolder) -> Result<(Comparison, Vec<Row>), String> {
    let trained: Vec<Row> = rows.iter().filter(|row| row.error.is_none()).cloned().collect();
    let subject = |row: &Row| {
        let file = NetworkFile::open(&folder.run_path(&row.name)).map_err(|error| error.to_string())?;
        Subject::network(row.name.clone(), file, row.s).map_err(|error| error.to_string())
    };
    let subjects = trained.iter().map(subject).collect::<Result<Vec<_>, String>>()?;
    let found = compare(&subjects, &CompareParams::default()).map_err(|error| error.to_string())?;
    Ok((found, trained))
}

/// The quantities that [`measure`] knows.
pub(super) const QUANTITIES: [&str; 8] = [
    "same_within_task",
    "same_across_tasks",
    "same_across_cells",
    "farthest_within_task",
    "told_apart_by_circuit",
    "told_apart_by_cka",
    "told_apart_by_shape",
    "told_apart_by_dsa",
];

/// A quantity over the pairs of networks that are both picked; nothing where there are none.
pub(super) fn measure(what: &str, found: &Comparison, rows: &[Row], picked: &[&str]) -> Option<f64> {
    let row: BTreeMap<usize, &Row> =
        rows.iter().enumerate().filter(|(_, row)| picked.contains(&row.name.as_str())).collect();
    let of = |wanted: &dyn Fn(&Row, &Row) -> bool| -> Vec<&Pair> {
        let rows = |pair: &Pair| Some((*row.get(&pair.first)?, *row.get(&pair.second)?));
        found.pairs.iter().filter(|pair| rows(pair).is_some_and(|(a, b)| wanted(a, b))).collect()
    };
    let share = |pairs: Vec<&Pair>| {
        let same = pairs.iter().filter(|pair| pair.verdict == PairVerdict::SameCircuit).count();
        (!pairs.is_empty()).then(|| same as f64 / pairs.len() as f64)
    };
    let told = |name: &str| found.separations.iter().find(|of| of.measure == name)?.told_apart;
    match what {
        "same_within_task" => share(of(&|a, b| a.task == b.task)),
        "same_across_tasks" => share(of(&|a, b| a.task != b.task)),
        "same_across_cells" => share(of(&|a, b| a.task == b.task && a.cell != b.cell)),
        "farthest_within_task" => of(&|a, b| a.task == b.task)
            .iter()
            .map(|pair| pair.distance)
            .collect::<Option<Vec<f64>>>()
            .and_then(|all| all.into_iter().reduce(f64::max)),
        "told_apart_by_circuit" => told("circuit"),
        "told_apart_by_cka" => told("1 - CKA"),
        "told_apart_by_shape" => told("shape"),
        "told_apart_by_dsa" => told("DSA"),
        _ => None,
    }
}
