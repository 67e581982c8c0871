//! States with what they should hold: what a code is fitted to and judged on.

use super::means::{means_by_step, shift_by_step};
use super::{hit_values, products_of, right_signs};
use crate::numeric::{Matrix, NumericError, regress, stacked, zero_padded};
use crate::observe::Batch;
use std::borrow::Cow;

/// What a content is, which says when it is read right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentKind {
    /// +1 or -1: read right where its sign is.
    Sign,
    /// Any number: read as far as it is hit.
    Number,
}

/// States and what they should hold, one column each. Nothing here knows what contents are made of, or of which task.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Units x columns: deviations from the mean at their step.
    pub states: Matrix,
    /// Contents x columns, as they are.
    pub contents: Matrix,
    /// What each content is.
    pub kinds: Vec<ContentKind>,
    /// Contents x steps: their means, where a code is fitted to deviations from these.
    pub means: Option<Matrix>,
    /// Columns of one time step; they stand together.
    pub episodes: usize,
}

/// What is taken off the states and contents of a batch.
#[derive(Clone, Copy, Debug)]
pub enum Less<'a> {
    /// These means off the states, one an output step; contents are taken as they are.
    Means(&'a [Vec<f64>]),
    /// Their own means at each step off both: contents that depend on one another need not be balanced.
    OwnMeans,
}

impl Sample {
    /// States and contents from which nothing is taken off.
    pub fn new(states: Matrix, contents: Matrix, kind: ContentKind, episodes: usize) -> Self {
        Self { kinds: vec![kind; contents.nrows()], states, contents, means: None, episodes }
    }

    /// The states that a batch kept at some steps, and their contents, step by step.
    pub fn of(batch: &Batch, steps: &[usize], contents: Matrix, kind: ContentKind, less: Less<'_>) -> Self {
        let (units, episodes) = (batch.states.values().next().map_or(0, Matrix::nrows), batch.episodes);
        let mut states = Matrix::zeros(units, steps.len() * episodes);
        for (k, t) in steps.iter().enumerate() {
            let (first, kept) = (k * episodes, &batch.states[t]);
            let Less::Means(means) = less else {
                states.subcols_mut(first, episodes).copy_from(kept);
                continue;
            };
            for episode in 0..episodes {
                let column = states.col_as_slice_mut(first + episode);
                for ((x, h), mean) in column.iter_mut().zip(kept.col_as_slice(episode)).zip(&means[*t]) {
                    *x = h - mean;
                }
            }
        }
        let sample = Self::new(states, contents, kind, episodes);
        match less {
            Less::Means(_) => sample,
            Less::OwnMeans => sample.centred(),
        }
    }

    /// The same, the means of states and contents at each step taken off.
    pub fn centred(mut self) -> Self {
        let means = means_by_step(&self.states, self.episodes);
        shift_by_step(&mut self.states, &means, self.episodes, -1.0);
        self.means = Some(means_by_step(&self.contents, self.episodes));
        self
    }

    /// The same states with other contents.
    pub fn with_contents(&self, contents: Matrix, kind: ContentKind) -> Self {
        let means = self.means.as_ref().map(|_| means_by_step(&contents, self.episodes));
        Self { means, ..Self::new(self.states.clone(), contents, kind, self.episodes) }
    }

    /// The same states with products of their contents, which are signs, beside these.
    pub fn with_products(&self, products: &[Vec<usize>]) -> Self {
        let beside = products_of(&self.contents, products);
        self.with_contents(stacked(&self.contents, &beside), ContentKind::Sign)
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.states.ncols()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether states or contents never differ, so that there is nothing to fit.
    pub fn is_still(&self) -> bool {
        self.states.norm_max() == 0.0 || self.deviations().norm_max() == 0.0
    }

    /// Whether all contents are signs.
    pub fn are_signs(&self) -> bool {
        self.kinds.iter().all(|kind| *kind == ContentKind::Sign)
    }

    /// What a code is fitted to: contents, less their means where it is fitted to deviations.
    pub fn deviations(&self) -> Cow<'_, Matrix> {
        let Some(means) = &self.means else { return Cow::Borrowed(&self.contents) };
        let mut deviations = self.contents.clone();
        shift_by_step(&mut deviations, means, self.episodes, -1.0);
        Cow::Owned(deviations)
    }

    /// The regression of states on contents, units x contents.
    pub fn memories(&self, ridge: f64) -> Result<Matrix, NumericError> {
        regress(self.states.as_ref(), (*self.deviations()).as_ref(), ridge)
    }

    /// The regression of contents on states, contents x units.
    pub fn readers(&self, ridge: f64) -> Result<Matrix, NumericError> {
        regress((*self.deviations()).as_ref(), self.states.as_ref(), ridge)
    }

    /// What memories leave over of the states.
    pub fn left_over(&self, memories: &Matrix) -> Matrix {
        &self.states - zero_padded(memories) * &*self.deviations()
    }

