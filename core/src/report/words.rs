//! The verdict in one sentence, and the figures beside it.

use crate::claims::Claim;
use crate::interpret::{Interpretation, Reason, Verdict};
use serde::Serialize;

/// A number with its name and what it means.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Figure {
    name: &'static str,
    value: String,
    note: String,
}

/// A claim as a person reads it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct ClaimWords {
    name: &'static str,
    statement: String,
    holds: bool,
    /// The figure and its limit.
    figure: String,
    detail: String,
}

pub(super) fn claims(found: &Interpretation) -> Vec<ClaimWords> {
    let words = |claim: &Claim| ClaimWords {
        name: claim.name.name(),
        statement: capital(claim.statement),
        holds: claim.holds,
        figure: claim.figure(),
        detail: claim.detail.clone(),
    };
    found.claims.iter().map(words).collect()
}

pub(super) fn sentence(found: &Interpretation) -> String {
    let task = &found.task;
    let count = found.code.as_ref().map_or(0, |code| code.count);
    let name = task.name.as_deref().unwrap_or("its task");
    let units = found.hidden;
    match found.verdict {
        Verdict::Circuit if found.blind => format!(
            "This network is a circuit: its {units} units hold {} variables in {count} memories, and what it computes \
             was read back without being told.",
            task.s
        ),
        Verdict::Circuit => format!(
            "This network is a circuit: its {units} units hold {} variables in {count} memories and compute {name}.",
            task.s
        ),
        Verdict::Superposed => format!(
            "This network holds {count} contents in {} lasting directions: they are superposed, and {} of them cannot be \
             read linearly.",
            found.spectrum.orbit.found,
            found.not_linear.len()
        ),
        Verdict::Partial if task.name.is_none() => {
            "What this network computes could be read for some of its outputs only.".into()
        }
        Verdict::Partial => format!("This network is no circuit of {name}: {}.", failures(found)),
        Verdict::NotLearned if matches!(found.reasons.first(), Some(Reason::Silent { .. })) => {
            "This network falls silent when the input ends: it has learned nothing that lasts.".into()
        }
        Verdict::NotLearned if task.name.is_none() => {
            "No function could be read from this network: what it does after the input follows no rule of this kind."
                .into()
        }
        Verdict::NotLearned => format!("This network has not learned {name}."),
        Verdict::NotHeld => "The outputs are right, but these states do not hold the contents.".into(),
        Verdict::Unclear if task.name.is_none() => {
            "What this network computes cannot be told from what it does.".into()
        }
        Verdict::Unclear => format!("How this network computes {name} cannot be told."),
    }
}

/// How many claims fail, and the first of them.
fn failures(found: &Interpretation) -> String {
    let failed: Vec<&Claim> = found.claims.iter().filter(|claim| !claim.holds).collect();
    let first = failed.first().map_or("", |claim| claim.statement);
    match failed.len() {
        0 => "see the doubts".into(),
        1 => format!("one of {} claims fails, that {first}", found.claims.len()),
        count => format!("{count} of {} claims fail, among them that {first}", found.claims.len()),
    }
}

pub(super) fn figures(found: &Interpretation) -> Vec<Figure> {
    let mut figures = vec![];
    if let Some(accuracy) = found.accuracy {
        let note = format!("share of right signs over {} output steps; chance is 0.5", accuracy.horizon);
        figures.push(Figure { name: "Accuracy", value: format!("{:.4}", accuracy.value), note });
    }
    if let Some(code) = &found.code {
        let control = found
            .control
            .as_ref()
            .map_or(String::new(), |control| format!("; with the weights shuffled {:.2}", control.explained));
        let note = format!("share of the states' variance that the contents explain{control}");
        figures.push(Figure { name: "Explained", value: format!("{:.4}", code.explained), note });
        let note = format!("contents that are read from the state, the worst {:.4} right", code.worst);
        figures.push(Figure { name: "Contents read", value: format!("{} of {}", code.read, code.count), note });
    }
    let orbit = &found.spectrum.orbit;
    if orbit.expected.is_some() && found.rank.is_some() {
        let value = orbit.error.map_or("---".into(), |error| format!("{error:.1e} rad"));
        let note = match orbit.error {
            Some(_) => "mean angle error of the eigenvalues".to_string(),
            None => format!("{} lasting eigenvalues of {}", orbit.found, orbit.expected.unwrap_or(0)),
        };
        figures.push(Figure { name: "Spectral error", value, note });
    }
    figures
}

/// What the picture of the weights shows, in a heading: a circuit is called one only where it is one.
pub(super) fn weights_heading(found: &Interpretation) -> String {
    match found.code.as_ref().map(|code| code.rows) {
        Some(_) if found.verdict == Verdict::Circuit => "Noise turns into a circuit".into(),
        Some(rows) => format!("Between the memories, {} of {} rows are the circuit's", rows.right(), rows.all()),
        None => "Weights".into(),
    }
}

/// The reasons and warnings, a sentence each.
pub(super) fn doubts(found: &Interpretation) -> Vec<String> {
    // Claims that fail stand in the list of claims.
    let beside = |reason: &&Reason| !matches!(reason, Reason::ClaimFails { .. } | Reason::EveryClaim { .. });
    let reasons = found.reasons.iter().filter(beside).map(|reason| capital(&reason.to_string()));
    reasons.chain(found.warnings.iter().map(|note| capital(&note.message))).collect()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect::<String>() + ".")
}
