//! Where networks are trained.

use crate::wording::in_python;
use ketbra::train::cuda::CudaEngine;

/// The processor, or a CUDA device that was opened.
pub enum Device {
    Cpu,
    Cuda(CudaEngine),
}

impl Device {
    /// Opens a device by its name, with a precision by its name; on the processor there is no choice of precision.
    pub fn open(device: Option<&str>, precision: Option<&str>) -> Result<Self, String> {
        let precision = precision.map(str::parse).transpose().map_err(in_python)?.unwrap_or_default();
        match device.unwrap_or("cpu") {
            "cpu" => Ok(Self::Cpu),
            "cuda" => CudaEngine::new(precision).map(Self::Cuda).map_err(in_python),
            other => Err(format!("there is no device '{other}'; choose from cpu, cuda")),
        }
    }
}
