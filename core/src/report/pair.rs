//! Two networks on one clock, side by side.

use super::data::{PageData, page_data};
use super::frame::{PAIR, assembled};
use super::{Provenance, ReportError};
use crate::interpret::Interpretation;
use crate::network::Network;
use serde::Serialize;

/// One of the two.
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
}

/// The page of two networks: the same time, and the same inputs where both take them.
pub fn page_of_two(left: &Side<'_>, right: &Side<'_>) -> Result<String, ReportError> {
    let title = format!("{} and {}", left.provenance.title, right.provenance.title);
    let sides = [data(left)?, data(right)?];
    assembled(&PAIR, &title, &PairData { sides })
}

fn data<'a>(side: &Side<'a>) -> Result<PageData<'a>, ReportError> {
    page_data(Some(side.network), side.found, side.provenance)
}
