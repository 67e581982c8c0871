//! Gradients against finite differences, f32 against f64, and the draw of inputs.

use super::super::chunk::Chunk;
use super::super::isa::{Dispatch, Isa};
use super::super::panels::Panels;
use super::{Learner, Measures};
use crate::network::{Activation, Architecture, Cell, CellKind, CellSettings, Initialization, Network, ParameterMut};
use crate::random::{Purpose, Stream};
use crate::task::{Episodes, Task, Window};
use faer::Mat;

const STREAM_SEED: u64 = 3;

struct Case {
    /// Kind and units of every layer.
    layers: Vec<(CellKind, usize)>,
    s: usize,
    d: usize,
    batch: usize,
    horizon: usize,
    activation: Activation,
    bias: bool,
}

impl Case {
    fn window(&self) -> Window {
        Window::named("compose-copy", Some(self.s), Some(self.d)).unwrap()
    }

    fn task(&self) -> Task {
        self.window().into()
    }

    fn network(&self) -> Network {
        let (mut layers, mut inputs) = (vec![], self.d);
        let mut last = None;
        for (seed, &(cell, hidden)) in (1..).zip(&self.layers) {
            let of = Architecture {
                cell,
                layers: 1,
                hidden,
                activation: self.activation,
                bias: self.bias,
                settings: CellSettings::usual(cell),
            };
            let mut network = Initialization::Uniform.network(&of, inputs, self.d, seed);
            layers.append(&mut network.layers);
            last = Some(network.readout);
            inputs = hidden;
        }
        Network { layers, readout: last.unwrap() }
    }

    fn learner<S: Dispatch>(&self, isa: Isa, network: &Network) -> Learner<S> {
        let mut learner = Learner::new(network, isa, self.batch, &self.task(), self.horizon);
        let stream = Stream::new(STREAM_SEED, Purpose::TrainInputs);
        learner.learn_batch(&self.task(), &stream, 5, self.horizon);
        learner.reduce();
        learner
    }

    fn name(&self) -> String {
        let Self { layers, s, d, batch, horizon, activation, bias } = self;
        format!("{layers:?} s={s} d={d} batch={batch} horizon={horizon} {activation:?} bias={bias}")
    }
}

/// (hidden, s, d, batch, horizon): less and more than a panel of units, a chunk of the batch, a block of time.
const SIZES: [(usize, usize, usize, usize, usize); 5] =
    [(3, 2, 1, 2, 3), (5, 3, 2, 4, 9), (17, 4, 5, 35, 6), (66, 2, 1, 2, 3), (20, 9, 18, 2, 12)];

/// Every size with one Elman layer.
fn elman() -> Vec<Case> {
    let kinds = [(Activation::Tanh, false), (Activation::Tanh, true), (Activation::Identity, true)];
    let kinds = kinds.into_iter().chain([(Activation::Relu, true), (Activation::Softplus, true)]);
    let cases = kinds.flat_map(|(activation, bias)| {
        SIZES.map(|(hidden, s, d, batch, horizon)| Case {
            layers: vec![(CellKind::Elman, hidden)],
            s,
            d,
            batch,
            horizon,
            activation,
            bias,
        })
    });
    cases.collect()
}

/// Every size with every other cell, and stacks of all of them in two sizes.
fn others() -> Vec<Case> {
    use CellKind::{Elman, Gru, Leaky, Lstm, Ssm};
    let stacks: [&[CellKind]; 14] = [
        &[Gru],
        &[Lstm],
        &[Ssm],
        &[Elman, Elman],
        &[Gru, Gru],
        &[Lstm, Lstm, Lstm],
        &[Ssm, Ssm],
        &[Elman, Gru, Lstm],
        &[Lstm, Ssm, Elman],
        &[Ssm, Lstm],
        &[Gru, Elman, Ssm],
        &[Leaky],
        &[Leaky, Leaky],
        &[Gru, Leaky, Elman],
    ];
    let cases = stacks.into_iter().flat_map(|kinds| {
        let sizes = if kinds.len() == 1 { &SIZES[..] } else { &SIZES[1..3] };
        [false, true].into_iter().flat_map(move |bias| {
            sizes.iter().map(move |&(hidden, s, d, batch, horizon)| {
                // Layers of different widths.
                let layers = kinds.iter().enumerate().map(|(k, &kind)| (kind, hidden + 2 * k)).collect();
                Case { layers, s, d, batch, horizon, activation: Activation::Tanh, bias }
            })
        })
    });
    cases.collect()
}

