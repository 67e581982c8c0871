//! Planted networks against each other: the same circuit in every disguise is recognised, and whatever else looks alike is not.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::planted::{analog, task, with_idle_units};
use ketbra::compare::{
    CompareError, CompareParams, Comparison, Examined, Pair, PairClaimName, PairVerdict, Subject, compare,
    compare_examined, effects, examine_all,
};
use ketbra::compile::{CompileParams, UnitBasis, compile};
use ketbra::interpret;
use ketbra::network::{Activation, Architecture, CellKind, Initialization, Metadata, Network, NetworkFile};
use ketbra::numeric::{Matrix, draw};
use ketbra::observe::Trajectories;
use ketbra::random::{Purpose, Stream};
use ketbra::report::figures::comparison_figures;
use ketbra::task::{Episodes, Window};
use std::collections::BTreeMap;
use std::path::Path;

fn made(task: &Window, params: CompileParams) -> Network {
    compile(task, &params).unwrap().network
}

fn sized(hidden: usize, seed: u64) -> CompileParams {
    CompileParams { hidden: Some(hidden), seed, ..CompileParams::default() }
}

fn named(name: &str, network: Network, s: usize) -> Subject {
    Subject::network(name, NetworkFile::new(network, Metadata::default()), Some(s)).unwrap()
}

fn both(first: Network, second: Network, s: usize) -> Pair {
    let found = compare(&[named("A", first, s), named("B", second, s)], &CompareParams::default()).unwrap();
    found.pairs[0].clone()
}

fn copy() -> Window {
    Window::named("compose-copy", Some(3), Some(3)).unwrap()
}

fn fails(pair: &Pair) -> Vec<PairClaimName> {
    pair.claims.iter().filter(|claim| !claim.holds).map(|claim| claim.name).collect()
}

#[test]
fn the_same_function_in_any_basis_cell_and_size_is_the_same_circuit() {
    let task = copy();
    let cell = |cell, hidden, seed| CompileParams { cell, ..sized(hidden, seed) };
    let all = [
        ("random", made(&task, sized(40, 1))),
        ("another", made(&task, sized(40, 2))),
        ("units", made(&task, CompileParams { basis: UnitBasis::Units, ..sized(32, 1) })),
        ("large", made(&task, sized(96, 3))),
        ("gru", made(&task, cell(CellKind::Gru, 48, 4))),
        ("lstm", made(&task, cell(CellKind::Lstm, 64, 5))),
    ];
    let subjects: Vec<Subject> = all.into_iter().map(|(name, network)| named(name, network, 3)).collect();
    let found = compare(&subjects, &CompareParams::default()).unwrap();
    for pair in &found.pairs {
        assert_eq!(pair.verdict, PairVerdict::SameCircuit, "{} {}: {:?}", pair.first, pair.second, pair.reasons);
        assert!(pair.distance.unwrap() < 1e-6, "{:?}", pair.distance);
        assert_eq!(pair.claims.len(), 7, "{:#?}", pair.claims);
        assert!(pair.outputs.is_empty() && pair.wires.is_empty() && pair.renamed.is_none());
    }
    assert_eq!((found.clusters.len(), found.clusters[0].complete), (1, true));
    // The states themselves are far from the same.
    let shapes = found.pairs.iter().filter_map(|pair| pair.measures.shape);
    assert!(shapes.fold(0.0, f64::max) > 0.05);
    assert!(found.pair(1, 0).unwrap().codes.as_ref().unwrap().angles.is_some(), "as many units");
    assert!(found.pair(0, 2).unwrap().codes.as_ref().unwrap().angles.is_none(), "different numbers of units");
}

