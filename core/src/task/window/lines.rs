//! f from the lines of a recurrence, whoever wrote them down.

use super::File;
use super::reader::Sizes;
use super::recurrence::{Line, Term, read_line};
use super::{Gate, Slot, Source, TaskError, Window, check_coefficients, check_size};
use faer::Mat;
use std::collections::BTreeMap;

/// One line and its place in the file.
pub(super) struct Placed<'a> {
    text: &'a str,
    start: usize,
    first: usize,
}

impl<'a> Placed<'a> {
    /// A line with the places where it starts, perhaps with a quotation mark, and where its first character is.
    pub(super) fn new(text: &'a str, (start, first): (usize, usize)) -> Self {
        Self { text, start, first }
    }
}

/// The lines of a recurrence.
pub(super) struct Lines<'a> {
    pub(super) file: File<'a>,
    pub(super) lines: Vec<Placed<'a>>,
}

/// Every line by its output (from 0), with its place.
type Rows = BTreeMap<usize, (usize, Line)>;
/// What one output adds up: coefficients by window component.
type Coefficients = BTreeMap<usize, f64>;

impl Lines<'_> {
    /// The task; without s it looks as far back as the largest lag.
    pub(super) fn task(&self, name: String, s: Option<usize>, d: usize) -> Result<Window, TaskError> {
        let rows = self.read(s, d)?;
        let s = s.unwrap_or_else(|| rows.values().map(|(_, line)| line.longest_lag()).max().unwrap_or(0).max(1));
        check_size(s, d).map_err(|error| self.file.error(0, error.to_string()))?;
        let gates = rows.values().any(|(_, line)| matches!(line, Line::Gate(..)));
        if gates { self.table(name, s, d, rows) } else { self.linear(name, s, d, rows) }
    }

    /// Every line by its output (from 0), with its place; each output once.
    fn read(&self, s: Option<usize>, d: usize) -> Result<Rows, TaskError> {
        let mut rows = Rows::new();
        for Placed { text, start, first } in &self.lines {
            let line =
                read_line(text, Sizes { s, d }).map_err(|problem| self.file.error(first + problem.at, problem.what))?;
            let output = line.output();
            let exists = match &line {
                _ if output == 0 || output > d => Err(TaskError::ComponentOutOfRange { component: output, d }),
                Line::Sum(sum) => check_terms(&sum.terms, s, d),
                Line::Gate(..) => Ok(()),
            };
            exists.map_err(|error| self.file.error(*start, error.to_string()))?;
            if rows.insert(output - 1, (*start, line)).is_some() {
                return Err(self.file.error(*start, format!("u{output} is defined twice")));
            }
        }
        if let Some(missing) = (0..d).find(|output| !rows.contains_key(output)) {
            return Err(self.file.error(self.file.text.len(), format!("u{} is not defined", missing + 1)));
        }
        Ok(rows)
    }

    fn table(&self, name: String, s: usize, d: usize, rows: Rows) -> Result<Window, TaskError> {
        let mut gates = Vec::with_capacity(d);
        for (output, (start, line)) in rows {
            gates.push(match line {
                Line::Gate(_, gate) => gate,
                Line::Sum(sum) => {
                    let copied = as_source(&coefficients(&sum.terms, s, d), s, d);
                    Gate::copy(&copied.ok_or_else(|| self.sum_beside_gates(start, output + 1))?)
                }
            });
        }
        Window::table(name, s, d, gates).map_err(|error| self.file.error(0, error.to_string()))
    }

    fn sum_beside_gates(&self, start: usize, output: usize) -> TaskError {
        let what = format!(
            "u{output} is a sum, whose values leave +-1, but other lines use gates, which take and give +-1; write it as a gate \
             or a copy, e.g. \"u{output} = -u1[t-1]\", or leave the gates out"
        );
        self.file.error(start, what)
    }

    fn linear(&self, name: String, s: usize, d: usize, rows: Rows) -> Result<Window, TaskError> {
        let mut sums = Vec::with_capacity(d);
        for (_, line) in rows.into_values() {
            let Line::Sum(sum) = line else { continue };
            sums.push(coefficients(&sum.terms, s, d));
        }
        // A selection is known before anything of the size of a matrix is made.
        if let Some(sources) = sums.iter().map(|sum| as_source(sum, s, d)).collect() {
            return Window::selection(name, s, d, sources);
        }
        check_coefficients(s, d).map_err(|error| self.file.error(0, error.to_string()))?;
        let mut matrix = Mat::zeros(d, s * d);
        for (output, sum) in sums.into_iter().enumerate() {
            sum.into_iter().for_each(|(column, coefficient)| matrix[(output, column)] = coefficient);
        }
        Window::from_matrix(name, s, d, matrix)
    }
}

/// Refuses components and lags that do not exist; without s a lag must only be one.
fn check_terms(terms: &[Term], s: Option<usize>, d: usize) -> Result<(), TaskError> {
    for &Term { component, lag, .. } in terms {
        if component == 0 || component > d {
            return Err(TaskError::ComponentOutOfRange { component, d });
        }
        if lag == 0 || s.is_some_and(|s| lag > s) {
            return Err(TaskError::LagOutOfRange { lag, s: s.unwrap_or(1) });
        }
    }
    Ok(())
}

fn coefficients(terms: &[Term], s: usize, d: usize) -> Coefficients {
    let mut sum = Coefficients::new();
    for term in terms {
        let slot = Slot { lag: term.lag, component: term.component - 1 };
        *sum.entry(slot.index(s, d)).or_default() += term.coefficient;
    }
    sum
}

/// The one component that a sum copies, if it does no more.
fn as_source(sum: &Coefficients, s: usize, d: usize) -> Option<Source> {
    let mut parts = sum.iter().filter(|(_, coefficient)| **coefficient != 0.0);
    let (&column, &coefficient) = parts.next()?;
    let unit = coefficient.abs() == 1.0 && parts.next().is_none();
    unit.then(|| Source::of(Slot::at(column, s, d), coefficient < 0.0))
}
