//! A zoo of planted networks: for each way in which a network can pretend to be a circuit, one that does and one that is.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::planted::{analog, analog_step, rectified, saturating, task, with_idle_units};
use faer::Scale;
use ketbra::interpret::{
    ClaimName, InterpretParams, Interpretation, Question, Verdict, interpret, interpret_file, interpret_trajectories,
};
use ketbra::network::{Activation, Metadata, Network, NetworkFile, ParameterMut};
use ketbra::numeric::{Matrix, draw};
use ketbra::observe::Trajectories;
use ketbra::random::{Purpose, Stream};
use ketbra::recurrence::Confidence;
use ketbra::task::{Episodes, Gate, Slot, Window};

fn told(network: &Network, task: &Window) -> Interpretation {
    interpret(network, &Question::Task(task.clone()), &InterpretParams::default(), &|_| true).unwrap()
}

fn blind(network: &Network, s: usize) -> Interpretation {
    interpret(network, &Question::Blind { s }, &InterpretParams::default(), &|_| true).unwrap()
}

fn failed(found: &Interpretation) -> Vec<ClaimName> {
    found.claims.iter().filter(|claim| !claim.holds).map(|claim| claim.name).collect()
}

/// A right member: told or blind it is a circuit, and its function is read back.
#[track_caller]
fn assert_recognised(network: &Network, task: &Window) {
    let found = told(network, task);
    assert_eq!(found.verdict, Verdict::Circuit, "told: {:?} {:#?}", found.reasons, found.claims);
    let found = blind(network, task.s());
    assert_eq!(found.recurrence_in_words, task.recurrence(), "{:?}", found.readings);
    assert_eq!(found.verdict, Verdict::Circuit, "blind: {:?} {:#?}", found.reasons, found.claims);
}

/// A wrong member: it is called no circuit, and these claims are named as failing.
#[track_caller]
fn assert_found_out(network: &Network, task: &Window, fails: &[ClaimName]) -> Interpretation {
    let found = told(network, task);
    assert!(
        !matches!(found.verdict, Verdict::Circuit | Verdict::Superposed),
        "{:?}: {:#?}",
        found.verdict,
        found.claims
    );
    for name in fails {
        assert!(failed(&found).contains(name), "{name:?} holds: {:#?}", found.claims);
    }
    found
}

/// Without a task, whatever is stated with high confidence is `truth`, and nothing else is called a circuit.
#[track_caller]
fn assert_states_nothing_but(network: &Network, s: usize, truth: &Window) {
    let found = blind(network, s);
    if found.confidence == Confidence::High || found.verdict == Verdict::Circuit {
        assert_eq!(found.recurrence_in_words, truth.recurrence(), "{:#?}", found.claims);
    }
}

#[test]
fn circuits_of_every_kind_of_unit_are_recognised() {
    let copy = Window::named("repeat-copy", Some(4), Some(3)).unwrap();
    assert_recognised(&analog(&copy, 40, Activation::Identity), &copy);
    assert_recognised(&analog(&copy, 40, Activation::Tanh), &copy);
    assert_recognised(&rectified(&copy), &copy);
    assert_recognised(&saturating(4, 3, &copy.linear().unwrap()), &copy);
    let t3 = Window::named("T3", None, None).unwrap();
    assert_recognised(&saturating(8, 8, &t3.linear().unwrap()), &t3);
}

#[test]
fn biases_that_leave_the_task_alone_change_nothing() {
    let copy = Window::named("repeat-copy", Some(4), Some(3)).unwrap();
    let mut network = analog(&copy, 40, Activation::Identity);
    let offset: Vec<f64> = (0..40).map(|i| (i as f64).sin()).collect();
    // Units shifted by a constant: h' = h + offset, and a readout that takes it off again.
    let pulled =
        |i: usize| (0..40).map(|j| network.as_elman().unwrap().recurrent_weights[(i, j)] * offset[j]).sum::<f64>();
    let bias: Vec<f64> = (0..40).map(|i| offset[i] - pulled(i)).collect();
    let said = |j: usize| (0..40).map(|i| network.readout.weights[(j, i)] * offset[i]).sum::<f64>();
    network.readout.bias = Some((0..3).map(|j| -said(j)).collect());
    network.as_elman_mut().unwrap().biases = Some(ketbra::network::Biases { input: bias, recurrent: vec![0.0; 40] });
    let found = told(&network, &copy);
    // From the zero state the offset itself is a transient that this circuit keeps for ever.
    assert!(!found.claims.is_empty() && found.verdict != Verdict::Superposed);
    network.as_elman_mut().unwrap().input_weights *= faer::Scale(1e3);
    network.readout.weights *= faer::Scale(1e-3);
    network.readout.bias = network.readout.bias.map(|bias| bias.into_iter().map(|b| b * 1e-3).collect());
    assert_eq!(told(&network, &copy).verdict, Verdict::Circuit, "{:#?}", told(&network, &copy).claims);
}

