//! Two circuits in one network, judged by what is read from it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::compile::{CompileParams, compile};
use ketbra::compose::{ComposeError, Composed, feed, sum};
use ketbra::interpret::{InterpretParams, Interpretation, Question, Verdict, interpret};
use ketbra::network::{Activation, Architecture, CellKind, CellSettings, Initialization, Network};
use ketbra::task::Window;

fn task(s: usize, d: usize, lines: &[&str]) -> Window {
    let lines: Vec<String> = lines.iter().map(|line| format!("\"{line}\"")).collect();
    Window::from_toml(&format!("s = {s}\nd = {d}\nrecurrence = [{}]", lines.join(", ")), "planted", "planted").unwrap()
}

fn made(task: &Window, cell: CellKind, seed: u64) -> Network {
    compile(task, &CompileParams { hidden: Some(48), cell, seed, ..CompileParams::default() }).unwrap().network
}

fn read(network: &Network, task: &Window) -> Interpretation {
    interpret(network, &Question::Task(task.clone()), &InterpretParams::default(), &|_| true).unwrap()
}

#[track_caller]
fn assert_circuit(made: &Composed) {
    let told = read(&made.network, &made.task);
    assert_eq!(told.verdict, Verdict::Circuit, "{:?}", told.reasons);
    let blind = interpret(&made.network, &Question::Blind { s: made.task.s() }, &InterpretParams::default(), &|_| true)
        .unwrap();
    assert_eq!(blind.recurrence_in_words, made.task.recurrence());
}

fn three() -> [Window; 2] {
    [task(3, 2, &["u1 = u1[t-3]", "u2 = -u2[t-2]"]), task(3, 2, &["u1 = u2[t-1]", "u2 = u1[t-3]"])]
}

#[test]
fn circuits_side_by_side_are_one_circuit_of_both_tasks() {
    let [f, g] = three();
    for cells in [[CellKind::Elman; 2], [CellKind::Gru; 2], [CellKind::Lstm; 2], [CellKind::Elman, CellKind::Gru]] {
        let (a, b) = (made(&f, cells[0], 1), made(&g, cells[1], 2));
        let both = sum((&a, &f), (&b, &g)).unwrap();
        let words = ["u1 = u1[t-3]", "u2 = -u2[t-2]", "u3 = u4[t-1]", "u4 = u3[t-3]"];
        assert_eq!(both.task.recurrence(), words);
        assert_eq!((both.network.hidden(), both.network.inputs(), both.network.outputs()), (96, 4, 4));
        assert_circuit(&both);
    }
}

#[test]
fn each_part_of_a_sum_says_what_it_said_alone() {
    let [f, g] = three();
    let (a, b) = (made(&f, CellKind::Elman, 1), made(&g, CellKind::Elman, 2));
    let both = sum((&a, &f), (&b, &g)).unwrap().network;
    let inputs: Vec<f32> = (0..3 * 4).map(|k| if (k * 7) % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let of = |first: usize| inputs.chunks(4).flat_map(|u| u[first..first + 2].to_vec()).collect::<Vec<f32>>();
    let run = |network: &Network, inputs: &[f32]| network.read(network.begin(inputs, 1, 30).end().as_ref());
    let (all, x, y) = (run(&both, &inputs), run(&a, &of(0)), run(&b, &of(2)));
    for j in 0..2 {
        assert!((all[(j, 0)] - x[(j, 0)]).abs() < 1e-12 && (all[(2 + j, 0)] - y[(j, 0)]).abs() < 1e-12);
    }
}

#[test]
fn a_network_that_is_fed_computes_its_function_of_what_the_other_says() {
    let [f, g] = three();
    let (a, b) = (made(&f, CellKind::Elman, 1), made(&g, CellKind::Elman, 2));
    let fed = feed((&a, &f), (&b, &g), (&read(&a, &f), &read(&b, &g))).unwrap();
    // The second function reads the first one's components.
    let words = ["u1 = u1[t-3]", "u2 = -u2[t-2]", "u3 = u2[t-1]", "u4 = u1[t-3]"];
    assert_eq!(fed.task.recurrence(), words);
    let told = read(&fed.network, &fed.task);
    assert!(told.accuracy.unwrap().value > 0.999, "{:?} {:?}", told.accuracy, told.reasons);
    let blind = interpret(&fed.network, &Question::Blind { s: 3 }, &InterpretParams::default(), &|_| true).unwrap();
    assert_eq!(blind.recurrence_in_words, words, "{:?}", blind.reasons);
    assert_eq!(told.verdict, Verdict::Circuit, "{:?}", told.reasons);
}

#[test]
fn without_the_first_network_the_second_one_is_not_what_it_was() {
    // What is fed is what counts: with the wires between them cut, the fed outputs no longer follow.
    let [f, g] = three();
    let (a, b) = (made(&f, CellKind::Elman, 1), made(&g, CellKind::Elman, 2));
    let mut fed = feed((&a, &f), (&b, &g), (&read(&a, &f), &read(&b, &g))).unwrap();
    let cell = fed.network.as_elman_mut().unwrap();
    cell.recurrent_weights.submatrix_mut(48, 0, 48, 48).fill(0.0);
    let told = read(&fed.network, &fed.task);
    assert_ne!(told.verdict, Verdict::Circuit);
    assert!(told.accuracy.unwrap().value < 0.9, "{:?}", told.accuracy);
}

#[test]
fn what_does_not_fit_is_refused_with_a_reason() {
    let [f, g] = three();
    let (a, b) = (made(&f, CellKind::Elman, 1), made(&g, CellKind::Elman, 2));
    let longer = Window::named("repeat-copy", Some(4), Some(2)).unwrap();
    let c = made(&longer, CellKind::Elman, 3);
    let said = |result: Result<Composed, ComposeError>| result.unwrap_err().to_string();
    assert!(said(sum((&a, &f), (&c, &longer))).contains("s=3"));
    let wider = Window::named("repeat-copy", Some(3), Some(3)).unwrap();
    assert!(said(sum((&a, &wider), (&b, &g))).contains("d=3"));
    let d = made(&wider, CellKind::Elman, 4);
    let (of_a, of_b, of_d) = (read(&a, &f), read(&b, &g), read(&d, &wider));
    assert!(said(feed((&a, &f), (&d, &wider), (&of_a, &of_d))).contains("the same d"));
    let gru = made(&g, CellKind::Gru, 2);
    assert!(said(feed((&a, &f), (&gru, &g), (&of_a, &of_b))).contains("Elman"));
    let lstm = made(&g, CellKind::Lstm, 2);
    assert!(said(sum((&a, &f), (&lstm, &g))).contains("do not make one"));
    let mut linear = b.clone();
    linear.as_elman_mut().unwrap().activation = Activation::Identity;
    assert!(said(sum((&a, &f), (&linear, &g))).contains("a layer with tanh and a layer with identity do not make one"));
    let leaky = CellKind::Leaky;
    let leaky = Architecture {
        cell: leaky,
        settings: CellSettings::usual(leaky),
        ..Architecture::elman(8, Activation::Tanh, false)
    };
    let leaky = Initialization::Uniform.network(&leaky, f.d(), f.d(), 1);
    let refused = said(sum((&leaky, &f), (&leaky, &g)));
    assert!(refused.contains("layers of leaky") && refused.contains("not put together yet"), "{refused}");
}
