//! The recurrent weights, gate by gate and layer by layer, beside the circuit. A state-space layer has no weights between
//! states but its eigenvalues.

use super::drawing::{Anchor, Area, Drawing, INK};
use super::matrix::{Side, draw_matrix, draw_scale};
use super::run::Run;
use super::spectrum::draw_modes;
use super::{NARROW, Picture, WIDE, draw_circuit};
use crate::interpret::Interpretation;
use crate::network::{Cell, CellKind, Family, Network, Ssm};
use crate::numeric::Matrix;
use crate::report::layers::gates;
use crate::report::{ReportError, data};
use crate::spectrum::Eigenvalue;

/// The side of a picture of a column's width.
const SIDE: f64 = NARROW - 32.0;
/// Room between pictures for the numbers and names of their axes.
const GAP: f64 = 30.0;
const LEFT: f64 = 28.0;
const TOP: f64 = 24.0;
/// Room between layers, which holds the scale of the upper one too.
const LAYER_GAP: f64 = 46.0;
/// The largest side of a picture where every layer has a row: of several gates, and of one.
const LARGEST_GATE: f64 = 110.0;
const LARGEST_LAYER: f64 = 160.0;

pub(super) fn weights(network: &Network, found: &Interpretation, run: &Run) -> Result<Picture, ReportError> {
    let learned = data::circuit_blocks(found)?;
    let grid = Grid::of(network);
    let (width, height) = match (&learned, grid.beside()) {
        (None, _) => (if grid.columns > 2 { WIDE } else { NARROW }, grid.bottom()),
        (Some(_), true) => (WIDE, grid.bottom().max(TOP + SIDE)),
        (Some(_), false) => (WIDE, grid.bottom() + LAYER_GAP + SIDE),
    };
    let mut drawing = Drawing::new(width, height + GAP);
    for (layer, cell) in network.layers.iter().enumerate() {
        match cell {
            Cell::Ssm(cell) => draw_layer_of_modes(&mut drawing, &grid, layer, cell, found),
            cell => draw_gates(&mut drawing, &grid, layer, cell),
        }
    }
    if let Some(blocks) = &learned {
        let circuit = match grid.beside() {
            true => Area::new(WIDE - NARROW + LEFT, TOP, SIDE, SIDE),
            false => Area::new((WIDE - SIDE) / 2.0, grid.bottom() + LAYER_GAP, SIDE, SIDE),
        };
        draw_circuit(&mut drawing, circuit, blocks, run);
    }
    let caption = caption(network, learned.is_some().then_some(grid.beside()));
    Ok(Picture { name: "figure4-weights", caption, drawing })
}

/// Where the pictures of the gates lie.
struct Grid {
    layers: usize,
    columns: usize,
    /// Rows that one layer takes.
    rows: usize,
    side: f64,
}

impl Grid {
    /// One layer fills the square that a single matrix would fill; of several, each has a row.
    fn of(network: &Network) -> Self {
        let layers = network.layers.len();
        let gates = network.layers.iter().map(|cell| gates(cell).len()).max().unwrap_or(0).max(1);
        let room = (WIDE - LEFT - 4.0 - (gates - 1) as f64 * GAP) / gates as f64;
        match (layers, gates) {
            (1, 1) => Self { layers, columns: 1, rows: 1, side: SIDE },
            (1, _) => Self { layers, columns: 2, rows: gates.div_ceil(2), side: (SIDE - GAP) / 2.0 },
            (_, 1) => Self { layers, columns: 1, rows: 1, side: LARGEST_LAYER },
            _ => Self { layers, columns: gates, rows: 1, side: room.min(LARGEST_GATE) },
        }
    }

    /// Whether there is room for the circuit beside the weights.
    fn beside(&self) -> bool {
        self.columns <= 2
    }

    fn place(&self, layer: usize, gate: usize) -> Area {
        let (row, column) = (gate / self.columns, gate % self.columns);
        let layer = layer as f64 * (self.height() + LAYER_GAP);
        let at = |k: usize| k as f64 * (self.side + GAP);
        Area::new(LEFT + at(column), TOP + layer + at(row), self.side, self.side)
    }