/// u2 only listens: it is no part of the core, and its output must be right all the same.
#[test]
fn a_wrong_output_outside_the_core_is_found_out() {
    let listens = task(3, 2, &["u1 = u1[t-3]", "u2 = u1[t-2]"]);
    let right = analog(&listens, 24, Activation::Identity);
    assert_eq!(told(&right, &listens).verdict, Verdict::Circuit, "{:#?}", told(&right, &listens).claims);
    let mut wrong = right;
    (0..24).for_each(|i| wrong.readout.weights[(1, i)] = -wrong.readout.weights[(0, i)]);
    assert_found_out(&wrong, &listens, &[ClaimName::FollowsFunction]);
}

#[test]
fn inputs_that_are_ignored_are_found_out() {
    let copy = Window::named("repeat-copy", Some(4), Some(8)).unwrap();
    let mut network = analog(&copy, 80, Activation::Identity);
    for j in 3..8 {
        network.as_elman_mut().unwrap().input_weights.col_as_slice_mut(j).fill(0.0);
    }
    let found = assert_found_out(&network, &copy, &[ClaimName::FollowsFunction, ClaimName::DependsOnInputs]);
    assert_eq!(found.verdict, Verdict::Partial, "three outputs of eight are right");
    // What it computes without being told is true: five of its outputs are silent.
    let silent = task(
        4,
        8,
        &[
            "u1 = u1[t-4]",
            "u2 = u2[t-4]",
            "u3 = u3[t-4]",
            "u4 = 0*u1[t-1]",
            "u5 = 0*u1[t-1]",
            "u6 = 0*u1[t-1]",
            "u7 = 0*u1[t-1]",
            "u8 = 0*u1[t-1]",
        ],
    );
    assert_states_nothing_but(&network, 4, &silent);
}

#[test]
fn outputs_of_constant_sign_are_found_out() {
    let copy = Window::named("repeat-copy", Some(4), Some(3)).unwrap();
    let mut network = analog(&copy, 40, Activation::Identity);
    network.readout.bias = Some(vec![10.0, 0.0, 0.0]);
    assert_found_out(&network, &copy, &[ClaimName::FollowsFunction]);
    network.readout.bias = Some(vec![10.0; 3]);
    assert_eq!(assert_found_out(&network, &copy, &[]).verdict, Verdict::NotLearned);
    assert_ne!(blind(&network, 4).verdict, Verdict::Circuit);
}

/// One more unit grows slowly and drowns the second output in the end.
#[test]
fn another_function_after_a_hundred_steps_is_found_out() {
    let copy = Window::named("repeat-copy", Some(4), Some(3)).unwrap();
    let plain = analog(&copy, 40, Activation::Identity);
    let mut network = with_idle_units(&plain, 1.1, 0.0, 1);
    network.as_elman_mut().unwrap().input_weights[(40, 0)] = 1e-5;
    network.readout.weights[(1, 40)] = 1.0;
    assert_found_out(&network, &copy, &[ClaimName::FollowsFunction]);
    let found = blind(&network, 4);
    assert!(found.verdict != Verdict::Circuit && found.confidence != Confidence::High, "{:#?}", found.claims);
}

fn turn(angle: f64) -> Window {
    let (sin, cos) = angle.sin_cos();
    let mut f = Matrix::zeros(2, 8);
    (f[(0, 0)], f[(0, 1)], f[(1, 0)], f[(1, 1)]) = (cos, -sin, sin, cos);
    Window::from_matrix("turn", 4, 2, f).unwrap()
}

