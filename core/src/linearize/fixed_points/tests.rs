//! Networks whose fixed points are known by hand.

use super::*;
use crate::network::{Activation, Architecture, Biases, Cell, Elman, Initialization, Network, Readout};

fn network(activation: Activation, recurrent: &[&[f64]], bias: &[f64]) -> Network {
    let h = recurrent.len();
    Network {
        layers: vec![Cell::Elman(Elman {
            activation,
            input_weights: Matrix::from_fn(h, 1, |i, _| if i == 0 { 1.0 } else { 0.0 }),
            recurrent_weights: Matrix::from_fn(h, h, |i, j| recurrent[i][j]),
            biases: (!bias.is_empty()).then(|| Biases { input: bias.to_vec(), recurrent: vec![0.0; h] }),
        })],
        readout: Readout { weights: Matrix::from_fn(1, h, |_, _| 1.0), bias: None },
    }
}

fn diagonal(gains: &[f64]) -> Network {
    let rows: Vec<Vec<f64>> =
        (0..gains.len()).map(|i| (0..gains.len()).map(|j| if i == j { gains[i] } else { 0.0 }).collect()).collect();
    network(Activation::Tanh, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), &[])
}

fn search(network: &Network) -> FixedPoints {
    fixed_points(network, None, None, &FixedPointParams::default(), &|_, _| ()).unwrap()
}

/// The positive solution of x = tanh(gain x), for a gain above 1.
fn positive_root(gain: f64) -> f64 {
    let (mut low, mut high) = (1e-9, 1.0);
    for _ in 0..100 {
        let middle: f64 = 0.5 * (low + high);
        if (gain * middle).tanh() > middle { low = middle } else { high = middle }
    }
    low
}

#[test]
fn one_unit_that_amplifies_has_two_stable_points_around_an_unstable_one() {
    for gain in [1.1, 1.5, 2.0, 5.0] {
        let found = search(&diagonal(&[gain]));
        let root = positive_root(gain);
        let mut points: Vec<(f64, bool)> = found.fixed().map(|p| (p.ending.state[0], p.is_stable)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(points.iter().map(|p| p.1).collect::<Vec<_>>(), [true, false, true], "gain {gain}");
        for (point, expected) in points.iter().zip([-root, 0.0, root]) {
            assert!((point.0 - expected).abs() < 1e-9, "gain {gain}: {} and not {expected}", point.0);
        }
        assert!(found.doubts.is_empty() && found.unique.iter().all(|p| p.doubts.is_empty()));
    }
}

#[test]
fn one_unit_that_dampens_has_one_stable_point() {
    for gain in [-0.9, 0.0, 0.5, 0.99] {
        let found = search(&diagonal(&[gain]));
        assert_eq!(found.unique.len(), 1, "gain {gain}");
        assert!(found.unique[0].is_stable && found.unique[0].ending.state[0].abs() < 1e-9);
    }
}

#[test]
fn units_that_amplify_alone_have_three_points_each_in_every_combination() {
    for gains in [&[2.0, 1.5][..], &[1.3, 2.0, 3.0], &[1.5, 1.5, 1.5, 1.5]] {
        let found = search(&diagonal(gains));
        assert_eq!(found.fixed().count(), 3usize.pow(gains.len() as u32), "{gains:?}: {:?}", found.doubts);
        let mut seen = Vec::new();
        for point in found.fixed() {
            let signs: Vec<i32> =
                point.ending.state.iter().map(|x| if x.abs() < 1e-6 { 0 } else { x.signum() as i32 }).collect();
            for (i, gain) in gains.iter().enumerate() {
                let expected = f64::from(signs[i]) * positive_root(*gain);
                assert!((point.ending.state[i] - expected).abs() < 1e-9);
            }
            assert_eq!(point.is_stable, signs.iter().all(|sign| *sign != 0), "{signs:?}");
            let outside = point.eigenvalues.iter().filter(|z| z.re.hypot(z.im) > 1.0).count();
            assert_eq!(outside, signs.iter().filter(|sign| **sign == 0).count(), "{signs:?}");
            seen.push(signs);
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), found.fixed().count(), "every combination once");
    }
}

#[test]
fn a_bias_moves_the_only_fixed_point_away_from_the_origin() {
    let network = network(Activation::Tanh, &[&[0.5, -0.3], &[0.2, 0.4]], &[0.7, -1.1]);
    let found = search(&network);
    assert_eq!(found.unique.len(), 1);
    let point = &found.unique[0];
    let next = network.step(&point.ending.state, &[0.0]);
    assert!(distance(&next, &point.ending.state) < 1e-14 && point.ending.state[0] > 0.5);
    assert!(point.is_stable && point.ending.q < 1e-28, "q = {}", point.ending.q);
}

