//! Truth tables from what a network answers, confirmed by letting it run on.

use super::{MainlyParams, RecurrenceParams};
use crate::observe::{Answers, Batch, Inquiry, Observations};
use crate::score::{Tally, same_sign};
use crate::task::{Gate, Window};

/// Output steps, at least, over which a table must predict what follows, step by step.
const FIRST_STEPS: usize = 8;

/// Predictions of each sign that it takes to judge them.
const SEEN: usize = 16;

/// The truth table of one output, with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct TableReading {
    /// The output, from 0.
    pub output: usize,
    /// The table.
    pub gate: Gate,
    /// Whether the evidence is enough to state it.
    pub stated: bool,
    /// Share of answers that agree with the table, for the entry where they agree least.
    pub agreement: f64,
    /// The same over all entries.
    pub mean_agreement: f64,
    /// Agreement with the network's own past, over the probes.
    pub own_past: f64,
    /// Agreement with all tables run freely from the inputs, over the probes; nothing where an output has no table.
    pub free_running: Option<f64>,
    /// The same for the first output steps after the one that shows the table, for the sign that is predicted less well;
    /// nothing where one of them hardly occurs.
    pub first_steps: Option<f64>,
    /// Whether all outputs have tables, so that they could be run freely.
    pub runs: bool,
    /// Whether it is faultless, but too uniform to be stated unless all the others are.
    pub rests_on_others: bool,
}

/// Reads every output that has a table.
pub(super) fn tables(observed: &Observations, asked: &Inquiry, params: &RecurrenceParams) -> Vec<TableReading> {
    let read = |(output, answers): (usize, &Option<Answers>)| reading(output, answers.as_ref()?, params);
    let mut readings: Vec<TableReading> = asked.answers.iter().enumerate().filter_map(read).collect();
    follow(&mut readings, observed, params);
    let all = |readings: &[TableReading]| readings.len() == observed.d && readings.iter().all(|reading| reading.stated);
    if all(&readings) {
        return readings;
    }
    let main = mainly(&readings, observed, asked, params);
    if all(&main) { main } else { readings }
}

/// A second reading of a network that errs in a few windows at the first output step: less is asked of its answers there,
/// and more of what follows.
fn mainly(
    readings: &[TableReading],
    observed: &Observations,
    asked: &Inquiry,
    params: &RecurrenceParams,
) -> Vec<TableReading> {
    let MainlyParams { entry, entries, first_steps, afterwards } = params.mainly;
    let params = RecurrenceParams {
        agreement: afterwards,
        table_agreement: entries,
        table_first_steps: first_steps,
        table_own_past: afterwards,
        ..params.clone()
    };
    let stated = |output: usize| readings.iter().find(|reading| reading.output == output && reading.stated);
    let read = |(output, answers): (usize, &Option<Answers>)| match stated(output) {
        Some(reading) => Some(reading.clone()),
        None => {
            let reading = reading(output, answers.as_ref()?, &RecurrenceParams { agreement: entry, ..params.clone() })?;
            (!reading.gate.inputs().is_empty()).then_some(reading)
        }
    };
    let mut main: Vec<TableReading> = asked.mainly.iter().enumerate().filter_map(read).collect();
    follow(&mut main, observed, &params);
    main
}

