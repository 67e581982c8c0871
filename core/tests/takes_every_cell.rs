//! Every kind of cell, alone and on top of one another: steps and derivatives as autograd has them
//! (fixtures/jacobians/make.py), files there and back, and everything that is done to a network.

#![allow(clippy::unwrap_used)]

use ketbra::interpret::{InterpretParams, Question, StateView, Verdict, interpret};
use ketbra::linearize::{FixedPointParams, fixed_points, origin};
use ketbra::network::{
    Activation, Architecture, CellKind, CellSettings, Dynamics, Initialization, Network, NetworkFile, Parameter,
    Tensor, Tensors,
};
use ketbra::numeric::{Matrix, c64, eigenvalues};
use ketbra::task::Window;
use safetensors::SafeTensors;
use std::path::{Path, PathBuf};

/// Every cell, with the names of its files of derivatives. A new cell is added here.
const CELLS: [(CellKind, &[&str]); 5] = [
    (CellKind::Elman, &["elman", "relu", "elman-2"]),
    (CellKind::Gru, &["gru", "gru-plain", "gru-2"]),
    (CellKind::Lstm, &["lstm", "lstm-3"]),
    (CellKind::Ssm, &["ssm"]),
    (CellKind::Leaky, &["leaky", "leaky-softplus", "leaky-2"]),
];

fn random(cell: CellKind, layers: usize, bias: bool) -> Network {
    let activation = cell.usual_activation();
    Initialization::Uniform.network(
        &Architecture { cell, layers, hidden: 7, activation, bias, settings: CellSettings::usual(cell) },
        3,
        3,
        11,
    )
}

fn every_kind() -> impl Iterator<Item = (String, Network)> {
    CellKind::ALL.into_iter().flat_map(|cell| {
        [(1, true), (1, false), (2, true), (3, false)]
            .map(|(layers, bias)| (format!("{cell:?} {layers} {bias}"), random(cell, layers, bias)))
    })
}

struct Recorded {
    network: Network,
    numbers: Vec<(String, Vec<f64>)>,
}

impl Recorded {
    fn open(name: &str) -> Self {
        let path: PathBuf =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/jacobians/{name}.safetensors"));
        let bytes = std::fs::read(&path).unwrap();
        let numbers = SafeTensors::deserialize(&bytes).unwrap().tensors().into_iter().map(|(name, view)| {
            (name, view.data().chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect())
        });
        Self { network: NetworkFile::open(&path).unwrap().network, numbers: numbers.collect() }
    }

    fn of(&self, name: &str) -> &[f64] {
        &self.numbers.iter().find(|(other, _)| other == name).unwrap().1
    }
}

fn farthest(found: &Matrix, rows: &[f64]) -> f64 {
    assert_eq!(found.nrows() * found.ncols(), rows.len());
    let away = |(k, wanted): (usize, &f64)| (found[(k / found.ncols(), k % found.ncols())] - wanted).abs();
    rows.iter().enumerate().map(away).fold(0.0, f64::max)
}

#[test]
fn every_cell_is_listed() {
    assert_eq!(CELLS.map(|(kind, _)| kind), CellKind::ALL);
}

#[test]
fn steps_and_jacobians_are_those_of_autograd() {
    for (kind, names) in CELLS {
        for name in names {
            let recorded = Recorded::open(name);
            let network = &recorded.network;
            assert_eq!(network.kind(), Some(kind), "{name}");
            let (state, input) = (recorded.of("case.state"), recorded.of("case.input"));
            let next = network.step(state, input);
            let away = next.iter().zip(recorded.of("case.next")).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(away < 1e-14, "{name}: {away:e}");
            let jacobians = network.jacobians(state, input);
            let by_state = farthest(&jacobians.state, recorded.of("case.by_state"));
            let by_input = farthest(&jacobians.input, recorded.of("case.by_input"));
            assert!(by_state < 1e-13 && by_input < 1e-13, "{name}: {by_state:e} {by_input:e}");
        }
    }
}

