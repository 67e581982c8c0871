//! What a person sees: one page a network, and figures for papers.
//!
//! A page is a single file that needs nothing else: plain HTML, CSS and JavaScript of our own (`explorer/` beside this file)
//! and the data of a network, of two, or of a sweep.

mod commands;
mod composition;
mod data;
mod editing;
#[cfg(feature = "figures")]
pub mod figures;
mod frame;
mod glossary;
mod input_phase;
mod layers;
mod memories;
mod packed;
mod pair;
mod sentences;
mod snapshots;
mod spectra;
mod stored;
mod story;
mod superposed;
mod sweep;

#[cfg(feature = "figures")]
use self::frame::escape;
pub use self::pair::{Side, page_of_two};
pub use self::snapshots::Snapshot;
pub use self::sweep::page_of_sweep;

use crate::circuit::CircuitError;
use crate::interpret::Interpretation;
use crate::network::{Network, NetworkFile};
use crate::numeric::NumericError;
use crate::run_folder::RunFolder;
use crate::sweep::SweepError;
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a page says about where its network comes from.
#[derive(Clone, Debug, Default)]
pub struct Provenance {
    /// What the network is called.
    pub title: String,
    /// Names and values for the list "how this page was made".
    pub made: Vec<(String, String)>,
    /// The course of training, where it is known.
    pub training: Option<Training>,
}

/// What says, in the list of how a page was made, that what was found had been saved.
const SAVED: &str = "interpretation";

/// The longest run that a page shows, in output steps.
const LONGEST_RUN: usize = 96;

/// Output steps that a page runs a network for: six times round, within limits.
fn shown_steps(s: usize) -> usize {
    (6 * s).clamp(40, LONGEST_RUN)
}

/// Rows of a training curve that a page shows.
const MOST_ROWS: usize = 2000;

impl Provenance {
    /// What is known of a network in a run folder or in a file; `watch` is told how many of the kept snapshots have been read, and
    /// of how many.
    pub fn of(path: &Path, file: &NetworkFile, watch: &(dyn Fn(usize, usize) + Sync)) -> Self {
        let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.into());
        let title = if path.is_dir() { whole.file_name() } else { whole.file_stem() };
        let metrics = RunFolder::metrics_text(path).filter(|_| path.is_dir());
        let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut made = vec![("network".to_string(), name), ("path".to_string(), path.display().to_string())];
        let short = file.metadata.iter().filter(|(_, value)| !value.contains('\n'));
        made.extend(short.map(|(name, value)| (format!("file: {name}"), value.clone())));
        made.extend(Interpretation::is_saved(path).then(|| (SAVED.to_string(), "saved, with its network".into())));
        let mut training = metrics.and_then(|text| Training::from_csv(&text, MOST_ROWS));
        if let Some(training) = &mut training {
            let (snapshots, missing) = Snapshot::all(path, file, watch);
            training.snapshots = snapshots;
            made.extend(missing.map(|text| ("snapshots".to_string(), text)));
        }
        Self { title: title.unwrap_or_default().to_string_lossy().into_owned(), made, training }
    }
}

/// The course of training: in each list, one entry for each row of metrics.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Training {
    /// Optimizer steps taken.
    pub step: Vec<f64>,
    /// Loss of a batch.
    pub loss: Vec<f64>,
    /// Share of right signs in a batch.
    pub accuracy: Vec<f64>,
    /// Output steps asked for.
    pub horizon: Vec<f64>,
    /// What was found in the weights that were kept during training; empty where none were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub snapshots: Vec<Snapshot>,
}

impl Training {
    /// Reads a table of comma-separated values with a header; rows that are torn are left out.
    ///
    /// At most `most` rows are kept, evenly spread.
    pub fn from_csv(text: &str, most: usize) -> Option<Self> {
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next()?.split(',').collect();
        let column = |name: &str| header.iter().position(|have| *have == name);
        let columns = [column("step")?, column("loss")?, column("accuracy")?, column("horizon")?];
        let read = |line: &str| -> Option<[f64; 4]> {
            let cells: Vec<f64> = line.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
            let row = columns.map(|at| cells.get(at).copied().unwrap_or(f64::NAN));
            row.iter().all(|x| x.is_finite()).then_some(row)
        };
        let rows: Vec<[f64; 4]> = lines.filter_map(read).collect();
        let every = rows.len().div_ceil(most.max(1)).max(1);
        let pick = |at: usize| rows.iter().step_by(every).map(|row| row[at]).collect();
        let snapshots = vec![];
        let course = || Self { step: pick(0), loss: pick(1), accuracy: pick(2), horizon: pick(3), snapshots };
        (!rows.is_empty()).then(course)
    }
}

/// Looks at all things side by side; `watch` hears how many are done, of how many.
fn each_watched<T: Send, R: Send>(
    things: Vec<T>,
    watch: &(dyn Fn(usize, usize) + Sync),
    look: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let (count, done) = (things.len(), AtomicUsize::new(0));
    let one = |thing| {
        let seen = look(thing);
        watch(done.fetch_add(1, Ordering::Relaxed) + 1, count);
        seen
    };
    things.into_par_iter().map(one).collect()
}

/// Why there is no page or figure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The theory's circuit could not be built.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
    /// A matrix computation failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
    /// A sweep could not be read.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// The data could not be written as JSON.
    #[error("cannot write the data of the page: {0}")]
    Json(#[from] serde_json::Error),
    /// The data could not be compressed.
    #[error("cannot compress the page: {0}")]
    Compress(#[from] std::io::Error),
    /// A picture could not be drawn.
    #[error("cannot draw {figure}: {problem}")]
    Picture {
        /// Its name.
        figure: &'static str,
        /// Why.
        problem: String,
    },
}

/// The page of a network: one HTML file that needs nothing else. On that of recordings, which have no network, a few of the
/// episodes stand for one that nobody can run.
pub fn page(network: Option<&Network>, found: &Interpretation, provenance: &Provenance) -> Result<String, ReportError> {
    frame::assembled(&frame::NETWORK, &provenance.title, &data::page_data(network, found, provenance)?)
}

/// What a network does and how sure that is, in the sentence that its page begins with; no network for recordings.
pub fn headline(network: Option<&Network>, found: &Interpretation) -> String {
    story::headline(network, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torn_rows_of_metrics_are_left_out_and_long_tables_thinned() {
        let text = "step,horizon,loss,accuracy\n1,10,0.5,0.6\n2,10,NaN,0.6\n3,10,0.25,0.7\n4,10,0.1";
        let training = Training::from_csv(text, 100).unwrap();
        assert_eq!((training.step, training.loss), (vec![1.0, 3.0], vec![0.5, 0.25]));
        let long: String = (0..1000).map(|k| format!("{k},10,1,0.5\n")).collect();
        let thinned = Training::from_csv(&format!("step,horizon,loss,accuracy\n{long}"), 300).unwrap();
        assert_eq!(thinned.step.len(), 250);
        assert_eq!(Training::from_csv("a,b\n1,2\n", 10), None);
    }
}
