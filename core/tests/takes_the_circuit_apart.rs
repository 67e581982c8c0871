//! The exact circuit: spectra, rebuilding in random bases, long runs, the paper's worked example.

#![allow(clippy::unwrap_used)]

use ketbra::circuit::{AnalyticNetwork, Basis, Core, Structure, operator, take_apart};
use ketbra::numeric::{Matrix, c64, draw, eigenvalues, order_eigenvalues, tolerance::Tolerance};
use ketbra::random::{Purpose, Stream};
use ketbra::task::{Episodes, Window};

const STREAM_SEED: u64 = 2;

fn stream() -> Stream {
    Stream::new(STREAM_SEED, Purpose::Matrices)
}

fn named(name: &str) -> Window {
    Window::named(name, None, None).unwrap()
}

/// Roots of +1 or -1, straight from the definition.
fn roots(cycles: &[(u32, f64)]) -> Vec<c64> {
    let mut roots = Vec::new();
    for &(length, sign) in cycles {
        let offset = if sign < 0.0 { 0.5 } else { 0.0 };
        for k in 0..length {
            roots.push(c64::cis(std::f64::consts::TAU * (f64::from(k) + offset) / f64::from(length)));
        }
    }
    order_eigenvalues(&mut roots);
    roots
}

/// Lengths and signs.
type Cycles = Vec<(u32, f64)>;

