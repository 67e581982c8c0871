//! A step that is written in Python.

use crate::arrays::matrix;
use crate::work::Stop;
use faer::{MatMut, MatRef};
use ketbra::network::{Dynamics, Jacobians};
use ketbra::numeric::Matrix;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// A Python function of states (batch, H) and inputs (batch, d), as the search sees it.
///
/// After an exception, or once a stop is asked for, every step leads to NaN, which ends every descent at once; the
/// exception is kept for the caller.
pub struct Called<'a> {
    pub step: Py<PyAny>,
    /// Gives the derivatives (H, H) and (H, d) at one state; without it they are differences of steps.
    pub jacobian: Option<Py<PyAny>>,
    pub hidden: usize,
    pub inputs: usize,
    /// How far apart the states of a difference are, for a state of size 1.
    pub difference: f64,
    pub failed: Mutex<Option<PyErr>>,
    pub stop: &'a Stop,
}

impl Called<'_> {
    /// The exception that ended the search.
    pub fn exception(&self) -> Option<PyErr> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn is_over(&self) -> bool {
        self.stop.asked() || self.failed.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// What Python says, unless it raised an exception now or before.
    fn ask<T>(&self, question: impl FnOnce(Python<'_>) -> PyResult<T>) -> Option<T> {
        if self.is_over() {
            return None;
        }
        let keep = |error: PyErr| *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        Python::attach(|py| question(py).map_err(keep).ok())
    }

    fn stepped(&self, states: Array2<f64>, inputs: Array2<f64>) -> Option<Array2<f64>> {
        self.ask(|py| {
            let returned = self.step.call1(py, (states.into_pyarray(py), inputs.into_pyarray(py)))?;
            let next: PyReadonlyArray2<'_, f64> = returned.extract(py)?;
            Ok(next.as_array().to_owned())
        })
    }

    /// Central differences of one batch of steps: a state up and down for every unit, then for every input.
    fn differences(&self, state: &[f64], input: &[f64]) -> Option<Jacobians> {
        let all: Vec<f64> = state.iter().chain(input).copied().collect();
        let size = |k: usize| self.difference * all[k].abs().max(1.0);
        let moved = |row: usize, column: usize| match row / 2 == column {
            true if row.is_multiple_of(2) => all[column] + size(column),
            true => all[column] - size(column),
            false => all[column],
        };
        let (hidden, rows) = (self.hidden, 2 * all.len());
        let states = Array2::from_shape_fn((rows, hidden), |(row, i)| moved(row, i));
        let inputs = Array2::from_shape_fn((rows, self.inputs), |(row, i)| moved(row, hidden + i));
        let next = self.stepped(states, inputs)?;
        let slope = |i: usize, k: usize| {
            // What was really added, after rounding.
            let apart = moved(2 * k, k) - moved(2 * k + 1, k);
            (next[(2 * k, i)] - next[(2 * k + 1, i)]) / apart
        };
        Some(Jacobians {
            state: Matrix::from_fn(hidden, hidden, slope),
            input: Matrix::from_fn(hidden, self.inputs, |i, k| slope(i, hidden + k)),
        })
    }

    fn asked(&self, jacobian: &Py<PyAny>, state: &[f64], input: &[f64]) -> Option<Jacobians> {
        self.ask(|py| {
            let [state, input] = [state, input].map(|values| PyArray1::from_slice(py, values));
            let returned = jacobian.call1(py, (state, input))?;
            let (state, input): (PyReadonlyArray2<'_, f64>, PyReadonlyArray2<'_, f64>) = returned.extract(py)?;
            Ok(Jacobians { state: matrix(state.as_array()), input: matrix(input.as_array()) })
        })
    }
}

impl Dynamics for Called<'_> {
    fn state_size(&self) -> usize {
        self.hidden
    }

    fn input_size(&self) -> usize {
        self.inputs
    }

    fn step_into(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>, mut next: MatMut<'_, f64>) {
        let batch = state.ncols();
        let states = Array2::from_shape_fn((batch, self.hidden), |(j, i)| state[(i, j)]);
        let inputs = Array2::from_shape_fn((batch, self.inputs), |(j, i)| input.map_or(0.0, |input| input[(i, j)]));
        match self.stepped(states, inputs) {
            Some(returned) => (0..batch).for_each(|j| (0..self.hidden).for_each(|i| next[(i, j)] = returned[(j, i)])),
            None => next.fill(f64::NAN),
        }
    }

    fn jacobians(&self, state: &[f64], input: &[f64]) -> Jacobians {
        let found = match &self.jacobian {
            Some(jacobian) => self.asked(jacobian, state, input),
            None => self.differences(state, input),
        };
        found.unwrap_or_else(|| no_jacobians(self.hidden, self.inputs))
    }
}

/// For after an exception, when whatever is computed is thrown away.
fn no_jacobians(hidden: usize, inputs: usize) -> Jacobians {
    Jacobians { state: Matrix::zeros(hidden, hidden), input: Matrix::zeros(hidden, inputs) }
}

/// A network that can be interrupted.
pub struct Stoppable<'a, C> {
    pub cell: &'a C,
    pub stop: &'a Stop,
}

impl<C: Dynamics> Dynamics for Stoppable<'_, C> {
    fn state_size(&self) -> usize {
        self.cell.state_size()
    }

    fn input_size(&self) -> usize {
        self.cell.input_size()
    }

    fn step_into(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>, mut next: MatMut<'_, f64>) {
        match self.stop.asked() {
            true => next.fill(f64::NAN),
            false => self.cell.step_into(state, input, next),
        }
    }

    fn jacobians(&self, state: &[f64], input: &[f64]) -> Jacobians {
        match self.stop.asked() {
            true => no_jacobians(state.len(), input.len()),
            false => self.cell.jacobians(state, input),
        }
    }
}
