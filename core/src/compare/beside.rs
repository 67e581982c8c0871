//! What a network keeps that its function does not need.
//!
//! Two networks can compute the same and still not be the same: one may hold inputs for good that f forgets. They show in the
//! states of one late moment, in what the contents leave over.

use super::examine::Examined;
use super::{CompareError, CompareParams};
use crate::code::{ContentKind, ContentsFrom, Less, Sample};
use crate::numeric::Matrix;
use crate::observe::{Batch, ObserveError, OnProgress, Watch};
use crate::random::{Purpose, Stream};
use crate::task::{Component, draw_inputs, in_window};
use serde::Serialize;

/// Episodes that readers are fitted on, at least, and for each unit; a third of them judges.
const EPISODES: (usize, usize) = (768, 4);
/// Ridge of readers, as a share of the mean variance of what is left over.
const RIDGE: f64 = 1e-3;
/// Ridge of the contents.
const CONTENTS_RIDGE: f64 = 1e-9;

/// Inputs that are kept though f does not need them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Beside {
    /// Inputs that f forgets: all that could be kept.
    pub forgotten: usize,
    /// Those that are kept all the same: the variable they were when the inputs ended, and the component.
    pub kept: Vec<Component>,
    /// Share of right signs of the one that is read best.
    pub best: f64,
    /// Share of the variance of the states that they make up together.
    pub share: f64,
}

impl Beside {
    /// Looks for inputs that are kept; nothing for recordings, for functions of which no input is forgotten for good, and for
    /// networks too large to ask.
    pub(super) fn of(
        examined: &Examined,
        params: &CompareParams,
        look: OnProgress<'_>,
    ) -> Result<Option<Self>, CompareError> {
        let (Some(network), Some(contents)) = (&examined.network, &examined.found.details.contents) else {
            return Ok(None);
        };
        let ((s, d), units) = (examined.size, examined.found.hidden);
        let lasting = !contents.fades && contents.drawn.is_none();
        let Some(slots) = contents.slots.as_ref().filter(|_| lasting && units <= params.beside_units) else {
            return Ok(None);
        };
        let forgotten: Vec<usize> = (0..s * d).filter(|slot| !slots.contains(slot)).collect();
        if forgotten.is_empty() {
            return Ok(Some(Self { forgotten: 0, kept: vec![], best: 0.5, share: 0.0 }));
        }
        let episodes = EPISODES.0.max(EPISODES.1 * units);
        let failed = |source| CompareError::Observe { name: examined.name.clone(), source };
        let stream = Stream::new(params.interpret.observe.seed, Purpose::ScoreInputs);
        let inputs = draw_inputs((s, d), episodes, &stream, 33).map_err(|error| failed(ObserveError::Task(error)))?;
        let at = params.settled.0;
        let watch = Watch::new(look, episodes * (at + s));
        let batch = Batch::run(network, inputs, episodes, at + 1, &[at], &watch)
            .map_err(|stopped| failed(ObserveError::Stopped(stopped)))?;
        let input = |i: usize, e: usize| in_window(&batch.inputs, (episodes, d), forgotten[i], e);
        let wanted = Matrix::from_fn(forgotten.len(), episodes, input);
        let seen = examined.view.batch(batch);
        let sample = contents.over(&seen, ContentsFrom::Outputs, (&[], 1.0)).sample(&[at], Less::OwnMeans);
        let memories = sample.memories(CONTENTS_RIDGE)?;
        let (states, left) = (&sample.states, sample.left_over(&memories));
        // What the contents explain of the states is the measure of what is left.
        let scale = states.squared_norm_l2() / left.squared_norm_l2().max(f64::MIN_POSITIVE);
        let count = 2 * episodes / 3;
        let left = Sample::new(left, wanted, ContentKind::Sign, episodes);
        let (fitted, fresh) = (left.episodes_where(|e| e < count), left.episodes_where(|e| e >= count));
        if fitted.states.squared_norm_l2() == 0.0 {
            return Ok(Some(Self { forgotten: forgotten.len(), kept: vec![], best: 0.5, share: 0.0 }));
        }
        let shares = fresh.read_by(&fitted.readers(RIDGE * scale.min(1e12))?);
        let added = fitted.memories(CONTENTS_RIDGE)?;
        let size = |i: usize| added.col(i).squared_norm_l2();
        let usual = memories.squared_norm_l2() / contents.count().max(1) as f64;
        // Chance gives an input about this much.
        let chance = params.kept_significant * fitted.states.squared_norm_l2() / (count * count) as f64;
        let is_kept = |i: &usize| size(*i) >= params.kept_size.powi(2) * usual && size(*i) >= chance;
        let kept: Vec<usize> = (0..forgotten.len()).filter(is_kept).collect();
        let made_up = kept.iter().fold(0.0, |sum, &i| sum + size(i));
        Ok(Some(Self {
            forgotten: forgotten.len(),
            kept: kept.iter().map(|&i| Component::at(forgotten[i], d)).collect(),
            best: shares.iter().copied().fold(0.0, f64::max),
            share: made_up * episodes as f64 / states.squared_norm_l2().max(f64::MIN_POSITIVE),
        }))
    }
}
