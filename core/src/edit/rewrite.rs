//! New weights in the network's own code.

use super::change::Target;
use super::code::OwnCode;
use super::{EditError, EditParams, Mode};
use crate::network::Network;
use crate::numeric::{Matrix, ridge_regression};
use crate::random::{Purpose, Stream};
use crate::task::{Episodes, Task};

/// A network with new weights, and the code they are written in.
pub(super) struct Rewritten {
    pub(super) network: Network,
    pub(super) code: Matrix,
    pub(super) slots: Vec<usize>,
    pub(super) fresh_units: usize,
}

/// Fits weights that take the state of any contents to the state of the contents that follow.
pub(super) fn rewrite(
    network: &Network,
    own: &OwnCode,
    target: &Target,
    mode: Mode,
    params: &EditParams,
) -> Result<Rewritten, EditError> {
    let cell = network.as_elman().ok_or(EditError::NotElman)?;
    let (slots, d) = (target.slots(), target.task.d());
    let newest = target.task.window() - d;
    let (code, fresh_units) = choose_code(network.hidden(), own, &slots, newest, mode, params)?;
    let place = |slot: usize| slots.iter().position(|&other| other == slot);
    let step = Matrix::from_fn(slots.len(), slots.len(), |i, j| target.step[(slots[i], slots[j])]);
    let contents = random_contents(slots.len(), params)?;
    let mut states = &code * &contents;
    for j in 0..states.ncols() {
        cell.activation.apply_in_place(states.col_as_slice_mut(j));
    }
    let moments = &states * states.transpose();
    let next = &code * (step * &contents);
    let recurrent = ridge_regression(&moments, &(&states * next.transpose()), params.ridge)?;
    let newest: Vec<usize> = (newest..target.task.window()).filter_map(place).collect();
    let input = Matrix::from_fn(network.hidden(), d, |i, j| params.write_strength * code[(i, newest[j])]);
    let (recurrent, readout) = (recurrent.transpose().to_owned(), network.readout.weights.clone());
    let mut edited = Network::elman(cell.activation, input, recurrent, readout);
    if fresh_units > 0 || network.has_bias() {
        let wanted = Matrix::from_fn(d, contents.ncols(), |j, k| contents[(newest[j], k)]);
        let missed = wanted - edited.read(states.as_ref());
        let correction = ridge_regression(&moments, &(&states * missed.transpose()), params.reading_ridge)?;
        edited.readout.weights += correction.transpose();
    }
    Ok(Rewritten { network: edited, code, slots, fresh_units })
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
        (own.read[at] >= params.held && !moved).then_some(at)
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
    if mode != Mode::Own {
        // Large enough to saturate: then the stronger of input and feedback decides, and nothing in between.
        for (&unit, &i) in units.iter().zip(&missing).filter(|(_, i)| slots[**i] >= newest) {
            code[(unit, i)] = params.gate_weight;
        }
    }
    Ok((code, missing.len()))
}

fn random_contents(size: usize, params: &EditParams) -> Result<Matrix, EditError> {
    let one_by_one = Task::named("repeat-copy", Some(size), Some(1))?;
    let mut drawn = Episodes::new(&one_by_one, params.samples);
    drawn.draw(&one_by_one, &Stream::new(params.seed, Purpose::ProbeInputs), 1, 0);
    Ok(Matrix::from_fn(size, params.samples, |i, k| f64::from(drawn.inputs()[i * params.samples + k])))
}
