//! The products of training, over matrices in [`Panels`].

use super::isa::Kernel;
use super::lanes::{Lanes, Real};
use super::layout::panel_width;
use super::panels::{LANE_GROUP, PANEL, Panels, padded};
use super::tile::{Stretch, Tiled, cover, load_tile, multiply};

/// Panels of the left factor multiplied before the next tile: this much of the right factor stays in the first-level cache.
const DEPTH_PANELS: usize = 2;

/// The same in rows of a right factor.
const DEPTH_ROWS: usize = DEPTH_PANELS * PANEL;
/// Rows that may join a block beyond that: those of an input or an output, for which a block of their own is too short.
const SHORT: usize = PANEL / 2;
/// Lines of memory in a row of a panel: as many tiles, fetching a line a row, bring in all of what comes next.
const LINES: usize = PANEL / LANE_GROUP;

/// A left and a right factor.
pub(crate) type Factors<'a, S> = (&'a Panels<S>, &'a Panels<S>);

/// Most products in one sum: of four gates of a layer, and of four gates of the layer above it.
const MOST_TERMS: usize = 8;
/// Most pieces of the depth in one block: whole panels, and the rest of each term.
const MOST_PIECES: usize = MOST_TERMS + DEPTH_PANELS;

/// The products that make up a sum, in their order.
#[derive(Clone, Copy)]
pub(crate) struct Terms<'a, S> {
    terms: [Option<Factors<'a, S>>; MOST_TERMS],
}

impl<'a, S: Real> Terms<'a, S> {
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Self { terms: [None; MOST_TERMS] }
    }

    #[inline(always)]
    pub(crate) fn of(terms: impl IntoIterator<Item = Factors<'a, S>>) -> Self {
        Self::none().and(terms)
    }

    /// The same sum with more products at its end.
    #[inline(always)]
    pub(crate) fn and(mut self, terms: impl IntoIterator<Item = Factors<'a, S>>) -> Self {
        for term in terms {
            let free = self.terms.iter_mut().find(|place| place.is_none());
            assert!(free.is_some(), "a sum of too many products");
            free.into_iter().for_each(|place| *place = Some(term));
        }
        self
    }

    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = Factors<'a, S>> {
        self.terms.iter().flatten().copied()
    }
}

/// Panel `k` of a left factor and the rows of the right factor that it meets.
#[derive(Clone, Copy)]
struct Piece<'a, S> {
    left: &'a Panels<S>,
    right: &'a Panels<S>,
    k: u32,
    depth: u32,
}

/// Where in the output a sum belongs.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// In the data of the output, and of every panel of its shape.
    pub(crate) offset: usize,
    pub(crate) column: usize,
}

/// What becomes of a sum before it is stored. It may read and write other panels of the output's shape on the way.
pub(crate) trait Finish<S> {
    /// Whether it needs so many registers that it is better applied to a whole panel of stored sums than to a tile.
    const LARGE: bool = false;

    /// Whether all that it reads and writes is as large as the output.
    fn fits(&self, out: &Panels<S>) -> bool;

    /// # Safety
    /// [`Finish::fits`] must have agreed to the output in which `at` lies, with a whole register behind it.
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, sum: V, at: Place) -> V;
}

/// The register at a place of other panels of the output's shape.
///
/// # Safety
/// The register must lie within the data.
#[inline(always)]
pub(crate) unsafe fn load<V: Lanes>(from: &[V::Scalar], at: Place) -> V {
    debug_assert!(at.offset + V::COUNT <= from.len());
    // SAFETY: by the caller's word.
    unsafe { V::load(from.as_ptr().add(at.offset)) }
}

/// The register at a place of a vector with a number for each column.
///
/// # Safety
/// The register must lie within the vector.
#[inline(always)]
pub(crate) unsafe fn load_column<V: Lanes>(from: &[V::Scalar], at: Place) -> V {
    debug_assert!(at.column + V::COUNT <= from.len());
    // SAFETY: by the caller's word.
    unsafe { V::load(from.as_ptr().add(at.column)) }
}

/// Stores a register at a place of other panels of the output's shape.
///
/// # Safety
/// The register must lie within the data.
#[inline(always)]
pub(crate) unsafe fn store<V: Lanes>(to: &mut [V::Scalar], at: Place, lanes: V) {
    debug_assert!(at.offset + V::COUNT <= to.len());
    // SAFETY: by the caller's word.
    unsafe { lanes.store(to.as_mut_ptr().add(at.offset)) }
}

/// `out = finish(bias + sum over terms of left * right)`. Every element is one sum, in the order of the terms and of
/// their columns.
pub(crate) struct Product<'a, S, F> {
    pub(crate) terms: &'a Terms<'a, S>,
    /// One number a column, padded; zero when absent.
    pub(crate) bias: Option<&'a [S]>,
    pub(crate) out: &'a mut Panels<S>,
    pub(crate) finish: F,
}

