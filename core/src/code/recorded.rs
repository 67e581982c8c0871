//! A code in recordings: cross-validated, with intervals, and told from noise.
//!
//! Noise limits what can be read from one state, and leaves the memories right on average. Whether errors of reading are
//! noise shows in time: noise does not come back, while what a state really holds goes around with the contents.

use super::{Code, CodeParams, ContentKind, Directions, Judged, Sample, Step, off_by};
use crate::numeric::{Matrix, NumericError, regress, ridge_regression, zero_padded};
use crate::observe::Shown;
use serde::{Deserialize, Serialize};

/// A figure with the interval that holds it in 95 of 100 recordings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The figure.
    pub value: f64,
    /// Where the interval begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
}

impl Interval {
    /// The mean of one value for each input that was shown.
    fn of(values: &[f64]) -> Self {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        let reach = NORMAL_95 * (variance / count).sqrt();
        Self { value: mean, low: mean - reach, high: mean + reach }
    }

    /// What is left of a whole: 1 less the sum of parts over the sum of wholes, input by input.
    fn explained(left: &[f64], all: &[f64]) -> Self {
        let (count, whole) = (all.len().max(1) as f64, all.iter().sum::<f64>().max(f64::MIN_POSITIVE));
        let share = left.iter().sum::<f64>() / whole;
        let scatter: f64 = left.iter().zip(all).map(|(left, all)| (left - share * all).powi(2)).sum();
        let reach = NORMAL_95 * (scatter / (count - 1.0).max(1.0) * count).sqrt() / whole;
        Self { value: 1.0 - share, low: 1.0 - share - reach, high: 1.0 - share + reach }
    }
}

/// More than this many times the episodes are no forecast.
const MOST_TIMES: f64 = 100.0;

/// Ridge of the step matrix; the contents are nearly independent.
const RIDGE: f64 = 1e-9;

/// Ridge of the map from one step to the next of what the code leaves over.
const PREDICTED_RIDGE: f64 = 1e-3;

/// 97.5 of 100 of normal numbers lie below this.
const NORMAL_95: f64 = 1.96;

/// What noise does to the reading of one state.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// Share of the variance of the states that does not come back.
    pub share: f64,
    /// Largest correlation of errors of reading with themselves some steps later, over all contents and lags.
    pub comes_back: f64,
    /// Share of what the code leaves over of the states that comes back, or that one step follows from the step before.
    pub left_over_returns: f64,
    /// What comes back of it, as a share of what contents explain.
    pub structured: f64,
    /// For each content the share of right signs that the noise allows.
    pub allowed: Vec<f64>,
    /// The largest variance of it in what is read of a content of +-1.
    pub largest_error: f64,
}

/// A code judged on every input that was shown by codes of the others.
#[derive(Clone, Debug)]
pub struct CrossValidated {
    /// The code of all inputs but those of the first fold.
    pub code: Code,
    /// On fresh states.
    pub judged: Judged,
    /// Share of the variance of fresh states that contents explain.
    pub explained: Interval,
    /// The content that is read worst.
    pub worst: Interval,
    /// What codes of the other folds read after a step, regressed on the contents before it.
    pub step: Step,
    /// What noise does, where it keeps contents from being read.
    pub noise: Option<Noise>,
    /// Where noise keeps directions of the code from standing out: the episodes in which they would, as far as can be told.
    pub hidden: Option<Option<usize>>,
}

impl CrossValidated {
    /// Fits and judges. The sample holds consecutive time steps; `theory` is the step matrix that f asks for.
    pub fn of(sample: &Sample, shown: &Shown, theory: &Matrix, params: &CodeParams) -> Result<Self, NumericError> {
        let plain = Self::folded(sample, shown, Directions::Shared, params)?;
        if !sample.are_signs() {
            return Ok(plain);
        }
        // Contents that drown in noise have directions of their own if their step comes out right: the contents before it are free
        // of noise, and no reader is drawn towards zero to read one state with the least error.
        let unbiased = match Self::folded(sample, shown, Directions::Significant, params) {
            Err(NumericError::Singular { .. }) => return Ok(plain),
            unbiased => unbiased?,
        };
        let noise = unbiased.noise_in(sample, shown, params);
        let right = off_by(&unbiased.step.matrix, theory).into_iter().all(|off| off <= params.row);
        if right && noise.structured <= params.structured {
            let hard_to_read = unbiased.judged.worst() < params.read;
            let hidden = (hard_to_read && !unbiased.code.is_independent())
                .then(|| unbiased.episodes_needed(sample.episodes, params));
            let code = Code { directions: unbiased.code.count(), ..unbiased.code };
            return Ok(Self { noise: hard_to_read.then_some(noise), hidden, code, ..unbiased });
        }
        // What is left over may be no noise: contents share directions, or something else is held.
        if plain.code.is_independent() || noise.left_over_returns > params.left_over_returns {
            return Ok(plain);
        }
        let hidden = Some(unbiased.episodes_needed(sample.episodes, params));
        Ok(Self { noise: Some(noise), hidden, ..plain })
    }

