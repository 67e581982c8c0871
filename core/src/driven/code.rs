//! The code of a driven network: what of a state stands for contents, what for the present input, and what for both together.
//!
//! `h = mean(t) + Psi v + Xi x + (v times x) + what is left over`. Where inputs gate what is kept, products of contents and input
//! carry a large share, and contents alone may explain little while they are read and written without an error.

use super::DrivenParams;
use super::contents::Contents;
use super::episodes::Episodes;
use crate::numeric::{Matrix, NumericError, regress, ridge_regression, stacked, zero_padded};

/// Which terms a code has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Terms {
    Contents,
    AndInput,
    AndProducts,
}

/// States, contents and inputs: a column each, those of one step together.
pub(super) struct Sample {
    pub(super) states: Matrix,
    pub(super) contents: Matrix,
    pub(super) inputs: Matrix,
}

/// Means at each step, over the episodes that a code was fitted on.
pub(super) struct Means {
    states: Vec<Vec<f64>>,
    contents: Vec<Vec<f64>>,
    inputs: Vec<Vec<f64>>,
}

/// The features of contents at each step, a column an episode.
pub(super) fn features(contents: &Contents, of: &Episodes<'_>) -> Vec<Matrix> {
    let at = |t: usize| {
        let mut features = Matrix::zeros(contents.features(), of.count());
        for episode in 0..of.count() {
            contents.write(&of.frame(t, episode).variables, features.col_as_slice_mut(episode));
        }
        features
    };
    (0..of.steps()).map(at).collect()
}

impl Means {
    pub(super) fn of(states: &[Matrix], contents: &[Matrix], inputs: &[Matrix]) -> Self {
        let each = |of: &[Matrix]| of.iter().map(mean).collect();
        Self { states: each(states), contents: each(contents), inputs: each(inputs) }
    }

    /// Inputs of one step, less their mean.
    pub(super) fn off_inputs(&self, t: usize, inputs: &Matrix) -> Matrix {
        let mean = &self.inputs[t];
        Matrix::from_fn(inputs.nrows(), inputs.ncols(), |i, j| inputs[(i, j)] - mean[i])
    }

    /// Contents that were read at a step with their mean there.
    pub(super) fn with_mean(&self, t: usize, read: &[f64]) -> Vec<f64> {
        read.iter().zip(&self.contents[t]).map(|(read, mean)| read + mean).collect()
    }

    /// All steps of a batch, less the means.
    pub(super) fn sample(&self, states: &[Matrix], contents: &[Matrix], inputs: &[Matrix]) -> Sample {
        Sample {
            states: off(states, &self.states),
            contents: off(contents, &self.contents),
            inputs: off(inputs, &self.inputs),
        }
    }
}

fn mean(of: &Matrix) -> Vec<f64> {
    let columns = of.ncols().max(1) as f64;
    (0..of.nrows()).map(|i| of.row(i).iter().sum::<f64>() / columns).collect()
}

fn off(of: &[Matrix], means: &[Vec<f64>]) -> Matrix {
    let (rows, each) = of.first().map_or((0, 0), |first| (first.nrows(), first.ncols()));
    Matrix::from_fn(rows, each * of.len(), |i, j| of[j / each][(i, j % each)] - means[j / each][i])
}

impl Sample {
    /// The terms of a code as rows.
    fn terms(&self, terms: Terms) -> Matrix {
        match terms {
            Terms::Contents => self.contents.clone(),
            Terms::AndInput => stacked(&self.contents, &self.inputs),
            Terms::AndProducts => {
                stacked(&stacked(&self.contents, &self.inputs), &products(&self.contents, &self.inputs))
            }
        }
    }
}

/// Products of every content with every input, the content first.
fn products(contents: &Matrix, inputs: &Matrix) -> Matrix {
    let count = inputs.nrows().max(1);
    Matrix::from_fn(contents.nrows() * inputs.nrows(), contents.ncols(), |k, j| {
        contents[(k / count, j)] * inputs[(k % count, j)]
    })
}

/// A code that was fitted.
pub(super) struct Code {
    terms: Terms,
    contents: usize,
    inputs: usize,
    /// Units x terms.
    columns: Matrix,
    /// Contents x units.
    readers: Matrix,
}

impl Code {
    pub(super) fn fit(sample: &Sample, terms: Terms, params: &DrivenParams) -> Result<Self, NumericError> {
        let rows = sample.terms(terms);
        let columns = regress(sample.states.as_ref(), rows.as_ref(), params.ridge)?;
        let (contents, inputs) = (sample.contents.nrows(), sample.inputs.nrows());
        let left = &sample.states - zero_padded(&columns) * &rows;
        let memories = columns.subcols(0, contents).to_owned();
        let readers = readers(&memories, &left, &sample.states, params)?;
        Ok(Self { terms, contents, inputs, columns, readers })
    }

    /// Share of the variance of fresh states that it explains.
    pub(super) fn explained(&self, fresh: &Sample) -> f64 {
        let missed = &fresh.states - zero_padded(&self.columns) * fresh.terms(self.terms);
        let all = fresh.states.squared_norm_l2();
        if all > 0.0 { 1.0 - missed.squared_norm_l2() / all } else { 0.0 }
    }

    /// Contents, less their means, as they are read from fresh states; the input is known.
    pub(super) fn read(&self, fresh: &Sample) -> Matrix {
        if self.terms == Terms::Contents {
            return zero_padded(&self.readers) * &fresh.states;
        }
        let of_input = self.columns.subcols(self.contents, self.inputs).to_owned();
        zero_padded(&self.readers) * (&fresh.states - zero_padded(&of_input) * &fresh.inputs)
    }

    /// What a change of contents adds to states, whose inputs (less their mean) have just been seen.
    pub(super) fn written(&self, change: &Matrix, inputs: &Matrix) -> Matrix {
        let memories = self.columns.subcols(0, self.contents).to_owned();
        let added = zero_padded(&memories) * change;
        if self.terms != Terms::AndProducts {
            return added;
        }
        let first = self.contents + self.inputs;
        let gated = self.columns.subcols(first, self.columns.ncols() - first).to_owned();
        added + zero_padded(&gated) * products(change, inputs)
    }
}

/// Readers that see each unit by how much of it the code leaves over. With contents of variance 1 they read with the least error.
fn readers(memories: &Matrix, left: &Matrix, states: &Matrix, params: &DrivenParams) -> Result<Matrix, NumericError> {
    let (columns, units) = (states.ncols().max(1) as f64, states.nrows());
    let mut noise = left * left.transpose() * faer::Scale(1.0 / columns);
    let variance = states.squared_norm_l2() / (columns * units.max(1) as f64);
    (0..units).for_each(|i| noise[(i, i)] += params.floor * variance.max(f64::MIN_POSITIVE));
    let weighted = ridge_regression(&noise, memories, 0.0)?;
    let mut signal = memories.transpose() * &weighted;
    (0..memories.ncols()).for_each(|i| signal[(i, i)] += 1.0);
    ridge_regression(&signal, &weighted.transpose().to_owned(), 0.0)
}
