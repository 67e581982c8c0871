//! From a sweep file to the list of its networks.

use super::{SweepError, file, settings};
use crate::crc32c::crc32c;
use crate::files::{cannot, read_text};
use crate::network::NetworkFile;
use crate::task::Task;
use crate::train::{Job, SettingValue, Start, TrainParams, TrainSetting};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The most networks that are listed: as many as a range of seeds may have.
pub const MAX_NETWORKS: u64 = 1_000_000;
/// The largest sweep file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// One key with the values that it takes in turn.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The key.
    pub key: &'static TrainSetting,
    /// Its values.
    pub values: Vec<SettingValue>,
    /// Where it stands in the file.
    pub line: usize,
}

/// Every combination of some axes.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The axes.
    pub axes: Vec<Axis>,
    /// Where it stands in the file.
    pub line: usize,
}

impl Grid {
    /// How many combinations there are; nothing where they cannot be counted.
    pub fn count(&self) -> Option<u64> {
        self.axes.iter().try_fold(1u64, |count, axis| count.checked_mul(axis.values.len() as u64))
    }

    /// A combination by its place in the order of the file; the last axis moves fastest.
    fn at(&self, mut place: u64) -> Vec<(&'static TrainSetting, &SettingValue)> {
        let mut settings: Vec<_> = vec![];
        for axis in self.axes.iter().rev() {
            let length = axis.values.len() as u64;
            settings.push((axis.key, &axis.values[(place % length) as usize]));
            place /= length;
        }
        settings.reverse();
        settings
    }
}

/// One network of a sweep.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its name, also that of its folder.
    pub name: String,
    /// How it is trained.
    pub job: Job,
    /// The folder that relative paths in the job start from.
    pub folder: PathBuf,
    /// Whether TensorBoard event files are written into its folder.
    pub tensorboard: bool,
    /// Settings of its interpretation that differ from the defaults.
    pub interpret: Map<String, Value>,
}

/// A run as a line of a file that carries everything.
#[derive(Serialize, Deserialize)]
struct StoredRun {
    name: String,
    task: String,
    params: TrainParams,
    /// The network that it begins with: its file, which is opened again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<PathBuf>,
    #[serde(default)]
    tensorboard: bool,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    interpret: Map<String, Value>,
}

impl Run {
    /// A hash of f and of every setting: two runs of one name are the same network if these agree.
    pub fn key(&self) -> Result<String, serde_json::Error> {
        let mut text = self.job.task.to_toml() + &serde_json::to_string(&self.job.params)?;
        if !self.interpret.is_empty() {
            text += &serde_json::to_string(&self.interpret)?;
        }
        Ok(format!("{:08x}", crc32c(text.as_bytes())))
    }

    /// The run as one line of JSON.
    pub(super) fn to_line(&self) -> Result<String, serde_json::Error> {
        let Self { name, job, folder, tensorboard, interpret } = self;
        let from = job.params.from.as_ref().map(|from| folder.join(&from.network));
        let stored = StoredRun {
            name: name.clone(),
            task: job.task.to_toml(),
            params: job.params.clone(),
            from,
            tensorboard: *tensorboard,
            interpret: interpret.clone(),
        };
        serde_json::to_string(&stored)
    }

    /// Reads back what [`Run::to_line`] wrote.
    pub(super) fn from_line(line: &str) -> Result<Self, String> {
        let StoredRun { name, task, params, from, tensorboard, interpret } =
            serde_json::from_str(line).map_err(|error| error.to_string())?;
        let task = Task::from_toml(&task, "task", &name).map_err(|error| error.to_string())?;
        let mut job = Job { task, params, start: Start::Random };
        if let (Some(path), Some(origin)) = (from, job.params.from.clone()) {
            let file = NetworkFile::open(&path).map_err(|error| error.to_string())?;
            let (before, part) = (job.params.clone(), settings::frozen(&job.params).and_then(|part| part.parse().ok()));
            settings::begin_with(&mut job, &origin.network, file, part)?;
            if job.params != before {
                return Err(format!("{} is no longer the network that the sweep began with", path.display()));
            }
        }
        Ok(Self { name, job, folder: PathBuf::new(), tensorboard, interpret })
    }
}

/// What a sweep asks for.
#[derive(Clone, Debug)]
pub struct Plan {
    file: String,
    folder: PathBuf,
    grids: Vec<Grid>,
    interpret: Map<String, Value>,
}

impl Plan {
    /// Reads a sweep file; task files are looked for beside it.
    pub fn read(path: &Path) -> Result<Self, SweepError> {
        let text = read_text(path, MAX_FILE_BYTES).map_err(cannot("read", path))?;
        Self::parse(&text, &path.to_string_lossy(), path.parent().unwrap_or(Path::new("")))
    }

