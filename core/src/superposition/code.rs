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

/// Fits the code on the first batch; the second is fresh.
pub(super) fn fit(
    [fitted, judged]: &[Batch; 2],
    task: &Task,
    slots: &[usize],
    contents: Contents,
    params: &SuperpositionParams,
) -> Result<Code, NumericError> {
    let collect = |batch| collect(batch, task, slots, contents, params);
    let ((states, truth), (fresh, fresh_truth)) = (collect(fitted), collect(judged));
    let moments = &truth * truth.transpose();
    let columns = ridge_regression(&moments, &(&truth * states.transpose()), params.code_ridge)?;
    let columns = columns.transpose().to_owned();
    let missed = &states - &columns * &truth;
    let noise = &missed * missed.transpose() * faer::Scale(1.0 / states.ncols() as f64);
    let share_missed =
        (&fresh - &columns * &fresh_truth).squared_norm_l2() / fresh.squared_norm_l2().max(f64::MIN_POSITIVE);
    let second = &states * states.transpose();
    let readers = ridge_regression(&second, &(&states * truth.transpose()), params.reader_ridge)?;
    let linear = readers.transpose() * &fresh;
    let sizes = Svd::of(&columns)?.values;
    let median = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
    Ok(Code {
        contents,
        explained: 1.0 - share_missed,
        directions: sizes.iter().filter(|&&size| size > params.direction * median).count(),
        read_linearly: shares(&linear, &fresh_truth),
        columns,
        noise,
        states: fresh,
        truth: fresh_truth,
        linear,
    })
}

/// Share of right signs of each content.
pub(super) fn shares(read: &Matrix, truth: &Matrix) -> Vec<f64> {
    let right = |i: usize| (0..truth.ncols()).filter(|&k| read[(i, k)] * truth[(i, k)] > 0.0).count();
    (0..truth.nrows()).map(|i| right(i) as f64 / truth.ncols().max(1) as f64).collect()
}

/// Settled states, centred, and their contents, one column each.
fn collect(
    batch: &Batch,
    task: &Task,
    slots: &[usize],
    contents: Contents,
    params: &SuperpositionParams,
) -> (Matrix, Matrix) {
    let (s, d, episodes) = (task.s(), task.d(), batch.episodes);
    let steps: Vec<usize> = (params.settle.max(s)..batch.states.len()).step_by(params.every.max(1)).collect();
    let meant = batch.targets(task);
    let hidden = batch.states.values().next().map_or(0, Matrix::nrows);
    let mut states = Matrix::zeros(hidden, steps.len() * episodes);
    let mut truth = Matrix::zeros(slots.len(), steps.len() * episodes);
    for (k, &t) in steps.iter().enumerate() {
        let (window, now) = (meant.contents(s + t), &batch.states[&t]);
        let mean = batch.mean(now);
        for episode in 0..episodes {
            let at = k * episodes + episode;
            let centred = now.col_as_slice(episode).iter().zip(&mean).map(|(h, mean)| h - mean);
            states.col_as_slice_mut(at).iter_mut().zip(centred).for_each(|(to, from)| *to = from);
            for (value, slot) in truth.col_as_slice_mut(at).iter_mut().zip(slots) {
                let (variable, component) = (slot / d, slot % d);
                *value = match contents {
                    Contents::Meant => f64::from(window[variable * episodes * d + episode * d + component]),
                    Contents::Said => 1f64.copysign(batch.outputs[t + variable + 1 - s][(component, episode)]),
                };
            }
        }
    }
    (states, truth)
}
