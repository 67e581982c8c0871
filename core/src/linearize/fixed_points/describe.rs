//! What the points found are: how many directions each is unstable in, and what speaks against it.

use super::connections::{UnstableMode, unstable_modes};
use super::descent::{Descent, Ending};
use super::{FixedPointDoubt, FixedPointParams, Found, norm, singular_values};
use crate::linearize::LinearizeError;
use crate::network::Dynamics;
use crate::numeric::{Matrix, c64, eigenvalues};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// A fixed or slow point.
#[derive(Clone, Debug)]
pub struct FixedPoint {
    /// Where it is, how exactly, and the start that came closest.
    pub ending: Ending,
    /// Whether q is within `tol_q`; otherwise the point is slow.
    pub is_fixed: bool,
    /// Whether it is fixed and every eigenvalue lies inside the unit circle, by more than `marginal`.
    pub is_stable: bool,
    /// Eigenvalues outside the unit circle, by more than `marginal`.
    pub unstable: usize,
    /// Whether it is fixed and goes on in some direction, to first order.
    pub is_degenerate: bool,
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
        radius(&self.eigenvalues)
    }

    /// The directions in which it is unstable, those of the fastest mode first.
    pub fn unstable_modes(&self) -> Result<Vec<UnstableMode>, LinearizeError> {
        unstable_modes(self)
    }

    /// Distance from the origin.
    pub fn distance(&self) -> f64 {
        norm(&self.ending.state)
    }
}

/// How many points of each kind were found, described or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Fixed, and every eigenvalue inside the unit circle.
    pub stable: usize,
    /// Fixed, by the number of unstable directions.
    pub unstable: BTreeMap<usize, usize>,
    /// Fixed, no unstable direction, but an eigenvalue on the unit circle.
    pub marginal: usize,
    /// Slow.
    pub slow: usize,
}

