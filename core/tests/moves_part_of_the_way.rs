//! Leaky layers, whose units move part of the way in a step: what they compute, how they are trained, and how they are told from
//! plain ones in a file.

#![allow(clippy::unwrap_used, clippy::panic)]

use ketbra::interpret::{InterpretParams, Question, Verdict, interpret};
use ketbra::network::{
    Activation, Architecture, Biases, Cell, CellKind, CellSettings, Elman, Initialization, Leak, Leaky, Metadata,
    Network, NetworkFile, Readout, Tensor, Tensors,
};
use ketbra::numeric::Matrix;
use ketbra::task::Task;
use ketbra::train::cpu::CpuEngine;
use ketbra::train::{Choices, Curriculum, Engine, Job, Outcome, Start, TestParams, TrainParams, Unobserved};
use std::path::Path;

fn settings(alpha: f64, learned: bool) -> CellSettings {
    let mut settings = CellSettings::default();
    assert!(settings.set("alpha", Some(alpha)) && settings.set("learn_alpha", Some(f64::from(u8::from(learned)))));
    settings
}

fn random(alpha: f64, learned: bool, layers: usize) -> Network {
    let of = Architecture {
        cell: CellKind::Leaky,
        layers,
        hidden: 7,
        activation: Activation::Tanh,
        bias: true,
        settings: settings(alpha, learned),
    };
    Initialization::Uniform.network(&of, 3, 3, 11)
}

fn leak(network: &Network) -> &Leak {
    let Cell::Leaky(cell) = &network.layers[0] else { panic!("{:?} is not leaky", network.kind()) };
    &cell.leak
}

fn matrix<const R: usize, const C: usize>(rows: [[f64; C]; R]) -> Matrix {
    Matrix::from_fn(R, C, |i, j| rows[i][j])
}

/// The numbers are those of NumPy:
/// ```python
/// def loop(alpha, act):
///     W = np.array([[0.5, -0.3, 0.2], [0.1, 0.4, -0.6], [-0.2, 0.3, 0.7]])
///     U = np.array([[1.0, -0.5], [0.3, 0.8], [-0.7, 0.2]])
///     b = np.array([0.1, -0.2, 0.05])
///     h = np.zeros(3)
///     for u in [[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]:
///         h = (1 - alpha) * h + alpha * act(W @ h + U @ np.array(u) + b)
///     return h
/// alpha = np.array([0.2, 0.5, 1.0])
/// loop(alpha, np.tanh), loop(alpha, lambda x: np.maximum(x, 0)), loop(alpha, lambda x: np.log1p(np.exp(x)))
/// loop(1 / (1 + np.exp(-np.array([-1.5, 0.0, 3.0]))), np.tanh)
/// ```
#[test]
fn a_leaky_layer_runs_as_a_loop_of_numpy_does() {
    let fixed = || Leak::Fixed(vec![0.2, 0.5, 1.0]);
    let cases = [
        (fixed(), Activation::Tanh, [0.069_487_195_401_186_24, 0.052_976_351_401_223_025, 0.117_647_497_615_696_82]),
        (fixed(), Activation::Relu, [0.329_708_560_000_000_15, 0.0783, 0.158_590_399_999_999_94]),
        (fixed(), Activation::Softplus, [0.667_939_241_129_962_6, 0.491_781_418_742_239, 1.289_400_806_381_521_7]),
        (
            Leak::Learned(vec![-1.5, 0.0, 3.0]),
            Activation::Tanh,
            [0.066_170_899_437_523_06, 0.053_407_104_592_170_5, 0.109_325_393_211_360_12],
        ),
    ];
    for (leak, activation, expected) in cases {
        let towards = Elman {
            activation,
            input_weights: matrix([[1.0, -0.5], [0.3, 0.8], [-0.7, 0.2]]),
            recurrent_weights: matrix([[0.5, -0.3, 0.2], [0.1, 0.4, -0.6], [-0.2, 0.3, 0.7]]),
            biases: Some(Biases { input: vec![0.1, -0.2, 0.05], recurrent: vec![0.0; 3] }),
        };
        let readout = Readout { weights: Matrix::zeros(1, 3), bias: None };
        let network = Network { layers: vec![Cell::Leaky(Leaky { towards, leak })], readout };
        let states = network.run(&[1.0, -1.0, -1.0, 1.0, 1.0, 1.0], 1, 2).states;
        for (found, expected) in states[4].col_as_slice(0).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{activation:?}: {found} against {expected}");
        }
    }
}