fn cases() -> impl Iterator<Item = Case> {
    elman().into_iter().chain(others())
}

/// The loss by the book: one sample after the other, in f64.
fn plain_loss(case: &Case, network: &Network) -> f64 {
    let mut episodes = Episodes::new(&case.window(), case.batch);
    episodes.draw(&case.window(), &Stream::new(STREAM_SEED, Purpose::TrainInputs), 5, case.horizon);
    let trajectory = network.run(episodes.inputs(), case.batch, case.horizon);
    let mut sum = 0.0;
    for (t, target) in episodes.targets().chunks(case.batch * case.d).enumerate() {
        let produced = network.read(trajectory.states[case.s + t].as_ref());
        for (k, target) in target.iter().enumerate() {
            sum += (produced[(k % case.d, k / case.d)] - f64::from(*target)).powi(2);
        }
    }
    sum / (case.horizon * case.batch * case.d) as f64
}

fn parameters(network: &mut Network) -> Vec<&mut f64> {
    let mut all = Vec::new();
    for (_, parameter) in network.parameters_mut() {
        match parameter {
            ParameterMut::Matrix(matrix) => {
                all.extend(matrix.as_mut().col_iter_mut().flat_map(|column| column.iter_mut()));
            }
            ParameterMut::Vector(vector) => all.extend(vector),
            ParameterMut::Constant => {}
        }
    }
    all
}

/// Compares the gradient with differences of the loss, at about `most` of the parameters.
fn check_gradient(case: &Case, network: &Network, most: usize) {
    check_learner(case.learner(Isa::Portable, network), &case.task(), case.horizon, most, &case.name());
}

fn check_learner(mut learner: Learner<f64>, task: &Task, horizon: usize, most: usize, name: &str) {
    let stream = Stream::new(STREAM_SEED, Purpose::TrainInputs);
    let gradient = learner.chunks[0].gradient.slice().to_vec();
    let largest = gradient.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    // Four points: the truncation error is of fourth order, so the step can be large against rounding.
    let step = 1e-3;
    // Odd, so that no column is left out.
    let stride = (gradient.len() / most) | 1;
    for (k, exact) in gradient.iter().enumerate().step_by(stride) {
        let mut loss_at = |shift: f64| {
            let before = std::mem::replace(&mut learner.parameters.slice_mut()[k], 0.0);
            learner.parameters.slice_mut()[k] = before + shift;
            learner.pack();
            learner.test_batch(task, &stream, 5, horizon);
            learner.parameters.slice_mut()[k] = before;
            learner.measures.loss
        };
        let near = loss_at(step) - loss_at(-step);
        let far = loss_at(2.0 * step) - loss_at(-2.0 * step);
        let numeric = (8.0 * near - far) / (12.0 * step);
        let error = (exact - numeric).abs() / exact.abs().max(1e-3 * largest);
        assert!(error < 1e-6, "parameter {k} of {name}: {exact:e} against {numeric:e}");
    }
}

#[test]
fn gradients_agree_with_finite_differences_for_every_parameter() {
    // The slope of relu jumps, so a difference across the jump proves nothing.
    for case in elman().iter().filter(|case| case.activation != Activation::Relu) {
        check_gradient(case, &case.network(), usize::MAX);
    }
}

#[test]
fn gradients_of_every_cell_and_stack_agree_with_finite_differences() {
    for case in others() {
        check_gradient(&case, &case.network(), 100);
    }
}

