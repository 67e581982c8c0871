//! Fixed points: states where a network stays, under zero or constant input.
//!
//! Minima of q = |F(h) - h|^2 / 2 from many starts (Sussillo and Barak, "Opening the black box", 2013), with the words
//! of fixed-point-finder (Golub and Sussillo, 2018). What is found suggests where else to look: between two points and
//! on the far side of each.

mod descent;
mod doubt;
mod starts;
#[cfg(test)]
mod tests;

pub use descent::Ending;
pub use doubt::FixedPointDoubt;

use super::LinearizeError;
use crate::network::Dynamics;
use crate::numeric::{Matrix, NumericError, Svd, c64, eigenvalues};
use descent::Descent;
use faer::MatRef;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use starts::{first_starts, further_starts};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How fixed points are searched for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FixedPointParams {
    /// Random starting states.
    pub random_starts: usize,
    /// Random starts are uniform in a cube from minus to plus this.
    pub start_radius: f64,
    /// Random starts that also serve after the network has run on from them: these find what attracts.
    pub settled_starts: usize,
    /// Steps that the network runs on.
    pub settle_steps: usize,
    /// Most of the visited states that serve as starts.
    pub visited_starts: usize,
    /// Rounds of starts between and beyond the points found; a round that finds nothing new is the last.
    pub max_rounds: usize,
    /// Starts in such a round.
    pub round_starts: usize,
    /// Steps of a descent.
    pub max_iters: usize,
    /// A point with q up to this is fixed.
    pub tol_q: f64,
    /// A point with a larger q up to this is slow: the network lingers there.
    pub slow_q: f64,
    /// Points nearer than this (Euclidean) are one.
    pub tol_unique: f64,
    /// A point where `J - I` has a smaller singular value is degenerate.
    pub degenerate: f64,
    /// From so many degenerate points on they are a continuum, and no more of them are kept.
    pub continuum_points: usize,
    /// Points that are described, those nearest the origin first; the others are only counted.
    pub max_points: usize,
    /// A spectral radius nearer than this to 1 leaves stability uncertain.
    pub marginal: f64,
    /// A larger share of starts that end nowhere is worth a doubt.
    pub lost_limit: f64,
    /// Seed of the random starts.
    pub seed: u64,
}

impl Default for FixedPointParams {
    fn default() -> Self {
        Self {
            random_starts: 128,
            start_radius: 1.0,
            settled_starts: 32,
            settle_steps: 100,
            visited_starts: 64,
            max_rounds: 8,
            round_starts: 96,
            max_iters: 200,
            tol_q: 1e-20,
            slow_q: 1e-6,
            tol_unique: 1e-3,
            degenerate: 1e-6,
            continuum_points: 8,
            max_points: 256,
            marginal: 1e-6,
            lost_limit: 0.5,
            seed: 0,
        }
    }
}

/// A fixed or slow point.
#[derive(Clone, Debug)]
pub struct FixedPoint {
    /// Where it is, how exactly, and the start that came closest.
    pub ending: Ending,
    /// Whether q is within `tol_q`; otherwise the point is slow.
    pub is_fixed: bool,
    /// Whether every eigenvalue lies inside the unit circle.
    pub is_stable: bool,
    /// Eigenvalues of the state Jacobian.
    pub eigenvalues: Vec<c64>,
    /// d F / d h, H x H.
    #[doc(alias = "J_xstar")]
    pub state_jacobian: Matrix,
    /// d F / d u, H x inputs.
    #[doc(alias = "dFdu")]
    pub input_jacobian: Matrix,
    /// Starts that ended here.
    pub reached: usize,
    /// What speaks against it.
    pub doubts: Vec<FixedPointDoubt>,
}

