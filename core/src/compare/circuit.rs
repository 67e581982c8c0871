//! A circuit as it is found in the states of a network: which contents it keeps, and how a step moves them.

use super::examine::Examined;
use crate::code::{Contents, ContentsFrom, centre};
use crate::numeric::{Matrix, NumericError, c64, eigenvalues, operator_norm, regress};
use crate::task::Component;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How contents move, in the coordinates of the window, so that circuits of different functions can be held against each other.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// Window components that are kept; nothing where contents are mixtures of them.
    pub slots: Option<Vec<usize>>,
    /// The step on contents and products: what is read from the state (as signs, where contents are signs) regressed on what was
    /// read a step before.
    pub step: Matrix,
    /// Every entry of it by what receives and what is read: one window component, or the product of several.
    pub entries: BTreeMap<(usize, Vec<usize>), f64>,
    /// Whether contents are signs.
    pub signs: bool,
    d: usize,
}

/// An entry in which two circuits differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Wire {
    /// The content that receives.
    pub to: Component,
    /// What is read: one content, or several that are multiplied.
    pub from: Vec<Component>,
    /// The weight in the first circuit.
    pub first: f64,
    /// The weight in the second.
    pub second: f64,
}

impl Circuit {
    /// The circuit of a network on the inputs that it got; nothing where it shows no function or no code.
    pub(super) fn of(examined: &Examined, (first, end): (usize, usize)) -> Result<Option<Self>, NumericError> {
        let details = &examined.found.details;
        let (Some(contents), Some(frame)) = (&details.contents, examined.frame()) else { return Ok(None) };
        let (first, end) = match contents.gone_after {
            Some(gone) => (0, (gone + 1).min(end)),
            None if contents.fades => (0, end.min(contents.task().s().max(4) + 1)),
            None => (first, end),
        };
        if contents.count() == 0 || end < first + 2 || frame.readers.nrows() != contents.count() {
            return Ok(None);
        }
        let now: Vec<usize> = (first..end - 1).collect();
        let next: Vec<usize> = now.iter().map(|t| t + 1).collect();
        let after = read(examined, contents, &frame.readers, &next);
        let (features, after) = match contents.drawn.is_some() {
            true => {
                let over = contents.over(&examined.seen, ContentsFrom::Outputs, (&[], 1.0));
                let (mut features, mut after) = (contents.features(&over.windows(&now)), after);
                centre(&mut features);
                centre(&mut after);
                (features, after)
            }
            false => (read(examined, contents, &frame.readers, &now), after),
        };
        if features.norm_max() == 0.0 || !features.is_all_finite() || !after.is_all_finite() {
            return Ok(None);
        }
        let step = regress(after.as_ref(), features.as_ref(), contents.step_ridge())?;
        let entries = entries(&step, contents);
        let d = contents.task().d();
        Ok(Some(Self { slots: contents.slots.clone(), step, entries, signs: contents.are_signs(), d }))
    }

    /// How far two circuits are apart: the norm of the difference of their steps as a share of that of both. 0 where they are
    /// the same, 1 where they share nothing.
    pub fn distance(&self, other: &Self) -> f64 {
        let size = |of: &Self| of.entries.values().map(|x| x * x).sum::<f64>();
        let apart: f64 = self.both(other).map(|(_, a, b)| (a - b).powi(2)).sum();
        (apart / (size(self) + size(other)).max(f64::MIN_POSITIVE)).sqrt()
    }

