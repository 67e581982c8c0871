//! Errors that are concentrated in one direction, step, input, output or coefficient: an average hides them, and no verdict may.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::planted::concentrated::{fading, latching, recorded};
use crate::planted::{analog, analog_step, saturating};
use crate::zoo::{gate, slot, with_first};
use ketbra::circuit::operator;
use ketbra::compare::{CompareParams, PairVerdict, Subject, compare};
use ketbra::compile::{CompileParams, compile};
use ketbra::interpret::{
    ClaimName, InterpretParams, Interpretation, Question, Verdict, interpret, interpret_trajectories,
};
use ketbra::network::{Activation, CellKind, Metadata, Network, NetworkFile};
use ketbra::numeric::Matrix;
use ketbra::observe::Trajectories;
use ketbra::random::{Purpose, Stream};
use ketbra::task::{Gate, Slot, Window};

fn told(network: &Network, task: &Window) -> Interpretation {
    interpret(network, &Question::Task(task.clone()), &InterpretParams::default(), &|_| true).unwrap()
}

fn blind(network: &Network, s: usize) -> Interpretation {
    interpret(network, &Question::Blind { s }, &InterpretParams::default(), &|_| true).unwrap()
}

fn failing(found: &Interpretation) -> Vec<ClaimName> {
    found.claims.iter().filter(|claim| !claim.holds).map(|claim| claim.name).collect()
}

fn same_circuit(first: &Network, second: &Network, s: usize) -> bool {
    let subject = |name: &str, network: &Network| {
        Subject::network(name, NetworkFile::new(network.clone(), Metadata::default()), Some(s)).unwrap()
    };
    let found = compare(&[subject("A", first), subject("B", second)], &CompareParams::default()).unwrap();
    found.pairs[0].verdict == PairVerdict::SameCircuit
}

#[test]
fn three_of_sixty_four_directions_that_fade_are_seen_though_every_sign_is_right() {
    let t1 = Window::named("T1", None, None).unwrap();
    let right = analog(&t1, 80, Activation::Identity);
    assert_eq!(told(&right, &t1).verdict, Verdict::Circuit, "{:?}", told(&right, &t1).reasons);
    for (directions, modulus) in [(3, 0.9), (1, 0.82), (1, 0.98)] {
        let network = fading(&t1, directions, modulus, 1);
        for found in [told(&network, &t1), blind(&network, 8)] {
            assert!(!matches!(found.verdict, Verdict::Circuit | Verdict::Superposed), "{modulus}: {:?}", found.verdict);
        }
        assert!(failing(&told(&network, &t1)).contains(&ClaimName::KeepsContents), "{modulus}");
        assert!(!same_circuit(&right, &network, 8), "{modulus}");
    }
    assert!(failing(&told(&fading(&t1, 1, 0.82, 1), &t1)).contains(&ClaimName::Moduli));
}

fn read(recorded: &Trajectories, task: &Window) -> Interpretation {
    interpret_trajectories(recorded, &Question::Task(task.clone()), &InterpretParams::default()).unwrap()
}

fn copy() -> Window {
    Window::named("repeat-copy", Some(4), Some(2)).unwrap()
}

#[test]
fn steps_at_which_every_output_is_wrong_are_seen() {
    let network = saturating(4, 2, &copy().linear().unwrap());
    assert_eq!(read(&recorded(&network, &copy(), |_, _, _, y| y), &copy()).verdict, Verdict::Circuit);
    let at = [43, 93, 143, 193];
    let found = read(&recorded(&network, &copy(), |t, _, _, y| if at.contains(&t) { -y } else { y }), &copy());
    assert!(found.verdict != Verdict::Circuit && failing(&found).contains(&ClaimName::EveryStep), "{:?}", found.claims);
}