#[test]
fn one_changed_wire_is_found_and_named() {
    let first = task(3, 3, &["u1 = u1[t-3]", "u2 = u2[t-2]", "u3 = u3[t-1]"]);
    let second = task(3, 3, &["u1 = u1[t-3]", "u2 = -u2[t-2]", "u3 = u3[t-1]"]);
    let pair = both(made(&first, sized(40, 1)), made(&second, sized(40, 2)), 3);
    assert_eq!(pair.verdict, PairVerdict::Different);
    assert_eq!(pair.outputs.len(), 1);
    let differs = &pair.outputs[0];
    assert_eq!((differs.output, &differs.first[..], &differs.second[..]), (2, "u2 = u2[t-2]", "u2 = -u2[t-2]"));
    // In the steps it is one entry: the newest u2 from the one two steps back.
    assert_eq!(pair.wires.len(), 1, "{:?}", pair.wires);
    let wire = &pair.wires[0];
    assert_eq!(
        [(wire.to.variable, wire.to.component), (wire.from[0].variable, wire.from[0].component)],
        [(3, 2), (2, 2)]
    );
    assert!((wire.first - 1.0).abs() < 1e-6 && (wire.second + 1.0).abs() < 1e-6, "{wire:?}");
    // A wire to another place changes what is kept as well, and that is named too.
    let third = task(3, 3, &["u1 = u1[t-3]", "u2 = u2[t-3]", "u3 = u3[t-1]"]);
    let pair = both(made(&first, sized(40, 1)), made(&third, sized(40, 2)), 3);
    let kept: Vec<_> = pair.kept_by_one[1].iter().map(|at| (at.variable, at.component)).collect();
    assert_eq!((pair.verdict, kept), (PairVerdict::Different, vec![(1, 2)]));
    assert!(fails(&pair).contains(&PairClaimName::SameContents));
}

#[test]
fn cycles_of_equal_length_are_told_apart_where_spectra_cannot() {
    let first = task(4, 2, &["u1 = u2[t-1]", "u2 = u1[t-3]"]);
    let second = task(4, 2, &["u1 = u2[t-2]", "u2 = u1[t-2]"]);
    let subjects = [
        named("A", made(&first, sized(32, 1)), 4),
        named("A again", made(&first, sized(32, 2)), 4),
        named("B", made(&second, sized(32, 3)), 4),
    ];
    let params = CompareParams::default();
    let examined = examine_all(&subjects, &params, &|_| true, &|| {}).unwrap();
    let found = compare_examined(&examined, &params).unwrap();
    let (same, other) = (found.pair(0, 1).unwrap(), found.pair(0, 2).unwrap());
    assert_eq!((same.verdict, other.verdict), (PairVerdict::SameCircuit, PairVerdict::Different));
    assert!(same.distance.unwrap() < 1e-6 && other.distance.unwrap() > 0.3, "{:?}", other.distance);
    assert_eq!(other.renamed, None);
    // The eigenvalues are the same four, so that nothing that looks at them alone can see a difference.
    let values_of = |of: &Examined| {
        let mut values = of.circuit.as_ref().unwrap().eigenvalues().unwrap().unwrap();
        ketbra::numeric::order_eigenvalues(&mut values);
        values
    };
    let (a, b) = (values_of(&examined[0]), values_of(&examined[2]));
    assert_eq!(a.len(), 4);
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).norm_sqr().sqrt() < 1e-6), "{a:?} {b:?}");
    let spectral = |pair: &Pair| pair.measures.dsa_wasserstein.unwrap();
    assert!(spectral(other) < 0.05, "{}", spectral(other));
}

#[test]
fn permuted_components_are_another_circuit_and_the_renaming_is_named() {
    let first = task(3, 3, &["u1 = u2[t-3]", "u2 = -u1[t-1]", "u3 = u3[t-2]"]);
    let second = task(3, 3, &["u1 = u1[t-2]", "u2 = u3[t-3]", "u3 = -u2[t-1]"]);
    let pair = both(made(&first, sized(40, 1)), made(&second, sized(40, 2)), 3);
    assert_eq!(pair.verdict, PairVerdict::Different);
    assert_eq!(pair.renamed.unwrap().0, [2, 3, 1]);
}

