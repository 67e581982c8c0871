//! The linear code: states as a sum of what each content adds.

use super::{Contents, SuperpositionParams};
use crate::numeric::{Matrix, NumericError, Svd, ridge_regression};
use crate::observe::Batch;
use crate::task::Task;

/// A code, and the fresh states that it is judged on.
pub(super) struct Code {
    pub(super) contents: Contents,
    /// H x contents.
    pub(super) columns: Matrix,
    /// Length of each column.
    pub(super) lengths: Vec<f64>,
    /// Cosines of the angles between columns.
    pub(super) cosines: Matrix,
    pub(super) explained: f64,
    pub(super) directions: usize,
    pub(super) read_linearly: Vec<f64>,
    /// Covariance of what the code does not explain, over the probes.
    pub(super) noise: Matrix,
    /// Fresh states, their contents, and what linear readers make of them; one column each.
    pub(super) states: Matrix,
    pub(super) truth: Matrix,
    pub(super) linear: Matrix,
}

/// Fits a code on the first batch for each meaning of "contents", and keeps the one that explains the second, fresh batch
/// best.
pub(super) fn fit(
    [fitted, judged]: &[Batch; 2],
    task: &Task,
    slots: &[usize],
    params: &SuperpositionParams,
) -> Result<Code, NumericError> {
    let (states, fresh) = (collect(fitted), collect(judged));
    let candidate = |contents| -> Result<Candidate, NumericError> {
        let [truth, fresh_truth] = [fitted, judged].map(|batch| truth(batch, task, slots, contents));
        let moments = &truth * truth.transpose();
        let columns = ridge_regression(&moments, &(&truth * states.transpose()), params.code_ridge)?;
        let columns = columns.transpose().to_owned();
        let missed = (&fresh - &columns * &fresh_truth).squared_norm_l2();
        let explained = 1.0 - missed / fresh.squared_norm_l2().max(f64::MIN_POSITIVE);
        Ok(Candidate { contents, columns, explained, truth, fresh_truth })
    };
    let (said, meant) = (candidate(Contents::Said)?, candidate(Contents::Meant)?);
    let best = if meant.explained > said.explained { meant } else { said };
    best.finish(&states, fresh, params)
}

struct Candidate {
    contents: Contents,
    columns: Matrix,
    explained: f64,
    truth: Matrix,
    fresh_truth: Matrix,
}

impl Candidate {
    fn finish(self, states: &Matrix, fresh: Matrix, params: &SuperpositionParams) -> Result<Code, NumericError> {
        let Self { contents, columns, explained, truth, fresh_truth } = self;
        let missed = states - &columns * &truth;
        let noise = &missed * missed.transpose() * faer::Scale(1.0 / states.ncols() as f64);
        let second = states * states.transpose();
        let readers = ridge_regression(&second, &(states * truth.transpose()), params.reader_ridge)?;
        let linear = readers.transpose() * &fresh;
        let lengths = lengths(&columns);
        let sizes = Svd::of(&columns)?.values;
        let median = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
        Ok(Code {
            contents,
            explained,
            directions: sizes.iter().filter(|&&size| size > params.direction * median).count(),
            read_linearly: shares(&linear, &fresh_truth),
            cosines: cosines(&columns, &lengths),
            lengths,
            columns,
            noise,
            states: fresh,
            truth: fresh_truth,
            linear,
        })
    }
}

pub(super) fn lengths(columns: &Matrix) -> Vec<f64> {
    // Squared: `norm_l2` guards against overflow with numbers too small for fast arithmetic.
    (0..columns.ncols()).map(|j| columns.col(j).squared_norm_l2().sqrt()).collect()
}

pub(super) fn cosines(columns: &Matrix, lengths: &[f64]) -> Matrix {
    let products = columns.transpose() * columns;
    Matrix::from_fn(columns.ncols(), columns.ncols(), |i, j| {
        products[(i, j)] / (lengths[i] * lengths[j]).max(f64::MIN_POSITIVE)
    })
}

/// Share of right signs of each content.
pub(super) fn shares(read: &Matrix, truth: &Matrix) -> Vec<f64> {
    let right = |i: usize| (0..truth.ncols()).filter(|&k| read[(i, k)] * truth[(i, k)] > 0.0).count();
    (0..truth.nrows()).map(|i| right(i) as f64 / truth.ncols().max(1) as f64).collect()
}

/// The states that were kept, centred, one column each.
fn collect(batch: &Batch) -> Matrix {
    let hidden = batch.states.values().next().map_or(0, Matrix::nrows);
    let mut states = Matrix::zeros(hidden, batch.states.len() * batch.episodes);
    for (k, now) in batch.states.values().enumerate() {
        let mean = batch.mean(now);
        for episode in 0..batch.episodes {
            let centred = now.col_as_slice(episode).iter().zip(&mean).map(|(h, mean)| h - mean);
            let column = states.col_as_slice_mut(k * batch.episodes + episode);
            column.iter_mut().zip(centred).for_each(|(to, from)| *to = from);
        }
    }
    states
}

/// The contents of those states.
fn truth(batch: &Batch, task: &Task, slots: &[usize], contents: Contents) -> Matrix {
    let (s, d, episodes) = (task.s(), task.d(), batch.episodes);
    let meant = (contents == Contents::Meant).then(|| batch.targets(task));
    let mut truth = Matrix::zeros(slots.len(), batch.states.len() * episodes);
    for (k, &t) in batch.states.keys().enumerate() {
        let window = meant.as_ref().map(|meant| meant.contents(s + t));
        for episode in 0..episodes {
            for (value, slot) in truth.col_as_slice_mut(k * episodes + episode).iter_mut().zip(slots) {
                let (variable, component) = (slot / d, slot % d);
                *value = match window {
                    Some(window) => f64::from(window[variable * episodes * d + episode * d + component]),
                    None => 1f64.copysign(batch.outputs[t + variable + 1 - s][(component, episode)]),
                };
            }
        }
    }
    truth
}
