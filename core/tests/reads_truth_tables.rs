//! Networks that compute truth tables: what they compute is read back, and what they do not compute is not said of them.

#![allow(clippy::unwrap_used, clippy::panic)]

use ketbra::interpret::{
    InterpretParams, Interpretation, Question, Reason, Verdict, Warning, interpret, interpret_trajectories,
};
use ketbra::network::{Network, NetworkFile};
use ketbra::observe::Trajectories;
use ketbra::random::{Purpose, Stream};
use ketbra::recurrence::{MainlyParams, RecurrenceParams};
use ketbra::report::headline;
use ketbra::task::{Episodes, Window};
use std::path::Path;

fn trained(name: &str) -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/networks/{name}.safetensors"));
    NetworkFile::open(&path).unwrap().network
}

fn task(lines: &str) -> Window {
    Window::parse(lines, None, None).unwrap()
}

fn mux() -> Window {
    task("u1 = u1[t-4]; u2 = u2[t-3]; u3 = u3[t-4]; u4 = if(u1[t-2], u2[t-3], u3[t-4])")
}

fn networks() -> [(Network, Window); 3] {
    [
        (trained("lfsr5-h128"), task("lfsr:5,3")),
        (trained("mux-h128"), mux()),
        (trained("gru-rule110-h128"), task("rule110")),
    ]
}

fn told(network: &Network, task: &Window) -> Interpretation {
    interpret(network, &Question::Task(task.clone()), &InterpretParams::default(), &|_| true).unwrap()
}

fn blind(network: &Network, s: usize) -> Interpretation {
    interpret(network, &Question::Blind { s }, &InterpretParams::default(), &|_| true).unwrap()
}

fn something_else(found: &Interpretation) -> Option<Vec<usize>> {
    found.warnings.iter().find_map(|note| match &note.warning {
        Warning::ComputesSomethingElse { outputs } => Some(outputs.clone()),
        _ => None,
    })
}

#[test]
fn trained_networks_are_circuits_told_and_blind_and_their_tables_are_read_back() {
    for (network, task) in networks() {
        for found in [told(&network, &task), blind(&network, task.s())] {
            assert_eq!(found.verdict, Verdict::Circuit, "{}: {:?}", task.name(), found.reasons);
            assert!(found.read_back().unwrap().same_function(&task), "{}: {:?}", task.name(), found.function);
            assert!(found.recurrence.is_none() && something_else(&found).is_none());
            let products = found.code.unwrap().products.unwrap();
            assert!(products.by_degree.windows(2).all(|pair| pair[0] <= pair[1]), "{products:?}");
            let control = found.control.unwrap();
            assert!(control.rows.right() == 0 && control.read == 0, "{control:?}");
        }
    }
}

#[test]
fn a_network_that_errs_in_a_few_windows_at_first_is_read_by_what_matters_mainly() {
    // Stopped after 3,000 steps: right in 0.9999 of all signs, but u6 of the first output is wrong in 11 of 256 windows.
    let (network, rule) = (trained("rule184-early-h128"), task("rule184"));
    let found = blind(&network, 1);
    assert!(found.read_back().unwrap().same_function(&rule), "{:?}", found.function);
    // Where slips are not forgiven, some outputs stay open, and none is made up.
    let mainly = MainlyParams { entries: 1.0, ..Default::default() };
    let strict =
        InterpretParams { recurrence: RecurrenceParams { mainly, ..Default::default() }, ..Default::default() };
    let found = interpret(&network, &Question::Blind { s: 1 }, &strict, &|_| true).unwrap();
    assert!(found.read_back().is_none() && found.function.len() < 8, "{:?}", found.function);
}

#[test]
fn a_register_of_other_taps_and_a_table_with_one_other_entry_are_told_apart() {
    let register = told(&trained("lfsr5-h128"), &task("lfsr:5,2"));
    assert_ne!(register.verdict, Verdict::Circuit);
    assert_eq!(something_else(&register), Some(vec![1]));
    // One of the eight entries of the multiplexer is turned over.
    let near = task("u1 = u1[t-4]; u2 = u2[t-3]; u3 = u3[t-4]; u4 = table(---++++-, u3[t-4], u2[t-3], u1[t-2])");
    let found = told(&trained("mux-h128"), &near);
    assert_ne!(found.verdict, Verdict::Circuit, "{:?}", found.claims);
    assert_eq!(something_else(&found), Some(vec![4]));
}

