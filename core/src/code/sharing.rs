//! Contents that share directions: more contents than directions, and still all of them can be read.
//!
//! The states of such networks are a linear code with dependent columns. Reading it takes one more fact, that contents
//! are +-1. Two ways of sharing are told apart: a *rider* lies on the direction of a host at a smaller amplitude, so that
//! one direction carries two bits as four levels; the rest is *spread* over several directions.

use super::riders::riders;
use super::signs::read_as_signs;
use super::{Code, CodeParams, Contents, ContentsFrom, Rider, Sample, right_signs};
use crate::numeric::{Matrix, NumericError};
use crate::task::Component;
use serde::{Deserialize, Serialize};

/// How contents share directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sharing {
    /// What the contents are taken to be.
    pub contents: ContentsFrom,
    /// Share of the variance of fresh states that the linear code explains.
    pub explained: f64,
    /// Directions of the code.
    pub directions: usize,
    /// Contents that it holds in them.
    pub held: usize,
    /// Contents that a linear reader reads.
    pub read_linearly: usize,
    /// Contents that are read when +-1 is taken into account.
    pub read_as_signs: usize,
    /// Share of right signs of the worst content of an output that is held, +-1 taken into account.
    pub worst: f64,
    /// Contents that ride on others.
    pub riders: Vec<Rider>,
    /// Contents that are not read linearly and ride on no single host.
    pub spread: Vec<Component>,
}

/// A code with the fresh states that its sharing is judged on.
pub(super) struct Shared<'a> {
    pub(super) memories: &'a Matrix,
    pub(super) lengths: Vec<f64>,
    /// Cosines of the angles between memories.
    pub(super) cosines: Matrix,
    pub(super) noise: &'a Matrix,
    pub(super) fresh: Sample,
    /// What linear readers make of the fresh states.
    pub(super) linear: Matrix,
}

impl Sharing {
    /// Looks for shared directions of a code of signs. `held` says which outputs the network holds at all; nothing where
    /// contents are no signs.
    pub fn of(
        code: &Code,
        contents: &Contents,
        (origin, explained): (ContentsFrom, f64),
        fresh: &Sample,
        held: &[bool],
        params: &CodeParams,
    ) -> Result<Option<Self>, NumericError> {
        let Some(slots) = &contents.slots else { return Ok(None) };
        // On all of the states, as contents are judged elsewhere: one count must not differ from the other.
        let read_linearly = right_signs(&(&code.readers * &fresh.states), &fresh.contents);
        let fresh = thinned(fresh, params.sign_states);
        let linear = &code.readers * &fresh.states;
        let lengths = lengths(&code.memories);
        let cosines = cosines(&code.memories, &lengths);
        let shared = Shared { memories: &code.memories, lengths, cosines, noise: &code.noise, fresh, linear };
        let as_signs = read_as_signs(&shared, params)?;
        let named = |i: usize| Component::at(slots[i], contents.task().d());
        let is_held = |i: &usize| held[named(*i).component - 1];
        let unread: Vec<usize> = (0..slots.len()).filter(is_held).filter(|&i| read_linearly[i] < params.read).collect();
        let (riders, spread) = riders(&shared, &unread, &named, params);
        let count = |shares: &[f64]| shares.iter().filter(|&&share| share >= params.read).count();
        Ok(Some(Self {
            contents: origin,
            explained,
            directions: code.directions,
            held: slots.len(),
            read_linearly: count(&read_linearly),
            read_as_signs: count(&as_signs),
            worst: (0..slots.len()).filter(is_held).map(|i| as_signs[i]).fold(1.0, f64::min),
            riders,
            spread,
        }))
    }

    /// What was found, a sentence a line.
    pub fn in_words(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "a linear code ({:.3} of the variance) with {} directions for {} contents: {} are read linearly, {} once \
             +-1 is taken into account (worst {:.3})",
            self.explained, self.directions, self.held, self.read_linearly, self.read_as_signs, self.worst
        )];
        lines.extend(self.riders.iter().map(Rider::to_string));
        if !self.spread.is_empty() {
            let mut components: Vec<usize> = self.spread.iter().map(|at| at.component).collect();
            components.sort_unstable();
            components.dedup();
            let names: Vec<String> = components.iter().map(|component| format!("u{component}")).collect();
            let count = self.spread.len();
            lines.push(format!("{count} contents of {} are spread over several directions", names.join(", ")));
        }
        lines
    }
}

/// At most `most` of the states, evenly spread.
fn thinned(sample: &Sample, most: usize) -> Sample {
    let every = sample.len().div_ceil(most.max(1)).max(1);
    let kept: Vec<usize> = (0..sample.len()).step_by(every).collect();
    sample.columns(&kept, kept.len())
}

pub(super) fn lengths(columns: &Matrix) -> Vec<f64> {
    // Squared: `norm_l2` guards against overflow with numbers too small for fast arithmetic.
    (0..columns.ncols()).map(|j| columns.col(j).squared_norm_l2().sqrt()).collect()
}

pub(super) fn cosines(columns: &Matrix, lengths: &[f64]) -> Matrix {
    let products = columns.transpose() * columns;
    Matrix::from_fn(columns.ncols(), columns.ncols(), |i, j| {
        products[(i, j)] / (lengths[i] * lengths[j]).max(f64::MIN_POSITIVE)
    })
}
