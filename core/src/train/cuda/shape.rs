//! Groups of networks of one shape, and the kernel that trains them.

use super::Precision;
use crate::network::{Activation, Biases, Network};
use crate::train::Job;
use faer::Mat;

/// What networks must have in common to be trained by one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    pub(super) hidden: usize,
    pub(super) components: usize,
    pub(super) batch: usize,
    pub(super) bias: bool,
    /// Whether the task's function is a matrix.
    pub(super) dense: bool,
    /// As the kernels number it: tanh, relu, identity.
    activation: u8,
}

impl Shape {
    pub(super) fn of(job: &Job) -> Self {
        Self {
            hidden: job.params.hidden,
            components: job.task.d(),
            batch: job.params.batch,
            bias: job.params.bias,
            dense: !job.task.is_binary(),
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
        let Network { recurrent_weights, input_weights, readout_weights, biases, readout_bias, .. } = network;
        let matrices = [recurrent_weights, input_weights, readout_weights].map(rows);
        let none = vec![];
        let vectors = match biases {
            Some(biases) => [&biases.input, &biases.recurrent, readout_bias.as_ref().unwrap_or(&none)],
            None => [&none; 3],
        };
        let numbers = matrices.iter().chain(vectors).flatten();
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
        Network { activation, input_weights, recurrent_weights, readout_weights, biases, readout_bias }
    }
}

/// A part of the device that multiplies, as `kernels/peak.cu` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// The fp32 units.
    Plain = 0,
    /// The tensor cores, a warp at a time.
    Warp = 1,
    /// The tensor cores, four warps at a time.
    Warpgroup = 2,
}

/// Source and options for the run-time compiler.
pub(super) struct Program {
    /// Tells programs apart, for messages and files.
    pub(super) name: String,
    pub(super) source: String,
    pub(super) options: Vec<String>,
}

impl Unit {
    /// The program that does nothing but multiply on this unit.
    pub(super) fn peak(self, (major, minor): (i32, i32)) -> Program {
        let suffix = if self == Self::Warpgroup { "a" } else { "" };
        Program {
            name: format!("peak{}-sm{major}{minor}", self as u8),
            source: include_str!("kernels/peak.cu").into(),
            options: vec![format!("--gpu-architecture=sm_{major}{minor}{suffix}"), format!("-DUNIT={}", self as u8)],
        }
    }

    /// Operations of one warp in one turn of that program's loop.
    pub(super) fn peak_operations(self) -> f64 {
        match self {
            Self::Plain => 2.0 * 32.0 * 128.0,
            Self::Warp => 2.0 * 16.0 * 8.0 * 16.0 * 32.0,
            Self::Warpgroup => 2.0 * 16.0 * 64.0 * 16.0 * 16.0,
        }
    }
}

/// The tensor cores' kernel, in the order of its parts.
const TENSOR: [&str; 5] = [
    include_str!("kernels/tensor/layout.cu"),
    include_str!("kernels/tensor/products.cu"),
    include_str!("kernels/tensor/forward.cu"),
    include_str!("kernels/tensor/backward.cu"),
    include_str!("kernels/tensor/update.cu"),
];

/// A kernel for a shape, and what a launch of it needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kernel {
    shape: Shape,
    /// Products that make one: 3 or 1 on the tensor cores, 0 for plain fp32.
    terms: usize,
    /// Whether whole warpgroups multiply, which needs exactly compute capability 9.0.
    warpgroup: bool,
    capability: (i32, i32),
}

/// The most units and components that the tensor cores' kernel takes, and the batch it is written for.
const TENSOR_LIMITS: (usize, usize, usize) = (128, 16, 64);

impl Kernel {
    pub(super) fn choose(shape: Shape, precision: Precision, capability: (i32, i32)) -> Self {
        let (hidden, components, batch) = TENSOR_LIMITS;
        let fits = shape.hidden <= hidden && shape.components <= components && shape.batch == batch;
        let simple = shape.activation == 0 && !shape.bias && !shape.dense;
        let terms = match precision {
            Precision::Single if fits && simple && capability.0 >= 9 => 3,
            Precision::Fast if fits && simple && capability.0 >= 9 => 1,
            _ => 0,
        };
        Self { shape, terms, warpgroup: capability == (9, 0), capability }
    }

    fn is_tensor(&self) -> bool {
        self.terms > 0
    }

    pub(super) fn program(&self) -> Program {
        Program { name: self.name(), source: self.source(), options: self.options() }
    }

    fn source(&self) -> String {
        let kernel = if self.is_tensor() { TENSOR.concat() } else { include_str!("kernels/plain.cu").into() };
        format!("{}\n{kernel}", include_str!("kernels/common.cu"))
    }

    /// A name that tells kernels apart, for messages and files.
    pub(super) fn name(&self) -> String {
        let Shape { hidden, components, batch, bias, dense, activation } = self.shape;
        let (major, minor) = self.capability;
        let kind = if self.is_tensor() { format!("tensor{}", self.terms) } else { "plain".into() };
        let extras = format!("{}{}", if bias { "-bias" } else { "" }, if dense { "-dense" } else { "" });
        format!("{kind}-h{hidden}-d{components}-b{batch}-a{activation}{extras}-sm{major}{minor}")
    }

    fn options(&self) -> Vec<String> {
        let Shape { hidden, components, batch, bias, dense, activation } = self.shape;
        let (major, minor) = self.capability;
        let suffix = if self.is_tensor() && self.warpgroup { "a" } else { "" };
        let mut options = vec![
            format!("--gpu-architecture=sm_{major}{minor}{suffix}"),
            format!("-DHIDDEN={hidden}"),
            format!("-DCOMPONENTS={components}"),
        ];
        if self.is_tensor() {
            options.push(format!("-DTERMS={}", self.terms));
            options.push(format!("-DWARPGROUP={}", u8::from(self.warpgroup)));
        } else {
            options.push(format!("-DBATCH={batch}"));
            options.push(format!("-DACTIVATION={activation}"));
            options.push(format!("-DBIAS={}", u8::from(bias)));
            options.push(format!("-DDENSE={}", u8::from(dense)));
        }
        options
    }

