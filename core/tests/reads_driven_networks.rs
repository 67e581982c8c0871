//! What driven networks hold: read, written, and told from what only echoes.
//!
//! The networks (GRU, H = 64) were trained with PyTorch on inputs that are those of the programs of the same names.

#![allow(clippy::unwrap_used, clippy::panic)]

use ketbra::driven::{DrivenError, DrivenParams, DrivenReading, what_is_held};
use ketbra::network::{Activation, Network, NetworkFile};
use ketbra::numeric::Matrix;
use ketbra::task::Program;
use std::path::Path;

fn network(name: &str) -> Network {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/programs");
    NetworkFile::open(&folder.join(format!("{name}.safetensors"))).unwrap().network
}

fn held(network: &Network, program: &str) -> DrivenReading {
    let program = Program::named(program).unwrap().unwrap();
    what_is_held(network, &program, &DrivenParams::default()).unwrap()
}

#[test]
fn registers_are_read_and_what_is_written_into_one_leaves_the_others_alone() {
    let found = held(&network("gru-registers-seed01"), "registers:4x2");
    assert!(found.accuracy > 0.999, "{}", found.accuracy);
    assert!(found.written.interchange().unwrap() > 0.98, "{:?}", found.written);
    for variable in &found.variables {
        assert!(variable.read.unwrap() > 0.98, "{variable:?}");
        assert!(variable.written.interchange().unwrap() > 0.98, "{variable:?}");
        assert!(variable.written.others_kept().unwrap() > 0.98, "{variable:?}");
    }
    // The same procedure where there is nothing to find.
    assert!((0.3..0.7).contains(&found.written_in_control.interchange().unwrap()), "{:?}", found.written_in_control);
    assert!(found.variables.iter().all(|variable| variable.read_in_control.unwrap() < 0.95));
}

#[test]
fn what_is_read_and_not_used_is_not_followed() {
    // It has not learned to count modulo 5: its state tells the sum, and its outputs do not come from there.
    let found = held(&network("gru-mod5-seed02"), "mod:5");
    assert!(found.variables[0].read.unwrap() > 0.95, "{:?}", found.variables);
    assert!(found.written.interchange().unwrap() < 0.5, "{:?}", found.written);
    // Shuffled weights are not even read.
    assert!(found.variables[0].read_in_control.unwrap() < 0.5, "{:?}", found.variables);
}

#[test]
fn a_stack_is_steered_by_products_of_its_depth_and_its_places() {
    let found = held(&network("gru-stack-seed01"), "stack:4");
    assert!(found.code.products_of_contents, "{:?}", found.code);
    let best = |products: bool| {
        let tried = found.tried.iter().filter(|tried| tried.products_of_contents == products);
        tried.filter_map(|tried| tried.followed.interchange()).fold(0.0, f64::max)
    };
    assert!(best(true) > best(false) + 0.05, "{} and {}", best(true), best(false));
    assert!(found.written.interchange().unwrap() > 0.95, "{:?}", found.written);
}

#[test]
fn a_number_that_one_unit_adds_up_is_read_written_and_followed() {
    let program = Program::read("input x: uniform(-1, 1)\nvariable v: number\nv = v + x\noutput y = v").unwrap();
    let one = || Matrix::from_fn(1, 1, |_, _| 1.0);
    let adder = Network::elman(Activation::Identity, one(), one(), one());
    let found = what_is_held(&adder, &program, &DrivenParams::default()).unwrap();
    assert!(found.accuracy == 1.0 && found.explained.contents > 0.999, "{found:?}");
    assert!(found.variables[0].read.unwrap() > 0.99, "{:?}", found.variables);
    assert_eq!((found.code.strength, found.written.interchange()), (1.0, Some(1.0)));
    // It forgets a little at every step: what was written is there at first, and gone at the end.
    let leaky = Network::elman(Activation::Identity, one(), one() * faer::Scale(0.9), one());
    let found = what_is_held(&leaky, &program, &DrivenParams::default()).unwrap();
    assert!(found.written.interchange().unwrap() < 0.9, "{:?}", found.written);
}

#[test]
fn another_program_is_not_held() {
    // Ten inputs and two outputs fit, but it runs another program.
    let inputs = "input a[4]: pulse(0.5)\ninput b[6]: pulse(0.5)\nvariable v[2]: sign\nv[i] = if(a[i] == 0, v[i], a[i] * v[i])\noutput y = v";
    let program = Program::read(inputs).unwrap();
    let found = what_is_held(&network("gru-registers-seed01"), &program, &DrivenParams::default()).unwrap();
    assert!(found.accuracy < 0.7 && found.written.interchange().unwrap() < 0.7, "{found:?}");
}

#[test]
fn the_same_network_gives_the_same_answer_and_what_does_not_fit_is_refused() {
    let (network, few) =
        (network("gru-registers-seed01"), DrivenParams { fitted: 64, judged: 32, ..DrivenParams::default() });
    let program = Program::named("registers:4x2").unwrap().unwrap();
    let twice = [0, 1].map(|_| what_is_held(&network, &program, &few).unwrap());
    assert_eq!(twice[0], twice[1]);
    let refused = |text: &str, params: &DrivenParams| {
        let program = Program::named(text).unwrap_or_else(|| Program::read(text)).unwrap();
        what_is_held(&network, &program, params).unwrap_err()
    };
    let error = refused("flipflop:3", &few);
    assert!(matches!(error, DrivenError::Sizes { inputs: 10, needs: 3, .. }), "{error}");
    assert!(error.to_string().contains("10 inputs and 2 outputs"), "{error}");
    let nothing = "input a[10]: sign\noutput y = a[1]\noutput z = a[2]";
    assert!(matches!(refused(nothing, &few), DrivenError::NoVariables(_)));
    assert!(matches!(
        refused("registers:4x2", &DrivenParams { steps: Some(3), ..few.clone() }),
        DrivenError::TooShort(3)
    ));
}
