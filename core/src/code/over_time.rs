//! Which contents the states hold at each time step: read by a linear reader of that step alone, on other episodes than it was
//! fitted on, beside what the same procedure reads of contents that belong to other episodes.
//!
//! Nothing here asks how states follow one another or that a code is the same at all times: it is for trials that end, and for
//! networks that keep something for a while.

use super::null::permutation;
use crate::numeric::{Matrix, NumericError};
use crate::random::{Purpose, Stream};
use crate::score::{Tally, agree};
use crate::setting::settings;
use faer::Side;
use faer::prelude::Solve;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

settings! {
    /// How contents are read over time.
    pub struct OverTimeParams {
        /// Episodes that a network is run on.
        episodes: usize = 512, EPISODES;
        /// Output steps that are looked at, at most.
        steps: usize = 24, STEPS;
        /// Each part of the episodes is read by readers of the others.
        folds: usize = 4, FOLDS;
        /// Times that contents are given to other episodes.
        draws: usize = 8, DRAWS;
        /// Ridge of the readers, relative to the mean variance of a unit.
        ridge: f64 = 1e-6, RIDGE;
    }
}

/// Share of right signs with which each content is read at each time step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OverTime {
    /// What the contents are called.
    pub contents: Vec<String>,
    /// For each content and time step (from the first of the episode); nothing where the content is not defined.
    pub read: Vec<Vec<Option<f64>>>,
    /// The same for contents of other episodes: the largest of all draws.
    pub null: Vec<Vec<Option<f64>>>,
    /// Episodes.
    pub episodes: usize,
    /// Episodes whose contents differ: readers are fitted on some of these and judged on others.
    pub different: usize,
    /// Time steps in which there was input.
    pub input_steps: usize,
}

/// Why contents could not be read over time.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OverTimeError {
    /// States and contents that do not belong together.
    #[error(
        "{what}: {found} found where {needed} are needed; states and contents must be of the same steps and episodes"
    )]
    Shape {
        /// What does not fit.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        needed: usize,
    },
    /// Too few to fit and to judge on.
    #[error("the contents of {found} episodes differ, but {needed} are needed; add episodes with other contents")]
    TooFew {
        /// Episodes whose contents differ.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A matrix computation failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
}

/// The share of right signs of a content, and what shuffling gives at most; nothing where it is not defined.
type Shares = (Option<f64>, Option<f64>);

/// Fewer episodes with different contents cannot be split into parts.
const LEAST: usize = 8;

/// Reads contents from states (units x episodes) of every time step. `contents` (contents x episodes) are +1 and -1, or NaN where
/// they are not defined.
pub fn over_time(
    states: &[Matrix],
    contents: &[Matrix],
    names: Vec<String>,
    input_steps: usize,
    params: &OverTimeParams,
    seed: u64,
) -> Result<OverTime, OverTimeError> {
    let episodes = states.first().map_or(0, Matrix::ncols);
    let fits = |what, found, needed| match found == needed {
        true => Ok(()),
        false => Err(OverTimeError::Shape { what, found, needed }),
    };
    fits("time steps of contents", contents.len(), states.len())?;
    for (state, held) in states.iter().zip(contents) {
        fits("episodes of states", state.ncols(), episodes)?;
        fits("episodes of contents", held.ncols(), episodes)?;
        fits("contents", held.nrows(), names.len())?;
    }
    let groups = groups(contents, episodes);
    if groups.len() < LEAST.max(params.folds) {
        return Err(OverTimeError::TooFew { found: groups.len(), needed: LEAST.max(params.folds) });
    }
    let (mut read, mut null) = (vec![vec![]; names.len()], vec![vec![]; names.len()]);
    for (t, (state, held)) in states.iter().zip(contents).enumerate() {
        let stream = Stream::new(seed, Purpose::Bootstrap);
        let found = at_a_step(state, held, &groups, params, &stream, t)?;
        for (k, (right, by_chance)) in found.into_iter().enumerate() {
            read[k].push(right);
            null[k].push(by_chance);
        }
    }
    Ok(OverTime { contents: names, read, null, episodes, different: groups.len(), input_steps })
}

/// For each episode the number of its contents among those that differ.
struct Groups(Vec<usize>);

impl Groups {
    fn len(&self) -> usize {
        self.0.iter().max().map_or(0, |last| last + 1)
    }
}

/// Episodes with the same contents at all times belong together: a reader that has seen one of them has seen them all.
fn groups(contents: &[Matrix], episodes: usize) -> Groups {
    let mut known: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    let key = |e: usize| -> Vec<u64> {
        contents.iter().flat_map(|held| held.col_as_slice(e).iter().map(|value| value.to_bits())).collect()
    };
    Groups(
        (0..episodes)
            .map(|e| {
                let next = known.len();
                *known.entry(key(e)).or_insert(next)
            })
            .collect(),
    )
}

