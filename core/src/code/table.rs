//! What the state of a network must hold if it computes a truth table.
//!
//! Which components still vary once a nonlinear f has run for a while, and which of them follow from others, is not to be
//! seen from its tables alone: f is run on random inputs, and the windows that it comes to are looked at.

use super::contents::write_places;
use super::{Contents, ContentsParams, centre};
use crate::circuit::readable;
use crate::numeric::{Matrix, NumericError, regress, stacked};
use crate::random::{Purpose, Stream};
use crate::task::{Episodes, Gate, Window};
use std::collections::BTreeSet;

/// Numbers that the windows of all episodes may have.
const MOST_NUMBERS: usize = 1 << 24;
/// Episodes of f.
const EPISODES: usize = 1024;
/// Steps after that at which windows are looked at: no two a common period apart.
const LATER: [usize; 4] = [0, 3, 7, 12];
/// Ridge of f's regression on contents and products: where f comes to few windows these depend on one another.
pub(super) const RIDGE: f64 = 1e-6;
/// The most products on which the step of an f is regressed: half as many as there are windows to do it on.
pub const MAX_PRODUCTS: usize = 256;

/// Windows that f comes to from random inputs, and what follows.
#[derive(Clone, Debug)]
pub struct Drawn {
    episodes: Episodes,
    /// The output step (from 0) at which contents are looked at and written.
    pub at: usize,
}

impl Drawn {
    /// Window components (rows) after output step `at + later` of the first `columns` episodes.
    pub fn windows(&self, task: &Window, later: usize, columns: usize) -> Matrix {
        let (all, columns): (Vec<usize>, _) = ((0..task.width()).collect(), columns.min(self.episodes.batch()));
        let mut windows = Matrix::zeros(all.len(), columns);
        write_places(&self.episodes, task, self.at + later, &all, &mut windows, 0..columns);
        windows
    }
}

/// Products of the rows of a matrix of signs.
pub fn products_of(signs: &Matrix, products: &[Vec<usize>]) -> Matrix {
    let mut all = Matrix::zeros(products.len(), signs.ncols());
    for k in 0..signs.ncols() {
        let (column, into) = (signs.col_as_slice(k), all.col_as_slice_mut(k));
        for (value, members) in into.iter_mut().zip(products) {
            *value = members.iter().map(|&i| column[i]).product();
        }
    }
    all
}

impl Contents {
    /// The contents of a truth table.
    pub(super) fn of_table(task: &Window, gates: &[Gate], params: &ContentsParams) -> Result<Self, NumericError> {
        let horizon = params.settled + LATER[3] + 2 * task.s().max(8) + 2;
        let count = EPISODES.min(MOST_NUMBERS / ((task.s() + horizon) * task.d())).max(64);
        let mut episodes = Episodes::new(task, count);
        episodes.draw(task, &Stream::new(1, Purpose::Matrices), 0, horizon);
        // The newest first: what follows from newer contents is left out.
        let needed: Vec<usize> = readable(task).into_iter().rev().collect();
        let mut drawn = Drawn { episodes, at: params.settled };
        let settled: Vec<Matrix> = LATER.iter().map(|&later| drawn.windows(task, later, count)).collect();
        let mut slots = of_their_own(&settled, &needed, params);
        let fades = slots.is_empty();
        let mut gone_after = None;
        if fades {
            drawn.at = 0;
            let varies = |t: &usize| !of_their_own(&[drawn.windows(task, *t, count)], &needed, params).is_empty();
            gone_after = Some((0..params.settled.max(1)).rev().find(varies).map_or(0, |last| last + 1));
            slots = of_their_own(&[drawn.windows(task, 0, count)], &needed, params);
        }
        slots.sort_unstable();
        let (window, d) = (task.width(), task.d());
        let project = Matrix::from_fn(slots.len(), window, |i, j| f64::from(u8::from(slots[i] == j)));
        let embed = project.transpose().to_owned();
        let readout = embed.subrows(window - d, d).to_owned();
        let mut products = products_in(task, gates);
        let products_left_out = if products.len() > MAX_PRODUCTS { products.len() } else { 0 };
        products.truncate(if products_left_out > 0 { 0 } else { MAX_PRODUCTS });
        let mut contents = Self {
            task: task.clone(),
            step: Matrix::zeros(slots.len(), slots.len()),
            on_products: Matrix::zeros(slots.len(), products.len()),
            project,
            embed,
            readout,
            slots: Some(slots),
            fades,
            gone_after,
            products,
            products_left_out,
            drawn: Some(drawn),
        };
        (contents.step, contents.on_products) = contents.step_of_f(params.columns)?;
        Ok(contents)
    }

    /// Contents and f's products of some windows: what a step of the contents is regressed on.
    pub(crate) fn features(&self, windows: &Matrix) -> Matrix {
        stacked(&(&self.project * windows), &products_of(windows, &self.products))
    }

