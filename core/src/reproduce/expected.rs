//! What the paper says, as numbers that can be checked.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the paper says about one table, figure or claim.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// What it is about.
    pub title: String,
    /// What the paper says, in words.
    pub paper: String,
    /// Figures to draw of the networks with seed 1, by the names of `ketbra figures`; `distances` is that of all networks against
    /// each other.
    #[serde(default)]
    pub pictures: Vec<String>,
    /// What to check.
    #[serde(rename = "check")]
    pub checks: Vec<Check>,
}

/// A number to check.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The quantity: `accuracy`, `error`, `error_orbit`, `matched` or `recovered_METHOD` as in the table, a column of the
    /// results (their mean), or a measurement by name; of networks against each other `same_within_task`, `same_across_tasks`,
    /// `same_across_cells`, `farthest_within_task` and `told_apart_by_MEASURE`; of a course a column, `least_COLUMN`,
    /// `most_COLUMN`, or with `than` `ratio_COLUMN` seed by seed; of snapshots `THING_before_THING` and `appears_THING`. Ratios and
    /// orders have `_low` and `_high`, the ends of their 95 % interval.
    pub what: String,
    /// Which networks: columns of the results and the values they must have.
    #[serde(default, rename = "where")]
    pub which: BTreeMap<String, toml::Value>,
    /// Other networks: then the quantity is divided by theirs.
    pub than: Option<BTreeMap<String, toml::Value>>,
    /// What the number means, where that is not plain.
    #[serde(default)]
    pub says: String,
    /// Where the number comes from: the paper, or our own measurements that go beyond it. Only the paper's decide the verdict.
    #[serde(default)]
    pub source: Authority,
    /// What it must be.
    #[serde(flatten)]
    pub band: Band,
    /// What it must be on the reduced grid, if that differs.
    pub quick: Option<Band>,
}

/// Where an expected number comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Authority {
    /// The paper.
    #[default]
    Paper,
    /// This project.
    Ours,
}

/// What a number must be; everything that is given must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Band {
    /// The number itself, together with `within` or `factor`.
    pub value: Option<f64>,
    /// How far it may be off.
    pub within: Option<f64>,
    /// By what factor it may be off.
    pub factor: Option<f64>,
    /// Its least value.
    pub at_least: Option<f64>,
    /// Its largest value.
    pub at_most: Option<f64>,
    /// There must be no number, because the count of eigenvalues differs from the theory's in every network.
    #[serde(default)]
    pub indeterminate: bool,
    /// With few seeds there may be no number by chance; then nothing can be told.
    #[serde(default)]
    pub may_be_missing: bool,
}

impl Band {
    /// Whether a number is as expected; nothing where that cannot be told.
    pub fn holds(&self, found: Option<f64>) -> Option<bool> {
        let Some(found) = found else {
            return if self.may_be_missing { None } else { Some(self.indeterminate) };
        };
        let near = |value: f64| {
            self.within.is_none_or(|within| (found - value).abs() <= within)
                && self.factor.is_none_or(|factor| found <= value * factor && value <= found * factor)
        };
        Some(
            !self.indeterminate
                && self.value.is_none_or(near)
                && self.at_least.is_none_or(|least| found >= least)
                && self.at_most.is_none_or(|most| found <= most),
        )
    }

    /// The band in words.
    pub fn in_words(&self) -> String {
        let Self { value, within, factor, at_least, at_most, indeterminate, .. } = *self;
        let mut words = vec![];
        words.extend(indeterminate.then(|| "---".to_string()));
        words.extend(value.map(|value| match (within, factor) {
            (Some(within), _) => format!("{value} +- {within}"),
            (None, Some(factor)) => format!("{value} x/: {factor}"),
            (None, None) => value.to_string(),
        }));
        words.extend(at_least.map(|least| format!(">= {least}")));
        words.extend(at_most.map(|most| format!("<= {most}")));
        words.join(", ")
    }
}