    fn padded_units(&self) -> usize {
        if self.shape.hidden <= 64 { 64 } else { 128 }
    }

    /// Bytes of the states of one time step on the tensor cores.
    fn tile_bytes(&self) -> usize {
        self.padded_units() * self.shape.batch * 2 * self.parts()
    }

    fn parts(&self) -> usize {
        if self.terms == 3 { 2 } else { 1 }
    }

    pub(super) fn threads(&self) -> usize {
        if self.is_tensor() { self.padded_units() * 2 } else { 256 }
    }

    /// Words of input bits of a sample, one more than whole blocks of 128 bits.
    pub(super) fn bit_words(&self, input_steps: usize) -> usize {
        (input_steps * self.shape.components).div_ceil(128) * 4 + 1
    }

    /// Dynamic shared memory of a block: struct Shared of `kernels/tensor/layout.cu`.
    pub(super) fn shared_bytes(&self, input_steps: usize) -> usize {
        if !self.is_tensor() {
            return 0;
        }
        let slots = if self.terms == 3 { 3 } else { 4 };
        let fragments = 3 * self.parts() * self.padded_units() / 16 * 512;
        let errors = 2 * self.parts() * self.shape.batch * 32;
        let records = 1024;
        let structure = ((slots + 2) * self.tile_bytes() + fragments + errors + records).next_multiple_of(1024);
        structure + self.shape.batch * self.bit_words(input_steps) * 4
    }

    /// Global memory of a block for the longest batch of `steps` time steps.
    pub(super) fn scratch_bytes(&self, steps: usize) -> usize {
        let Shape { hidden, components, batch, .. } = self.shape;
        let bytes = if self.is_tensor() {
            let aside = (self.padded_units() / 8 + 2) * self.threads() * 16;
            aside + (steps + 1) * self.tile_bytes()
        } else {
            4 * (self.shape.parameter_stride() + 2 * (steps + 1) * hidden * batch + 2 * steps * components * batch)
        };
        bytes.next_multiple_of(256)
    }

    /// Partial sums of each output step.
    pub(super) fn sums_per_step(&self) -> usize {
        if self.is_tensor() { 8 } else { 1 }
    }

    /// Floating-point operations that the device does for each one of the mathematics.
    pub(super) fn products(&self) -> usize {
        self.terms.max(1)
    }

    /// What does the multiplying.
    pub(super) fn unit(&self) -> Unit {
        match (self.is_tensor(), self.warpgroup) {
            (false, _) => Unit::Plain,
            (true, false) => Unit::Warp,
            (true, true) => Unit::Warpgroup,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Initialization;
    use crate::task::Task;
    use crate::train::{Start, TrainParams};

    fn shape(change: impl Fn(&mut TrainParams)) -> Shape {
        let mut params = TrainParams::default();
        change(&mut params);
        Shape::of(&Job { task: Task::named("T1", None, None).unwrap(), params, start: Start::Random })
    }

    #[test]
    fn parameters_go_to_the_device_and_back_without_loss() {
        for bias in [false, true] {
            let shape = shape(|p| (p.hidden, p.bias) = (10, bias));
            let network = Initialization::Uniform.network(10, 8, 8, Activation::Tanh, bias, 3);
            let mut numbers = vec![0.0; shape.parameter_stride()];
            shape.flatten(&network, &mut numbers);
            assert_eq!(shape.network(&numbers), network);
        }
    }

    #[test]
    fn tensor_cores_are_used_where_device_shape_and_precision_allow() {
        let terms = |precision, capability, change: fn(&mut TrainParams)| {
            Kernel::choose(shape(change), precision, capability).terms
        };
        assert_eq!(terms(Precision::Single, (9, 0), |_| ()), 3);
        assert_eq!(terms(Precision::Fast, (9, 0), |p| p.hidden = 33), 1);
        assert_eq!(terms(Precision::Plain, (9, 0), |_| ()), 0);
        assert_eq!(terms(Precision::Single, (8, 9), |_| ()), 0);
        for change in [
            (|p| p.hidden = 129) as fn(&mut TrainParams),
            |p| p.batch = 32,
            |p| p.bias = true,
            |p| p.activation = Activation::Relu,
        ] {
            assert_eq!(terms(Precision::Single, (9, 0), change), 0);
        }
    }

    #[test]
    fn warpgroups_multiply_only_where_they_exist() {
        let options = |capability| Kernel::choose(shape(|_| ()), Precision::Single, capability).options().join(" ");
        assert!(options((9, 0)).contains("sm_90a") && options((9, 0)).contains("-DWARPGROUP=1"));
        assert!(options((10, 0)).contains("sm_100 ") && options((10, 0)).contains("-DWARPGROUP=0"));
    }

    #[test]
    fn every_tensor_kernel_fits_the_shared_memory_of_a_multiprocessor() {
        for (hidden, blocks) in [(32, 2), (64, 2), (100, 1), (128, 1)] {
            for precision in [Precision::Single, Precision::Fast] {
                let kernel = Kernel::choose(shape(|p| p.hidden = hidden), precision, (9, 0));
                // 228 KiB, of which the system takes 1 KiB a block and the queue up to another.
                assert!(blocks * (kernel.shared_bytes(16) + 2048) <= 228 * 1024, "{hidden} {precision:?}");
            }
        }
    }
}
