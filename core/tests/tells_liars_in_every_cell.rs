//! The zoo of `tells_liars_from_circuits.rs` in other cells: what is a circuit in one cell is a circuit in another that
//! takes the same steps, what pretends to be one is found out there too.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::planted::{analog, saturating, with_idle_units};
use ketbra::interpret::{ClaimName, InterpretParams, Interpretation, Question, StateView, Verdict, interpret};
use ketbra::network::{Activation, Biases, Cell, Elman, Gru, Modes, Network, NetworkFile, Readout, Ssm};
use ketbra::numeric::{Matrix, RELATIVE_CUT, c64, draw, pseudo_inverse};
use ketbra::random::{Purpose, Stream};
use ketbra::task::Window;
use std::f64::consts::TAU;
use std::path::Path;

fn ask(network: &Network, question: Question, state: StateView) -> Interpretation {
    interpret(network, &question, &InterpretParams { state, ..InterpretParams::default() }, &|_| true).unwrap()
}

fn told(network: &Network, task: &Window) -> Interpretation {
    ask(network, Question::Task(task.clone()), StateView::Units)
}

fn failed(found: &Interpretation) -> Vec<ClaimName> {
    found.claims.iter().filter(|claim| !claim.holds).map(|claim| claim.name).collect()
}

fn copy() -> Window {
    Window::named("repeat-copy", Some(4), Some(3)).unwrap()
}

fn t3() -> Window {
    Window::named("T3", None, None).unwrap()
}

fn trained(name: &str) -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/networks/{name}.safetensors"));
    NetworkFile::open(&path).unwrap().network
}

/// The same network as a GRU: its update gate is shut and its reset gate open.
fn as_gru(network: &Network) -> Network {
    let cell = network.as_elman().unwrap();
    assert_eq!(cell.activation, Activation::Tanh);
    let units = network.hidden();
    let below = |weights: &Matrix| {
        let mut all = Matrix::zeros(3 * units, weights.ncols());
        all.subrows_mut(2 * units, units).copy_from(weights);
        all
    };
    let bias = |unit: usize| [40.0, -40.0, 0.0][unit / units];
    let gru = Gru {
        input_weights: below(&cell.input_weights),
        recurrent_weights: below(&cell.recurrent_weights),
        biases: Some(Biases { input: (0..3 * units).map(bias).collect(), recurrent: vec![0.0; 3 * units] }),
    };
    Network { layers: vec![Cell::Gru(gru)], readout: network.readout.clone() }
}

/// The same network on top of a layer that hands its inputs on.
fn on_top(network: &Network) -> Network {
    let (cell, d) = (network.as_elman().unwrap(), network.inputs());
    let through = Elman {
        activation: cell.activation,
        input_weights: Matrix::identity(d, d),
        recurrent_weights: Matrix::zeros(d, d),
        biases: None,
    };
    Network { layers: vec![Cell::Elman(through), Cell::Elman(cell.clone())], readout: network.readout.clone() }
}

/// Repeat copy as a state-space layer: a mode for each root of unity and component, seen through random units. The modes of
/// the last root turn further by `turn`.
fn state_space(task: &Window, units: usize, turn: f64) -> Network {
    let (s, d, stream) = (task.s(), task.d(), Stream::new(3, Purpose::Matrices));
    let modes = s * d;
    let angle = |mode: usize| TAU * (mode / d) as f64 / s as f64;
    let power = |mode: usize, by: f64| c64::new((angle(mode) * by).cos(), (angle(mode) * by).sin());
    let (re, im) = (draw::normal(units, modes, &stream, 0), draw::normal(units, modes, &stream, 1));
    // Mode (k, j) holds the sum over variables m of lambda^-m times component j.
    let held = |mode: usize, slot: usize| {
        if mode % d == slot % d { power(mode, -((slot / d + 1) as f64)) } else { c64::new(0.0, 0.0) }
    };
    let seen = Matrix::from_fn(units, modes, |i, slot| {
        (0..modes).map(|k| re[(i, k)] * held(k, slot).re - im[(i, k)] * held(k, slot).im).sum()
    });
    let further = |mode: usize| if mode / d == s - 1 { turn } else { 0.0 };
    let lambda = |mode: usize| ((angle(mode) + further(mode)).cos(), (angle(mode) + further(mode)).sin());
    let given = |mode: usize, j: usize| held(mode, (s - 1) * d + j);
    let ssm = Ssm {
        activation: Activation::Identity,
        real: Modes {
            eigenvalues: (0..modes).map(|k| lambda(k).0).collect(),
            input: Matrix::from_fn(modes, d, |k, j| given(k, j).re),
            output: re,
        },
        imaginary: Some(Modes {
            eigenvalues: (0..modes).map(|k| lambda(k).1).collect(),
            input: Matrix::from_fn(modes, d, |k, j| given(k, j).im),
            output: im,
        }),
        skip: None,
    };
    let weights = pseudo_inverse(&seen, RELATIVE_CUT).unwrap().subrows((s - 1) * d, d).to_owned();
    Network { layers: vec![Cell::Ssm(ssm)], readout: Readout { weights, bias: None } }
}

