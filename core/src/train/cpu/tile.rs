//! Register tiles: the part of a product that stays in registers while it is summed.

use super::lanes::{Lanes, Real};
use super::panels::{LANE_GROUP, PANEL};

/// A product that can be computed tile by tile.
pub(crate) trait Tiled<S> {
    /// Computes R rows and N registers of columns from (row, lane) on.
    ///
    /// # Safety
    /// The tile must lie within the product.
    unsafe fn tile<V: Lanes<Scalar = S>, const R: usize, const N: usize>(&mut self, row: usize, lane: usize);
}

/// Covers `rows` x `lanes` with tiles that fill the register file.
///
/// # Safety
/// `rows` x `lanes` must lie within the product, and `lanes` be a multiple of [`super::panels::LANE_GROUP`].
#[inline(always)]
pub(crate) unsafe fn cover<V: Lanes, T: Tiled<V::Scalar>>(product: &mut T, rows: usize, lanes: usize) {
    let mut lane = 0;
    while lane < lanes {
        let registers = (lanes - lane) / V::COUNT;
        // SAFETY: a strip is no wider than what is left of the lanes.
        unsafe {
            if registers >= 4 && V::REGISTERS >= 32 {
                cover_strip::<V, T, 6, 4>(product, rows, lane);
                lane += 4 * V::COUNT;
            } else if registers >= 2 && V::REGISTERS >= 32 {
                cover_strip::<V, T, 12, 2>(product, rows, lane);
                lane += 2 * V::COUNT;
            } else if registers >= 2 {
                cover_strip::<V, T, 6, 2>(product, rows, lane);
                lane += 2 * V::COUNT;
            } else {
                cover_strip::<V, T, 12, 1>(product, rows, lane);
                lane += V::COUNT;
            }
        }
    }
}

#[inline(always)]
unsafe fn cover_strip<V: Lanes, T: Tiled<V::Scalar>, const TALL: usize, const N: usize>(
    product: &mut T,
    rows: usize,
    lane: usize,
) {
    let mut row = 0;
    while row < rows {
        let left = rows - row;
        // SAFETY: a tile is no taller than what is left of the rows.
        unsafe {
            // Eight rows are better done as twice four: of six and two, the two would leave the pipeline half empty.
            if left >= TALL && left != 8 {
                product.tile::<V, TALL, N>(row, lane);
                row += TALL;
            } else if left >= 4 {
                product.tile::<V, 4, N>(row, lane);
                row += 4;
            } else {
                product.tile::<V, 1, N>(row, lane);
                row += 1;
            }
        }
    }
}

/// One stretch of a tile's sum: row r of `left` at depth k is `left[r * row_step + k * depth_step]`, row k of `right`
/// begins at `right[k * PANEL]`.
#[derive(Clone, Copy)]
pub(crate) struct Stretch<S> {
    pub(crate) left: *const S,
    pub(crate) right: *const S,
    pub(crate) depth: usize,
    /// Where memory that will soon be wanted begins, a line for each depth; may point anywhere.
    pub(crate) ahead: *const S,
}

/// Adds a stretch to a tile.
///
/// # Safety
/// `left` and `right` must be valid for all that the stretch reads.
#[inline(always)]
pub(crate) unsafe fn multiply<V: Lanes, const R: usize, const N: usize>(
    tile: &mut [[V; N]; R],
    stretch: Stretch<V::Scalar>,
    row_step: usize,
    depth_step: usize,
) {
    let Stretch { mut left, mut right, depth, mut ahead } = stretch;
    // A copy: what is reached through a reference would be stored to memory at every round.
    let mut sums = *tile;
    for _ in 0..depth {
        // SAFETY: within the stretch, by the caller's word.
        unsafe {
            let mut b = [V::splat(V::Scalar::default()); N];
            for (n, b) in b.iter_mut().enumerate() {
                *b = V::load(right.add(n * V::COUNT));
            }
            for (r, row) in sums.iter_mut().enumerate() {
                let a = V::splat(*left.add(r * row_step));
                for (sum, b) in row.iter_mut().zip(&b) {
                    *sum = a.mul_add(*b, *sum);
                }
            }
            V::prefetch(ahead);
            ahead = ahead.wrapping_add(LANE_GROUP);
            left = left.add(depth_step);
            right = right.add(PANEL);
        }
    }
    *tile = sums;
}

/// A tile of rows that lie `row_step` apart.
///
/// # Safety
/// The rows must be valid for N registers each.
#[inline(always)]
pub(crate) unsafe fn load_tile<V: Lanes, const R: usize, const N: usize>(
    from: *const V::Scalar,
    row_step: usize,
) -> [[V; N]; R] {
    let mut tile = [[V::splat(V::Scalar::from_f64(0.0)); N]; R];
    for (r, row) in tile.iter_mut().enumerate() {
        for (n, lanes) in row.iter_mut().enumerate() {
            // SAFETY: by the caller's word.
            *lanes = unsafe { V::load(from.add(r * row_step + n * V::COUNT)) };
        }
    }
    tile
}
