//! Keeps the records of a list of runs in their folders.

use std::sync::Mutex;

use super::metrics::MetricsFile;
use super::snapshots::SnapshotsFile;
use super::{EventFile, RunFolder, RunFolderError, SNAPSHOTS};
use crate::network::Network;
use crate::train::{Metrics, RecordError, TrainObserver, TrainState};

/// Writes metrics and checkpoints of each job to its folder.
pub struct Recorder {
    runs: Vec<Recorded>,
}

struct Recorded {
    folder: RunFolder,
    open: Mutex<Open>,
}

struct Open {
    metrics: MetricsFile,
    events: Option<EventFile>,
    snapshots: Option<SnapshotsFile>,
}

impl Recorder {
    /// A recorder with no runs.
    pub fn new() -> Self {
        Self { runs: Vec::new() }
    }

    /// Adds the run of the next job, which stands at `step`.
    pub fn add(&mut self, folder: RunFolder, step: u64, tensorboard: bool) -> Result<(), RunFolderError> {
        let events = tensorboard.then(|| folder.new_event_file(step)).transpose()?;
        let asked = folder.manifest.params.snapshots.is_some();
        let snapshots = asked.then(|| SnapshotsFile::open(folder.path.join(SNAPSHOTS), step));
        let open = Mutex::new(Open { metrics: folder.open_metrics(step)?, events, snapshots });
        self.runs.push(Recorded { folder, open });
        Ok(())
    }

    /// The folders, in the order of the jobs.
    pub fn into_folders(self) -> Vec<RunFolder> {
        self.runs.into_iter().map(|run| run.folder).collect()
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl TrainObserver for Recorder {
    fn record(&self, job: usize, metrics: &Metrics) -> Result<(), RecordError> {
        let mut open = self.runs[job].open.lock().map_err(|_| "another thread failed while it wrote metrics")?;
        open.metrics.append(metrics)?;
        if let Some(events) = &mut open.events {
            events.append(metrics)?;
        }
        Ok(())
    }

    fn snapshot(&self, job: usize, step: u64, network: &Network) -> Result<(), RecordError> {
        let mut open = self.runs[job].open.lock().map_err(|_| "another thread failed while it wrote metrics")?;
        Ok(open.snapshots.as_mut().map_or(Ok(()), |file| file.append(step, network))?)
    }

    fn checkpoint(&self, job: usize, state: &TrainState) -> Result<(), RecordError> {
        Ok(self.runs[job].folder.write_checkpoint(state)?)
    }
}
