//! Whether what we find is what the paper says.

use super::expected::Source;
use super::{Check, Experiment, ReproduceError, measure};
use crate::sweep::{Row, SweepFolder};
use serde::Serialize;

/// Whether an experiment agrees with the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
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
pub struct Report {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// What the paper says.
    pub paper: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// Number by number.
    pub findings: Vec<Finding>,
    /// Networks that it rests on.
    pub networks: usize,
}

/// Measures what an experiment asks for and compares it with the paper.
pub fn judge(
    experiment: &Experiment,
    rows: &[Row],
    folder: &SweepFolder,
    quick: bool,
) -> Result<Report, ReproduceError> {
    let mut findings = vec![];
    for check in &experiment.expected.checks {
        let of = |which| measure(&check.what, which, rows, folder);
        let found = match &check.than {
            None => of(&check.which)?,
            Some(than) => of(&check.which)?.zip(of(than)?).map(|(found, other)| found / other),
        };
        let band = check.quick.filter(|_| quick).unwrap_or(check.band);
        let (holds, expected) = (band.holds(found), band.in_words());
        findings.push(Finding { check: check.clone(), found, holds, expected });
    }
    let Experiment { name, expected, .. } = experiment;
    Ok(Report {
        name: name.clone(),
        title: expected.title.clone(),
        paper: expected.paper.clone(),
        verdict: verdict(&findings),
        findings,
        networks: rows.len(),
    })
}

fn verdict(findings: &[Finding]) -> Verdict {
    let told = findings.iter().filter(|finding| finding.check.source == Source::Paper);
    let told: Vec<bool> = told.filter_map(|finding| finding.holds).collect();
    match told.iter().filter(|holds| **holds).count() {
        0 => Verdict::Not,
        held if held == told.len() => Verdict::Reproduced,
        _ => Verdict::Partly,
    }
}