/// Told and blind, on units and on the whole state.
#[track_caller]
fn assert_circuit(network: &Network, task: &Window) {
    for state in [StateView::Units, StateView::Whole] {
        let found = ask(network, Question::Task(task.clone()), state);
        assert_eq!(found.verdict, Verdict::Circuit, "{state:?}: {:#?}", found.claims);
        assert!(found.whole_state.is_none_or(|whole| whole.verdict == Verdict::Circuit), "{state:?}");
    }
    let found = ask(network, Question::Blind { s: task.s() }, StateView::Units);
    assert_eq!(found.recurrence_in_words, task.recurrence());
    assert_eq!(found.verdict, Verdict::Circuit, "blind: {:#?}", found.claims);
}

#[track_caller]
fn assert_found_out(network: &Network, task: &Window, fails: &[ClaimName]) {
    for state in [StateView::Units, StateView::Whole] {
        let found = ask(network, Question::Task(task.clone()), state);
        assert!(!matches!(found.verdict, Verdict::Circuit | Verdict::Superposed), "{state:?}: {:#?}", found.claims);
        for name in fails {
            assert!(failed(&found).contains(name), "{state:?}: {name:?} holds: {:#?}", found.claims);
        }
    }
}

#[test]
fn circuits_are_recognised_in_every_cell() {
    assert_circuit(&as_gru(&analog(&copy(), 40, Activation::Tanh)), &copy());
    assert_circuit(&as_gru(&saturating(8, 8, &t3().linear().unwrap())), &t3());
    assert_circuit(&on_top(&analog(&copy(), 40, Activation::Identity)), &copy());
    assert_circuit(&on_top(&as_plain(&saturating(8, 8, &t3().linear().unwrap()))), &t3());
    assert_circuit(&state_space(&copy(), 40, 0.0), &copy());
    assert_circuit(&trained("gru-t3-h128"), &t3());
    assert_circuit(&trained("lstm-t3-h128"), &t3());
}

/// With inputs strong enough to survive the layer below, which squashes them.
fn as_plain(network: &Network) -> Network {
    let mut louder = network.clone();
    louder.as_elman_mut().unwrap().input_weights *= faer::Scale(1.0 / 1f64.tanh());
    louder
}

#[test]
fn the_control_of_every_cell_finds_nothing() {
    let networks = [
        (as_gru(&saturating(8, 8, &t3().linear().unwrap())), t3()),
        (state_space(&copy(), 40, 0.0), copy()),
        (trained("gru-t3-h128"), t3()),
        (trained("lstm-t3-h128"), t3()),
    ];
    for (network, task) in networks {
        let control = told(&network, &task).control.unwrap();
        assert_eq!(control.rows.right(), 0, "{:?}: {control}", network.kind());
    }
}

#[test]
fn a_plain_layer_and_its_gated_twin_are_judged_alike() {
    let plain = saturating(4, 3, &copy().linear().unwrap());
    let mut mixed = analog(&copy(), 24, Activation::Tanh);
    (0..24).for_each(|i| mixed.readout.weights[(1, i)] += 0.05 * mixed.readout.weights[(0, i)]);
    let mut silent = plain.clone();
    (0..silent.hidden()).for_each(|i| silent.readout.weights[(2, i)] = 0.0);
    let idle = with_idle_units(&plain, 0.9, 0.3, 2);
    for (what, network) in [("right", plain), ("mixed", mixed), ("silent", silent), ("idle units", idle)] {
        let (here, there) = (told(&network, &copy()), told(&as_gru(&network), &copy()));
        assert_eq!((here.verdict, failed(&here)), (there.verdict, failed(&there)), "{what}");
    }
}

