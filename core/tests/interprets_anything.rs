//! Networks of every shape and state of mind are interpreted without a panic, and every number is finite.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::interpret::{InterpretParams, Question, interpret};
use ketbra::memories::Method;
use ketbra::network::{Activation, Architecture, Initialization, Network};
use ketbra::task::Window;

fn all_finite(value: &serde_json::Value, path: &str) {
    match value {
        serde_json::Value::Array(items) => items.iter().for_each(|item| all_finite(item, path)),
        serde_json::Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| all_finite(field, &format!("{path}/{name}")));
        }
        serde_json::Value::Number(number) => assert!(number.as_f64().is_some_and(f64::is_finite), "{path}: {number}"),
        _ => {}
    }
}

fn look_at(network: &Network, s: usize, d: usize) {
    let task = Window::named("compose-copy", Some(s), Some(d)).unwrap();
    let params = InterpretParams { methods: Method::ALL.to_vec(), ..InterpretParams::default() };
    for question in [Question::Task(task), Question::Blind { s }] {
        match interpret(network, &question, &params, &|_| true) {
            Ok(found) => all_finite(&serde_json::to_value(&found).unwrap(), ""),
            Err(error) => assert!(error.to_string().contains("grows without bound"), "{error}"),
        }
    }
}

#[test]
fn untrained_networks_of_any_size_are_interpreted() {
    for (hidden, s, d) in [(1, 1, 1), (2, 8, 3), (5, 1, 4), (24, 3, 2), (16, 70, 1), (40, 2, 9)] {
        for activation in [Activation::Tanh, Activation::Relu, Activation::Identity] {
            for (bias, gain) in [(false, 1.0), (true, 1.0), (false, 4.0), (false, 0.0)] {
                let mut network =
                    Initialization::Uniform.network(&Architecture::elman(hidden, activation, bias), d, d, 3);
                network.as_elman_mut().unwrap().recurrent_weights *= faer::Scale(gain);
                look_at(&network, s, d);
            }
        }
    }
}

#[test]
fn a_network_of_zeros_is_silent_and_has_learned_no_task() {
    let mut network = Initialization::Uniform.network(&Architecture::elman(12, Activation::Tanh, false), 2, 2, 3);
    network.change_matrices(|weights| weights.fill(0.0));
    look_at(&network, 4, 2);
    let found = interpret(&network, &Question::Blind { s: 4 }, &InterpretParams::default(), &|_| true).unwrap();
    assert_eq!(found.verdict.name(), "silent");
    let task = Window::named("repeat-copy", Some(4), Some(2)).unwrap();
    let found = interpret(&network, &Question::Task(task), &InterpretParams::default(), &|_| true).unwrap();
    assert_eq!(found.verdict.name(), "not-learned");
}
