//! Compiled networks do their task for as long as they run, whatever noise does to their state, and the truth about them is true.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::zoo::{gate, linear_tasks, named, other_tasks, product, random_tables, register, rule, slot, with_first};
use ketbra::compile::{CompileError, CompileParams, Compiled, Role, UnitBasis, compile};
use ketbra::network::{CellKind, Dynamics, NetworkFile};
use ketbra::numeric::{Matrix, Svd};
use ketbra::random::{Purpose, Stream};
use ketbra::task::{Episodes, Slot, Window};

const STEPS: usize = 10_000;
const NOISE: f64 = 0.05;

fn compiled(task: &Window, cell: CellKind, basis: UnitBasis) -> Compiled {
    let params = CompileParams { cell, basis, ..CompileParams::default() };
    compile(task, &params).unwrap_or_else(|error| panic!("{} {cell:?} {basis:?}: {error}", task.name()))
}

/// Runs with noise on every number of the state after every step; counts outputs, and contents as the readers have them,
/// that are wrong.
fn mistakes(made: &Compiled, episodes: usize, steps: usize) -> (usize, usize) {
    let (task, network) = (&made.task, &made.network);
    let (s, d, hidden) = (task.s(), task.d(), network.hidden());
    let mut drawn = Episodes::new(task, episodes);
    drawn.draw(task, &Stream::new(99, Purpose::TestInputs), 0, steps);
    let stream = Stream::new(98, Purpose::Bootstrap);
    let mut state = Matrix::zeros(network.state_size(), episodes);
    let (mut next, mut normals) = (state.clone(), vec![0.0; network.state_size() * episodes]);
    let alone = |k: &usize| made.pairs.iter().all(|pair| pair.first != *k && pair.second != *k);
    let read: Vec<usize> = (0..made.contents.len()).filter(alone).collect();
    let (mut outputs, mut contents) = (0, 0);
    for t in 0..s + steps {
        let input = (t < s).then(|| {
            Matrix::from_fn(d, episodes, |j, sample| f64::from(drawn.inputs()[(t * episodes + sample) * d + j]))
        });
        network.step_into(state.as_ref(), input.as_ref().map(Matrix::as_ref), next.as_mut());
        std::mem::swap(&mut state, &mut next);
        stream.fill_normal(t as u32, 0, &mut normals);
        for sample in 0..episodes {
            let column = state.col_as_slice_mut(sample);
            let normals = &normals[sample * column.len()..];
            column.iter_mut().zip(normals).for_each(|(x, normal)| *x += NOISE * normal);
        }
        if t >= s {
            let (said, wanted) = (network.read(state.as_ref()), &drawn.targets()[(t - s) * episodes * d..]);
            let wrong = |at: &usize| said[(at % d, at / d)] * f64::from(wanted[*at]) <= 0.0;
            outputs += (0..episodes * d).filter(wrong).count();
        }
        if t >= s && t % 97 == 0 {
            let (values, window) = (&made.readers * state.subrows(0, hidden), drawn.contents(t));
            let held = |k: usize, sample: usize| {
                let Slot { lag, component } = made.contents[k];
                f64::from(window[((s - lag) * episodes + sample) * d + component])
            };
            let all = read.iter().flat_map(|&k| (0..episodes).map(move |sample| (k, sample)));
            contents += all.filter(|&(k, sample)| values[(k, sample)] * held(k, sample) <= 0.0).count();
        }
    }
    (outputs, contents)
}

fn assert_right(task: &Window, cell: CellKind, basis: UnitBasis, episodes: usize) {
    let made = compiled(task, cell, basis);
    let wrong = mistakes(&made, episodes, STEPS);
    assert_eq!(wrong, (0, 0), "{} {cell:?} {basis:?}: outputs, contents; {:?}", task.name(), made.figures);
}

#[test]
fn thirty_tasks_are_right_for_ten_thousand_noisy_steps_in_a_random_basis() {
    let tasks = [linear_tasks(), other_tasks()].concat();
    assert!(tasks.len() >= 30);
    tasks.iter().for_each(|task| assert_right(task, CellKind::Elman, UnitBasis::Random, 2));
}

#[test]
fn thirty_tasks_are_right_for_ten_thousand_noisy_steps_with_a_unit_a_content() {
    let tasks = [linear_tasks(), other_tasks()].concat();
    tasks.iter().for_each(|task| assert_right(task, CellKind::Elman, UnitBasis::Units, 1));
}

