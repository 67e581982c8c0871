//! Fixed points for people who came for them: a flip-flop, a ring, an integrator, and networks that have none.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::linearize::{Arrival, FixedPointDoubt, FixedPointParams, PhasePortrait, Shape, phase_portrait};
use ketbra::network::{Activation, Biases, Cell, Dynamics, Elman, Network, NetworkFile, Readout};
use ketbra::numeric::Matrix;
use ketbra::report::figures::phase_portrait_figure;
use std::collections::BTreeSet;

fn portrait_with(network: &Network, params: &FixedPointParams) -> PhasePortrait {
    phase_portrait(network, None, None, params, &|_, _| ()).unwrap()
}

fn portrait(network: &Network) -> PhasePortrait {
    portrait_with(network, &FixedPointParams::default())
}

fn elman(activation: Activation, recurrent: Matrix, bias: Option<Vec<f64>>) -> Network {
    let hidden = recurrent.nrows();
    Network {
        layers: vec![Cell::Elman(Elman {
            activation,
            input_weights: Matrix::from_fn(hidden, 1, |i, _| f64::from(i == 0)),
            recurrent_weights: recurrent,
            biases: bias.map(|input| Biases { input, recurrent: vec![0.0; hidden] }),
        })],
        readout: Readout { weights: Matrix::from_fn(1, hidden, |_, _| 1.0), bias: None },
    }
}

