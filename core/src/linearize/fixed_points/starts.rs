//! Where descents start.

use super::descent::{Descent, Ending};
use super::{FixedPointParams, Found, distance};
use crate::network::Dynamics;
use crate::numeric::Matrix;
use crate::random::{Purpose, Stream};
use faer::MatRef;

/// Most runs after pulses in one round; from more, those at even distances in the list.
const MOST_PULSES: usize = 1024;

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
    let choices = 3 * (fixed.len() * fixed.len().saturating_sub(1) / 2);
    let count = choices.min(params.round_starts);
    let start = |k: usize| {
        let choice = (k * choices / count + round) % choices;
        let (a, b) = pair(choice / 3);
        let weight = [0.5, 2.0, -1.0][choice % 3];
        fixed[a].iter().zip(fixed[b]).map(|(x, y)| weight * x + (1.0 - weight) * y).collect()
    };
    (0..count).map(start).collect()
}

/// The pairs (1, 0), (2, 0), (2, 1), (3, 0) ... by their place in this list, which may be too long to write down.
fn pair(place: usize) -> (usize, usize) {
    let mut a = ((1.0 + (1.0 + 8.0 * place as f64).sqrt()) / 2.0) as usize;
    while a * (a - 1) / 2 > place {
        a -= 1;
    }
    while a * (a + 1) / 2 <= place {
        a += 1;
    }
    (a, place - a * (a - 1) / 2)
}

/// Memories are written by inputs: where a pulse on each input, of either sign, leads from points that are known. Runs
/// that come back to a known point are no new starts.
pub(super) fn pulsed_starts<C: Dynamics>(search: &Descent<'_, C>, all: &[Ending], unique: &[Found]) -> Vec<Vec<f64>> {
    let (params, channels) = (search.params, search.cell.input_size());
    let known: Vec<&[f64]> = fixed_states(all, unique, params).collect();
    // The points farthest from the origin: memories lie around saddles.
    let from = &known[known.len().saturating_sub(params.pulsed_points)..];
    let (pulses, all_runs) = (2 * channels, 2 * channels * from.len());
    let runs: Vec<usize> = (0..all_runs.min(MOST_PULSES)).map(|k| k * all_runs / all_runs.min(MOST_PULSES)).collect();
    let states: Vec<Vec<f64>> = runs.iter().map(|run| from[run / pulses].to_vec()).collect();
    let mut input = search.inputs(runs.len());
    for (column, run) in runs.iter().enumerate() {
        let pulse = run % pulses;
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

/// States as columns.
pub(super) fn side_by_side(size: usize, states: &[Vec<f64>]) -> Matrix {
    Matrix::from_fn(size, states.len(), |i, j| states[j][i])
}

/// Columns as states.
pub(super) fn columns(states: &Matrix) -> Vec<Vec<f64>> {
    (0..states.ncols()).map(|j| states.col_as_slice(j).to_vec()).collect()
}
