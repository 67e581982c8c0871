//! A phase portrait as JSON, with the words of fixed-point-finder.

use super::{FixedPoint, FixedPointDoubt, PhasePortrait, SlowManifold};
use crate::numeric::Matrix;
use serde_json::{Value, json};

impl PhasePortrait {
    /// Everything about every point, connection and the slow manifold; the Jacobians where they are asked for.
    pub fn document(&self, jacobians: bool) -> Value {
        json!({
            "starts": self.points.all.len(),
            "fixed": self.points.counts.fixed(),
            "stable": self.points.counts.stable,
            "slow": self.points.counts.slow,
            "counts": self.points.counts,
            "points": self.points.unique.iter().map(|point| one(point, jacobians)).collect::<Vec<_>>(),
            "connections": self.connections,
            "slow_manifold": self.slow_manifold.as_ref().map(set),
            "doubts": with_messages(&self.points.doubts),
        })
    }
}

fn one(point: &FixedPoint, jacobians: bool) -> Value {
    let pairs: Vec<[f64; 2]> = point.eigenvalues.iter().map(|z| [z.re, z.im]).collect();
    let mut line = json!({
        "xstar": point.ending.state,
        "q": point.ending.q,
        "n_iters": point.ending.n_iters,
        "reached": point.reached,
        "distance": point.distance(),
        "is_fixed": point.is_fixed,
        "is_stable": point.is_stable,
        "is_degenerate": point.is_degenerate,
        "unstable": point.unstable,
        "spectral_radius": point.spectral_radius(),
        "eigenvalues": pairs,
        "doubts": with_messages(&point.doubts),
    });
    if jacobians {
        line["J_xstar"] = json!(rows(&point.state_jacobian));
        line["dFdu"] = json!(rows(&point.input_jacobian));
    }
    line
}

fn set(manifold: &SlowManifold) -> Value {
    let states: Vec<&[f64]> = (0..manifold.states.ncols()).map(|j| manifold.states.col_as_slice(j)).collect();
    json!({
        "shape": manifold.shape,
        "dimension": manifold.dimension,
        "directions": manifold.directions,
        "states": states,
        "message": manifold.to_string(),
    })
}

fn with_messages(doubts: &[FixedPointDoubt]) -> Vec<Value> {
    let with_message = |doubt: &FixedPointDoubt| {
        let mut line = json!(doubt);
        line["message"] = json!(doubt.to_string());
        line
    };
    doubts.iter().map(with_message).collect()
}

fn rows(matrix: &Matrix) -> Vec<Vec<f64>> {
    (0..matrix.nrows()).map(|i| (0..matrix.ncols()).map(|j| matrix[(i, j)]).collect()).collect()
}