impl FixedPoint {
    /// The largest modulus of an eigenvalue.
    pub fn spectral_radius(&self) -> f64 {
        self.eigenvalues.iter().map(|z| z.re.hypot(z.im)).fold(0.0, f64::max)
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct FixedPoints {
    /// Every point once: fixed ones first, by distance from the origin, then slow ones by q.
    pub unique: Vec<FixedPoint>,
    /// Where each start ended.
    pub all: Vec<Ending>,
    /// What speaks against the set as a whole.
    pub doubts: Vec<FixedPointDoubt>,
}

impl FixedPoints {
    /// The points where the network stays.
    pub fn fixed(&self) -> impl Iterator<Item = &FixedPoint> {
        self.unique.iter().filter(|point| point.is_fixed)
    }

    /// The points where it lingers.
    pub fn slow(&self) -> impl Iterator<Item = &FixedPoint> {
        self.unique.iter().filter(|point| !point.is_fixed)
    }
}

/// Searches for the fixed points of a network under a constant input (zero if none is given).
///
/// The columns of `visited`, states of the network's own trajectories, serve as starts beside random ones.
/// Starts run side by side in the current thread pool; the result does not depend on how many threads it has.
pub fn fixed_points<C: Dynamics + Sync>(
    cell: &C,
    input: Option<&[f64]>,
    visited: Option<MatRef<'_, f64>>,
    params: &FixedPointParams,
) -> Result<FixedPoints, LinearizeError> {
    fixed_points_watched(cell, input, visited, params, &|_, _| ())
}

/// The same, and `watch` is told, from any thread, whenever a descent ends: how many have ended, and of how many.
pub fn fixed_points_watched<C: Dynamics + Sync>(
    cell: &C,
    input: Option<&[f64]>,
    visited: Option<MatRef<'_, f64>>,
    params: &FixedPointParams,
    watch: &(dyn Fn(usize, usize) + Sync),
) -> Result<FixedPoints, LinearizeError> {
    let zero = vec![0.0; cell.input_size()];
    let input = input.unwrap_or(&zero);
    require_size("components of the constant input", input.len(), cell.input_size())?;
    require_size("rows of the visited states", visited.map_or(cell.state_size(), |v| v.nrows()), cell.state_size())?;
    let search = Descent { cell, input, params };
    let ended = AtomicUsize::new(0);
    let run = |starts: Vec<Vec<f64>>, known: usize| {
        let of = known + starts.len();
        let descend = |start| {
            let ending = search.run(start);
            watch(ended.fetch_add(1, Ordering::Relaxed) + 1, of);
            ending
        };
        starts.into_par_iter().map(descend).collect::<Vec<_>>()
    };
    let mut all = run(first_starts(&search, visited), 0);
    let mut unique = distinct(&all, params);
    // On a continuum every start ends at a point of its own, and more starts would tell nothing more.
    let rounds = if is_continuum(&search, &all, &unique)? { 0 } else { params.max_rounds };
    for _ in 0..rounds {
        let starts = further_starts(&all, &unique, params);
        let more = run(starts, all.len());
        all.extend(more);
        let known = std::mem::replace(&mut unique, distinct(&all, params)).len();
        if unique.len() <= known {
            break;
        }
    }
    describe(&search, all, &unique)
}

fn require_size(what: &'static str, found: usize, needed: usize) -> Result<(), NumericError> {
    if found == needed { Ok(()) } else { Err(NumericError::Size { what, found, needed }) }
}

/// A point found, and how many starts reached it.
struct Found {
    ending: usize,
    reached: usize,
}

/// Endings that are fixed or slow, each place once with its smallest q; the fixed ones first.
fn distinct(all: &[Ending], params: &FixedPointParams) -> Vec<Found> {
    let mut order: Vec<usize> = (0..all.len()).filter(|k| all[*k].q <= params.slow_q).collect();
    order.sort_by(|a, b| all[*a].q.total_cmp(&all[*b].q));
    let mut found: Vec<Found> = Vec::new();
    for ending in order {
        let same = |known: &&mut Found| distance(&all[known.ending].state, &all[ending].state) < params.tol_unique;
        match found.iter_mut().find(same) {
            Some(known) => known.reached += 1,
            None => found.push(Found { ending, reached: 1 }),
        }
    }
    let norm = |found: &Found| all[found.ending].state.iter().map(|x| x * x).sum::<f64>();
    let fixed = found.partition_point(|found| all[found.ending].q <= params.tol_q);
    found[..fixed].sort_by(|a, b| norm(a).total_cmp(&norm(b)));
    found
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// The singular values of `J - I`, falling: one near zero is a direction in which a fixed point may go on.
fn singular_values<C: Dynamics>(search: &Descent<'_, C>, ending: &Ending) -> Result<Vec<f64>, NumericError> {
    Ok(Svd::of(&search.slope_at(&ending.state))?.values)
}

/// Whether there are enough fixed points for a continuum and the first of them are all degenerate.
fn is_continuum<C: Dynamics>(search: &Descent<'_, C>, all: &[Ending], unique: &[Found]) -> Result<bool, NumericError> {
    let params = search.params;
    let fixed = unique.iter().map(|found| &all[found.ending]).filter(|ending| ending.q <= params.tol_q);
    let mut degenerate = 0;
    for ending in fixed.take(params.continuum_points) {
        let smallest = singular_values(search, ending)?.last().copied();
        degenerate += usize::from(smallest.is_some_and(|smallest| smallest < params.degenerate));
    }
    Ok(degenerate == params.continuum_points)
}

/// Jacobians, stability and doubts of the points.
fn describe<C: Dynamics + Sync>(
    search: &Descent<'_, C>,
    all: Vec<Ending>,
    unique: &[Found],
) -> Result<FixedPoints, LinearizeError> {
    let params = search.params;
    let (mut points, mut doubts): (Vec<FixedPoint>, Vec<_>) = (Vec::new(), Vec::new());
    let (mut degenerate, mut dimension) = (0, 0);
    let described = unique[..unique.len().min(params.max_points)].par_iter();
    let described: Vec<_> = described.map(|found| point(search, all[found.ending].clone(), found.reached)).collect();
    for point in described {
        let (point, flat) = point?;
        if flat > 0 {
            degenerate += 1;
            dimension = dimension.max(flat);
            if degenerate > params.continuum_points {
                continue;
            }
        }
        points.push(point);
    }
    if degenerate >= params.continuum_points {
        let kept = degenerate.min(params.continuum_points);
        doubts.push(FixedPointDoubt::Continuum { found: degenerate, kept, dimension });
    } else if unique.len() > params.max_points {
        doubts.push(FixedPointDoubt::Many { found: unique.len(), described: points.len() });
    }
    let once = unique.iter().filter(|found| all[found.ending].q <= params.tol_q && found.reached == 1).count();
    if once > 0 && degenerate < params.continuum_points {
        doubts.push(FixedPointDoubt::ReachedOnce { points: once, of: unique.len() });
    }
    let lost = all.iter().filter(|ending| ending.q.is_nan() || ending.q > params.slow_q).count();
    if lost as f64 > params.lost_limit * all.len() as f64 {
        doubts.push(FixedPointDoubt::Lost { starts: lost, of: all.len() });
    }
    Ok(FixedPoints { unique: points, all, doubts })
}

/// A point with its Jacobians, and in how many directions it may go on.
fn point<C: Dynamics>(
    search: &Descent<'_, C>,
    ending: Ending,
    reached: usize,
) -> Result<(FixedPoint, usize), LinearizeError> {
    let params = search.params;
    let is_fixed = ending.q <= params.tol_q;
    let singular = if is_fixed { singular_values(search, &ending)? } else { vec![] };
    let flat = singular.iter().filter(|value| **value < params.degenerate).count();
    let jacobians = search.cell.jacobians(&ending.state, search.input);
    let mut point = FixedPoint {
        eigenvalues: eigenvalues(&jacobians.state)?,
        input_jacobian: jacobians.input,
        state_jacobian: jacobians.state,
        ending,
        is_fixed,
        is_stable: false,
        reached,
        doubts: vec![],
    };
    let modulus = point.spectral_radius();
    point.is_stable = modulus < 1.0;
    if (modulus - 1.0).abs() < params.marginal {
        point.doubts.push(FixedPointDoubt::Marginal { modulus, limit: params.marginal });
    }
    if let Some(&smallest) = singular.last().filter(|_| flat > 0) {
        point.doubts.push(FixedPointDoubt::Degenerate { smallest, limit: params.degenerate });
    }
    Ok((point, flat))
}
