//! What is left to do for a network, judged by what lies in its folder.

use super::Run;
use super::grid::same;
use crate::network::Network;
use crate::run_folder::{Manifest, RunFolder, RunFolderError, RunResult, RunStatus};
use crate::train::{Job, Start};
use std::path::Path;

/// A network's folder, and what is left to do.
pub(super) struct Prepared {
    pub folder: RunFolder,
    pub left: Left,
}

/// What is left to do.
pub(super) enum Left {
    /// Everything, or what follows a checkpoint.
    Train(Start),
    /// It is trained but not interpreted.
    Interpret(Box<Network>, RunResult),
}

/// Finds out what is left to do. Whatever cannot be gone on from is begun again: it ends with the same bytes.
pub(super) fn prepare(path: &Path, run: &Run, engine: &str) -> Result<Prepared, RunFolderError> {
    remove_litter(path);
    let begin = |force| {
        let manifest = Manifest::new(&run.job.task, run.job.params.clone(), engine.into());
        let folder = RunFolder::create(path, manifest, force)?;
        Ok(Prepared { folder, left: Left::Train(run.job.start.clone()) })
    };
    let folder = match RunFolder::open(path) {
        Ok(folder) => folder,
        Err(RunFolderError::NoRun { .. }) => return begin(false),
        Err(RunFolderError::Manifest { .. }) => return begin(true),
        Err(error) => return Err(error),
    };
    let manifest = folder.manifest();
    let found = Job { task: manifest.task()?, params: manifest.params.clone(), start: Start::Random };
    if !same(&found, &run.job) || manifest.engine != engine {
        return begin(true);
    }
    match (manifest.status, &manifest.result) {
        (RunStatus::Complete, Some(result)) => match folder.read_network() {
            Ok(network) => {
                let left = Left::Interpret(Box::new(network), result.clone());
                Ok(Prepared { folder, left })
            }
            Err(_) => begin(true),
        },
        (RunStatus::Unfinished, _) => match folder.read_checkpoint() {
            Ok((state, _)) => {
                let start = Start::State(Box::new(state));
                match (Job { start: start.clone(), ..run.job.clone() }).check() {
                    Ok(()) => Ok(Prepared { folder, left: Left::Train(start) }),
                    Err(_) => begin(true),
                }
            }
            Err(_) => begin(true),
        },
        _ => begin(true),
    }
}

/// Removes files that a killed process was still writing; the claim says that nobody is.
fn remove_litter(path: &Path) {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".tmp")) {
        // What cannot be removed will be complained about by whoever stumbles over it.
        let _ = std::fs::remove_file(entry.path());
    }
}