/// Nothing is called fixed that moves, nothing stable that a small push leaves for good, and stable points come first.
fn is_honest(network: &Network, found: &PhasePortrait) {
    let zero = vec![0.0; network.inputs()];
    let points = &found.points.unique;
    assert!(points.is_sorted_by_key(|point| (!point.is_fixed, !point.is_stable, point.unstable)));
    for point in points {
        let state = &point.ending.state;
        let moved = distance(&network.step(state, &zero), state);
        assert!(!point.is_fixed || moved < 1e-9, "moves by {moved}");
        assert!(!point.is_stable || (point.is_fixed && point.spectral_radius() < 1.0 && point.unstable == 0));
        if point.is_stable {
            let mut pushed: Vec<f64> = state.iter().enumerate().map(|(i, x)| x + 1e-5 * (i as f64).sin()).collect();
            let before = distance(&pushed, state);
            (0..3000).for_each(|_| pushed = network.step(&pushed, &zero));
            assert!(distance(&pushed, state) < 0.5 * before, "a stable point that lets go");
        }
    }
    for connection in &found.connections {
        assert!(points[connection.source].unstable > 0 && connection.path.len() > 1);
        assert_eq!(connection.target.is_some(), connection.arrival == Arrival::Point);
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

/// The signs that the readout has at each stable point.
fn memories(network: &Network, found: &PhasePortrait) -> BTreeSet<Vec<bool>> {
    let said = |state: &[f64]| network.readout.read(Matrix::from_fn(state.len(), 1, |i, _| state[i]).as_ref());
    found
        .points
        .stable()
        .map(|point| said(&point.ending.state).col_as_slice(0).iter().map(|y| *y > 0.0).collect())
        .collect()
}

#[test]
fn a_trained_flip_flop_has_its_eight_memories_in_every_seed() {
    for training in 1..=3 {
        let (network, error) = crate::flip_flop::trained(training);
        let accuracy = crate::flip_flop::accuracy(&network, 99);
        assert!(accuracy > 0.99, "training seed {training}: error {error}, accuracy {accuracy}");
        for seed in 0..10 {
            let found = portrait_with(&network, &FixedPointParams { seed, ..FixedPointParams::default() });
            assert_eq!(memories(&network, &found).len(), 8, "training seed {training}, seed {seed}");
            // As many as there are corners, edges, faces and middles of a cube.
            assert_eq!(found.points.counts.fixed(), 27, "training seed {training}, seed {seed}");
            assert!(found.points.unique[..8].iter().all(|point| point.is_stable), "stable points come first");
            if seed == 0 {
                is_honest(&network, &found);
            }
        }
    }
}

#[test]
fn saddles_of_a_flip_flop_lead_to_its_memories() {
    let (network, _) = crate::flip_flop::trained(1);
    let found = portrait(&network);
    let arrived =
        found.connections.iter().filter(|c| c.target.is_some_and(|k| found.points.unique[k].is_stable)).count();
    assert!(10 * arrived >= 9 * found.connections.len(), "{arrived} of {}", found.connections.len());
    let from_the_middle = found.connections.iter().filter(|c| found.points.unique[c.source].unstable == 3);
    assert_eq!(from_the_middle.filter_map(|c| c.target).collect::<BTreeSet<_>>().len(), 8);
    // A saddle with one unstable direction lies between two basins.
    for (k, _) in found.points.unique.iter().enumerate().filter(|(_, point)| point.unstable == 1) {
        let ends: Vec<_> = found.connections.iter().filter(|c| c.source == k).map(|c| c.target).collect();
        assert_eq!(ends.len(), 2);
        assert_ne!(ends[0], ends[1], "point {k}");
    }
}

#[test]
fn a_line_integrator_is_a_line() {
    // One direction keeps what it has, the others forget.
    let keeps: Vec<f64> = (0..12).map(|i| ((i * i) as f64).sin()).collect();
    let length = keeps.iter().map(|x| x * x).sum::<f64>();
    let recurrent = Matrix::from_fn(12, 12, |i, j| keeps[i] * keeps[j] / length);
    let network = elman(Activation::Identity, recurrent, None);
    let found = portrait(&network);
    is_honest(&network, &found);
    let line = found.slow_manifold.as_ref().unwrap();
    assert_eq!((line.shape, line.dimension, line.directions), (Shape::Line, 1, 1));
    assert_eq!(found.points.counts.stable, 0, "no point of a line comes back after a push along it");
    assert!(matches!(found.points.doubts[0], FixedPointDoubt::Continuum { dimension: 1, .. }));
    assert!(found.points.unique.iter().all(|point| point.is_degenerate && !point.doubts.is_empty()));
}

/// Units around a circle, each excited by its neighbours.
fn ring(units: usize, gain: f64) -> Network {
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / units as f64;
    elman(
        Activation::Tanh,
        Matrix::from_fn(units, units, |i, j| 2.0 * gain / units as f64 * (angle(i) - angle(j)).cos()),
        None,
    )
}

#[test]
fn a_ring_attractor_is_a_ring_around_a_point_with_two_unstable_directions() {
    let network = ring(40, 2.0);
    let found = portrait(&network);
    is_honest(&network, &found);
    let set = found.slow_manifold.as_ref().unwrap();
    assert_eq!((set.shape, set.dimension), (Shape::Ring, 1));
    let origin = found.points.unique.iter().position(|point| point.distance() < 1e-6).unwrap();
    assert_eq!(found.points.unique[origin].unstable, 2);
    assert!(found.connections.iter().filter(|c| c.source == origin).all(|c| c.arrival != Arrival::Moving));
}

#[test]
fn a_coarse_ring_has_bumps_that_are_points_and_no_continuum() {
    // Five units cannot make a smooth ring: stable points and saddles take turns.
    let network = ring(5, 3.0);
    let found = portrait(&network);
    is_honest(&network, &found);
    assert_eq!((found.points.counts.stable, found.points.counts.unstable[&1]), (10, 10));
}

#[test]
fn one_point_is_one_point() {
    let recurrent = Matrix::from_fn(10, 10, |i, j| 0.12 * ((3 * i + 7 * j) as f64).sin());
    let network = elman(Activation::Tanh, recurrent, Some(vec![0.3; 10]));
    let found = portrait(&network);
    is_honest(&network, &found);
    assert_eq!((found.points.counts.stable, found.points.counts.fixed(), found.points.counts.slow), (1, 1, 0));
    assert!(found.connections.is_empty() && found.slow_manifold.is_none() && found.points.doubts.is_empty());
}

#[test]
fn a_network_that_only_grows_has_no_stable_point() {
    // h' = 1.5 h + 1 has a fixed point, at -2, that everything leaves; a translation has none at all.
    let grows = elman(Activation::Identity, Matrix::from_fn(3, 3, |i, j| 1.5 * f64::from(i == j)), Some(vec![1.0; 3]));
    let found = portrait(&grows);
    is_honest(&grows, &found);
    assert_eq!((found.points.counts.stable, found.points.counts.fixed()), (0, 1));
    assert_eq!(found.points.unique[0].unstable, 3);
    assert!(found.connections.iter().all(|c| c.target.is_none() && c.arrival == Arrival::Moving));
    let drifts = elman(Activation::Identity, Matrix::from_fn(3, 3, |i, j| f64::from(i == j)), Some(vec![0.1; 3]));
    let found = portrait(&drifts);
    assert!(found.points.unique.is_empty() && found.connections.is_empty() && found.slow_manifold.is_none());
    assert!(matches!(found.points.doubts[..], [FixedPointDoubt::Lost { .. }]));
}

#[test]
fn a_limit_cycle_is_no_point() {
    let (sin, cos) = 0.3f64.sin_cos();
    let turn = [[1.3 * cos, -1.3 * sin], [1.3 * sin, 1.3 * cos]];
    let network = elman(Activation::Tanh, Matrix::from_fn(2, 2, |i, j| turn[i][j]), None);
    let found = portrait(&network);
    is_honest(&network, &found);
    assert_eq!((found.points.counts.stable, found.points.counts.fixed()), (0, 1));
    assert!(!found.connections.is_empty());
    assert!(found.connections.iter().all(|c| c.arrival == Arrival::Moving && c.mode.is_none_or(|mode| mode == 0)));
}

#[test]
fn an_orbit_of_period_two_is_no_stable_point() {
    // h' = tanh(-2 h) jumps between two states for ever.
    let network = elman(Activation::Tanh, Matrix::from_fn(1, 1, |_, _| -2.0), None);
    let found = portrait(&network);
    assert_eq!((found.points.counts.stable, found.points.counts.fixed()), (0, 1));
    assert!(found.connections.iter().all(|c| c.arrival == Arrival::Moving));
}

#[test]
fn stable_points_are_described_before_any_other() {
    let alone = elman(Activation::Tanh, Matrix::from_fn(4, 4, |i, j| 1.5 * f64::from(i == j)), None);
    let found = portrait_with(&alone, &FixedPointParams { max_points: 20, ..FixedPointParams::default() });
    assert_eq!((found.points.counts.stable, found.points.counts.fixed()), (16, 81));
    assert!(found.points.unique[..16].iter().all(|point| point.is_stable));
    assert!(found.points.unique[16..].iter().all(|point| point.unstable == 1));
    let said = found.points.doubts[0].to_string();
    assert!(said.contains("81 points were found, 20 are described: 16 of the 16 stable ones"), "{said}");
}

#[test]
fn states_that_a_gru_never_visits_are_no_slow_points() {
    // Far out its update gate is shut, and every state is slow; its own states lie between -1 and 1.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/networks/gru-t3-h128.safetensors");
    let network = NetworkFile::open(path.as_ref()).unwrap().network;
    let few = FixedPointParams { random_starts: 16, settled_starts: 4, max_rounds: 0, ..FixedPointParams::default() };
    let found = portrait_with(&network, &few);
    assert!(found.points.slow().all(|point| point.ending.state.iter().all(|x| x.abs() <= 2.0)));
    let wide = portrait_with(&network, &FixedPointParams { outlier_scale: f64::INFINITY, ..few });
    assert!(wide.points.counts.slow > found.points.counts.slow, "{:?}", wide.points.counts);
}

#[test]
fn every_portrait_can_be_drawn() {
    let drawn = |network: &Network| phase_portrait_figure(&portrait(network), None).unwrap().svg();
    let drifts = elman(Activation::Identity, Matrix::from_fn(3, 3, |i, j| f64::from(i == j)), Some(vec![0.1; 3]));
    assert!(drawn(&drifts).contains("no fixed or slow points found"));
    let alone = elman(Activation::Tanh, Matrix::from_fn(1, 1, |_, _| 2.0), None);
    let one = drawn(&alone);
    assert!(one.contains("stable (2)") && one.contains("1 unstable mode (1)") && one.contains("PC 1 (100 %)"));
    let round = drawn(&ring(40, 2.0));
    assert!(round.contains("slow: a ring") && round.contains("2 unstable modes (1)"));
    let grows = elman(Activation::Identity, Matrix::from_fn(2, 2, |i, j| 1.5 * f64::from(i == j)), None);
    assert!(!drawn(&grows).contains("NaN") && !drawn(&grows).contains("inf"));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let network = ring(12, 1.7);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| portrait(&network)).document(true).to_string()
    };
    assert_eq!(with(1), with(3));
}
