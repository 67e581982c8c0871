//! Two networks on one clock, side by side.

use super::data::{PageData, page_data};
use super::frame::{PAIR, assembled};
use super::{Provenance, ReportError};
use crate::compare::{MEASURES, Pair, PairClaim};
use crate::interpret::Interpretation;
use crate::network::Network;
use serde::Serialize;

/// One of the two networks of a page.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The network.
    pub network: &'a Network,
    /// What was found in it.
    pub found: &'a Interpretation,
    /// Where it comes from.
    pub provenance: &'a Provenance,
}

#[derive(Serialize)]
struct PairData<'a> {
    sides: [PageData<'a>; 2],
    /// What came of comparing them, where that was asked.
    comparison: Option<Compared<'a>>,
}

/// A comparison as the page shows it.
#[derive(Serialize)]
struct Compared<'a> {
    verdict: &'static str,
    definition: &'static str,
    reasons: &'a [String],
    claims: Vec<ComparedClaim>,
    /// Each measure of how far the two are apart, by name.
    measures: Vec<(&'static str, Option<f64>)>,
}

#[derive(Serialize)]
struct ComparedClaim {
    statement: &'static str,
    figure: String,
    holds: bool,
}

/// The page of two networks: the same time, the same inputs where both take them, and what came of comparing them, where that
/// was asked.
pub fn page_of_two(left: &Side<'_>, right: &Side<'_>, pair: Option<&Pair>) -> Result<String, ReportError> {
    let title = format!("{} and {}", left.provenance.title, right.provenance.title);
    let sides = [data(left)?, data(right)?];
    assembled(&PAIR, &title, &PairData { sides, comparison: pair.map(compared) })
}

fn compared(pair: &Pair) -> Compared<'_> {
    let claim = |of: &PairClaim| ComparedClaim { statement: of.statement, figure: of.figure(), holds: of.holds };
    Compared {
        verdict: pair.verdict.name(),
        definition: pair.verdict.definition(),
        reasons: &pair.reasons,
        claims: pair.claims.iter().map(claim).collect(),
        measures: MEASURES.iter().map(|(name, value)| (*name, value(pair))).collect(),
    }
}

fn data<'a>(side: &Side<'a>) -> Result<PageData<'a>, ReportError> {
    page_data(Some(side.network), side.found, side.provenance)
}
