//! Matrices in panels of [`PANEL`] columns: what every kernel reads and writes, so that nothing is repacked between them.
//!
//! Element (row, column) lies at `((column / PANEL) * rows + row) * PANEL + column % PANEL`. Rows of a panel follow each
//! other in memory, whatever the number of columns, which keeps strides small and free of cache-set conflicts.

use super::lanes::Real;
use super::layout::in_panels;

/// Columns in a panel: four registers of 16 f32.
pub(crate) const PANEL: usize = 64;
/// Columns are computed in multiples of this; the padding holds zeros.
pub(crate) const LANE_GROUP: usize = 16;

const _: () = assert!(PANEL.is_multiple_of(LANE_GROUP));

/// `columns` rounded up to whole [`LANE_GROUP`]s.
pub(crate) fn padded(columns: usize) -> usize {
    columns.next_multiple_of(LANE_GROUP)
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line<S>([S; LANE_GROUP]);

/// Numbers that begin on a cache line: a register loaded across two lines costs two loads.
#[derive(Clone, Default)]
pub(crate) struct Aligned<S> {
    lines: Vec<Line<S>>,
    len: usize,
}

impl<S: Real> Aligned<S> {
    pub(crate) fn zeros(len: usize) -> Self {
        Self { lines: vec![Line([S::default(); LANE_GROUP]); len.div_ceil(LANE_GROUP)], len }
    }

    pub(crate) fn slice(&self) -> &[S] {
        // SAFETY: `Line` is `repr(C)` around an array, and its alignment divides its size for f32 and f64, so the lines
        // are `lines.len() * LANE_GROUP >= len` numbers in a row.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }

    pub(crate) fn slice_mut(&mut self) -> &mut [S] {
        // SAFETY: as in `slice`.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

/// A matrix in panels.
#[derive(Clone, Default)]
pub(crate) struct Panels<S> {
    data: Aligned<S>,
    rows: usize,
    columns: usize,
}

impl<S: Real> Panels<S> {
    pub(crate) fn zeros(rows: usize, columns: usize) -> Self {
        Self { data: Aligned::zeros(columns.div_ceil(PANEL) * rows * PANEL), rows, columns }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn data(&self) -> &[S] {
        self.data.slice()
    }

    pub(crate) fn data_mut(&mut self) -> &mut [S] {
        self.data.slice_mut()
    }

    /// Zeros in what only fills up the last panel.
    pub(crate) fn clear_padding(&mut self) {
        let (panel, used) = (self.columns / PANEL, self.columns % PANEL);
        if used > 0 {
            (0..self.rows).for_each(|row| self.row_mut(panel, row)[used..].fill(S::default()));
        }
    }

    /// Where the part of a row that lies in one panel begins.
    #[inline(always)]
    pub(crate) fn offset(&self, panel: usize, row: usize) -> usize {
        (panel * self.rows + row) * PANEL
    }

    /// One row of one panel, [`PANEL`] numbers.
    #[inline(always)]
    pub(crate) fn row(&self, panel: usize, row: usize) -> &[S] {
        let offset = self.offset(panel, row);
        &self.data()[offset..offset + PANEL]
    }

    #[inline(always)]
    pub(crate) fn row_mut(&mut self, panel: usize, row: usize) -> &mut [S] {
        let offset = self.offset(panel, row);
        &mut self.data_mut()[offset..offset + PANEL]
    }

    /// Whether numbers lie as these do, if they are of as many rows.
    pub(crate) fn has_len_of(&self, data: &[S]) -> bool {
        self.data.len == data.len()
    }

    #[inline(always)]
    pub(crate) fn at(&self, row: usize, column: usize) -> S {
        self.data()[self.offset(column / PANEL, row) + column % PANEL]
    }

    #[inline(always)]
    pub(crate) fn at_mut(&mut self, row: usize, column: usize) -> &mut S {
        let offset = self.offset(column / PANEL, row) + column % PANEL;
        &mut self.data_mut()[offset]
    }

    /// Copies a matrix of the parameters (see [`super::layout::MatrixPlace`]), whose rows are padded to `stride` numbers.
    pub(crate) fn pack(&mut self, from: &[S], stride: usize) {
        for panel in 0..self.columns.div_ceil(PANEL) {
            let width = PANEL.min(self.columns - panel * PANEL);
            for row in 0..self.rows {
                let start = in_panels(self.rows, stride, row, panel * PANEL);
                self.row_mut(panel, row)[..width].copy_from_slice(&from[start..start + width]);
            }
        }
    }

    /// Copies the transpose of a matrix of the parameters, whose rows are padded to `stride` numbers.
    pub(crate) fn pack_transposed(&mut self, from: &[S], stride: usize) {
        /// Rows and columns of the squares that are transposed at a time, to stay in the cache.
        const SQUARE: usize = 16;
        const { assert!(PANEL.is_multiple_of(SQUARE), "a square must not leave its panel") };
        for panel in 0..self.columns.div_ceil(PANEL) {
            let first = panel * PANEL;
            let width = PANEL.min(self.columns - first);
            let base = self.offset(panel, 0);
            let (rows, from_rows) = (self.rows, self.columns);
            let to = &mut self.data_mut()[base..base + rows * PANEL];
            for row_start in (0..rows).step_by(SQUARE) {
                let count = SQUARE.min(rows - row_start);
                for lane in 0..width {
                    let start = in_panels(from_rows, stride, first + lane, row_start);
                    for (k, value) in from[start..start + count].iter().enumerate() {
                        to[(row_start + k) * PANEL + lane] = *value;
                    }
                }
            }
        }
    }
}
