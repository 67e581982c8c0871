//! The paper, experiment by experiment: what it says, what we find, and whether the two agree.
//!
//! An experiment is a folder: `experiment.toml` is the sweep that it needs (none if it needs no training), `quick.toml` a
//! reduced one, `course.toml` networks that learn one thing after another, `expected.toml` what the paper says, as numbers to check.

mod comparing;
pub mod course;
mod developing;
mod expected;
mod measure;
mod records;
mod verdict;

pub use expected::{Authority, Band, Check, Expected};
pub use verdict::{Agreement, ExperimentReport, Finding, judge};

use self::course::Course;
use crate::files::read_text;
use crate::setting::Setting;
use crate::sweep::{Plan, SweepError};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

const SWEEP: &str = "experiment.toml";
const QUICK: &str = "quick.toml";
const COURSE: &str = "course.toml";
const QUICK_COURSE: &str = "quick-course.toml";
const EXPECTED: &str = "expected.toml";

/// One table, figure or claim of the paper.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The name of its folder.
    pub name: String,
    /// What the paper says.
    pub expected: Expected,
    /// The networks that it needs, if any.
    pub plan: Option<Plan>,
    /// Networks that learn one thing after another, if any.
    pub course: Option<Course>,
}

/// Why an experiment could not be read or measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// No such experiment.
    #[error("there is no experiment '{name}' in {folder}; did you mean '{nearest}'?")]
    Unknown {
        /// What was asked for.
        name: String,
        /// Where it was looked for.
        folder: PathBuf,
        /// The experiment whose name is nearest.
        nearest: String,
    },
    /// No experiments at all.
    #[error(
        "there are no experiments in {folder}; run this in the repository, or name their folder with {}",
        Setting::named("experiments")
    )]
    None {
        /// Where they were looked for.
        folder: PathBuf,
    },
    /// A file of the experiment that cannot be read, or says what cannot be meant.
    #[error("{file}:{line}: {problem}")]
    InvalidFile {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// Something that cannot be measured.
    #[error("'{what}' cannot be measured: {problem}")]
    Measure {
        /// The quantity.
        what: String,
        /// Why not.
        problem: String,
    },
    /// The sweep of an experiment failed.
    #[error(transparent)]
    Sweep(#[from] SweepError),
}

/// The largest file of an experiment that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Reads a file of an experiment.
fn read<T: DeserializeOwned>(path: &Path) -> Result<T, ReproduceError> {
    let wrong = |line, problem| ReproduceError::InvalidFile { file: path.into(), line, problem };
    let text = read_text(path, MAX_FILE_BYTES).map_err(|error| wrong(1, error.to_string()))?;
    toml::from_str(&text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start).min(text.len());
        wrong(text[..text.floor_char_boundary(start)].matches('\n').count() + 1, error.message().into())
    })
}

impl Experiment {
    /// Reads the experiment of a folder.
    pub fn read(folder: &Path, quick: bool) -> Result<Self, ReproduceError> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let expected = read(&folder.join(EXPECTED))?;
        let chosen = |files: [&str; 2]| {
            let [full, reduced] = files.map(|file| folder.join(file));
            let file = if quick && reduced.exists() { reduced } else { full };
            file.exists().then_some(file)
        };
        let plan = chosen([SWEEP, QUICK]).map(|file| Plan::read(&file)).transpose()?;
        let course = chosen([COURSE, QUICK_COURSE]).map(|file| Course::read(&file)).transpose()?;
        Ok(Self { name, expected, plan, course })
    }

    /// The experiments of a folder by name, or all of them.
    pub fn read_all(folder: &Path, names: &[String], quick: bool) -> Result<Vec<Self>, ReproduceError> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let is_experiment = |path: &PathBuf| path.join(EXPECTED).exists();
        let mut known: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_experiment).collect();
        known.sort();
        if known.is_empty() {
            return Err(ReproduceError::None { folder: folder.into() });
        }
        if names.is_empty() {
            return known.iter().map(|path| Self::read(path, quick)).collect();
        }
        let file_name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let all: Vec<String> = known.iter().map(file_name).collect();
        let read = |name: &String| match all.contains(name) {
            true => Self::read(&folder.join(name), quick),
            false => Err(ReproduceError::Unknown {
                name: name.clone(),
                folder: folder.into(),
                nearest: crate::choose::nearest_name(&name.to_lowercase(), all.iter().map(String::as_str)).into(),
            }),
        };
        names.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests;
