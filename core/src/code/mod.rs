//! The code of a network: which state stands for which contents.
//!
//! `h = mean + Psi v + what is left over`. The memories Psi are the regression of visited states on their contents, the
//! readers Psi* read the contents back, and both are fitted on some episodes and judged on others. Nothing here knows how
//! states follow one another, so that what the code says about the dynamics can be wrong; and no weights are needed, so
//! that recordings are read in the same way.

mod contents;
mod null;
mod over_time;
mod params;
mod products;
mod recorded;
mod riders;
mod sharing;
mod signs;
mod step;
mod table;
mod write;

pub use contents::{Contents, ContentsFrom, ContentsOver, ContentsParams};
pub use null::Null;
pub use over_time::{OverTime, OverTimeError, OverTimeParams, over_time};
pub use params::CodeParams;
pub(crate) use products::centred_by_step;
pub use products::{MomentFit, Product, ProductCode, Products, SignedStates, at_a_moment, read};
pub use recorded::{CrossValidated, Interval, Noise};
pub use riders::Rider;
pub use sharing::Sharing;
pub use step::{Rows, step_by_writing, step_in_recordings};
pub(crate) use step::{off_by, random_contents, shift};
pub use table::{Drawn, MAX_PRODUCTS, products_of};
pub(crate) use table::{RIDGE as TABLE_RIDGE, centre};
pub use write::Writer;

use crate::numeric::{Matrix, NumericError, Svd, regress, ridge_regression, zero_padded};
use crate::observe::Batch;
use faer::prelude::Solve;
use faer::{MatRef, Side};

/// Least variance that a unit is taken to have, as a share of the mean: one that never moves has none.
const LEAST_VARIANCE: f64 = 1e-9;

/// States and what they should hold, one column each; states are deviations from the mean at their step.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Units x columns.
    pub states: Matrix,
    /// Contents x columns.
    pub contents: Matrix,
    /// Columns of one time step; they stand together.
    pub episodes: usize,
}

