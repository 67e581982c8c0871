//! The phase portrait: points, what connects them, and the slow manifold.

use super::connections::{Arrival, Connection, follow};
use super::describe::describe;
use super::manifold::{SlowManifold, slow_manifold};
use super::{FixedPointParams, FixedPoints, Search, Watch, checked_input};
use crate::linearize::LinearizeError;
use crate::network::Dynamics;
use faer::MatRef;

/// Rounds in which unstable modes that lead to unknown places send the search there.
const MAX_ROUNDS: usize = 4;

/// Fixed points with what lies between them.
#[derive(Clone, Debug)]
pub struct PhasePortrait {
    /// The points.
    pub points: FixedPoints,
    /// Where the unstable modes lead, by the index of the point that they leave.
    pub connections: Vec<Connection>,
    /// The slow states that lie apart from isolated fixed points, where there are enough of them to be a set.
    pub slow_manifold: Option<SlowManifold>,
}

/// Searches for fixed points as [`fixed_points`](super::fixed_points()) does, follows the unstable modes of
/// each, and goes on searching where these lead to places that are not known yet. Runs along modes count as descents to
/// `watch`.
pub fn phase_portrait<C: Dynamics + Sync>(
    cell: &C,
    input: Option<&[f64]>,
    visited: Option<MatRef<'_, f64>>,
    params: &FixedPointParams,
    watch: &Watch<'_>,
) -> Result<PhasePortrait, LinearizeError> {
    let input = checked_input(cell, input, visited)?;
    let mut search = Search::new(cell, &input, params, watch);
    search.begin(visited)?;
    let mut round = 0;
    loop {
        let mut points = describe(&search.descent, search.all.clone(), &search.unique)?;
        let ended = search.all.len();
        let followed = follow(&search.descent, &points, &|done, of| watch(ended + done, ended + of))?;
        round += 1;
        let unknown = followed.iter().filter(|(connection, _)| connection.arrival == Arrival::Slow);
        let unknown: Vec<Vec<f64>> = unknown.map(|(_, end)| end.clone()).collect();
        if round < MAX_ROUNDS
            && !search.is_over()
            && !search.is_continuum
            && !unknown.is_empty()
            && search.descend(unknown)
        {
            search.rounds();
            continue;
        }
        points.doubts.extend(search.out_of_time());
        let slow_manifold = slow_manifold(&points, params)?;
        let connections = followed.into_iter().map(|(connection, _)| connection).collect();
        return Ok(PhasePortrait { points, connections, slow_manifold });
    }
}
