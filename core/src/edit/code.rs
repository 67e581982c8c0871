//! The code that an edit writes in: which state, and which pre-activation, stands for which contents.

use super::cell;
use super::{EditError, EditParams};
use crate::code::{Contents, ContentsFrom, ContentsParams, Sample, memories, readers, right_signs};
use crate::network::Network;
use crate::numeric::Matrix;
use crate::observe::{Batch, Watch, with_opposites};
use crate::random::{Purpose, Stream};
use crate::task::Window;

/// States that differ by a root mean square below this hold nothing.
const SILENT: f64 = 1e-6;
/// A tiny ridge: contents that f makes equal cannot be told apart.
const RIDGE: f64 = 1e-9;

/// How a network writes the contents that it holds.
#[derive(Clone, Debug)]
pub struct OwnCode {
    /// H x core: pre-activation that each content adds.
    pub columns: Matrix,
    /// Window component of each column.
    pub slots: Vec<usize>,
    /// Share of right signs when each content is read linearly.
    pub right_signs: Vec<f64>,
    /// H x core: what each content adds to the units.
    pub memories: Matrix,
    /// The mean state, which holds nothing: close to zero for a network without biases.
    pub mean: Vec<f64>,
    /// core x H: reads the contents from the units, less their mean.
    pub readers: Matrix,
}

impl OwnCode {
    /// A code that holds nothing.
    pub(super) fn none(hidden: usize) -> Self {
        let (columns, readers) = (Matrix::zeros(hidden, 0), Matrix::zeros(0, hidden));
        let (slots, right_signs, memories, mean) = (vec![], vec![], columns.clone(), vec![0.0; hidden]);
        Self { columns, slots, right_signs, memories, mean, readers }
    }
}

/// The code of the network's own states, with the contents that its task gives them.
pub fn own_code(network: &Network, task: &Window, params: &EditParams) -> Result<OwnCode, EditError> {
    let plain = cell::plain(network)?;
    // A dense f has no components of its own; then the whole window is looked for.
    let contents = Contents::of(task, None, &ContentsParams::default())?.on_components()?;
    let stream = Stream::new(params.seed, Purpose::ProbeInputs);
    let steps: Vec<usize> = (params.settle..params.steps).collect();
    let batch: Batch =
        with_opposites(network, (task.s(), task.d()), &stream, 0, params.episodes, &steps, &Watch::nobody())?;
    let over = contents.over(&batch, ContentsFrom::Function, (&[], 1.0));
    let at_rest = vec![vec![0.0; network.state_size()]; params.steps];
    let whole = Sample::of(&batch, &over, &steps, &at_rest, contents.count());
    let units = whole.states.subrows(0, network.hidden());
    // Around a fixed point away from zero everything is read relative to it; inputs come with their opposites.
    let inverse =
        Matrix::from_fn(units.nrows(), units.ncols(), |i, j| plain.unsquash(units[(i, j)], params.largest_state));
    let ((before, _), (states, mean)) = (centred(inverse), centred(units.to_owned()));
    if states.norm_l2() < SILENT * ((states.nrows() * states.ncols()) as f64).sqrt() {
        return Err(EditError::Silent);
    }
    let episodes = whole.episodes;
    let before = Sample { states: before, contents: whole.contents.clone(), episodes };
    let after = Sample { states, contents: whole.contents, episodes };
    let right_signs = right_signs(&(readers(&after, params.reading_ridge)? * &after.states), &after.contents);
    let columns = memories(&before, RIDGE)?;
    let slots = contents.slots.unwrap_or_default();
    let readers = readers(&after, params.reader_ridge)?;
    Ok(OwnCode { columns, slots, right_signs, memories: memories(&after, RIDGE)?, mean, readers })
}

/// Less the mean over all columns, and that mean.
fn centred(mut states: Matrix) -> (Matrix, Vec<f64>) {
    let mut mean = vec![0.0; states.nrows()];
    for j in 0..states.ncols() {
        mean.iter_mut().zip(states.col_as_slice(j)).for_each(|(sum, x)| *sum += x);
    }
    mean.iter_mut().for_each(|sum| *sum /= states.ncols().max(1) as f64);
    for j in 0..states.ncols() {
        states.col_as_slice_mut(j).iter_mut().zip(&mean).for_each(|(x, mean)| *x -= mean);
    }
    (states, mean)
}