#[test]
fn gated_cells_are_right_too() {
    let tasks = [named("T3", 8, 8), named("repeat-copy", 5, 3), rule(110), register(7, 6), random_tables(4, 3, 4, 4)];
    for task in &tasks {
        for (cell, basis) in [
            (CellKind::Gru, UnitBasis::Random),
            (CellKind::Lstm, UnitBasis::Random),
            (CellKind::Lstm, UnitBasis::Units),
        ] {
            assert_right(task, cell, basis, 1);
        }
    }
}

#[test]
fn the_memories_hold_the_contents_and_the_readers_read_them() {
    for task in [
        named("T2", 8, 8),
        rule(110),
        with_first("product", 4, 4, gate(&[slot(4, 0), slot(2, 1)], |m| m.count_ones() != 1)),
    ] {
        for basis in [UnitBasis::Random, UnitBasis::Units] {
            let made = compiled(&task, CellKind::Elman, basis);
            assert_eq!((made.memories.nrows(), made.memories.ncols()), (128, made.contents.len()));
            let read = &made.readers * &made.memories;
            for k in 0..made.contents.len() {
                assert!((read[(k, k)] - 1.0).abs() < 0.01, "{} {basis:?} {k}: {}", task.name(), read[(k, k)]);
            }
            if task.is_linear() {
                let off = (read - Matrix::identity(made.contents.len(), made.contents.len())).norm_max();
                assert!(off < 1e-6, "{basis:?} {off}");
            }
        }
    }
}

#[test]
fn in_a_random_basis_the_code_of_a_linear_task_explains_the_states() {
    let task = named("T3", 8, 8);
    let made = compiled(&task, CellKind::Elman, UnitBasis::Random);
    let mut drawn = Episodes::new(&task, 64);
    drawn.draw(&task, &Stream::new(5, Purpose::TestInputs), 0, 30);
    let (states, window) = (made.network.run(drawn.inputs(), 64, 30).states, drawn.contents(37));
    let held = Matrix::from_fn(made.contents.len(), 64, |k, sample| {
        f64::from(window[((8 - made.contents[k].lag) * 64 + sample) * 8 + made.contents[k].component])
    });
    let left = &states[37] - &made.memories * held;
    let explained = 1.0 - left.squared_norm_l2() / states[37].squared_norm_l2();
    assert!(explained > 0.97, "{explained}");
    let dense = made.memories.col_as_slice(0).iter().filter(|part| part.abs() > 1e-3).count();
    assert!(dense > 64, "{dense} of 128 units hold a part of the first content");
}

