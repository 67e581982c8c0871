//! Fixed points: states where a network stays, under zero or constant input.
//!
//! Minima of q = |F(h) - h|^2 / 2 from many starts (Sussillo and Barak, "Opening the black box", 2013), with the words
//! of fixed-point-finder (Golub and Sussillo, 2018). What is found suggests where else to look: between two points, on
//! the far side of each, where a pulse on an input leads from it, and where its unstable modes lead.

mod connections;
mod descent;
mod describe;
mod document;
mod doubt;
mod manifold;
mod params;
mod portrait;
mod starts;
#[cfg(test)]
mod tests;

pub use connections::{Arrival, Connection, UnstableMode};
pub use descent::Ending;
pub use describe::{Counts, FixedPoint, FixedPoints};
pub use doubt::FixedPointDoubt;
pub use manifold::{Shape, ShapeParams, SlowManifold};
pub use params::FixedPointParams;
pub use portrait::{PhasePortrait, phase_portrait};

use super::LinearizeError;
use crate::network::Dynamics;
use crate::numeric::{Matrix, NumericError, Svd};
use descent::Descent;
use describe::describe;
use faer::MatRef;
use rayon::prelude::*;
use starts::{first_starts, further_starts, pulsed_starts};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The search ends after so many rounds that find nothing new.
const ROUNDS_IN_VAIN: usize = 2;

/// Searches for the fixed points of a network under a constant input (zero if none is given).
///
/// The columns of `visited`, states of the network's own trajectories, serve as starts beside random ones.
/// Starts run side by side in the current thread pool; the result does not depend on how many threads it has. `watch` is told,
/// from any thread, whenever a descent ends: how many have ended, and of how many.
pub fn fixed_points<C: Dynamics + Sync>(
    cell: &C,
    input: Option<&[f64]>,
    visited: Option<MatRef<'_, f64>>,
    params: &FixedPointParams,
    watch: &Watch<'_>,
) -> Result<FixedPoints, LinearizeError> {
    let input = checked_input(cell, input, visited)?;
    let mut search = Search::new(cell, &input, params, watch);
    search.begin(visited)?;
    let late = search.out_of_time();
    let mut points = describe(&search.descent, search.all, &search.unique)?;
    points.doubts.extend(late);
    Ok(points)
}

/// Told how many descents have ended, and of how many.
type Watch<'a> = dyn Fn(usize, usize) + Sync + 'a;

fn checked_input<C: Dynamics>(
    cell: &C,
    input: Option<&[f64]>,
    visited: Option<MatRef<'_, f64>>,
) -> Result<Vec<f64>, NumericError> {
    let input = input.map_or(vec![0.0; cell.input_size()], <[f64]>::to_vec);
    require_size("components of the constant input", input.len(), cell.input_size())?;
    require_size("rows of the visited states", visited.map_or(cell.state_size(), |v| v.nrows()), cell.state_size())?;
    Ok(input)
}

fn require_size(what: &'static str, found: usize, needed: usize) -> Result<(), NumericError> {
    if found == needed { Ok(()) } else { Err(NumericError::Size { what, found, needed }) }
}

/// A search on its way.
struct Search<'a, C> {
    descent: Descent<'a, C>,
    watch: &'a Watch<'a>,
    all: Vec<Ending>,
    unique: Vec<Found>,
    is_continuum: bool,
    /// When it began; nothing in a browser tab, which has no clock here, and so no limit.
    begin: Option<Instant>,
    /// Starts that there was no time for.
    left: usize,
}

impl<'a, C: Dynamics + Sync> Search<'a, C> {
    fn new(cell: &'a C, input: &'a [f64], params: &'a FixedPointParams, watch: &'a Watch<'a>) -> Self {
        let descent = Descent { cell, input, params };
        let begin = (!cfg!(target_family = "wasm")).then(Instant::now);
        Self { descent, watch, all: vec![], unique: vec![], is_continuum: false, begin, left: 0 }
    }

    /// The first starts, and rounds of further ones until nothing new comes.
    fn begin(&mut self, visited: Option<MatRef<'_, f64>>) -> Result<(), LinearizeError> {
        self.descend(first_starts(&self.descent, visited));
        // On a continuum every start ends at a point of its own, and more starts would tell nothing more.
        self.is_continuum = is_continuum(&self.descent, &self.all, &self.unique)?;
        self.rounds();
        Ok(())
    }

    /// Whether the time that the search was given is over.
    fn is_over(&self) -> bool {
        self.begin.is_some_and(|begin| begin.elapsed().as_secs_f64() >= self.descent.params.time_limit)
    }

