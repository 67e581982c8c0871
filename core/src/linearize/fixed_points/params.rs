//! How fixed points are searched for.

use super::ShapeParams;
use serde::{Deserialize, Serialize};

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
    /// Rounds of starts between and beyond the points found; two in a row that find nothing new are the last.
    pub max_rounds: usize,
    /// Starts in such a round.
    pub round_starts: usize,
    /// Stable points that each round pushes by a pulse on every input, to see where that leads.
    pub pulsed_points: usize,
    /// Steps that a pulse of size 1 lasts.
    pub pulse_steps: usize,
    /// Steps of a descent.
    pub max_iters: usize,
    /// A point with q up to this is fixed.
    pub tol_q: f64,
    /// A point with a larger q up to this is slow: the network lingers there.
    pub slow_q: f64,
    /// Slow states further out than this, in multiples of the largest component of any start, are outliers and left out.
    pub outlier_scale: f64,
    /// Points nearer than this (Euclidean) are one.
    pub tol_unique: f64,
    /// A point where `J - I` has a smaller singular value is degenerate.
    pub degenerate: f64,
    /// From so many degenerate points on they are a continuum, and no more of them are kept.
    pub continuum_points: usize,
    /// Points that are described: stable ones first, then those with the fewest unstable directions, then slow ones. The
    /// others are only counted.
    pub max_points: usize,
    /// An eigenvalue whose modulus is nearer than this to 1 counts neither as stable nor as unstable.
    pub marginal: f64,
    /// A larger share of starts that end nowhere is worth a doubt.
    pub lost_limit: f64,
    /// How far from a point the runs along its unstable modes begin.
    pub push: f64,
    /// Steps that such a run is followed for.
    pub follow_steps: usize,
    /// A run nearer than this to a stable point has arrived there.
    pub arrival: f64,
    /// Slow states nearer than this to an isolated fixed point belong to it, and not to a slow manifold.
    pub apart: f64,
    /// What the shape of a slow manifold is told by.
    pub shape: ShapeParams,
    /// Seconds after which no more starts are tried; what was found until then is given, with a doubt.
    pub time_limit: f64,
    /// Seed of the random starts.
    pub seed: u64,
}

impl Default for FixedPointParams {
    fn default() -> Self {
        Self {
            random_starts: 128,
            start_radius: 1.0,
            settled_starts: 128,
            settle_steps: 100,
            visited_starts: 64,
            max_rounds: 8,
            round_starts: 96,
            pulsed_points: 64,
            pulse_steps: 3,
            max_iters: 200,
            tol_q: 1e-20,
            slow_q: 1e-6,
            outlier_scale: 2.0,
            tol_unique: 1e-3,
            degenerate: 1e-6,
            continuum_points: 8,
            max_points: 256,
            marginal: 1e-6,
            lost_limit: 0.5,
            push: 1e-3,
            follow_steps: 2000,
            arrival: 1e-2,
            apart: 0.1,
            shape: ShapeParams::default(),
            time_limit: 600.0,
            seed: 0,
        }
    }
}
