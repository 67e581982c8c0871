//! Which function does this network compute? Read back from what it does, confirmed by what it is.
//!
//! The first output step decides: the window then holds our own independent random inputs, so that no cycle of the
//! circuit makes two past components look alike. Later steps, other inputs and the linearized orbit confirm it. No task
//! and no labels are used.

mod behaviour;
mod dense;
mod recorded_tables;
mod rival;
mod structure;
mod table;

pub use dense::DenseReading;
pub use rival::{Rival, RivalParams, Rivalry, rivalry};
pub use table::TableReading;

use crate::linearize::{Linearization, Visited};
use crate::numeric::{Matrix, NumericError};
use crate::observe::Observations;
use crate::setting::settings;
use crate::task::{Gate, Source, TableOf, TaskError, Window};
use serde::{Deserialize, Serialize};

settings! {
    /// When a reading is stated.
    pub struct RecurrenceParams {
        /// How much more often the chosen component must agree with the output than any other, at the first output step.
        margin: f64 = 0.15, SHARE;
        /// Output steps, after the first, that help to choose it.
        later_steps: usize = 16, SETTLING;
        /// Agreement needed afterwards, from the network's own past and from the recurrence run freely.
        agreement: f64 = 0.9, SHARE;
        /// Activity that falls below this share of its largest has died out: nothing is stated.
        alive: f64 = 1e-3, SHARE;
        /// A linear relation with a smaller relative residual confirms a reading.
        confirmed: f64 = 0.2, SIZE;
        /// A relation with a smaller lag that agrees on the orbit at least this often, and no less often than the one that the
        /// first output step shows, speaks against the latter: that one may be several steps of the recurrence taken as one.
        shorter: f64 = 0.95, SHARE;
        /// Agreement at the first output step with which a reading is stated all the same, though never with high confidence.
        despite_shorter: f64 = 0.95, SHARE;
        /// Where a selection could be stated, a dense f is preferred if its error, run freely, is below this share of the
        /// selection's.
        dense_better: f64 = 0.5, SHARE;
        /// And if one of its coefficients differs by more than this.
        dense_differs: f64 = 0.01, SIZE;
        /// A dense f is looked for in windows of at most this many components.
        dense_window: usize = 1024, COUNT;
        /// Share of variance that a dense f must explain to be stated.
        dense_explained: f64 = 0.95, SHARE;
        /// Coefficients of a dense f below this share of the largest are taken as zero.
        dense_smallest: f64 = 5e-4, SHARE;
        /// And those below this many standard errors.
        dense_significant: f64 = 4.0, DEVIATIONS;
        /// Coefficients are rounded to multiples of one over this: a regression on some hundred trials knows no more digits.
        dense_digits: f64 = 1e3, POSITIVE;
        /// Coefficients this near to +-1 are taken as these where that follows the network as well.
        dense_snaps: f64 = 0.03, SIZE;
        /// A plainer form of a dense f may have this many times the error of the best.
        dense_plainer: f64 = 1.2, TIMES;
        /// Turns of the window (s output steps each) over which a dense f is run freely from the inputs.
        dense_turns: usize = 3, COUNT;
        /// Largest relative error that it may then have.
        dense_unrolled: f64 = 0.2, SIZE;
        /// As many eigenvalues as those of a dense f above this modulus must last on the orbit.
        dense_lasting: f64 = 0.8, SIZE;
        /// Where activity dies out, every eigenvalue of a dense f must lie below this.
        dense_dying: f64 = 0.95, SIZE;
        /// Where activity dies out, a dense f is stated only with a coefficient of at least this: a dead network computes nothing.
        dense_faintest: f64 = 0.05, SIZE;
        /// Outputs of a dense f are taken in a unit of their own if it differs from 1 by more than this.
        dense_unit: f64 = 0.02, SIZE;
        /// An output of a dense f below this share of its size has faded away, and is not compared.
        dense_faded: f64 = 0.01, SHARE;
        /// When a selection is compared with a dense f at all.
        rival: RivalParams;
        /// A network whose first outputs agree less often with a selection is asked for a truth table.
        exactly: f64 = 0.995, SHARE;
        /// Share of answers that must agree with a truth table, over all its entries.
        table_agreement: f64 = 0.99, SHARE;
        /// Agreement that a truth table must have, run freely from the inputs, in each of the first output steps.
        table_first_steps: f64 = 0.9, SHARE;
        /// Agreement with the network's own past where not every output has a table, so that none can be run freely.
        table_own_past: f64 = 0.98, SHARE;
        /// Agreement from which on an output that hardly ever takes one of its signs is stated, where all the others are.
        table_faultless: f64 = 0.999, SHARE;
        /// What is asked where a network errs in a few windows at the first output step.
        mainly: MainlyParams;
        /// An output that nothing changes is a constant if it is at least this large.
        table_constant: f64 = 0.3, SIZE;
    }
}

