//! Run folders: what a training run leaves on disk, and how it resumes after an interruption.
//!
//! `manifest.json` says what the run is, `network.safetensors` holds the weights, `metrics.csv` the course of training,
//! `checkpoint` all that is needed to go on, `checkpoint.previous` the one before in case something happens to it,
//! `held.safetensors` what training may not change.

mod checkpoint;
mod error;
mod events;
#[cfg(fuzzing)]
pub(crate) mod fuzzing;
mod manifest;
mod metrics;
mod recorder;
mod snapshots;
mod training;

pub use error::RunFolderError;
pub use events::EventFile;
pub use manifest::{ContextRecord, ContextResult, KeptTask, Manifest, RunResult, RunStatus, TaskRecord};
pub use recorder::Recorder;
pub use training::{Resumed, Trained};

use std::fs;
use std::path::{Path, PathBuf};

use crate::files::{cannot, read_bytes, read_text, write_whole, write_whole_unsynced};
use crate::network::{MAX_FILE_BYTES, MAX_HIDDEN, Network, NetworkFile};
use crate::train::held::encode;
use crate::train::{TrainParams, TrainState};

/// The largest manifest that is read, in bytes: it holds the text of the task, which may be as long as a task file.
const MAX_MANIFEST_BYTES: u64 = 32 << 20;
/// The largest table of metrics that is read: [`crate::train::limits::MAX_METRICS`] rows of 128 bytes.
const MAX_METRICS_BYTES: u64 = crate::train::limits::MAX_METRICS << 7;
/// Gates of the cell that has most of them.
const MOST_GATES: u64 = 4;
/// Bytes of a checkpoint beside its weights: headers, and a loss for each step of the longest horizon.
const CHECKPOINT_HEADERS: u64 = 4 << 20;

const MANIFEST: &str = "manifest.json";
const NETWORK: &str = "network.safetensors";
const METRICS: &str = "metrics.csv";
const SNAPSHOTS: &str = "snapshots.safetensors";
const HELD: &str = "held.safetensors";
const CHECKPOINT: &str = "checkpoint";
const CHECKPOINT_PREVIOUS: &str = "checkpoint.previous";
const CHECKPOINT_NEW: &str = "checkpoint.new";
const EVENTS_PREFIX: &str = "events.out.tfevents.";

/// A folder with one training run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
    manifest: Manifest,
}

