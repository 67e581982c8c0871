//! For everything that is stated, a planted network that makes it false: a list. A claim, a verdict or a sentence without one fails
//! this test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::planted::concentrated::{fading, latching, recorded};
use crate::planted::{analog, analog_step, saturating, with_idle_units};
use crate::zoo::{gate, slot, with_first};
use ketbra::circuit::operator;
use ketbra::compare::{CompareParams, Comparison, PairClaimName, Subject, compare};
use ketbra::compile::{CompileParams, compile};
use ketbra::interpret::{
    ClaimName, InterpretParams, Interpretation, Question, Verdict, interpret, interpret_trajectories,
};
use ketbra::network::{Activation, Architecture, Initialization, Metadata, Network, NetworkFile};
use ketbra::numeric::{Matrix, draw};
use ketbra::random::{Purpose, Stream};
use ketbra::report::headline;
use ketbra::task::{Slot, Window};
use std::path::Path;

fn fixture(name: &str) -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{name}.safetensors"));
    NetworkFile::open(&path).unwrap().network
}

fn named(name: &str, s: usize, d: usize) -> Window {
    Window::named(name, Some(s), Some(d)).unwrap()
}

fn told(network: &Network, task: &Window) -> Interpretation {
    interpret(network, &Question::Task(task.clone()), &InterpretParams::default(), &|_| true).unwrap()
}

fn blind(network: &Network, s: usize) -> Interpretation {
    interpret(network, &Question::Blind { s }, &InterpretParams::default(), &|_| true).unwrap()
}

fn copy() -> Window {
    named("repeat-copy", 4, 2)
}

fn register() -> Network {
    saturating(4, 2, &copy().linear().unwrap())
}

/// A network that computes the and of seven inputs, told that its output is constant.
fn a_rare_rule() -> Interpretation {
    let seven: Vec<Slot> =
        [(5, 0), (5, 1), (4, 2), (4, 0), (3, 1), (3, 2), (2, 0)].map(|(lag, j)| slot(lag, j)).to_vec();
    let task = with_first("and of seven", 5, 3, gate(&seven, |m| m == 127));
    let network = compile(&task, &CompileParams::default()).unwrap().network;
    let mut gates = task.gates().unwrap();
    gates[0] = gate(&[], |_| false);
    told(&network, &Window::table("nearly", 5, 3, gates).unwrap())
}

/// The majority of three inputs, told that it is the and of two of them.
fn a_further_input() -> Interpretation {
    let three = [slot(4, 0), slot(4, 1), slot(4, 2)];
    let task = with_first("majority", 4, 4, gate(&three, |m| m.count_ones() >= 2));
    let network = compile(&task, &CompileParams::default()).unwrap().network;
    let mut gates = task.gates().unwrap();
    gates[0] = gate(&three[..2], |m| m == 3);
    told(&network, &Window::table("nearly", 4, 4, gates).unwrap())
}

/// A weighted sum of two values, told without the smaller weight.
fn a_further_term() -> Interpretation {
    let f = |small: f64| {
        let weights = Matrix::from_fn(2, 6, |j, k| match k {
            k if k == j => (1.0 - small * small).sqrt(),
            k if k == 2 + (1 - j) => {
                if j == 0 {
                    small
                } else {
                    -small
                }
            }
            _ => 0.0,
        });
        Window::from_matrix("sum", 3, 2, weights).unwrap()
    };
    told(&analog(&f(0.12), 24, Activation::Identity), &f(0.0))
}

/// The states of every episode are those of the next one.
fn states_of_others() -> Interpretation {
    let mut shown = recorded(&register(), &copy(), |_, _, _, y| y);
    for state in &mut shown.states {
        let episodes = state.ncols();
        *state = Matrix::from_fn(state.nrows(), episodes, |i, e| state[(i, (e + 1) % episodes)]);
    }
    interpret_trajectories(&shown, &Question::Task(copy()), &InterpretParams::default()).unwrap()
}

fn wrong_at_one_step() -> Interpretation {
    let shown = recorded(&register(), &copy(), |t, _, _, y| if t == 43 { -y } else { y });
    interpret_trajectories(&shown, &Question::Task(copy()), &InterpretParams::default()).unwrap()
}

fn fades_as_a_whole() -> Interpretation {
    let task = copy();
    told(&analog_step(&task, &(operator(&task).unwrap() * faer::Scale(0.99)), 24, Activation::Identity), &task)
}

