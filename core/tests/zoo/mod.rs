//! Thirty tasks, linear and not: what is compiled, trained and interpreted in tests.

#![allow(clippy::unwrap_used)]

use ketbra::random::{Purpose, Stream};
use ketbra::task::{Gate, Slot, Source, Window};

pub fn slot(lag: usize, component: usize) -> Slot {
    Slot { lag, component }
}

pub fn gate(inputs: &[Slot], value: impl Fn(usize) -> bool) -> Gate {
    let table: Vec<bool> = (0..1 << inputs.len()).map(value).collect();
    Gate::new(inputs, &table).unwrap()
}

pub fn named(name: &str, s: usize, d: usize) -> Window {
    Window::named(name, Some(s), Some(d)).unwrap()
}

/// An elementary cellular automaton on a ring of 8 cells.
pub fn rule(number: usize) -> Window {
    let neighbours = |j: usize| [slot(1, (j + 1) % 8), slot(1, j), slot(1, (j + 7) % 8)];
    let gates = (0..8).map(|j| gate(&neighbours(j), |m| number >> m & 1 == 1)).collect();
    Window::table(format!("rule {number}"), 1, 8, gates).unwrap()
}

/// A shift register: the exclusive or of two past bits.
pub fn register(old: usize, new: usize) -> Window {
    let xor = gate(&[slot(old, 0), slot(new, 0)], |m| m.count_ones() == 1);
    Window::table(format!("register {old} {new}"), old, 1, vec![xor]).unwrap()
}

/// Repeat copy, but for the first output.
pub fn with_first(name: &str, s: usize, d: usize, first: Gate) -> Window {
    let copy = |component: usize| Gate::copy(&Source { lag: s, component, negated: component % 3 == 2 });
    let gates = [first].into_iter().chain((1..d).map(copy)).collect();
    Window::table(name, s, d, gates).unwrap()
}

pub fn random_tables(inputs: usize, s: usize, d: usize, seed: u64) -> Window {
    let stream = Stream::new(seed, Purpose::Matrices);
    let draw = |a: usize, b: usize| stream.block(a as u32, b as u32, 7)[0] as usize;
    let one = |j: usize| {
        let slots: Vec<Slot> = (0..inputs).map(|q| slot(1 + draw(j, q) % s, draw(j, 50 + q) % d)).collect();
        gate(&slots, |m| draw(j, 100 + m) & 1 == 1)
    };
    Window::table(format!("random {inputs} {seed}"), s, d, (0..d).map(one).collect()).unwrap()
}

pub fn product(lag: usize) -> Gate {
    gate(&[slot(lag, 0), slot(lag, 1)], |m| m.count_ones() != 1)
}

pub fn linear_tasks() -> Vec<Window> {
    let mut tasks: Vec<Window> = ["T1", "T2", "T3", "T4"].iter().map(|name| named(name, 8, 8)).collect();
    for (s, d) in [(1, 1), (2, 1), (6, 2), (5, 3), (16, 4), (4, 16)] {
        tasks.push(named("repeat-copy", s, d));
    }
    for (s, d) in [(3, 2), (4, 6), (12, 5)] {
        tasks.push(named("compose-copy", s, d));
    }
    tasks
}

pub fn other_tasks() -> Vec<Window> {
    let three = [slot(4, 0), slot(4, 1), slot(4, 2)];
    let choose = gate(&three, |m| if m & 1 == 1 { m & 2 != 0 } else { m & 4 != 0 });
    let mut tasks = [30, 90, 110, 184].map(rule).to_vec();
    tasks.extend([register(5, 3), register(7, 6)]);
    tasks.push(with_first("multiplexer", 4, 4, choose));
    tasks.push(with_first("majority", 4, 4, gate(&three, |m| m.count_ones() >= 2)));
    tasks.push(with_first("product", 8, 8, product(8)));
    tasks.push(with_first("newest", 3, 2, gate(&[slot(1, 0), slot(1, 1), slot(3, 0)], |m| m.count_ones() % 2 == 0)));
    tasks.push(with_first("constant", 2, 3, gate(&[], |_| false)));
    tasks.extend([random_tables(3, 3, 4, 1), random_tables(3, 1, 6, 2), random_tables(3, 2, 8, 3)]);
    tasks.extend([random_tables(4, 3, 4, 4), random_tables(4, 1, 5, 5), random_tables(4, 2, 2, 6)]);
    tasks.push(random_tables(6, 3, 3, 7));
    tasks
}