/// Lets tables predict what the network did afterwards, and states those that do.
pub(super) fn follow(readings: &mut Vec<TableReading>, observed: &Observations, params: &RecurrenceParams) {
    // Outputs that depend on nothing are those of a dead network.
    if readings.iter().all(|reading| reading.gate.inputs().is_empty()) {
        readings.clear();
    }
    let (s, d) = (observed.s, observed.d);
    own_past(readings, &observed.probe, (s, d));
    if readings.len() == d {
        let gates = readings.iter().map(|reading| reading.gate.clone()).collect();
        if let Ok(task) = Window::table("read back", s, d, gates) {
            free_running(readings, &observed.probe, &task);
        }
    }
    let mut varied = 0;
    for reading in readings.iter_mut() {
        let long = reading.own_past.min(reading.free_running.unwrap_or(1.0));
        // Where some output has no table, the others stand on what the network itself said.
        let first = reading.first_steps.is_some_and(|first| first >= params.table_first_steps);
        let answered = reading.stated;
        let follows = match reading.runs {
            true => long >= params.agreement && (first || reading.gate.inputs().is_empty()),
            false => long >= params.table_own_past && first,
        };
        reading.stated &= follows && reading.mean_agreement >= params.table_agreement;
        varied += usize::from(reading.stated && first && !reading.gate.inputs().is_empty());
        // What hardly ever takes one of its signs again is left open, if there is not the slightest doubt of it.
        let faultless = long.min(reading.mean_agreement) >= params.table_faultless;
        reading.rests_on_others = answered && reading.runs && reading.first_steps.is_none() && faultless;
    }
    if varied > 0 && readings.len() == d && readings.iter().all(|reading| reading.stated || reading.rests_on_others) {
        readings.iter_mut().for_each(|reading| reading.stated = true);
    }
    // An output that never changes says something only beside others that are understood.
    let all = readings.len() == d && readings.iter().all(|reading| reading.stated);
    readings.iter_mut().for_each(|reading| reading.stated &= all || !reading.gate.inputs().is_empty());
}

fn reading(output: usize, answers: &Answers, params: &RecurrenceParams) -> Option<TableReading> {
    let agreed: Vec<f64> = answers.positive.iter().map(|share| share.max(1.0 - share)).collect();
    let table: Vec<bool> = answers.positive.iter().map(|&share| share > 0.5).collect();
    let gate = Gate::new(&answers.inputs, &table).ok()?;
    let agreement = agreed.iter().copied().fold(1.0, f64::min);
    // The sign of what is hardly said is not a constant.
    let is_clear = !gate.inputs().is_empty() || answers.size >= params.table_constant;
    Some(TableReading {
        output,
        gate,
        stated: agreement >= params.agreement && is_clear,
        agreement,
        mean_agreement: agreed.iter().sum::<f64>() / agreed.len() as f64,
        own_past: 0.0,
        free_running: None,
        first_steps: None,
        runs: false,
        rests_on_others: false,
    })
}

fn own_past(readings: &mut [TableReading], probe: &Batch, size: (usize, usize)) {
    for reading in readings {
        let predicted =
            |t: usize, e: usize| reading.gate.value(|at| probe.value(size, size.0 + t - at.lag, at.component, e));
        reading.own_past = predicted_rightly(reading.output, probe, &predicted);
        reading.first_steps = by_sign(reading.output, probe, size.0, predicted);
    }
}

/// The share of right predictions over the probes.
fn predicted_rightly(output: usize, probe: &Batch, predicted: &dyn Fn(usize, usize) -> f64) -> f64 {
    let mut tally = Tally::new(1);
    for (t, said) in probe.outputs.iter().enumerate() {
        (0..probe.episodes).for_each(|e| tally.add(&[said[(output, e)]], &[predicted(t, e)], same_sign));
    }
    tally.share()
}

/// The share of right predictions after the first output step, for the sign that is predicted less well: an output that is
/// nearly always the same is predicted by anything.
fn by_sign(output: usize, probe: &Batch, s: usize, predicted: impl Fn(usize, usize) -> f64) -> Option<f64> {
    let last = FIRST_STEPS.max(2 * s).min(probe.outputs.len());
    let (mut right, mut all) = ([0usize; 2], [0usize; 2]);
    for t in 1..last {
        for episode in 0..probe.episodes {
            let (wanted, produced) = (predicted(t, episode) > 0.0, probe.outputs[t][(output, episode)] > 0.0);
            all[usize::from(produced)] += 1;
            right[usize::from(produced)] += usize::from(wanted == produced);
        }
    }
    let share = |k: usize| right[k] as f64 / all[k] as f64;
    (all[0].min(all[1]) >= SEEN).then(|| share(0).min(share(1)))
}

fn free_running(readings: &mut [TableReading], probe: &Batch, task: &Window) {
    let targets = probe.targets(task);
    for reading in readings {
        reading.runs = true;
        let wanted = |t: usize, episode: usize| targets.target(t, episode, reading.output);
        reading.first_steps = by_sign(reading.output, probe, task.s(), wanted);
        reading.free_running = Some(predicted_rightly(reading.output, probe, &wanted));
    }
}