#[test]
fn jacobians_agree_with_finite_differences() {
    for (name, network) in every_kind() {
        let size = network.state_size();
        let state: Vec<f64> = (0..size).map(|i| 0.7 * (1.3 * i as f64).sin()).collect();
        let input = [1.0, -1.0, 0.5];
        let exact = network.jacobians(&state, &input);
        let step = 1e-6;
        for column in 0..size + 3 {
            let moved = |by: f64| {
                let (mut state, mut input) = (state.clone(), input);
                if column < size {
                    state[column] += by
                } else {
                    input[column - size] += by
                }
                network.step(&state, &input)
            };
            for (i, (up, down)) in moved(step).iter().zip(moved(-step)).enumerate() {
                let found = if column < size { exact.state[(i, column)] } else { exact.input[(i, column - size)] };
                assert!((found - (up - down) / (2.0 * step)).abs() < 1e-8, "{name}: {i} {column}");
            }
        }
    }
}

#[test]
fn a_batch_steps_as_each_of_its_states() {
    for (name, network) in every_kind() {
        let states = Matrix::from_fn(network.state_size(), 5, |i, j| ((3 * i + 7 * j) as f64).sin());
        let inputs = Matrix::from_fn(3, 5, |i, j| ((i + 2 * j) as f64).cos());
        let together = network.step_batch(states.as_ref(), Some(inputs.as_ref()));
        for j in 0..5 {
            let alone = network.step(states.col_as_slice(j), inputs.col_as_slice(j));
            let away = alone.iter().zip(together.col_as_slice(j)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(away < 1e-14, "{name}: {away:e}");
        }
        let silent = network.step_batch(states.as_ref(), None);
        let zeros = network.step_batch(states.as_ref(), Some(Matrix::zeros(3, 5).as_ref()));
        assert!((silent - zeros).norm_max() < 1e-14, "{name}: no input is zero input");
    }
}

#[test]
fn files_carry_every_cell_with_and_without_a_prefix() {
    for (name, network) in every_kind() {
        let file = NetworkFile::new(network.clone(), [("note".into(), "kept".into())].into());
        let again = NetworkFile::from_safetensors(&file.to_safetensors().unwrap(), Path::new("x")).unwrap();
        assert!(again.network == network && again.unused.is_empty(), "{name}");
        let tensors = network.to_tensors();
        let prefixed: Tensors = tensors.into_iter().map(|(name, tensor)| (format!("model.{name}"), tensor)).collect();
        let activation = network.activation().unwrap_or_default();
        assert!(Network::from_tensors(&prefixed, activation).unwrap() == network, "{name}");
    }
}

/// A GRU of two layers with one tensor changed.
fn changed(change: impl FnOnce(&mut Tensors)) -> String {
    let mut tensors = random(CellKind::Gru, 2, true).to_tensors();
    change(&mut tensors);
    Network::from_tensors(&tensors, Activation::Tanh).unwrap_err().to_string()
}

fn zeros(shape: &[usize]) -> Tensor {
    Tensor { shape: shape.to_vec(), values: vec![0.0; shape.iter().product()] }
}

#[test]
fn layers_that_cannot_be_are_refused_by_name() {
    let said = changed(|all| drop(all.insert("rnn.weight_hh_l0".into(), zeros(&[20, 7]))));
    assert!(said.contains("rnn.weight_hh_l0 has shape [20, 7]: rows must be 1 (Elman), 3 (GRU) or 4 (LSTM)"), "{said}");
    let said = changed(|all| drop(all.insert("rnn.weight_ih_l1".into(), zeros(&[21, 6]))));
    assert!(said.contains("layer 1 takes in 6 numbers, but the layer below it has 7 units"), "{said}");
    let said = changed(|all| all.retain(|name, _| !(name.contains("bias") && name.ends_with("_l1"))));
    assert!(said.contains("layer 1 has no bias_ih_l1, but layer 0 has biases"), "{said}");
    let said = changed(|all| drop(all.remove("rnn.bias_hh_l0")));
    assert!(said.contains("no tensor 'bias_hh_l0'"), "{said}");
    let said = changed(|all| drop(all.insert("rnn.bias_hh_l1".into(), zeros(&[14]))));
    assert!(said.contains("rnn.bias_hh_l1 has shape [14], but [21] is needed"), "{said}");
    let said = changed(|all| drop(all.insert("rnn.weight_hh_l0_reverse".into(), zeros(&[21, 7]))));
    assert!(said.contains("bidirectional layer") && said.contains("bidirectional=False"), "{said}");
    let said = changed(|all| drop(all.insert("rnn.weight_hr_l0".into(), zeros(&[3, 7]))));
    assert!(said.contains("projection of an LSTM (proj_size)") && said.contains("proj_size=0"), "{said}");
    let said = changed(|all| all.retain(|name, _| !name.ends_with("_l0")));
    assert!(said.contains("no tensor 'weight_hh_l0'"), "{said}");
    let mut modes = random(CellKind::Ssm, 1, false).to_tensors();
    modes.insert("rnn.B_im_l0".into(), zeros(&[6, 3]));
    let said = Network::from_tensors(&modes, Activation::Identity).unwrap_err().to_string();
    assert!(said.contains("B_im_l0 has shape [6, 3], but [7, 3] is needed"), "{said}");
}

#[test]
fn the_lstm_at_the_origin_is_what_its_equations_say() {
    // Without biases every gate is half open there.
    let network = random(CellKind::Lstm, 1, false);
    let (jacobian, units) = (origin(&network), 7);
    let weights = network.layers[0].recurrent_weights().unwrap();
    for i in 0..units {
        for j in 0..units {
            let (candidate, same) = (weights[(2 * units + i, j)], f64::from(u8::from(i == j)));
            assert!((jacobian[(i, j)] - 0.25 * candidate).abs() < 1e-15);
            assert!((jacobian[(i, units + j)] - 0.25 * same).abs() < 1e-15);
            assert!((jacobian[(units + i, j)] - 0.5 * candidate).abs() < 1e-15);
            assert!((jacobian[(units + i, units + j)] - 0.5 * same).abs() < 1e-15);
        }
    }
}

#[test]
fn the_spectrum_of_a_state_space_layer_is_its_diagonal() {
    let network = random(CellKind::Ssm, 1, false);
    let found = eigenvalues(&origin(&network)).unwrap();
    let real = network.to_tensors();
    let (re, im) = (&real["rnn.lambda_re_l0"].values, &real["rnn.lambda_im_l0"].values);
    for (re, im) in re.iter().zip(im) {
        for sign in [1.0, -1.0] {
            let near = |z: &c64| (z.re - re).hypot(z.im - sign * im) < 1e-12;
            assert!(found.iter().any(near), "{re} {im}");
        }
    }
    assert_eq!(found.iter().filter(|z| z.re.hypot(z.im) < 1e-12).count(), 7, "its units are no state of their own");
}

#[test]
fn fixed_points_of_every_cell_are_fixed() {
    for (name, network) in every_kind() {
        let params = FixedPointParams { random_starts: 4, settled_starts: 2, ..FixedPointParams::default() };
        let found = fixed_points(&network, None, None, &params, &|_, _| ()).unwrap();
        let point = found.fixed().next().unwrap_or_else(|| panic!("{name} has a fixed point"));
        let next = network.step(&point.ending.state, &[0.0; 3]);
        let moved = next.iter().zip(&point.ending.state).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(moved < 1e-6, "{name}: {moved:e}");
    }
}

#[test]
fn untrained_networks_of_every_kind_hold_no_circuit() {
    let task = Window::named("repeat-copy", Some(4), Some(3)).unwrap();
    for (name, network) in every_kind() {
        for question in [Question::Task(task.clone()), Question::Blind { s: 4 }] {
            for state in [StateView::Units, StateView::Whole] {
                let params = InterpretParams { state, ..InterpretParams::default() };
                let found = interpret(&network, &question, &params, &|_| true).unwrap();
                assert!(
                    !matches!(found.verdict, Verdict::Circuit | Verdict::Superposed),
                    "{name}: {}",
                    found.verdict.name()
                );
                assert!(found.recurrence.is_none(), "{name}");
            }
        }
    }
}

#[test]
fn parameters_are_all_there_is() {
    for (name, network) in every_kind() {
        let count = |of: &Network| {
            let each = of.parameters().into_iter().map(|(_, parameter)| match parameter {
                Parameter::Matrix(matrix) => matrix.nrows() * matrix.ncols(),
                Parameter::Vector(vector) => vector.len(),
            });
            each.sum::<usize>()
        };
        let in_file: usize = network.to_tensors().values().map(|tensor| tensor.values.len()).sum();
        assert_eq!(count(&network), in_file, "{name}");
        let mut other = network.clone();
        other.change_matrices(|matrix| *matrix = Matrix::zeros(matrix.nrows(), matrix.ncols()));
        assert!(other != network && count(&other) == count(&network), "{name}");
    }
}