impl Sample {
    /// The states that a batch kept at `steps`, less `means` (one an output step), and their contents.
    pub fn of(batch: &Batch, contents: &ContentsOver<'_>, steps: &[usize], means: &[Vec<f64>], count: usize) -> Self {
        let hidden = batch.states.values().next().map_or(0, Matrix::nrows);
        let mut sample = Self {
            states: Matrix::zeros(hidden, steps.len() * batch.episodes),
            contents: Matrix::zeros(count, steps.len() * batch.episodes),
            episodes: batch.episodes,
        };
        for (k, &t) in steps.iter().enumerate() {
            let first = k * batch.episodes;
            for episode in 0..batch.episodes {
                let column = sample.states.col_as_slice_mut(first + episode);
                let state = batch.states[&t].col_as_slice(episode);
                for ((x, h), mean) in column.iter_mut().zip(state).zip(&means[t]) {
                    *x = h - mean;
                }
            }
            contents.write(t, &mut sample.contents, first);
        }
        sample
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.states.ncols()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Which state stands for which contents.
#[derive(Clone, Debug)]
pub struct Code {
    /// Units x contents: what each content adds to the state.
    #[doc(alias = "Psi")]
    pub memories: Matrix,
    /// Contents x units: reads the contents from a state. Inverts the memories where they are independent; where they are
    /// not, it reads each content with the least error.
    #[doc(alias = "Psi*")]
    pub readers: Matrix,
    /// Covariance of what the code leaves over.
    pub noise: Matrix,
    /// Directions in which contents stand out of what is left over.
    pub directions: usize,
    /// Condition number of the memories.
    pub condition: f64,
    /// How many times stronger than chance the weakest direction is.
    pub weakest: f64,
}

/// Whether contents may share directions, so that reading them is a matter of least error; products of contents beside them
/// look like noise, but take no direction away.
#[derive(Clone, Copy)]
enum SharedDirections {
    May,
    Not,
    /// Directions count where they stand out of chance, however loud the noise.
    Significant,
}

impl Code {
    /// Fits a code whose contents each have a direction of their own, beside their products.
    pub fn fit_beside_products(sample: &Sample, params: &CodeParams) -> Result<Self, NumericError> {
        let moments = &sample.states * sample.states.transpose();
        Self::fit_as(sample.states.as_ref(), &sample.contents, &moments, SharedDirections::Not, params)
    }

    /// Fits a code to states full of noise, in which contents have directions of their own if these are no chance.
    pub fn fit_under_noise(sample: &Sample, params: &CodeParams) -> Result<Self, NumericError> {
        let moments = &sample.states * sample.states.transpose();
        Self::fit_as(sample.states.as_ref(), &sample.contents, &moments, SharedDirections::Significant, params)
    }

    /// Fits a code.
    pub fn fit(sample: &Sample, params: &CodeParams) -> Result<Self, NumericError> {
        let moments = &sample.states * sample.states.transpose();
        Self::fit_to(sample.states.as_ref(), &sample.contents, &moments, params)
    }

    /// Fits a code to states (units x columns) whose second moments are at hand.
    pub fn fit_to(
        states: MatRef<'_, f64>,
        contents: &Matrix,
        moments: &Matrix,
        params: &CodeParams,
    ) -> Result<Self, NumericError> {
        Self::fit_as(states, contents, moments, SharedDirections::May, params)
    }

    fn fit_as(
        states: MatRef<'_, f64>,
        contents: &Matrix,
        moments: &Matrix,
        shared_directions: SharedDirections,
        params: &CodeParams,
    ) -> Result<Self, NumericError> {
        let (count, hidden) = (states.ncols().max(1) as f64, moments.nrows());
        let shared = contents * states.transpose();
        let memories = ridge_regression(&(contents * contents.transpose()), &shared, params.ridge)?;
        let memories = memories.transpose().to_owned();
        let variance = (0..hidden).map(|i| moments[(i, i)]).sum::<f64>() / (count * hidden.max(1) as f64);
        // Least squares leaves over what the states have and the code has not.
        let mut noise = (moments - &memories * &shared) * faer::Scale(1.0 / count);
        noise = (&noise + noise.transpose()) * faer::Scale(0.5);
        for i in 0..hidden {
            let own = (moments[(i, i)] / count).max(LEAST_VARIANCE * variance);
            noise[(i, i)] += params.floor * if params.floor_by_unit { own } else { variance };
        }
        let singular = |_| NumericError::Singular { condition: f64::INFINITY, limit: 1.0 / params.floor };
        let weighted = noise.llt(Side::Lower).map_err(singular)?.solve(&memories);
        let mut signal = memories.transpose() * &weighted;
        let failed = |_| NumericError::NoConvergence { what: "the directions of the code", size: signal.nrows() };
        let strengths = signal.self_adjoint_eigenvalues(Side::Lower).map_err(failed)?;
        // Chance alone makes memories of about this strength.
        let chance = hidden as f64 / count;
        let least = match shared_directions {
            SharedDirections::Significant => params.significant * chance,
            _ => params.direction,
        };
        let directions = strengths.iter().filter(|&&strength| strength > least).count();
        let weakest = strengths.iter().copied().fold(f64::INFINITY, f64::min) / chance.max(f64::MIN_POSITIVE);
        let mut ridge = 0.0;
        match shared_directions {
            // With independent contents of variance 1 this is the linear reading of least error.
            SharedDirections::May if directions < memories.ncols() => {
                (0..signal.nrows()).for_each(|i| signal[(i, i)] += 1.0);
            }
            SharedDirections::May | SharedDirections::Significant => {}
            SharedDirections::Not => ridge = params.ridge,
        }
        let readers = ridge_regression(&signal, &weighted.transpose().to_owned(), ridge)?;
        let condition = Svd::of(&memories)?.condition();
        Ok(Self { memories, readers, noise, directions, condition, weakest })
    }

    /// How many contents it has.
    pub fn count(&self) -> usize {
        self.memories.ncols()
    }

    /// For each content the share of right signs that normal noise of this covariance allows on fresh states.
    ///
    /// Readers that were fitted on `columns` states follow the noise in these, so that they miss more in others.
    pub fn allowed(&self, columns: usize) -> Vec<f64> {
        let followed = (1.0 - self.noise.nrows() as f64 / columns.max(1) as f64).max(0.0);
        let clear = |variance: f64| followed / variance.max(f64::MIN_POSITIVE).sqrt();
        self.error_variances().into_iter().map(|variance| normal_below(clear(variance))).collect()
    }

    /// The variance of what is left over, as each reader sees it.
    pub fn error_variances(&self) -> Vec<f64> {
        let errors = &self.readers * &self.noise * self.readers.transpose();
        (0..self.count()).map(|k| errors[(k, k)]).collect()
    }

    /// Whether every content has a direction of its own.
    pub fn is_independent(&self) -> bool {
        self.directions == self.count()
    }

    /// How well fresh states are explained and read.
    pub fn judge(&self, fresh: &Sample, signs: bool) -> Judged {
        Judged { explained: explained(&self.memories, fresh), read: self.read(fresh, signs) }
    }

    /// How well each content is read from fresh states.
    pub fn read(&self, fresh: &Sample, signs: bool) -> Vec<f64> {
        let found = zero_padded(&self.readers) * &fresh.states;
        if signs { right_signs(&found, &fresh.contents) } else { hit_values(&found, &fresh.contents) }
    }
}

/// Share of the variance of fresh states that memories explain, on average over the time steps.
fn explained(memories: &Matrix, fresh: &Sample) -> f64 {
    let missed = &fresh.states - zero_padded(memories) * &fresh.contents;
    // Step by step: activity that dies out is not explained by its first moment.
    let (each, mut explained) = (fresh.episodes.max(1), 0.0);
    for first in (0..fresh.len()).step_by(each) {
        let size = |of: &Matrix| of.subcols(first, each).squared_norm_l2();
        explained += (1.0 - size(&missed) / size(&fresh.states).max(f64::MIN_POSITIVE)).max(0.0);
    }
    explained * each as f64 / fresh.len().max(1) as f64
}

/// What a code is worth on fresh states.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Share of the variance of the states that contents explain, on average over the time steps; 0 where the mean state
    /// predicts as well.
    pub explained: f64,
    /// For each content the share of right signs, or for real values 1 less the share by which they are missed.
    pub read: Vec<f64>,
}

impl Judged {
    /// The content that is read worst.
    pub fn worst(&self) -> f64 {
        self.read.iter().copied().fold(1.0, f64::min)
    }
}

/// The regression of states on contents, units x contents.
pub fn memories(sample: &Sample, ridge: f64) -> Result<Matrix, NumericError> {
    regress(sample.states.as_ref(), sample.contents.as_ref(), ridge)
}

/// The regression of contents on states, contents x units.
pub fn readers(sample: &Sample, ridge: f64) -> Result<Matrix, NumericError> {
    regress(sample.contents.as_ref(), sample.states.as_ref(), ridge)
}

/// The share of normal numbers below a value.
fn normal_below(value: f64) -> f64 {
    0.5 * libm::erfc(-value / std::f64::consts::SQRT_2)
}

/// The value that a share of normal numbers, at least a half, is below.
pub(crate) fn normal_deviation(share: f64) -> f64 {
    // No share that f64 can tell from 1 lies further out than 9.
    let (mut below, mut above) = (0.0, 9.0);
    for _ in 0..60 {
        let middle = 0.5 * (below + above);
        if normal_below(middle) < share { below = middle } else { above = middle }
    }
    above
}

/// Share of right signs of each content.
pub fn right_signs(read: &Matrix, contents: &Matrix) -> Vec<f64> {
    let mut right = vec![0usize; contents.nrows()];
    for k in 0..contents.ncols() {
        let pairs = read.col_as_slice(k).iter().zip(contents.col_as_slice(k));
        right.iter_mut().zip(pairs).for_each(|(right, (found, held))| *right += usize::from(found * held > 0.0));
    }
    right.iter().map(|&right| right as f64 / contents.ncols().max(1) as f64).collect()
}

/// 1 less the share by which the values of each content are missed; 0 where nothing of them is read.
fn hit_values(read: &Matrix, contents: &Matrix) -> Vec<f64> {
    let missed = |i: usize| (read.row(i) - contents.row(i)).squared_norm_l2();
    let size = |i: usize| contents.row(i).squared_norm_l2().max(f64::MIN_POSITIVE);
    (0..contents.nrows()).map(|i| 1.0 - (missed(i) / size(i)).sqrt().min(1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{draw, tolerance::Tolerance};
    use crate::random::{Purpose, Stream};

    /// Planted memories, contents of +-1, and noise that is large in directions without contents.
    fn planted(count: usize, columns: usize, index: u32) -> (Matrix, Sample) {
        let stream = Stream::new(5, Purpose::Matrices);
        let memories = draw::with_condition(40, count, 4.0, &stream, 0);
        let signs = draw::normal(count, columns, &stream, 10 + index);
        let contents = Matrix::from_fn(count, columns, |i, j| 1f64.copysign(signs[(i, j)]));
        let loud = draw::normal(40, 3, &stream, 3) * draw::normal(3, columns, &stream, 20 + index);
        let quiet = draw::normal(40, columns, &stream, 30 + index) * faer::Scale(0.01);
        (memories.clone(), Sample { states: memories * &contents + loud + quiet, contents, episodes: columns })
    }

    #[test]
    fn a_share_of_right_signs_is_reached_where_its_deviation_says() {
        for (share, deviation) in [(0.5, 0.0), (0.975, 1.959_963_985), (0.99, 2.326_347_874), (0.999_99, 4.264_890_794)]
        {
            assert!((normal_deviation(share) - deviation).abs() < 1e-8, "{share}");
        }
        // Nothing reaches 1: the end of the search is given, and no endless one.
        assert!(normal_deviation(1.0) <= 9.0);
    }

    #[test]
    fn planted_memories_are_found_under_loud_noise_that_holds_nothing() {
        let (truth, fitted) = planted(12, 4000, 0);
        let code = Code::fit(&fitted, &CodeParams::default()).unwrap();
        Tolerance { relative: 0.0, absolute: 0.2 }.assert_close(&code.memories, &truth);
        Tolerance::absolute(1e-6).assert_close(&(&code.readers * &code.memories), &Matrix::identity(12, 12));
        let judged = code.judge(&planted(12, 500, 1).1, true);
        assert_eq!((judged.worst(), code.directions), (1.0, 12));
        assert!(judged.explained < 0.5, "most of the variance holds nothing: {}", judged.explained);
        // The pseudo-inverse follows the noise, the readers do not.
        let naive = crate::numeric::pseudo_inverse(&code.memories, 1e-12).unwrap() * &fitted.states;
        assert!(right_signs(&naive, &fitted.contents).iter().any(|&share| share < 0.99));
    }

    #[test]
    fn states_of_other_episodes_hold_nothing() {
        let (_, fitted) = planted(12, 4000, 0);
        let mut torn = planted(12, 500, 1).1;
        torn.contents = planted(12, 500, 2).1.contents;
        let judged = Code::fit(&fitted, &CodeParams::default()).unwrap().judge(&torn, true);
        assert!(judged.worst() < 0.6 && judged.explained < 0.01, "{judged:?}");
    }

    #[test]
    fn contents_that_share_directions_are_counted_once() {
        let (_, mut fitted) = planted(12, 4000, 0);
        // The last content adds what the first adds, and the state says nothing of it otherwise.
        let stream = Stream::new(6, Purpose::Matrices);
        let shared = draw::with_condition(40, 11, 2.0, &stream, 0);
        let memories = Matrix::from_fn(40, 12, |i, j| if j < 11 { shared[(i, j)] } else { 0.5 * shared[(i, 0)] });
        fitted.states = memories * &fitted.contents + draw::normal(40, 4000, &stream, 1) * faer::Scale(0.01);
        let code = Code::fit(&fitted, &CodeParams::default()).unwrap();
        assert_eq!((code.directions, code.is_independent()), (11, false));
    }
}