fn tasks_of_table_1() -> [(&'static str, usize, Cycles); 4] {
    [
        ("T1", 64, vec![(8, 1.0); 8]),
        ("T2", 36, (1..=8).map(|length| (length, 1.0)).collect()),
        ("T3", 36, vec![(3, -1.0), (3, -1.0), (6, -1.0), (24, -1.0)]),
        ("T4", 36, vec![(1, -1.0), (35, 1.0)]),
    ]
}

#[test]
fn spectra_of_the_four_tasks_are_the_roots_of_their_cycles() {
    for (name, size, cycles) in tasks_of_table_1() {
        let core = Core::of(&named(name)).unwrap();
        let found: Vec<_> = core.structure.cycles.iter().map(|c| (c.length() as u32, c.weight)).collect();
        assert_eq!(found, cycles, "{name}");
        assert_eq!(core.dimension(), size, "{name}");
        let expected = roots(&cycles);
        Tolerance::absolute(1e-12).assert_close(core.eigenvalues(), &expected);
        Tolerance::absolute(1e-12).assert_close(eigenvalues(&core.step).unwrap().as_slice(), &expected);
    }
}

#[test]
fn weights_built_in_a_random_basis_come_apart_into_the_operator() {
    let mut tasks: Vec<Window> = ["T1", "T2", "T3", "T4"].map(named).into();
    tasks.push(Window::named("repeat-copy", Some(16), Some(5)).unwrap());
    for (index, (s, d)) in [(4, 3), (8, 8), (3, 20)].into_iter().enumerate() {
        let f = draw::normal(d, s * d, &stream(), 100 + index as u32);
        tasks.push(Window::from_matrix(format!("dense {s} x {d}"), s, d, f).unwrap());
    }
    for (index, task) in tasks.iter().enumerate() {
        let (phi, core) = (operator(task).unwrap(), Core::of(task).unwrap());
        for condition in [1.0, 1e2, 1e4] {
            for hidden in [task.width(), 128] {
                let basis = Basis::with_condition(hidden, task.width(), condition, &stream(), index as u32).unwrap();
                let circuit = AnalyticNetwork::of(task, basis).unwrap();
                let found = take_apart(&circuit.network.as_elman().unwrap().recurrent_weights, &circuit.basis).unwrap();
                Tolerance::relative(1e-8).assert_close(&found, &phi);
                let basis =
                    Basis::with_condition(hidden, core.dimension(), condition, &stream(), index as u32).unwrap();
                let circuit = AnalyticNetwork::of_core(task, &core, basis).unwrap();
                let found = take_apart(&circuit.network.as_elman().unwrap().recurrent_weights, &circuit.basis).unwrap();
                Tolerance::relative(1e-8).assert_close(&found, &core.step);
            }
        }
    }
}

/// The largest deviation from the targets over 10,000 output steps.
///
/// Rounding of `W_hh` moves eigenvalues off the unit circle, so drift grows with the condition number of the basis: about
/// 1e-11 for an orthonormal one, 2e-10 at 1e2, 6e-7 at 1e4.
fn drift(task: &Window, circuit: &AnalyticNetwork, from_inputs: bool) -> f64 {
    const STEPS: usize = 10_000;
    let batch = 4;
    let mut episodes = Episodes::new(task, batch);
    episodes.draw(task, &Stream::new(STREAM_SEED, Purpose::TestInputs), 0, STEPS);
    let state = if from_inputs {
        circuit.network.begin(episodes.inputs(), batch, 0).end()
    } else {
        let inputs = episodes.inputs();
        circuit.load(&Matrix::from_fn(task.width(), batch, |k, sample| {
            f64::from(inputs[(k / task.d() * batch + sample) * task.d() + k % task.d()])
        }))
    };
    let mut worst = 0.0f64;
    let answers = circuit.network.begin_at(state, &[], STEPS).answers();
    for (said, targets) in answers.zip(episodes.targets().chunks(batch * task.d())) {
        for (k, target) in targets.iter().enumerate() {
            worst = worst.max((said[(k % task.d(), k / task.d())] - f64::from(*target)).abs());
        }
    }
    worst
}

#[test]
fn repeat_copy_fed_step_by_step_is_right_for_ten_thousand_steps() {
    let task = named("T1");
    for (basis, name) in [
        (Basis::standard(64), "standard"),
        (Basis::orthonormal(64, 64, &stream(), 0).unwrap(), "orthonormal"),
        (Basis::orthonormal(128, 64, &stream(), 1).unwrap(), "orthonormal in 128 units"),
        (Basis::with_condition(128, 64, 1e2, &stream(), 2).unwrap(), "condition 1e2"),
        (Basis::with_condition(128, 64, 1e3, &stream(), 2).unwrap(), "condition 1e3"),
    ] {
        let circuit = AnalyticNetwork::of(&task, basis).unwrap();
        assert!(circuit.exact_from_inputs);
        let worst = drift(&task, &circuit, true);
        assert!(worst < 1e-6, "{name}: drift {worst:e}");
    }
}

#[test]
fn the_other_tasks_are_right_for_ten_thousand_steps_from_loaded_variables() {
    for name in ["T2", "T3", "T4"] {
        let task = named(name);
        let core = Core::of(&task).unwrap();
        for condition in [1.0, 1e2, 1e3] {
            let basis = Basis::with_condition(128, 64, condition, &stream(), 3).unwrap();
            let circuit = AnalyticNetwork::of(&task, basis).unwrap();
            assert!(!circuit.exact_from_inputs, "{name}");
            let whole = drift(&task, &circuit, false);
            let basis = Basis::with_condition(128, 36, condition, &stream(), 4).unwrap();
            let optimized = drift(&task, &AnalyticNetwork::of_core(&task, &core, basis).unwrap(), false);
            assert!(whole < 1e-6 && optimized < 1e-6, "{name} {condition}");
        }
    }
}

#[test]
fn feeding_compose_copy_step_by_step_fails_as_the_theory_says() {
    let task = named("T2");
    let circuit = AnalyticNetwork::of(&task, Basis::standard(64)).unwrap();
    assert!(drift(&task, &circuit, true) > 0.5);
}

/// The paper's appendix, "Example: Repeat Copy", with the index ((mu - t - 1) mod s) * kappa + i.
#[test]
fn the_worked_example_of_the_appendix_holds() {
    let (s, kappa) = (8, 8);
    let task = named("T1");
    let circuit = AnalyticNetwork::of(&task, Basis::with_condition(96, 64, 10.0, &stream(), 5).unwrap()).unwrap();
    let psi = circuit.basis.vectors();
    let mut episodes = Episodes::new(&task, 1);
    episodes.draw(&task, &Stream::new(STREAM_SEED, Purpose::TestInputs), 1, 3 * s);
    let u = |mu: usize, i: usize| f64::from(episodes.inputs()[(mu - 1) * kappa + i - 1]);
    let h = circuit.network.run(episodes.inputs(), 1, 3 * s).states;
    let at = |time: usize| h[time - 1].col_as_slice(0);
    // Sum over i of u^i(mu) |psi_{block * kappa + i}>, blocks from 0.
    let stored = |parts: &[(usize, usize)]| -> Vec<f64> {
        let mut sum = vec![0.0; circuit.basis.hidden()];
        for &(mu, block) in parts {
            for i in 1..=kappa {
                let vector = psi.col_as_slice(block * kappa + i - 1);
                sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += u(mu, i) * x);
            }
        }
        sum
    };
    let close = Tolerance::relative(1e-11);
    close.assert_close(at(1), &stored(&[(1, s - 1)]));
    close.assert_close(at(2), &stored(&[(1, s - 2), (2, s - 1)]));
    close.assert_close(at(s), &stored(&(1..=s).map(|mu| (mu, mu - 1)).collect::<Vec<_>>()));
    for t in 1..=3 * s {
        let moved: Vec<_> = (1..=s).map(|mu| (mu, (mu + 3 * s - t - 1) % s)).collect();
        close.assert_close(at(s + t), &stored(&moved));
    }
}

#[test]
fn a_window_of_4096_components_is_described() {
    for (s, d) in [(64, 64), (4096, 1), (1, 4096), (512, 8)] {
        let task = Window::named("compose-copy", Some(s), Some(d)).unwrap();
        let structure = Structure::of(&task).unwrap();
        let counted: usize = structure.directions().iter().map(|direction| direction.count).sum();
        assert_eq!(counted, structure.dimension());
        assert_eq!(structure.eigenvalues.iter().filter(|z| z.norm_sqr() < 0.99).count(), 0);
    }
}
