//! How fixed points are searched for.

use super::ShapeParams;
use crate::setting::{Adjustable, SettingError, settings};

settings! {
    /// How fixed points are searched for.
    pub struct FixedPointParams {
        /// Random starting states.
        random_starts: usize = 128, STARTS;
        /// Random starts are uniform in a cube from minus to plus this.
        start_radius: f64 = 1.0, SIZE;
        /// Random starts that also serve after the network has run on from them: these find what attracts.
        settled_starts: usize = 128, STARTS;
        /// Steps that the network runs on.
        settle_steps: usize = 100, SETTLING;
        /// Most of the visited states that serve as starts.
        visited_starts: usize = 64, STARTS;
        /// Rounds of starts between and beyond the points found; two in a row that find nothing new are the last.
        max_rounds: usize = 8, COUNT;
        /// Starts in such a round.
        round_starts: usize = 96, STARTS;
        /// Stable points that each round pushes by a pulse on every input, to see where that leads.
        pulsed_points: usize = 64, STARTS;
        /// Steps that a pulse of size 1 lasts.
        pulse_steps: usize = 3, STEPS;
        /// Steps of a descent.
        max_iters: usize = 200, COUNT;
        /// A point with q up to this is fixed.
        tol_q: f64 = 1e-20, SIZE;
        /// A point with a larger q up to this is slow: the network lingers there.
        slow_q: f64 = 1e-6, SIZE;
        /// Slow states further out than this, in multiples of the largest component of any start, are outliers and left out.
        outlier_scale: f64 = 2.0, TIMES;
        /// Points nearer than this (Euclidean) are one.
        tol_unique: f64 = 1e-3, SIZE;
        /// A point where `J - I` has a smaller singular value is degenerate.
        degenerate: f64 = 1e-6, SIZE;
        /// From so many degenerate points on they are a continuum, and no more of them are kept.
        continuum_points: usize = 8, COUNT;
        /// Points that are described: stable ones first, then those with the fewest unstable directions, then slow ones. The
        /// others are only counted.
        max_points: usize = 256, between(1.0, 10_000.0, "points");
        /// An eigenvalue whose modulus is nearer than this to 1 counts neither as stable nor as unstable.
        marginal: f64 = 1e-6, SIZE;
        /// A larger share of starts that end nowhere is worth a doubt.
        lost_limit: f64 = 0.5, SHARE;
        /// How far from a point the runs along its unstable modes begin.
        push: f64 = 1e-3, SIZE;
        /// Steps that such a run is followed for.
        follow_steps: usize = 2000, STEPS;
        /// A run nearer than this to a stable point has arrived there.
        arrival: f64 = 1e-2, SIZE;
        /// Slow states nearer than this to an isolated fixed point belong to it, and not to a slow manifold.
        apart: f64 = 0.1, SIZE;
        /// What the shape of a slow manifold is told by.
        shape: ShapeParams;
        /// Seconds after which no more starts are tried; what was found until then is given, with a doubt.
        time_limit: f64 = 600.0, SECONDS;
        /// Seed of the random starts.
        seed: u64 = 0;
    }
}

impl Adjustable for FixedPointParams {
    const NAME: &'static str = "fixed_points";
    type Error = SettingError;
}