#[test]
fn a_dense_task_that_is_not_the_one_computed_is_noticed() {
    for activation in [Activation::Identity, Activation::Tanh] {
        let network = analog(&turn(0.9), 32, activation);
        assert_eq!(told(&network, &turn(0.9)).verdict, Verdict::Circuit, "{:#?}", told(&network, &turn(0.9)).claims);
        for other in [1.0, -0.9, 0.92] {
            assert_found_out(&network, &turn(other), &[ClaimName::FollowsFunction, ClaimName::NoFurtherTerm]);
        }
    }
}

#[test]
fn values_that_should_be_zero_are_asked_to_be_zero() {
    let halves = task(3, 2, &["u1 = u1[t-3]", "u2 = 0*u1[t-1]"]);
    let right = analog(&halves, 24, Activation::Identity);
    assert_eq!(told(&right, &halves).verdict, Verdict::Circuit, "{:#?}", told(&right, &halves).claims);
    let mut wrong = right;
    (0..24).for_each(|i| wrong.readout.weights[(1, i)] += 0.05 * wrong.readout.weights[(0, i)]);
    assert_found_out(&wrong, &halves, &[ClaimName::FollowsFunction]);
}

#[test]
fn a_rotation_of_a_few_hundredths_is_not_stated_as_a_copy() {
    let copy = Window::named("repeat-copy", Some(4), Some(2)).unwrap();
    let network = analog(&turn(0.03), 32, Activation::Identity);
    let found = assert_found_out(&network, &copy, &[ClaimName::NoFurtherTerm, ClaimName::FollowsFunction]);
    let claim = found.claims.iter().find(|claim| claim.name == ClaimName::NoFurtherTerm).unwrap();
    assert!((claim.measured.unwrap() - 0.03).abs() < 0.002, "the size of the miss is said: {claim:?}");
    let found = blind(&network, 4);
    assert_eq!(found.recurrence, None, "{:?}", found.recurrence_in_words);
    assert_eq!(found.recurrence_in_words[1], "u2 = 0.03*u1[t-4] + u2[t-4]");
}

#[test]
fn a_jordan_block_is_not_stated_as_a_copy() {
    let copy = Window::named("repeat-copy", Some(4), Some(2)).unwrap();
    let jordan = task(4, 2, &["u1 = u1[t-4] + 0.04*u2[t-4]", "u2 = u2[t-4]"]);
    let network = analog(&jordan, 32, Activation::Identity);
    assert_found_out(&network, &copy, &[ClaimName::NoFurtherTerm]);
    let found = blind(&network, 4);
    assert_eq!((found.recurrence, found.recurrence_in_words), (None, jordan.recurrence()));
}

/// u1 is overruled where all others disagree: in one window of sixteen.
#[test]
fn a_threshold_function_that_differs_in_few_windows_is_not_stated_as_a_copy() {
    let copy = Window::named("repeat-copy", Some(3), Some(5)).unwrap();
    let mut f = copy.linear().unwrap();
    (1..5).for_each(|k| f[(0, k)] = 0.26);
    let network = saturating(3, 5, &f);
    assert_found_out(&network, &copy, &[ClaimName::EveryWindow]);
    // Blind it is what it is: a truth table of five inputs beside four copies.
    let slots: Vec<Slot> = (0..5).map(|component| Slot { lag: 3, component }).collect();
    let overruled = |m: usize| m == 0b11110 || (m & 1 == 1 && m != 0b00001);
    let table: Vec<bool> = (0..32).map(overruled).collect();
    let mut gates = copy.gates().unwrap();
    gates[0] = Gate::new(&slots, &table).unwrap();
    let truth = Window::table("overruled", 3, 5, gates).unwrap();
    let found = blind(&network, 3);
    assert!(found.recurrence.is_none() && found.read_back().unwrap().same_function(&truth), "{:#?}", found.function);
}

