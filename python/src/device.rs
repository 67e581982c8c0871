//! Where networks are trained.

use crate::wording::in_python;
use ketbra::train::cuda::CudaEngine;

pub enum Device {
    Cpu,
    Cuda(CudaEngine),
}

impl Device {
    /// The device of a name, with the precision of another. The processor has one precision.
    pub fn open(device: Option<&str>, precision: Option<&str>) -> Result<Self, String> {
        let precision = precision.map(str::parse).transpose().map_err(in_python)?.unwrap_or_default();
        match device.unwrap_or("cpu") {
            "cpu" => Ok(Self::Cpu),
            "cuda" => CudaEngine::new(precision).map(Self::Cuda).map_err(in_python),
            other => Err(format!("there is no device '{other}'; choose from cpu, cuda")),
        }
    }
}
