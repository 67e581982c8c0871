//! What networks have in common that are trained together.

use crate::network::{Activation, Biases, Cell, CellKind, Elman, Gru, Lstm, Network, Parameter, ParameterMut, Readout};
use crate::task::{Function, Window};
use crate::train::Job;
use faer::Mat;

/// Kinds of functions, as the kernels number them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FunctionKind {
    Copies = 0,
    Matrix = 1,
    Tables = 2,
}

/// Kinds of cells, as the kernels number them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gated {
    /// A plain layer.
    Elman = 0,
    Gru = 1,
    Lstm = 2,
}

impl Gated {
    /// The kernels' kind of a cell, if they have it.
    pub(super) fn of(cell: CellKind) -> Option<Self> {
        match cell {
            CellKind::Elman => Some(Self::Elman),
            CellKind::Gru => Some(Self::Gru),
            CellKind::Lstm => Some(Self::Lstm),
            _ => None,
        }
    }

    pub(super) fn gates(self) -> usize {
        match self {
            Self::Elman => 1,
            Self::Gru => 3,
            Self::Lstm => 4,
        }
    }

    /// Numbers that a unit keeps for the way back, beside its state.
    pub(super) fn kept(self) -> usize {
        match self {
            Self::Elman => 0,
            Self::Gru => 4,
            Self::Lstm => 5,
        }
    }
}

/// What networks must have in common to be trained by one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    pub(super) cell: Gated,
    pub(super) layers: usize,
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
            // The engine refuses every other cell.
            cell: Gated::of(job.params.cell).unwrap_or(Gated::Elman),
            layers: job.params.layers,
            hidden: job.params.hidden,
            components: job.task.outputs(),
            batch: job.params.batch,
            bias: job.params.bias,
            // The engine refuses every task that is no window.
            function: match job.task.window().map(Window::function) {
                Ok(Function::Selection(_)) | Err(_) => FunctionKind::Copies,
                Ok(Function::Dense(_)) => FunctionKind::Matrix,
                Ok(Function::Table(_)) => FunctionKind::Tables,
            },
            activation: match job.params.activation {
                Activation::Tanh => 0,
                Activation::Relu => 1,
                // The engine refuses every other activation.
                Activation::Identity | Activation::Softplus => 2,
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
        let Self { hidden: h, components: d, layers, .. } = *self;
        let rows = self.cell.gates() * h;
        let weights = rows * (h + d) + (layers - 1) * rows * 2 * h + d * h;
        weights + if self.bias { layers * 2 * rows + d } else { 0 }
    }

    /// Numbers from one network's parameters to the next one's: whole float4s.
    pub(super) fn parameter_stride(&self) -> usize {
        self.parameters().next_multiple_of(4)
    }

    /// The parameters of a network in the kernels' order: every layer's recurrent and input weights, the readout, every layer's
    /// biases, the readout's.
    pub(super) fn flatten(&self, network: &Network, out: &mut [f32]) {
        let rows = self.cell.gates() * self.hidden;
        let mut numbers = Vec::with_capacity(self.parameters());
        let named = |cell: &Cell, name| pick(cell.layer().parameters(), name).map(|parameter| parameter.values());
        for cell in &network.layers {
            WEIGHTS.iter().for_each(|name| numbers.extend(named(cell, name).unwrap_or_default()));
        }
        numbers.extend(Parameter::Matrix(&network.readout.weights).values());
        if self.bias {
            // A network may have biases here and none there; the kernels have all or none.
            for cell in &network.layers {
                BIASES.iter().for_each(|name| numbers.extend(named(cell, name).unwrap_or(vec![0.0; rows])));
            }
            numbers.extend(network.readout.bias.clone().unwrap_or(vec![0.0; self.components]));
        }
        for (place, number) in out.iter_mut().zip(numbers) {
            *place = number as f32;
        }
    }

    /// The network whose parameters these are.
    pub(super) fn network(&self, numbers: &[f32]) -> Network {
        let mut rest = numbers.iter().map(|&x| f64::from(x));
        let mut fill = |parameter: ParameterMut<'_>| match parameter {
            ParameterMut::Matrix(matrix) => {
                let places = (0..matrix.nrows()).flat_map(|i| (0..matrix.ncols()).map(move |j| (i, j)));
                places.collect::<Vec<_>>().into_iter().zip(&mut rest).for_each(|(place, x)| matrix[place] = x);
            }
            ParameterMut::Vector(vector) => vector.iter_mut().zip(&mut rest).for_each(|(place, x)| *place = x),
            ParameterMut::Constant => {}
        };
        let mut network = self.zeros();
        for cell in &mut network.layers {
            for name in WEIGHTS {
                pick(cell.layer_mut().parameters_mut(), name).into_iter().for_each(&mut fill);
            }
        }
        fill(ParameterMut::Matrix(&mut network.readout.weights));
        for cell in &mut network.layers {
            for name in BIASES {
                pick(cell.layer_mut().parameters_mut(), name).into_iter().for_each(&mut fill);
            }
        }
        network.readout.bias.as_mut().map(ParameterMut::Vector).into_iter().for_each(fill);
        network
    }

    fn zeros(&self) -> Network {
        let Self { hidden: h, components: d, .. } = *self;
        let rows = self.cell.gates() * h;
        let layer = |index: usize| {
            let biases = self.bias.then(|| Biases { input: vec![0.0; rows], recurrent: vec![0.0; rows] });
            let (input_weights, recurrent_weights) =
                (Mat::zeros(rows, if index == 0 { d } else { h }), Mat::zeros(rows, h));
            let activation = self.activation();
            match self.cell {
                Gated::Elman => Cell::Elman(Elman { activation, input_weights, recurrent_weights, biases }),
                Gated::Gru => Cell::Gru(Gru { input_weights, recurrent_weights, biases }),
                Gated::Lstm => Cell::Lstm(Lstm { input_weights, recurrent_weights, biases }),
            }
        };
        let readout = Readout { weights: Mat::zeros(d, h), bias: self.bias.then(|| vec![0.0; d]) };
        Network { layers: (0..self.layers).map(layer).collect(), readout }
    }
}

/// A layer's weights in the kernels' order, and its biases.
const WEIGHTS: [&str; 2] = ["weight_hh", "weight_ih"];
const BIASES: [&str; 2] = ["bias_ih", "bias_hh"];

/// The parameter of a name.
fn pick<P>(parameters: Vec<(&'static str, P)>, name: &str) -> Option<P> {
    parameters.into_iter().find(|(given, _)| *given == name).map(|(_, parameter)| parameter)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::network::{Architecture, CellSettings, Initialization};
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
        for cell in [CellKind::Elman, CellKind::Gru, CellKind::Lstm] {
            for (bias, layers) in [(false, 1), (true, 1), (true, 3)] {
                let shape = shape(|p| (p.cell, p.hidden, p.bias, p.layers) = (cell, 10, bias, layers));
                let of = Architecture {
                    cell,
                    layers,
                    hidden: 10,
                    activation: Activation::Tanh,
                    bias,
                    settings: CellSettings::usual(cell),
                };
                let network = Initialization::Uniform.network(&of, 8, 8, 3);
                let mut numbers = vec![0.0; shape.parameter_stride()];
                shape.flatten(&network, &mut numbers);
                assert_eq!(shape.network(&numbers), network);
            }
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
