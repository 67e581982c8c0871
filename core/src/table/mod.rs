//! Table 1 of the paper, and more: what a sweep found, a cell for each task and kind of network.
//!
//! A seed may have been trained with several thresholds of the curriculum; then the better one counts, as in the paper: the
//! highest accuracy, the lowest spectral error. Errors are averaged over the seeds whose eigenvalue count matches the theory's.

mod interval;
mod latex;
mod layout;
mod text;

pub use interval::IntervalParams;
pub use latex::latex;
pub use text::{markdown, text, text_within};

use crate::network::{CellKind, CellSettings};
use crate::sweep::Row;
use serde::Serialize;
use std::collections::BTreeMap;

/// What decides how results are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TableParams {
    /// A network with a higher accuracy has converged. Default 0.94, as in the paper.
    pub converged: f64,
    /// How intervals are found.
    pub interval: IntervalParams,
}

impl Default for TableParams {
    fn default() -> Self {
        Self { converged: 0.94, interval: IntervalParams::default() }
    }
}

/// Networks that differ in seed and threshold only.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Group {
    /// Task.
    pub task: String,
    /// Hidden units.
    pub hidden: usize,
    /// L2 regularization.
    pub l2: f64,
    /// What else is not as usual, in words; empty where everything is.
    pub variant: String,
    /// Seeds.
    pub seeds: usize,
    /// Seeds whose eigenvalue count at the origin is the theory's.
    pub matched: usize,
    /// Mean spectral error at the origin over those seeds (radians).
    pub error: Option<f64>,
    /// Its 95 % interval over seeds; nothing for fewer than five.
    pub error_interval: Option<[f64; 2]>,
    /// Seeds whose eigenvalue count on the orbit is the theory's.
    pub matched_orbit: usize,
    /// Mean spectral error on the orbit over those seeds (radians).
    pub error_orbit: Option<f64>,
    /// Its confidence interval over seeds.
    pub error_orbit_interval: Option<[f64; 2]>,
    /// Mean accuracy over all seeds.
    pub accuracy: Option<f64>,
    /// Its confidence interval over seeds.
    pub accuracy_interval: Option<[f64; 2]>,
    /// Networks, those of every threshold.
    pub networks: usize,
    /// How many of these came to each verdict.
    pub verdicts: BTreeMap<String, usize>,
    /// Networks that converged and whose eigenvalue count matches: those in which the theory asks for variable memories.
    pub converged: usize,
    /// Share of those in which every variable is recovered, by `orbit`.
    pub recovered: Option<f64>,
    /// The same share by each method.
    pub recovered_by: BTreeMap<String, f64>,
    /// Networks that failed.
    pub failed: usize,
}

/// How many networks each method recovers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Recovered {
    /// Networks that were counted.
    pub of: usize,
    /// How many of them are recovered, by method.
    pub by: BTreeMap<String, usize>,
}

/// What a sweep found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// Groups of networks, by task, hidden units and l2.
    pub groups: Vec<Group>,
    /// Over all networks that converged and whose count matches.
    pub matching: Recovered,
    /// Over all networks that converged.
    pub converged: Recovered,
}

/// Task, hidden units, l2 and variant: networks of one place are one group, and groups are in the order of their places.
pub(crate) type Place = (String, usize, u64, String);

/// The group that a network belongs to.
pub(crate) fn place(row: &Row) -> Place {
    // The bits of numbers from 0 on are in the order of the numbers.
    (row.task.clone(), row.hidden, row.l2.abs().to_bits(), variant(row))
}

/// Sums up the results of a sweep.
pub fn table(rows: &[Row], params: &TableParams) -> Table {
    let mut groups: BTreeMap<Place, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(place(row)).or_default().push(row);
    }
    let has_converged = |row: &&Row| row.accuracy.is_some_and(|accuracy| accuracy > params.converged);
    let converged: Vec<&Row> = rows.iter().filter(has_converged).collect();
    let matching: Vec<&Row> = converged.iter().copied().filter(|row| row.origin.error.is_some()).collect();
    let groups = groups.into_iter().map(|((.., variant), rows)| cell(&rows, variant, params)).collect();
    Table { groups, matching: recovered(&matching), converged: recovered(&converged) }
}

/// Sums up some results as one group, whatever they are.
pub fn summarize(rows: &[&Row], params: &TableParams) -> Group {
    cell(rows, String::new(), params)
}

