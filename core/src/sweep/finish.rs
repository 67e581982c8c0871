//! Writes what is finished, in the background: whoever trains need not wait for the disk.

use super::runner::{SweepObserver, Tally};
use super::work::lock;
use super::{NetworkLock, Row, SweepError, SweepFolder, write_csv};
use crate::network::Network;
use crate::run_folder::{RunFolder, RunFolderError, RunResult, RunStatus};
use std::sync::Mutex;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// Finished things that may wait to be written; then whoever brings more must wait.
pub(super) const WAITING: usize = 16;
/// Shortest time between two tables of results.
const TABLE_EVERY: Duration = Duration::from_secs(2);
/// A table is written again after this many times what writing it took.
const TABLE_PATIENCE: u32 = 100;

/// Something to be written.
pub(super) enum Finished {
    /// A network that took all its steps.
    Trained { folder: RunFolder, network: Box<Network>, result: RunResult },
    /// A network that diverged.
    Diverged { folder: RunFolder },
    /// What came of a network; its claim is given back once that is on disk.
    Row { row: Box<Row>, claim: NetworkLock },
}

pub(super) struct Finisher<'a> {
    folder: &'a SweepFolder,
    watcher: &'a dyn SweepObserver,
    tally: &'a Mutex<Tally>,
    next_table: Instant,
}

impl<'a> Finisher<'a> {
    pub(super) fn new(folder: &'a SweepFolder, watcher: &'a dyn SweepObserver, tally: &'a Mutex<Tally>) -> Self {
        Self { folder, watcher, tally, next_table: Instant::now() + TABLE_EVERY }
    }

    /// Writes until nobody has anything more, or until the disk refuses.
    pub(super) fn write_all(mut self, finished: Receiver<Finished>) -> Result<(), SweepError> {
        finished.into_iter().try_for_each(|finished| self.write(finished))
    }

    fn write(&mut self, finished: Finished) -> Result<(), SweepError> {
        let refused = SweepError::damaged::<RunFolderError>(self.folder.path());
        match finished {
            Finished::Trained { mut folder, network, result } => {
                let complete = folder.complete(&network, result);
                complete.and_then(|()| folder.remove_checkpoints()).map_err(refused)
            }
            Finished::Diverged { mut folder } => {
                folder.write_manifest(|manifest| manifest.status = RunStatus::Diverged).map_err(refused)
            }
            Finished::Row { row, claim } => {
                self.folder.write_row(&row)?;
                drop(claim);
                {
                    let mut tally = lock(self.tally);
                    tally.running -= 1;
                    tally.here += 1;
                    tally.count(&row);
                    self.watcher.tally(&tally);
                }
                self.watcher.finished(&row);
                self.write_table()
            }
        }
    }

    fn write_table(&mut self) -> Result<(), SweepError> {
        let begin = Instant::now();
        if begin >= self.next_table {
            write_csv(self.folder)?;
            self.next_table = Instant::now() + TABLE_EVERY.max(begin.elapsed() * TABLE_PATIENCE);
        }
        Ok(())
    }
}
