//! The quantities that experiments check.

use super::records::{Columns, Which, mean, number, picks};
use crate::circuit::{AnalyticNetwork, Basis};
use crate::random::{Purpose, Stream};
use crate::recall::{Integrator, Parameters, SequenceMemory};
use crate::run_folder::RunFolder;
use crate::sweep::{Row, SweepFolder};
use crate::table::{TableParams, summarize};
use crate::task::Window;

/// Output steps over which networks are compared in how long they last: ten times the longest horizon of training.
const LONG_HORIZON: usize = 1000;
/// Sequences on which that is measured.
const LONG_BATCH: usize = 64;
/// Features, memories and time of the recalled sequence.
const RECALL: (usize, usize, f64) = (64, 5, 120.0);
/// Error allowed in one step of its integration.
const TOLERANCE: f64 = 1e-8;
/// Variables, components and hidden units of the paper's illustrated circuit.
const CIRCUIT: (usize, usize, usize) = (4, 5, 64);

/// The value of a quantity over the networks that `which` picks; nothing where it is indeterminate.
pub(super) fn measure(what: &str, which: &Which, rows: &[Row], folder: &SweepFolder) -> Result<Option<f64>, String> {
    match what {
        "circuit_accuracy" => return circuit_accuracy().map(Some),
        "recall_in_order" => return recall_in_order().map(Some),
        _ => {}
    }
    let picked = picked(which, rows)?;
    if picked.is_empty() {
        return Ok(None);
    }
    let cell = summarize(&picked, &TableParams::default());
    Ok(match what {
        "accuracy" => cell.accuracy,
        "error" => cell.error,
        "error_orbit" => cell.error_orbit,
        "matched" => Some(cell.matched as f64 / cell.seeds.max(1) as f64),
        "lasting_by_modulus" => lasting_by_modulus(&picked, folder)?,
        _ => match what.strip_prefix("recovered_") {
            Some(method) => cell.recovered_by.get(&method.replace('_', "-")).copied(),
            // The mean over the networks that have a value.
            None => {
                let values = picked.iter().map(|row| number(&columns(row)?, what)).collect::<Result<Vec<_>, _>>()?;
                mean(&values.into_iter().flatten().collect::<Vec<_>>())
            }
        },
    })
}

fn columns(row: &Row) -> Result<Columns, String> {
    row.columns().map_err(|error| error.to_string())
}

/// The networks of which every column has the value that is wanted.
pub(super) fn picked<'a>(which: &Which, rows: &'a [Row]) -> Result<Vec<&'a Row>, String> {
    let mut picked = vec![];
    for row in rows {
        picked.extend(picks(which, &columns(row)?)?.then_some(row));
    }
    Ok(picked)
}

/// The rank correlation between the mean modulus at the origin and the accuracy over a long output phase.
fn lasting_by_modulus(rows: &[&Row], folder: &SweepFolder) -> Result<Option<f64>, String> {
    let mut pairs = vec![];
    for row in rows {
        let Some(modulus) = row.origin.modulus else { continue };
        let run = RunFolder::open(&folder.run_path(&row.name)).map_err(|error| error.to_string())?;
        let network = run.read_network().map_err(|error| error.to_string())?;
        let task = run.manifest().task().map_err(|error| error.to_string())?;
        let task = task.window().map_err(|error| error.to_string())?;
        let stream = Stream::new(row.seed, Purpose::ScoreInputs);
        pairs.push((modulus, network.accuracy(task, &stream, 1, LONG_BATCH, LONG_HORIZON).value));
    }
    Ok(rank_correlation(&pairs))
}

/// Spearman's rank correlation; nothing where either side does not vary.
pub(super) fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let ranks = |values: Vec<f64>| -> Vec<f64> {
        let below = |x: f64| values.iter().filter(|y| **y < x).count() as f64;
        let equal = |x: f64| values.iter().filter(|y| **y == x).count() as f64;
        // Equal values share the mean of their ranks.
        values.iter().map(|&x| below(x) + (equal(x) - 1.0) / 2.0).collect()
    };
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (x, y) = (ranks(x), ranks(y));
    let mean = (pairs.len() as f64 - 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let spread = (product(&x, &x) * product(&y, &y)).sqrt();
    (spread > 0.0).then(|| product(&x, &y) / spread)
}

/// The accuracy of the circuit of the paper's illustration, written into weights.
fn circuit_accuracy() -> Result<f64, String> {
    let (s, d, hidden) = CIRCUIT;
    let task = Window::named("repeat-copy", Some(s), Some(d)).map_err(|error| error.to_string())?;
    let basis = Basis::orthonormal(hidden, s * d, &Stream::new(1, Purpose::Matrices), 0);
    let circuit = basis.and_then(|basis| AnalyticNetwork::of(&task, basis)).map_err(|error| error.to_string())?;
    Ok(circuit.network.accuracy(&task, &Stream::new(1, Purpose::TestInputs), 1, LONG_BATCH, LONG_HORIZON).value)
}

/// The share of steps of a recalled sequence that lead to the next memory.
fn recall_in_order() -> Result<f64, String> {
    let (features, memories, until) = RECALL;
    let memory =
        SequenceMemory::episodes(features, memories, Parameters::episodic(), &Stream::new(1, Purpose::Matrices));
    let memory = memory.map_err(|error| error.to_string())?;
    let recalled = memory.retrieve(&memory.starting_at(0), until, 1.0, Integrator::Adaptive { tolerance: TOLERANCE });
    let visited = recalled.map_err(|error| error.to_string())?.visited();
    if visited.len() <= memories {
        return Err(format!("only {} memories were recalled in time {until}", visited.len()));
    }
    let right = visited.windows(2).filter(|pair| (pair[0] + 1) % memories == pair[1]).count();
    Ok(right as f64 / (visited.len() - 1) as f64)
}