impl RunFolder {
    /// Makes a folder for a new run. One that holds a run is only replaced with `force`, one that holds anything else never.
    pub fn create(path: &Path, manifest: Manifest, force: bool) -> Result<Self, RunFolderError> {
        let occupied = match fs::read_dir(path) {
            Ok(mut entries) => entries.next().is_some(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
            Err(source) => return Err(cannot("read", path)(source).into()),
        };
        if occupied {
            if !path.join(MANIFEST).exists() {
                return Err(RunFolderError::NotARun { path: path.into() });
            }
            if !force {
                return Err(match Self::open(path)?.manifest.status {
                    RunStatus::Complete => RunFolderError::Complete { path: path.into() },
                    RunStatus::Unfinished | RunStatus::Diverged => RunFolderError::Unfinished { path: path.into() },
                });
            }
            remove_run(path)?;
        }
        fs::create_dir_all(path).map_err(cannot("make the folder", path))?;
        let file = path.join(MANIFEST);
        write_whole_unsynced(&file, manifest.to_text()?.as_bytes()).map_err(cannot("write", &file))?;
        if let Some(held) = manifest.params.restraint.as_ref().and_then(|restraint| restraint.held.as_ref()) {
            let file = path.join(HELD);
            let bytes = encode(held).map_err(|problem| RunFolderError::Checkpoint { path: file.clone(), problem })?;
            write_whole_unsynced(&file, &bytes).map_err(cannot("write", &file))?;
        }
        Ok(Self { path: path.into(), manifest })
    }

    /// The parameters of the run, with what is held of the weights that it began with.
    pub fn params(&self) -> Result<TrainParams, RunFolderError> {
        let mut params = self.manifest.params.clone();
        if let Some(restraint) = &mut params.restraint {
            let path = self.path.join(HELD);
            let bytes = read_bytes(&path, MAX_FILE_BYTES).map_err(cannot("read", &path))?;
            let held = restraint.held_in(&bytes, &path);
            restraint.held = Some(held.map_err(|problem| RunFolderError::Checkpoint { path, problem })?);
        }
        Ok(params)
    }

    /// Opens the folder of a run.
    pub fn open(path: &Path) -> Result<Self, RunFolderError> {
        let file = path.join(MANIFEST);
        let text = match read_text(&file, MAX_MANIFEST_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(RunFolderError::NoRun { path: path.into() });
            }
            Err(source) => return Err(cannot("read", &file)(source).into()),
        };
        Ok(Self { path: path.into(), manifest: Manifest::parse(&text, &file)? })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Changes the manifest, on disk first.
    pub fn write_manifest(&mut self, change: impl FnOnce(&mut Manifest)) -> Result<(), RunFolderError> {
        let mut changed = self.manifest.clone();
        change(&mut changed);
        let path = self.path.join(MANIFEST);
        write_whole(&path, changed.to_text()?.as_bytes()).map_err(cannot("write", &path))?;
        self.manifest = changed;
        Ok(())
    }

    /// Writes the weights, with the task in the file's metadata.
    pub fn write_network(&self, network: &Network) -> Result<(), RunFolderError> {
        let file = NetworkFile::new(network.clone(), self.manifest.metadata()?);
        Ok(file.save(&self.path.join(NETWORK))?)
    }

    /// Reads the weights.
    pub fn read_network(&self) -> Result<Network, RunFolderError> {
        let path = self.path.join(NETWORK);
        Ok(NetworkFile::open(&path)?.network)
    }

    /// Keeps a checkpoint and the one before it. At every moment one of the two is whole.
    pub fn write_checkpoint(&self, state: &TrainState) -> Result<(), RunFolderError> {
        let bytes = checkpoint::encode(state, self.manifest.fingerprint()?)?;
        let [new, current, previous] =
            [CHECKPOINT_NEW, CHECKPOINT, CHECKPOINT_PREVIOUS].map(|name| self.path.join(name));
        write_whole(&new, &bytes).map_err(cannot("write", &new))?;
        if current.exists() {
            fs::rename(&current, &previous).map_err(cannot("rename", &current))?;
        }
        Ok(fs::rename(&new, &current).map_err(cannot("rename", &new))?)
    }

    /// The newest checkpoint that is whole, and what is wrong with a newer one that is not.
    pub fn read_checkpoint(&self) -> Result<(TrainState, Option<RunFolderError>), RunFolderError> {
        let fingerprint = self.manifest.fingerprint()?;
        let largest = self.largest_checkpoint();
        let read = |name: &str| {
            let path = self.path.join(name);
            let bytes = read_bytes(&path, largest).map_err(cannot("read", &path))?;
            checkpoint::decode(&bytes, fingerprint, &path)
        };
        let newest = match read(CHECKPOINT) {
            Ok(state) => return Ok((state, None)),
            Err(error) => error,
        };
        match read(CHECKPOINT_PREVIOUS) {
            Ok(state) => Ok((state, Some(newest))),
            Err(previous) => Err(RunFolderError::NoCheckpoint {
                path: self.path.clone(),
                newest: newest.to_string(),
                previous: previous.to_string(),
            }),
        }
    }

    /// Bytes of a checkpoint of this run at most: the weights, both moments and the best weights in f64, of the cell with most.
    fn largest_checkpoint(&self) -> u64 {
        let hidden = self.manifest.params.hidden.min(MAX_HIDDEN) as u64;
        let layers = self.manifest.params.layers as u64;
        let d = (self.manifest.task.d + self.manifest.task.contexts.len()) as u64;
        let layer =
            hidden.saturating_mul(hidden.saturating_add(hidden.max(d)).saturating_add(2)).saturating_mul(MOST_GATES);
        let weights = layer.saturating_mul(layers).saturating_add(d.saturating_mul(hidden + 1));
        weights.saturating_mul(4 * 8).saturating_add(CHECKPOINT_HEADERS).min(4 * MAX_FILE_BYTES)
    }

    /// Removes the checkpoints of a run that needs them no more.
    pub fn remove_checkpoints(&self) -> Result<(), RunFolderError> {
        for name in [CHECKPOINT, CHECKPOINT_PREVIOUS, CHECKPOINT_NEW] {
            let path = self.path.join(name);
            match fs::remove_file(&path) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(cannot("remove", &path)(source).into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The table of metrics in a folder, where there is one of a size that it can have.
    pub(crate) fn metrics_text(folder: &Path) -> Option<String> {
        read_text(&folder.join(METRICS), MAX_METRICS_BYTES).ok()
    }

    /// The mean horizon over the rows of metrics: what a step of training cost.
    pub fn mean_horizon(&self) -> Option<f64> {
        metrics::mean_horizon(&Self::metrics_text(&self.path)?)
    }

    /// Opens the table of metrics and drops the rows after `step`.
    pub fn open_metrics(&self, step: u64) -> Result<metrics::MetricsFile, RunFolderError> {
        metrics::MetricsFile::open(self.path.join(METRICS), step)
    }

    /// The weights that were kept during training, each with its step; none where nobody asked for them.
    pub fn read_snapshots(&self) -> Result<Vec<(u64, Network)>, RunFolderError> {
        let path = self.path.join(SNAPSHOTS);
        if !path.exists() { Ok(vec![]) } else { snapshots::networks(&path, &self.read_network()?) }
    }

    /// A new TensorBoard event file that takes over after `step`.
    pub fn new_event_file(&self, step: u64) -> Result<EventFile, RunFolderError> {
        EventFile::create(&self.path, EVENTS_PREFIX, step)
    }
}

/// Removes the files of a run, and nothing else.
fn remove_run(path: &Path) -> Result<(), RunFolderError> {
    let entries = fs::read_dir(path).map_err(cannot("read", path))?;
    let known = [NETWORK, METRICS, SNAPSHOTS, HELD, CHECKPOINT, CHECKPOINT_PREVIOUS, CHECKPOINT_NEW, MANIFEST];
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if known.contains(&name.as_ref()) || name.starts_with(EVENTS_PREFIX) {
            fs::remove_file(entry.path()).map_err(cannot("remove", &entry.path()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::CellKind;
    use crate::task::Task;
    use crate::train::{BestWeights, Evaluations};

    #[test]
    fn a_checkpoint_of_any_cell_is_within_its_limit() {
        let task = Task::named("T1", None, None).unwrap();
        for cell in CellKind::ALL {
            let mut params = TrainParams { hidden: 300, layers: 2, bias: true, ..TrainParams::default() };
            params.choose_cell(cell, &task);
            let network = params.random_network(8);
            let best = Some(BestWeights { step: 1, loss: 0.5, network: network.clone().into() });
            let state = TrainState {
                step: 1,
                curriculum: params.curriculum.begin(),
                first_moment: network.clone(),
                second_moment: network.clone(),
                network,
                metrics: None,
                evaluations: Evaluations { best, ..Evaluations::default() },
            };
            let manifest = Manifest::new(&task, params, "test".into());
            let folder = RunFolder { path: PathBuf::new(), manifest };
            let bytes = checkpoint::encode(&state, 0).unwrap().len() as u64;
            assert!(bytes <= folder.largest_checkpoint(), "{cell:?}: {bytes}");
        }
    }
}
