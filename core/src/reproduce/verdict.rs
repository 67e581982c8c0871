//! Whether what we find is what the paper says.

use super::comparing::{self, QUANTITIES};
use super::course::{self, CourseRow};
use super::developing;
use super::expected::Authority;
use super::measure::{measure, picked};
use super::records::Which;
use super::{Check, Experiment, ReproduceError};
use crate::compare::Comparison;
use crate::develop::Development;
use crate::sweep::{Row, SweepFolder};
use serde::Serialize;

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

/// What findings rest on.
struct Evidence<'a> {
    rows: &'a [Row],
    folder: &'a SweepFolder,
    course: Vec<CourseRow>,
    developments: Vec<Development>,
    /// One comparison answers every question about pairs; with one network there is none.
    compared: Option<(Comparison, Vec<Row>)>,
}

impl Evidence<'_> {
    /// The number that a check asks for.
    fn number(&self, Check { what, which, than, .. }: &Check) -> Result<Option<f64>, String> {
        let of = |which: &Which| match &self.compared {
            Some((found, trained)) if asks_for_pairs(what) => {
                let picked: Vec<&str> = picked(which, trained)?.iter().map(|row| row.name.as_str()).collect();
                Ok(comparing::measure(what, found, trained, &picked))
            }
            None if asks_for_pairs(what) => Ok(None),
            _ => measure(what, which, self.rows, self.folder),
        };
        match than {
            _ if developing::knows(what) => developing::measure(what, which, self.rows, &self.developments),
            than if !self.course.is_empty() => course::measure(what, which, than.as_ref(), &self.course),
            None => of(which),
            Some(than) => Ok(of(which)?.zip(of(than)?).map(|(found, other)| found / other)),
        }
    }
}

fn asks_for_pairs(what: &str) -> bool {
    QUANTITIES.contains(&what)
}

/// Measures what an experiment asks for and compares it with the paper.
pub fn judge(
    experiment: &Experiment,
    rows: &[Row],
    course: Vec<CourseRow>,
    folder: &SweepFolder,
    quick: bool,
) -> Result<ExperimentReport, ReproduceError> {
    let Experiment { name, expected, .. } = experiment;
    let wrong = |what: &str, problem| ReproduceError::Measure { what: what.into(), problem };
    let asks = |of: fn(&str) -> bool| expected.checks.iter().map(|check| check.what.as_str()).find(|what| of(what));
    let developments = asks(developing::knows)
        .map(|what| developing::develop_all(rows, folder).map_err(|problem| wrong(what, problem)))
        .transpose()?
        .unwrap_or_default();
    let compared = asks(asks_for_pairs)
        .filter(|_| rows.len() > 1)
        .map(|what| comparing::compare_all(rows, folder).map_err(|problem| wrong(what, problem)))
        .transpose()?;
    let evidence = Evidence { rows, folder, course, developments, compared };
    let mut findings = vec![];
    for check in &expected.checks {
        let found = evidence.number(check).map_err(|problem| wrong(&check.what, problem))?;
        let band = check.quick.filter(|_| quick).unwrap_or(check.band);
        let (holds, expected) = (band.holds(found), band.in_words());
        findings.push(Finding { check: check.clone(), found, holds, expected });
    }
    let Evidence { course, developments, compared, .. } = evidence;
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

fn verdict(findings: &[Finding]) -> Agreement {
    let told = findings.iter().filter(|finding| finding.check.source == Authority::Paper);
    let told: Vec<bool> = told.filter_map(|finding| finding.holds).collect();
    match told.iter().filter(|holds| **holds).count() {
        0 => Agreement::Not,
        held if held == told.len() => Agreement::Reproduced,
        _ => Agreement::Partly,
    }
}
