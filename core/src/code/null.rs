//! The null: do contents explain states better than those of other inputs do?

use super::{CodeParams, LEAST_VARIANCE, Sample};
use crate::numeric::{Matrix, NumericError};
use crate::observe::Shown;
use crate::random::{Purpose, Stream};
use faer::Side;
use faer::linalg::solvers::Solve;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Multiplications that all draws together may take, about; states of fewer time steps are looked at beyond it.
const MOST_WORK: f64 = 1e10;

/// Time steps that are looked at, at least.
const LEAST_STEPS: usize = 4;

/// How contents stand out of those of other inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Null {
    /// Times that inputs were shuffled.
    pub draws: usize,
    /// Share of these (with the recording itself) in which contents explain the states at least as well.
    pub p: f64,
    /// By how many standard deviations of the draws all contents together stand out.
    pub stands_out: f64,
    /// The same for the content that stands out least.
    pub least: f64,
    /// The same for each content.
    #[serde(skip)]
    pub contents: Vec<f64>,
}

impl Null {
    /// Shuffles which input's contents belong to which input's states. Whole episodes change places, so that how contents follow
    /// one another is kept, and all repeats of an input together: what belongs to it by chance belongs to each of them.
    pub fn of(sample: &Sample, shown: &Shown, params: &CodeParams, seed: u64) -> Result<Self, NumericError> {
        let sample = &thinned(sample, params.null_draws);
        let white = whitened(sample, params.floor)?;
        let moments = &sample.contents * sample.contents.transpose();
        let singular = |_| NumericError::Singular { condition: f64::INFINITY, limit: f64::INFINITY };
        let mut damped = moments.clone();
        (0..damped.nrows()).for_each(|i| damped[(i, i)] += params.ridge * sample.len() as f64);
        let moments = damped.llt(Side::Lower).map_err(singular)?;
        let strengths = |contents: &Matrix| -> Vec<f64> {
            let found = moments.solve(contents * white.transpose());
            (0..found.nrows()).map(|k| found.row(k).squared_norm_l2()).collect()
        };
        let seen = strengths(&sample.contents);
        let stream = Stream::new(seed, Purpose::Bootstrap);
        let draws = params.null_draws.max(1);
        let drawn: Vec<Vec<f64>> = (0..draws)
            .into_par_iter()
            .map(|draw| strengths(&moved(sample, shown, &permutation(shown.count(), &stream, draw as u32))))
            .collect();
        let sum = |strengths: &[f64]| strengths.iter().sum::<f64>();
        let total: Vec<f64> = drawn.iter().map(|draw| sum(draw)).collect();
        let as_good = total.iter().filter(|&&drawn| drawn >= sum(&seen)).count();
        let each = |k: usize| deviations(seen[k], &drawn.iter().map(|draw| draw[k]).collect::<Vec<_>>());
        let contents: Vec<f64> = (0..seen.len()).map(each).collect();
        Ok(Self {
            draws,
            p: (1 + as_good) as f64 / (1 + draws) as f64,
            stands_out: deviations(sum(&seen), &total),
            least: contents.iter().copied().fold(f64::INFINITY, f64::min),
            contents,
        })
    }
}

/// By how many standard deviations a value lies above what was drawn.
fn deviations(value: f64, drawn: &[f64]) -> f64 {
    let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
    let variance = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / drawn.len() as f64;
    (value - mean) / variance.sqrt().max(f64::MIN_POSITIVE)
}

/// Evenly spread time steps of a sample, as many as there is time for.
fn thinned(sample: &Sample, draws: usize) -> Sample {
    let (episodes, steps) = (sample.episodes.max(1), sample.len() / sample.episodes.max(1));
    let one = (sample.states.nrows() * sample.contents.nrows() * episodes * draws.max(1)) as f64;
    let most = ((MOST_WORK / one) as usize).max(LEAST_STEPS);
    let kept: Vec<usize> =
        if steps <= most { (0..steps).collect() } else { (0..most).map(|k| k * steps / most).collect() };
    sample.at_steps(&kept)
}

