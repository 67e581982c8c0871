//! Slow manifolds: lines, rings and surfaces on which a network hardly moves.

use super::{FixedPointParams, FixedPoints, distance, is_within, reach, starts_of};
use crate::linearize::LinearizeError;
use crate::numeric::{Matrix, principal_directions};
use crate::setting::settings;
use serde::Serialize;
use std::fmt;

/// Most states that describe a manifold; from more, those at even distances in the list.
const MOST_STATES: usize = 400;

settings! {
    /// What a slow manifold's shape is told by.
    pub struct ShapeParams {
        /// Fewer states have no shape.
        least_states: usize = 24, COUNT;
        /// Neighbours that tell in how many directions a manifold goes on from a state.
        neighbours: usize = 8, COUNT;
        /// Neighbours spread in a direction if their variance in it is more than this share of the largest.
        spread: f64 = 0.1, SHARE;
        /// The share of variance that principal directions must hold together.
        variance: f64 = 0.99, SHARE;
        /// States further apart than this share of the diameter, with none between, belong to different pieces.
        gap: f64 = 0.25, SHARE;
    }
}

/// What a slow manifold looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One direction, straight.
    Line,
    /// One direction, bent.
    Curve,
    /// One direction that comes back to where it began.
    Ring,
    /// Two directions, flat.
    Plane,
    /// Two directions, bent.
    Surface,
    /// More directions than two.
    Volume,
    /// Several sets with nothing between them.
    Pieces,
    /// Too few states to tell.
    Unclear,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line => "a line",
            Self::Curve => "a curve",
            Self::Ring => "a ring",
            Self::Plane => "a plane",
            Self::Surface => "a surface",
            Self::Volume => "a volume",
            Self::Pieces => "several pieces",
            Self::Unclear => "of unclear shape",
        })
    }
}

/// Slow states apart from isolated fixed points, as a set.
#[derive(Clone, Debug)]
pub struct SlowManifold {
    /// H x n.
    pub states: Matrix,
    /// What it looks like.
    pub shape: Shape,
    /// Directions in which it goes on from a state, for most states.
    pub dimension: usize,
    /// Principal directions that hold 99 % of the variance: 1 for a line, 2 for a flat ring.
    pub directions: usize,
}

impl fmt::Display for SlowManifold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} slow states, dimension {}, in {} principal direction{}",
            self.shape,
            self.states.ncols(),
            self.dimension,
            self.directions,
            if self.directions == 1 { "" } else { "s" }
        )
    }
}

/// The slow manifold that a search has come across, if there are enough states for one.
pub(super) fn slow_manifold(
    found: &FixedPoints,
    params: &FixedPointParams,
) -> Result<Option<SlowManifold>, LinearizeError> {
    let states = members(found, params);
    if states.len() < params.continuum_points {
        return Ok(None);
    }
    let hidden = states[0].len();
    let matrix = Matrix::from_fn(hidden, states.len(), |i, j| states[j][i]);
    let (shape, (variances, _)) = (&params.shape, principal(&states)?);
    let directions = holding(&variances, shape.variance);
    let apart = Distances::of(&states);
    let dimension = local_dimension(&states, &apart, shape)?;
    let shape = match (apart.pieces(shape.gap), dimension, directions) {
        _ if states.len() < shape.least_states => Shape::Unclear,
        (2.., ..) => Shape::Pieces,
        (_, 1, 1) => Shape::Line,
        (_, 1, _) if is_ring(&states, &apart, shape.gap)? => Shape::Ring,
        (_, 1, _) => Shape::Curve,
        (_, 2, 2) => Shape::Plane,
        (_, 2, _) => Shape::Surface,
        _ => Shape::Volume,
    };
    Ok(Some(SlowManifold { states: matrix, shape, dimension, directions }))
}

/// Slow states that the descents came by or ended at, apart from isolated fixed points and from each other.
fn members(found: &FixedPoints, params: &FixedPointParams) -> Vec<Vec<f64>> {
    let isolated: Vec<&[f64]> =
        found.unique.iter().filter(|p| p.is_fixed && !p.is_degenerate).map(|p| &p.ending.state[..]).collect();
    let reach = reach(starts_of(&found.all), params);
    let passed = found.all.iter().filter_map(|ending| ending.first_slow.as_deref());
    let ended = found.all.iter().filter(|ending| ending.q <= params.slow_q).map(|ending| &ending.state[..]);
    let mut members: Vec<Vec<f64>> = vec![];
    let candidates: Vec<&[f64]> = passed.chain(ended).filter(|state| is_within(state, reach)).collect();
    let every = candidates.len().div_ceil(4 * MOST_STATES).max(1);
    for state in candidates.into_iter().step_by(every) {
        let is_new = members.iter().all(|other| distance(other, state) >= params.tol_unique);
        if is_new && isolated.iter().all(|point| distance(point, state) >= params.apart) {
            members.push(state.to_vec());
        }
    }
    let every = members.len().div_ceil(MOST_STATES).max(1);
    members.into_iter().step_by(every).collect()
}