impl<S: Real, F: Finish<S>> Kernel<S> for Product<'_, S, F> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = S>>(self) {
        let Self { terms, bias, out, mut finish } = self;
        for (left, right) in terms.iter() {
            assert_eq!(left.rows(), out.rows(), "a left factor and the output differ in rows");
            assert_eq!(left.columns(), right.rows(), "the factors do not chain");
            assert_eq!(right.columns(), out.columns(), "the right factor and the output differ in width");
        }
        assert!(finish.fits(out), "what the finish reads or writes does not fit the output");
        let (rows, columns) = (out.rows(), padded(out.columns()));
        assert!(bias.is_none_or(|bias| bias.len() >= columns), "the bias is not padded");
        for panel in 0..columns.div_ceil(PANEL) {
            let lanes = PANEL.min(columns - panel * PANEL);
            let mut cut = Cut::default();
            let pieces = [None; MOST_PIECES];
            let mut block = Block { pieces, bias, out, panel, first: true, last: false, finish: &mut finish, tiles: 0 };
            while !block.last {
                cut.next_block(terms, &mut block.pieces);
                block.last = cut.next_piece(terms).is_none();
                // SAFETY: the factors fit the output; columns beyond the last are padding that `Panels` allocates.
                unsafe { cover::<V, _>(&mut block, rows, lanes) };
                (block.first, block.tiles) = (false, 0);
            }
            if F::LARGE {
                finish_panel::<V, _>(&mut finish, out, panel, lanes);
            }
        }
    }
}

/// Finishes the sums of a panel.
#[inline(always)]
fn finish_panel<V: Lanes, F: Finish<V::Scalar>>(
    finish: &mut F,
    out: &mut Panels<V::Scalar>,
    panel: usize,
    lanes: usize,
) {
    for row in 0..out.rows() {
        let offset = out.offset(panel, row);
        for lane in (0..lanes).step_by(V::COUNT) {
            let at = Place { offset: offset + lane, column: panel * PANEL + lane };
            // SAFETY: the place lies within the output, and the finish has agreed to it.
            unsafe {
                let to = out.data_mut().as_mut_ptr().add(at.offset);
                finish.apply(V::load(to), at).store(to);
            }
        }
    }
}

/// How far the depth of a product has been cut into blocks.
#[derive(Default)]
struct Cut {
    term: usize,
    panel: usize,
}

impl Cut {
    /// The pieces that are multiplied before the next tile: of the right factors, no more than stays in the first-level
    /// cache.
    fn next_block<'a, S: Real>(&mut self, terms: &Terms<'a, S>, block: &mut [Option<Piece<'a, S>>]) {
        let mut depth = 0;
        for place in block {
            let fits = |piece: &Piece<'a, S>| depth == 0 || depth + piece.depth as usize <= DEPTH_ROWS + SHORT;
            *place = self.next_piece(terms).filter(fits);
            let Some(piece) = place else { break };
            depth += piece.depth as usize;
            self.panel += 1;
        }
    }

    /// The piece that begins where the last one ended.
    fn next_piece<'a, S: Real>(&mut self, terms: &Terms<'a, S>) -> Option<Piece<'a, S>> {
        let (left, right) = terms.terms.get(self.term).copied().flatten()?;
        let above = self.panel * PANEL;
        if above < right.rows() {
            let depth = PANEL.min(right.rows() - above);
            return Some(Piece { left, right, k: self.panel as u32, depth: depth as u32 });
        }
        (self.term, self.panel) = (self.term + 1, 0);
        self.next_piece(terms)
    }
}

/// A stretch of the depth of one panel of a product.
struct Block<'a, 'b, S, F> {
    pieces: [Option<Piece<'a, S>>; MOST_PIECES],
    bias: Option<&'a [S]>,
    out: &'b mut Panels<S>,
    panel: usize,
    /// Whether sums begin here; if not, `out` holds what they are so far.
    first: bool,
    /// Whether they end here.
    last: bool,
    finish: &'b mut F,
    /// Tiles computed so far: each brings a part of the right factor's next block near.
    tiles: usize,
}

impl<S: Real, F: Finish<S>> Tiled<S> for Block<'_, '_, S, F> {
    #[inline(always)]
    unsafe fn tile<V: Lanes<Scalar = S>, const R: usize, const N: usize>(&mut self, row: usize, lane: usize) {
        let (offset, column) = (self.out.offset(self.panel, row) + lane, self.panel * PANEL + lane);
        // SAFETY: the tile lies within the product, and factors and finish have been checked to fit it.
        unsafe {
            let to = self.out.data_mut().as_mut_ptr().add(offset);
            let mut tile: [[V; N]; R] = match (self.first, self.bias) {
                (false, _) => load_tile(to, PANEL),
                (true, Some(bias)) => load_tile(bias.as_ptr().add(column), 0),
                (true, None) => [[V::constant(0.0); N]; R],
            };
            for piece in &self.pieces {
                let Some(Piece { left, right, k, depth }) = *piece else { break };
                let (k, depth) = (k as usize, depth as usize);
                let from = right.data().as_ptr().add(right.offset(self.panel, k * PANEL));
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
                    if self.last && !F::LARGE {
                        let place = Place { offset: offset + at, column: column + n * V::COUNT };
                        self.finish.apply(*sum, place).store(to.add(at));
                    } else {
                        sum.store(to.add(at));
                    }
                }
            }
        }
    }
}

/// `out (+)= sum over steps of left' * right`: the gradient of a weight from a stretch of time. `out` lies as in
/// [`super::layout::MatrixPlace`], a row for each column of `left`, as wide as the padded columns of `right`.
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
