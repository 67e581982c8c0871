//! Metamorphic tests: what changes nothing about a network changes nothing about what is said of it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::interpret::{ClaimName, InterpretParams, Interpretation, Question, Verdict, interpret};
use ketbra::network::{Network, NetworkFile};
use ketbra::numeric::Matrix;
use ketbra::task::Window;
use std::path::Path;

/// A circuit, a superposed network and one that learned nothing.
const SUBJECTS: [(&str, Verdict); 3] = [
    ("t3-h64-l2_0-seed01.safetensors", Verdict::Circuit),
    ("t3-h64-l2_0.001-seed02.safetensors", Verdict::Superposed),
    ("t1-h128-l2_0.1-seed01.safetensors", Verdict::NotLearned),
];

fn fixture(name: &str) -> (Network, Window) {
    let file = NetworkFile::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).unwrap();
    let task = file.window().unwrap().unwrap();
    (file.network, task)
}

fn said(network: &Network, question: &Question, params: &InterpretParams) -> (Verdict, Vec<(ClaimName, bool)>) {
    let found: Interpretation = interpret(network, question, params, &|_| true).unwrap();
    (found.verdict, found.claims.iter().map(|claim| (claim.name, claim.holds)).collect())
}

/// Told and blind, before and after.
#[track_caller]
fn assert_unchanged(change: impl Fn(&Network) -> Network, params: &InterpretParams) {
    for (name, verdict) in SUBJECTS {
        let (network, task) = fixture(name);
        let changed = change(&network);
        for question in [Question::Task(task.clone()), Question::Blind { s: 8 }] {
            let before = said(&network, &question, &InterpretParams::default());
            let blind = matches!(question, Question::Blind { .. });
            let verdict = if blind && verdict == Verdict::NotLearned { Verdict::Silent } else { verdict };
            assert_eq!(before.0, verdict, "{name}");
            assert_eq!(said(&changed, &question, params), before, "{name} {question:?}");
        }
    }
}

fn in_other_units(network: &Network, place: impl Fn(usize) -> usize, sign: impl Fn(usize) -> f64) -> Network {
    let hidden = network.hidden();
    let (cell, readout) = (network.as_elman().unwrap(), &network.readout.weights);
    let (recurrent, input) = (&cell.recurrent_weights, &cell.input_weights);
    Network::elman(
        cell.activation,
        Matrix::from_fn(hidden, network.inputs(), |i, j| sign(i) * input[(place(i), j)]),
        Matrix::from_fn(hidden, hidden, |i, j| sign(i) * sign(j) * recurrent[(place(i), place(j))]),
        Matrix::from_fn(network.outputs(), hidden, |j, i| sign(i) * readout[(j, place(i))]),
    )
}

#[test]
fn units_in_another_order_and_with_other_signs() {
    let permuted = |network: &Network| {
        let hidden = network.hidden();
        in_other_units(network, |i| (i * 37 + 11) % hidden, |_| 1.0)
    };
    let flipped = |network: &Network| in_other_units(network, |i| i, |i| if i % 3 == 0 { -1.0 } else { 1.0 });
    assert_unchanged(permuted, &InterpretParams::default());
    assert_unchanged(flipped, &InterpretParams::default());
}

#[test]
fn a_louder_and_a_softer_readout() {
    for scale in [1e-100, 1e-3, 1e100] {
        let scaled = |network: &Network| {
            let mut network = network.clone();
            network.readout.weights *= faer::Scale(scale);
            network
        };
        assert_unchanged(scaled, &InterpretParams::default());
    }
}

#[test]
fn weights_kept_in_half_precision() {
    let half =
        |matrix: &Matrix| Matrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| in_half_precision(matrix[(i, j)]));
    let rounded = |network: &Network| {
        let mut network = network.clone();
        network.change_matrices(|matrix| *matrix = half(matrix));
        network
    };
    assert_unchanged(rounded, &InterpretParams::default());
}

/// Eleven significant bits, and nothing below 2^-24.
fn in_half_precision(value: f64) -> f64 {
    if value == 0.0 {
        return value;
    }
    let step = 2f64.powi((value.abs().log2().floor() as i32).max(-14) - 10);
    (value / step).round() * step
}

#[test]
fn more_episodes_and_other_seeds() {
    let mut more = InterpretParams::default();
    (more.observe.probes, more.observe.trials, more.observe.scores) = (128, 512, 256);
    assert_unchanged(Network::clone, &more);
    for seed in 2..5 {
        let mut other = InterpretParams::default();
        other.observe.seed = seed;
        assert_unchanged(Network::clone, &other);
    }
}