settings! {
    /// When a truth table of the inputs that matter mainly is stated: with less at the first output step, and more afterwards.
    pub struct MainlyParams {
        /// Share of answers that agree with the entry of the table that has the most doubt.
        entry: f64 = 0.6, SHARE;
        /// The same over all entries.
        entries: f64 = 0.9, SHARE;
        /// Agreement in the first output steps after that, for the sign that is predicted less well.
        first_steps: f64 = 0.95, SHARE;
        /// Agreement with the network's own past and with the tables run freely.
        afterwards: f64 = 0.99, SHARE;
    }
}

/// Where one output comes from, everything counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The output component.
    pub output: usize,
    /// How many steps back.
    pub lag: usize,
    /// The component it copies.
    pub component: usize,
    /// +1 or -1.
    pub sign: i8,
}

impl Step {
    fn source(&self) -> Source {
        Source { lag: self.lag, component: self.component - 1, negated: self.sign < 0 }
    }

    fn table(&self) -> TableOf {
        TableOf::of_copy(self.output - 1, &self.source())
    }
}

/// The best reading of one output, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// What it says.
    #[serde(flatten)]
    pub step: Step,
    /// Whether the evidence is enough to state it.
    pub stated: bool,
    /// Share of trials in which the first output agrees.
    pub agreement: f64,
    /// The same for the next best component.
    pub runner_up: f64,
    /// Agreement with the network's own past, over the probes.
    pub own_past: f64,
    /// Agreement with the recurrence run freely from the inputs, over the probes.
    pub free_running: f64,
    /// Relative residual of the same relation among the readers of the linearized orbit.
    pub residual: Option<f64>,
    /// A relation with a smaller lag that holds on the orbit as well as this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shorter: Option<Step>,
}

/// How sure a recurrence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// I can't tell.
    CannotTell,
    /// The network behaves so, but its linearized orbit does not show it.
    Behaviour,
    /// The network behaves so, and its linearized orbit shows why.
    High,
}

/// The function read back from a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Recurrence {
    /// The best reading of each output.
    pub readings: Vec<Reading>,
    /// How sure the whole is.
    pub confidence: Confidence,
    /// The smallest agreement among all outputs.
    pub agreement: f64,
    /// A dense f, where no selection can be stated and the outputs are a linear function of the inputs.
    pub dense: Option<DenseReading>,
    /// Truth tables, where the network was asked for them.
    pub tables: Vec<TableReading>,
}

impl Recurrence {
    /// The signed selection in full, or nothing.
    pub fn stated(&self) -> Option<Vec<Step>> {
        self.readings.iter().map(|reading| reading.stated.then_some(reading.step)).collect()
    }

    /// Agreement of the worst output with the function that was found.
    pub fn agreement(&self) -> f64 {
        match &self.dense {
            Some(dense) => 1.0 - dense.unrolled_error,
            None if self.stated().is_none() && self.gates().is_some() => self
                .tables
                .iter()
                .map(|table| table.own_past.min(table.free_running.unwrap_or(1.0)))
                .fold(1.0, f64::min),
            None => self.agreement,
        }
    }

    /// Every output's truth table, where all are stated.
    pub fn gates(&self) -> Option<Vec<Gate>> {
        let all = self.tables.len() == self.readings.len() && self.tables.iter().all(|table| table.stated);
        all.then(|| self.tables.iter().map(|table| table.gate.clone()).collect())
    }

    /// The truth tables of the outputs whose function is stated.
    pub fn function(&self) -> Vec<TableOf> {
        if let Some(steps) = self.stated() {
            return steps.iter().map(Step::table).collect();
        }
        if !self.tables.is_empty() || self.dense.is_some() {
            let stated = self.tables.iter().filter(|table| table.stated);
            return stated.map(|table| TableOf::of(table.output, &table.gate)).collect();
        }
        self.readings.iter().filter(|reading| reading.stated).map(|reading| reading.step.table()).collect()
    }

    /// Looks for truth tables in what a network answered. They take the place of a selection that is not right.
    /// Where nobody can be asked, the combinations that were seen must do.
    pub fn look_for_tables(&mut self, observed: &Observations, params: &RecurrenceParams) {
        self.tables = match &observed.asked {
            Some(asked) => table::tables(observed, asked, params),
            None => recorded_tables::tables_seen(observed, params),
        };
        let Some(gates) = self.gates() else { return };
        // Tables that all copy are a selection: that is for its own readings to state, which ask for more.
        if gates.iter().all(|gate| gate.as_source().is_some()) {
            self.tables.clear();
            return;
        }
        self.confidence = Confidence::Behaviour;
        self.readings.iter_mut().for_each(|reading| reading.stated = false);
    }

