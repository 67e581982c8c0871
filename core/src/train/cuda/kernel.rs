//! The kernel that trains networks of a shape, and what a launch of it needs.

use super::Precision;
use super::shape::{FunctionKind, Gated, Shape};
use super::streamed::Streamed;

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

/// What kernels for tensor cores begin with: their instructions, and the optimizer.
const SHARED: &str = concat!(include_str!("kernels/instructions.cu"), include_str!("kernels/optimizer.cu"));

/// The kernel in plain fp32, in the order of its parts.
const PLAIN: [&str; 4] = [
    include_str!("kernels/plain/products.cu"),
    include_str!("kernels/plain/cell.cu"),
    include_str!("kernels/plain/passes.cu"),
    include_str!("kernels/plain/update.cu"),
];

/// The kernel to which weights are streamed, in the order of its parts.
const STREAMED: [&str; 7] = [
    include_str!("kernels/instructions.cu"),
    include_str!("kernels/streamed/layout.cu"),
    include_str!("kernels/streamed/cell.cu"),
    include_str!("kernels/streamed/forward.cu"),
    include_str!("kernels/streamed/backward.cu"),
    include_str!("kernels/streamed/gradient.cu"),
    include_str!("kernels/streamed/update.cu"),
];

/// The kernel that multiplies pairs, in the order of its parts.
const PAIRS: [&str; 6] = [
    SHARED,
    include_str!("kernels/pairs/layout.cu"),
    include_str!("kernels/pairs/products.cu"),
    include_str!("kernels/pairs/forward.cu"),
    include_str!("kernels/pairs/backward.cu"),
    include_str!("kernels/pairs/update.cu"),
];

/// The fast kernel, in the order of its parts.
const FAST: [&str; 6] = [
    SHARED,
    include_str!("kernels/fast/layout.cu"),
    include_str!("kernels/fast/products.cu"),
    include_str!("kernels/fast/forward.cu"),
    include_str!("kernels/fast/backward.cu"),
    include_str!("kernels/fast/update.cu"),
];

/// How a kernel multiplies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Arithmetic {
    /// fp32.
    Plain,
    /// Pairs of fp16 numbers on tensor cores, three products for one.
    Pairs,
    /// Pairs forward, fewer products backward, by whole warpgroups.
    Fast,
    /// Pairs, where the weights are more than registers hold; `fast` makes fewer products backward.
    Streamed { layout: Streamed, fast: bool },
}

/// What the choice of a kernel depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chip {
    /// Major and minor.
    pub(super) capability: (i32, i32),
    /// Whether whole warpgroups can multiply.
    pub(super) warpgroups: bool,
    /// The most shared memory of a block.
    pub(super) shared_bytes: usize,
}

impl Chip {
    pub(super) fn new(capability: (i32, i32), shared_bytes: usize) -> Self {
        // Later chips have other instructions for it.
        Self { capability, warpgroups: capability == (9, 0), shared_bytes }
    }
}

/// A kernel for a shape, and what a launch of it needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kernel {
    shape: Shape,
    arithmetic: Arithmetic,
    chip: Chip,
}

/// The most components that the tensor cores' kernels take, and the batch they are written for.
const TENSOR_COMPONENTS: usize = 16;
const TENSOR_BATCH: usize = 64;

/// The most units whose weights stay in registers.
const UNITS_IN_REGISTERS: usize = 128;

/// Shared memory that a kernel has beside what a launch gives it.
const STATIC_SHARED_BYTES: usize = 1024;

