//! What can keep the CUDA engine from training.

use crate::setting::Setting;

/// Why networks cannot be trained on a CUDA device.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// No driver library on this machine.
    #[error(
        "there is no CUDA driver on this machine (libcuda was not found): install NVIDIA's driver, or train on the \
         processor ({})",
        Setting::word("device", "cpu")
    )]
    NoDriver,
    /// A driver, but nothing to drive.
    #[error(
        "the CUDA driver has no device to offer ({problem}): look at what nvidia-smi says, or train on the processor \
         ({})",
        Setting::word("device", "cpu")
    )]
    NoDevice {
        /// The message of the driver.
        problem: String,
    },
    /// A device from before the oldest that the kernels are written for.
    #[error(
        "{name} has compute capability {major}.{minor}, but 7.0 is needed: train on the processor ({})",
        Setting::word("device", "cpu")
    )]
    TooOld {
        /// The device.
        name: String,
        /// Its compute capability, first number.
        major: i32,
        /// Second number.
        minor: i32,
    },
    /// No run-time compiler, and no compiled kernel kept from earlier.
    #[error(
        "CUDA's run-time compiler was not found (libnvrtc): install the CUDA toolkit or put the folder of libnvrtc on \
         LD_LIBRARY_PATH, or train on the processor ({})",
        Setting::word("device", "cpu")
    )]
    NoCompiler,
    /// A kernel that this compiler does not take.
    #[error("the kernel {kernel} does not compile: {log}")]
    Compile {
        /// Which kernel, with its sizes.
        kernel: String,
        /// The message of the compiler.
        log: String,
    },
    /// A call that the driver refused.
    #[error("the CUDA driver could not {action}: {problem}")]
    Call {
        /// What was being done.
        action: &'static str,
        /// The message of the driver.
        problem: String,
    },
    /// Not even one network fits.
    #[error(
        "one network of {hidden} units over {steps} time steps needs {needed} MiB on the device, but {free} are free: \
         shorten the horizon, or train on the processor ({})",
        Setting::word("device", "cpu")
    )]
    Memory {
        /// Hidden units.
        hidden: usize,
        /// Time steps of the longest batch.
        steps: usize,
        /// Needed, in MiB.
        needed: usize,
        /// Free, in MiB.
        free: usize,
    },
    /// A curriculum with more stages than a plan holds.
    #[error("the curriculum has {found} horizons, but the CUDA engine holds {limit}: leave some out")]
    TooManyStages {
        /// How many there are.
        found: usize,
        /// How many fit.
        limit: usize,
    },
}
