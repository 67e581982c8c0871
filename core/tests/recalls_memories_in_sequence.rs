//! The sequential memory model: its limits, its integrators and the Elman network it is conjugate to.

#![allow(clippy::unwrap_used)]

use ketbra::circuit::operator;
use ketbra::numeric::{Matrix, draw, eigenvalues, tolerance::Tolerance};
use ketbra::random::{Purpose, Stream};
use ketbra::recall::{Integrator, Parameters, ReadRule, RecallError, Response, SequenceMemory, State};
use ketbra::task::Window;

fn stream() -> Stream {
    Stream::new(9, Purpose::Matrices)
}

/// Random memories whose transitions give the discrete limit a chosen spectral radius.
fn random_memory(features: usize, memories: usize, radius: f64, index: u32, parameters: Parameters) -> SequenceMemory {
    let stored = draw::normal(features, memories, &stream(), index);
    let mixing = draw::normal(memories, memories, &stream(), 100 + index);
    let largest = eigenvalues(&mixing).unwrap().iter().map(|z| z.re.hypot(z.im)).fold(0.0, f64::max);
    let transitions = mixing * faer::Scale(radius / largest) - Matrix::identity(memories, memories);
    SequenceMemory::new(stored, transitions, parameters).unwrap()
}

fn random_features(size: usize, index: u32) -> Vec<f64> {
    draw::normal(size, 1, &stream(), 200 + index).col_as_slice(0).to_vec()
}