fn job(alpha: f64, learned: bool, change: impl FnOnce(&mut TrainParams)) -> Job {
    let mut params = TrainParams {
        cell: CellKind::Leaky,
        hidden: 20,
        steps: 60,
        batch: 40,
        learning_rate: 3e-3,
        test: TestParams { horizon: 12, batches: 1, ..TestParams::default() },
        cell_settings: settings(alpha, learned),
        ..TrainParams::with_curriculum(Curriculum::none().up_to(8))
    };
    change(&mut params);
    Job { task: Task::named("repeat-copy", Some(3), Some(3)).unwrap(), params, start: Start::Random }
}

fn train(job: Job) -> Outcome {
    CpuEngine::default().train(&[job], &Unobserved).pop().unwrap().unwrap()
}

#[test]
fn where_units_move_all_the_way_a_network_is_trained_to_the_bytes_of_an_elman_network() {
    for (activation, bias) in [(Activation::Tanh, false), (Activation::Relu, true), (Activation::Softplus, true)] {
        let of = |params: &mut TrainParams| (params.activation, params.bias) = (activation, bias);
        let plain = |params: &mut TrainParams| {
            of(params);
            (params.cell, params.cell_settings) = (CellKind::Elman, CellSettings::default());
        };
        let (leaky, elman) = (train(job(1.0, false, of)), train(job(1.0, false, plain)));
        let Cell::Leaky(cell) = &leaky.state.network.layers[0] else { panic!("leaky") };
        assert!(Cell::Elman(cell.towards.clone()) == elman.state.network.layers[0], "{activation:?}");
        assert!(leaky.state.network.readout == elman.state.network.readout);
        assert_eq!(leaky.accuracy, elman.accuracy);
    }
}

#[test]
fn a_fixed_leak_stays_and_a_learned_one_moves_within_its_range() {
    let fixed = train(job(0.3, false, |params| params.l2 = 0.1));
    assert_eq!(leak(&fixed.state.network), &Leak::Fixed(vec![f64::from(0.3f32); 20]));
    // A learning rate at which a itself would leave the range at once.
    let learned = train(job(0.9, true, |params| params.learning_rate = 0.3));
    let alpha = leak(&learned.state.network).alpha();
    assert!(alpha.iter().all(|a| *a > 0.0 && *a <= 1.0), "{alpha:?}");
    assert!(alpha.iter().any(|a| (a - 0.9).abs() > 0.05), "{alpha:?}");
    assert!(alpha.windows(2).any(|pair| pair[0] != pair[1]), "each unit has its own: {alpha:?}");
}

#[test]
fn a_trained_leaky_network_is_read_as_the_circuit_of_its_task() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/networks/leaky-copy-h48.safetensors");
    let file = NetworkFile::open(&path).unwrap();
    let alpha = leak(&file.network).alpha();
    assert!(alpha.iter().all(|a| *a > 0.0 && *a <= 1.0) && alpha.iter().any(|a| (a - 0.5).abs() > 0.01), "{alpha:?}");
    let task = file.window().unwrap().unwrap();
    for question in [Question::Task(task), Question::Blind { s: 3 }] {
        let found = interpret(&file.network, &question, &InterpretParams::default(), &|_| true).unwrap();
        assert_eq!(found.verdict, Verdict::Circuit, "{question:?}");
        assert_eq!(found.recurrence_in_words.len(), 2);
    }
}

#[test]
fn a_learned_leak_that_begins_at_1_can_still_be_learned() {
    let alpha = leak(&random(1.0, true, 1)).alpha();
    assert!(alpha.iter().all(|a| (a - 0.99).abs() < 1e-6), "{alpha:?}");
}

fn tensors(of: &[(&str, &[usize], f64)]) -> Tensors {
    let tensor = |(name, shape, value): &(&str, &[usize], f64)| {
        ((*name).to_string(), Tensor { shape: shape.to_vec(), values: vec![*value; shape.iter().product()] })
    };
    of.iter().map(tensor).collect()
}

const PLAIN: [(&str, &[usize], f64); 3] =
    [("weight_hh", &[4, 4], 0.1), ("weight_ih", &[4, 2], 0.2), ("readout.weight", &[2, 4], 0.3)];