    /// The whole of a layer.
    fn layer(&self, layer: usize, columns: usize) -> Area {
        let first = self.place(layer, 0);
        Area { width: self.place(layer, columns - 1).right() - first.x, height: self.height(), ..first }
    }

    fn height(&self) -> f64 {
        self.rows as f64 * (self.side + GAP) - GAP
    }

    fn bottom(&self) -> f64 {
        self.layer(self.layers - 1, 1).bottom()
    }
}

/// The gates of one layer over a scale of their own.
fn draw_gates(drawing: &mut Drawing, grid: &Grid, layer: usize, cell: &Cell) {
    let (Some(weights), units) = (cell.recurrent_weights(), cell.units()) else { return };
    let limit = strongest(weights);
    let axis = |name: String| Side { name, ..Side::counted("", units, (units / 4).max(1)) };
    let names: Vec<String> = match gates(cell) {
        [] => vec!["from unit".into()],
        gates => gates.iter().map(|gate| format!("{} ({}), from unit", gate.letter, gate.role)).collect(),
    };
    let of = if grid.layers > 1 { format!("to unit, layer {}", layer + 1) } else { "to unit".into() };
    let columns = names.len().min(grid.columns);
    for (k, name) in names.into_iter().enumerate() {
        let to = if k % grid.columns == 0 { of.clone() } else { String::new() };
        let block = weights.subrows(k * units, units).to_owned();
        draw_matrix(drawing, grid.place(layer, k), &block, limit, &axis(name), &axis(to));
    }
    draw_scale(drawing, grid.layer(layer, columns), limit);
}

/// The eigenvalues of one layer; what the theory asks for is asked of the network, and shown where that is one layer.
fn draw_layer_of_modes(drawing: &mut Drawing, grid: &Grid, layer: usize, cell: &Ssm, found: &Interpretation) {
    let modes: Vec<Eigenvalue> = cell.eigenvalues().iter().map(|z| [z.re, z.im]).collect();
    let theory = found.spectrum.origin.as_ref().filter(|_| grid.layers == 1);
    let theory = theory.map_or(&[][..], |spectrum| &spectrum.theory);
    let area = grid.place(layer, 0);
    draw_modes(drawing, area, &modes, theory, cell.imaginary.is_some());
    if grid.layers > 1 {
        let name = format!("eigenvalues, layer {}", layer + 1);
        drawing.text((area.x + area.width / 2.0, area.y - 7.0), 7.5, Anchor::Middle, INK, &name);
    }
}

/// What is shown, true of the cells that there are; the circuit lies beside the weights or below them.
fn caption(network: &Network, circuit_beside: Option<bool>) -> String {
    let has = |family: Family| network.layers.iter().any(|cell| cell.kind().family() == family);
    let gated = has(Family::Gated);
    let weights = match (network.kind(), has(Family::Modes)) {
        (Some(CellKind::Ssm), _) => "The eigenvalues of the modes, which are all the recurrent weights there are",
        (_, true) => "The recurrent weights between units, and the eigenvalues of modes",
        _ if gated => "The recurrent weights between units, gate by gate",
        _ => "The recurrent weights between units",
    };
    let each = if network.layers.len() > 1 { ", a row for each layer" } else { "" };
    let circuit = match (circuit_beside, network.as_elman()) {
        (None, _) => "",
        (Some(_), Some(_)) => " (left) and between the memories of the code (right)",
        (Some(true), None) => " (left), and a step of the network between the memories of the code (right)",
        (Some(false), None) => ", and a step of the network between the memories of the code (below)",
    };
    let remainder =
        if circuit_beside.is_some() { " ⊥ is the remainder: directions beside the memories." } else { "" };
    format!("{weights}{each}{circuit}.{remainder}")
}

/// The size that all but one in 200 entries stay below.
pub(super) fn strongest(matrix: &Matrix) -> f64 {
    let mut sizes: Vec<f64> =
        (0..matrix.ncols()).flat_map(|j| matrix.col(j).iter().map(|x| x.abs()).collect::<Vec<_>>()).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() * 199 / 200).copied().filter(|&x| x > 0.0).unwrap_or(1.0)
}
