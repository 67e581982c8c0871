//! Compiled networks are what they are known to be: circuits, read back blind in full, and superposed where asked for.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::zoo::{gate, linear_tasks, other_tasks, slot};
use ketbra::compile::{CompileParams, compile};
use ketbra::interpret::{InterpretParams, Interpretation, Question, Verdict, interpret};
use ketbra::network::CellKind;
use ketbra::task::{Gate, Slot, Source, Window};
use std::thread;

fn blind(task: &Window, params: &CompileParams) -> Interpretation {
    let made = compile(task, params).unwrap();
    interpret(&made.network, &Question::Blind { s: task.s() }, &InterpretParams::default(), &|_| true).unwrap()
}

fn failed(found: &Interpretation) -> Vec<String> {
    found
        .claims
        .iter()
        .filter(|claim| !claim.holds)
        .map(|claim| format!("{} {}", claim.name.name(), claim.figure()))
        .collect()
}

/// Does something with every task, on as many threads as there are.
fn with_each(tasks: &[Window], act: impl Fn(&Window) + Sync) {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for first in 0..threads {
            let act = &act;
            scope.spawn(move || tasks.iter().skip(first).step_by(threads).for_each(act));
        }
    });
}

/// A copy of one step is what a latch does too: with nobody to say which it is, it is not called a circuit.
fn looks_like_a_latch(task: &Window) -> bool {
    let stays = |(j, source): (usize, &Source)| (source.lag, source.component) == (1, j);
    task.sources().is_some_and(|sources| sources.iter().enumerate().all(stays))
}

fn assert_circuit(task: &Window, params: &CompileParams) {
    if looks_like_a_latch(task) {
        let made = compile(task, params).unwrap();
        let told =
            interpret(&made.network, &Question::Task(task.clone()), &InterpretParams::default(), &|_| true).unwrap();
        assert_eq!((told.verdict, blind(task, params).verdict), (Verdict::Circuit, Verdict::OtherKind));
        return;
    }
    let found = blind(task, params);
    let read = found.read_back().is_some_and(|read| read.same_function(task));
    assert!(read, "{} {:?}: {:?}", task.name(), params.cell, found.function);
    assert_eq!(found.verdict, Verdict::Circuit, "{} {:?}: {:?}", task.name(), params.cell, failed(&found));
}

#[test]
fn compiled_networks_are_circuits_and_read_back_blind() {
    let tasks: Vec<Window> = linear_tasks().into_iter().chain(other_tasks()).collect();
    assert!(tasks.iter().filter(|task| !looks_like_a_latch(task)).count() >= 30);
    with_each(&tasks, |task| assert_circuit(task, &CompileParams::default()));
}

#[test]
fn compiled_gated_cells_are_circuits_too() {
    let (copies, others) = (linear_tasks(), other_tasks());
    let some = [&copies[2], &others[1], &others[2], &others[4], &others[6]].map(Window::clone);
    for cell in [CellKind::Gru, CellKind::Lstm] {
        with_each(&some, |task| assert_circuit(task, &CompileParams { cell, ..CompileParams::default() }));
    }
}

#[test]
fn contents_that_share_directions_are_superposed() {
    let copy = &linear_tasks()[0];
    let found = blind(copy, &CompileParams { superposed: 4, ..CompileParams::default() });
    assert_eq!(found.verdict, Verdict::Superposed, "{:?}", found.reasons);
    // Four pairs: eight contents have no direction of their own.
    assert_eq!(found.not_linear.len(), 8, "{:?}", found.not_linear);
    assert!(found.read_back().is_some_and(|read| read.same_function(copy)));
}

/// The function that is told differs from the one that was compiled in one of 64 windows.
#[test]
fn an_exception_in_one_of_sixty_four_windows_is_read_and_its_neglect_noticed() {
    let slots: Vec<Slot> = (1..=6).map(|lag| slot(lag, 0)).collect();
    let rule = |m: usize| (m & 1 == 1) != (m >> 1 & 1 == 1);
    let exception = gate(&slots, |m| rule(m) != (m == 0b11_1101));
    let plain = gate(&slots, rule);
    let task = |gate: Gate| Window::table("register", 6, 1, vec![gate]).unwrap();
    let made = compile(&task(exception.clone()), &CompileParams::default()).unwrap();
    let found = interpret(&made.network, &Question::Blind { s: 6 }, &InterpretParams::default(), &|_| true).unwrap();
    assert!(found.read_back().is_some_and(|read| read.same_function(&task(exception))), "{:?}", found.function);
    let found = interpret(&made.network, &Question::Task(task(plain)), &InterpretParams::default(), &|_| true).unwrap();
    assert_ne!(found.verdict, Verdict::Circuit, "{:?}", found.claims);
}