#[test]
fn a_constant_input_moves_the_point_by_what_the_input_jacobian_says() {
    let network = network(Activation::Tanh, &[&[0.5, -0.3], &[0.2, 0.4]], &[0.7, -1.1]);
    let at = |input: f64| {
        let found = fixed_points(&network, Some(&[input]), None, &FixedPointParams::default(), &|_, _| ()).unwrap();
        found.unique.into_iter().next().unwrap()
    };
    let (point, step) = (at(0.3), 1e-5);
    let moved: Vec<f64> = at(0.3 + step)
        .ending
        .state
        .iter()
        .zip(at(0.3 - step).ending.state)
        .map(|(a, b)| (a - b) / (2.0 * step))
        .collect();
    // h = F(h, u) along the branch, so (I - J) dh/du = dF/du.
    for i in 0..2 {
        let through_state: f64 = (0..2).map(|j| point.state_jacobian[(i, j)] * moved[j]).sum();
        assert!((moved[i] - through_state - point.input_jacobian[(i, 0)]).abs() < 1e-8);
    }
}

#[test]
fn a_rotation_has_only_the_origin_and_its_gain_decides_stability() {
    let (sin, cos) = 2.0f64.sin_cos();
    for (gain, stable) in [(0.9, true), (1.2, false)] {
        let found = search(&network(Activation::Tanh, &[&[gain * cos, -gain * sin], &[gain * sin, gain * cos]], &[]));
        assert_eq!(found.fixed().count(), 1, "gain {gain}");
        let point = &found.unique[0];
        assert_eq!(point.is_stable, stable);
        assert!((point.spectral_radius() - gain).abs() < 1e-12 && distance(&point.ending.state, &[0.0; 2]) < 1e-9);
    }
}

#[test]
fn a_rotation_of_gain_one_is_marginal_and_says_so() {
    let (sin, cos) = 2.0f64.sin_cos();
    let found = search(&network(Activation::Identity, &[&[cos, -sin], &[sin, cos]], &[]));
    assert_eq!(found.fixed().count(), 1);
    assert!(matches!(found.unique[0].doubts[..], [FixedPointDoubt::Marginal { .. }]));
}

#[test]
fn a_network_that_keeps_everything_is_a_continuum_and_not_a_list() {
    let keeps_all = network(Activation::Identity, &[&[1.0, 0.0], &[0.0, 1.0]], &[]);
    let params = FixedPointParams { random_starts: 256, settled_starts: 64, ..FixedPointParams::default() };
    let found = fixed_points(&keeps_all, None, None, &params, &|_, _| ()).unwrap();
    assert_eq!(found.unique.len(), params.continuum_points);
    assert!(matches!(found.doubts[0], FixedPointDoubt::Continuum { dimension: 2, kept: 8, found } if found > 200));
}

#[test]
fn a_line_of_fixed_points_has_dimension_one() {
    let found = search(&network(Activation::Identity, &[&[0.75, 0.25], &[0.25, 0.75]], &[]));
    assert!(matches!(found.doubts[0], FixedPointDoubt::Continuum { dimension: 1, .. }), "{:?}", found.doubts);
    assert!(found.fixed().all(|point| (point.ending.state[0] - point.ending.state[1]).abs() < 1e-9));
}

#[test]
fn where_two_points_have_just_vanished_a_slow_point_is_left() {
    // x = tanh(2 x + b) has slope 1 at x* = -sqrt(1/2), where two points meet; a little more bias and both are gone.
    let fold = 0.5f64.sqrt();
    let bias = 2.0 * fold - fold.atanh();
    let found = search(&network(Activation::Tanh, &[&[2.0]], &[bias + 1e-4]));
    assert_eq!((found.fixed().count(), found.slow().count()), (1, 1), "{:?}", found.doubts);
    let slow = found.slow().next().unwrap();
    assert!((slow.ending.state[0] + fold).abs() < 0.01 && slow.ending.q > 1e-12, "{:?}", slow.ending);
}

#[test]
fn a_relu_network_with_a_bias_has_the_point_of_its_linear_part() {
    let found = search(&network(Activation::Relu, &[&[0.5, 0.0], &[0.0, 0.2]], &[1.0, -1.0]));
    assert_eq!(found.unique.len(), 1);
    assert!(distance(&found.unique[0].ending.state, &[2.0, 0.0]) < 1e-12 && found.unique[0].is_stable);
}

