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
use crate::task::{Gate, Source, TableOf, TaskError, Window};
use serde::{Deserialize, Serialize};

/// When a reading is stated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecurrenceParams {
    /// How much more often the chosen component must agree with the output than any other, at the first output step.
    pub margin: f64,
    /// Output steps, after the first, that help to choose it.
    pub later_steps: usize,
    /// Agreement needed afterwards, from the network's own past and from the recurrence run freely.
    pub agreement: f64,
    /// Activity that falls below this share of its largest has died out: nothing is stated.
    pub alive: f64,
    /// A linear relation with a smaller relative residual confirms a reading.
    pub confirmed: f64,
    /// A relation with a smaller lag that agrees on the orbit at least this often, and no less often than the one that the
    /// first output step shows, speaks against the latter: that one may be several steps of the recurrence taken as one.
    pub shorter: f64,
    /// Agreement at the first output step with which a reading is stated all the same, though never with high confidence.
    pub despite_shorter: f64,
    /// Where a selection could be stated, a dense f is preferred if its error, run freely, is below this share of the
    /// selection's.
    pub dense_better: f64,
    /// And if one of its coefficients differs by more than this.
    pub dense_differs: f64,
    /// A dense f is looked for in windows of at most this many components.
    pub dense_window: usize,
    /// Share of variance that a dense f must explain to be stated.
    pub dense_explained: f64,
    /// Coefficients of a dense f below this share of the largest are taken as zero.
    pub dense_smallest: f64,
    /// And those below this many standard errors.
    pub dense_significant: f64,
    /// Coefficients are rounded to multiples of one over this: a regression on some hundred trials knows no more digits.
    pub dense_digits: f64,
    /// Coefficients this near to +-1 are taken as these where that follows the network as well.
    pub dense_snaps: f64,
    /// A plainer form of a dense f may have this many times the error of the best.
    pub dense_plainer: f64,
    /// Turns of the window (s output steps each) over which a dense f is run freely from the inputs.
    pub dense_turns: usize,
    /// Largest relative error that it may then have.
    pub dense_unrolled: f64,
    /// As many eigenvalues as those of a dense f above this modulus must last on the orbit.
    pub dense_lasting: f64,
    /// Where activity dies out, every eigenvalue of a dense f must lie below this.
    pub dense_dying: f64,
    /// Where activity dies out, a dense f is stated only with a coefficient of at least this: a dead network computes nothing.
    pub dense_faintest: f64,
    /// Outputs of a dense f are taken in a unit of their own if it differs from 1 by more than this.
    pub dense_unit: f64,
    /// An output of a dense f below this share of its size has faded away, and is not compared.
    pub dense_faded: f64,
    /// When a selection is compared with a dense f at all.
    pub rival: RivalParams,
    /// A network whose first outputs agree less often with a selection is asked for a truth table.
    pub exactly: f64,
    /// Share of answers that must agree with a truth table, over all its entries.
    pub table_agreement: f64,
    /// Agreement that a truth table must have, run freely from the inputs, in each of the first output steps.
    pub table_first_steps: f64,
    /// Agreement with the network's own past where not every output has a table, so that none can be run freely.
    pub table_own_past: f64,
    /// Agreement from which on an output that hardly ever takes one of its signs is stated, where all the others are.
    pub table_faultless: f64,
    /// What is asked where a network errs in a few windows at the first output step.
    pub mainly: MainlyParams,
    /// An output that nothing changes is a constant if it is at least this large.
    pub table_constant: f64,
}

/// When a truth table of the inputs that matter mainly is stated: with less at the first output step, and more afterwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MainlyParams {
    /// Share of answers that agree with the entry of the table that has the most doubt.
    pub entry: f64,
    /// The same over all entries.
    pub entries: f64,
    /// Agreement in the first output steps after that, for the sign that is predicted less well.
    pub first_steps: f64,
    /// Agreement with the network's own past and with the tables run freely.
    pub afterwards: f64,
}

impl Default for MainlyParams {
    fn default() -> Self {
        Self { entry: 0.6, entries: 0.9, first_steps: 0.95, afterwards: 0.99 }
    }
}

impl Default for RecurrenceParams {
    fn default() -> Self {
        Self {
            margin: 0.15,
            later_steps: 16,
            agreement: 0.9,
            alive: 1e-3,
            confirmed: 0.2,
            shorter: 0.95,
            despite_shorter: 0.95,
            dense_better: 0.5,
            dense_differs: 0.01,
            dense_window: 1024,
            dense_explained: 0.95,
            dense_smallest: 5e-4,
            dense_significant: 4.0,
            dense_digits: 1e3,
            dense_snaps: 0.03,
            dense_plainer: 1.2,
            dense_turns: 3,
            dense_unrolled: 0.2,
            dense_lasting: 0.8,
            dense_dying: 0.95,
            dense_faintest: 0.05,
            dense_unit: 0.02,
            dense_faded: 0.01,
            rival: RivalParams::default(),
            exactly: 0.995,
            table_agreement: 0.99,
            table_first_steps: 0.9,
            table_own_past: 0.98,
            mainly: MainlyParams::default(),
            table_constant: 0.3,
            table_faultless: 0.999,
        }
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