/// Few recorded units of a circuit, under loud noise.
fn hidden_by_noise() -> Interpretation {
    let network = fixture("networks/t3-h128-dense");
    let t3 = named("T3", 8, 8);
    let mut shown = recorded(&network, &t3, |_, _, _, y| y);
    for (t, state) in shown.states.iter_mut().enumerate() {
        let noise = draw::normal(40, state.ncols(), &Stream::new(7, Purpose::Matrices), t as u32);
        *state = Matrix::from_fn(40, state.ncols(), |i, e| state[(3 * i, e)] + 0.35 * noise[(i, e)]);
    }
    interpret_trajectories(&shown, &Question::Task(t3), &InterpretParams::default()).unwrap()
}

fn all() -> Vec<(&'static str, Interpretation)> {
    let (t1, t3) = (named("T1", 8, 8), named("T3", 8, 8));
    let random = Initialization::Uniform.network(&Architecture::elman(32, Activation::Tanh, false), 2, 2, 1);
    vec![
        ("another task", told(&fixture("networks/t2-h128"), &t3)),
        ("wrong at one step", wrong_at_one_step()),
        ("latches after one window", told(&latching(&copy(), &[1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0, -1.0]), &copy())),
        ("three directions fade", told(&fading(&t1, 3, 0.9, 1), &t1)),
        ("one direction fades fast", told(&fading(&t1, 1, 0.82, 1), &t1)),
        ("fades as a whole", fades_as_a_whole()),
        ("a rare rule", a_rare_rule()),
        ("a further input", a_further_input()),
        ("a further term", a_further_term()),
        ("superposed", told(&fixture("networks/t3-h64-superposed"), &t3)),
        ("untrained", blind(&random, 4)),
        ("states of other episodes", states_of_others()),
        ("idle units", told(&with_idle_units(&register(), 0.9, 3.0, 40), &copy())),
        ("parity", blind(&fixture("programs/elman-parity-seed01"), 4)),
        ("flip-flop", blind(&fixture("programs/elman-flipflop-seed01"), 4)),
        ("dead", blind(&fixture("t1-h128-l2_0.1-seed01"), 8)),
        ("a register", told(&register(), &copy())),
        ("contents that noise hides", hidden_by_noise()),
    ]
}

/// A claim, and the planted network that makes it false.
const CLAIMS: [(ClaimName, &str); 19] = [
    (ClaimName::FunctionKnown, "untrained"),
    (ClaimName::FollowsFunction, "another task"),
    (ClaimName::EveryStep, "wrong at one step"),
    (ClaimName::EveryEpisode, "latches after one window"),
    (ClaimName::KeepsSize, "fades as a whole"),
    (ClaimName::KeepsContents, "three directions fade"),
    (ClaimName::DependsOnInputs, "another task"),
    (ClaimName::EveryWindow, "another task"),
    (ClaimName::NoFurtherTerm, "a further term"),
    (ClaimName::NoFurtherInput, "a further input"),
    (ClaimName::NoRareRule, "a rare rule"),
    (ClaimName::ContentsRead, "superposed"),
    (ClaimName::CodeExplains, "another task"),
    (ClaimName::ContentsPresent, "states of other episodes"),
    (ClaimName::StepMatrix, "superposed"),
    (ClaimName::StepDirections, "three directions fade"),
    (ClaimName::Steered, "another task"),
    (ClaimName::Spectrum, "superposed"),
    (ClaimName::Moduli, "one direction fades fast"),
];

/// A verdict, the planted network of which it is said, and one of which its sentence would be false.
const VERDICTS: [(Verdict, &str, &str); 8] = [
    (Verdict::Circuit, "a register", "wrong at one step"),
    (Verdict::Superposed, "superposed", "another task"),
    (Verdict::Partial, "a rare rule", "a register"),
    (Verdict::NotLearned, "another task", "untrained"),
    (Verdict::Silent, "dead", "a register"),
    (Verdict::OtherKind, "flip-flop", "a register"),
    (Verdict::NotHeld, "states of other episodes", "a register"),
    (Verdict::Unclear, "contents that noise hides", "states of other episodes"),
];