#[test]
fn patterns_stored_in_the_weights_are_found_with_their_negatives() {
    // Two orthogonal patterns, outer products with gain 1.6: the four memories attract, the origin does not.
    let patterns = [[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0]];
    let mut network = Initialization::Uniform.network(&Architecture::elman(8, Activation::Tanh, false), 1, 1, 1);
    network.as_elman_mut().unwrap().recurrent_weights =
        Matrix::from_fn(8, 8, |i, j| patterns.iter().map(|p| 0.2 * p[i] * p[j]).sum());
    let found = search(&network);
    let root = positive_root(1.6);
    for pattern in patterns {
        for sign in [1.0, -1.0] {
            let memory: Vec<f64> = pattern.iter().map(|x| sign * root * x).collect();
            let point = found.fixed().find(|p| distance(&p.ending.state, &memory) < 1e-9);
            assert!(point.is_some_and(|p| p.is_stable), "{memory:?}");
        }
    }
    // Sums of the two patterns live on half of the units, with the other half silent.
    assert_eq!(found.fixed().filter(|p| p.is_stable).count(), 4);
    assert_eq!(found.fixed().count(), 9);
}

#[test]
fn visited_states_serve_as_starts_and_misfits_are_refused() {
    let network = diagonal(&[2.0]);
    let none = FixedPointParams { random_starts: 0, settled_starts: 0, max_rounds: 0, ..Default::default() };
    let visited = Matrix::from_fn(1, 3, |_, k| [0.9, 0.95, -0.9][k]);
    let found = fixed_points(&network, None, Some(visited.as_ref()), &none, &|_, _| ()).unwrap();
    assert_eq!((found.all.len(), found.unique.len()), (4, 3));
    let error = fixed_points(&network, Some(&[0.0; 2]), None, &none, &|_, _| ()).unwrap_err().to_string();
    assert!(error.contains("constant input: found 2, needed 1"), "{error}");
    let wide = Matrix::zeros(2, 3);
    assert!(fixed_points(&network, None, Some(wide.as_ref()), &none, &|_, _| ()).is_err());
}

#[test]
fn every_descent_is_watched() {
    let (calls, last) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let watch = |done: usize, of: usize| {
        assert!(done <= of);
        calls.fetch_add(1, Ordering::Relaxed);
        last.fetch_max(of, Ordering::Relaxed);
    };
    let found = fixed_points(&diagonal(&[2.0, 1.5]), None, None, &FixedPointParams::default(), &watch).unwrap();
    assert_eq!((calls.into_inner(), last.into_inner()), (found.all.len(), found.all.len()));
}

#[test]
fn points_beyond_the_limit_are_counted_and_not_described() {
    let few = FixedPointParams { max_points: 5, ..Default::default() };
    let found = fixed_points(&diagonal(&[2.0, 1.5]), None, None, &few, &|_, _| ()).unwrap();
    assert_eq!(found.unique.len(), 5);
    assert!(
        matches!(found.doubts[..], [FixedPointDoubt::Many { found: 9, described: 5, stable: 4, stable_described: 4 }]),
        "{:?}",
        found.doubts
    );
}

#[test]
fn the_same_seed_finds_the_same_points_to_the_bit() {
    let network = Initialization::Gaussian.network(&Architecture::elman(12, Activation::Tanh, true), 2, 2, 3);
    let (first, second) = (search(&network), search(&network));
    assert_eq!(first.all, second.all);
    assert!(!first.unique.is_empty());
}

#[test]
fn descents_that_creep_into_saturated_gates_are_given_up_and_the_point_is_found_all_the_same() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/networks/gru-t3-h128.safetensors");
    let network = crate::network::NetworkFile::open(&file).unwrap().network;
    let params = FixedPointParams { random_starts: 8, settled_starts: 4, max_rounds: 0, ..Default::default() };
    let found = fixed_points(&network, None, None, &params, &|_, _| ()).unwrap();
    assert_eq!((found.unique.len(), found.unique[0].unstable), (1, 36));
    let reach = reach(starts_of(&found.all), &params);
    let crept: Vec<usize> = found.all.iter().filter(|e| !is_within(&e.state, reach)).map(|e| e.n_iters).collect();
    assert!(!crept.is_empty() && crept.iter().all(|&n_iters| n_iters < params.max_iters / 2), "{crept:?}");
}