impl Kernel {
    pub(super) fn choose(shape: Shape, precision: Precision, chip: Chip) -> Self {
        let Shape { hidden, cell, bias, function, .. } = shape;
        let tanh = cell != Gated::Elman || shape.activation == 0;
        let fits = shape.components <= TENSOR_COMPONENTS && shape.batch == TENSOR_BATCH && shape.layers == 1;
        let simple = cell == Gated::Elman && !bias && function == FunctionKind::Copies && hidden <= UNITS_IN_REGISTERS;
        let tensor = fits && tanh && function != FunctionKind::Matrix && chip.capability.0 >= 9;
        let arithmetic = match precision {
            _ if !tensor => Arithmetic::Plain,
            Precision::Plain => Arithmetic::Plain,
            Precision::Fast if simple && chip.warpgroups => Arithmetic::Fast,
            Precision::Fast | Precision::Single if simple => Arithmetic::Pairs,
            Precision::Fast | Precision::Single => {
                Streamed::of(shape, chip.shared_bytes).map_or(Arithmetic::Plain, |layout| Arithmetic::Streamed {
                    layout,
                    fast: precision == Precision::Fast,
                })
            }
        };
        Self { shape, arithmetic, chip }
    }

    /// Whether its shared memory is there, for so many input steps.
    pub(super) fn fits(&self, input_steps: usize) -> bool {
        !self.is_tensor() || self.shared_bytes(input_steps) + STATIC_SHARED_BYTES <= self.chip.shared_bytes
    }

    fn is_tensor(&self) -> bool {
        self.arithmetic != Arithmetic::Plain
    }

    pub(super) fn program(&self) -> Program {
        Program { name: self.name(), source: self.source(), options: self.options() }
    }

    fn source(&self) -> String {
        let kernel = match self.arithmetic {
            Arithmetic::Plain => PLAIN.concat(),
            Arithmetic::Pairs => PAIRS.concat(),
            Arithmetic::Fast => FAST.concat(),
            Arithmetic::Streamed { .. } => STREAMED.concat(),
        };
        format!("{}\n{kernel}", include_str!("kernels/common.cu"))
    }

    /// A name that tells kernels apart, for messages and files.
    pub(super) fn name(&self) -> String {
        let Shape { cell, layers, hidden, components, batch, bias, function, activation } = self.shape;
        let (major, minor) = self.chip.capability;
        let kind = match self.arithmetic {
            Arithmetic::Plain => "plain",
            Arithmetic::Pairs => "pairs",
            Arithmetic::Fast => "fast",
            Arithmetic::Streamed { fast: false, .. } => "streamed",
            Arithmetic::Streamed { fast: true, .. } => "streamed-fast",
        };
        let cell = format!("{cell:?}").to_lowercase();
        let function = match function {
            FunctionKind::Copies => "",
            FunctionKind::Matrix => "-dense",
            FunctionKind::Tables => "-tables",
        };
        let extras = format!("{}{function}", if bias { "-bias" } else { "" });
        let sizes = format!("{cell}-l{layers}-h{hidden}-d{components}-b{batch}-a{activation}");
        format!("{kind}-{sizes}{extras}-sm{major}{minor}{}", self.suffix())
    }

    fn options(&self) -> Vec<String> {
        let Shape { cell, layers, hidden, components, batch, bias, function, activation } = self.shape;
        let (major, minor) = self.chip.capability;
        let mut options = vec![
            format!("--gpu-architecture=sm_{major}{minor}{}", self.suffix()),
            format!("-DHIDDEN={hidden}"),
            format!("-DCOMPONENTS={components}"),
        ];
        match self.arithmetic {
            Arithmetic::Pairs | Arithmetic::Fast => {
                options.push(format!("-DWARPGROUP={}", u8::from(self.chip.warpgroups)));
            }
            Arithmetic::Streamed { layout, fast } => options.extend(layout.options(self.shape, fast)),
            Arithmetic::Plain => options.extend([
                format!("-DCELL={}", cell as u8),
                format!("-DLAYERS={layers}"),
                format!("-DBATCH={batch}"),
                format!("-DACTIVATION={activation}"),
                format!("-DBIAS={}", u8::from(bias)),
                format!("-DFUNCTION={}", function as u8),
            ]),
        }
        options
    }

