//! How the kernel for gated cells and wide layers lays out its memory: the sizes of `kernels/streamed/layout.cu`.

use super::shape::{FunctionKind, Gated, Shape};

/// Shared memory of a multiprocessor, and what the system takes of it for each block.
const MULTIPROCESSOR_BYTES: usize = 228 * 1024;
const SYSTEM_BYTES: usize = 1024;

/// Room for struct Shared, and for what the kernel has beside its dynamic memory.
const RECORD_BYTES: usize = 2048;
const STATIC_BYTES: usize = 1024;

/// The fewest slots of a ring of weights.
const FEWEST_SLOTS: usize = 2;

/// The most units of an Elman layer and of a gated one.
const MOST_UNITS: usize = 512;
const MOST_GATED_UNITS: usize = 256;

/// A fragment of 16 x 16 numbers as pairs.
const FRAGMENT_BYTES: usize = 1024;

/// The layout for one shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Streamed {
    cell: Gated,
    /// Hidden units, padded.
    units: usize,
    /// Tiles of 16 units that two warps own.
    tiles: usize,
    /// Shared memory for tiles and weights.
    memory_bytes: usize,
    /// Gates whose deltas are in shared memory at once: all, or two that take turns.
    gates_in_tile: usize,
    /// Blocks on a multiprocessor.
    blocks: usize,
}

impl Streamed {
    /// The layout for a shape on a device whose blocks have so much shared memory, where there is one.
    pub(super) fn of(shape: Shape, shared_bytes: usize) -> Option<Self> {
        let Shape { cell, hidden, .. } = shape;
        let most = if cell == Gated::Elman { MOST_UNITS } else { MOST_GATED_UNITS };
        let units = [64, 128, 192, 256, 384, 512].into_iter().find(|units| hidden <= *units && *units <= most)?;
        let blocks = if units == 64 { 2 } else { 1 };
        let room = shared_bytes.min(MULTIPROCESSOR_BYTES / blocks - SYSTEM_BYTES);
        let memory_bytes = room.checked_sub(STATIC_BYTES + RECORD_BYTES)? / 1024 * 1024;
        let tiles = units.div_ceil(128);
        let layout = Self { cell, units, tiles, memory_bytes, gates_in_tile: cell.gates(), blocks };
        // Deltas of all gates at once, or of two that take turns; a forward pass needs no more than the latter.
        [cell.gates(), 2]
            .map(|gates_in_tile| Self { gates_in_tile, ..layout })
            .into_iter()
            .find(|layout| layout.gates_in_tile * layout.state_bytes() + layout.ring_bytes() <= memory_bytes)
    }

    /// Pairs of warps, each with a half of the batch.
    fn pairs(&self) -> usize {
        self.units / 16 / self.tiles
    }

    pub(super) fn threads(&self) -> usize {
        self.pairs() * 64
    }

    /// The states of a time step as pairs.
    fn state_bytes(&self) -> usize {
        self.units * 64 * 4
    }

    /// The smallest ring of weights.
    fn ring_bytes(&self) -> usize {
        let row_tiles = if self.cell == Gated::Elman { self.tiles } else { self.cell.gates() };
        FEWEST_SLOTS * self.pairs() * row_tiles * FRAGMENT_BYTES
    }

    /// Dynamic shared memory of a block.
    pub(super) fn shared_bytes(&self) -> usize {
        self.memory_bytes + RECORD_BYTES
    }

    /// Global memory of a block for the longest batch: struct Scratch, every part counted for all time steps.
    pub(super) fn scratch_bytes(&self, shape: Shape, bit_words: usize, steps: usize) -> usize {
        let (gates, unit_tiles) = (self.cell.gates(), self.units / 16);
        let matrix = gates * unit_tiles * unit_tiles * FRAGMENT_BYTES;
        let small = (gates + 2) * unit_tiles * FRAGMENT_BYTES;
        let kept = self.cell.kept() * self.units * 64 * 4;
        let time_step = (1 + gates + usize::from(self.cell == Gated::Gru)) * self.state_bytes() + kept + 2 * 8 * 512;
        // Each of the 13 parts begins at a multiple of 256.
        2 * matrix + small + shape.parameter_stride() * 4 + 64 * bit_words * 4 + (steps + 1) * time_step + 13 * 256
    }

    /// What the kernel is compiled with.
    pub(super) fn options(&self, shape: Shape, fast: bool) -> Vec<String> {
        let Self { units, tiles, memory_bytes, gates_in_tile, blocks, .. } = *self;
        let (delta_terms, gradient_terms) = if fast { (2, 1) } else { (3, 3) };
        [
            ("WARPGROUP", 0),
            ("CELL", self.cell as usize),
            ("BIAS", usize::from(shape.bias)),
            ("FUNCTION", shape.function as usize),
            ("UNITS", units),
            ("TILES", tiles),
            ("MEMORY_BYTES", memory_bytes),
            ("RECORD_BYTES", RECORD_BYTES),
            ("GATES_IN_TILE", gates_in_tile),
            ("BLOCKS", blocks),
            ("DELTA_TERMS", delta_terms),
            ("GRADIENT_TERMS", gradient_terms),
        ]
        .map(|(name, value)| format!("-D{name}={value}"))
        .to_vec()
    }

    /// Whether targets follow the inputs as bits.
    pub(super) fn keeps_targets(shape: Shape) -> bool {
        shape.function == FunctionKind::Tables
    }
}
