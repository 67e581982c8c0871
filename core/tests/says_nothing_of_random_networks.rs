//! Networks that never learned anything: no circuit, no superposition, no function, and not one row of f.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::interpret::{InterpretParams, Question, Verdict, interpret};
use ketbra::network::{Activation, Network};
use ketbra::numeric::{Matrix, draw};
use ketbra::random::{Purpose, Stream};
use ketbra::recurrence::Confidence;
use ketbra::task::Task;
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
    let task = Task::named(name, None, None).unwrap();
    for question in [Question::Task(task), Question::Blind { s: 8 }] {
        let found = interpret(&network, &question, &InterpretParams::default()).unwrap();
        assert!(!matches!(found.verdict, Verdict::Circuit | Verdict::Superposed), "{k} {name}: {:?}", found.reasons);
        assert_eq!((found.confidence, &found.recurrence), (Confidence::CannotTell, &None), "{k}: {:?}", found.readings);
        assert!(found.recurrence_in_words.is_empty(), "{k}: {:?}", found.recurrence_in_words);
        let rows = found.code.map_or(0, |code| code.rows.of_f);
        assert_eq!(rows, 0, "{k} {name}: rows of f in the basis of the code");
    }
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
