//! Networks that never learned anything: no circuit, no superposition, no function, and not one row of f.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::interpret::{InterpretParams, Question, Verdict, interpret};
use ketbra::network::{Activation, Biases, Network};
use ketbra::numeric::{Matrix, draw};
use ketbra::random::{Purpose, Stream};
use ketbra::recurrence::Confidence;
use ketbra::task::Window;
use std::thread;

const NETWORKS: usize = 200;

/// The k-th network: Gaussian of a gain from 0.5 to 2, or orthogonal.
fn random(k: usize) -> Network {
    let (hidden, stream) = ([32, 48, 64, 96, 128][k % 5], Stream::new(1000 + k as u64, Purpose::Matrices));
    let gain = 0.5 + 1.5 * ((k / 5) % 8) as f64 / 7.0;
    let recurrent = match k % 4 {
        0 => draw::orthonormal(hidden, hidden, &stream, 0),
        _ => draw::normal(hidden, hidden, &stream, 0) * faer::Scale(gain / (hidden as f64).sqrt()),
    };
    let scaled = |matrix: Matrix| matrix * faer::Scale(1.0 / (hidden as f64).sqrt());
    Network::elman(
        Activation::Tanh,
        scaled(draw::normal(hidden, 8, &stream, 1)),
        recurrent,
        scaled(draw::normal(8, hidden, &stream, 2)),
    )
}

fn look_at(k: usize) {
    let (network, name) = (random(k), ["T1", "T2", "T3", "T4"][k / 2 % 4]);
    let task = Window::named(name, None, None).unwrap();
    for question in [Question::Task(task), Question::Blind { s: 8 }] {
        let found = interpret(&network, &question, &InterpretParams::default(), &|_| true).unwrap();
        assert!(!matches!(found.verdict, Verdict::Circuit | Verdict::Superposed), "{k} {name}: {:?}", found.reasons);
        assert_eq!((found.confidence, &found.recurrence), (Confidence::CannotTell, &None), "{k}: {:?}", found.readings);
        assert!(found.recurrence_in_words.is_empty(), "{k}: {:?}", found.recurrence_in_words);
        assert!(found.function.is_empty(), "{k}: {:?}", found.function);
        let rows = found.code.map_or(0, |code| code.rows.of_f);
        assert_eq!(rows, 0, "{k} {name}: rows of f in the basis of the code");
    }
}

/// A window so small that the first output always is some truth table of all of it; biases in every second network.
fn with_a_small_window(k: usize) {
    let (s, d) = [(5, 1), (1, 4), (2, 2), (3, 1), (1, 8), (4, 2)][k % 6];
    let stream = Stream::new(5000 + k as u64, Purpose::Matrices);
    let gain = 0.6 + 1.4 * (k / 6 % 8) as f64 / 7.0;
    let hidden = [16, 32, 64][k % 3];
    let scaled = |matrix: Matrix| matrix * faer::Scale(1.0 / (hidden as f64).sqrt());
    let mut network = Network::elman(
        Activation::Tanh,
        draw::normal(hidden, d, &stream, 1),
        scaled(draw::normal(hidden, hidden, &stream, 0)) * faer::Scale(gain),
        scaled(draw::normal(d, hidden, &stream, 2)) * faer::Scale(2.0),
    );
    if k.is_multiple_of(2) {
        let bias = draw::normal(hidden, 1, &stream, 3);
        network.as_elman_mut().unwrap().biases =
            Some(Biases { input: (0..hidden).map(|i| 0.5 * bias[(i, 0)]).collect(), recurrent: vec![0.0; hidden] });
    }
    let found = interpret(&network, &Question::Blind { s }, &InterpretParams::default(), &|_| true).unwrap();
    assert!(!matches!(found.verdict, Verdict::Circuit | Verdict::Superposed), "{k}: {:?}", found.reasons);
    assert!(found.function.is_empty(), "{k} s={s} d={d}: {:?}", found.function);
}

#[test]
fn random_networks_with_small_windows_compute_no_truth_table() {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for first in 0..threads {
            scope.spawn(move || (first..NETWORKS).step_by(threads).for_each(with_a_small_window));
        }
    });
}

#[test]
fn two_hundred_random_networks_are_called_what_they_are() {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for first in 0..threads {
            scope.spawn(move || (first..NETWORKS).step_by(threads).for_each(look_at));
        }
    });
}