    /// f's own step, as the regression that a network's step is compared with.
    fn step_of_f(&self, columns: usize) -> Result<(Matrix, Matrix), NumericError> {
        let Some(drawn) = &self.drawn else { return Ok((self.step.clone(), self.on_products.clone())) };
        let mut now = self.features(&drawn.windows(self.task(), 0, columns));
        let mut next = &self.project * drawn.windows(self.task(), 1, columns);
        centre(&mut now);
        centre(&mut next);
        Ok(self.split(&regress(next.as_ref(), now.as_ref(), RIDGE)?))
    }

    /// A step on contents and products as its two parts.
    fn split(&self, whole: &Matrix) -> (Matrix, Matrix) {
        let count = self.count();
        (whole.subcols(0, count).to_owned(), whole.subcols(count, whole.ncols() - count).to_owned())
    }
}

/// Of the components in `order` those that vary and do not follow linearly from the ones before.
fn of_their_own(windows: &[Matrix], order: &[usize], params: &ContentsParams) -> Vec<usize> {
    let columns: usize = windows.iter().map(Matrix::ncols).sum();
    let row = |slot: usize| -> Vec<f64> {
        let values: Vec<f64> = windows.iter().flat_map(|w| (0..w.ncols()).map(move |k| w[(slot, k)])).collect();
        let mean = values.iter().sum::<f64>() / columns as f64;
        values.iter().map(|x| x - mean).collect()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let (mut kept, mut basis): (Vec<usize>, Vec<Vec<f64>>) = (vec![], vec![]);
    for &slot in order {
        let mut rest = row(slot);
        let variance = dot(&rest, &rest);
        if variance <= 4.0 * params.rare_sign * (1.0 - params.rare_sign) * columns as f64 {
            continue;
        }
        for unit in &basis {
            let along = dot(&rest, unit);
            rest.iter_mut().zip(unit).for_each(|(x, y)| *x -= along * y);
        }
        let left = dot(&rest, &rest);
        if left > params.of_its_own * variance {
            rest.iter_mut().for_each(|x| *x /= left.sqrt());
            basis.push(rest);
            kept.push(slot);
        }
    }
    kept
}

/// The products of two or more window components in the tables, each once.
fn products_in(task: &Window, gates: &[Gate]) -> Vec<Vec<usize>> {
    let mut all = BTreeSet::new();
    for gate in gates {
        for (bits, _) in gate.products().into_iter().filter(|(bits, _)| bits.count_ones() >= 2) {
            let members = gate.inputs().iter().enumerate().filter(|(q, _)| bits >> q & 1 == 1);
            all.insert(members.map(|(_, slot)| slot.index(task.s(), task.d())).collect::<Vec<_>>());
        }
    }
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Slot;

    fn slot(lag: usize, component: usize) -> Slot {
        Slot { lag, component }
    }

    fn xor(a: Slot, b: Slot) -> Gate {
        Gate::new(&[a, b], &[false, true, true, false]).unwrap()
    }

    fn contents(task: &Window) -> Contents {
        Contents::of_table(task, &task.gates().unwrap(), &ContentsParams::default()).unwrap()
    }

    #[test]
    fn a_register_keeps_its_window_and_its_step_is_a_product() {
        let task = Window::table("register", 5, 1, vec![xor(slot(5, 0), slot(3, 0))]).unwrap();
        let contents = contents(&task);
        assert_eq!(contents.slots, Some(vec![0, 1, 2, 3, 4]));
        assert_eq!((contents.products.len(), contents.fades), (1, false));
        // xor is minus the product; the others are handed on.
        assert!((contents.on_products[(4, 0)] + 1.0).abs() < 1e-3, "{}", contents.on_products[(4, 0)]);
        assert!((contents.step[(0, 1)] - 1.0).abs() < 1e-3 && contents.step[(4, 0)].abs() < 1e-3);
    }

    #[test]
    fn a_function_that_forgets_everything_is_asked_for_what_is_left_while_it_is() {
        // Rule 90 on a ring of 8: all are -1 after four steps.
        let gate = |j: usize| xor(slot(1, (j + 7) % 8), slot(1, (j + 1) % 8));
        let task = Window::table("rule 90", 1, 8, (0..8).map(gate).collect()).unwrap();
        let contents = contents(&task);
        assert!(contents.fades);
        assert_eq!((contents.gone_after, contents.count()), (Some(3), 8));
    }

    #[test]
    fn what_nothing_reads_is_not_needed() {
        // u2 is said and never read; u1 is read three steps back.
        let task = Window::table("x", 4, 2, vec![xor(slot(3, 0), slot(1, 0)), xor(slot(1, 0), slot(2, 0))]).unwrap();
        assert_eq!(readable(&task), [2, 4, 6, 7]);
    }
}
