//! Networks that do their own task perfectly, and that task is another one than seeing some inputs and then going on alone: nothing
//! false is said of them, whatever number of input steps they are asked about, and the next step is named.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::interpret::{
    InterpretParams, Interpretation, Question, Reason, Verdict, Warning, interpret, interpret_trajectories,
};
use ketbra::network::{Activation, Architecture, CellKind, CellSettings, Initialization, Network, NetworkFile};
use ketbra::numeric::Matrix;
use ketbra::observe::Trajectories;
use ketbra::report::{Provenance, headline, page};
use ketbra::task::Window;
use std::path::Path;

fn fixture(name: &str) -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/programs/{name}.safetensors"));
    NetworkFile::open(&path).unwrap().network
}

fn blind(network: &Network, s: usize) -> Interpretation {
    interpret(network, &Question::Blind { s }, &InterpretParams::default(), &|_| true).unwrap()
}

/// The sum of all that it was shown, as evidence is accumulated.
fn accumulator() -> Network {
    let one = Matrix::from_fn(1, 1, |_, _| 1.0);
    Network::elman(Activation::Identity, one.clone(), one.clone(), one)
}

/// A latch: a unit that takes the sign of its last input and keeps it.
fn latch() -> Network {
    let of = |x: f64| Matrix::from_fn(2, 2, |i, j| if i == j { x } else { 0.0 });
    Network::elman(Activation::Tanh, of(6.0), of(2.0), of(1.0))
}

/// Says each of three bits of four steps again, a long silence later: a chain of delays.
fn delayed_copy() -> Network {
    let (d, delay) = (3, 9);
    let hidden = d * delay;
    let shift = Matrix::from_fn(hidden, hidden, |i, j| f64::from(u8::from(i == j + d)));
    let input = Matrix::from_fn(hidden, d, |i, j| f64::from(u8::from(i == j)));
    let readout = Matrix::from_fn(d, hidden, |i, j| f64::from(u8::from(j == i + hidden - d)));
    Network::elman(Activation::Identity, input, shift, readout)
}

fn untrained(cell: CellKind, seed: u64) -> Network {
    let bias = cell != CellKind::Elman;
    let architecture = Architecture {
        cell,
        layers: 1,
        hidden: 32,
        activation: Activation::Tanh,
        bias,
        settings: CellSettings::usual(cell),
    };
    Initialization::Uniform.network(&architecture, 2, 2, seed)
}

fn all() -> Vec<(&'static str, Network)> {
    vec![
        ("running parity", fixture("elman-parity-seed01")),
        ("running parity, GRU", fixture("gru-parity-seed01")),
        ("flip-flop", fixture("elman-flipflop-seed01")),
        ("flip-flop, GRU", fixture("gru-flipflop-seed01")),
        ("words over S3", fixture("elman-s3-seed01")),
        ("cued recall", fixture("lstm-delayed-seed01")),
        ("delayed copy", delayed_copy()),
        ("evidence", accumulator()),
        ("latch", latch()),
        ("untrained", untrained(CellKind::Elman, 1)),
        ("untrained GRU", untrained(CellKind::Gru, 2)),
        ("untrained LSTM", untrained(CellKind::Lstm, 3)),
    ]
}

#[test]
fn nothing_false_is_said_of_networks_that_do_another_task() {
    for (name, network) in all() {
        for s in [1, 4, 8] {
            let found = blind(&network, s);
            let open =
                matches!(found.verdict, Verdict::Silent | Verdict::OtherKind | Verdict::Unclear | Verdict::Partial);
            assert!(open, "{name}, s={s}: {:?} {:?}", found.verdict, found.recurrence_in_words);
            let next = found.warnings.iter().any(|note| note.warning == Warning::InputsAtEveryStep);
            assert!(next, "{name}, s={s}: {:?} {:?}", found.verdict, found.warnings);
        }
    }
}

#[test]
fn a_network_that_was_told_no_task_is_never_said_to_have_failed_it() {
    for (name, network) in all() {
        let found = blind(&network, 4);
        let (sentence, made) = (headline(Some(&network), &found), page(Some(&network), &found, &Provenance::default()));
        assert!(made.is_ok_and(|html| html.len() > 10_000), "{name}: every network has a page");
        for false_words in ["has learned nothing", "has not learned", "did not learn", "is a circuit", "goes on alone,"]
        {
            assert!(!sentence.contains(false_words), "{name}: {sentence}");
        }
    }
}

