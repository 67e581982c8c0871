//! Dynamical similarity analysis against the numbers of its authors' package (`fixtures/dsa/make.py` says how they were made).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::compare::measures::{Dsa, DsaParams, LinearDynamics, dsa};
use ketbra::numeric::Matrix;
use serde_json::Value;

fn expected() -> Value {
    serde_json::from_str(include_str!("fixtures/dsa/expected.json")).unwrap()
}

/// Trials x steps x units as states by step.
fn states(of: &Value) -> Vec<Matrix> {
    let trials = of.as_array().unwrap();
    let steps = trials[0].as_array().unwrap().len();
    let units = trials[0][0].as_array().unwrap().len();
    let at = |t: usize| Matrix::from_fn(units, trials.len(), |i, e| trials[e][t][i].as_f64().unwrap());
    (0..steps).map(at).collect()
}

#[test]
fn angles_and_spectra_are_those_of_the_authors_package() {
    let all = expected();
    let pairs = all["pairs"].as_array().unwrap();
    assert!(pairs.len() >= 14);
    for pair in pairs {
        let number = |name: &str| pair[name].as_f64().unwrap();
        let params = DsaParams {
            delays: number("delays") as usize,
            rank: number("rank") as usize,
            starts: 8,
            ..DsaParams::default()
        };
        let of = |name: &str| {
            let states = states(&all["trajectories"][pair[name].as_str().unwrap()]);
            LinearDynamics::of(&states.iter().collect::<Vec<_>>(), &params).unwrap().unwrap()
        };
        let Dsa { angle, wasserstein } = dsa(&of("first"), &of("second"), &params).unwrap();
        // Theirs is the best of a few searches in single precision, ours the best of a few others.
        let (theirs, spectrum) = (number("angle"), number("wasserstein"));
        assert!((angle - theirs).abs() < 2e-3, "{pair}: {angle}");
        assert!((wasserstein - spectrum).abs() < 1e-4, "{pair}: {wasserstein}, theirs {spectrum}");
    }
}

#[test]
fn a_rotation_is_no_difference_and_another_speed_is() {
    let turn = |angle: f64| {
        Matrix::from_fn(2, 2, |i, j| match (i, j) {
            (0, 1) => -angle.sin(),
            (1, 0) => angle.sin(),
            _ => angle.cos(),
        })
    };
    let params = DsaParams::default();
    let of = |angle: f64| LinearDynamics::from_operator(turn(angle)).unwrap();
    // By hand: both directions of turning are one up to a reflection; between two speeds lies arccos(cos of the difference).
    assert!(dsa(&of(0.7), &of(-0.7), &params).unwrap().angle < 1e-6);
    let apart = dsa(&of(0.2), &of(0.9), &params).unwrap();
    assert!((apart.angle - 0.7).abs() < 1e-6, "{apart:?}");
    // |e^{0.2 i} - e^{0.9 i}|^2 = 2 - 2 cos 0.7, for both eigenvalues.
    assert!((apart.wasserstein - (2.0 - 2.0 * 0.7f64.cos())).abs() < 1e-12, "{apart:?}");
}
