//! New weights in the network's own code.

use super::cell;
use super::change::Target;
use super::code::OwnCode;
use super::{EditError, EditParams, Mode};
use crate::network::{CellKind, Network, Plain, Readout};
use crate::numeric::{Matrix, draw, regress};
use crate::random::{Purpose, Stream};

/// A network with new weights, and the code they are written in.
pub(super) struct Rewritten {
    pub(super) network: Network,
    pub(super) holds: Holds,
    pub(super) slots: Vec<usize>,
    pub(super) fresh_units: usize,
}

/// The state that stands for given contents.
pub(super) enum Holds {
    /// What becomes of pre-activations: a column a content.
    Squashed { code: Matrix, plain: Plain },
    /// The network's own code, as it was found: a column a content, and the state that holds nothing.
    AsFound { memories: Matrix, mean: Vec<f64> },
}

impl Holds {
    /// States that hold the contents, a column each.
    pub(super) fn states(&self, contents: &Matrix) -> Matrix {
        match self {
            Self::Squashed { code, plain } => {
                let mut units = code * contents;
                (0..units.ncols()).for_each(|j| plain.squash(units.col_as_slice_mut(j)));
                plain.state(units)
            }
            Self::AsFound { memories, mean } => {
                let mut states = memories * contents;
                for j in 0..states.ncols() {
                    states.col_as_slice_mut(j).iter_mut().zip(mean).for_each(|(x, mean)| *x += mean);
                }
                states
            }
        }
    }
}

/// Fits weights that take the state of any contents to the state of the contents that follow.
pub(super) fn rewrite(
    network: &Network,
    own: &OwnCode,
    target: &Target,
    mode: Mode,
    params: &EditParams,
) -> Result<Rewritten, EditError> {
    let plain = cell::plain(network)?;
    let (slots, d) = (target.slots(), target.task.d());
    let newest = target.task.width() - d;
    let (code, fresh_units) = choose_code(network.hidden(), own, &slots, newest, mode, params)?;
    let place = |slot: usize| slots.iter().position(|&other| other == slot);
    let step = Matrix::from_fn(slots.len(), slots.len(), |i, j| target.step[(slots[i], slots[j])]);
    let contents = draw::signs(slots.len(), params.samples, &Stream::new(params.seed, Purpose::ProbeInputs), 1);
    let mut units = &code * &contents;
    (0..units.ncols()).for_each(|j| plain.squash(units.col_as_slice_mut(j)));
    let next = &code * (step * &contents);
    let recurrent = regress(next.as_ref(), units.as_ref(), params.ridge)?;
    let newest: Vec<usize> = (newest..target.task.width()).filter_map(place).collect();
    let input = Matrix::from_fn(network.hidden(), d, |i, j| params.write_strength * code[(i, newest[j])]);
    let mut readout = Readout { weights: network.readout.weights.clone(), bias: None };
    if fresh_units > 0 || network.has_bias() {
        let wanted = Matrix::from_fn(d, contents.ncols(), |j, k| contents[(newest[j], k)]);
        let missed = wanted - &readout.weights * &units;
        readout.weights += regress(missed.as_ref(), units.as_ref(), params.reading_ridge)?;
    }
    // Whoever loads it expects the tensors that were there.
    if plain.kind() != CellKind::Elman {
        readout.bias = network.readout.bias.as_ref().map(|bias| vec![0.0; bias.len()]);
    }
    let network = cell::network(plain, input, recurrent, readout);
    Ok(Rewritten { network, holds: Holds::Squashed { code, plain }, slots, fresh_units })
}

/// The network's own columns where it holds the contents, one least used unit for each that it does not.
fn choose_code(
    hidden: usize,
    own: &OwnCode,
    slots: &[usize],
    newest: usize,
    mode: Mode,
    params: &EditParams,
) -> Result<(Matrix, usize), EditError> {
    if slots.len() > hidden {
        return Err(EditError::TooFewUnits { contents: slots.len(), hidden });
    }
    let kept = |slot: usize| {
        let at = own.slots.binary_search(&slot).ok()?;
        let moved = mode == Mode::Transplant || (mode == Mode::Gated && slot >= newest);
        (own.right_signs[at] >= params.held && !moved).then_some(at)
    };
    let mut code = Matrix::zeros(hidden, slots.len());
    let mut missing = vec![];
    for (i, &slot) in slots.iter().enumerate() {
        match kept(slot) {
            Some(at) => code.col_as_slice_mut(i).copy_from_slice(own.columns.col_as_slice(at)),
            None => missing.push(i),
        }
    }
    let mut units: Vec<usize> = (0..hidden).collect();
    let use_of: Vec<f64> = (0..hidden).map(|unit| code.row(unit).squared_norm_l2()).collect();
    units.sort_by(|a, b| use_of[*a].total_cmp(&use_of[*b]).then(a.cmp(b)));
    for (&unit, &i) in units.iter().zip(&missing) {
        (0..slots.len()).for_each(|j| code[(unit, j)] = 0.0);
        code[(unit, i)] = params.fresh_weight;
    }
    let size = code.norm_l2() / (hidden as f64).sqrt();
    if size > params.code_size {
        code *= faer::Scale(params.code_size / size);
    }
    if mode != Mode::SameCode {
        // Large enough to saturate: then the stronger of input and feedback decides, and nothing in between.
        for (&unit, &i) in units.iter().zip(&missing).filter(|(_, i)| slots[**i] >= newest) {
            code[(unit, i)] = params.gate_weight;
        }
    }
    Ok((code, missing.len()))
}