/// States in which every direction varies alike: a loud unit counts no more than a quiet one.
fn whitened(sample: &Sample, floor: f64) -> Result<Matrix, NumericError> {
    let hidden = sample.states.nrows();
    let mut moments = &sample.states * sample.states.transpose();
    let mean = (0..hidden).map(|i| moments[(i, i)]).sum::<f64>() / hidden.max(1) as f64;
    (0..hidden).for_each(|i| moments[(i, i)] += floor * moments[(i, i)].max(LEAST_VARIANCE * mean));
    let singular = |_| NumericError::Singular { condition: f64::INFINITY, limit: 1.0 / floor };
    let factor = moments.llt(Side::Lower).map_err(singular)?;
    let mut white = sample.states.clone();
    solve_lower_triangular_in_place(factor.L(), white.as_mut(), faer::get_global_parallelism());
    Ok(white)
}

/// The contents of other inputs, at the same time steps.
fn moved(sample: &Sample, shown: &Shown, from: &[usize]) -> Matrix {
    let (episodes, mut moved, firsts) = (sample.episodes, sample.contents.clone(), shown.firsts());
    for column in 0..moved.ncols() {
        let source = column / episodes * episodes + firsts[from[shown.input(column % episodes)]];
        moved.col_as_slice_mut(column).copy_from_slice(sample.contents.col_as_slice(source));
    }
    moved
}

/// A random permutation (Fisher and Yates).
pub(super) fn permutation(count: usize, stream: &Stream, draw: u32) -> Vec<usize> {
    let mut uniform = vec![0.0; count];
    stream.fill_uniform(draw, 1, &mut uniform);
    let mut order: Vec<usize> = (0..count).collect();
    (1..count).rev().for_each(|last| order.swap(last, (uniform[last] * (last + 1) as f64) as usize));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::ContentKind;
    use crate::numeric::draw;

    /// States of noise, and in some of them contents.
    fn sample(index: u32, strength: f64) -> Sample {
        let (units, count, episodes, steps) = (12, 5, 40, 6);
        let stream = Stream::new(7, Purpose::Matrices);
        let signs = draw::normal(count, episodes, &stream, 100 + index);
        let contents = Matrix::from_fn(count, steps * episodes, |k, column| {
            // Contents go around, so that time steps are far from independent.
            1f64.copysign(signs[((k + column / episodes) % count, column % episodes)])
        });
        let noise = draw::normal(units, steps * episodes, &stream, 1000 + index);
        let memories = draw::normal(units, count, &stream, 5) * faer::Scale(strength);
        Sample::new(memories * &contents + noise, contents, ContentKind::Sign, episodes)
    }

    #[test]
    fn where_states_hold_nothing_p_is_uniform() {
        let params = CodeParams { null_draws: 49, ..CodeParams::default() };
        let mut found: Vec<f64> =
            (0..200).map(|k| Null::of(&sample(k, 0.0), &Shown::once(40), &params, u64::from(k)).unwrap().p).collect();
        found.sort_by(f64::total_cmp);
        // Kolmogorov and Smirnov at one in a thousand for 200 draws, and the steps of 1/50 that p takes.
        let largest = found.iter().enumerate().map(|(k, p)| (p - (k + 1) as f64 / 200.0).abs()).fold(0.0, f64::max);
        assert!(largest < 1.95 / 200f64.sqrt() + 0.02, "{largest}");
        assert!(found.iter().any(|&p| p < 0.1) && found.iter().any(|&p| p > 0.9));
    }

    #[test]
    fn what_is_held_stands_out_and_what_is_not_does_not() {
        let held = Null::of(&sample(0, 0.5), &Shown::once(40), &CodeParams::default(), 1).unwrap();
        assert!(held.p == 0.01 && held.least > 6.0, "{held:?}");
        // One content is another episode's.
        let mut torn = sample(0, 0.5);
        let other = sample(1, 0.5);
        torn.contents.row_mut(2).copy_from(other.contents.row(2));
        let found = Null::of(&torn, &Shown::once(40), &CodeParams::default(), 1).unwrap();
        assert!(found.contents[2] < 6.0 && found.contents[0] > 6.0, "{found:?}");
    }
}
