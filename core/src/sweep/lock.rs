//! Claims: whoever works on a network holds a lock on a file, which the system takes back even from a process that is killed.

use super::SweepError;
use crate::files::cannot;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Tries before a lock counts as held: whoever asks for the status holds it for a moment.
const TRIES: usize = 3;
/// Time between two tries.
const BETWEEN: Duration = Duration::from_millis(20);

/// The right to work on a network, until dropped.
#[derive(Debug)]
pub struct NetworkLock {
    // Closing the file gives the lock back.
    _file: File,
}

impl NetworkLock {
    /// Claims the network of a lock file; nothing if somebody else works on it.
    pub(super) fn take(path: &Path) -> Result<Option<Self>, SweepError> {
        let mut file = open(path)?;
        for attempt in 1..=TRIES {
            match file.try_lock() {
                Ok(()) => {
                    let owner = format!("{} process {}\n", host(), std::process::id());
                    let written = file.set_len(0).and_then(|()| file.write_all(owner.as_bytes()));
                    written.map_err(cannot("write", path))?;
                    return Ok(Some(Self { _file: file }));
                }
                Err(TryLockError::WouldBlock) if attempt < TRIES => std::thread::sleep(BETWEEN),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => return Err(cannot("lock", path)(source).into()),
            }
        }
        Ok(None)
    }

    /// Waits until the lock is free and takes it.
    pub(super) fn wait(path: &Path) -> Result<Self, SweepError> {
        let file = open(path)?;
        file.lock().map_err(cannot("lock", path))?;
        Ok(Self { _file: file })
    }

    /// Who holds a lock file, if anybody does.
    pub(super) fn holder(path: &Path) -> Option<String> {
        let file = File::open(path).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(std::fs::read_to_string(path).unwrap_or_default().trim().into()),
            Ok(()) | Err(TryLockError::Error(_)) => None,
        }
    }
}

fn open(path: &Path) -> Result<File, SweepError> {
    let opened = OpenOptions::new().create(true).truncate(false).write(true).open(path);
    Ok(opened.map_err(cannot("open", path))?)
}

fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name.map_or_else(|_| "this machine".into(), |name| name.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_keeps_others_out_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t1");
        let claim = NetworkLock::take(&path).unwrap().expect("nobody else is here");
        assert!(NetworkLock::take(&path).unwrap().is_none());
        assert!(NetworkLock::holder(&path).unwrap().contains(&std::process::id().to_string()));
        drop(claim);
        assert!(NetworkLock::holder(&path).is_none());
        assert!(NetworkLock::take(&path).unwrap().is_some());
    }
}