#[test]
fn a_function_that_contracts_can_be_a_circuit_and_its_rate_matters() {
    let halving = task(3, 2, &["u1 = 0.5*u1[t-3]", "u2 = 0.6*u2[t-3]"]);
    for activation in [Activation::Identity, Activation::Tanh] {
        assert_recognised(&analog(&halving, 24, activation), &halving);
    }
    let other = task(3, 2, &["u1 = 0.5*u1[t-3]", "u2 = 0.8*u2[t-3]"]);
    assert_found_out(&analog(&other, 24, Activation::Identity), &halving, &[ClaimName::FollowsFunction]);
}

#[test]
fn a_function_that_forgets_all_can_be_a_circuit_and_a_dead_network_is_none() {
    let nilpotent = task(2, 2, &["u1 = u2[t-1]", "u2 = 0*u1[t-1]"]);
    let network = analog(&nilpotent, 16, Activation::Identity);
    let found = told(&network, &nilpotent);
    assert_eq!(found.verdict, Verdict::Circuit, "{:?} {:#?}", found.reasons, found.claims);
    assert_states_nothing_but(&network, 2, &nilpotent);
    let mut dead = network;
    dead.readout.weights.fill(0.0);
    assert!(!matches!(told(&dead, &nilpotent).verdict, Verdict::Circuit | Verdict::Superposed));
    let mut wrong = analog(&nilpotent, 16, Activation::Identity);
    (0..16).for_each(|i| wrong.readout.weights[(0, i)] = -wrong.readout.weights[(0, i)]);
    assert_found_out(&wrong, &nilpotent, &[ClaimName::FollowsFunction]);
}

/// The last but one step on the window is another one: outputs are right for a while, the way there is not.
#[test]
fn a_register_that_shuffles_its_variables_is_no_circuit_of_a_copy() {
    let copy = Window::named("repeat-copy", Some(4), Some(2)).unwrap();
    let mut step = ketbra::circuit::operator(&copy).unwrap();
    // Variable 2 takes from variable 4 instead of 3.
    for j in 0..2 {
        (step[(2 + j, 4 + j)], step[(2 + j, 6 + j)]) = (0.0, 1.0);
    }
    assert_found_out(&analog_step(&copy, &step, 32, Activation::Identity), &copy, &[ClaimName::FollowsFunction]);
}

#[test]
fn layers_that_were_not_simulated_leave_the_verdict_open() {
    let copy = Window::named("repeat-copy", Some(4), Some(3)).unwrap();
    let file = |network: Network| {
        let mut file = NetworkFile::new(network, Metadata::from([("task".into(), copy.to_toml())]));
        file.unused = vec!["norm.weight".into(), "norm.bias".into()];
        interpret_file(&file, &Question::Task(copy.clone()), &InterpretParams::default(), &|_| true).unwrap()
    };
    let mut network = analog(&copy, 40, Activation::Identity);
    assert_eq!(file(network.clone()).verdict, Verdict::Circuit, "what does its task without them does not need them");
    (0..40).for_each(|i| network.readout.weights[(0, i)] = network.readout.weights[(1, i)]);
    let found = file(network);
    assert_eq!(found.verdict, Verdict::Unclear);
    assert!(found.reasons[0].to_string().contains("2 tensors of the file were not simulated"), "{:?}", found.reasons);
}

/// Right outputs of repeat copy, with whatever states.
fn recorded(states: impl Fn(usize, &[f64]) -> Vec<f64>) -> (Window, Trajectories) {
    const EPISODES: usize = 256;
    let copy = Window::named("repeat-copy", Some(4), Some(3)).unwrap();
    let mut drawn = Episodes::new(&copy, EPISODES);
    drawn.draw(&copy, &Stream::new(3, Purpose::ProbeInputs), 9, 80);
    let window = |t: usize, episode: usize| -> Vec<f64> {
        let all = drawn.contents(4 + t);
        (0..12).map(|slot| f64::from(all[slot / 3 * EPISODES * 3 + episode * 3 + slot % 3])).collect()
    };
    let state = |t: usize, episode: usize| states(t * EPISODES + episode, &window(t, episode));
    let matrix = |of: &dyn Fn(usize) -> Vec<f64>| {
        let columns: Vec<Vec<f64>> = (0..EPISODES).map(of).collect();
        Matrix::from_fn(columns[0].len(), EPISODES, |i, j| columns[j][i])
    };
    let states = (0..80).map(|t| matrix(&|episode| state(t, episode))).collect();
    let outputs = (0..80).map(|t| matrix(&|episode| window(t, episode)[9..].to_vec())).collect();
    (copy.clone(), Trajectories { inputs: Some(drawn.inputs().to_vec()), states, outputs })
}