#[test]
fn four_windows_of_256_after_which_an_output_latches_are_seen() {
    let window = [1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0, -1.0];
    let network = latching(&copy(), &window);
    let found = told(&network, &copy());
    assert!(found.accuracy.unwrap().value > 0.98, "{:?}", found.accuracy);
    assert!(
        found.verdict != Verdict::Circuit && failing(&found).contains(&ClaimName::EveryEpisode),
        "{:?}",
        found.claims
    );
    assert!(found.stimulus.unwrap().all, "so few windows are all run to the end");
    assert_ne!(blind(&network, 4).verdict, Verdict::Circuit);
    assert!(!same_circuit(&network, &saturating(4, 2, &copy().linear().unwrap()), 4));
}

/// An output that is +1 in one window of 128 is no constant, and one that copies in all but one of 256 is no copy.
#[test]
fn rules_for_rare_inputs_are_read_or_leave_the_verdict_open() {
    let seven: Vec<Slot> =
        [(5, 0), (5, 1), (4, 2), (4, 0), (3, 1), (3, 2), (2, 0)].map(|(lag, j)| slot(lag, j)).to_vec();
    let with_copy: Vec<Slot> = seven.iter().copied().chain([slot(1, 1)]).collect();
    let rare: [(&str, Gate); 2] = [
        ("and of seven", gate(&seven, |m| m == 127)),
        ("or of one and seven", gate(&with_copy, |m| m >> 7 & 1 == 1 || m & 127 == 127)),
    ];
    for (name, first) in rare {
        let task = with_first(name, 5, 3, first);
        let network = compile(&task, &CompileParams::default()).unwrap().network;
        let found = blind(&network, 5);
        let right = found.read_back().is_some_and(|read| read.same_function(&task));
        assert!(right || found.verdict != Verdict::Circuit, "{name}: {:?}", found.recurrence_in_words);
        // Told the function that most inputs show, it is found out.
        let mut gates = task.gates().unwrap();
        gates[0] = match name {
            "and of seven" => gate(&[], |_| false),
            _ => gate(&[slot(1, 1)], |m| m == 1),
        };
        let found = told(&network, &Window::table("nearly", 5, 3, gates).unwrap());
        assert!(failing(&found).contains(&ClaimName::NoRareRule), "{name}: {:?}", found.claims);
    }
}

#[test]
fn a_turn_spread_over_sixty_four_coefficients_is_another_function() {
    let row = |k: usize, i: usize| if (k & i).count_ones().is_multiple_of(2) { 0.125 } else { -0.125 };
    let turned = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        let entry = |i: usize, j: usize| {
            let (a, b) = ((row(5, i), row(5, j)), (row(9, i), row(9, j)));
            f64::from(u8::from(i == j)) + (cos - 1.0) * (a.0 * a.1 + b.0 * b.1) + sin * (a.0 * b.1 - b.0 * a.1)
        };
        Window::from_matrix("turned", 1, 64, Matrix::from_fn(64, 64, entry)).unwrap()
    };
    let [here, there] = [0.3, 0.9].map(|angle| analog(&turned(angle), 80, Activation::Identity));
    let subject = |name: &str, network: &Network| {
        Subject::network(name, NetworkFile::new(network.clone(), Metadata::default()), Some(1)).unwrap()
    };
    let found = compare(&[subject("A", &here), subject("B", &there)], &CompareParams::default()).unwrap();
    assert!(
        !matches!(found.pairs[0].verdict, PairVerdict::SameCircuit | PairVerdict::SameFunction),
        "{:?}",
        found.pairs[0]
    );
}

