//! Where each parameter lies in the one flat vector that the optimizer works on.

use std::ops::Range;

use super::panels::{PANEL, padded};

/// Sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) hidden: usize,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) bias: bool,
}

/// Ranges of the flat parameter vector. A matrix lies in panels of [`PANEL`] columns, like [`super::panels::Panels`], the
/// last one only as wide as it needs: rows far apart would fight for the same places in the cache. Rows are padded to whole
/// registers and the padding stays zero: its gradient is a product with padded activity, which is zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) sizes: Sizes,
    /// Numbers in a padded row of `hidden`.
    pub(crate) stride: usize,
    /// W_hh.
    pub(crate) recurrent: Range<usize>,
    /// The transpose of W_uh: a row for each input.
    pub(crate) input: Range<usize>,
    /// W_r.
    pub(crate) readout: Range<usize>,
    /// b_ih, b_hh and b_r; empty without biases.
    pub(crate) bias_input: Range<usize>,
    pub(crate) bias_recurrent: Range<usize>,
    pub(crate) bias_readout: Range<usize>,
    pub(crate) len: usize,
}

impl Layout {
    pub(crate) fn new(sizes: Sizes) -> Self {
        let stride = padded(sizes.hidden);
        let mut len = 0;
        let mut take = |count: usize| {
            len += count;
            len - count..len
        };
        let biased = usize::from(sizes.bias);
        let recurrent = take(sizes.hidden * stride);
        let input = take(sizes.inputs * stride);
        let readout = take(sizes.outputs * stride);
        let bias_input = take(biased * stride);
        let bias_recurrent = take(biased * stride);
        let bias_readout = take(biased * padded(sizes.outputs));
        Self { sizes, stride, recurrent, input, readout, bias_input, bias_recurrent, bias_readout, len }
    }

    /// Where element (row, column) of a matrix lies: a range of this layout, with `hidden` columns.
    pub(crate) fn index(&self, matrix: &Range<usize>, row: usize, column: usize) -> usize {
        let rows = matrix.len() / self.stride;
        matrix.start + in_panels(rows, self.stride, row, column)
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
