//! What the outputs agree with.

use super::{Reading, RecurrenceParams, Step};
use crate::numeric::Matrix;
use crate::observe::Batch;
use crate::score::Tally;
use crate::task::{Slot, Window};

/// Inputs and then signs of outputs, one d x episodes matrix a time step.
fn signals(batch: &Batch, means: &[Vec<f64>]) -> Vec<Matrix> {
    let d = means.first().map_or(0, Vec::len);
    let presented = batch.inputs.chunks(batch.episodes * d);
    let presented =
        presented.map(|now| Matrix::from_fn(d, batch.episodes, |j, episode| f64::from(now[episode * d + j])));
    let sign = |(y, mean): (&Matrix, &Vec<f64>)| {
        Matrix::from_fn(d, batch.episodes, |j, episode| if y[(j, episode)] > mean[j] { 1.0 } else { -1.0 })
    };
    presented.chain(batch.outputs.iter().zip(means).map(sign)).collect()
}

/// For each output the past component that it agrees with most over the first s output steps, as seen at the first.
pub(super) fn best_readings(trial: &Batch, means: &[Vec<f64>], s: usize, later_steps: usize) -> Vec<Reading> {
    let sequence = signals(trial, means);
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
    for t in s + 1..sequence.len().min(s + s.min(later_steps)) {
        sum += correlations(t);
    }
    let best = |table: &Matrix, j: usize, except: Option<usize>| {
        let candidates = (0..window).filter(|&b| Some(b) != except);
        candidates.fold((0, -1.0), |best, b| if table[(j, b)].abs() > best.1 { (b, table[(j, b)].abs()) } else { best })
    };
    let read = |j: usize| {
        let (choice, _) = best(&sum, j, None);
        let Slot { lag, component } = Slot::at(choice, s, d);
        let sign = if first[(j, choice)] < 0.0 { -1 } else { 1 };
        Reading {
            step: Step { output: j + 1, lag, component: component + 1, sign },
            stated: best(&first, j, None).0 == choice,
            agreement: 0.5 + 0.5 * first[(j, choice)].abs(),
            runner_up: 0.5 + 0.5 * best(&first, j, Some(choice)).1,
            own_past: 0.0,
            free_running: 0.0,
            residual: None,
            shorter: None,
        }
    };
    (0..d).map(read).collect()
}

/// Fills in how far a reading holds over a long time: from the network's own past, and run freely from the inputs.
pub(super) fn verify(
    readings: &mut [Reading],
    probe: &Batch,
    means: &[Vec<f64>],
    task: &Window,
    params: &RecurrenceParams,
) {
    let sequence = signals(probe, means);
    let (s, freely) = (task.s(), probe.targets(task));
    for (j, reading) in readings.iter_mut().enumerate() {
        // In the first place against the network's own past, in the second against f run freely.
        let mut both = Tally::new(2);
        for t in s..sequence.len() {
            let past = &sequence[t - reading.step.lag];
            for episode in 0..probe.episodes {
                let produced = sequence[t][(j, episode)];
                let own = f64::from(reading.step.sign) * past[(reading.step.component - 1, episode)];
                both.add(&[produced; 2], &[own, freely.target(t - s, episode, j)], |a, b| a == b);
            }
        }
        let shares = both.shares();
        (reading.own_past, reading.free_running) = (shares[0], shares[1]);
    }
    let on_orbit = agreements_on_the_orbit(&sequence, s);
    for reading in readings {
        reading.shorter = shorter_relation(reading.step, &on_orbit, params);
    }
}

/// For each lag from 1 on, how often (+1 always, -1 never) each output has the sign of each component that long ago; over
/// the later half of the output steps.
fn agreements_on_the_orbit(sequence: &[Matrix], s: usize) -> Vec<Matrix> {
    let first = s + (sequence.len() - s) / 2;
    let at = |lag: usize| {
        let mut table = Matrix::zeros(sequence[0].nrows(), sequence[0].nrows());
        for t in first..sequence.len() {
            table += &sequence[t] * sequence[t - lag].transpose();
        }
        table * faer::Scale(1.0 / (sequence[0].ncols() * (sequence.len() - first)).max(1) as f64)
    };
    (1..=s).map(at).collect()
}

/// Along a cycle the nearest output behind another is the one that it copies, and every other relation that holds on the
/// orbit has a larger lag: a shorter one says that too many inputs were presented, or that f uses a component twice.
fn shorter_relation(step: Step, on_orbit: &[Matrix], params: &RecurrenceParams) -> Option<Step> {
    let (j, d) = (step.output - 1, on_orbit.first()?.nrows());
    let own = f64::from(step.sign) * on_orbit[step.lag - 1][(j, step.component - 1)];
    let least = own.max(2.0 * params.shorter - 1.0);
    let shorter = (1..step.lag).flat_map(|lag| (0..d).map(move |component| (lag, component)));
    shorter.map(|(lag, component)| (lag, component, on_orbit[lag - 1][(j, component)])).find_map(
        |(lag, component, agrees)| {
            let sign = if agrees < 0.0 { -1 } else { 1 };
            (agrees.abs() >= least).then_some(Step { output: step.output, lag, component: component + 1, sign })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};
    use crate::task::Episodes;

    #[test]
    fn several_steps_taken_as_one_are_found_out_by_the_shorter_relation() {
        let task = Window::named("T4", None, None).unwrap();
        let (s, d, mut episodes) = (task.s(), task.d(), Episodes::new(&task, 32));
        episodes.draw(&task, &Stream::new(3, Purpose::ProbeInputs), 0, 80);
        let every = episodes.inputs().iter().chain(episodes.targets()).copied().collect::<Vec<f32>>();
        let step = |now: &[f32]| Matrix::from_fn(d, 32, |j, episode| f64::from(now[episode * d + j]));
        let sequence: Vec<Matrix> = every.chunks(32 * d).map(step).collect();
        // Twice as many input steps as the recurrence needs: u5 = -u3[t-6] and u3 = u1[t-8] make u5 = -u1[t-14].
        let (on_orbit, params) = (agreements_on_the_orbit(&sequence, 2 * s), RecurrenceParams::default());
        let composed = Step { output: 5, lag: 14, component: 1, sign: -1 };
        let shorter = shorter_relation(composed, &on_orbit, &params);
        assert_eq!(shorter, Some(Step { output: 5, lag: 6, component: 3, sign: -1 }));
        for (j, source) in task.sources().unwrap().iter().enumerate() {
            let sign = if source.negated { -1 } else { 1 };
            let step = Step { output: j + 1, lag: source.lag, component: source.component + 1, sign };
            assert_eq!(shorter_relation(step, &on_orbit, &params), None, "{step:?}");
        }
    }
}