    /// Episodes after which the weakest direction would stand out of chance, which falls as their number grows.
    fn episodes_needed(&self, episodes: usize, params: &CodeParams) -> Option<usize> {
        // Chance itself is in what was measured.
        let strength = self.code.weakest - 1.0;
        let more = params.significant / strength;
        (strength > 0.0 && (1.0..MOST_TIMES).contains(&more)).then_some((episodes as f64 * more).ceil() as usize)
    }

    fn folded(
        sample: &Sample,
        shown: &Shown,
        directions: Directions,
        params: &CodeParams,
    ) -> Result<Self, NumericError> {
        let folds = params.folds.clamp(2, shown.count().max(2));
        let mut first = None;
        let (count, units) = (sample.contents.nrows(), sample.states.nrows());
        let mut moments = Matrix::zeros(count, count);
        let (mut steps, mut images) = (Matrix::zeros(count, count), Matrix::zeros(count, units));
        let (mut read, mut left, mut all) = (vec![vec![]; count], vec![], vec![]);
        let mut shares = vec![];
        for fold in 0..folds {
            let fresh = |e: usize| shown.input(e) % folds == fold;
            let code = Code::fit(&sample.episodes_where(|e| !fresh(e)), directions, params)?;
            let apart = sample.episodes_where(fresh);
            shares.push(apart.explained_by(&code.memories));
            let errors = Errors::of(&code, sample, (shown, folds, fold));
            read.iter_mut().zip(errors.read).for_each(|(all, new)| all.extend(new));
            left.extend(errors.left);
            all.extend(errors.all);
            let next = apart.next();
            moments += &next.contents * next.contents.transpose();
            steps += &next.contents * (&code.readers * &next.states).transpose();
            images += &next.contents * next.states.transpose();
            first.get_or_insert(code);
        }
        let Some(code) = first else { return Err(NumericError::NoConvergence { what: "the folds", size: 0 }) };
        let after_a_step = |of: &Matrix| -> Result<Matrix, NumericError> {
            Ok(ridge_regression(&moments, of, RIDGE)?.transpose().to_owned())
        };
        let step = Step { matrix: after_a_step(&steps)?, images: after_a_step(&images)? };
        let read: Vec<Interval> = read.iter().map(|values| Interval::of(values)).collect();
        let worst = read.iter().copied().min_by(|a, b| a.value.total_cmp(&b.value)).unwrap_or(Interval::of(&[]));
        let explained = Interval::explained(&left, &all);
        let share = shares.iter().sum::<f64>() / folds as f64;
        let judged = Judged { explained: share, read: read.iter().map(|read| read.value).collect() };
        Ok(Self { code, judged, explained, worst, step, noise: None, hidden: None })
    }

    /// What the errors of reading are made of.
    fn noise_in(&self, sample: &Sample, shown: &Shown, params: &CodeParams) -> Noise {
        let errors = zero_padded(&self.code.readers) * &sample.states - &sample.contents;
        let mut left = sample.left_over(&self.code.memories);
        let share = left.squared_norm_l2() / sample.states.squared_norm_l2().max(f64::MIN_POSITIVE);
        // A loud unit counts no more than a quiet one.
        for unit in 0..left.nrows() {
            let size = sample.states.row(unit).norm_l2() / (sample.len() as f64).sqrt();
            left.row_mut(unit).iter_mut().for_each(|x| *x /= size.max(f64::MIN_POSITIVE));
        }
        let steps = sample.len() / sample.episodes.max(1);
        let lags = 1..params.noise_lags.min(steps / 2) + 1;
        let sizes: Vec<f64> = (0..errors.nrows()).map(|k| errors.row(k).squared_norm_l2()).collect();
        let (mut comes_back, mut returns) = (0.0f64, 0.0f64);
        for lag in lags {
            let columns = errors.ncols() - lag * sample.episodes;
            // Pairs are fewer than states.
            let scale = errors.ncols() as f64 / columns.max(1) as f64;
            let later = |of: &Matrix, k: usize| {
                of.row(k).subcols(0, columns) * of.row(k).subcols(lag * sample.episodes, columns).transpose()
            };
            for (k, size) in sizes.iter().enumerate() {
                comes_back = comes_back.max((scale * later(&errors, k) / size.max(f64::MIN_POSITIVE)).abs());
            }
            let all: f64 = (0..left.nrows()).map(|unit| later(&left, unit)).sum();
            returns = returns.max(scale * all / left.squared_norm_l2().max(f64::MIN_POSITIVE));
        }
        let fitted = sample.len() - sample.len() / params.folds.max(2);
        let returns = returns.max(predicted(left.clone(), shown)).clamp(0.0, 1.0);
        let left_over = left.squared_norm_l2() / (left.nrows() * left.ncols()).max(1) as f64;
        let explained = (1.0 - left_over).max(f64::MIN_POSITIVE);
        Noise {
            share: share * (1.0 - returns),
            comes_back,
            left_over_returns: returns,
            structured: left_over * returns / explained,
            allowed: self.code.allowed(fitted),
            largest_error: self.code.error_variances().into_iter().fold(0.0, f64::max),
        }
    }
}

