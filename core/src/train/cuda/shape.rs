//! What networks have in common that are trained together.

use crate::network::{Activation, Biases, Cell, Elman, Network, Readout};
use crate::task::Function;
use crate::train::Job;
use faer::Mat;

/// Kinds of functions, as the kernels number them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FunctionKind {
    Copies = 0,
    Matrix = 1,
    Tables = 2,
}

/// What networks must have in common to be trained by one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    pub(super) hidden: usize,
    pub(super) components: usize,
    pub(super) batch: usize,
    pub(super) bias: bool,
    /// What the task's function is.
    pub(super) function: FunctionKind,
    /// As the kernels number it: tanh, relu, identity.
    pub(super) activation: u8,
}

impl Shape {
    pub(super) fn of(job: &Job) -> Self {
        Self {
            hidden: job.params.hidden,
            components: job.task.d(),
            batch: job.params.batch,
            bias: job.params.bias,
            function: match job.task.function() {
                Function::Selection(_) => FunctionKind::Copies,
                Function::Dense(_) => FunctionKind::Matrix,
                Function::Table(_) => FunctionKind::Tables,
            },
            activation: match job.params.activation {
                Activation::Tanh => 0,
                Activation::Relu => 1,
                Activation::Identity => 2,
            },
        }
    }

    pub(super) fn activation(&self) -> Activation {
        match self.activation {
            0 => Activation::Tanh,
            1 => Activation::Relu,
            _ => Activation::Identity,
        }
    }

    /// Parameters of one network.
    pub(super) fn parameters(&self) -> usize {
        let Self { hidden: h, components: d, .. } = *self;
        h * h + 2 * h * d + if self.bias { 2 * h + d } else { 0 }
    }

    /// Numbers from one network's parameters to the next one's: whole float4s.
    pub(super) fn parameter_stride(&self) -> usize {
        self.parameters().next_multiple_of(4)
    }

    /// The parameters of a network in the kernels' order.
    pub(super) fn flatten(&self, network: &Network, out: &mut [f32]) {
        let rows = |m: &Mat<f64>| -> Vec<f64> {
            (0..m.nrows()).flat_map(|i| (0..m.ncols()).map(move |j| (i, j))).map(|at| m[at]).collect()
        };
        // The engine refuses every other network.
        let Some(Elman { input_weights, recurrent_weights, biases, .. }) = network.as_elman() else { return };
        let Readout { weights: readout_weights, bias: readout_bias } = &network.readout;
        let matrices = [recurrent_weights, input_weights, readout_weights].map(rows);
        // A network may have biases here and none there; the kernels have all or none.
        let (hidden, outputs) = if self.bias { (self.hidden, self.components) } else { (0, 0) };
        let or_zeros = |given: Option<&Vec<f64>>, count| given.cloned().unwrap_or(vec![0.0; count]);
        let vectors = [
            or_zeros(biases.as_ref().map(|biases| &biases.input), hidden),
            or_zeros(biases.as_ref().map(|biases| &biases.recurrent), hidden),
            or_zeros(readout_bias.as_ref(), outputs),
        ];
        let numbers = matrices.iter().chain(&vectors).flatten();
        for (place, &number) in out.iter_mut().zip(numbers) {
            *place = number as f32;
        }
    }

    /// The network whose parameters these are.
    pub(super) fn network(&self, numbers: &[f32]) -> Network {
        let Self { hidden: h, components: d, .. } = *self;
        let mut rest = numbers;
        let mut take = |count: usize| {
            let (head, tail) = rest.split_at(count);
            rest = tail;
            head
        };
        let mut matrix = |rows: usize, columns: usize| {
            let values = take(rows * columns);
            Mat::from_fn(rows, columns, |i, j| f64::from(values[i * columns + j]))
        };
        let (recurrent_weights, input_weights, readout_weights) = (matrix(h, h), matrix(h, d), matrix(d, h));
        let mut vector = |count: usize| take(count).iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
        let biases = self.bias.then(|| Biases { input: vector(h), recurrent: vector(h) });
        let readout_bias = self.bias.then(|| vector(d));
        let activation = self.activation();
        let cell = Elman { activation, input_weights, recurrent_weights, biases };
        Network { layers: vec![Cell::Elman(cell)], readout: Readout { weights: readout_weights, bias: readout_bias } }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::network::{Architecture, Initialization};
    use crate::task::Task;
    use crate::train::{Start, TrainParams};

    /// The shape of T1's networks with changed settings.
    pub(in super::super) fn shape(change: impl Fn(&mut TrainParams)) -> Shape {
        let mut params = TrainParams::default();
        change(&mut params);
        Shape::of(&Job { task: Task::named("T1", None, None).unwrap(), params, start: Start::Random })
    }

    #[test]
    fn parameters_go_to_the_device_and_back_without_loss() {
        for bias in [false, true] {
            let shape = shape(|p| (p.hidden, p.bias) = (10, bias));
            let network = Initialization::Uniform.network(&Architecture::elman(10, Activation::Tanh, bias), 8, 8, 3);
            let mut numbers = vec![0.0; shape.parameter_stride()];
            shape.flatten(&network, &mut numbers);
            assert_eq!(shape.network(&numbers), network);
        }
    }

    #[test]
    fn a_readout_bias_alone_is_kept() {
        let shape = shape(|p| (p.hidden, p.bias) = (10, true));
        let mut network = Initialization::Uniform.network(&Architecture::elman(10, Activation::Tanh, true), 8, 8, 3);
        network.as_elman_mut().unwrap().biases = None;
        let mut numbers = vec![0.0; shape.parameter_stride()];
        shape.flatten(&network, &mut numbers);
        let back = shape.network(&numbers);
        assert_eq!(back.readout.bias, network.readout.bias);
        assert_eq!(back.as_elman().unwrap().biases, Some(Biases { input: vec![0.0; 10], recurrent: vec![0.0; 10] }));
    }
}