    /// Share of the variance of the states that memories explain, on average over the time steps.
    pub fn explained_by(&self, memories: &Matrix) -> f64 {
        let missed = self.left_over(memories);
        // Step by step: activity that dies out is not explained by its first moment.
        let (each, mut explained) = (self.episodes.max(1), 0.0);
        for first in (0..self.len()).step_by(each) {
            let size = |of: &Matrix| of.subcols(first, each).squared_norm_l2();
            explained += (1.0 - size(&missed) / size(&self.states).max(f64::MIN_POSITIVE)).max(0.0);
        }
        explained * each as f64 / self.len().max(1) as f64
    }

    /// How well readers read each content from the states: the share of right signs, or for numbers 1 less the share by which they
    /// are missed.
    pub fn read_by(&self, readers: &Matrix) -> Vec<f64> {
        let mut found = zero_padded(readers) * &self.states;
        if let Some(means) = &self.means {
            // What is read is a deviation: the mean is put back.
            shift_by_step(&mut found, means, self.episodes, 1.0);
        }
        let mut read = vec![0.0; self.kinds.len()];
        for kind in [ContentKind::Sign, ContentKind::Number].into_iter().filter(|kind| self.kinds.contains(kind)) {
            let shares = match kind {
                ContentKind::Sign => right_signs(&found, &self.contents),
                ContentKind::Number => hit_values(&found, &self.contents),
            };
            let those = (0..read.len()).filter(|&k| self.kinds[k] == kind);
            those.for_each(|k| read[k] = shares[k]);
        }
        read
    }

    /// Some of the episodes.
    pub fn episodes_where(&self, wanted: impl Fn(usize) -> bool) -> Self {
        let chosen: Vec<usize> = (0..self.episodes).filter(|&e| wanted(e)).collect();
        let steps = self.len() / self.episodes.max(1);
        let columns: Vec<usize> = (0..steps).flat_map(|t| chosen.iter().map(move |e| t * self.episodes + e)).collect();
        Self { means: self.means.clone(), ..self.columns(&columns, chosen.len()) }
    }

    /// Some of the time steps, by their place in the sample.
    pub fn at_steps(&self, chosen: &[usize]) -> Self {
        let columns: Vec<usize> = chosen.iter().flat_map(|t| t * self.episodes..(t + 1) * self.episodes).collect();
        let means = self.means.as_ref().map(|means| columns_of(means, chosen));
        Self { means, ..self.columns(&columns, self.episodes) }
    }

    /// Each state with the contents of the step before it.
    pub fn next(&self) -> Self {
        let steps = self.len() / self.episodes.max(1);
        let (before, after): (Vec<usize>, Vec<usize>) = (1..steps).map(|t| (t - 1, t)).unzip();
        let Self { contents, means, .. } = self.at_steps(&before);
        Self { contents, means, ..self.at_steps(&after) }
    }

    /// Some of the states, `episodes` of them a time step, with their contents as they are.
    pub(super) fn columns(&self, chosen: &[usize], episodes: usize) -> Self {
        let (states, contents) = (columns_of(&self.states, chosen), columns_of(&self.contents, chosen));
        Self { states, contents, kinds: self.kinds.clone(), means: None, episodes }
    }
}

fn columns_of(all: &Matrix, chosen: &[usize]) -> Matrix {
    let mut some = Matrix::zeros(all.nrows(), chosen.len());
    for (k, from) in chosen.iter().enumerate() {
        some.col_as_slice_mut(k).copy_from_slice(all.col_as_slice(*from));
    }
    some
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two steps of three episodes: a sign that is mostly +1, and a number.
    fn sample() -> Sample {
        let sign = |e: usize| if e % 3 == 2 { -1.0 } else { 1.0 };
        let contents = Matrix::from_fn(2, 6, |k, e| if k == 0 { sign(e) } else { e as f64 - 2.0 });
        let signs = Sample::new(contents.clone(), contents, ContentKind::Sign, 3);
        Sample { kinds: vec![ContentKind::Sign, ContentKind::Number], ..signs }
    }

    #[test]
    fn each_content_is_judged_by_what_it_is() {
        let half = Matrix::from_fn(2, 2, |i, j| if i == j { 0.5 } else { 0.0 });
        let read = sample().read_by(&half);
        assert_eq!(read[0], 1.0, "half of a sign is as good as all of it");
        assert!((read[1] - 0.5).abs() < 1e-12, "half of a number is missed by half: {}", read[1]);
    }

    #[test]
    fn what_was_centred_is_read_as_it_was() {
        let centred = sample().centred();
        assert!(centred.deviations().subcols(0, 3).row(1).sum().abs() < 1e-12);
        let read = centred.read_by(&Matrix::identity(2, 2));
        assert!(read.iter().all(|share| (share - 1.0).abs() < 1e-12), "{read:?}");
        assert!((centred.explained_by(&Matrix::identity(2, 2)) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_next_state_stands_with_what_was_held_before() {
        let (whole, next) = (sample().centred(), sample().centred().next());
        assert_eq!(next.states, whole.states.subcols(3, 3));
        assert_eq!(next.contents, whole.contents.subcols(0, 3));
        assert_eq!(*next.deviations(), whole.deviations().subcols(0, 3));
        assert_eq!(whole.episodes_where(|e| e == 1).contents, whole.at_steps(&[0, 1]).columns(&[1, 4], 1).contents);
    }
}
