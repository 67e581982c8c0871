//! A sweep as a page: the table of cells, and every network as a small picture.

use super::frame::{SWEEP, assembled};
use super::glossary::{TERMS, Term};
use super::stored::base64;
use super::{ReportError, Training, each_watched};
use crate::linearize::origin;
use crate::network::NetworkFile;
use crate::numeric::{c64, eigenvalues};
use crate::run_folder::RunFolder;
use crate::sweep::{Row, SweepFolder};
use crate::table::{Group, TableParams, place, table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Eigenvalues nearer to zero are left out of the small pictures.
const LEAST_MODULUS: f64 = 0.5;
/// Steps of an eigenvalue's part to 1: a picture of 80 points across needs no more.
const PARTS: f64 = 15_000.0;
/// Points of a loss curve.
const POINTS: usize = 48;

#[derive(Serialize)]
struct SweepData<'a> {
    title: String,
    /// Networks that were asked for; fewer may have results.
    asked: usize,
    glossary: &'static [Term],
    cells: Vec<Group>,
    networks: Vec<NetworkLine<'a>>,
    /// Where networks without a page are: what follows `ketbra report`.
    folder: String,
}

/// One network, briefly.
#[derive(Serialize)]
struct NetworkLine<'a> {
    name: &'a str,
    cell: usize,
    seed: u64,
    threshold: Option<f64>,
    verdict: Option<&'a str>,
    failing: Option<&'a str>,
    accuracy: Option<f64>,
    loss: Option<f64>,
    /// Eigenvalues at the origin: found, expected, mean angle error.
    origin: (Option<usize>, Option<usize>, Option<f64>),
    orbit: (Option<usize>, Option<usize>, Option<f64>),
    read_back: Option<bool>,
    error: Option<&'a str>,
    /// Whether its page lies in its folder.
    page: bool,
    #[serde(flatten)]
    pictures: Pictures,
}

/// What is drawn: numbers in base64.
#[derive(Default, Serialize)]
struct Pictures {
    /// Upper eigenvalues at the origin (those below are their conjugates): pairs of i16, in [`PARTS`].
    spectrum: String,
    /// Logarithms of the loss to base 10, a byte each: 25 steps to 1, 200 is a loss of 1.
    curve: String,
    /// The last optimizer step of the curve.
    steps: f64,
}

/// The page of a sweep. `watch` is told how many networks have been looked at, and of how many.
pub fn page_of_sweep(folder: &SweepFolder, watch: &(dyn Fn(usize, usize) + Sync)) -> Result<String, ReportError> {
    let rows = folder.rows()?;
    let cells = table(&rows, &TableParams::default()).groups;
    let mut places: BTreeMap<_, usize> = rows.iter().map(|row| (place(row), 0)).collect();
    places.values_mut().enumerate().for_each(|(at, cell)| *cell = at);
    let look = |row: &Row| pictures(&folder.run_path(&row.name));
    let all = each_watched(rows.iter().collect(), watch, look);
    let line = |(row, pictures)| line(folder, row, places[&place(row)], pictures);
    let name = folder.path().file_name().map(|name| name.to_string_lossy().into_owned());
    let title = name.unwrap_or_else(|| "sweep".into());
    let data = SweepData {
        title: title.clone(),
        asked: folder.names()?.len(),
        glossary: TERMS,
        cells,
        networks: rows.iter().zip(all).map(line).collect(),
        folder: folder.path().display().to_string(),
    };
    assembled(&SWEEP, &title, &data)
}

fn line<'a>(folder: &SweepFolder, row: &'a Row, cell: usize, pictures: Pictures) -> NetworkLine<'a> {
    NetworkLine {
        name: &row.name,
        cell,
        seed: row.seed,
        threshold: row.threshold,
        verdict: row.verdict.as_deref(),
        failing: row.failing.as_deref(),
        accuracy: row.accuracy,
        loss: row.loss,
        origin: (row.origin.found, row.origin.expected, row.origin.error),
        orbit: (row.orbit.found, row.orbit.expected, row.orbit.error),
        read_back: row.read_back,
        error: row.error.as_deref(),
        page: folder.run_path(&row.name).join("report.html").exists(),
        pictures,
    }
}

/// A network that cannot be opened, or has no metrics, has no picture: the page leaves its place empty.
fn pictures(run: &Path) -> Pictures {
    let spectrum = NetworkFile::open(run).ok().and_then(|file| eigenvalues(&origin(&file.network)).ok());
    let course = RunFolder::metrics_text(run).and_then(|text| Training::from_csv(&text, POINTS));
    Pictures {
        spectrum: spectrum.map_or_else(String::new, |values| upper(&values)),
        curve: course.as_ref().map_or_else(String::new, |course| base64(&logarithms(&course.loss))),
        steps: course.and_then(|course| course.step.last().copied()).unwrap_or(0.0),
    }
}

fn upper(values: &[c64]) -> String {
    let part = |x: f64| ((x * PARTS).round().clamp(-32_767.0, 32_767.0) as i16).to_le_bytes();
    let drawn = values.iter().filter(|z| z.im >= 0.0 && z.re.hypot(z.im) > LEAST_MODULUS);
    base64(&drawn.flat_map(|z| [part(z.re), part(z.im)]).flatten().collect::<Vec<u8>>())
}

fn logarithms(losses: &[f64]) -> Vec<u8> {
    losses.iter().map(|loss| (200.0 + 25.0 * loss.max(1e-8).log10()).round().clamp(0.0, 255.0) as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_rounded_and_nothing_else() {
        let shown = upper(&[c64::new(0.6, 0.8), c64::new(0.6, -0.8), c64::new(0.1, 0.1)]);
        assert_eq!(shown, base64(&[9000i16.to_le_bytes(), 12_000i16.to_le_bytes()].concat()));
        assert_eq!(logarithms(&[1.0, 0.1, 1e-9, f64::MAX]), [200, 175, 0, 255]);
    }
}