    /// Whether a network must be asked for truth tables: no linear function is right.
    pub fn is_open(&self, params: &RecurrenceParams) -> bool {
        let exact = self.readings.iter().all(|reading| reading.agreement >= params.exactly);
        self.dense.is_none() && !(self.stated().is_some() && exact)
    }

    /// Takes back what was stated: it does not hold.
    pub fn withdraw(&mut self) {
        self.confidence = Confidence::CannotTell;
        self.readings.iter_mut().for_each(|reading| reading.stated = false);
        self.tables.iter_mut().for_each(|table| table.stated = false);
        self.dense = None;
    }

    /// The function in words, with as many digits as are known.
    pub fn in_words(&self, s: usize, d: usize, params: &RecurrenceParams) -> Vec<String> {
        let rounded = |x: f64| (x * params.dense_digits).round() / params.dense_digits;
        let Some(dense) = self.dense.as_ref().filter(|_| self.stated().is_none()) else {
            return self.task(s, d).map(|task| task.recurrence()).unwrap_or_default();
        };
        let matrix = Matrix::from_fn(d, s * d, |i, j| rounded(dense.matrix[(i, j)]));
        Window::from_matrix("read back", s, d, matrix).map(|task| task.recurrence()).unwrap_or_default()
    }

    /// The task that the network computes, where it can be told.
    pub fn task(&self, s: usize, d: usize) -> Option<Window> {
        let selection = || selection_task(&self.stated()?, s, d).ok();
        let dense = || Window::from_matrix("read back", s, d, self.dense.as_ref()?.matrix.clone()).ok();
        let table = || Window::table("read back", s, d, self.gates()?).ok();
        selection().or_else(dense).or_else(table)
    }
}

/// Why nothing could be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecurrenceError {
    /// A reading that is no task.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A matrix computation failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
}

/// Reads the function back from behaviour alone; [`confirm`] adds the linearized orbit.
pub fn read_back(observed: &Observations, params: &RecurrenceParams) -> Result<Recurrence, RecurrenceError> {
    let (s, d) = (observed.s, observed.d);
    let means = observed.probe.mean_outputs();
    let mut readings = behaviour::best_readings(&observed.trial, &means, s, params.later_steps);
    let steps: Vec<Step> = readings.iter().map(|reading| reading.step).collect();
    let selection = selection_task(&steps, s, d)?;
    behaviour::verify(&mut readings, &observed.probe, &means, &selection, params);
    let alive = observed.probe.persistence(observed.probe.outputs.len() / 2) > params.alive;
    for reading in &mut readings {
        reading.shorter = reading.shorter.filter(|_| alive);
        reading.stated = reading.stated
            && alive
            && (reading.shorter.is_none() || reading.agreement >= params.despite_shorter)
            && reading.agreement - reading.runner_up >= params.margin
            && reading.own_past.min(reading.free_running) >= params.agreement;
    }
    let agreement = readings.iter().map(|r| r.own_past.min(r.free_running)).fold(1.0, f64::min);
    let whole = readings.iter().all(|reading| reading.stated).then_some(&selection);
    let dense = dense::dense(observed, whole, alive, params)?;
    readings.iter_mut().for_each(|reading| reading.stated &= dense.is_none());
    let all = readings.iter().all(|reading| reading.stated);
    let confidence = if all || dense.is_some() { Confidence::Behaviour } else { Confidence::CannotTell };
    Ok(Recurrence { readings, confidence, agreement, dense, tables: vec![] })
}

/// Looks for the same relations among the readers of the linearized orbit; raises the confidence if all are there.
pub fn confirm(
    recurrence: &mut Recurrence,
    readout: &Matrix,
    visited: &Visited,
    orbit: &Linearization,
    params: &RecurrenceParams,
) -> Result<(), RecurrenceError> {
    let residuals = structure::residuals(readout, visited, orbit, &recurrence.readings)?;
    for (reading, residual) in recurrence.readings.iter_mut().zip(residuals) {
        reading.residual = Some(residual);
    }
    let shown = |reading: &Reading| {
        reading.shorter.is_none() && reading.residual.is_some_and(|residual| residual < params.confirmed)
    };
    if recurrence.stated().is_some() && recurrence.readings.iter().all(shown) {
        recurrence.confidence = Confidence::High;
    }
    Ok(())
}

fn selection_task(steps: &[Step], s: usize, d: usize) -> Result<Window, TaskError> {
    Window::selection("read back", s, d, steps.iter().map(Step::source).collect())
}