#[test]
fn superposed_contents_share_a_direction_and_nothing_is_lost() {
    let tasks = [(named("T1", 8, 8), 4), (named("T2", 8, 8), 6), (with_first("product", 8, 4, product(8)), 3)];
    for ((task, superposed), (cell, basis)) in tasks.iter().zip([
        (CellKind::Elman, UnitBasis::Random),
        (CellKind::Lstm, UnitBasis::Random),
        (CellKind::Gru, UnitBasis::Units),
    ]) {
        let params = CompileParams { superposed: *superposed, cell, basis, ..CompileParams::default() };
        let made = compile(task, &params).unwrap();
        assert_eq!(mistakes(&made, 2, STEPS), (0, 0), "{}", task.name());
        assert_eq!(made.pairs.len(), *superposed);
        let rank = Svd::of(&made.memories).unwrap().rank(1e-6);
        assert_eq!(rank, made.contents.len() - superposed, "{}", task.name());
        for (first, second) in shown_directions(&made) {
            let cosine = first.iter().zip(&second).map(|(a, b)| a * b).sum::<f64>() / norm(&first) / norm(&second);
            assert!(cosine > 0.98, "{}: {cosine}", task.name());
        }
    }
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// What each content of a pair adds to the units on average, as the states of real episodes show it.
fn shown_directions(made: &Compiled) -> Vec<(Vec<f64>, Vec<f64>)> {
    let (task, episodes) = (&made.task, 4096);
    let mut drawn = Episodes::new(task, episodes);
    drawn.draw(task, &Stream::new(5, Purpose::TestInputs), 0, 1);
    let (states, window) = (made.network.run(drawn.inputs(), episodes, 1).states, drawn.contents(task.s()));
    let direction = |content: usize| {
        let Slot { lag, component } = made.contents[content];
        let held = |sample: usize| f64::from(window[((task.s() - lag) * episodes + sample) * task.d() + component]);
        let part = |i: usize| (0..episodes).map(|k| states[task.s()][(i, k)] * held(k)).sum::<f64>() / episodes as f64;
        // Units that hold neither show only what 4096 episodes leave to chance.
        (0..made.network.hidden()).map(part).map(|x| if x.abs() < 0.1 { 0.0 } else { x }).collect()
    };
    made.pairs.iter().map(|pair| (direction(pair.first), direction(pair.second))).collect()
}

#[test]
fn units_come_in_the_order_of_the_contents() {
    let made = compiled(&named("repeat-copy", 3, 1), CellKind::Elman, UnitBasis::Units);
    let content = |role: Role| match role {
        Role::Shift { content } | Role::Copy { content, .. } => Some(content),
        _ => None,
    };
    let contents: Vec<usize> = made.units.iter().filter_map(|unit| content(unit.role)).collect();
    assert!(contents.len() == 128 && contents.is_sorted());
    assert!(made.units.iter().all(|unit| unit.sign == 1.0));
}

#[test]
fn what_cannot_be_made_is_refused_with_the_next_move() {
    let refused = |task: &Window, params: CompileParams| compile(task, &params).unwrap_err();
    let few = CompileParams { hidden: Some(30), ..CompileParams::default() };
    let error = refused(&named("T2", 8, 8), few);
    assert!(matches!(error, CompileError::TooSmall { hidden: 30, needed: 36, .. }), "{error}");
    assert!(error.to_string().contains("pass hidden=36 or more"), "{error}");
    let mut matrix = Matrix::zeros(1, 2);
    (matrix[(0, 0)], matrix[(0, 1)]) = (1.0, 1.0);
    let fibonacci = Window::from_matrix("fibonacci", 2, 1, matrix).unwrap();
    assert!(matches!(refused(&fibonacci, CompileParams::default()), CompileError::Dense { .. }));
    let ssm = CompileParams { cell: CellKind::Ssm, ..CompileParams::default() };
    assert!(refused(&named("T2", 8, 8), ssm).to_string().contains("elman, gru or lstm"));
    let large = refused(&named("repeat-copy", 512, 256), CompileParams::default());
    assert!(large.to_string().contains("more than 4096"), "{large}");
    let ten: Vec<Slot> = (1..=10).map(|lag| slot(lag, 0)).collect();
    // Bits of a multiplicative hash: nothing but a cover of many subcubes will do.
    let hashed = gate(&ten, |m| (m + 3).wrapping_mul(0x9E37_79B9) >> 13 & 1 == 1);
    let tangled = refused(&Window::table("hash", 10, 1, vec![hashed]).unwrap(), CompileParams::default());
    assert!(matches!(tangled, CompileError::TooLarge { .. }), "{tangled}");
    let loud = CompileParams { noise: 0.5, ..CompileParams::default() };
    assert!(refused(&named("T2", 8, 8), loud).to_string().contains("smaller noise"));
}

#[test]
fn what_is_needed_is_enough() {
    for (task, basis) in
        [(named("T1", 8, 8), UnitBasis::Random), (rule(110), UnitBasis::Units), (register(7, 6), UnitBasis::Random)]
    {
        let one = CompileParams { basis, hidden: Some(1), ..CompileParams::default() };
        let Err(CompileError::TooSmall { needed, .. }) = compile(&task, &one) else { panic!("{}", task.name()) };
        let made = compile(&task, &CompileParams { hidden: Some(needed), ..one }).unwrap();
        assert_eq!(mistakes(&made, 1, STEPS), (0, 0), "{} with {needed}", task.name());
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_other_ones() {
    let task = named("T3", 8, 8);
    let bytes = |seed: u64| {
        let made = compile(&task, &CompileParams { seed, noise: 0.01, ..CompileParams::default() }).unwrap();
        (made.file().to_safetensors().unwrap(), made.truth().to_string())
    };
    assert_eq!(bytes(1), bytes(1));
    assert_ne!(bytes(1).0, bytes(2).0);
}

#[test]
fn the_file_names_the_task_and_a_linear_task_needs_no_biases() {
    let task = named("T4", 8, 8);
    let made = compiled(&task, CellKind::Elman, UnitBasis::Random);
    let file = NetworkFile::from_safetensors(&made.file().to_safetensors().unwrap(), "x".as_ref()).unwrap();
    assert!(file.window().unwrap().unwrap().same_function(&task));
    assert!(!file.network.has_bias() && compiled(&rule(110), CellKind::Elman, UnitBasis::Random).network.has_bias());
}
