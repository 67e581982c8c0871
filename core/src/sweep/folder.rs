//! The folder of a sweep.
//!
//! One folder a network, `results.csv` over all of them, `networks.txt` with the names that were asked for; `.claims` holds
//! a lock file for each network, `slurm` what was submitted.

use super::{NetworkLock, Row, Run, SweepError};
use crate::files::{cannot, read_text, write_whole, write_with_folders};
use crate::run_folder::RunFolder;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const CLAIMS: &str = ".claims";
const NAMES: &str = "networks.txt";
const RESULT: &str = "result.json";
const TABLE: &str = "results.csv";

/// The longest list of names that is read, in bytes: [`super::MAX_NETWORKS`] names of 128 bytes.
const MAX_NAMES_BYTES: u64 = super::MAX_NETWORKS << 7;
/// The largest result of a network that is read, in bytes.
const MAX_RESULT_BYTES: u64 = 1 << 20;

/// A folder with the networks of a sweep.
#[derive(Clone, Debug)]
pub struct SweepFolder {
    path: PathBuf,
}

impl SweepFolder {
    /// Makes the folder, or opens it, and adds runs to those that it is meant to hold.
    pub fn create(path: &Path, runs: &[Run]) -> Result<Self, SweepError> {
        let claims = path.join(CLAIMS);
        fs::create_dir_all(&claims).map_err(cannot("make the folder", &claims))?;
        let folder = Self { path: path.into() };
        let _claim = NetworkLock::wait(&folder.table_lock())?;
        let known: BTreeSet<String> = folder.names().unwrap_or_default().into_iter().collect();
        let all: BTreeSet<String> = known.iter().cloned().chain(runs.iter().map(|run| run.name.clone())).collect();
        let file = path.join(NAMES);
        if all != known || !file.exists() {
            let text: String = all.iter().flat_map(|name| [name.as_str(), "\n"]).collect();
            write_whole(&file, text.as_bytes()).map_err(cannot("write", &file))?;
        }
        Ok(folder)
    }

    /// Names runs for a folder. A task file may have got another f under its old name: where a name is taken by another network, the
    /// run gets one of its own, so that neither is lost, nor taken for the other.
    pub fn named(path: &Path, runs: Vec<Run>) -> Result<Vec<Run>, SweepError> {
        let folder = Self { path: path.into() };
        let named = |run: Run| {
            let key = run.key().map_err(SweepError::damaged(path))?;
            let name = if folder.is_taken(&run, &key) { format!("{}-f{key}", run.name) } else { run.name };
            Ok(Run { name, ..run })
        };
        runs.into_iter().map(named).collect()
    }

    /// Whether a run's name belongs to a network of another f, or of other settings.
    fn is_taken(&self, run: &Run, key: &str) -> bool {
        if let Some(known) = self.row(&run.name).and_then(|row| row.key) {
            return known != key;
        }
        // Results of earlier versions have no key; and some networks have no result yet.
        let kept = RunFolder::open(&self.run_path(&run.name)).and_then(|kept| kept.manifest().task());
        kept.is_ok_and(|task| !task.same_function(&run.job.task))
    }

    /// Opens the folder of a sweep.
    pub fn open(path: &Path) -> Result<Self, SweepError> {
        if !path.join(NAMES).exists() {
            return Err(SweepError::NoSweep { path: path.into() });
        }
        Ok(Self { path: path.into() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of a network.
    pub fn run_path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The path of `results.csv`, in which all results are gathered.
    pub fn table(&self) -> PathBuf {
        self.path.join(TABLE)
    }

    pub(super) fn table_lock(&self) -> PathBuf {
        self.path.join(CLAIMS).join(TABLE)
    }

    fn lock(&self, name: &str) -> PathBuf {
        self.path.join(CLAIMS).join(name)
    }

    /// The names of all networks that were asked for.
    pub fn names(&self) -> Result<Vec<String>, SweepError> {
        let file = self.path.join(NAMES);
        let text = read_text(&file, MAX_NAMES_BYTES).map_err(cannot("read", &file))?;
        Ok(text.lines().map(String::from).collect())
    }

    /// Claims a network; nothing if somebody else works on it.
    pub fn claim(&self, name: &str) -> Result<Option<NetworkLock>, SweepError> {
        NetworkLock::take(&self.lock(name))
    }

    /// Who works on a network, if anybody does.
    pub fn holder(&self, name: &str) -> Option<String> {
        NetworkLock::holder(&self.lock(name))
    }

    /// What came of a network; nothing where there is no result yet, or none that can be read.
    pub fn row(&self, name: &str) -> Option<Row> {
        let text = read_text(&self.run_path(name).join(RESULT), MAX_RESULT_BYTES).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// What came of every network in the folder, sorted by name.
    pub fn rows(&self) -> Result<Vec<Row>, SweepError> {
        Ok(self.names()?.iter().filter_map(|name| self.row(name)).collect())
    }

    /// Keeps what came of a network.
    pub(super) fn write_row(&self, row: &Row) -> Result<(), SweepError> {
        let path = self.run_path(&row.name).join(RESULT);
        let text = serde_json::to_string_pretty(row).map_err(SweepError::damaged(&path))?;
        let written = write_with_folders(&path, (text + "\n").as_bytes());
        Ok(written.map_err(cannot("write", &path))?)
    }
}
