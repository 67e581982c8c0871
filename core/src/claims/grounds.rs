//! What claims rest on.

use super::{Behaviour, Claim, ClaimParams, Limit};
use crate::code::{CodeParams, Contents, Judged, Noise, Null, Products};
use crate::numeric::{Matrix, NumericError};
use crate::observe::Observations;
use crate::recurrence::{Recurrence, RecurrenceParams};
use crate::spectrum::Spectrum;

/// All that was seen of a network, and the numbers that decide what it is worth.
pub struct Grounds<'a> {
    /// What was simulated, or recorded.
    pub observed: &'a Observations,
    /// What was read of the function, where no task was given.
    pub reading: Option<&'a Recurrence>,
    /// Outputs against the function; nothing where none is known.
    pub behaviour: Option<&'a Behaviour<'a>>,
    /// Its contents in the states; nothing where no code was found.
    pub states: Option<InStates<'a>>,
    /// Where claims begin to hold.
    pub claims: &'a ClaimParams,
    /// Where a code is one.
    pub code: &'a CodeParams,
    /// Where a reading is one.
    pub recurrence: &'a RecurrenceParams,
}

/// What was measured of a network's states and weights.
pub struct InStates<'a> {
    /// The code on fresh states.
    pub judged: &'a Judged,
    /// Products that states hold beside contents, where f is a truth table.
    pub products: Option<&'a Products>,
    /// The step matrix in its basis.
    pub step: &'a Matrix,
    /// The worst output after contents were written into the state; nothing where only recordings are known.
    pub steered: Option<(f64, usize)>,
    /// Of recordings: contents against those of other episodes, and noise where it keeps them from being read.
    pub recorded: Option<(&'a Null, Option<&'a Noise>)>,
    /// Eigenvalues on the orbit, seen in the memories where other directions lead it astray.
    pub spectrum: &'a Spectrum,
}

impl Grounds<'_> {
    /// Every claim that has a meaning here.
    pub fn all_claims(&self) -> Result<Vec<Claim>, NumericError> {
        let rows = Self::OF_OUTPUTS.iter().chain(Self::OF_STATES);
        rows.filter_map(|row| row.claim(self)).collect()
    }

    /// The contents that were looked for.
    pub(super) fn contents(&self) -> Option<&Contents> {
        Some(self.behaviour?.contents)
    }

    /// Noise that keeps contents from being read which are there. What is not there is not read, whatever the noise.
    pub(super) fn noise(&self) -> Option<&Noise> {
        let (null, noise) = self.states.as_ref()?.recorded?;
        noise.filter(|_| null.least >= self.code.stands_out)
    }

    /// Of outputs of +-1 a share must be right, of real values the error must be small.
    pub(super) fn limit_of_outputs(&self, least: f64, most: f64) -> Limit {
        Limit::of_values(self.behaviour.is_some_and(|behaviour| behaviour.followed.signs), least, most)
    }

    /// The same of contents.
    pub(super) fn limit_of_contents(&self, least: f64, most: f64) -> Limit {
        Limit::of_values(self.contents().is_some_and(Contents::are_signs), least, most)
    }
}
