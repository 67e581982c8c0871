//! The code that an edit writes in: which state, and which pre-activation, stands for which contents.

use super::cell;
use super::{EditError, EditParams};
use crate::code::{Contents, ContentsFrom, ContentsParams, Less, Sample, centre};
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
    let whole = over.sample(&steps, Less::Means(&at_rest));
    let mut after = Sample { states: whole.states.subrows(0, network.hidden()).to_owned(), ..whole };
    // Around a fixed point away from zero everything is read relative to it; inputs come with their opposites.
    let units = &after.states;
    let mut sums =
        Matrix::from_fn(units.nrows(), units.ncols(), |i, j| plain.unsquash(units[(i, j)], params.largest_state));
    centre(&mut sums);
    let mean = centre(&mut after.states);
    let states = &after.states;
    if states.norm_l2() < SILENT * ((states.nrows() * states.ncols()) as f64).sqrt() {
        return Err(EditError::Silent);
    }
    let before = Sample { states: sums, ..after.clone() };
    Ok(OwnCode {
        columns: before.memories(RIDGE)?,
        right_signs: after.read_by(&after.readers(params.reading_ridge)?),
        memories: after.memories(RIDGE)?,
        mean,
        readers: after.readers(params.reader_ridge)?,
        slots: contents.slots.unwrap_or_default(),
    })
}
