//! Planted networks: analytic circuits pushed through tanh, rotated, noisy, biased. What was planted is recovered.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ketbra::circuit::operator;
use ketbra::interpret::{InterpretParams, Interpretation, Question, Verdict, interpret};
use ketbra::memories::Method;
use ketbra::network::{Activation, Biases, Cell, Elman, Network, Readout};
use ketbra::numeric::{Matrix, RELATIVE_CUT, draw, pseudo_inverse};
use ketbra::random::{Purpose, Stream};
use ketbra::recurrence::Confidence;
use ketbra::task::Window;

/// How a circuit is planted.
#[derive(Clone, Copy, Debug)]
struct Planting {
    s: usize,
    d: usize,
    hidden: usize,
    /// Condition number of the planted memories.
    condition: f64,
    /// Size of the activity: small keeps tanh nearly linear.
    amplitude: f64,
    /// Noise on the recurrent weights, relative to 1/sqrt(H).
    noise: f64,
    /// Standard deviation of the fixed point's coordinates.
    fixed_point: f64,
}

fn task(planting: &Planting) -> Window {
    Window::named("repeat-copy", Some(planting.s), Some(planting.d)).unwrap()
}

fn plant(planting: &Planting) -> Network {
    plant_task(planting, &task(planting))
}

/// `J = Psi Phi Psi* + noise` at the fixed point, with the biases that keep it fixed.
fn plant_task(planting: &Planting, task: &Window) -> Network {
    let Planting { s, d, hidden, condition, amplitude, noise, fixed_point } = *planting;
    let (stream, window) = (Stream::new(77, Purpose::Matrices), s * d);
    let memories = draw::with_condition(hidden, window, condition, &stream, 0);
    let readers = pseudo_inverse(&memories, RELATIVE_CUT).unwrap();
    let scale = noise / (hidden as f64).sqrt();
    let jacobian =
        &memories * operator(task).unwrap() * &readers + draw::normal(hidden, hidden, &stream, 1) * faer::Scale(scale);
    let fixed: Vec<f64> =
        (0..hidden).map(|i| (fixed_point * draw::normal(hidden, 1, &stream, 2)[(i, 0)]).clamp(-0.9, 0.9)).collect();
    let slope = |i: usize| 1.0 - fixed[i] * fixed[i];
    let recurrent = Matrix::from_fn(hidden, hidden, |i, j| jacobian[(i, j)] / slope(i));
    let pulled = |i: usize| (0..hidden).map(|j| recurrent[(i, j)] * fixed[j]).sum::<f64>();
    let bias = (0..hidden).map(|i| fixed[i].atanh() - pulled(i)).collect();
    Network {
        layers: vec![Cell::Elman(Elman {
            activation: Activation::Tanh,
            input_weights: Matrix::from_fn(hidden, d, |i, j| amplitude * memories[(i, window - d + j)] / slope(i)),
            recurrent_weights: recurrent,
            biases: (fixed_point > 0.0).then(|| Biases { input: bias, recurrent: vec![0.0; hidden] }),
        })],
        readout: Readout {
            weights: readers.subrows(window - d, d).to_owned() * faer::Scale(1.0 / amplitude),
            bias: None,
        },
    }
}

fn read(planting: &Planting, question: Question) -> Interpretation {
    let params = InterpretParams { methods: Method::ALL.to_vec(), ..InterpretParams::default() };
    interpret(&plant(planting), &question, &params, &|_| true).unwrap()
}

#[track_caller]
fn assert_recovered(planting: Planting, largest_error: f64) {
    let task = task(&planting);
    let found = read(&planting, Question::Task(task.clone()));
    assert_eq!(found.verdict, Verdict::Circuit, "{planting:?}: {:?}", found.reasons);
    let error = found.spectrum.orbit.error.unwrap();
    assert!(error < largest_error, "{planting:?}: {error}");
    let memories = found.memories.unwrap();
    assert!(memories.worst >= 0.99 && memories.phi_error.unwrap() < 0.05, "{planting:?}: {memories:?}");
    let blind = read(&planting, Question::Blind { s: planting.s });
    assert_eq!(blind.confidence, Confidence::High, "{planting:?}: {:?}", blind.readings);
    assert_eq!(blind.recurrence_in_words, task.recurrence(), "{planting:?}");
}

const PLAIN: Planting =
    Planting { s: 8, d: 4, hidden: 64, condition: 3.0, amplitude: 0.01, noise: 0.0, fixed_point: 0.0 };

#[test]
fn a_rotated_circuit_at_small_amplitude_is_recovered() {
    assert_recovered(PLAIN, 1e-4);
    assert_recovered(Planting { s: 4, d: 3, hidden: 40, ..PLAIN }, 1e-4);
    assert_recovered(Planting { s: 8, d: 8, hidden: 128, ..PLAIN }, 1e-4);
}

#[test]
fn a_noisy_circuit_is_recovered() {
    assert_recovered(Planting { noise: 1e-3, amplitude: 0.05, ..PLAIN }, 1e-3);
}

/// What lies between the zero state and the fixed point is kept by such a circuit for ever, and drowns what it is told.
#[test]
fn a_circuit_around_a_far_fixed_point_does_not_do_its_task_from_the_zero_state_and_is_not_said_to() {
    for fixed_point in [0.1, 0.3] {
        let planting = Planting { fixed_point, ..PLAIN };
        for question in [Question::Task(task(&planting)), Question::Blind { s: planting.s }] {
            let found = read(&planting, question);
            assert!(!matches!(found.verdict, Verdict::Circuit | Verdict::Superposed), "{:?}", found.reasons);
            assert_ne!(found.confidence, Confidence::High, "{:?}", found.readings);
        }
    }
}