/// For each content the share of right signs at one time step, and the largest of contents of other episodes.
fn at_a_step(
    states: &Matrix,
    contents: &Matrix,
    groups: &Groups,
    params: &OverTimeParams,
    stream: &Stream,
    t: usize,
) -> Result<Vec<Shares>, NumericError> {
    let mut found = vec![(None, None); contents.nrows()];
    let defined = |k: usize| (0..contents.ncols()).map(|e| contents[(k, e)].is_finite()).collect::<Vec<bool>>();
    let mut together: BTreeMap<Vec<bool>, Vec<usize>> = BTreeMap::new();
    (0..contents.nrows()).for_each(|k| together.entry(defined(k)).or_default().push(k));
    for (mask, rows) in together {
        let episodes: Vec<usize> = (0..mask.len()).filter(|&e| mask[e]).collect();
        let mut members: Vec<usize> = episodes.iter().map(|&e| groups.0[e]).collect();
        members.sort_unstable();
        members.dedup();
        if members.len() < LEAST.max(params.folds) {
            continue;
        }
        let labels = labels(contents, &rows, &episodes, groups, &members, params.draws, stream, t);
        let shares = read_in_folds(states, &episodes, &labels, groups, &members, params)?;
        for (i, &k) in rows.iter().enumerate() {
            let by_chance = (1..=params.draws).map(|draw| shares[draw * rows.len() + i]).fold(0.0, f64::max);
            found[k] = (Some(shares[i]), (params.draws > 0).then_some(by_chance));
        }
    }
    Ok(found)
}

/// Contents of some episodes, and below them those that shuffling gives them: rows for each draw, columns for the episodes.
#[expect(clippy::too_many_arguments, reason = "what one shuffle needs, used once")]
fn labels(
    contents: &Matrix,
    rows: &[usize],
    episodes: &[usize],
    groups: &Groups,
    members: &[usize],
    draws: usize,
    stream: &Stream,
    t: usize,
) -> Matrix {
    let first = |group: usize| episodes.iter().position(|&e| groups.0[e] == group).map_or(0, |at| episodes[at]);
    let firsts: Vec<usize> = members.iter().map(|&group| first(group)).collect();
    let place = |e: usize| members.binary_search(&groups.0[e]).unwrap_or(0);
    let orders: Vec<Vec<usize>> =
        (0..draws).map(|draw| permutation(members.len(), stream, (t * draws + draw) as u32)).collect();
    Matrix::from_fn(rows.len() * (1 + draws), episodes.len(), |row, column| {
        let (draw, k) = (row / rows.len(), rows[row % rows.len()]);
        let from = match draw.checked_sub(1) {
            None => episodes[column],
            Some(draw) => firsts[orders[draw][place(episodes[column])]],
        };
        contents[(k, from)]
    })
}

/// For each row of labels the share of signs that readers of the other folds give rightly.
fn read_in_folds(
    states: &Matrix,
    episodes: &[usize],
    labels: &Matrix,
    groups: &Groups,
    members: &[usize],
    params: &OverTimeParams,
) -> Result<Vec<f64>, NumericError> {
    let folds = params.folds.max(2);
    let fold_of = |column: usize| members.binary_search(&groups.0[episodes[column]]).unwrap_or(0) % folds;
    let mut tally = Tally::new(labels.nrows());
    for fold in 0..folds {
        let (fresh, fitted): (Vec<usize>, Vec<usize>) =
            (0..episodes.len()).partition(|&column| fold_of(column) == fold);
        let part = |of: &Matrix, chosen: &[usize], at: &dyn Fn(usize) -> usize| {
            Matrix::from_fn(of.nrows(), chosen.len(), |i, k| of[(i, at(chosen[k]))])
        };
        let state = |column: usize| episodes[column];
        let (mut known, mut wanted) = (part(states, &fitted, &state), part(labels, &fitted, &|column| column));
        let (means, middle) = (super::centre(&mut known), super::centre(&mut wanted));
        let mut seen = part(states, &fresh, &state);
        super::shift(&mut seen, &means, -1.0);
        let mut read = readers(&known, &wanted, params.ridge)? * seen;
        super::shift(&mut read, &middle, 1.0);
        for (k, &column) in fresh.iter().enumerate() {
            tally.add(read.col_as_slice(k), labels.col_as_slice(column), agree);
        }
    }
    Ok(tally.shares())
}

