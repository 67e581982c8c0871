//! The real device, through the driver.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use cudarc::driver::sys::{CUdevice_attribute, CUfunction_attribute, is_culib_present};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError, LaunchConfig, PushKernelArg,
    ValidAsZeroBits,
};
use cudarc::nvrtc::Ptx;

use super::compile::{compile_again, machine_code};
use super::device::{Device, Numbers, Session, Wave};
use super::kernel::{Chip, Kernel, Program, Unit};
use super::plan::{Launch, Plan, Row, target_numbers, target_table};
use super::shape::{FunctionKind, Shape};
use super::{CudaError, Precision};
use crate::task::Function;

/// Steps that a block takes with one network before it looks for another one, where networks outnumber blocks: few enough
/// that blocks end a launch together.
const SLICE_STEPS: u32 = 50;

/// The share of the free memory that is not asked for.
const RESERVE: usize = 16;

// SAFETY: plain numbers in C layout.
unsafe impl DeviceRepr for Plan {}
unsafe impl DeviceRepr for Row {}
unsafe impl ValidAsZeroBits for Row {}
unsafe impl DeviceRepr for Launch {}

pub(super) struct CudaDevice {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    name: String,
    pub(super) chip: Chip,
    multiprocessors: usize,
    functions: Mutex<BTreeMap<String, CudaFunction>>,
}

fn refused(action: &'static str) -> impl Fn(DriverError) -> CudaError {
    move |error| CudaError::Call { action, problem: error.to_string() }
}

impl CudaDevice {
    pub(super) fn first() -> Result<Self, CudaError> {
        // SAFETY: only looks whether the library can be loaded.
        if !unsafe { is_culib_present() } {
            return Err(CudaError::NoDriver);
        }
        let none = |error: DriverError| CudaError::NoDevice { problem: error.to_string() };
        let context = CudaContext::new(0).map_err(none)?;
        let name = context.name().map_err(none)?;
        let capability = context.compute_capability().map_err(none)?;
        if capability < (7, 0) {
            return Err(CudaError::TooOld { name, major: capability.0, minor: capability.1 });
        }
        let attribute = |which| context.attribute(which).map_err(none);
        let count = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let shared = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let stream = context.default_stream();
        let functions = Mutex::new(BTreeMap::new());
        let chip = Chip::new(capability, shared as usize);
        Ok(Self { stream, name, chip, multiprocessors: count as usize, functions, context })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn kernel(&self, shape: Shape, precision: Precision) -> Kernel {
        Kernel::choose(shape, precision, self.chip)
    }

    fn function(&self, program: &Program, entry: &'static str) -> Result<CudaFunction, CudaError> {
        let functions = || self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions().get(&program.name) {
            return Ok(function.clone());
        }
        // Nobody waits for somebody else's compilation.
        let load = |code| self.context.load_module(Ptx::from_binary(code));
        let module = match load(machine_code(program)?) {
            Ok(module) => module,
            // What the cache held was damaged.
            Err(_) => load(compile_again(program)?).map_err(refused("load a kernel"))?,
        };
        let function = module.load_function(entry).map_err(refused("find the kernel"))?;
        functions().insert(program.name.clone(), function.clone());
        Ok(function)
    }

    /// The kernel with its shared memory set, and how many blocks of it run at the same time.
    fn blocks(&self, kernel: &Kernel, input_steps: usize) -> Result<(CudaFunction, usize), CudaError> {
        // Whoever trains comes with a thread of its own.
        self.context.bind_to_thread().map_err(refused("be used from this thread"))?;
        let function = self.function(&kernel.program(), "train")?;
        let shared = kernel.shared_bytes(input_steps);
        function
            .set_attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared as i32)
            .map_err(refused("give a kernel its shared memory"))?;
        let each = function
            .occupancy_max_active_blocks_per_multiprocessor(kernel.threads() as u32, shared, None)
            .map_err(refused("count the blocks that run at once"))?;
        Ok((function, self.multiprocessors * each.max(1) as usize))
    }

    /// Operations a second of a unit that does nothing else: the best of a few tries.
    pub(super) fn peak(&self, unit: Unit) -> Result<f64, CudaError> {
        const THREADS: u32 = 256;
        const TURNS: u32 = 2000;
        let failed = refused("measure its ceiling");
        let function = self.function(&unit.peak(self.chip.capability), "peak")?;
        let blocks = self.multiprocessors as u32 * 2;
        let out = self.stream.alloc_zeros::<f32>((blocks * THREADS) as usize).map_err(&failed)?;
        let address = out.device_ptr(&self.stream).0;
        let config = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
        let mut best: f64 = 0.0;
        for _ in 0..5 {
            self.stream.synchronize().map_err(&failed)?;
            let start = Instant::now();
            // SAFETY: the kernel writes one number a thread, for which there is room.
            unsafe { self.stream.launch_builder(&function).arg(&address).arg(&TURNS).launch(config) }
                .map_err(&failed)?;
            self.stream.synchronize().map_err(&failed)?;
            let warps = f64::from(blocks * THREADS / 32);
            best = best.max(warps * f64::from(TURNS) * unit.peak_operations() / start.elapsed().as_secs_f64());
        }
        Ok(best)
    }

