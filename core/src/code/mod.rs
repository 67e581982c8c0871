//! The code of a network: which state stands for which contents.
//!
//! `h = mean + Psi v + what is left over`. The memories Psi are the regression of visited states on their contents, the
//! readers Psi* read the contents back, and both are fitted on some episodes and judged on others. Nothing here knows how
//! states follow one another, so that what the code says about the dynamics can be wrong; and no weights are needed, so
//! that recordings are read in the same way.

mod contents;
mod means;
mod null;
mod over_time;
mod params;
mod products;
mod recorded;
mod riders;
mod sample;
mod sharing;
mod signs;
mod step;
mod table;
mod write;

pub(crate) use contents::STEP_RIDGE;
pub use contents::{Contents, ContentsFrom, ContentsOver, ContentsParams};
pub(crate) use means::{centre, shift};
pub use null::Null;
pub use over_time::{OverTime, OverTimeError, OverTimeParams, over_time};
pub use params::CodeParams;
pub use products::{Product, ProductCode, Products, explained_with_pairs};
pub use recorded::{CrossValidated, Interval, Noise};
pub use riders::Rider;
pub use sample::{ContentKind, Less, Sample};
pub use sharing::Sharing;
pub use step::Rows;
pub(crate) use step::{off_by, random_contents};
pub use table::{Drawn, MAX_PRODUCTS, products_of};
pub use write::Writer;

use crate::numeric::{Matrix, NumericError, Svd, ridge_regression};
use crate::score::{Missed, Tally, agree};
use faer::prelude::Solve;
use faer::{MatRef, Side};

/// Least variance that a unit is taken to have, as a share of the mean: one that never moves has none.
const LEAST_VARIANCE: f64 = 1e-9;

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

/// Whether contents may share directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directions {
    /// They may: reading them is then a matter of least error.
    Shared,
    /// Not: products of contents beside them look like noise, but take no direction away.
    Own,
    /// Directions count where they stand out of chance, however loud the noise.
    Significant,
}

/// Second moments of states and contents: all that a code follows from.
#[derive(Clone, Debug)]
pub struct Moments {
    /// Units x units.
    pub states: Matrix,
    /// Contents x units.
    pub shared: Matrix,
    /// Contents x contents.
    pub contents: Matrix,
    /// States that they were taken over.
    pub count: usize,
}

impl Moments {
    /// Those of a sample.
    pub fn of(sample: &Sample) -> Self {
        let states = sample.states.as_ref();
        Self::with(states, &sample.deviations(), states * states.transpose())
    }

    /// Those of states (units x columns) whose own second moments are known.
    pub fn with(states: MatRef<'_, f64>, contents: &Matrix, of_states: Matrix) -> Self {
        let (shared, of_contents) = (contents * states.transpose(), contents * contents.transpose());
        Self { states: of_states, shared, contents: of_contents, count: states.ncols() }
    }
}

impl Code {
    /// Fits a code.
    pub fn fit(sample: &Sample, directions: Directions, params: &CodeParams) -> Result<Self, NumericError> {
        Self::fit_to(&Moments::of(sample), directions, params)
    }

    /// Fits a code to second moments.
    pub fn fit_to(moments: &Moments, shared: Directions, params: &CodeParams) -> Result<Self, NumericError> {
        let (count, hidden) = (moments.count.max(1) as f64, moments.states.nrows());
        let memories = ridge_regression(&moments.contents, &moments.shared, params.ridge)?.transpose().to_owned();
        let own = |i: usize| moments.states[(i, i)];
        let variance = (0..hidden).map(own).sum::<f64>() / (count * hidden.max(1) as f64);
        // Least squares leaves over what the states have and the code has not.
        let mut noise = (&moments.states - &memories * &moments.shared) * faer::Scale(1.0 / count);
        noise = (&noise + noise.transpose()) * faer::Scale(0.5);
        for i in 0..hidden {
            let own = (own(i) / count).max(LEAST_VARIANCE * variance);
            noise[(i, i)] += params.floor * if params.floor_by_unit { own } else { variance };
        }
        let singular = |_| NumericError::Singular { condition: f64::INFINITY, limit: 1.0 / params.floor };
        let weighted = noise.llt(Side::Lower).map_err(singular)?.solve(&memories);
        let mut signal = memories.transpose() * &weighted;
        let failed = |_| NumericError::NoConvergence { what: "the directions of the code", size: signal.nrows() };
        let strengths = signal.self_adjoint_eigenvalues(Side::Lower).map_err(failed)?;
        // Chance alone makes memories of about this strength.
        let chance = hidden as f64 / count;
        let least = match shared {
            Directions::Significant => params.significant * chance,
            _ => params.direction,
        };
        let directions = strengths.iter().filter(|&&strength| strength > least).count();
        let weakest = strengths.iter().copied().fold(f64::INFINITY, f64::min) / chance.max(f64::MIN_POSITIVE);
        let mut ridge = 0.0;
        match shared {
            // With independent contents of variance 1 this is the linear reading of least error.
            Directions::Shared if directions < memories.ncols() => {
                (0..signal.nrows()).for_each(|i| signal[(i, i)] += 1.0);
            }
            Directions::Shared | Directions::Significant => {}
            Directions::Own => ridge = params.ridge,
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
    pub fn judge(&self, fresh: &Sample) -> Judged {
        Judged { explained: fresh.explained_by(&self.memories), read: fresh.read_by(&self.readers) }
    }

    /// How contents move, in the basis of the code: `next` has states with what was held a step before, contents and perhaps
    /// more. These are free of noise, so that noise in the states averages out.
    pub fn step(&self, next: &Sample, ridge: f64) -> Result<Step, NumericError> {
        let images = next.memories(ridge)?;
        Ok(Step { matrix: &self.readers * &images, images: images.subcols(0, self.count()).to_owned() })
    }
}

/// One step of the contents, as states show it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Contents x what they follow from.
    pub matrix: Matrix,
    /// Units x contents: where each memory goes.
    pub images: Matrix,
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
    let mut tally = Tally::new(contents.nrows());
    tally.add_columns(read, contents, agree);
    tally.shares()
}

/// 1 less the share by which the values of each content are missed; 0 where nothing of them is read.
fn hit_values(read: &Matrix, contents: &Matrix) -> Vec<f64> {
    let mut missed = Missed::new(contents.nrows());
    missed.add(read, contents, |_, held| held * held);
    missed.errors(f64::MIN_POSITIVE).into_iter().map(|error| 1.0 - error.min(1.0)).collect()
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
        let states = &memories * &contents + loud + quiet;
        (memories, Sample::new(states, contents, ContentKind::Sign, columns))
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
        let code = Code::fit(&fitted, Directions::Shared, &CodeParams::default()).unwrap();
        Tolerance { relative: 0.0, absolute: 0.2 }.assert_close(&code.memories, &truth);
        Tolerance::absolute(1e-6).assert_close(&(&code.readers * &code.memories), &Matrix::identity(12, 12));
        let judged = code.judge(&planted(12, 500, 1).1);
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
        let judged = Code::fit(&fitted, Directions::Shared, &CodeParams::default()).unwrap().judge(&torn);
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
        let code = Code::fit(&fitted, Directions::Shared, &CodeParams::default()).unwrap();
        assert_eq!((code.directions, code.is_independent()), (11, false));
    }
}
