//! Where descents start.

use super::descent::{Descent, Ending};
use super::{FixedPointParams, Found};
use crate::network::Dynamics;
use crate::random::{Purpose, Stream};
use faer::MatRef;

/// The origin, random states, random states after a while, and visited states at even distances.
pub(super) fn first_starts<C: Dynamics>(search: &Descent<'_, C>, visited: Option<MatRef<'_, f64>>) -> Vec<Vec<f64>> {
    let (params, size) = (search.params, search.cell.state_size());
    let stream = Stream::new(params.seed, Purpose::Starts);
    let random = |start: usize| {
        let mut state = vec![0.0; size];
        stream.fill_uniform(start as u32, 0, &mut state);
        state.iter_mut().for_each(|x| *x = params.start_radius * (2.0 * *x - 1.0));
        state
    };
    let mut starts = vec![vec![0.0; size]];
    starts.extend((0..params.random_starts).map(random));
    starts.extend((0..params.settled_starts).map(|start| search.settle(random(start), params.settle_steps)));
    if let Some(visited) = visited.filter(|visited| visited.ncols() > 0) {
        let count = visited.ncols().min(params.visited_starts);
        let column = |k: usize| visited.col(k * visited.ncols() / count).iter().copied().collect();
        starts.extend((0..count).map(column));
    }
    starts
}

/// Saddles lie between attractors, and symmetric networks repeat themselves on the far side: for pairs of fixed points
/// the middle, and each mirrored at the other; as many as `round_starts`, at even distances in the list of pairs.
pub(super) fn further_starts(all: &[Ending], unique: &[Found], params: &FixedPointParams) -> Vec<Vec<f64>> {
    let fixed: Vec<&[f64]> =
        unique.iter().map(|found| &all[found.ending]).filter(|e| e.q <= params.tol_q).map(|e| &e.state[..]).collect();
    let pairs: Vec<(usize, usize)> = (0..fixed.len()).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let (choices, count) = (3 * pairs.len(), (3 * pairs.len()).min(params.round_starts));
    let start = |k: usize| {
        let choice = k * choices / count;
        let (a, b) = pairs[choice / 3];
        let weight = [0.5, 2.0, -1.0][choice % 3];
        fixed[a].iter().zip(fixed[b]).map(|(x, y)| weight * x + (1.0 - weight) * y).collect()
    };
    (0..count).map(start).collect()
}
