//! Where networks are trained.

#[cfg(feature = "cuda")]
use super::cuda::{CudaEngine, CudaError, Precision};
#[cfg(feature = "cuda")]
use super::{Engine, cpu::CpuEngine};

/// So many threads as are asked for, or one for each core.
pub fn threads_or_cores(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The processor, or the first CUDA device.
#[cfg(feature = "cuda")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// The processor.
    #[default]
    Cpu,
    /// The first CUDA device.
    Cuda,
}

#[cfg(feature = "cuda")]
crate::choose::words!(Device, "device": Cpu = "cpu", Cuda = "cuda");

/// An engine, and the name under which a run remembers it.
#[cfg(feature = "cuda")]
pub type NamedEngine = (Box<dyn Engine + Send + Sync>, String);

#[cfg(feature = "cuda")]
impl Device {
    /// What trains there. The threads are those of the processor, which leaves no choice of precision.
    pub fn engine(self, precision: Precision, threads: Option<usize>) -> Result<NamedEngine, CudaError> {
        match self {
            Self::Cpu => {
                let engine = CpuEngine { threads: threads_or_cores(threads), ..CpuEngine::default() };
                let name = format!("cpu {}", engine.isa);
                Ok((Box::new(engine), name))
            }
            Self::Cuda => {
                let engine = CudaEngine::new(precision)?;
                let name = engine.name();
                Ok((Box::new(engine), name))
            }
        }
    }
}