/// Every state-space layer with real modes alone, as many as twice its units, with a skip, or both.
fn state_space_variants(network: &Network) -> [Network; 3] {
    let change = |real: bool, skip: bool| {
        let mut network = network.clone();
        for cell in &mut network.layers {
            let Cell::Ssm(cell) = cell else { continue };
            let (units, inputs) = (cell.real.output.nrows(), cell.real.input.ncols());
            if real {
                let part = cell.imaginary.take().unwrap();
                let doubled = |a: &Mat<f64>, b: &Mat<f64>, down: bool| {
                    let (rows, columns) = (a.nrows(), a.ncols());
                    let size = if down { (2 * rows, columns) } else { (rows, 2 * columns) };
                    Mat::from_fn(size.0, size.1, |i, j| {
                        if i < rows && j < columns { a[(i, j)] } else { b[(i % rows, j % columns)] }
                    })
                };
                cell.real.input = doubled(&cell.real.input, &part.input, true);
                cell.real.output = doubled(&cell.real.output, &part.output, false);
                cell.real.eigenvalues.extend(part.eigenvalues);
            }
            if skip {
                cell.skip = Some(Mat::from_fn(units, inputs, |i, j| 0.1 * ((i * 7 + j * 3) % 5) as f64 - 0.2));
            }
        }
        network
    };
    [change(true, false), change(false, true), change(true, true)]
}

#[test]
fn gradients_of_every_kind_of_state_space_layer_agree_with_finite_differences() {
    for case in others().iter().filter(|case| case.layers.iter().any(|(kind, _)| *kind == CellKind::Ssm)) {
        for network in state_space_variants(&case.network()) {
            let loss = plain_loss(case, &network);
            let learner = case.learner::<f64>(Isa::Portable, &network);
            assert!((learner.measures.loss - loss).abs() < 1e-12 * loss, "{}", case.name());
            assert!(learner.network() == network, "{}", case.name());
            check_gradient(case, &network, 30);
        }
    }
}

#[test]
fn every_instruction_set_agrees_with_f64() {
    for case in cases() {
        let network = case.network();
        let exact = case.learner::<f64>(Isa::Portable, &network);
        let loss = plain_loss(&case, &network);
        assert!((exact.measures.loss - loss).abs() < 1e-12 * loss, "{}", case.name());
        let mut wide = exact.gradient();
        let wide = parameters(&mut wide);
        let largest = wide.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        for isa in Isa::available() {
            let learner = case.learner::<f32>(isa, &network);
            let mut narrow = learner.gradient();
            for (a, b) in parameters(&mut narrow).into_iter().zip(&wide) {
                assert!((*a - **b).abs() < 2e-6 * largest, "{isa} {}: {a:e} against {b:e}", case.name());
            }
            assert_eq!(learner.measures.accuracy, exact.measures.accuracy, "{isa}");
        }
    }
}

#[test]
fn a_chunk_draws_what_episodes_draw() {
    for case in cases() {
        let learner = case.learner::<f32>(Isa::best(), &case.network());
        let mut episodes = Episodes::new(&case.window(), case.batch);
        episodes.draw(&case.window(), &Stream::new(STREAM_SEED, Purpose::TrainInputs), 5, case.horizon);
        let drawn = |phase: fn(&Chunk<f32>) -> &[Panels<f32>], steps: usize| {
            let mut all = Vec::new();
            for t in 0..steps {
                for step in learner.chunks.iter().map(|chunk| &phase(chunk)[t]) {
                    all.extend((0..step.rows() * case.d).map(|k| step.at(k / case.d, k % case.d)));
                }
            }
            all
        };
        assert_eq!(drawn(Chunk::inputs, case.s), episodes.inputs());
        assert_eq!(drawn(Chunk::targets, case.horizon), episodes.targets());
    }
}

#[test]
fn a_network_that_says_nothing_is_right_about_every_minus_one() {
    for case in cases().filter(|case| case.batch * case.horizon > 100) {
        let mut silent = case.network();
        silent.readout.weights.fill(0.0);
        silent.readout.bias.iter_mut().flatten().for_each(|bias| *bias = 0.0);
        let mut episodes = Episodes::new(&case.window(), case.batch);
        episodes.draw(&case.window(), &Stream::new(STREAM_SEED, Purpose::TrainInputs), 5, case.horizon);
        let targets = episodes.targets();
        let negative = targets.iter().filter(|target| **target < 0.0).count() as f64 / targets.len() as f64;
        for isa in Isa::available() {
            assert_eq!(case.learner::<f32>(isa, &silent).measures.accuracy, negative, "{isa} {}", case.name());
        }
        assert!((0.3..0.7).contains(&negative));
    }
}

