//! What is said of functions that are not linear, against the brute force of all windows.

#![allow(clippy::unwrap_used)]

use ketbra::circuit::{Description, Forgets, Lifted, States};
use ketbra::random::{Purpose, Stream};
use ketbra::task::{Gate, Slot, Window};
use std::collections::{BTreeMap, BTreeSet};

/// The next window, as bits: bit k is window component k.
fn step(task: &Window, m: usize) -> usize {
    let window: Vec<f64> = (0..task.width()).map(|k| if m >> k & 1 == 1 { 1.0 } else { -1.0 }).collect();
    let said = task.next(&window);
    let new = said.iter().enumerate().filter(|(_, value)| **value > 0.0).fold(0, |bits, (j, _)| bits | 1 << j);
    m >> task.d() | new << (task.width() - task.d())
}

/// Random tables of up to three inputs on s*d of at most nine components.
fn random_task(index: u32) -> Window {
    let stream = Stream::new(5, Purpose::TestInputs);
    let (s, d) = [(1, 3), (2, 2), (3, 1), (3, 2), (2, 3), (4, 2), (3, 3)][index as usize % 7];
    let gate = |output: usize| {
        let [count, table, a, b] = stream.block(index, output as u32, 0);
        let [c, ..] = stream.block(index, output as u32, 1);
        let inputs: Vec<Slot> = [a, b, c].iter().map(|word| Slot::at(*word as usize % (s * d), s, d)).collect();
        let inputs = &inputs[..count as usize % 4];
        let table: Vec<bool> = (0..1 << inputs.len()).map(|m| table >> m & 1 == 1).collect();
        Gate::new(inputs, &table).unwrap()
    };
    Window::table("random", s, d, (0..d).map(gate).collect()).unwrap()
}

/// Cycle lengths with counts, by following every window.
fn cycles(task: &Window) -> BTreeMap<usize, usize> {
    let next: Vec<usize> = (0..1usize << task.width()).map(|m| step(task, m)).collect();
    let mut lasting: BTreeSet<usize> = (0..next.len()).collect();
    loop {
        let fewer: BTreeSet<usize> = lasting.iter().map(|&m| next[m]).collect();
        if fewer == lasting {
            break;
        }
        lasting = fewer;
    }
    let mut found = BTreeMap::new();
    while let Some(start) = lasting.pop_first() {
        let (mut at, mut length) = (next[start], 1);
        while at != start {
            lasting.remove(&at);
            (at, length) = (next[at], length + 1);
        }
        *found.entry(length).or_default() += 1;
    }
    found
}

/// Whether a flip of window component k is ever seen in the newest variable.
fn matters(task: &Window, k: usize) -> bool {
    (0..1usize << task.width()).any(|m| {
        let (mut a, mut b) = (m, m ^ 1 << k);
        (0..4 * task.width()).any(|_| {
            let newest = task.width() - task.d();
            let differs = a >> newest != b >> newest;
            (a, b) = (step(task, a), step(task, b));
            differs
        })
    })
}

