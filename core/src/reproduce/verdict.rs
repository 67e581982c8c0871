//! Whether what we find is what the paper says.

use super::comparing::{self, QUANTITIES};
use super::course::{self, CourseRow};
use super::developing;
use super::expected::Authority;
use super::measure::{picks, wrong};
use super::{Check, Experiment, ReproduceError, measure};
use crate::compare::Comparison;
use crate::develop::Development;
use crate::sweep::{Row, SweepFolder};
use serde::Serialize;
use std::collections::BTreeMap;

/// Whether an experiment agrees with the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Agreement {
    /// Everything that the paper says holds.
    Reproduced,
    /// Some of it holds.
    Partly,
    /// None of it holds.
    Not,
}

/// One number, as expected and as found.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// What was checked.
    pub check: Check,
    /// What was found; nothing where it is indeterminate.
    pub found: Option<f64>,
    /// Whether that is as expected; nothing where so few networks cannot tell.
    pub holds: Option<bool>,
    /// What was expected, in words.
    pub expected: String,
}

/// What came of an experiment.
#[derive(Clone, Debug, Serialize)]
pub struct ExperimentReport {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// What the paper says.
    pub paper: String,
    /// Whether what was found agrees with it.
    pub verdict: Agreement,
    /// Number by number.
    pub findings: Vec<Finding>,
    /// Networks that it rests on.
    pub networks: usize,
    /// What came of each arm of a course.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub course: Vec<CourseRow>,
    /// How the circuit of each network came to be, where the experiment asks for that.
    #[serde(skip)]
    pub developments: Vec<Development>,
    /// The networks against each other, where the experiment asks for that.
    #[serde(skip)]
    pub comparison: Option<Comparison>,
}

/// Measures what an experiment asks for and compares it with the paper.
pub fn judge(
    experiment: &Experiment,
    rows: &[Row],
    course: Vec<CourseRow>,
    folder: &SweepFolder,
    quick: bool,
) -> Result<ExperimentReport, ReproduceError> {
    let develops = experiment.expected.checks.iter().find(|check| developing::knows(&check.what));
    let developments = match develops {
        Some(check) => developing::develop_all(rows, folder).map_err(|problem| wrong(&check.what, problem))?,
        None => vec![],
    };
    let compares = experiment.expected.checks.iter().find(|check| QUANTITIES.contains(&check.what.as_str()));
    // One comparison answers every question about pairs; with one network there is none.
    let compared = match compares {
        Some(check) if rows.len() > 1 => {
            Some(comparing::compare_all(rows, folder).map_err(|problem| wrong(&check.what, problem))?)
        }
        _ => None,
    };
    let mut findings = vec![];
    for check in &experiment.expected.checks {
        let of = |which| match (QUANTITIES.contains(&check.what.as_str()), &compared) {
            (true, Some((found, trained))) => over_pairs(&check.what, which, found, trained),
            (true, None) => Ok(None),
            (false, _) => measure(&check.what, which, rows, folder),
        };
        let said = |problem| wrong(&check.what, problem);
        let found = match &check.than {
            _ if developing::knows(&check.what) => {
                developing::measure(&check.what, &check.which, rows, &developments).map_err(said)?
            }
            than if !course.is_empty() => {
                course::measure(&check.what, &check.which, than.as_ref(), &course).map_err(said)?
            }
            None => of(&check.which)?,
            Some(than) => of(&check.which)?.zip(of(than)?).map(|(found, other)| found / other),
        };
        let band = check.quick.filter(|_| quick).unwrap_or(check.band);
        let (holds, expected) = (band.holds(found), band.in_words());
        findings.push(Finding { check: check.clone(), found, holds, expected });
    }
    let Experiment { name, expected, .. } = experiment;
    Ok(ExperimentReport {
        name: name.clone(),
        title: expected.title.clone(),
        paper: expected.paper.clone(),
        verdict: verdict(&findings),
        findings,
        networks: rows.len() + course.len(),
        course,
        developments,
        comparison: compared.map(|(found, _)| found),
    })
}

fn over_pairs(
    what: &str,
    which: &BTreeMap<String, toml::Value>,
    found: &Comparison,
    trained: &[Row],
) -> Result<Option<f64>, ReproduceError> {
    let mut picked = vec![];
    for row in trained {
        if picks(which, row).map_err(|problem| wrong(what, problem))? {
            picked.push(row.name.as_str());
        }
    }
    Ok(comparing::measure(what, found, trained, &picked))
}

fn verdict(findings: &[Finding]) -> Agreement {
    let told = findings.iter().filter(|finding| finding.check.source == Authority::Paper);
    let told: Vec<bool> = told.filter_map(|finding| finding.holds).collect();
    match told.iter().filter(|holds| **holds).count() {
        0 => Agreement::Not,
        held if held == told.len() => Agreement::Reproduced,
        _ => Agreement::Partly,
    }
}