#[test]
fn a_tape_takes_what_its_shape_says() {
    for case in cases() {
        let learner = case.learner::<f32>(Isa::best(), &case.network());
        for (layer, sizes) in learner.model.sizes.iter().enumerate() {
            let expected = sizes.tape_shape().numbers_per_sample(case.s + case.horizon);
            for chunk in &learner.chunks {
                let taken = chunk.tapes()[layer].numbers() as f64;
                let samples = chunk.inputs()[0].rows() as f64;
                assert_eq!(taken, samples * expected, "{}", case.name());
            }
        }
        let count: usize = case.network().parameters().iter().map(|(_, of)| of.values().len()).sum();
        let readout = case.d * (case.network().hidden() + 1);
        let counted = learner.model.sizes.iter().map(|sizes| sizes.weights()).sum::<f64>() + readout as f64;
        assert!(counted >= count as f64 && (case.layers[0].1 < 10 || counted < 1.6 * count as f64), "{}", case.name());
    }
}

/// Programs whose outputs count always, now and then, and in some samples only; signs, symbols and numbers.
const DRIVEN: [&str; 5] = ["flipflop:2", "registers:2x1", "recall:1x2", "group:S3", "counter:3"];

#[test]
fn a_program_is_learned_from_what_counts_alone() {
    for (name, kind) in DRIVEN.into_iter().flat_map(|name| CellKind::ALL.map(|kind| (name, kind))) {
        let task = Task::named(name, None, None).unwrap();
        let program = task.program().unwrap();
        // More than a chunk of the batch.
        let (batch, horizon) = (35, program.longest().unwrap_or(9));
        let settings = CellSettings::usual(kind);
        let of = Architecture {
            cell: kind,
            layers: 1,
            hidden: 6,
            activation: kind.usual_activation(),
            bias: true,
            settings,
        };
        let network = Initialization::Uniform.network(&of, task.inputs(), task.outputs(), 7);
        let mut learner: Learner<f64> = Learner::new(&network, Isa::Portable, batch, &task, horizon);
        let stream = Stream::new(STREAM_SEED, Purpose::TrainInputs);
        learner.learn_batch(&task, &stream, 5, horizon);
        learner.reduce();
        // The same by the book: one sample after the other.
        let columns = program.output_columns();
        let (mut squared, mut units, mut right, mut answers) = (0.0, 0, 0, 0);
        for sample in 0..batch as u32 {
            let mut state = Mat::zeros(network.state_size(), 1);
            for frame in program.draw(&stream, 5, sample, horizon) {
                let (mut seen, mut wanted) = (vec![0.0; task.inputs()], vec![0.0; task.outputs()]);
                let mut counts = vec![false; columns.len()];
                program.write_inputs(&frame, &mut seen);
                program.write_outputs(&frame, &mut wanted, &mut counts);
                let input = Mat::from_fn(seen.len(), 1, |j, _| seen[j]);
                state = network.step_batch(state.as_ref(), Some(input.as_ref()));
                let said: Vec<f64> = network.read(state.as_ref()).col(0).iter().copied().collect();
                for (column, _) in columns.iter().zip(&counts).filter(|(_, counts)| **counts) {
                    let at = column.at.clone();
                    squared +=
                        said[at.clone()].iter().zip(&wanted[at.clone()]).map(|(y, u)| (y - u).powi(2)).sum::<f64>();
                    (units, answers) = (units + at.len(), answers + 1);
                    right += usize::from(column.is_right(&said, &wanted));
                }
            }
        }
        let Measures { loss, accuracy, .. } = &learner.measures;
        assert!((loss * units as f64 - squared).abs() < 1e-9 * squared, "{name} {kind:?}: {loss}");
        assert_eq!(*accuracy, right as f64 / answers as f64, "{name} {kind:?}");
        check_learner(learner, &task, horizon, 40, &format!("{name} {kind:?}"));
    }
}