impl Counts {
    /// All fixed points.
    pub fn fixed(&self) -> usize {
        self.stable + self.marginal + self.unstable.values().sum::<usize>()
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct FixedPoints {
    /// Every point once: stable ones first, then by the number of unstable directions, each kind by distance from the
    /// origin; slow ones last, by q.
    pub unique: Vec<FixedPoint>,
    /// How many of each kind there are.
    pub counts: Counts,
    /// Where each start ended.
    pub all: Vec<Ending>,
    /// What speaks against the set as a whole.
    pub doubts: Vec<FixedPointDoubt>,
}

impl FixedPoints {
    /// The points where the network stays, those nearest the origin first.
    pub fn fixed(&self) -> impl Iterator<Item = &FixedPoint> {
        let mut fixed: Vec<&FixedPoint> = self.unique.iter().filter(|point| point.is_fixed).collect();
        fixed.sort_by(|a, b| a.distance().total_cmp(&b.distance()));
        fixed.into_iter()
    }

    /// The points where it stays and comes back to after a small push.
    pub fn stable(&self) -> impl Iterator<Item = &FixedPoint> {
        self.unique.iter().filter(|point| point.is_stable)
    }

    /// The points where it lingers.
    pub fn slow(&self) -> impl Iterator<Item = &FixedPoint> {
        self.unique.iter().filter(|point| !point.is_fixed)
    }
}

/// A point before it is known whether it will be described.
struct Judged<'a> {
    found: &'a Found,
    eigenvalues: Vec<c64>,
    is_fixed: bool,
    is_stable: bool,
    unstable: usize,
    /// The singular values of `J - I` that count as zero.
    flat: Vec<f64>,
}

/// Jacobians, stability and doubts of the points.
pub(super) fn describe<C: Dynamics + Sync>(
    search: &Descent<'_, C>,
    all: Vec<Ending>,
    unique: &[Found],
) -> Result<FixedPoints, LinearizeError> {
    let params = search.params;
    // All are judged before any is left out, or stable points could be.
    let judged = unique.par_iter().map(|found| judge(search, &all, found)).collect::<Vec<_>>();
    let mut judged = judged.into_iter().collect::<Result<Vec<_>, _>>()?;
    // Stable sorting keeps the order within a kind: by distance, and by q.
    judged.sort_by_key(|point| (!point.is_fixed, !point.is_stable, point.unstable));
    let counts = count(&judged);
    let degenerate = judged.iter().filter(|point| !point.flat.is_empty()).count();
    let dimension = judged.iter().map(|point| point.flat.len()).max().unwrap_or(0);
    let is_continuum = degenerate >= params.continuum_points;
    let mut samples = [0; 2];
    judged.retain(|point| {
        // A continuum is described as a set, of which a few samples are enough.
        let is_sample = [!point.flat.is_empty(), is_continuum && !point.is_fixed];
        samples.iter_mut().zip(is_sample).for_each(|(count, is_one)| *count += usize::from(is_one));
        samples.iter().zip(is_sample).all(|(count, is_one)| !is_one || *count <= params.continuum_points)
    });
    let isolated = judged.len();
    judged.truncate(params.max_points);
    let points = judged.par_iter().map(|point| in_full(search, &all, point)).collect::<Vec<_>>();
    let mut doubts = vec![];
    if is_continuum {
        let kept = degenerate.min(params.continuum_points);
        doubts.push(FixedPointDoubt::Continuum { found: degenerate, kept, dimension });
    }
    if isolated > params.max_points {
        let stable_described = points.iter().filter(|point| point.is_stable).count();
        let (described, stable) = (points.len(), counts.stable);
        doubts.push(FixedPointDoubt::Many { found: isolated, described, stable, stable_described });
    }
    doubts.extend(doubts_of_the_search(&all, unique, degenerate, params));
    Ok(FixedPoints { unique: points, counts, all, doubts })
}

fn doubts_of_the_search(
    all: &[Ending],
    unique: &[Found],
    degenerate: usize,
    params: &FixedPointParams,
) -> Vec<FixedPointDoubt> {
    let mut doubts = vec![];
    let once = unique.iter().filter(|found| all[found.ending].q <= params.tol_q && found.reached == 1).count();
    if once > 0 && degenerate < params.continuum_points {
        doubts.push(FixedPointDoubt::ReachedOnce { points: once, of: unique.len() });
    }
    let found: usize = unique.iter().map(|found| found.reached).sum();
    let lost = all.len() - found;
    if lost as f64 > params.lost_limit * all.len() as f64 {
        doubts.push(FixedPointDoubt::Lost { starts: lost, of: all.len() });
    }
    doubts
}

fn judge<'a, C: Dynamics>(
    search: &Descent<'_, C>,
    all: &[Ending],
    found: &'a Found,
) -> Result<Judged<'a>, LinearizeError> {
    let (params, ending) = (search.params, &all[found.ending]);
    let is_fixed = ending.q <= params.tol_q;
    let mut slope = search.slope_at(&ending.state);
    let flat = match is_fixed {
        true => singular_values(&slope)?.into_iter().filter(|value| *value < params.degenerate).collect(),
        false => vec![],
    };
    (0..slope.nrows()).for_each(|i| slope[(i, i)] += 1.0);
    let eigenvalues = eigenvalues(&slope)?;
    let unstable = eigenvalues.iter().filter(|z| z.re.hypot(z.im) > 1.0 + params.marginal).count();
    let is_stable = is_fixed && radius(&eigenvalues) < 1.0 - params.marginal;
    Ok(Judged { found, eigenvalues, is_fixed, is_stable, unstable, flat })
}

fn count(judged: &[Judged<'_>]) -> Counts {
    let mut counts = Counts::default();
    for point in judged {
        match (point.is_fixed, point.is_stable, point.unstable) {
            (false, ..) => counts.slow += 1,
            (true, true, _) => counts.stable += 1,
            (true, false, 0) => counts.marginal += 1,
            (true, false, unstable) => *counts.unstable.entry(unstable).or_default() += 1,
        }
    }
    counts
}

fn in_full<C: Dynamics>(search: &Descent<'_, C>, all: &[Ending], judged: &Judged<'_>) -> FixedPoint {
    let (params, ending) = (search.params, all[judged.found.ending].clone());
    let jacobians = search.cell.jacobians(&ending.state, search.input);
    let mut doubts = vec![];
    let modulus = radius(&judged.eigenvalues);
    if (modulus - 1.0).abs() <= params.marginal {
        doubts.push(FixedPointDoubt::Marginal { modulus, limit: params.marginal });
    }
    if let Some(&smallest) = judged.flat.last() {
        doubts.push(FixedPointDoubt::Degenerate { smallest, limit: params.degenerate });
    }
    FixedPoint {
        ending,
        is_fixed: judged.is_fixed,
        is_stable: judged.is_stable,
        unstable: judged.unstable,
        is_degenerate: !judged.flat.is_empty(),
        eigenvalues: judged.eigenvalues.clone(),
        state_jacobian: jacobians.state,
        input_jacobian: jacobians.input,
        reached: judged.found.reached,
        doubts,
    }
}

fn radius(eigenvalues: &[c64]) -> f64 {
    eigenvalues.iter().map(|z| z.re.hypot(z.im)).fold(0.0, f64::max)
}