fn case<'a>(all: &'a [(&'static str, Interpretation)], name: &str) -> &'a Interpretation {
    &all.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no network '{name}' is planted")).1
}

#[test]
fn every_claim_and_every_verdict_has_a_network_that_makes_it_false() {
    let all = all();
    for name in ClaimName::ALL {
        let (_, planted) =
            CLAIMS.iter().find(|(claim, _)| *claim == name).unwrap_or_else(|| panic!("{name:?} has none"));
        let found = case(&all, planted);
        let claim = found.claims.iter().find(|claim| claim.name == name);
        assert!(claim.is_some_and(|claim| !claim.holds), "{name:?} holds of '{planted}': {:#?}", found.claims);
        assert!(found.verdict != Verdict::Circuit, "{planted}");
    }
    let mut sentences = vec![];
    for verdict in Verdict::ALL {
        let (_, said, not) =
            VERDICTS.iter().find(|(of, ..)| *of == verdict).unwrap_or_else(|| panic!("{verdict:?} has none"));
        let (found, other) = (case(&all, said), case(&all, not));
        assert_eq!(found.verdict, verdict, "{said}: {:?}", found.reasons);
        assert!(other.verdict != verdict && other.verdict.definition() != verdict.definition(), "{not}");
        let sentence = headline(None, found);
        assert_ne!(sentence, headline(None, other), "{said} and {not}");
        sentences.push(sentence);
    }
    sentences.sort();
    sentences.dedup();
    assert_eq!(sentences.len(), Verdict::ALL.len(), "every verdict has a sentence of its own");
}

/// A circuit always has figures: what could not be measured is not claimed.
#[test]
fn nothing_holds_without_a_figure() {
    for (name, found) in all() {
        for claim in &found.claims {
            assert!(!claim.holds || claim.measured.is_some_and(f64::is_finite), "{name}: {claim:?}");
        }
        assert!(found.verdict != Verdict::Circuit || !found.claims.is_empty(), "{name}");
    }
}

fn pair(first: &Network, second: &Network, s: usize) -> Comparison {
    let subject = |name: &str, network: &Network| {
        Subject::network(name, NetworkFile::new(network.clone(), Metadata::default()), Some(s)).unwrap()
    };
    compare(&[subject("A", first), subject("B", second)], &CompareParams::default()).unwrap()
}

/// A copy in which each step turns what is held by an angle.
fn turned(angle: f64) -> Network {
    let (sin, cos) = angle.sin_cos();
    let turn = Matrix::from_fn(2, 2, |i, j| {
        if i == j {
            cos
        } else if i < j {
            -sin
        } else {
            sin
        }
    });
    analog(&Window::from_matrix("turned", 1, 2, turn).unwrap(), 16, Activation::Identity)
}

/// What is claimed of two networks, and two of which it is false.
const PAIRS: [(PairClaimName, &str); 8] = [
    (PairClaimName::BothCircuits, "a register and one that latches"),
    (PairClaimName::SameFunction, "a copy and its opposite"),
    (PairClaimName::SameOutputs, "a copy and its opposite"),
    (PairClaimName::SameContents, "a copy and one from a step before"),
    (PairClaimName::SameCourse, "two turns"),
    (PairClaimName::SameStep, "a copy and its opposite"),
    (PairClaimName::SameDirections, "a copy and its opposite"),
    (PairClaimName::Exchange, "a circuit and a superposed network"),
];

#[test]
fn every_claim_about_two_networks_has_two_that_make_it_false() {
    let latch = latching(&copy(), &[1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0, -1.0]);
    let task = |lines: &[&str]| crate::planted::task(4, 2, lines);
    let opposite = task(&["u1 = -u1[t-4]", "u2 = u2[t-4]"]);
    let earlier = task(&["u1 = u1[t-3]", "u2 = u2[t-4]"]);
    let made = |task: &Window| saturating(4, 2, &task.linear().unwrap());
    let all = [
        ("a register and one that latches", pair(&register(), &latch, 4)),
        ("a copy and its opposite", pair(&register(), &made(&opposite), 4)),
        ("a copy and one from a step before", pair(&register(), &made(&earlier), 4)),
        (
            "a circuit and a superposed network",
            pair(&fixture("networks/t3-h128"), &fixture("networks/t3-h64-superposed"), 8),
        ),
        ("two turns", pair(&turned(0.3), &turned(0.9), 1)),
    ];
    for name in PairClaimName::ALL {
        let (_, planted) =
            PAIRS.iter().find(|(claim, _)| *claim == name).unwrap_or_else(|| panic!("{name:?} has none"));
        let found = &all.iter().find(|(known, _)| known == planted).unwrap().1.pairs[0];
        let fails = found.claims.iter().any(|claim| claim.name == name && !claim.holds);
        let failing = || {
            all.iter()
                .map(|(of, found)| {
                    let failing: Vec<_> =
                        found.pairs[0].claims.iter().map(|claim| (claim.name.name(), claim.holds)).collect();
                    format!("{of}: {failing:?}")
                })
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert!(fails, "{name:?} holds of '{planted}':\n{}", failing());
    }
}