#[test]
fn the_evidence_is_told_with_its_figures() {
    let found = blind(&fixture("elman-flipflop-seed01"), 4);
    assert_eq!(found.verdict, Verdict::OtherKind);
    assert!(found.reasons.contains(&Reason::OnlyStays), "{:?}", found.reasons);
    assert!(found.reasons.iter().any(|reason| matches!(reason, Reason::SameForOtherLengths { .. })));
    let later = found.reasons.iter().find_map(|reason| match reason {
        Reason::TakesLaterInputs { later } => Some(*later),
        _ => None,
    });
    // Half of the new signs are the old ones.
    assert!((0.4..0.6).contains(&later.unwrap().stays), "{later:?}");
    let found = blind(&fixture("elman-delayed-seed01"), 4);
    assert_eq!(found.reasons, [Reason::SizesDiffer { inputs: 4, outputs: 3 }]);
}

#[test]
fn a_recorded_latch_is_of_another_kind_too() {
    let (network, episodes) = (latch(), 64);
    let sign = |t: usize, e: usize, j: usize| if (e >> ((2 * t + j) % 6)) & 1 == 1 { 1.0 } else { -1.0 };
    let mut state = Matrix::zeros(2, episodes);
    let (mut states, mut outputs, mut inputs) = (vec![], vec![], vec![]);
    for t in 0..80 {
        let input = Matrix::from_fn(2, episodes, |j, e| sign(t, e, j));
        if t < 3 {
            inputs.extend((0..episodes).flat_map(|e| [sign(t, e, 0) as f32, sign(t, e, 1) as f32]));
        }
        state = network.step_batch(state.as_ref(), (t < 3).then_some(input.as_ref()));
        if t >= 3 {
            outputs.push(network.read(state.as_ref()));
            states.push(state.clone());
        }
    }
    let recorded = Trajectories { inputs: Some(inputs), states, outputs };
    let found = interpret_trajectories(&recorded, &Question::Blind { s: 3 }, &InterpretParams::default()).unwrap();
    assert_eq!(found.verdict, Verdict::OtherKind, "{:?}", found.reasons);
}

#[test]
fn a_trial_that_ends_is_judged_to_its_end_and_what_it_holds_is_told_step_by_step() {
    // After the last of four inputs the chain is silent for five steps, and then says them again.
    let network = delayed_copy();
    let params = InterpretParams::default().ending_after(9).unwrap();
    let found = interpret(&network, &Question::Blind { s: 4 }, &params, &|_| true).unwrap();
    assert_eq!(found.stimulus.unwrap().silent_steps, 9);
    let over_time = found.over_time.unwrap();
    assert_eq!(over_time.contents.len(), 12);
    // The first input leaves the chain nine steps after it came: until then all twelve are read, with nothing by chance.
    for t in 3..9 {
        let (worst, _, by_chance) = over_time.worst()[t].unwrap();
        assert!(worst == 1.0 && by_chance < 0.65, "step {}: {worst} {by_chance}", t + 1);
    }
    assert!(over_time.worst()[12].unwrap().0 < 0.65);
    assert_eq!(over_time.read_until(0.99), Some((1, 9)));
}

#[test]
fn a_task_that_was_told_and_is_not_done_is_not_learned() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/networks/t2-h128.safetensors");
    let network = NetworkFile::open(&path).unwrap().network;
    let t3 = Window::named("T3", None, None).unwrap();
    let found = interpret(&network, &Question::Task(t3), &InterpretParams::default(), &|_| true).unwrap();
    assert_eq!(found.verdict, Verdict::NotLearned, "{:?} {:?}", found.accuracy, found.reasons);
}

/// Whatever the horizon, it is what everything is said of, and of no step beyond it.
#[test]
fn every_horizon_can_be_asked_for_and_nothing_is_said_beyond_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/networks/t3-h128.safetensors");
    let network = NetworkFile::open(&path).unwrap().network;
    let t3 = Question::Task(Window::named("T3", None, None).unwrap());
    for steps in [3, 5, 9, 16, 24, 30, 47, 400] {
        let params = InterpretParams::default().ending_after(steps).unwrap();
        let found =
            interpret(&network, &t3, &params, &|_| true).unwrap_or_else(|error| panic!("{steps} steps: {error}"));
        assert_eq!(found.stimulus.unwrap().silent_steps, steps);
        assert_eq!(found.accuracy.unwrap().horizon, steps);
        assert!(steps < 24 || found.verdict == Verdict::Circuit, "{steps} steps: {:?}", found.reasons);
    }
}
