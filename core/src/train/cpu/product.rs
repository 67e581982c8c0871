//! The products of training, over matrices in [`Panels`].

use super::isa::Kernel;
use super::lanes::{Lanes, Real};
use super::layout::panel_width;
use super::panels::{LANE_GROUP, PANEL, Panels, padded};
use super::tile::{Stretch, Tiled, cover, load_tile, multiply};

/// Panels of the left factor multiplied before the next tile: this much of the right factor stays in the first-level cache.
const DEPTH_PANELS: usize = 2;

/// Rows of [`Outer`]'s right factor multiplied before the next tile, for the same reason.
const DEPTH_ROWS: usize = DEPTH_PANELS * PANEL;
/// Lines of memory in a row of a panel: as many tiles, fetching a line a row, bring in all of what comes next.
const LINES: usize = PANEL / LANE_GROUP;

/// A left and a right factor.
pub(crate) type Factors<'a, S> = (&'a Panels<S>, &'a Panels<S>);

/// What becomes of a sum before it is stored at an offset of the output's data.
pub(crate) trait Finish<S>: Copy {
    fn apply<V: Lanes<Scalar = S>>(self, sum: V, offset: usize) -> V;
}

/// `out = finish(bias + sum over factors of left * right)`. Every element is one sum, in the order of the factors and of
/// their columns. The second pair of factors is meant to be short: an input or an output.
pub(crate) struct Product<'a, S, F> {
    pub(crate) factors: [Option<Factors<'a, S>>; 2],
    /// One number a column, padded; zero when absent.
    pub(crate) bias: Option<&'a [S]>,
    pub(crate) out: &'a mut Panels<S>,
    pub(crate) finish: F,
}

impl<S: Real, F: Finish<S>> Kernel<S> for Product<'_, S, F> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = S>>(self) {
        let Self { factors, bias, out, finish } = self;
        for (left, right) in factors.iter().flatten() {
            assert_eq!(left.rows(), out.rows(), "a left factor and the output differ in rows");
            assert_eq!(left.columns(), right.rows(), "the factors do not chain");
            assert_eq!(right.columns(), out.columns(), "the right factor and the output differ in width");
        }
        let (rows, columns) = (out.rows(), padded(out.columns()));
        assert!(bias.is_none_or(|bias| bias.len() >= columns), "the bias is not padded");
        let panels = |factors: Option<Factors<'_, S>>| factors.map_or(0, |(left, _)| left.columns().div_ceil(PANEL));
        let (long, short) = (panels(factors[0]), panels(factors[1]));
        for panel in 0..columns.div_ceil(PANEL) {
            let lanes = PANEL.min(columns - panel * PANEL);
            let mut from = 0;
            loop {
                let to = long.min(from + DEPTH_PANELS);
                let last = to == long;
                // The short factors join the last block of the long ones.
                let mut block = Block {
                    factors,
                    long: (from, to),
                    short: if last { short } else { 0 },
                    bias,
                    out: &mut *out,
                    panel,
                    first: from == 0,
                    finish: last.then_some(finish),
                    tiles: 0,
                };
                // SAFETY: the factors fit the output; columns beyond the last are padding that `Panels` allocates.
                unsafe { cover::<V, _>(&mut block, rows, lanes) };
                if last {
                    break;
                }
                from = to;
            }
        }
    }
}

/// A stretch of the depth of one panel of a product.
struct Block<'a, S, F> {
    factors: [Option<Factors<'a, S>>; 2],
    /// Panels of the first pair of factors, and how many of the second.
    long: (usize, usize),
    short: usize,
    bias: Option<&'a [S]>,
    out: &'a mut Panels<S>,
    panel: usize,
    /// Whether sums begin here; if not, `out` holds what they are so far.
    first: bool,
    /// What becomes of them if they end here.
    finish: Option<F>,
    /// Tiles computed so far: each brings a part of the right factor's next block near.
    tiles: usize,
}