#[test]
fn a_mode_that_turns_too_far_is_found_out() {
    assert_found_out(&state_space(&copy(), 40, 0.05), &copy(), &[ClaimName::FollowsFunction]);
}

#[test]
fn trained_gated_networks_do_not_compute_another_task() {
    let t4 = Window::named("T4", None, None).unwrap();
    for name in ["gru-t3-h128", "lstm-t3-h128"] {
        assert_found_out(&trained(name), &t4, &[ClaimName::FollowsFunction, ClaimName::EveryWindow]);
    }
}

#[test]
fn an_output_that_says_the_opposite_is_read_as_that() {
    for name in ["gru-t3-h128", "lstm-t3-h128"] {
        let mut network = trained(name);
        (0..128).for_each(|i| network.readout.weights[(4, i)] = -network.readout.weights[(4, i)]);
        network.readout.bias.iter_mut().for_each(|bias| bias[4] = -bias[4]);
        assert_found_out(&network, &t3(), &[ClaimName::FollowsFunction]);
        // Inputs come in with one sign and outputs go out with the other: no one function has both.
        let found = ask(&network, Question::Blind { s: 8 }, StateView::Units);
        assert_ne!(found.recurrence_in_words, t3().recurrence(), "{name}");
    }
}

#[test]
fn shuffled_gates_hold_nothing() {
    for name in ["gru-t3-h128", "lstm-t3-h128"] {
        let mut network = trained(name);
        network.change_matrices(|weights| {
            let (rows, columns) = (weights.nrows(), weights.ncols());
            if columns != 128 || rows <= columns {
                return;
            }
            let moved = |i: usize, j: usize| ((i * columns + j) * 7919 + 13) % (rows * columns);
            let old = weights.clone();
            *weights = Matrix::from_fn(rows, columns, |i, j| old[(moved(i, j) / columns, moved(i, j) % columns)]);
        });
        assert_found_out(&network, &t3(), &[ClaimName::FollowsFunction]);
        assert!(ask(&network, Question::Blind { s: 8 }, StateView::Units).recurrence.is_none(), "{name}");
    }
}

/// An LSTM with one unit more, whose cell counts the steps and which nothing reads.
fn with_a_clock(network: &Network) -> Network {
    let Some(Cell::Lstm(cell)) = network.layers.first() else { panic!("an LSTM") };
    let (units, d) = (network.hidden(), network.inputs());
    let gates = |old: &Matrix, columns: usize| {
        Matrix::from_fn(4 * (units + 1), columns, |i, j| {
            let (gate, unit) = (i / (units + 1), i % (units + 1));
            if unit < units && j < old.ncols() { old[(gate * units + unit, j)] } else { 0.0 }
        })
    };
    let mut wider = cell.clone();
    wider.input_weights = gates(&cell.input_weights, d);
    wider.recurrent_weights = gates(&cell.recurrent_weights, units + 1);
    // Its candidate is 1, all of it is taken in, and nothing is ever forgotten.
    let open = |gate: usize| [40.0, 40.0, 40.0, 0.0][gate];
    let longer = |old: &[f64], fresh: &dyn Fn(usize) -> f64| -> Vec<f64> {
        (0..4).flat_map(|gate| [&old[gate * units..(gate + 1) * units], &[fresh(gate)]].concat()).collect()
    };
    let biases = cell.biases.as_ref().unwrap();
    let (input, recurrent) = (longer(&biases.input, &open), longer(&biases.recurrent, &|_| 0.0));
    wider.biases = Some(Biases { input, recurrent });
    let mut readout = network.readout.clone();
    readout.weights =
        Matrix::from_fn(
            network.outputs(),
            units + 1,
            |i, j| {
                if j < units { network.readout.weights[(i, j)] } else { 0.0 }
            },
        );
    Network { layers: vec![Cell::Lstm(wider)], readout }
}

#[test]
fn a_cell_that_counts_the_steps_leads_nothing_astray() {
    assert_circuit(&with_a_clock(&trained("lstm-t3-h128")), &t3());
}