#[test]
fn random_and_shuffled_networks_are_the_same_as_nothing() {
    let task = copy();
    let circuit = made(&task, sized(40, 1));
    let mut shuffled = circuit.clone();
    shuffled.layers.iter_mut().for_each(|cell| cell.scramble(3));
    let random = |seed| {
        let of = Architecture::elman(40, Activation::Tanh, false);
        Initialization::Gaussian.network(&of, 3, 3, seed)
    };
    let subjects = [
        named("circuit", circuit, 3),
        named("shuffled", shuffled.clone(), 3),
        named("shuffled again", shuffled, 3),
        named("random", random(1), 3),
        named("random too", random(2), 3),
    ];
    let found = compare(&subjects, &CompareParams::default()).unwrap();
    for pair in &found.pairs {
        assert_ne!(pair.verdict, PairVerdict::SameCircuit, "{} {}: {:#?}", pair.first, pair.second, pair.claims);
        assert_ne!(pair.verdict, PairVerdict::SameFunction, "{} {}: {:#?}", pair.first, pair.second, pair.claims);
    }
    // Even a network and itself: without a circuit there is nothing that could be the same.
    assert_eq!(found.pair(1, 2).unwrap().verdict, PairVerdict::Unclear);
    assert!(found.pair(1, 2).unwrap().distance.is_none());
    assert_eq!(found.clusters.len(), 5);
}

#[test]
fn networks_that_have_not_learned_are_said_so() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/t1-h128-l2_0.1-seed01.safetensors");
    let file = NetworkFile::open(&fixture).unwrap();
    let task = Window::named("T1", None, None).unwrap();
    let of = |name: &str| Subject::network(name, file.clone(), Some(8)).unwrap().on(task.clone());
    let found = compare(&[of("A"), of("B")], &CompareParams::default()).unwrap();
    let pair = &found.pairs[0];
    assert_eq!(pair.verdict, PairVerdict::Unclear);
    assert!(pair.reasons[0].contains("A is no circuit but not-learned"), "{:?}", pair.reasons);
    assert!(pair.distance.is_none() && pair.claims.is_empty() && pair.codes.is_none());
}

#[test]
fn inputs_that_only_one_network_keeps_are_found_and_named() {
    let task = copy();
    let (plain, other) = (made(&task, sized(40, 1)), made(&task, sized(40, 2)));
    // Latches that stay where the first input puts them, or go with most inputs; nothing reads them, and nothing else differs.
    let (latched, voting) = (with_idle_units(&other, 3.0, 1.0, 3), with_idle_units(&other, 2.0, 1.0, 3));
    let subjects = [named("A", plain, 3), named("B", latched, 3), named("C", voting, 3)];
    let found = compare(&subjects, &CompareParams::default()).unwrap();
    let pair = &found.pairs[0];
    let kept = |network: usize| -> Vec<_> {
        let beside = found.networks[network].beside.as_ref().unwrap();
        beside.kept.iter().map(|at| (at.variable, at.component)).collect()
    };
    // u1 of variable 1 is kept by the function itself.
    assert_eq!(kept(1), [(1, 2), (1, 3)], "{:?}", found.networks[1].beside);
    assert!(!kept(2).is_empty(), "{:?}", found.networks[2].beside);
    assert_ne!(found.pair(0, 2).unwrap().verdict, PairVerdict::SameCircuit);
    assert_eq!(pair.verdict, PairVerdict::SameFunction, "{:?}", pair.reasons);
    assert!(fails(pair).contains(&PairClaimName::SameContents), "{:#?}", pair.claims);
    assert!(found.networks[0].beside.as_ref().unwrap().kept.is_empty());
}

#[test]
fn units_that_hold_nothing_make_no_difference() {
    let task = copy();
    let (plain, other) = (made(&task, sized(40, 1)), made(&task, sized(40, 2)));
    // They forget at once.
    let idle = with_idle_units(&other, 0.0, 1.0, 10);
    let pair = both(plain, idle, 3);
    assert_eq!(pair.verdict, PairVerdict::SameCircuit, "{:?}", pair.reasons);
    assert!(pair.distance.unwrap() < 1e-6);
}

