//! The recurrent weights, gate by gate and layer by layer, beside the circuit. A state-space layer has no weights between
//! states but its eigenvalues.

use super::drawing::{Area, Drawing};
use super::matrix::{Side, draw_matrix, draw_scale};
use super::run::Run;
use super::spectrum::draw_modes;
use super::{NARROW, Picture, WIDE, draw_circuit};
use crate::interpret::Interpretation;
use crate::network::{Cell, CellKind, Network, Ssm};
use crate::numeric::Matrix;
use crate::report::layers::gates;
use crate::report::{ReportError, data};
use crate::spectrum::Eigenvalue;
use faer::MatRef;

/// The side of a picture of a column's width.
const SIDE: f64 = NARROW - 32.0;
/// Room between pictures for the numbers and names of their axes.
const GAP: f64 = 30.0;
const LEFT: f64 = 28.0;
const TOP: f64 = 24.0;
/// The largest side of a gate where every layer has a row of its own.
const LARGEST_GATE: f64 = 110.0;

pub(super) fn weights(network: &Network, found: &Interpretation, run: &Run) -> Result<Picture, ReportError> {
    let learned = data::circuit_blocks(found)?;
    let theory = found.spectrum.origin.as_ref().map_or(&[][..], |spectrum| &spectrum.theory);
    let limit = strongest(network.layers.iter().filter_map(Cell::recurrent_weights).map(Matrix::as_ref));
    let stacked = network.layers.len() > 1;
    let grid = if stacked { Grid::of_layers(network) } else { Grid::of_one(&network.layers[0]) };
    let circuit = match stacked {
        true => Area::new(LEFT, grid.bottom() + TOP + 22.0, SIDE, SIDE),
        false => Area::new(WIDE - NARROW + LEFT, TOP, SIDE, SIDE),
    };
    let height = if stacked && learned.is_some() { circuit.bottom() } else { grid.bottom() } + GAP;
    let mut drawing = Drawing::new(if stacked || learned.is_some() { WIDE } else { NARROW }, height);
    for (row, cell) in network.layers.iter().enumerate() {
        let of = if stacked { format!(", layer {}", row + 1) } else { String::new() };
        match cell {
            Cell::Ssm(cell) => modes(&mut drawing, grid.place(row, 0), cell, theory),
            cell => draw_gates(&mut drawing, &grid, row, cell, limit, &of),
        }
    }
    if network.layers.iter().any(|cell| cell.kind() != CellKind::Ssm) {
        draw_scale(&mut drawing, grid.whole(), limit);
    }
    if let Some(blocks) = &learned {
        draw_circuit(&mut drawing, circuit, blocks, run);
    }
    let caption = caption(network, learned.is_some());
    Ok(Picture { name: "figure4-weights", caption, drawing })
}

/// Where the pictures of the gates lie.
struct Grid {
    columns: usize,
    rows: usize,
    side: f64,
}

impl Grid {
    /// One layer: in the square that a single matrix would fill.
    fn of_one(cell: &Cell) -> Self {
        match gates(cell).len() {
            0 => Self { columns: 1, rows: 1, side: SIDE },
            _ => Self { columns: 2, rows: 2, side: (SIDE - GAP) / 2.0 },
        }
    }

    /// Several: a row each.
    fn of_layers(network: &Network) -> Self {
        let columns = network.layers.iter().map(|cell| gates(cell).len()).max().unwrap_or(1).max(1);
        let room = (WIDE - LEFT - 4.0 - (columns - 1) as f64 * GAP) / columns as f64;
        Self { columns, rows: network.layers.len(), side: room.min(LARGEST_GATE) }
    }

    fn place(&self, row: usize, column: usize) -> Area {
        let at = |k: usize| k as f64 * (self.side + GAP);
        Area::new(LEFT + at(column), TOP + at(row), self.side, self.side)
    }

    fn whole(&self) -> Area {
        let last = self.place(self.rows - 1, self.columns - 1);
        Area::new(LEFT, TOP, last.right() - LEFT, last.bottom() - TOP)
    }

    fn bottom(&self) -> f64 {
        self.whole().bottom()
    }
}

/// The gates of one layer: a row of their own, or over all rows of a grid that is theirs.
fn draw_gates(drawing: &mut Drawing, grid: &Grid, row: usize, cell: &Cell, limit: f64, of: &str) {
    let (Some(weights), units) = (cell.recurrent_weights(), cell.units()) else { return };
    let axis = |name: String| Side { name, ..Side::counted("", units, (units / 4).max(1)) };
    let single = vec![("from unit".to_string(), 0)];
    let names = gates(cell).iter().enumerate();
    let named: Vec<(String, usize)> =
        names.map(|(k, gate)| (format!("{} ({}), from unit", gate.letter, gate.role), k)).collect();
    for (name, k) in if named.is_empty() { single } else { named } {
        let (down, across) = (row + k / grid.columns, k % grid.columns);
        let to = if across == 0 { format!("to unit{of}") } else { String::new() };
        let block = weights.subrows(k * units, units).to_owned();
        draw_matrix(drawing, grid.place(down, across), &block, limit, &axis(name), &axis(to));
    }
}

fn modes(drawing: &mut Drawing, area: Area, cell: &Ssm, theory: &[Eigenvalue]) {
    let modes: Vec<Eigenvalue> = cell.eigenvalues().iter().map(|z| [z.re, z.im]).collect();
    draw_modes(drawing, area, &modes, theory, cell.imaginary.is_some());
}

/// What is shown, true of the cells that there are.
fn caption(network: &Network, learned: bool) -> String {
    let stacked = network.layers.len() > 1;
    let has = |kind: CellKind| network.layers.iter().any(|cell| cell.kind() == kind);
    let gated = has(CellKind::Gru) || has(CellKind::Lstm);
    let weights = match (network.kind(), has(CellKind::Ssm)) {
        (Some(CellKind::Ssm), _) => "The eigenvalues of the modes, which are all the recurrent weights there are",
        (_, true) => "The recurrent weights between units, and the eigenvalues of modes",
        _ if gated => "The recurrent weights between units, gate by gate",
        _ => "The recurrent weights between units",
    };
    let each = if stacked { ", a row for each layer" } else { "" };
    match (learned, stacked, network.as_elman().is_some()) {
        (false, ..) => format!("{weights}{each}."),
        (true, false, true) => format!("{weights} (left) and between the memories of the code (right)."),
        (true, false, false) => {
            format!("{weights} (left), and a step of the network between the memories of the code (right).")
        }
        (true, true, _) => {
            format!("{weights}{each}, and a step of the network between the memories of the code (below).")
        }
    }
}

/// The size that all but one in 200 entries stay below.
pub(super) fn strongest<'a>(matrices: impl IntoIterator<Item = MatRef<'a, f64>>) -> f64 {
    let mut sizes: Vec<f64> = vec![];
    for matrix in matrices {
        (0..matrix.ncols()).for_each(|j| sizes.extend(matrix.col(j).iter().map(|x| x.abs())));
    }
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() * 199 / 200).copied().filter(|&x| x > 0.0).unwrap_or(1.0)
}
