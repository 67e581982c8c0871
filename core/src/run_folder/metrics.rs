//! The course of training as a table of comma-separated values.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use super::RunFolderError;
use crate::files::{cannot, read_text, write_whole_unsynced};
use crate::train::Metrics;

const HEADER: &str = "step,horizon,loss,accuracy,gradient_norm,learning_rate\n";

/// A table that grows. Rows go to disk as they come: a crash loses at most a part of the last one. The file is opened for
/// each row, since hundreds of networks may be under way in a process that may open only so many files.
pub struct MetricsFile {
    path: PathBuf,
}

impl MetricsFile {
    /// Opens the table and drops what was written after `step`, which will be done again.
    pub(super) fn open(path: PathBuf, step: u64) -> Result<Self, RunFolderError> {
        let kept = match read_text(&path, super::MAX_METRICS_BYTES) {
            Ok(text) => keep_until(&text, step),
            // A table that is missing or unreadable is begun again; it is not needed to go on.
            Err(_) => HEADER.to_string(),
        };
        let failed = cannot("write", &path);
        write_whole_unsynced(&path, kept.as_bytes()).map_err(failed)?;
        Ok(Self { path })
    }

    pub(super) fn append(&self, metrics: &Metrics) -> Result<(), RunFolderError> {
        let Metrics { step, horizon, loss, accuracy, gradient_norm, learning_rate } = metrics;
        let row = format!("{step},{horizon},{loss},{accuracy},{gradient_norm},{learning_rate}\n");
        let opened = OpenOptions::new().append(true).open(&self.path);
        let written = opened.and_then(|mut file| file.write_all(row.as_bytes()));
        Ok(written.map_err(cannot("write", &self.path))?)
    }
}

pub(super) fn mean_horizon(text: &str) -> Option<f64> {
    let horizons = text.lines().skip(1).filter_map(|line| line.split(',').nth(1)?.parse::<f64>().ok());
    let (count, sum) = horizons.fold((0, 0.0), |(count, sum), horizon| (count + 1, sum + horizon));
    (count > 0).then(|| sum / f64::from(count))
}

fn keep_until(text: &str, step: u64) -> String {
    let columns = HEADER.split(',').count();
    let whole = |line: &&str| line.ends_with('\n') && line.split(',').count() == columns;
    let early = |line: &&str| line.split(',').next().and_then(|s| s.parse::<u64>().ok()).is_some_and(|s| s <= step);
    let rows = text.split_inclusive('\n').filter(whole).filter(early);
    HEADER.chars().chain(rows.flat_map(str::chars)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_horizon_is_over_the_rows_without_the_header() {
        let text = [HEADER, "100,10,1,0.5,1,0.001\n200,20,1,0.5,1,0.001\n"].concat();
        assert_eq!(mean_horizon(&text), Some(15.0));
        assert_eq!(mean_horizon(HEADER), None);
    }

    #[test]
    fn rows_after_the_checkpoint_and_torn_rows_are_dropped() {
        let row = |step| format!("{step},10,1,0.5,1,0.001\n");
        let text = [HEADER, &row(100), &row(200), &row(300), "400,10,0."].concat();
        assert_eq!(keep_until(&text, 250), [HEADER, &row(100), &row(200)].concat());
        assert_eq!(keep_until(&text, 500), [HEADER, &row(100), &row(200), &row(300)].concat());
        assert_eq!(keep_until("", 5), HEADER);
    }
}