/// What fails from a step on is right up to there, and nothing is said of more steps than were run.
#[test]
fn what_fails_at_a_step_is_never_credited_beyond_it() {
    let network = saturating(4, 2, &copy().linear().unwrap());
    for fails in [60, 108, 150] {
        let shown = recorded(&network, &copy(), |t, _, _, y| if t >= fails { -y } else { y });
        let until = |steps: usize| {
            let params = InterpretParams::default().ending_after(steps).unwrap();
            interpret_trajectories(&shown, &Question::Task(copy()), &params).unwrap()
        };
        let before = until(fails);
        assert_eq!(before.verdict, Verdict::Circuit, "{:?}", before.reasons);
        assert_eq!((before.accuracy.unwrap().horizon, before.accuracy.unwrap().value), (fails, 1.0));
        assert_eq!(before.stimulus.unwrap().silent_steps, fails);
        for steps in [fails + 1, fails + 20, 200] {
            let after = until(steps.min(200));
            assert_ne!(after.verdict, Verdict::Circuit, "{steps}");
            assert!(after.accuracy.unwrap().value < 1.0);
        }
    }
}

/// Where an error of the same size is put.
#[derive(Clone, Copy, Debug)]
enum Where {
    Direction,
    Step,
    Window,
    Output,
    Coefficient,
}

/// At least 500 draws, Elman and GRU: an error concentrated anywhere is never called a circuit, nor the same circuit as the network
/// without it.
#[test]
fn no_concentrated_error_passes_wherever_it_is() {
    let task = copy();
    let elman = analog(&task, 20, Activation::Identity);
    let restoring = saturating(4, 2, &task.linear().unwrap());
    let gru = compile(&task, &CompileParams { cell: CellKind::Gru, ..CompileParams::default() }).unwrap().network;
    for network in [&elman, &restoring, &gru] {
        assert_eq!(told(network, &task).verdict, Verdict::Circuit);
    }
    let stream = Stream::new(77, Purpose::Matrices);
    let mut draws = 0;
    for draw in 0..104u32 {
        let drawn = stream.block(draw, 0, 3).map(|x| x as usize);
        for place in [Where::Direction, Where::Step, Where::Window, Where::Output, Where::Coefficient] {
            let which = if draw % 2 == 0 { &gru } else { &restoring };
            let found = match place {
                Where::Direction => told(&fading(&task, 1, 0.9, u64::from(draw)), &task),
                Where::Coefficient => {
                    let mut step = operator(&task).unwrap();
                    step[(6 + drawn[0] % 2, drawn[1] % 8)] += 0.3 * if drawn[2] % 2 == 0 { 1.0 } else { -1.0 };
                    let network = analog_step(&task, &step, 20, Activation::Identity);
                    if draw % 13 == 0 {
                        assert!(!same_circuit(&elman, &network, 4), "{draw} {place:?}");
                    }
                    told(&network, &task)
                }
                Where::Step => {
                    let at = drawn[0] % 200;
                    read(&recorded(which, &task, |t, _, _, y| if t == at { -y } else { y }), &task)
                }
                Where::Window => {
                    // Episodes of one window are repeats of it: they are all wrong.
                    let (first, from) = (drawn[0] % 256, drawn[1] % 80);
                    let shown = recorded(which, &task, |_, _, _, y| y);
                    let inputs = shown.inputs.as_ref().unwrap();
                    let key = |e: usize| (0..8).map(move |k| inputs[(k / 2 * 256 + e) * 2 + k % 2] > 0.0);
                    let same: Vec<bool> = (0..256).map(|e| key(e).eq(key(first))).collect();
                    read(&recorded(which, &task, |t, e, _, y| if same[e] && t >= from { -y } else { y }), &task)
                }
                Where::Output => {
                    let output = drawn[0] % 2;
                    let flipped = |t: usize, e: usize| (t * 7 + e * 3 + drawn[1]).is_multiple_of(25);
                    read(&recorded(which, &task, |t, e, j, y| if j == output && flipped(t, e) { -y } else { y }), &task)
                }
            };
            let passes = matches!(found.verdict, Verdict::Circuit | Verdict::Superposed);
            assert!(!passes, "{draw} {place:?}: {:?} {:#?}", found.verdict, found.claims);
            draws += 1;
        }
    }
    assert!(draws >= 500, "{draws}");
}