    /// The largest difference of an entry.
    pub fn largest_difference(&self, other: &Self) -> f64 {
        self.both(other).map(|(_, a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// The most that a direction is moved apart, as a share of its length: the operator norm of the difference.
    pub fn most_apart(&self, other: &Self) -> Result<f64, NumericError> {
        let all: Vec<(&(usize, Vec<usize>), f64)> = self.both(other).map(|(key, a, b)| (key, a - b)).collect();
        let rows: BTreeSet<usize> = all.iter().map(|((to, _), _)| *to).collect();
        let columns: BTreeSet<&Vec<usize>> = all.iter().map(|((_, from), _)| from).collect();
        let (rows, columns): (Vec<_>, Vec<_>) = (rows.into_iter().collect(), columns.into_iter().collect());
        let mut apart = Matrix::zeros(rows.len(), columns.len());
        for ((to, from), difference) in all {
            if let (Ok(i), Ok(j)) = (rows.binary_search(to), columns.binary_search(&from)) {
                apart[(i, j)] = difference;
            }
        }
        operator_norm(&apart)
    }

    /// Entries that differ by more than `least`, the largest difference first.
    pub fn differences(&self, other: &Self, least: f64) -> Vec<Wire> {
        let named = |slot: usize| Component::at(slot, self.d);
        let mut wires: Vec<Wire> = self
            .both(other)
            .filter(|(_, a, b)| (a - b).abs() > least)
            .map(|((to, from), first, second)| Wire {
                to: named(*to),
                from: from.iter().map(|&slot| named(slot)).collect(),
                first,
                second,
            })
            .collect();
        wires.sort_by(|a, b| (b.first - b.second).abs().total_cmp(&(a.first - a.second).abs()));
        wires
    }

    /// Contents that this circuit keeps and another does not.
    pub fn kept_only_here(&self, other: &Self) -> Vec<Component> {
        match (&self.slots, &other.slots) {
            (Some(ours), Some(theirs)) => {
                ours.iter().filter(|slot| !theirs.contains(slot)).map(|&slot| Component::at(slot, self.d)).collect()
            }
            _ => vec![],
        }
    }

    /// Eigenvalues of the step; nothing where products take part in it.
    pub fn eigenvalues(&self) -> Result<Option<Vec<c64>>, NumericError> {
        match self.step.nrows() == self.step.ncols() {
            true => eigenvalues(&self.step).map(Some),
            false => Ok(None),
        }
    }

    /// Every entry that either has, zero where one has none.
    fn both<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a (usize, Vec<usize>), f64, f64)> {
        let there = |key: &(usize, Vec<usize>)| other.entries.get(key).copied().unwrap_or(0.0);
        let ours = self.entries.iter().map(move |(key, &here)| (key, here, there(key)));
        let theirs = other.entries.iter().filter(|(key, _)| !self.entries.contains_key(*key));
        ours.chain(theirs.map(|(key, &there)| (key, 0.0, there)))
    }
}

fn entries(step: &Matrix, contents: &Contents) -> BTreeMap<(usize, Vec<usize>), f64> {
    let mut entries = BTreeMap::new();
    match &contents.slots {
        Some(slots) => {
            let sources = slots.iter().map(|&slot| vec![slot]).chain(contents.products.iter().cloned());
            for (j, from) in sources.enumerate().take(step.ncols()) {
                for (i, &to) in slots.iter().enumerate() {
                    entries.insert((to, from.clone()), step[(i, j)]);
                }
            }
        }
        None => {
            let on_window = &contents.embed * step * &contents.project;
            for j in 0..on_window.ncols() {
                (0..on_window.nrows()).for_each(|i| {
                    entries.insert((i, vec![j]), on_window[(i, j)]);
                });
            }
        }
    }
    entries
}

/// What is read from the states of some steps: signs, where contents are signs.
pub(super) fn read(examined: &Examined, contents: &Contents, readers: &Matrix, steps: &[usize]) -> Matrix {
    let mut found = readers * examined.deviations(steps);
    if contents.drawn.is_some() {
        // What is read is a deviation: the mean contents are put back.
        let mut held = contents_from_outputs(examined, contents, steps);
        let episodes = examined.seen.episodes;
        for (k, _) in steps.iter().enumerate() {
            let mut step = held.subcols(k * episodes, episodes).to_owned();
            let means = centre(&mut step);
            let mean = Matrix::from_fn(means.len(), episodes, |i, _| means[i]);
            held.subcols_mut(k * episodes, episodes).copy_from(&mean);
        }
        found += held;
    }
    if contents.are_signs() {
        for k in 0..found.ncols() {
            found.col_as_slice_mut(k).iter_mut().for_each(|x| *x = if *x > 0.0 { 1.0 } else { -1.0 });
        }
    }
    found
}

/// The contents at some steps, taken from the network's own outputs.
pub(super) fn contents_from_outputs(examined: &Examined, contents: &Contents, steps: &[usize]) -> Matrix {
    let batch = &examined.seen;
    let means = batch.mean_outputs();
    contents.over(batch, ContentsFrom::Outputs, (&means, 1.0)).at_steps(steps)
}
