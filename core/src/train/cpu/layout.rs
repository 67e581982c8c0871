//! Where each parameter lies in the one flat vector that the optimizer works on.

use std::ops::Range;

use super::lanes::Real;
use super::panels::{PANEL, padded};

/// Hands out the flat vector piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Room {
    taken: usize,
}

impl Room {
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    pub(crate) fn matrix(&mut self, rows: usize, columns: usize) -> MatrixPlace {
        let range = self.take(rows * padded(columns));
        MatrixPlace { range, rows, columns }
    }

    pub(crate) fn vector(&mut self, len: usize) -> VectorPlace {
        VectorPlace { range: self.take(padded(len)), len }
    }

    fn take(&mut self, count: usize) -> Range<usize> {
        self.taken += count;
        self.taken - count..self.taken
    }
}

/// Where a matrix lies: in panels of [`PANEL`] columns, like [`super::panels::Panels`], the last one only as wide as it
/// needs: rows far apart would fight for the same places in the cache. Rows are padded to whole registers and the padding
/// stays zero: its gradient is a product with padded activity, which is zero.
#[derive(Clone, Debug)]
pub(crate) struct MatrixPlace {
    range: Range<usize>,
    rows: usize,
    columns: usize,
}

impl MatrixPlace {
    /// Numbers in a padded row.
    pub(crate) fn stride(&self) -> usize {
        padded(self.columns)
    }

    pub(crate) fn of<'a, S>(&self, flat: &'a [S]) -> &'a [S] {
        &flat[self.range.clone()]
    }

    pub(crate) fn of_mut<'a, S>(&self, flat: &'a mut [S]) -> &'a mut [S] {
        &mut flat[self.range.clone()]
    }

    fn index(&self, row: usize, column: usize) -> usize {
        self.range.start + in_panels(self.rows, self.stride(), row, column)
    }

    pub(crate) fn at<S: Real>(&self, flat: &[S], row: usize, column: usize) -> f64 {
        flat[self.index(row, column)].to_f64()
    }

    pub(crate) fn write<S: Real>(&self, flat: &mut [S], value: impl Fn(usize, usize) -> f64) {
        for row in 0..self.rows {
            for column in 0..self.columns {
                flat[self.index(row, column)] = S::from_f64(value(row, column));
            }
        }
    }
}

/// Where a vector lies, padded to whole registers.
#[derive(Clone, Debug)]
pub(crate) struct VectorPlace {
    range: Range<usize>,
    len: usize,
}

impl VectorPlace {
    pub(crate) fn of<'a, S>(&self, flat: &'a [S]) -> &'a [S] {
        &flat[self.range.clone()]
    }

    pub(crate) fn of_mut<'a, S>(&self, flat: &'a mut [S]) -> &'a mut [S] {
        &mut flat[self.range.clone()]
    }

    pub(crate) fn read<S: Real>(&self, flat: &[S]) -> Vec<f64> {
        self.of(flat)[..self.len].iter().map(|x| x.to_f64()).collect()
    }

    pub(crate) fn write<S: Real>(&self, flat: &mut [S], values: &[f64]) {
        for (to, value) in self.of_mut(flat).iter_mut().zip(values) {
            *to = S::from_f64(*value);
        }
    }

    /// Copies the numbers of this vector to those of another.
    pub(crate) fn copy_to<S: Copy>(&self, other: &Self, flat: &mut [S]) {
        flat.copy_within(self.range.clone(), other.range.start);
    }
}

/// Where element (row, column) lies in a matrix in panels with `stride` columns, padding included.
pub(crate) fn in_panels(rows: usize, stride: usize, row: usize, column: usize) -> usize {
    let first = column - column % PANEL;
    first * rows + row * panel_width(stride, first / PANEL) + column % PANEL
}

/// Columns of a panel: the last one may be narrower.
#[inline(always)]
pub(crate) fn panel_width(stride: usize, panel: usize) -> usize {
    PANEL.min(stride - panel * PANEL)
}