/// Share of deviations that follows from those one step before, by a linear map of other inputs: none of what is noise, all
/// of what another circuit moves.
fn predicted(deviations: Matrix, shown: &Shown) -> f64 {
    let columns = deviations.ncols();
    let all = Sample::new(deviations, Matrix::zeros(0, columns), ContentKind::Number, shown.episodes());
    let [fitted, fresh] = [0, 1].map(|half| {
        let half = all.episodes_where(|e| shown.input(e) % 2 == half);
        let pairs = half.len().saturating_sub(half.episodes);
        (half.states.subcols(0, pairs).to_owned(), half.states.subcols(half.len() - pairs, pairs).to_owned())
    });
    let Ok(map) = regress(fitted.1.as_ref(), fitted.0.as_ref(), PREDICTED_RIDGE) else { return 0.0 };
    let missed = (&fresh.1 - map * &fresh.0).squared_norm_l2();
    1.0 - missed / fresh.1.squared_norm_l2().max(f64::MIN_POSITIVE)
}

/// What is missed after each input that was shown; its repeats together.
struct Errors {
    /// For each content and input the share that is read.
    read: Vec<Vec<f64>>,
    /// What the code leaves over of the states after each input, and what there was.
    left: Vec<f64>,
    all: Vec<f64>,
}

impl Errors {
    fn of(code: &Code, sample: &Sample, (shown, folds, fold): (&Shown, usize, usize)) -> Self {
        let inputs = (fold..shown.count()).step_by(folds);
        let samples: Vec<Sample> = inputs.map(|input| sample.episodes_where(|e| shown.input(e) == input)).collect();
        let left = |sample: &Sample| sample.left_over(&code.memories).squared_norm_l2();
        let mut read = vec![Vec::with_capacity(samples.len()); code.count()];
        for sample in &samples {
            read.iter_mut().zip(sample.read_by(&code.readers)).for_each(|(all, share)| all.push(share));
        }
        Self {
            read,
            left: samples.iter().map(left).collect(),
            all: samples.iter().map(|sample| sample.states.squared_norm_l2()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::draw;
    use crate::random::{Purpose, Stream};

    /// Contents that go around in some units, and what else is in the states.
    fn recorded(units: usize, episodes: usize, noise: f64, other: f64) -> Sample {
        let (count, steps) = (8, 30);
        let stream = Stream::new(3, Purpose::Matrices);
        let signs = draw::normal(count, episodes, &stream, 1);
        let contents = Matrix::from_fn(count, steps * episodes, |k, column| {
            1f64.copysign(signs[((k + column / episodes) % count, column % episodes)])
        });
        let memories = draw::with_condition(units, count, 3.0, &stream, 2);
        // Products of contents come back with them.
        let product = |column: usize, k: usize| contents[(k, column)] * contents[((k + 3) % count, column)];
        let products = Matrix::from_fn(count, steps * episodes, |k, column| product(column, k));
        let states = &memories * &contents
            + draw::normal(units, steps * episodes, &stream, 4) * faer::Scale(noise)
            + draw::normal(units, count, &stream, 5) * products * faer::Scale(other);
        Sample::new(states, contents, ContentKind::Sign, episodes)
    }

    /// Contents go around.
    fn theory() -> Matrix {
        Matrix::from_fn(8, 8, |i, j| if j == (i + 1) % 8 { 1.0 } else { 0.0 })
    }

    fn validated(sample: &Sample) -> CrossValidated {
        CrossValidated::of(sample, &Shown::once(sample.episodes), &theory(), &CodeParams::default()).unwrap()
    }

    #[test]
    fn noise_is_told_and_what_it_allows_is_what_is_read() {
        let found = validated(&recorded(24, 200, 0.6, 0.0));
        let noise = found.noise.unwrap();
        let difference = |(read, allowed): (&f64, &f64)| (read - allowed).abs();
        let off = found.judged.read.iter().zip(&noise.allowed).map(difference).fold(0.0, f64::max);
        assert!(off < 0.02 && found.worst.value < 0.97, "{off} {:?}", found.worst);
        assert!(noise.comes_back < 0.1 && (noise.share + found.explained.value - 1.0).abs() < 0.02, "{noise:?}");
        assert!(found.worst.low < found.worst.value && found.worst.value < found.worst.high);
        // Noise averages out of the step matrix.
        for k in 0..8 {
            assert!((found.step.matrix[(k, (k + 1) % 8)] - 1.0).abs() < 0.1, "{:?}", found.step.matrix.row(k));
        }
    }

    #[test]
    fn what_comes_back_with_the_contents_is_no_noise() {
        let found = validated(&recorded(10, 200, 0.05, 0.6));
        assert!(found.noise.is_none() && found.worst.value < 0.99, "{:?} {:?}", found.noise, found.worst);
    }

    #[test]
    fn intervals_narrow_with_the_root_of_the_episodes() {
        let width = |episodes| {
            let found = validated(&recorded(24, episodes, 0.6, 0.0));
            found.explained.high - found.explained.low
        };
        let ratio = width(64) / width(256);
        assert!((1.5..2.7).contains(&ratio), "{ratio}");
    }
}