    /// The instructions of warpgroups belong to one chip alone.
    fn suffix(&self) -> &'static str {
        if self.uses_warpgroups() { "a" } else { "" }
    }

    fn uses_warpgroups(&self) -> bool {
        self.chip.warpgroups && matches!(self.arithmetic, Arithmetic::Pairs | Arithmetic::Fast)
    }

    fn padded_units(&self) -> usize {
        if self.shape.hidden <= 64 { 64 } else { 128 }
    }

    /// Bytes of one fp16 number of every state of a time step.
    fn tile_bytes(&self) -> usize {
        self.padded_units() * self.shape.batch * 2
    }

    pub(super) fn threads(&self) -> usize {
        match self.arithmetic {
            Arithmetic::Plain => 256,
            Arithmetic::Pairs => self.padded_units() * 2,
            Arithmetic::Fast => 128,
            Arithmetic::Streamed { layout, .. } => layout.threads(),
        }
    }

    /// Words of bits of a sample, one more than whole blocks of 128 bits: its inputs, and the targets where they are kept.
    pub(super) fn bit_words(&self, input_steps: usize, horizon: usize) -> usize {
        let streamed = matches!(self.arithmetic, Arithmetic::Streamed { .. });
        let targets = if streamed && Streamed::keeps_targets(self.shape) { horizon } else { 0 };
        ((input_steps + targets) * self.shape.components).div_ceil(128) * 4 + 1
    }

    /// Dynamic shared memory of a block: struct Shared of the kernel's `layout.cu`, and the input bits behind it.
    pub(super) fn shared_bytes(&self, input_steps: usize) -> usize {
        let (units, batch, records) = (self.padded_units(), self.shape.batch, 1024);
        let errors = batch * 32;
        let structure: usize = match self.arithmetic {
            Arithmetic::Plain => return 0,
            Arithmetic::Streamed { layout, .. } => return layout.shared_bytes(),
            Arithmetic::Pairs => 5 * 2 * self.tile_bytes() + 3 * 2 * units / 16 * 512 + 2 * 2 * errors + records,
            Arithmetic::Fast => 2 * (units + 16) * units * 2 + 2 * self.tile_bytes() + errors + records,
        };
        structure.next_multiple_of(1024) + batch * self.bit_words(input_steps, 0) * 4
    }

    /// Global memory of a block for the longest batch of `steps` time steps.
    pub(super) fn scratch_bytes(&self, steps: usize) -> usize {
        let Shape { cell, layers, hidden, components, batch, .. } = self.shape;
        let bytes = match self.arithmetic {
            Arithmetic::Plain => {
                let kept = self.shape.cell.kept() + self.shape.cell.gates() + usize::from(cell == Gated::Gru);
                let (state, values) = (hidden * batch, components * batch);
                let layers = layers * (steps + 1) * state * (1 + kept);
                4 * (self.shape.parameter_stride() + 2 * steps * values + state + layers)
            }
            Arithmetic::Streamed { layout, .. } => {
                layout.scratch_bytes(self.shape, self.bit_words(steps, steps), steps)
            }
            Arithmetic::Pairs => {
                let aside = (self.padded_units() / 8 + 2) * self.threads() * 16;
                aside + (steps + 1) * 2 * self.tile_bytes()
            }
            Arithmetic::Fast => {
                let input = self.padded_units() / 8 * 512;
                let gradient = self.threads() * self.padded_units() / 64 * components.div_ceil(8) * 16;
                input + gradient + steps * (self.threads() * 16 + self.tile_bytes())
            }
        };
        bytes.next_multiple_of(256)
    }

    /// Partial sums of each output step.
    pub(super) fn sums_per_step(&self) -> usize {
        match self.arithmetic {
            Arithmetic::Plain => 1,
            Arithmetic::Pairs | Arithmetic::Streamed { .. } => 8,
            Arithmetic::Fast => 4,
        }
    }

    /// Floating-point operations that the device does for each one of the mathematics.
    pub(super) fn products(&self) -> usize {
        match self.arithmetic {
            Arithmetic::Plain => 1,
            Arithmetic::Pairs | Arithmetic::Streamed { fast: false, .. } => 3,
            // Three forward, two for the deltas, one for the gradient.
            Arithmetic::Fast | Arithmetic::Streamed { fast: true, .. } => 2,
        }
    }

    /// What does the multiplying.
    pub(super) fn unit(&self) -> Unit {
        match (self.is_tensor(), self.uses_warpgroups()) {
            (false, _) => Unit::Plain,
            (true, false) => Unit::Warp,
            (true, true) => Unit::Warpgroup,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, CellKind};
    use crate::train::TrainParams;
    use crate::train::cuda::shape::tests::shape;

    /// The most shared memory of a block on Hopper.
    const HOPPER_BYTES: usize = 227 * 1024;

    #[test]
    fn a_kernel_is_used_only_where_its_shared_memory_is_there() {
        let fits = |precision, shared_bytes, input_steps| {
            Kernel::choose(shape(|_| ()), precision, Chip::new((9, 0), shared_bytes)).fits(input_steps)
        };
        assert!(fits(Precision::Single, HOPPER_BYTES, 16) && fits(Precision::Fast, HOPPER_BYTES, 16));
        assert!(!fits(Precision::Single, 99 * 1024, 8));
        assert!(!fits(Precision::Single, HOPPER_BYTES, 1000));
        assert!(fits(Precision::Plain, 48 * 1024, 1000));
    }

    #[test]
    fn tensor_cores_are_used_where_device_shape_and_precision_allow() {
        let arithmetic = |precision, capability, change: fn(&mut TrainParams)| {
            Kernel::choose(shape(change), precision, Chip::new(capability, HOPPER_BYTES)).arithmetic
        };
        assert_eq!(arithmetic(Precision::Single, (9, 0), |_| ()), Arithmetic::Pairs);
        assert_eq!(arithmetic(Precision::Fast, (9, 0), |p| p.hidden = 33), Arithmetic::Fast);
        assert_eq!(arithmetic(Precision::Fast, (10, 0), |_| ()), Arithmetic::Pairs);
        assert_eq!(arithmetic(Precision::Plain, (9, 0), |_| ()), Arithmetic::Plain);
        assert_eq!(arithmetic(Precision::Single, (8, 9), |_| ()), Arithmetic::Plain);
        for change in [
            (|p| p.hidden = 513) as fn(&mut TrainParams),
            |p| p.batch = 32,
            |p| p.activation = Activation::Relu,
            |p| (p.cell, p.layers) = (CellKind::Gru, 2),
            |p| (p.cell, p.hidden) = (CellKind::Lstm, 257),
        ] {
            assert_eq!(arithmetic(Precision::Single, (9, 0), change), Arithmetic::Plain);
        }
        for change in [
            (|p| p.hidden = 129) as fn(&mut TrainParams),
            |p| p.bias = true,
            |p| p.cell = CellKind::Gru,
            |p| (p.cell, p.hidden) = (CellKind::Lstm, 256),
        ] {
            for (precision, is_fast) in [(Precision::Single, false), (Precision::Fast, true)] {
                let found = arithmetic(precision, (9, 0), change);
                assert!(matches!(found, Arithmetic::Streamed { fast, .. } if fast == is_fast), "{found:?}");
            }
        }
    }

    #[test]
    fn warpgroups_multiply_only_where_they_exist() {
        let chip = |capability| Chip::new(capability, HOPPER_BYTES);
        let options =
            |capability| Kernel::choose(shape(|_| ()), Precision::Single, chip(capability)).options().join(" ");
        assert!(options((9, 0)).contains("sm_90a") && options((9, 0)).contains("-DWARPGROUP=1"));
        assert!(options((10, 0)).contains("sm_100 ") && options((10, 0)).contains("-DWARPGROUP=0"));
    }

    #[test]
    fn every_tensor_kernel_fits_the_shared_memory_of_a_multiprocessor() {
        for (hidden, pairs, fast) in [(32, 2, 4), (64, 2, 4), (100, 1, 2), (128, 1, 2)] {
            for (precision, blocks) in [(Precision::Single, pairs), (Precision::Fast, fast)] {
                let kernel = Kernel::choose(shape(|p| p.hidden = hidden), precision, Chip::new((9, 0), HOPPER_BYTES));
                // 228 KiB, of which the system takes 1 KiB a block and the queue up to another.
                assert!(blocks * (kernel.shared_bytes(16) + 2048) <= 228 * 1024, "{hidden} {precision:?}");
            }
        }
    }
}