fn gap(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn memory_model_and_elman_network_trace_the_same_orbit() {
    let (mut above_one, mut moving) = (0, 0);
    for (index, (features, memories)) in [(6, 3), (20, 8), (64, 12), (128, 36), (200, 64)].into_iter().enumerate() {
        let index = index as u32;
        // A radius a little above 1 keeps the orbit alive at the amplitude of a limit cycle, well short of chaos, which
        // would magnify rounding by itself.
        let memory = random_memory(features, memories, 1.1, index, Parameters::default());
        let found = memory.conjugacy(&random_features(features, index), 1000).unwrap();
        assert!(found.worst_gap < 1e-12, "{features} x {memories}: {found:?}");
        assert!(found.amplitude > 0.05, "the orbit died out: {found:?}");
        above_one += usize::from(found.norm > 1.0);
        moving += usize::from(found.motion > 0.1);
    }
    assert!(moving >= 3, "only {moving} orbits of 5 still move after 1,000 steps");
    assert_eq!(above_one, 5, "the bound on the norm is not needed, and no case met it");
}

#[test]
fn an_euler_step_of_one_is_the_discrete_limit() {
    let memory = random_memory(30, 10, 1.2, 0, Parameters::default());
    let start = memory.settled(random_features(30, 0));
    let recording = memory.integrate(&start, 50.0, 1.0, Integrator::Euler { step: 1.0 }).unwrap();
    let mut features = start.features;
    for state in &recording.states[1..] {
        features = memory.discrete_step(&features);
        Tolerance::relative(1e-12).assert_close(state.features.as_slice(), &features);
    }
}

fn end_of(memory: &SequenceMemory, start: &State, until: f64, method: Integrator) -> Vec<f64> {
    memory.integrate(start, until, until, method).unwrap().states.pop().unwrap().features
}

fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

#[test]
fn each_integrator_converges_at_its_order() {
    let parameters = Parameters { hidden_time: 0.5, delay_time: 2.0, ..Parameters::default() };
    let memory = random_memory(12, 6, 1.5, 1, parameters);
    let start = memory.settled(random_features(12, 1));
    let exact = end_of(&memory, &start, 4.0, Integrator::RungeKutta { step: 1.0 / 512.0 });
    let error = |method| gap(&end_of(&memory, &start, 4.0, method), &exact);
    let euler = order(error(Integrator::Euler { step: 0.01 }), error(Integrator::Euler { step: 0.005 }));
    let classical = order(error(Integrator::RungeKutta { step: 0.1 }), error(Integrator::RungeKutta { step: 0.05 }));
    assert!((euler - 1.0).abs() < 0.1, "Euler: order {euler}");
    assert!((classical - 4.0).abs() < 0.3, "Runge-Kutta: order {classical}");
    for tolerance in [1e-4, 1e-7, 1e-10] {
        let reached = error(Integrator::Adaptive { tolerance });
        assert!(reached < 20.0 * tolerance && reached > 0.0, "tolerance {tolerance:e}: error {reached:e}");
    }
}

/// With fast neurons of time constant step^p, an integrator of order p and the continuous model meet at order p.
#[test]
fn fast_hidden_neurons_and_a_fast_trace_lead_to_the_discrete_model_at_the_order_of_the_integrator() {
    let start = random_features(8, 2);
    let mut measured = Vec::new();
    for (p, steps) in [(1, [1.0 / 64.0, 1.0 / 128.0]), (4, [1.0 / 3.0, 1.0 / 6.0])] {
        let errors = steps.map(|step: f64| {
            let fast = step.powi(p);
            let slow_model = random_memory(8, 4, 1.5, 2, Parameters::default());
            let parameters = Parameters { hidden_time: fast, delay_time: fast, ..Parameters::default() };
            let full_model = random_memory(8, 4, 1.5, 2, parameters);
            let method = if p == 1 { Integrator::Euler { step } } else { Integrator::RungeKutta { step } };
            let discrete = end_of(&slow_model, &slow_model.settled(start.clone()), 2.0, method);
            let finely = Integrator::RungeKutta { step: fast / 4.0 };
            gap(&end_of(&full_model, &full_model.settled(start.clone()), 2.0, finely), &discrete)
        });
        measured.push(order(errors[0], errors[1]));
    }
    assert!((measured[0] - 1.0).abs() < 0.15 && (measured[1] - 4.0).abs() < 0.4, "measured orders {measured:?}");
}

#[test]
fn the_hebbian_rule_equals_the_pseudo_inverse_for_orthogonal_memories() {
    let hadamard = Matrix::from_fn(16, 5, |i, j| if (i & j).count_ones() % 2 == 0 { 1.0 } else { -1.0 });
    let transitions = Matrix::from_fn(5, 5, |m, n| f64::from((m + 1) % 5 == n));
    let weights = |rule| {
        let parameters = Parameters { rule, ..Parameters::default() };
        SequenceMemory::new(hadamard.clone(), transitions.clone(), parameters).unwrap().elman_weights().unwrap()
    };
    Tolerance::relative(1e-14).assert_close(&weights(ReadRule::Hebbian), &weights(ReadRule::PseudoInverse));
}

#[test]
fn memories_are_recalled_one_after_another() {
    let memory = SequenceMemory::episodes(96, 8, Parameters::episodic(), &stream()).unwrap();
    let method = Integrator::Adaptive { tolerance: 1e-6 };
    let visited = memory.retrieve(&memory.starting_at(0), 120.0, 0.5, method).unwrap().visited();
    assert!(visited.len() > 8, "{visited:?}");
    assert!(visited.iter().enumerate().all(|(k, memory)| *memory == k % 8), "{visited:?}");
}

#[test]
fn the_same_memories_hold_variables_and_move_them_along() {
    let task = Window::named("repeat-copy", Some(8), Some(1)).unwrap();
    let episodic = SequenceMemory::episodes(96, 8, Parameters::episodic(), &stream()).unwrap();
    let memory =
        SequenceMemory::of_variables(episodic.stored().clone(), &operator(&task).unwrap(), Response::Identity).unwrap();
    let contents = [1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -0.5];
    let held = memory.hold(&contents, 800);
    for (step, found) in held.overlaps.iter().enumerate() {
        let expected: Vec<f64> = (0..8).map(|variable| contents[(variable + step) % 8]).collect();
        Tolerance::absolute(1e-10).assert_close(found.as_slice(), &expected);
    }
}

#[test]
fn stiff_steps_bad_times_and_divergence_are_refused_in_words() {
    let fast = Parameters { hidden_time: 0.01, ..Parameters::default() };
    let memory = random_memory(6, 3, 1.0, 3, fast);
    let run = |method| memory.integrate(&memory.starting_at(0), 1.0, 0.5, method).unwrap_err().to_string();
    assert!(run(Integrator::Euler { step: 0.1 }).contains("exceeds the smallest time constant 0.01"));
    assert!(run(Integrator::Euler { step: 0.0 }).contains("positive"));
    assert!(run(Integrator::Adaptive { tolerance: f64::NAN }).contains("tolerance"));
    let negative = Parameters { delay_time: -1.0, ..Parameters::default() };
    let refused = SequenceMemory::new(Matrix::identity(2, 2), Matrix::identity(2, 2), negative).unwrap_err();
    assert!(refused.to_string().contains("delay time constant is -1"));
    let linear = Parameters { feature_response: Response::Identity, ..Parameters::default() };
    let exploding = random_memory(6, 3, 50.0, 4, linear);
    let found = exploding.integrate(&exploding.starting_at(0), 400.0, 1.0, Integrator::RungeKutta { step: 0.5 });
    assert!(matches!(found, Err(RecallError::Diverged { .. })));
    let winner = Parameters { hidden_response: Response::Softmax { sharpness: 1.0 }, ..Parameters::default() };
    assert!(matches!(random_memory(6, 3, 1.0, 5, winner).elman_weights(), Err(RecallError::NotElman(_))));
}