    /// A plan from the text of a sweep file.
    pub fn parse(text: &str, file: &str, folder: &Path) -> Result<Self, SweepError> {
        let (grids, interpret) = file::parse(text, file)?;
        let plan = Self { file: file.into(), folder: folder.into(), grids, interpret };
        plan.check()?;
        Ok(plan)
    }

    /// Tries every value of every axis once, beside the first values of the others.
    fn check(&self) -> Result<(), SweepError> {
        for grid in &self.grids {
            let first = grid.at(0);
            self.job(grid.line, &first)?;
            // Any seed will do, and there may be a million.
            for (k, axis) in grid.axes.iter().enumerate().filter(|(_, axis)| axis.key.name != "seed") {
                for value in &axis.values {
                    let mut settings = first.clone();
                    settings[k].1 = value;
                    self.job(axis.line, &settings)?;
                }
            }
        }
        Ok(())
    }

    fn job(&self, line: usize, settings: &settings::Settings<'_>) -> Result<Job, SweepError> {
        settings::job(settings, &self.folder).map_err(|problem| SweepError::File {
            file: self.file.clone(),
            line,
            problem,
        })
    }

    /// How many networks it asks for, those that are named twice counted twice.
    pub fn count(&self) -> u64 {
        self.grids.iter().fold(0u64, |sum, grid| sum.saturating_add(grid.count().unwrap_or(u64::MAX)))
    }

    /// The last network of each grid with how many there are of its kind: what estimates rest on.
    pub fn samples(&self) -> Result<Vec<(Job, u64)>, SweepError> {
        let last = |grid: &Grid| grid.count().unwrap_or(u64::MAX).saturating_sub(1);
        let sample = |grid: &Grid| Ok((self.job(grid.line, &grid.at(last(grid)))?, last(grid).saturating_add(1)));
        self.grids.iter().map(sample).collect()
    }

    /// Refuses more networks than can be listed.
    pub fn check_count(&self) -> Result<(), SweepError> {
        match self.count() {
            count if count > MAX_NETWORKS => Err(SweepError::TooMany { count, limit: MAX_NETWORKS }),
            _ => Ok(()),
        }
    }

    /// Every network, each once, in the order of the file.
    pub fn runs(&self) -> Result<Vec<Run>, SweepError> {
        self.check_count()?;
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut runs: Vec<Run> = vec![];
        for grid in &self.grids {
            for place in 0..grid.count().unwrap_or(u64::MAX) {
                let settings = grid.at(place);
                let job = self.job(grid.line, &settings)?;
                let tensorboard = settings::tensorboard(&settings);
                let name = settings::name(&job);
                match places.get(&name) {
                    Some(&known) if !same(&runs[known].job, &job) => return Err(SweepError::SameName { name }),
                    Some(_) => {}
                    None => {
                        places.insert(name.clone(), runs.len());
                        let (folder, interpret) = (self.folder.clone(), self.interpret.clone());
                        runs.push(Run { name, job, folder, tensorboard, interpret });
                    }
                }
            }
        }
        Ok(runs)
    }
}

/// Whether two jobs train the same network.
pub(super) fn same(a: &Job, b: &Job) -> bool {
    a.params == b.params && a.task.same_function(&b.task)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Result<Plan, SweepError> {
        Plan::parse(text, "s.toml", Path::new(""))
    }

    #[test]
    fn a_sweep_is_every_combination_once() {
        let text = "task = [\"T1\", \"T2\"]\nhidden = [16, 32]\nseed = \"1-3\"";
        let runs = plan(text).unwrap().runs().unwrap();
        let mut names: Vec<_> = runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names.len(), 12);
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 12);
        let twice = plan("task = [\"T1\", \"t1\"]\nseed = [1, 1]").unwrap();
        assert_eq!((twice.count(), twice.runs().unwrap().len()), (4, 1));
    }

    #[test]
    fn a_value_that_no_training_can_use_is_refused_with_its_line() {
        let message = |text: &str| plan(text).unwrap_err().to_string();
        assert_eq!(message("seed = 1"), "s.toml:1: no task is given: add a line such as task = [\"T1\", \"T2\"]");
        assert!(message("task = [\"T1\",\n \"T5\"]").starts_with("s.toml:1: there is no task 'T5'"));
        assert!(message("task = \"T1\"\nhidden = [8, 0]").starts_with("s.toml:2: hidden is 0"));
    }

    #[test]
    fn a_million_runs_are_counted_without_being_listed() {
        let plan = plan("task = \"T1\"\nseed = \"1-1000000\"\nhidden = [64, 128]").unwrap();
        assert_eq!(plan.count(), 2_000_000);
    }

    #[test]
    fn a_run_survives_its_line() {
        let run = plan("task = \"T3\"\nthreshold = 0.9\ninit = \"gaussian\"").unwrap().runs().unwrap().remove(0);
        let back = Run::from_line(&run.to_line().unwrap()).unwrap();
        assert_eq!(back.name, run.name);
        assert!(same(&back.job, &run.job));
    }
}