#[test]
fn a_circuit_around_a_fixed_point_within_reach_is_recovered() {
    let planting = Planting { fixed_point: 0.0005, noise: 1e-3, ..PLAIN };
    assert_recovered(planting, 1e-3);
    assert!(plant(&planting).has_bias());
}

#[test]
fn the_memories_that_were_planted_are_found() {
    let found = read(&PLAIN, Question::Task(task(&PLAIN)));
    let frame = found.details.memories[0].frame.clone().unwrap();
    let window = PLAIN.s * PLAIN.d;
    let planted = draw::with_condition(PLAIN.hidden, window, 3.0, &Stream::new(77, Purpose::Matrices), 0);
    let apart = (&frame.memories * faer::Scale(1.0 / PLAIN.amplitude) - &planted).norm_l2() / planted.norm_l2();
    assert!(apart < 0.02, "planted and found memories are {apart} apart");
    let identity = &frame.readers * &frame.memories - Matrix::identity(window, window);
    assert!(identity.norm_max() < 1e-9, "readers do not invert memories: {}", identity.norm_max());
}

#[test]
fn every_method_reads_a_circuit_in_an_orthonormal_basis() {
    let planting = Planting { condition: 1.0, ..PLAIN };
    for (name, memories) in read(&planting, Question::Task(task(&planting))).methods.unwrap() {
        assert!(memories.worst >= 0.99, "{name}: {memories:?}");
    }
}

#[test]
fn the_pseudo_inverse_of_the_readout_misreads_an_oblique_basis_and_the_dual_does_not() {
    let methods = read(&PLAIN, Question::Task(task(&PLAIN))).methods.unwrap();
    assert!(methods["power"].worst < 0.99 && methods["dual"].worst >= 0.99, "{methods:?}");
}

/// Each component turns into a mixture of all of them, s steps later: f is dense, and contents are real numbers.
fn dense() -> Window {
    let (sin, cos) = 0.9f64.sin_cos();
    let mut f = Matrix::zeros(2, 8);
    (f[(0, 0)], f[(0, 1)], f[(1, 0)], f[(1, 1)]) = (cos, -sin, sin, cos);
    Window::from_matrix("turn", 4, 2, f).unwrap()
}

#[test]
fn a_dense_function_is_a_circuit_too() {
    let planting = Planting { s: 4, d: 2, hidden: 32, ..PLAIN };
    let network = plant_task(&planting, &dense());
    for question in [Question::Task(dense()), Question::Blind { s: 4 }] {
        let found = interpret(&network, &question, &InterpretParams::default(), &|_| true).unwrap();
        assert_eq!(found.verdict, Verdict::Circuit, "{:?}", found.reasons);
        assert!(found.memories.unwrap().worst >= 0.99 && found.spectrum.orbit.error.unwrap() < 1e-3);
        assert_eq!(found.recurrence_in_words[0], "u1 = 0.622*u1[t-4] - 0.783*u2[t-4]");
    }
}

#[test]
fn a_dense_function_that_the_network_does_not_compute_is_no_circuit() {
    let planting = Planting { s: 4, d: 2, hidden: 32, ..PLAIN };
    let mut other = dense().linear().unwrap();
    (other[(0, 1)], other[(1, 0)]) = (other[(1, 0)], other[(0, 1)]);
    let other = Window::from_matrix("turn back", 4, 2, other).unwrap();
    let network = plant_task(&planting, &dense());
    let found = interpret(&network, &Question::Task(other), &InterpretParams::default(), &|_| true).unwrap();
    assert_ne!(found.verdict, Verdict::Circuit, "{:?}", found.memories);
}

/// Reflections whose outputs always have the sign of one component: signs alone would call them selections.
#[test]
fn a_dense_function_near_a_selection_is_not_taken_for_one() {
    let planting = Planting { s: 3, d: 2, hidden: 32, ..PLAIN };
    for (cos, sin, words) in
        [(-0.4, 0.917, "u1 = -0.4*u1[t-3] + 0.917*u2[t-3]"), (0.984, 0.178, "u1 = 0.984*u1[t-3] + 0.178*u2[t-3]")]
    {
        let mut f = Matrix::zeros(2, 6);
        (f[(0, 0)], f[(0, 1)], f[(1, 0)], f[(1, 1)]) = (cos, sin, sin, -cos);
        let network = plant_task(&planting, &Window::from_matrix("mirror", 3, 2, f).unwrap());
        let found = interpret(&network, &Question::Blind { s: 3 }, &InterpretParams::default(), &|_| true).unwrap();
        assert_eq!(found.recurrence, None);
        assert_eq!(found.recurrence_in_words[0], words);
    }
}

#[test]
fn a_copy_that_fades_is_not_taken_for_one_that_lasts() {
    let planting = Planting { s: 3, d: 2, hidden: 32, ..PLAIN };
    let mut f = Matrix::zeros(2, 6);
    (f[(0, 0)], f[(1, 1)]) = (1.0, 0.9);
    let network = plant_task(&planting, &Window::from_matrix("fading", 3, 2, f).unwrap());
    let found = interpret(&network, &Question::Blind { s: 3 }, &InterpretParams::default(), &|_| true).unwrap();
    assert_eq!(found.recurrence_in_words, ["u1 = u1[t-3]", "u2 = 0.9*u2[t-3]"]);
}
