//! The claims, figures and doubts of a page, in words.

use super::composition::whole_state;
use crate::claims::Claim;
use crate::code::Interval;
use crate::interpret::{Interpretation, Reason, RecordingSummary, Shuffled, StateView, Verdict, WholeState};
use crate::network::{CellKind, Network};
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

/// The part of the state that was looked at, and what the whole of it comes to; nothing where there is no choice.
pub(super) fn state(network: &Network, found: &Interpretation) -> Option<String> {
    let (seen, size, layers) = (found.hidden, network.state_size(), network.layers.len());
    let whole = whole_state(network);
    match (&found.whole_state, found.state) {
        (Some(WholeState { size, verdict, claims, .. }), _) => {
            let too = if *verdict == found.verdict { " too" } else { "" };
            let how = if claims.iter().all(|claim| claim.holds) { all_hold(claims) } else { failures(claims) };
            let units = if layers > 1 { "the units h of every layer" } else { "the units h" };
            Some(format!(
                "All of this is about {units}, {seen} of the {size} numbers that the network keeps. On the whole state \
                 {whole} the verdict is {}{too}: {how}.",
                verdict.name()
            ))
        }
        (None, StateView::Whole) if network.has_inner_state() => {
            Some(format!("All of this is about the whole state {whole}, {size} numbers."))
        }
        _ if layers > 1 => Some(format!("All of this is about the units of all {layers} layers together.")),
        _ => None,
    }
}

fn all_hold(claims: &[Claim]) -> String {
    match claims.len() {
        0 => "there is nothing to claim".into(),
        count => format!("all {count} claims hold"),
    }
}

/// How many claims fail, and the first of them.
pub(super) fn failures(claims: &[Claim]) -> String {
    let failed: Vec<&Claim> = claims.iter().filter(|claim| !claim.holds).collect();
    let first = failed.first().map_or("", |claim| claim.statement);
    match failed.len() {
        0 => "see the doubts".into(),
        1 => format!("one of {} claims fails, that {first}", claims.len()),
        count => format!("{count} of {} claims fail, among them that {first}", claims.len()),
    }
}

pub(super) fn figures(found: &Interpretation) -> Vec<Figure> {
    let mut figures = vec![];
    if let Some(accuracy) = found.accuracy {
        let note = format!("share of right signs over {} output steps; chance is 0.5", accuracy.horizon);
        figures.push(Figure { name: "Accuracy", value: format!("{:.4}", accuracy.value), note });
    }
    if let Some(code) = &found.code {
        let control = found.control.as_ref().map_or(String::new(), |control| {
            let what = match control.shuffled {
                Shuffled::Phases => "phases drawn anew",
                Shuffled::RecurrentWeights => "the weights shuffled",
                Shuffled::Episodes => "episodes shuffled",
            };
            format!("; with {what} {:.2}", control.explained)
        });
        let moment = code.at_one_moment.map_or(String::new(), |at| match at.with_products {
            Some(with) => format!(
                "; at output step {} contents alone {:.4}, with products of two {with:.4}",
                at.step, at.explained
            ),
            None => format!("; by a code of output step {} alone {:.4}", at.step, at.explained),
        });
        let note = format!("share of the states' variance that the contents explain{moment}{control}");
        figures.push(Figure { name: "Explained", value: format!("{:.4}", code.explained), note });
        if let Some(recording) = &found.recording {
            figures.extend(recording_figures(recording));
        }
        let note = format!("contents that are read from the state, the worst {:.4} right", code.worst);
        figures.push(Figure { name: "Contents read", value: format!("{} of {}", code.read, code.count), note });
    }
    let orbit = found.spectrum.lasting();
    if orbit.expected.is_some() && found.rank.is_some() {
        figures.push(match orbit.error {
            Some(error) => {
                let note = "mean angle error of the eigenvalues".into();
                Figure { name: "Spectral error", value: format!("{error:.1e} rad"), note }
            }
            None => {
                let value = format!("{} of {}", orbit.found, orbit.expected.unwrap_or(0));
                let note = "those that theory asks for last; where the counts differ, angles cannot be compared".into();
                Figure { name: "Lasting eigenvalues", value, note }
            }
        });
    }
    figures
}

/// What recordings say beside it.
fn recording_figures(recording: &RecordingSummary) -> Vec<Figure> {
    let Interval { value, low, high } = recording.worst_reading;
    let noise = recording.noise.as_ref().map_or(String::new(), |noise| {
        format!("; noise, {:.2} of the variance, allows {:.3}", noise.share, noise.allowed)
    });
    let null = &recording.null;
    vec![
        Figure {
            name: "Worst reading",
            value: format!("{value:.3}"),
            note: format!("right signs from one state, 95 % interval {low:.3} to {high:.3}, cross-validated{noise}"),
        },
        Figure {
            name: "Against shuffled inputs",
            value: format!("p = {:.2}", null.p),
            note: format!("{} draws; the contents stand out by {:.0} standard deviations", null.draws, null.stands_out),
        },
    ]
}

/// What the picture of the weights shows, in a heading: a circuit is called one only where it is one.
pub(super) fn weights_heading(network: Option<&Network>, found: &Interpretation) -> String {
    match found.code.as_ref().map(|code| code.rows) {
        Some(_) if found.verdict == Verdict::Circuit && network.is_none() => "How contents move".into(),
        Some(_) if found.verdict == Verdict::Circuit && network.and_then(Network::kind) == Some(CellKind::Ssm) => {
            "Turning modes make a circuit".into()
        }
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

pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect::<String>() + ".")
}