#[test]
fn superposed_contents_are_not_the_same_circuit() {
    let task = Window::named("compose-copy", Some(4), Some(4)).unwrap();
    let plain = made(&task, sized(64, 1));
    let shared = made(&task, CompileParams { superposed: 1, ..sized(64, 2) });
    let pair = both(plain, shared, 4);
    assert_ne!(pair.verdict, PairVerdict::SameCircuit, "{:#?}", pair.claims);
    assert!(fails(&pair).contains(&PairClaimName::BothCircuits), "{:?}", pair.reasons);
}

#[test]
fn networks_of_different_sizes_are_not_compared() {
    let of = |s, d| Window::named("repeat-copy", Some(s), Some(d)).unwrap();
    let subjects = [
        named("A", made(&of(3, 2), sized(32, 1)), 3),
        named("B", made(&of(4, 2), sized(32, 1)), 4),
        named("C", made(&of(3, 3), sized(40, 1)), 3),
    ];
    let found = compare(&subjects, &CompareParams::default()).unwrap();
    for pair in &found.pairs {
        assert_eq!(pair.verdict, PairVerdict::NotComparable);
        let nothing = pair.distance.is_none() && pair.claims.is_empty() && pair.measures == Default::default();
        assert!(nothing && pair.reasons[0].contains("s=") && pair.reasons[0].contains("d="), "{pair:?}");
    }
    let alone = compare(&subjects[..1], &CompareParams::default()).unwrap_err();
    assert!(matches!(alone, CompareError::TooFew { found: 1 }) && alone.to_string().contains("another"), "{alone}");
    let file = NetworkFile::new(made(&of(3, 2), sized(32, 1)), Metadata::default());
    assert!(matches!(Subject::network("A", file, None), Err(CompareError::NoInputSteps { .. })));
}

#[test]
fn truth_tables_are_compared_by_their_products() {
    let register = task(5, 1, &["u1 = xor(u1[t-5], u1[t-3])"]);
    let other = task(5, 1, &["u1 = xor(u1[t-5], u1[t-2])"]);
    let all = [made(&register, sized(96, 1)), made(&register, sized(120, 2)), made(&other, sized(96, 3))];
    let subjects: Vec<Subject> = all.into_iter().zip(["A", "B", "C"]).map(|(of, name)| named(name, of, 5)).collect();
    let found = compare(&subjects, &CompareParams::default()).unwrap();
    let (same, different) = (found.pair(0, 1).unwrap(), found.pair(0, 2).unwrap());
    assert_eq!(same.verdict, PairVerdict::SameCircuit, "{:?}", same.reasons);
    assert!(same.distance.unwrap() < 1e-6, "{:?}", same.distance);
    assert_eq!((different.verdict, different.outputs.len()), (PairVerdict::Different, 1));
    assert!(different.distance.unwrap() > 0.1);
}

/// A function of real values, in a random oblique basis of its own.
fn in_a_basis(task: &Window, hidden: usize, seed: u64) -> Network {
    let planted = analog(task, hidden, Activation::Identity);
    let turn = draw::with_condition(hidden, hidden, 3.0, &Stream::new(seed, Purpose::Matrices), 5);
    let back = ketbra::numeric::pseudo_inverse(&turn, 1e-12).unwrap();
    let cell = planted.as_elman().unwrap();
    Network::elman(
        Activation::Identity,
        &turn * &cell.input_weights,
        &turn * &cell.recurrent_weights * &back,
        &planted.readout.weights * &back,
    )
}

