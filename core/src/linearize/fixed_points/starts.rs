//! Where descents start.

use super::descent::{Descent, Ending};
use super::{FixedPointParams, Found, distance};
use crate::network::Dynamics;
use crate::numeric::Matrix;
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
    let before: Vec<Vec<f64>> = (0..params.settled_starts).map(random).collect();
    starts.extend(settled(search, &before));
    if let Some(visited) = visited.filter(|visited| visited.ncols() > 0) {
        let count = visited.ncols().min(params.visited_starts);
        let column = |k: usize| visited.col(k * visited.ncols() / count).iter().copied().collect();
        starts.extend((0..count).map(column));
    }
    starts
}

/// States after the network has run on from them.
fn settled<C: Dynamics>(search: &Descent<'_, C>, states: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let input = search.inputs(states.len());
    columns(&search.run_on(side_by_side(search.cell.state_size(), states), &input, search.params.settle_steps))
}

/// Saddles lie between attractors, and symmetric networks repeat themselves on the far side: for pairs of fixed points
/// the middle, and each mirrored at the other; as many as `round_starts`, at even distances in the list of pairs, others in
/// every round.
pub(super) fn further_starts(
    all: &[Ending],
    unique: &[Found],
    params: &FixedPointParams,
    round: usize,
) -> Vec<Vec<f64>> {
    let fixed: Vec<&[f64]> = fixed_states(all, unique, params).collect();
    let pairs: Vec<(usize, usize)> = (0..fixed.len()).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let (choices, count) = (3 * pairs.len(), (3 * pairs.len()).min(params.round_starts));
    let start = |k: usize| {
        let choice = (k * choices / count + round) % choices;
        let (a, b) = pairs[choice / 3];
        let weight = [0.5, 2.0, -1.0][choice % 3];
        fixed[a].iter().zip(fixed[b]).map(|(x, y)| weight * x + (1.0 - weight) * y).collect()
    };
    (0..count).map(start).collect()
}

/// Memories are written by inputs: where a pulse on each input, of either sign, leads from points that are known. Runs
/// that come back to a known point are no new starts.
pub(super) fn pulsed_starts<C: Dynamics>(search: &Descent<'_, C>, all: &[Ending], unique: &[Found]) -> Vec<Vec<f64>> {
    let (params, channels) = (search.params, search.cell.input_size());
    let known: Vec<&[f64]> = fixed_states(all, unique, params).collect();
    // The points farthest from the origin: memories lie around saddles.
    let from = &known[known.len().saturating_sub(params.pulsed_points)..];
    let pulses = 2 * channels;
    let states: Vec<Vec<f64>> = from.iter().flat_map(|state| (0..pulses).map(|_| state.to_vec())).collect();
    if states.is_empty() {
        return vec![];
    }
    let mut input = search.inputs(states.len());
    for column in 0..states.len() {
        let pulse = column % pulses;
        input[(pulse / 2, column)] += if pulse % 2 == 0 { 1.0 } else { -1.0 };
    }
    let pushed = search.run_on(side_by_side(search.cell.state_size(), &states), &input, params.pulse_steps);
    let mut fresh: Vec<Vec<f64>> = vec![];
    for state in settled(search, &columns(&pushed)) {
        let near = |other: &[f64]| distance(other, &state) < params.tol_unique;
        if !known.iter().any(|other| near(other)) && !fresh.iter().any(|other| near(other)) {
            fresh.push(state);
        }
    }
    fresh.truncate(params.round_starts);
    fresh
}

fn fixed_states<'a>(
    all: &'a [Ending],
    unique: &'a [Found],
    params: &'a FixedPointParams,
) -> impl Iterator<Item = &'a [f64]> {
    unique.iter().map(|found| &all[found.ending]).filter(|e| e.q <= params.tol_q).map(|e| &e.state[..])
}

pub(super) fn side_by_side(size: usize, states: &[Vec<f64>]) -> Matrix {
    Matrix::from_fn(size, states.len(), |i, j| states[j][i])
}

pub(super) fn columns(states: &Matrix) -> Vec<Vec<f64>> {
    (0..states.ncols()).map(|j| states.col_as_slice(j).to_vec()).collect()
}