#[test]
fn a_plain_layer_with_a_leak_beside_it_is_a_leaky_one() {
    for (name, shape) in [("alpha", &[][..]), ("alpha", &[1][..]), ("alpha_l0", &[4][..]), ("leak", &[4][..])] {
        let all = tensors(&[&PLAIN[..], &[(name, shape, 0.25)]].concat());
        let (network, unused) = Network::from_tensors_with_unused(&all, Activation::Relu).unwrap();
        assert_eq!((leak(&network), unused), (&Leak::Fixed(vec![0.25; 4]), vec![]), "{name} {shape:?}");
    }
    let learned = tensors(&[&PLAIN[..], &[("model.rnn.alpha_logit_l0", &[4][..], -7.0)]].concat());
    let network = Network::from_tensors(&learned, Activation::Tanh).unwrap();
    assert_eq!(leak(&network), &Leak::Learned(vec![-7.0; 4]));
    // A gated layer has no leak: the tensor belongs to something else.
    let gated = [("weight_hh", &[12, 4][..], 0.1), ("weight_ih", &[12, 2], 0.2), PLAIN[2], ("alpha", &[], 0.5)];
    let (network, unused) = Network::from_tensors_with_unused(&tensors(&gated), Activation::Tanh).unwrap();
    assert_eq!((network.kind(), unused), (Some(CellKind::Gru), vec!["alpha".to_string()]));
}

#[test]
fn a_leak_that_cannot_be_is_refused_by_name() {
    for value in [0.0, -0.5, 1.5, f64::NAN] {
        let all = tensors(&[&PLAIN[..], &[("alpha", &[][..], value)]].concat());
        let said = Network::from_tensors(&all, Activation::Tanh).unwrap_err().to_string();
        assert!(said.contains("alpha") && said.contains("outside (0, 1]"), "{said}");
    }
    let all = tensors(&[&PLAIN[..], &[("alpha", &[3][..], 0.5)]].concat());
    let said = Network::from_tensors(&all, Activation::Tanh).unwrap_err().to_string();
    assert!(said.contains("alpha_l0 has shape [3], but [4] is needed"), "{said}");
}

#[test]
fn metadata_that_name_the_cell_and_its_leak_stand_for_the_tensor() {
    let plain = Initialization::Uniform.network(&Architecture::elman(5, Activation::Tanh, true), 3, 3, 1);
    let with = |metadata: &[(&str, &str)]| {
        let metadata: Metadata = metadata.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let bytes = NetworkFile::new(plain.clone(), metadata).to_safetensors().unwrap();
        NetworkFile::from_safetensors(&bytes, Path::new("x")).map(|file| file.network)
    };
    let found = with(&[("cell", "leaky"), ("alpha", "0.4")]).unwrap();
    assert_eq!(leak(&found), &Leak::Fixed(vec![0.4; 5]));
    assert!(with(&[("cell", "leaky")]).unwrap_err().to_string().contains("has no alpha; add a tensor or metadata"));
    // Other programs call other things alpha.
    assert_eq!(with(&[("alpha", "0.4")]).unwrap(), plain);
    assert!(with(&[("cell", "leaky"), ("alpha", "4")]).unwrap_err().to_string().contains("outside (0, 1]"));
}

#[test]
fn what_was_chosen_is_in_the_network_and_what_no_cell_has_is_refused() {
    assert_eq!(random(0.3, true, 2).cell_settings(), settings(0.3, true));
    let task = Task::named("repeat-copy", Some(3), Some(3)).unwrap();
    let choices = |cell, alpha| {
        let mut cell_settings = CellSettings::default();
        cell_settings.set("alpha", Some(alpha));
        Choices { cell: Some(cell), cell_settings, ..Choices::default() }.params(&task)
    };
    let (params, _) = choices(CellKind::Leaky, 0.3).unwrap();
    assert_eq!(params.cell_settings, settings(0.3, false));
    for alpha in [0.0, 1.1, f64::NAN] {
        let said = choices(CellKind::Leaky, alpha).unwrap_err().to_string();
        assert!(said.contains("alpha is") && said.contains("above 0 and at most 1"), "{said}");
    }
    let said = choices(CellKind::Gru, 0.3).unwrap_err().to_string();
    assert!(said.contains("alpha is 0.3, but must be left out: the cell has no such setting"), "{said}");
}

#[test]
fn a_network_that_is_given_has_a_leak_of_its_own() {
    let task = Task::named("repeat-copy", Some(3), Some(3)).unwrap();
    let with = |alpha| {
        let mut cell_settings = CellSettings::default();
        cell_settings.set("alpha", Some(alpha));
        let given = Some(Box::new(NetworkFile::new(random(0.2, false, 1), Metadata::new())));
        Choices { given, cell_settings, ..Choices::default() }.params(&task)
    };
    assert_eq!(with(0.2).unwrap().0.cell_settings, settings(0.2, false));
    assert!(with(0.5).unwrap_err().to_string().contains("the network that training begins with has its own"));
}