/// Variances in the principal directions, falling, and the states in these.
fn principal(states: &[Vec<f64>]) -> Result<(Vec<f64>, Matrix), LinearizeError> {
    let (hidden, count) = (states[0].len(), states.len());
    let mean: Vec<f64> = (0..hidden).map(|i| states.iter().map(|s| s[i]).sum::<f64>() / count as f64).collect();
    let centred = Matrix::from_fn(hidden, count, |i, j| states[j][i] - mean[i]);
    // The smaller of the two products has the same eigenvalues.
    if count < hidden {
        let (values, vectors) = principal_directions(&(centred.transpose() * &centred))?;
        let coordinates = Matrix::from_fn(count, count, |k, j| vectors[(j, k)] * values[k]);
        return Ok((values.iter().map(|value| value * value).collect(), coordinates));
    }
    let (values, vectors) = principal_directions(&(&centred * centred.transpose()))?;
    Ok((values.iter().map(|value| value * value).collect(), vectors.transpose() * &centred))
}

/// How many variances hold a share of their sum together.
fn holding(variances: &[f64], share: f64) -> usize {
    let all: f64 = variances.iter().sum();
    let mut sum = 0.0;
    1 + variances
        .iter()
        .take_while(|value| {
            sum += **value;
            sum < share * all
        })
        .count()
}

/// Directions in which neighbours spread: the median over all states.
fn local_dimension(states: &[Vec<f64>], apart: &Distances, params: &ShapeParams) -> Result<usize, LinearizeError> {
    let one = |k: usize| {
        let mut order: Vec<usize> = (0..states.len()).collect();
        order.sort_by(|a, b| apart.at(k, *a).total_cmp(&apart.at(k, *b)));
        let near: Vec<Vec<f64>> = order.iter().take(params.neighbours + 1).map(|j| states[*j].clone()).collect();
        let (variances, _) = principal(&near)?;
        Ok(variances.iter().filter(|value| **value > params.spread * variances[0]).count())
    };
    let mut all = (0..states.len()).map(one).collect::<Result<Vec<usize>, LinearizeError>>()?;
    all.sort_unstable();
    Ok(all[all.len() / 2])
}

/// Whether the states, in the order of their angle around the middle, go around once without a gap.
fn is_ring(states: &[Vec<f64>], apart: &Distances, gap: f64) -> Result<bool, LinearizeError> {
    let (_, at) = principal(states)?;
    let mut order: Vec<(f64, usize)> = (0..states.len()).map(|j| (at[(1, j)].atan2(at[(0, j)]), j)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let next = |k: usize| order[(k + 1) % order.len()].1;
    Ok((0..order.len()).all(|k| apart.at(order[k].1, next(k)) < gap * apart.diameter))
}

/// How far states are from each other.
struct Distances {
    all: Matrix,
    diameter: f64,
}

impl Distances {
    fn of(states: &[Vec<f64>]) -> Self {
        let all = Matrix::from_fn(states.len(), states.len(), |i, j| distance(&states[i], &states[j]));
        let diameter = all.norm_max();
        Self { all, diameter }
    }

    fn at(&self, a: usize, b: usize) -> f64 {
        self.all[(a, b)]
    }

    /// Sets with a gap between them.
    fn pieces(&self, gap: f64) -> usize {
        let count = self.all.nrows();
        let (mut seen, mut pieces) = (vec![false; count], 0);
        for first in 0..count {
            if seen[first] {
                continue;
            }
            pieces += 1;
            seen[first] = true;
            let mut open = vec![first];
            while let Some(here) = open.pop() {
                for (there, seen) in seen.iter_mut().enumerate().filter(|(_, seen)| !**seen) {
                    *seen = self.at(here, there) < gap * self.diameter;
                    open.extend(seen.then_some(there));
                }
            }
        }
        pieces
    }
}