impl<S: Real, F: Finish<S>> Tiled<S> for Block<'_, S, F> {
    #[inline(always)]
    unsafe fn tile<V: Lanes<Scalar = S>, const R: usize, const N: usize>(&mut self, row: usize, lane: usize) {
        let offset = self.out.offset(self.panel, row) + lane;
        // SAFETY: the tile lies within the product, and the factors have been checked to fit it.
        unsafe {
            let to = self.out.data_mut().as_mut_ptr().add(offset);
            let mut tile: [[V; N]; R] = match (self.first, self.bias) {
                (false, _) => load_tile(to, PANEL),
                (true, Some(bias)) => load_tile(bias.as_ptr().add(self.panel * PANEL + lane), 0),
                (true, None) => [[V::constant(0.0); N]; R],
            };
            let long = (self.long.0..self.long.1).map(|k| (self.factors[0], k));
            let short = (0..self.short).map(|k| (self.factors[1], k));
            for (factors, k) in long.chain(short) {
                let Some((left, right)) = factors else { continue };
                let from = right.data().as_ptr().add(right.offset(self.panel, k * PANEL));
                let depth = PANEL.min(right.rows() - k * PANEL);
                // The next block follows this one in memory, also from panel to panel.
                let next = from.wrapping_add(DEPTH_PANELS * PANEL * PANEL);
                let stretch = Stretch {
                    left: left.data().as_ptr().add(left.offset(k, row)),
                    right: from.add(lane),
                    depth,
                    ahead: next.wrapping_add(self.tiles % LINES * depth * LANE_GROUP),
                };
                multiply(&mut tile, stretch, PANEL, 1);
            }
            self.tiles += 1;
            for (r, row) in tile.iter().enumerate() {
                for (n, sum) in row.iter().enumerate() {
                    let at = r * PANEL + n * V::COUNT;
                    match self.finish {
                        Some(finish) => finish.apply(*sum, offset + at).store(to.add(at)),
                        None => sum.store(to.add(at)),
                    }
                }
            }
        }
    }
}

/// `out (+)= sum over steps of left' * right`: the gradient of a weight from a stretch of time. `out` lies as in
/// [`super::layout::Layout`], a row for each column of `left`, as wide as the padded columns of `right`.
pub(crate) struct Outer<'a, S> {
    pub(crate) left: &'a [Panels<S>],
    pub(crate) right: &'a [Panels<S>],
    pub(crate) out: &'a mut [S],
    /// Add to `out` instead of replacing it.
    pub(crate) add: bool,
}

impl<S: Real> Kernel<S> for Outer<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = S>>(self) {
        let Self { left, right, out, add } = self;
        let (Some(first_left), Some(first_right)) = (left.first(), right.first()) else { return };
        let (height, width) = (first_left.columns(), padded(first_right.columns()));
        assert_eq!(left.len(), right.len(), "the factors differ in steps");
        assert_eq!(out.len(), height * width, "the output has another size");
        for (left, right) in left.iter().zip(right) {
            assert_eq!(left.rows(), right.rows(), "the factors differ in rows");
            assert_eq!((left.columns(), padded(right.columns())), (height, width), "a step differs in size");
        }
        let steps_at_once = (DEPTH_ROWS / first_left.rows().max(1)).max(1);
        for (right_panel, out) in out.chunks_mut(height * PANEL).enumerate() {
            let lanes = panel_width(width, right_panel);
            for (left_panel, out) in out.chunks_mut(PANEL * lanes).enumerate() {
                let rows = PANEL.min(height - left_panel * PANEL);
                let blocks = left.chunks(steps_at_once).zip(right.chunks(steps_at_once));
                for (k, (left, right)) in blocks.enumerate() {
                    let panels = (left_panel, right_panel);
                    let add = add || k > 0;
                    let mut block = OuterBlock { left, right, out: &mut *out, lanes, panels, add, tiles: 0 };
                    // SAFETY: all sizes have been checked.
                    unsafe { cover::<V, _>(&mut block, rows, lanes) };
                }
            }
        }
    }
}

struct OuterBlock<'a, S> {
    left: &'a [Panels<S>],
    right: &'a [Panels<S>],
    /// The rows that belong to the left panel, each `lanes` long.
    out: &'a mut [S],
    lanes: usize,
    panels: (usize, usize),
    add: bool,
    /// Tiles computed so far: each brings a part of the next left panel near.
    tiles: usize,
}

impl<S: Real> Tiled<S> for OuterBlock<'_, S> {
    #[inline(always)]
    unsafe fn tile<V: Lanes<Scalar = S>, const R: usize, const N: usize>(&mut self, row: usize, lane: usize) {
        let (left_panel, right_panel) = self.panels;
        // SAFETY: the tile lies within the panels, whose sizes have been checked.
        unsafe {
            let to = self.out.as_mut_ptr().add(row * self.lanes + lane);
            let mut tile: [[V; N]; R] = if self.add { load_tile(to, self.lanes) } else { [[V::constant(0.0); N]; R] };
            for (left, right) in self.left.iter().zip(self.right) {
                let depth = left.rows();
                let from = left.data().as_ptr().add(left.offset(left_panel, 0));
                let next = from.wrapping_add(depth * PANEL);
                let stretch = Stretch {
                    left: from.add(row),
                    right: right.data().as_ptr().add(right.offset(right_panel, 0) + lane),
                    depth,
                    ahead: next.wrapping_add(self.tiles % LINES * depth * LANE_GROUP),
                };
                multiply(&mut tile, stretch, 1, PANEL);
            }
            self.tiles += 1;
            for (r, row) in tile.iter().enumerate() {
                for (n, sum) in row.iter().enumerate() {
                    sum.store(to.add(r * self.lanes + n * V::COUNT));
                }
            }
        }
    }
}
