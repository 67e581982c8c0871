//! The training engine that a sweep works with.

use super::open_files;
use crate::train::Engine;
use crate::train::cpu::CpuEngine;
#[cfg(feature = "cuda")]
use crate::train::{
    Device,
    cuda::{CudaError, Precision},
};

/// A training engine, and how work is divided for it.
pub struct Trainer {
    /// Its name, as manifests record it.
    pub name: String,
    /// The engine.
    pub engine: Box<dyn Engine + Sync + Send>,
    /// Lists that are worked on at the same time.
    pub workers: usize,
    /// The most networks in a list; those of one list have the same shape.
    pub list: usize,
    /// Threads that interpret the networks of a list.
    pub interpreters: usize,
}

/// Lists of a device, which trains one after the other: the others are prepared, interpreted or written meanwhile.
const DEVICE_LISTS: usize = 3;
/// The most networks that a device trains at the same time.
const DEVICE_LIST: usize = 512;

impl Trainer {
    /// One network a core, or many at once on a device.
    #[cfg(feature = "cuda")]
    pub fn on(device: Device, precision: Precision, cores: usize) -> Result<Self, CudaError> {
        if device == Device::Cpu {
            return Ok(Self::cpu(cores));
        }
        let (engine, name) = device.engine(precision, None)?;
        Ok(Self::device(name, engine, cores))
    }

    /// Many networks at once on a device; their interpretation takes as many threads as are given.
    pub fn device(name: String, engine: Box<dyn Engine + Sync + Send>, threads: usize) -> Self {
        let list = DEVICE_LIST.min(open_files::room() / DEVICE_LISTS).max(1);
        Self { name, engine, workers: DEVICE_LISTS, list, interpreters: threads.max(1) }
    }

    /// One network on each of so many threads.
    pub fn cpu(threads: usize) -> Self {
        let engine = CpuEngine { threads: 1, ..CpuEngine::default() };
        Self {
            name: format!("cpu {}", engine.isa),
            engine: Box::new(engine),
            workers: threads.max(1),
            list: 1,
            interpreters: 1,
        }
    }
}