#[test]
fn noise_and_states_of_other_episodes_do_not_hold_the_contents() {
    let read = |(task, trajectories): (Window, Trajectories)| {
        interpret_trajectories(&trajectories, &Question::Task(task), &InterpretParams::default()).unwrap()
    };
    let stream = Stream::new(80, Purpose::Matrices);
    let basis = draw::with_condition(30, 12, 3.0, &stream, 0);
    let noise = draw::normal(30, 80 * 256, &stream, 1);
    let held = |window: &[f64]| (0..30).map(|i| (0..12).map(|k| basis[(i, k)] * window[k]).sum()).collect::<Vec<f64>>();
    let good = read(recorded(|_, window| held(window)));
    assert_eq!(good.verdict, Verdict::Circuit, "{:#?}", good.claims);
    let white = read(recorded(|at, _| noise.col_as_slice(at).to_vec()));
    assert_eq!(white.verdict, Verdict::NotHeld, "{:?}", white.reasons);
    let (task, mut torn) = recorded(|_, window| held(window));
    for state in &mut torn.states {
        *state = Matrix::from_fn(30, 256, |i, j| state[(i, (j + 1) % 256)]);
    }
    let torn = read((task, torn));
    assert_eq!(torn.verdict, Verdict::NotHeld, "{:?}", torn.reasons);
    assert!(torn.reasons.iter().any(|reason| reason.to_string().contains("the same episodes")), "{:?}", torn.reasons);
    // Only the newest variable is recorded: the outputs are right, most contents are elsewhere.
    let newest = read(recorded(|at, window| {
        let mut state = noise.col_as_slice(at)[..20].to_vec();
        state.extend(&window[9..]);
        state
    }));
    assert!(!matches!(newest.verdict, Verdict::Circuit | Verdict::Superposed), "{:?}", newest.reasons);
}

/// A latch that nothing reads varies more than the memories do: the circuit beside it is the same.
/// A trained network whose weights have all been shaken, by a share of their root mean square.
fn shaken(name: &str, share: f64, seed: u64) -> (Network, Window) {
    let path = format!("{}/tests/fixtures/networks/{name}.safetensors", env!("CARGO_MANIFEST_DIR"));
    let file = NetworkFile::open(path.as_ref()).unwrap();
    let (mut network, task) = (file.network.clone(), file.window().unwrap().unwrap());
    let stream = Stream::new(seed, Purpose::Matrices);
    for (k, (_, parameter)) in network.parameters_mut().into_iter().enumerate() {
        let ParameterMut::Matrix(weights) = parameter else { continue };
        let size = weights.norm_l2() / ((weights.nrows() * weights.ncols()) as f64).sqrt();
        *weights += draw::normal(weights.nrows(), weights.ncols(), &stream, k as u32) * Scale(share * size);
    }
    (network, task)
}

#[test]
fn damage_that_loses_contents_is_not_called_superposition() {
    let mut more_right_than_chance = 0;
    for seed in 1..=6 {
        let (network, task) = shaken("gru-t3-h128", 0.1, seed);
        let found = assert_found_out(&network, &task, &[ClaimName::FollowsFunction, ClaimName::CodeExplains]);
        more_right_than_chance += usize::from(found.accuracy.is_some_and(|accuracy| accuracy.value > 0.6));
    }
    assert!(more_right_than_chance > 0, "networks that do nothing at all are no test");
    let (network, task) = shaken("t3-h64-superposed", 0.02, 1);
    assert_eq!(told(&network, &task).verdict, Verdict::Superposed, "what shares directions is still said to");
}

#[test]
fn a_unit_that_nothing_reads_changes_nothing() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/networks/t3-h128.safetensors");
    let (network, t3) = (NetworkFile::open(&path).unwrap().network, Window::named("T3", None, None).unwrap());
    for (gain, input) in [(3.0, 1.0), (0.5, 1.0), (3.0, 0.0)] {
        assert_recognised(&crate::planted::with_idle_units(&network, gain, input, 1), &t3);
    }
}

