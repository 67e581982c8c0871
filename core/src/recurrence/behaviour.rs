//! What the outputs agree with.

use super::{Reading, Step};
use crate::numeric::Matrix;
use crate::observe::Batch;
use crate::task::Task;

/// Inputs and then signs of outputs, one d x episodes matrix a time step.
fn said_and_heard(batch: &Batch, means: &[Vec<f64>]) -> Vec<Matrix> {
    let d = means.first().map_or(0, Vec::len);
    let heard = batch.inputs.chunks(batch.episodes * d);
    let heard = heard.map(|now| Matrix::from_fn(d, batch.episodes, |j, episode| f64::from(now[episode * d + j])));
    let sign = |(y, mean): (&Matrix, &Vec<f64>)| {
        Matrix::from_fn(d, batch.episodes, |j, episode| if y[(j, episode)] > mean[j] { 1.0 } else { -1.0 })
    };
    heard.chain(batch.outputs.iter().zip(means).map(sign)).collect()
}

/// For each output the past component that it agrees with most over the first s output steps, as seen at the first.
pub(super) fn best_readings(trial: &Batch, means: &[Vec<f64>], s: usize) -> Vec<Reading> {
    let sequence = said_and_heard(trial, means);
    let d = sequence.first().map_or(0, Matrix::nrows);
    let window = s * d;
    let correlations = |t: usize| {
        let mut table = Matrix::zeros(d, window);
        for variable in 0..s {
            let block = &sequence[t] * sequence[t - s + variable].transpose();
            table.subcols_mut(variable * d, d).copy_from(&block);
        }
        table * faer::Scale(1.0 / trial.episodes as f64)
    };
    let first = correlations(s);
    let mut sum = first.clone();
    for t in s + 1..sequence.len().min(2 * s) {
        sum += correlations(t);
    }
    let best = |table: &Matrix, j: usize, except: Option<usize>| {
        let candidates = (0..window).filter(|&b| Some(b) != except);
        candidates.fold((0, -1.0), |best, b| if table[(j, b)].abs() > best.1 { (b, table[(j, b)].abs()) } else { best })
    };
    let read = |j: usize| {
        let (choice, _) = best(&sum, j, None);
        let sign = if first[(j, choice)] < 0.0 { -1 } else { 1 };
        Reading {
            step: Step { output: j + 1, lag: s - choice / d, component: choice % d + 1, sign },
            stated: best(&first, j, None).0 == choice,
            agreement: 0.5 + 0.5 * first[(j, choice)].abs(),
            runner_up: 0.5 + 0.5 * best(&first, j, Some(choice)).1,
            own_past: 0.0,
            free_running: 0.0,
            residual: None,
        }
    };
    (0..d).map(read).collect()
}

/// Fills in how far a reading holds over a long time: from the network's own past, and run freely from the inputs.
pub(super) fn verify(readings: &mut [Reading], probe: &Batch, means: &[Vec<f64>], task: &Task) {
    let sequence = said_and_heard(probe, means);
    let (s, d, freely) = (task.s(), task.d(), probe.targets(task));
    let steps = sequence.len() - s;
    let all = (steps * probe.episodes).max(1) as f64;
    for (j, reading) in readings.iter_mut().enumerate() {
        let (mut own, mut free) = (0usize, 0usize);
        for t in s..sequence.len() {
            let past = &sequence[t - reading.step.lag];
            let wanted = &freely.targets()[(t - s) * probe.episodes * d..];
            for episode in 0..probe.episodes {
                let said = sequence[t][(j, episode)];
                own += usize::from(said == f64::from(reading.step.sign) * past[(reading.step.component - 1, episode)]);
                free += usize::from(said == f64::from(wanted[episode * d + j]));
            }
        }
        (reading.own_past, reading.free_running) = (own as f64 / all, free as f64 / all);
    }
}