#[test]
fn nothing_is_stated_of_outputs_that_are_turned_over_or_of_shuffled_weights() {
    for (network, task) in networks() {
        let mut turned = network.clone();
        turned.readout.weights *= faer::Scale(-1.0);
        turned.readout.bias = turned.readout.bias.map(|bias| bias.iter().map(|x| -x).collect());
        // What is said no longer goes on from what was heard.
        assert!(blind(&turned, task.s()).read_back().is_none(), "{}", task.name());
        let mut shuffled = network.clone();
        shuffled.layers.iter_mut().for_each(|cell| cell.scramble(3));
        let found = blind(&shuffled, task.s());
        assert!(
            found.function.is_empty() && found.verdict != Verdict::Circuit,
            "{}: {:?}",
            task.name(),
            found.function
        );
    }
}

/// What a network did, with 512 random inputs.
fn recorded(network: &Network, task: &Window, steps: usize) -> Trajectories {
    let mut episodes = Episodes::new(task, 512);
    episodes.draw(task, &Stream::new(9, Purpose::TestInputs), 0, 0);
    let run = network.run(episodes.inputs(), 512, steps);
    let states: Vec<_> = run.states[task.s()..].to_vec();
    let outputs = states.iter().map(|state| network.read(state.as_ref())).collect();
    Trajectories { states, outputs, inputs: Some(episodes.inputs().to_vec()) }
}

#[test]
fn recordings_show_the_tables_where_every_combination_was_seen() {
    for (network, task) in networks() {
        let recorded = recorded(&network, &task, 80);
        let found =
            interpret_trajectories(&recorded, &Question::Blind { s: task.s() }, &InterpretParams::default()).unwrap();
        assert!(found.read_back().unwrap().same_function(&task), "{}: {:?}", task.name(), found.function);
        assert!(found.code.unwrap().worst >= 0.99, "{}", task.name());
    }
}

#[test]
fn recordings_whose_outputs_are_another_episodes_show_no_table() {
    let (network, task) = (trained("lfsr5-h128"), task("lfsr:5,3"));
    let mut recorded = recorded(&network, &task, 80);
    // Inputs of one episode, outputs of the next.
    recorded.inputs = recorded.inputs.map(|inputs| {
        inputs.chunks(512).flat_map(|step| step[1..].iter().chain(&step[..1]).copied().collect::<Vec<f32>>()).collect()
    });
    // Outputs alone still follow the register, five steps on: only what rests on inputs must be gone.
    recorded.outputs.iter_mut().enumerate().for_each(|(t, said)| {
        let mut turned = said.clone();
        (0..512).for_each(|k| turned[(0, k)] = said[(0, (k + 7 * t) % 512)]);
        *said = turned;
    });
    let found = interpret_trajectories(&recorded, &Question::Blind { s: 5 }, &InterpretParams::default()).unwrap();
    assert!(found.function.is_empty(), "{:?}", found.function);
    assert_ne!(found.verdict, Verdict::Circuit);
}

#[test]
fn a_network_that_has_died_out_is_judged_and_not_refused() {
    let mut network = trained("lfsr5-h128");
    for scale in [0.3, 1e-3, 1e-8] {
        let cell = network.as_elman_mut().unwrap();
        cell.recurrent_weights = &cell.recurrent_weights * faer::Scale(scale);
        cell.input_weights = &cell.input_weights * faer::Scale(scale);
        for found in [told(&network, &task("lfsr:5,3")), blind(&network, 5)] {
            assert!(found.function.is_empty() && found.verdict != Verdict::Circuit, "{scale}: {:?}", found.reasons);
        }
    }
}

#[test]
fn a_network_that_does_its_task_and_is_no_circuit_is_told_what_it_holds() {
    let network = trained("gru-lfsr7-h128");
    let found = told(&network, &task("lfsr:7,6"));
    assert_eq!((found.verdict, found.accuracy.unwrap().value), (Verdict::Partial, 1.0));
    assert_eq!(found.reasons[0], Reason::DoesAndHolds { contents: 7 }, "{:?}", found.reasons);
    let sentence = headline(Some(&network), &found);
    assert!(sentence.contains("to the last step that was run, and 7 bits are read from its state; but"), "{sentence}");
    // One that does something else holds nothing of it.
    let other = told(&trained("lfsr5-h128"), &task("lfsr:5,2"));
    assert!(!other.reasons.iter().any(|reason| matches!(reason, Reason::DoesAndHolds { .. })), "{:?}", other.reasons);
}