/// Regression of labels on states, by whichever of units and episodes are fewer.
fn readers(states: &Matrix, labels: &Matrix, ridge: f64) -> Result<Matrix, NumericError> {
    let few = states.ncols() < states.nrows();
    let mut moments = if few { states.transpose() * states } else { states * states.transpose() };
    let size = moments.nrows();
    let mean = (0..size).map(|i| moments[(i, i)]).sum::<f64>() / size.max(1) as f64;
    (0..size).for_each(|i| moments[(i, i)] += (ridge * mean).max(f64::MIN_POSITIVE));
    let singular = |_| NumericError::Singular { condition: f64::INFINITY, limit: 1.0 / ridge.max(f64::MIN_POSITIVE) };
    let factor = moments.llt(Side::Lower).map_err(singular)?;
    Ok(match few {
        true => factor.solve(labels.transpose().to_owned()).transpose() * states.transpose(),
        false => factor.solve(states * labels.transpose()).transpose().to_owned(),
    })
}

impl OverTime {
    /// For each step the content that is read worst, with its number and what shuffling gives at most to any.
    pub fn worst(&self) -> Vec<Option<(f64, usize, f64)>> {
        let steps = self.read.first().map_or(0, Vec::len);
        let at = |t: usize| {
            let defined = (0..self.read.len()).filter_map(|k| Some((self.read[k][t]?, k)));
            let (worst, k) = defined.min_by(|a, b| a.0.total_cmp(&b.0))?;
            let null = self.null.iter().filter_map(|row| row[t]).fold(0.0, f64::max);
            Some((worst, k, null))
        };
        (0..steps).map(at).collect()
    }

    /// The last time step (from 1) up to which every defined content is read in at least this share, from where it is first so.
    pub fn read_until(&self, least: f64) -> Option<(usize, usize)> {
        let right = |worst: &Option<(f64, usize, f64)>| worst.is_some_and(|(worst, ..)| worst >= least);
        let worst = self.worst();
        let first = worst.iter().position(right)?;
        let length = worst[first..].iter().take_while(|worst| right(worst)).count();
        Some((first + 1, first + length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::draw;

    const CONTENTS: usize = 24;

    /// Contents of which the state holds two, and forgets the second after four steps; each stimulus is shown `repeats` times.
    fn trial(repeats: usize) -> (Vec<Matrix>, Vec<Matrix>) {
        let (units, different, steps) = (12, 60, 8);
        let stream = Stream::new(11, Purpose::Matrices);
        let drawn = draw::normal(CONTENTS, different, &stream, 0);
        let held = Matrix::from_fn(CONTENTS, different * repeats, |k, e| 1f64.copysign(drawn[(k, e % different)]));
        let columns = draw::normal(units, 2, &stream, 1);
        let states = (0..steps).map(|t| {
            let seen = Matrix::from_fn(2, held.ncols(), |k, e| if k == 0 || t < 4 { held[(k, e)] } else { 0.0 });
            &columns * seen + draw::normal(units, different, &stream, 2 + t as u32) * tiled(different, repeats)
        });
        (states.collect(), vec![held; steps])
    }

    /// Copies every column, a little noise with it, so that repeats of a stimulus share their noise.
    fn tiled(different: usize, repeats: usize) -> Matrix {
        Matrix::from_fn(different, different * repeats, |i, e| if e % different == i { 0.3 } else { 0.0 })
    }

    fn names() -> Vec<String> {
        (0..CONTENTS).map(|k| format!("content {k}")).collect()
    }

    fn read(repeats: usize) -> OverTime {
        let (states, contents) = trial(repeats);
        over_time(&states, &contents, names(), 1, &OverTimeParams::default(), 1).unwrap()
    }

    #[test]
    fn what_is_forgotten_is_read_until_then_and_not_later() {
        let found = read(1);
        assert!(found.read[0].iter().all(|share| share.unwrap() > 0.95), "{:?}", found.read);
        assert!(found.read[1][..4].iter().all(|share| share.unwrap() > 0.95));
        assert!(found.read[1][4..].iter().all(|share| share.unwrap() < 0.75), "{:?}", found.read[1]);
        assert!(found.null.iter().flatten().all(|share| share.unwrap() < 0.8), "{:?}", found.null);
        assert_eq!(found.read_until(0.95), None, "the other contents are nowhere");
    }

    #[test]
    fn repeated_episodes_raise_no_figure() {
        let (once, often) = (read(1), read(4));
        assert_eq!((once.different, often.different, often.episodes), (60, 60, 240));
        for (a, b) in once.read.iter().flatten().zip(often.read.iter().flatten()) {
            assert!(b.unwrap() < a.unwrap() + 0.02, "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_content_that_is_not_defined_is_not_read() {
        let (states, mut contents) = trial(1);
        (0..60).for_each(|e| contents[0][(1, e)] = f64::NAN);
        let found = over_time(&states, &contents, names(), 1, &OverTimeParams::default(), 1).unwrap();
        assert!(found.read[1][0].is_none() && found.null[1][0].is_none() && found.read[0][0].is_some());
    }
}