#[test]
fn real_valued_functions_are_compared_by_their_coefficients() {
    // A rotation by 0.5 rad of two steps ago.
    let (c, s) = (0.5f64.cos(), 0.5f64.sin());
    let of = |sign: f64| {
        let first = format!("u1 = {c}*u1[t-2] {} {s}*u2[t-2]", if sign > 0.0 { "-" } else { "+" });
        let second = format!("u2 = {c}*u2[t-2] {} {s}*u1[t-2]", if sign > 0.0 { "+" } else { "-" });
        task(2, 2, &[&first, &second])
    };
    let subjects = [
        named("A", in_a_basis(&of(1.0), 12, 1), 2),
        named("B", in_a_basis(&of(1.0), 16, 2), 2),
        named("C", in_a_basis(&of(-1.0), 12, 3), 2),
    ];
    let found = compare(&subjects, &CompareParams::default()).unwrap();
    let (same, mirrored) = (found.pair(0, 1).unwrap(), found.pair(0, 2).unwrap());
    assert_eq!(same.verdict, PairVerdict::SameCircuit, "{:?}", same.reasons);
    assert!(same.distance.unwrap() < 1e-6, "{:?}", same.distance);
    // The same spectrum, and the other way round.
    assert_eq!((mirrored.verdict, mirrored.outputs.len()), (PairVerdict::Different, 2));
    assert!(mirrored.measures.dsa_wasserstein.unwrap() < 1e-3, "{:?}", mirrored.measures);
}

fn record(network: &Network, size: (usize, usize), seed: u64, with_inputs: bool) -> Trajectories {
    let (episodes, steps) = (192, 70);
    let any = Window::named("repeat-copy", Some(size.0), Some(size.1)).unwrap();
    let mut drawn = Episodes::new(&any, episodes);
    drawn.draw(&any, &Stream::new(seed, Purpose::TestInputs), 0, 0);
    let inputs = drawn.inputs().to_vec();
    let mut state = Matrix::zeros(network.state_size(), episodes);
    for now in inputs.chunks(episodes * size.1) {
        let input = Matrix::from_fn(size.1, episodes, |j, e| f64::from(now[e * size.1 + j]));
        state = network.step_batch(state.as_ref(), Some(input.as_ref()));
    }
    let (mut states, mut outputs) = (vec![], vec![]);
    for _ in 0..steps {
        state = network.step_batch(state.as_ref(), None);
        states.push(state.clone());
        outputs.push(network.read(state.as_ref()));
    }
    Trajectories { inputs: with_inputs.then_some(inputs), states, outputs }
}

#[test]
fn recordings_are_compared_with_each_other_and_with_networks() {
    let task = copy();
    let (a, b) = (made(&task, sized(40, 1)), made(&task, sized(48, 2)));
    let other = made(&crate::planted::task(3, 3, &["u1 = u1[t-3]", "u2 = -u2[t-2]", "u3 = u3[t-1]"]), sized(40, 3));
    let of = |name: &str, network: &Network, seed, inputs| {
        Subject::recording(name, record(network, (3, 3), seed, inputs), 3)
    };
    let subjects = [
        of("A", &a, 1, true),
        of("B", &b, 1, true),
        of("B on other inputs", &b, 2, true),
        of("A, inputs unknown", &a, 3, false),
        of("other", &other, 1, true),
        named("B itself", b.clone(), 3),
    ];
    let found = compare(&subjects, &CompareParams::default()).unwrap();
    for (i, j) in [(0, 1), (0, 2), (0, 5), (2, 5)] {
        let pair = found.pair(i, j).unwrap();
        assert_eq!(pair.verdict, PairVerdict::SameCircuit, "{i} {j}: {:?} {:#?}", pair.reasons, found.networks[j]);
        assert!(pair.distance.unwrap() < 1e-6, "{i} {j}: {:?}", pair.distance);
        // Nothing can be handed to a recording, and only the same inputs make states comparable.
        assert!(pair.claims.iter().all(|claim| claim.name != PairClaimName::Exchange));
        assert_eq!(pair.measures.cka.is_some(), j != 2 && i != 2, "{i} {j}");
        assert!(pair.measures.dsa.is_some());
    }
    assert_eq!(found.pair(0, 4).unwrap().verdict, PairVerdict::Different);
    // Without its inputs a component that stays the same has as many functions as lags: nothing is stated.
    for other in [0, 1, 4, 5] {
        assert_eq!(
            found.pair(3, other).unwrap().verdict,
            PairVerdict::Unclear,
            "{:?}",
            found.pair(3, other).unwrap().reasons
        );
    }
    // Repeat copy forgets nothing, and shows its function all the same.
    let whole = Window::named("repeat-copy", Some(3), Some(2)).unwrap();
    let (a, b) = (made(&whole, sized(40, 1)), made(&whole, sized(48, 2)));
    let of = |name: &str, network: &Network, seed| Subject::recording(name, record(network, (3, 2), seed, false), 3);
    let found = compare(&[of("A", &a, 1), of("B", &b, 2)], &CompareParams::default()).unwrap();
    assert_eq!(found.pairs[0].verdict, PairVerdict::SameCircuit, "{:?}", found.pairs[0].reasons);
}

