//! Where to train, and how exactly.

use crate::failure::Failure;
use clap::ValueEnum;
use ketbra::sweep::Trainer;
use ketbra::train::Engine;
use ketbra::train::cpu::CpuEngine;
use ketbra::train::cuda::{CudaEngine, Precision};

/// The device that trains.
#[derive(clap::Args)]
pub struct DeviceChoice {
    /// Where to train
    #[arg(long, alias = "engine", value_enum, default_value = "cpu")]
    pub device: DeviceName,
    /// How exactly a CUDA device multiplies: single as good as fp32, plain fp32, fast fewer products backward
    #[arg(long, value_enum, default_value = "single")]
    pub precision: PrecisionName,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeviceName {
    Cpu,
    Cuda,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum PrecisionName {
    Single,
    Plain,
    Fast,
}

impl PrecisionName {
    pub fn precision(self) -> Precision {
        match self {
            Self::Single => Precision::Single,
            Self::Plain => Precision::Plain,
            Self::Fast => Precision::Fast,
        }
    }
}

/// Most threads that may be asked for: each takes room of its own, whether it has work or not.
const MOST_THREADS: usize = 1024;

/// Refuses a number of threads that cannot be meant.
pub fn check_threads(threads: Option<usize>) -> Result<(), Failure> {
    match threads {
        Some(threads) if !(1..=MOST_THREADS).contains(&threads) => {
            let must = if threads == 0 { "at least 1".into() } else { format!("at most {MOST_THREADS}") };
            Err(Failure::bad_input(format!("--threads is {threads}, but must be {must}")))
        }
        _ => Ok(()),
    }
}

impl DeviceChoice {
    /// What trains the networks of a sweep: one a core, or hundreds at once on a device.
    pub fn trainer(&self, cores: usize) -> Result<Trainer, Failure> {
        if self.device == DeviceName::Cpu {
            return Ok(Trainer::cpu(cores));
        }
        let engine = CudaEngine::new(self.precision.precision())?;
        Ok(Trainer::device(engine.name(), Box::new(engine), cores))
    }

    /// The engine, and the name under which a run remembers it.
    pub fn engine(&self, threads: Option<usize>) -> Result<(Box<dyn Engine + Send + Sync>, String), Failure> {
        check_threads(threads)?;
        if self.device == DeviceName::Cuda {
            let engine = CudaEngine::new(self.precision.precision())?;
            let name = engine.name();
            return Ok((Box::new(engine), name));
        }
        let mut engine = CpuEngine::default();
        engine.threads = threads.unwrap_or(engine.threads);
        let name = format!("cpu {}", engine.isa);
        Ok((Box::new(engine), name))
    }
}