    /// How many networks of a shape run at the same time.
    pub(super) fn side_by_side(
        &self,
        shape: Shape,
        precision: Precision,
        input_steps: usize,
    ) -> Result<usize, CudaError> {
        Ok(self.blocks(&self.kernel(shape, precision), input_steps)?.1)
    }
}

impl Device for CudaDevice {
    fn precision(&self, shape: Shape, asked: Precision, input_steps: usize) -> Precision {
        if self.kernel(shape, asked).fits(input_steps) { asked } else { Precision::Plain }
    }

    fn prepare(&self, shape: Shape, precision: Precision) -> Result<(), CudaError> {
        self.function(&self.kernel(shape, precision).program(), "train").map(drop)
    }

    fn capacity(
        &self,
        shape: Shape,
        precision: Precision,
        steps: usize,
        horizon: usize,
        rows_each: usize,
    ) -> Result<usize, CudaError> {
        let kernel = self.kernel(shape, precision);
        let (_, blocks) = self.blocks(&kernel, steps - horizon)?;
        // What was given back is free only once the stream has come so far.
        let failed = refused("tell how much memory is free");
        self.stream.synchronize().map_err(&failed)?;
        let (free, _) = self.context.mem_get_info().map_err(&failed)?;
        let free = free - free / RESERVE;
        let function =
            if shape.function == FunctionKind::Matrix { (steps - horizon) * shape.components.pow(2) * 8 } else { 0 };
        let targets = target_numbers(shape, horizon) * 4;
        let network = 3 * 4 * shape.parameter_stride()
            + size_of::<Plan>()
            + rows_each * size_of::<Row>()
            + horizon * 8
            + targets
            + function;
        let block = kernel.scratch_bytes(steps) + horizon * kernel.sums_per_step() * 8;
        if network + block > free {
            let mib = |bytes: usize| bytes >> 20;
            return Err(CudaError::Memory {
                hidden: shape.hidden,
                steps,
                needed: mib(network + block) + 1,
                free: mib(free),
            });
        }
        // As many as there are blocks need room to work in, more only room to wait.
        let all_blocks = blocks * (network + block);
        Ok(if all_blocks > free { free / (network + block) } else { blocks + (free - all_blocks) / network })
    }

    fn open<'a>(&'a self, wave: &Wave<'a>, precision: Precision) -> Result<Box<dyn Session + 'a>, CudaError> {
        let kernel = self.kernel(wave.shape, precision);
        let (horizon, input_steps, count) = (wave.longest_horizon(), wave.longest_input(), wave.jobs.len());
        let (function, most_blocks) = self.blocks(&kernel, input_steps)?;
        let blocks = most_blocks.min(count);
        let components = wave.shape.components;
        let target_stride = target_numbers(wave.shape, horizon);
        let function_stride =
            if wave.shape.function == FunctionKind::Matrix { input_steps * components * components } else { 0 };
        let mut targets = vec![0u32; (count * target_stride).max(1)];
        let mut functions = vec![0f64; (count * function_stride).max(1)];
        for (k, job) in wave.jobs.iter().enumerate() {
            let Ok(task) = job.task.window() else { continue };
            let table = target_table(task, job.params.curriculum.longest());
            targets[k * target_stride..][..table.len()].copy_from_slice(&table);
            if let Function::Dense(matrix) = task.function() {
                let window = task.width();
                for i in 0..components {
                    for j in 0..window {
                        functions[k * function_stride + i * window + j] = matrix[(i, j)];
                    }
                }
            }
        }
        let failed = refused("copy networks to the device");
        let (stream, numbers) = (&self.stream, &wave.numbers);
        let scratch_stride = kernel.scratch_bytes(horizon + input_steps);
        let sums_stride = horizon * kernel.sums_per_step();
        let mut session = CudaSession {
            stream: stream.clone(),
            function,
            config: LaunchConfig {
                grid_dim: (blocks as u32, 1, 1),
                block_dim: (kernel.threads() as u32, 1, 1),
                shared_mem_bytes: kernel.shared_bytes(input_steps) as u32,
            },
            plans: stream.clone_htod(&vec![Plan::default(); count]).map_err(&failed)?,
            weights: stream.clone_htod(&numbers.weights).map_err(&failed)?,
            first_moments: stream.clone_htod(&numbers.first_moments).map_err(&failed)?,
            second_moments: stream.clone_htod(&numbers.second_moments).map_err(&failed)?,
            rolling_losses: stream.clone_htod(&numbers.rolling_losses).map_err(&failed)?,
            targets: stream.clone_htod(&targets).map_err(&failed)?,
            functions: stream.clone_htod(&functions).map_err(&failed)?,
            rows: stream.alloc_zeros(count * wave.rows_each).map_err(&failed)?,
            scratch: stream.alloc_zeros(blocks * scratch_stride).map_err(&failed)?,
            sums: stream.alloc_zeros(blocks * sums_stride * 2).map_err(&failed)?,
            queue: stream.alloc_zeros(1).map_err(&failed)?,
            slices_done: stream.alloc_zeros(count).map_err(&failed)?,
            launch: Launch::default(),
            whole: count <= blocks,
        };
        session.launch = session.addresses(Launch {
            scratch_stride: scratch_stride as u64,
            networks: count as u32,
            parameter_stride: wave.shape.parameter_stride() as u32,
            target_stride: target_stride as u32,
            function_stride: function_stride as u32,
            rolling_stride: horizon as u32,
            row_stride: wave.rows_each as u32,
            sums_stride: sums_stride as u32,
            bit_words: kernel.bit_words(input_steps, horizon) as u32,
            ..Launch::default()
        });
        Ok(Box::new(session))
    }
}