#[test]
fn a_network_that_stops_following_the_function_is_not_the_same() {
    let task = copy();
    let (plain, other) = (made(&task, sized(40, 1)), made(&task, sized(40, 2)));
    // Half the recurrent weights: contents die out.
    let mut weak = other.clone();
    weak.as_elman_mut().unwrap().recurrent_weights *= faer::Scale(0.45);
    let pair = both(plain, weak, 3);
    assert!(!matches!(pair.verdict, PairVerdict::SameCircuit | PairVerdict::SameFunction), "{:?}", pair.reasons);
}

#[test]
fn many_networks_fall_into_clusters_and_settings_show_their_effect() {
    let (first, second) = (copy(), Window::named("repeat-copy", Some(3), Some(3)).unwrap());
    let mut subjects = vec![];
    let mut settings: Vec<BTreeMap<String, String>> = vec![];
    for (task, word) in [(&first, "compose"), (&second, "repeat")] {
        for seed in 1..=2u64 {
            subjects.push(named(&format!("{word}-{seed}"), made(task, sized(48, seed)), 3));
            let pairs = [("task", word.to_string()), ("seed", seed.to_string())];
            settings.push(pairs.into_iter().map(|(key, value)| (key.to_string(), value)).collect());
        }
    }
    let params = CompareParams::default();
    let examined = examine_all(&subjects, &params, &|_| true, &|| {}).unwrap();
    let found: Comparison = compare_examined(&examined, &params).unwrap();
    let members: Vec<_> = found.clusters.iter().map(|cluster| cluster.members.clone()).collect();
    assert_eq!(members, [vec![0, 1], vec![2, 3]]);
    assert!(found.separations.iter().all(|of| of.measure != "circuit" || of.told_apart == Some(1.0)));
    let effects = effects(&settings, &found.pairs);
    let shares: Vec<_> = effects.iter().map(|effect| (effect.setting.as_str(), effect.pairs, effect.same)).collect();
    assert_eq!(shares, [("seed", 2, 1.0), ("task", 4, 0.0)]);
    let picture = &comparison_figures(&found, &examined)[0];
    assert!(
        picture.name == "distances"
            && picture.svg().contains("DSA")
            && picture.caption.contains("4 networks in 2 clusters")
    );
    let two = compare_examined(&examined[..2], &params).unwrap();
    let picture = &comparison_figures(&two, &examined[..2])[0];
    assert!(picture.name == "comparison" && picture.caption.contains("same circuit"), "{}", picture.caption);
    assert_eq!(found.networks[0].verdict, interpret::Verdict::Circuit);
}

#[test]
fn a_comparison_is_the_same_byte_for_byte() {
    let task = copy();
    let subjects = [named("A", made(&task, sized(40, 1)), 3), named("B", made(&task, sized(32, 2)), 3)];
    let text = || serde_json::to_string(&compare(&subjects, &CompareParams::default()).unwrap()).unwrap();
    assert_eq!(text(), text());
}