    /// What speaks against a search that had no time for all of its starts.
    fn out_of_time(&self) -> Option<FixedPointDoubt> {
        let (seconds, left) = (self.descent.params.time_limit, self.left);
        self.is_over().then_some(FixedPointDoubt::TimeLimit { seconds, left })
    }

    fn rounds(&mut self) {
        let mut in_vain = 0;
        let rounds = if self.is_continuum { 0 } else { self.descent.params.max_rounds };
        for round in 0..rounds {
            if self.is_over() {
                break;
            }
            let mut starts = further_starts(&self.all, &self.unique, self.descent.params, round);
            starts.extend(pulsed_starts(&self.descent, &self.all, &self.unique));
            in_vain = if self.descend(starts) { 0 } else { in_vain + 1 };
            if in_vain == ROUNDS_IN_VAIN {
                break;
            }
        }
    }

    /// Descends from more starts; whether they found anything new.
    fn descend(&mut self, starts: Vec<Vec<f64>>) -> bool {
        let (of, ended) = (self.all.len() + starts.len(), AtomicUsize::new(self.all.len()));
        let reach = reach(starts_of(&self.all).chain(&starts), self.descent.params);
        let asked = starts.len();
        let one = |start| {
            if self.is_over() {
                return None;
            }
            let ending = self.descent.run(start, reach);
            (self.watch)(ended.fetch_add(1, Ordering::Relaxed) + 1, of);
            Some(ending)
        };
        let more: Vec<Ending> = starts.into_par_iter().filter_map(one).collect();
        self.left += asked - more.len();
        self.all.extend(more);
        let known = self.unique.len();
        self.unique = distinct(&self.all, self.descent.params);
        self.unique.len() > known
    }
}

/// A point found, and how many starts reached it.
#[derive(Clone)]
struct Found {
    ending: usize,
    reached: usize,
}

/// How far out a slow state may lie, in any component: beyond the starts a gate that saturates makes everything slow, and the
/// network never goes there.
fn reach<'a>(starts: impl Iterator<Item = &'a Vec<f64>>, params: &FixedPointParams) -> f64 {
    params.outlier_scale * starts.flatten().fold(0.0, |most: f64, x| most.max(x.abs()))
}

fn starts_of(all: &[Ending]) -> impl Iterator<Item = &Vec<f64>> {
    all.iter().map(|ending| &ending.x_init)
}

fn is_within(state: &[f64], reach: f64) -> bool {
    state.iter().all(|x| x.abs() <= reach)
}

/// Endings that are fixed or slow, each place once with its smallest q; the fixed ones first.
fn distinct(all: &[Ending], params: &FixedPointParams) -> Vec<Found> {
    let reach = reach(starts_of(all), params);
    let counts =
        |k: &usize| all[*k].q <= params.tol_q || (all[*k].q <= params.slow_q && is_within(&all[*k].state, reach));
    let mut order: Vec<usize> = (0..all.len()).filter(counts).collect();
    order.sort_by(|a, b| all[*a].q.total_cmp(&all[*b].q));
    let mut found: Vec<Found> = Vec::new();
    for ending in order {
        let same = |known: &&mut Found| distance(&all[known.ending].state, &all[ending].state) < params.tol_unique;
        match found.iter_mut().find(same) {
            Some(known) => known.reached += 1,
            None => found.push(Found { ending, reached: 1 }),
        }
    }
    let away = |found: &Found| norm(&all[found.ending].state);
    let fixed = found.partition_point(|found| all[found.ending].q <= params.tol_q);
    found[..fixed].sort_by(|a, b| away(a).total_cmp(&away(b)));
    found
}

fn norm(a: &[f64]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// The singular values of `J - I`, falling: one near zero is a direction in which a fixed point may go on.
fn singular_values(slope: &Matrix) -> Result<Vec<f64>, NumericError> {
    Ok(Svd::of(slope)?.values)
}

/// Whether enough of the first fixed points for a continuum are degenerate; others may lie inside it, as in a ring.
fn is_continuum<C: Dynamics>(search: &Descent<'_, C>, all: &[Ending], unique: &[Found]) -> Result<bool, NumericError> {
    let params = search.params;
    let fixed = unique.iter().map(|found| &all[found.ending]).filter(|ending| ending.q <= params.tol_q);
    let mut degenerate = 0;
    for ending in fixed.take(2 * params.continuum_points) {
        let smallest = singular_values(&search.slope_at(&ending.state))?.last().copied();
        degenerate += usize::from(smallest.is_some_and(|smallest| smallest < params.degenerate));
    }
    Ok(degenerate >= params.continuum_points)
}
