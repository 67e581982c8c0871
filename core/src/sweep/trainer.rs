//! The training engine that a sweep works with.

use crate::train::Engine;
use crate::train::cpu::CpuEngine;

/// A training engine, and how it likes its work.
pub struct Trainer {
    /// What manifests say about it.
    pub name: String,
    /// The engine.
    pub engine: Box<dyn Engine + Sync + Send>,
    /// Lists that are trained at the same time.
    pub workers: usize,
    /// Networks in a list.
    pub list: usize,
    /// Threads that interpret the networks of a list.
    pub interpreters: usize,
}

/// Networks that a device trains at the same time; each holds two files open.
const DEVICE_LIST: usize = 256;

impl Trainer {
    /// Many networks at once on a device; their interpretation takes as many threads as are given.
    pub fn device(name: String, engine: Box<dyn Engine + Sync + Send>, threads: usize) -> Self {
        Self { name, engine, workers: 1, list: DEVICE_LIST, interpreters: threads.max(1) }
    }

    /// One network a core.
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