fn cell(rows: &[&Row], variant: String, params: &TableParams) -> Group {
    let lowest = |values: &[f64]| values.iter().copied().reduce(f64::min);
    let highest = |values: &[f64]| values.iter().copied().reduce(f64::max);
    let errors = by_seed(rows, |row| row.origin.error, lowest);
    let orbit_errors = by_seed(rows, |row| row.orbit.error, lowest);
    let accuracies = by_seed(rows, |row| row.accuracy, highest);
    let asked: Vec<&Row> = rows
        .iter()
        .copied()
        .filter(|row| row.accuracy.is_some_and(|accuracy| accuracy > params.converged) && row.origin.error.is_some())
        .collect();
    let shares = recovered(&asked);
    let share = |count: usize| count as f64 / shares.of as f64;
    let recovered_by: BTreeMap<String, f64> =
        shares.by.iter().map(|(method, count)| (method.clone(), share(*count))).collect();
    let interval = |values: &[f64]| params.interval.interval_of_mean(values);
    let first = rows.first();
    Group {
        task: first.map_or_else(String::new, |row| row.task.clone()),
        hidden: first.map_or(0, |row| row.hidden),
        l2: first.map_or(0.0, |row| row.l2),
        variant,
        seeds: accuracies.len(),
        matched: errors.len(),
        error: mean(&errors),
        error_interval: interval(&errors),
        matched_orbit: orbit_errors.len(),
        error_orbit: mean(&orbit_errors),
        error_orbit_interval: interval(&orbit_errors),
        accuracy: mean(&accuracies),
        accuracy_interval: interval(&accuracies),
        networks: rows.len(),
        verdicts: verdicts(rows),
        converged: asked.len(),
        recovered: recovered_by.get(crate::memories::Method::Orbit.name()).copied(),
        recovered_by,
        failed: rows.iter().filter(|row| row.error.is_some()).count(),
    }
}

fn verdicts(rows: &[&Row]) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for verdict in rows.iter().filter_map(|row| row.verdict.clone()) {
        *counted.entry(verdict).or_default() += 1;
    }
    counted
}

/// One value a seed, the best of its thresholds, in the order of the seeds.
fn by_seed(rows: &[&Row], value: impl Fn(&Row) -> Option<f64>, best: impl Fn(&[f64]) -> Option<f64>) -> Vec<f64> {
    let mut seeds: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for row in rows {
        seeds.entry(row.seed).or_default().extend(value(row));
    }
    seeds.values().filter_map(|values| best(values)).collect()
}

fn recovered(rows: &[&Row]) -> Recovered {
    let mut by: BTreeMap<String, usize> = BTreeMap::new();
    for (method, recovered) in rows.iter().flat_map(|row| &row.recovered) {
        *by.entry(method.clone()).or_default() += usize::from(*recovered);
    }
    Recovered { of: rows.len(), by }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// What sets networks apart beside task, hidden units, l2, seed and threshold.
fn variant(row: &Row) -> String {
    let mut parts = vec![];
    let mut unusual = |differs: bool, text: String| differs.then(|| parts.push(text));
    unusual(
        (row.s, row.d) != (Some(8), 8),
        row.s.map_or(String::new(), |s| format!("s={s} ")) + &format!("d={}", row.d),
    );
    unusual(row.init != "uniform", row.init.clone());
    unusual(row.recipe != "table1", row.recipe.clone());
    let cell: CellKind = row.cell.parse().unwrap_or_default();
    unusual(row.activation != cell.usual_activation().name(), row.activation.clone());
    unusual(cell != CellKind::Elman, cell.title().into());
    let usual = CellSettings::usual(cell);
    for (setting, value) in row.cell_settings.iter().filter(|(of, value)| usual.get(of.name) != Some(*value)) {
        unusual(true, format!("{}={value}", setting.name));
    }
    unusual(row.layers != 1, format!("{} layers", row.layers));
    unusual(row.bias != cell.usually_biased(), if row.bias { "bias" } else { "no bias" }.into());
    unusual(["table1", "none"].contains(&row.recipe.as_str()) && row.steps != 20_000, format!("{} steps", row.steps));
    unusual(row.horizon != 100, format!("horizon {}", row.horizon));
    parts.join(", ")
}

#[cfg(test)]
mod tests;