struct CudaSession {
    stream: Arc<CudaStream>,
    function: CudaFunction,
    config: LaunchConfig,
    plans: CudaSlice<Plan>,
    weights: CudaSlice<f32>,
    first_moments: CudaSlice<f32>,
    second_moments: CudaSlice<f32>,
    rolling_losses: CudaSlice<f64>,
    targets: CudaSlice<u32>,
    functions: CudaSlice<f64>,
    rows: CudaSlice<Row>,
    scratch: CudaSlice<u8>,
    sums: CudaSlice<f32>,
    queue: CudaSlice<u32>,
    slices_done: CudaSlice<u32>,
    launch: Launch,
    /// Every network has a block to itself.
    whole: bool,
}

impl CudaSession {
    fn addresses(&self, launch: Launch) -> Launch {
        fn address<T>(slice: &CudaSlice<T>, stream: &CudaStream) -> u64 {
            slice.device_ptr(stream).0
        }
        let stream = &self.stream;
        Launch {
            plans: address(&self.plans, stream),
            weights: address(&self.weights, stream),
            first_moments: address(&self.first_moments, stream),
            second_moments: address(&self.second_moments, stream),
            targets: address(&self.targets, stream),
            functions: address(&self.functions, stream),
            rolling_losses: address(&self.rolling_losses, stream),
            rows: address(&self.rows, stream),
            scratch: address(&self.scratch, stream),
            sums: address(&self.sums, stream),
            queue: address(&self.queue, stream),
            slices_done: address(&self.slices_done, stream),
            ..launch
        }
    }
}

impl Session for CudaSession {
    fn launch(&mut self, plans: &[Plan]) -> Result<(), CudaError> {
        let failed = refused("start a kernel");
        let longest = plans.iter().map(|plan| plan.until - plan.begin).max().unwrap_or(0).max(1);
        self.launch.slice_steps = if self.whole { longest } else { SLICE_STEPS };
        self.launch.slices = longest.div_ceil(self.launch.slice_steps);
        self.stream.memcpy_htod(plans, &mut self.plans).map_err(&failed)?;
        self.stream.memset_zeros(&mut self.queue).map_err(&failed)?;
        self.stream.memset_zeros(&mut self.slices_done).map_err(&failed)?;
        let mut builder = self.stream.launch_builder(&self.function);
        builder.arg(&self.launch);
        // SAFETY: the argument is the kernel's, its addresses are of this session's buffers, which have the sizes that
        // the kernel's strides say, and outlive the launch: `wait` or the drop of the stream's buffers comes after it.
        unsafe { builder.launch(self.config) }.map_err(&failed)?;
        Ok(())
    }

    fn wait(&mut self) -> Result<(Vec<Plan>, Vec<Row>), CudaError> {
        let failed = refused("finish a kernel");
        let plans = self.stream.clone_dtoh(&self.plans).map_err(&failed)?;
        let rows = self.stream.clone_dtoh(&self.rows).map_err(&failed)?;
        self.stream.synchronize().map_err(&failed)?;
        Ok((plans, rows))
    }

    fn download(&mut self) -> Result<Numbers, CudaError> {
        let failed = refused("copy networks from the device");
        let numbers = Numbers {
            weights: self.stream.clone_dtoh(&self.weights).map_err(&failed)?,
            first_moments: self.stream.clone_dtoh(&self.first_moments).map_err(&failed)?,
            second_moments: self.stream.clone_dtoh(&self.second_moments).map_err(&failed)?,
            rolling_losses: self.stream.clone_dtoh(&self.rolling_losses).map_err(&failed)?,
        };
        self.stream.synchronize().map_err(&failed)?;
        Ok(numbers)
    }
}