fn least_common_multiple(lengths: impl Iterator<Item = usize>) -> usize {
    fn divisor(a: usize, b: usize) -> usize {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    lengths.fold(1, |all, length| all / divisor(all, length) * length)
}

#[test]
fn cycles_of_states_and_kept_components_are_those_of_brute_force() {
    let mut forgotten = 0;
    for index in 0..80 {
        let task = random_task(index);
        let states = States::of(&task).unwrap();
        assert_eq!(states.cycles, cycles(&task), "{:?}", task.recurrence());
        let kept: Vec<usize> = (0..task.width()).filter(|&k| matters(&task, k)).collect();
        assert_eq!(states.matter, kept, "{:?}", task.recurrence());
        forgotten += task.width() - kept.len();
    }
    assert!(forgotten > 50, "some components must not matter, or nothing is tested: {forgotten}");
}

#[test]
fn what_is_hidden_behind_a_constant_is_not_kept() {
    // u2 is false from the first step on, so that only the oldest value of u1 is ever let through.
    let task = Window::from_formulas("u1 = and(u1[t-3], u2[t-1]); u2 = -1", None, None).unwrap();
    let kept = Description::of(&task).unwrap().kept.unwrap();
    assert!(kept.exact);
    let places: Vec<(usize, usize)> = kept.members.iter().map(|place| (place.variable, place.component)).collect();
    assert_eq!(places, [(1, 1), (3, 1), (3, 2)]);
}

#[test]
fn the_eigenvalues_of_the_products_are_those_of_the_cycles_of_states() {
    for index in 0..60 {
        let task = random_task(index);
        let Some(lifted) = Lifted::of(&task).unwrap() else { continue };
        let lengths: Vec<usize> = cycles(&task).into_keys().collect();
        for value in &lifted.structure.eigenvalues {
            let turns = value.im.atan2(value.re) / std::f64::consts::TAU;
            let returns = |length: usize| (turns * length as f64 - (turns * length as f64).round()).abs() < 1e-4;
            let modulus = value.re.hypot(value.im);
            assert!((modulus - 1.0).abs() < 1e-4, "{modulus} in {:?}", task.recurrence());
            assert!(lengths.iter().any(|&length| returns(length)), "{value} in {:?}", task.recurrence());
        }
        let on_cycles: usize = cycles(&task).iter().map(|(length, count)| length * count).sum();
        assert!(lifted.lasting() < on_cycles, "{:?}", task.recurrence());
    }
}

#[test]
fn products_return_when_the_windows_do() {
    let texts = [
        "lfsr:5,3",
        "lfsr:4,3,2,1",
        "lfsr:9,4",
        "rule90",
        "rule150",
        "rule60",
        "rule105",
        "u1 = xor(u2[t-3], u1[t-1]); u2 = -u1[t-2]",
        "u1 = -u1[t-3]*u2[t-1]; u2 = u1[t-2]*u2[t-2]",
    ];
    for (at, text) in texts.into_iter().enumerate() {
        let d = if text.starts_with("rule") { [3, 5, 6, 7, 8][at % 5].into() } else { None };
        let task = Window::parse(text, None, d).unwrap();
        let lifted = Lifted::of(&task).unwrap().unwrap();
        assert!(lifted.is_selection(), "{text}");
        let rounds =
            lifted.structure.cycles.iter().map(|cycle| cycle.length() * if cycle.is_negative() { 2 } else { 1 });
        assert_eq!(least_common_multiple(rounds), least_common_multiple(cycles(&task).into_keys()), "{text}");
    }
}

#[test]
fn a_task_says_how_much_it_forgets() {
    for (text, d, wanted) in [
        ("rule90", 8, Forgets::Everything),
        ("rule90", 7, Forgets::InPart),
        ("rule110", 8, Forgets::InPart),
        ("rule150", 8, Forgets::Nothing),
        ("rule0", 5, Forgets::Everything),
        ("lfsr:5,3", 1, Forgets::Nothing),
        // Too many states to follow: the products tell.
        ("rule90", 32, Forgets::Everything),
        ("rule90", 24, Forgets::InPart),
    ] {
        let found = Description::of(&Window::named(text, None, Some(d)).unwrap()).unwrap();
        assert_eq!(found.forgets, Some(wanted), "{text} {d}");
    }
    // 2^20 - 1 products are too many to say.
    let found = Description::of(&Window::named("lfsr:20,3", None, None).unwrap()).unwrap();
    assert!(found.forgets.is_none() && found.lifted.unwrap().size.is_none());
}

#[test]
fn a_linear_task_is_described_as_before() {
    let found = Description::of(&Window::named("T3", None, None).unwrap()).unwrap();
    assert!(found.lifted.is_none() && found.kept.is_none() && found.states.is_none() && found.family.is_none());
    assert_eq!((found.core.size, found.eigenvalues.len(), found.cycles.len()), (36, 36, 4));
    let first = &found.function.unwrap()[0];
    assert_eq!((first.output, first.table.as_slice()), (1, &[1, -1][..]));
    assert_eq!((first.inputs[0].lag, first.inputs[0].component), (4, 5));
}