/// The loop of one output loses a little at each turn: its sign is right as long as anybody can tell.
#[test]
fn an_output_that_fades_is_not_held_however_right_its_sign() {
    let copy = Window::named("repeat-copy", Some(4), Some(3)).unwrap();
    for gain in [0.8, 0.99] {
        let mut network = saturating(4, 3, &copy.linear().unwrap());
        let hidden = network.hidden();
        for i in (0..hidden).filter(|i| i % 3 == 1) {
            (0..hidden).for_each(|j| network.as_elman_mut().unwrap().recurrent_weights[(i, j)] *= gain / 3.0);
        }
        assert_found_out(&network, &copy, &[ClaimName::KeepsSize]);
        let found = blind(&network, 4);
        assert!(!matches!(found.verdict, Verdict::Circuit | Verdict::Superposed), "{:?}", found.reasons);
        assert_ne!(found.confidence, Confidence::High);
    }
}

/// A plane of two Hadamard rows turns by 0.28 rad: no entry of f is off by more than 0.009.
#[test]
fn a_rotation_spread_over_many_coefficients_is_not_stated_as_a_copy() {
    const D: usize = 64;
    let row = |k: usize, i: usize| if (k & i).count_ones().is_multiple_of(2) { 0.125 } else { -0.125 };
    let (sin, cos) = 0.28f64.sin_cos();
    let turned = |i: usize, j: usize| {
        let (a, b) = ((row(5, i), row(5, j)), (row(9, i), row(9, j)));
        f64::from(u8::from(i == j)) + (cos - 1.0) * (a.0 * a.1 + b.0 * b.1) + sin * (a.0 * b.1 - b.0 * a.1)
    };
    let truth = Window::from_matrix("turned", 1, D, Matrix::from_fn(D, D, turned)).unwrap();
    let copy = Window::named("repeat-copy", Some(1), Some(D)).unwrap();
    let network = analog(&truth, 80, Activation::Identity);
    assert_found_out(&network, &copy, &[ClaimName::NoFurtherTerm, ClaimName::Spectrum]);
    let found = blind(&network, 1);
    assert!(found.confidence != Confidence::High || found.recurrence.is_none(), "{:?}", found.recurrence_in_words);
}

#[test]
fn a_function_is_read_in_its_own_unit() {
    for scale in [0.5, 1.15, 100.0] {
        let mut network = analog(&turn(0.9), 32, Activation::Identity);
        network.readout.weights *= faer::Scale(scale);
        let found = blind(&network, 4);
        assert_eq!(
            found.recurrence_in_words,
            blind(&analog(&turn(0.9), 32, Activation::Identity), 4).recurrence_in_words
        );
        assert_eq!(found.verdict, Verdict::Circuit, "{scale}: {:#?}", found.claims);
        assert_eq!(told(&network, &turn(0.9)).verdict, Verdict::Circuit);
    }
}

/// What a saturating register writes first is not 1, and what it keeps is a copy all the same.
#[test]
fn a_silent_output_does_not_turn_copies_into_something_else() {
    let silent = task(4, 3, &["u1 = u1[t-4]", "u2 = -u2[t-4]", "u3 = 0*u1[t-1]"]);
    let mut network = saturating(4, 3, &silent.linear().unwrap());
    (0..network.hidden()).for_each(|i| network.readout.weights[(2, i)] = 0.0);
    assert_eq!(blind(&network, 4).recurrence_in_words, silent.recurrence());
}

/// Three digits of each of many coefficients would not follow the network for long.
#[test]
fn a_function_of_many_coefficients_does_not_fail_by_its_own_rounding() {
    let f = draw::orthonormal(32, 32, &Stream::new(81, Purpose::Matrices), 0);
    let network = analog(&Window::from_matrix("orthogonal", 1, 32, f).unwrap(), 48, Activation::Identity);
    let found = blind(&network, 1);
    assert_eq!(found.verdict, Verdict::Circuit, "{:?} {:#?}", found.reasons, found.claims);
    assert!(found.recurrence_in_words[0].len() < 1000, "{}", found.recurrence_in_words[0]);
}
