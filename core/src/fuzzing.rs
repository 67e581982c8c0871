//! Entry points of the fuzz targets (`fuzz/`): one function for each parser, built only with `--cfg fuzzing`.
//!
//! A parser must not panic, and a network or a task that is written and read again must come back the same. Checksums
//! are not compared in such a build, or nothing behind them would ever be reached.

pub use crate::network::fuzzing::{npy, pickle, zip};
pub use crate::run_folder::fuzzing::{checkpoint, manifest, snapshots};

use crate::interpret::Interpretation;
use crate::network::NetworkFile;
use crate::sweep::Plan;
use crate::task::{Gate, Source, Task, Window};
use std::path::Path;

/// Plans of at most this many networks are listed in full.
const FEW_RUNS: u64 = 50;

/// A safetensors file.
pub fn safetensors(bytes: &[u8]) {
    network(bytes, "network.safetensors");
}

/// A NumPy archive.
pub fn npz(bytes: &[u8]) {
    network(bytes, "network.npz");
}

/// A PyTorch file.
pub fn pytorch(bytes: &[u8]) {
    network(bytes, "network.pt");
}

fn network(bytes: &[u8], path: &str) {
    let Ok(file) = NetworkFile::from_bytes(bytes, Path::new(path), None) else { return };
    let written = file.to_safetensors().unwrap_or_else(|error| panic!("what was read cannot be written: {error}"));
    match NetworkFile::from_bytes(&written, Path::new("again.safetensors"), None) {
        Ok(again) => assert_eq!(file.network, again.network),
        Err(error) => panic!("what was written cannot be read: {error}"),
    }
    let _ = file.task(None, None);
}

/// A task file.
pub fn task(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(task) = Task::from_toml(text, "task.toml", "task") {
        comes_back(&task);
    }
}

fn comes_back(task: &Task) {
    match Task::from_toml(&task.to_toml(), "again.toml", "again") {
        Ok(again) => assert!(task.same_function(&again), "{} comes back as {}", task.to_toml(), again.to_toml()),
        Err(error) => panic!("{} does not come back: {error}", task.to_toml()),
    }
}

/// What a person types: formulas, names, ids, a change.
pub fn formulas(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for size in [(None, None), (Some(4), Some(3))] {
        if let Ok(task) = Window::from_formulas(text, size.0, size.1) {
            comes_back(&task.into());
        }
        if let Ok(task @ Task::Program(_)) = Task::written(text, size.0, size.1) {
            comes_back(&task);
        }
    }
    let _ = (Gate::parse(text), Source::parse(text));
}

/// A sweep file. Task files that it names are looked for in a folder that does not exist.
pub fn sweep(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(plan) = Plan::parse(text, "sweep.toml", Path::new("no/such/folder")) else { return };
    if plan.count() <= FEW_RUNS {
        let _ = plan.runs();
    }
}

/// A saved interpretation.
pub fn interpretation(bytes: &[u8]) {
    if let Ok((found, network)) = Interpretation::from_bytes(bytes) {
        let _ = found.to_bytes(network.as_ref());
    }
}
