//! A task compiled into a code that is there already, such as a trained network's: contents that the code holds keep it, and what
//! it does not hold (thresholds, their outputs, other contents) gets units of its own.

use super::circuit::{self, Circuit};
use super::code::{Code, Movers};
use super::redundancy::Drive;
use super::weights::{Made, Moving, Parts, Place};
use super::{CompileError, CompileParams};
use crate::network::{Plain, PlainWeights};
use crate::numeric::Matrix;
use crate::task::{Slot, Window};

/// A code that contents keep.
pub(crate) struct Given {
    pub(crate) plain: Plain,
    pub(crate) slots: Vec<Slot>,
    /// Hidden x slots: pre-activations.
    pub(crate) columns: Matrix,
    /// The code is scaled down to this root mean square, so that units do not all saturate.
    pub(crate) size: f64,
    /// How strongly inputs are written where the newest values are part of the code.
    pub(crate) written: f64,
}

/// Weights in a code that was there.
pub(crate) struct Written {
    pub(crate) weights: PlainWeights,
    /// All contents.
    pub(crate) contents: Vec<Slot>,
    /// How many of them are not in the code that was given.
    pub(crate) fresh: usize,
}

/// Compiles a task so that its contents keep the given code wherever one unit would move them.
pub(crate) fn compile_in_code(task: &Window, given: &Given, seed: u64) -> Result<Written, CompileError> {
    let name = || task.name().to_owned();
    let gates = task.gates().ok_or_else(|| CompileError::Dense { name: name() })?;
    let usual = CompileParams::default();
    let drive = Drive::new(given.plain, usual.gain);
    let circuit = Circuit::new(&gates, circuit::contents(task), vec![], drive.levels);
    let kept = kept(&circuit, given);
    let alone: Vec<usize> =
        (0..circuit.units.len()).filter(|unit| kept.iter().all(|keeps| keeps.unit != *unit)).collect();
    let (hidden, contents) = (given.columns.nrows(), circuit.contents.len());
    let needed = alone.len() + kept.len();
    if needed > hidden {
        return Err(CompileError::TooSmall { name: name(), hidden, needed, contents });
    }
    let places = least_used(given, &kept, &alone);
    let shared: Vec<usize> = (0..hidden).filter(|&i| places[i].is_none()).collect();
    let mut sums = Matrix::from_fn(shared.len(), kept.len(), |m, k| given.columns[(shared[m], kept[k].column)]);
    let size = sums.norm_l2() / (shared.len().max(1) as f64).sqrt();
    if size > given.size {
        sums *= faer::Scale(given.size / size);
    }
    let code = match kept.len() {
        0 => Code::new(&Movers::default(), given.plain, usual.gain, 0.0, usual.state_noise, seed)?,
        _ => Code::of(sums, given.plain, usual.state_noise, seed)?,
    };
    let code = Code { written: given.written, ..code };
    let of = kept.iter().map(|keeps| (keeps.unit, keeps.signal)).collect();
    let moving = Moving { of, hidden: shared, movers: Movers::default() };
    let copies = vec![1; circuit.units.len()];
    let parts = Parts { circuit: &circuit, drive: &drive, copies: &copies, places: &places, moving: &moving };
    let weights = Made { parts, code: &code }.weights();
    Ok(Written { weights, fresh: contents - kept.len(), contents: circuit.contents })
}

/// A content that keeps its code: the unit that would move it, its signal, its column.
struct Keeps {
    unit: usize,
    signal: usize,
    column: usize,
}

fn kept(circuit: &Circuit, given: &Given) -> Vec<Keeps> {
    let keeps = |content: usize| {
        let column = given.slots.iter().position(|slot| *slot == circuit.contents[content])?;
        let signal = circuit.holder[content];
        let &[(unit, _)] = &circuit.signals[signal][..] else { return None };
        circuit.units[unit].moves().then_some(Keeps { unit, signal, column })
    };
    (0..circuit.contents.len()).filter_map(keeps).collect()
}

/// Puts the units that are by themselves where the code is faintest.
fn least_used(given: &Given, kept: &[Keeps], alone: &[usize]) -> Vec<Option<Place>> {
    let hidden = given.columns.nrows();
    let used = |i: usize| kept.iter().map(|keeps| given.columns[(i, keeps.column)].powi(2)).sum::<f64>();
    let mut order: Vec<(f64, usize)> = (0..hidden).map(|i| (used(i), i)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut places = vec![None; hidden];
    order.iter().zip(alone).for_each(|((_, i), &unit)| places[*i] = Some(Place { unit, sign: 1.0 }));
    places
}
