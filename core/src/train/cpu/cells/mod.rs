//! How each kind of cell is trained. Time loop, loss, readout and optimizer are shared; a cell brings what is its own.
//! To add one: its file here, its lines in [`kernel`] and in [`LayerSizes`].

mod elman;
mod gates;
mod gru;
mod leaky;
mod lstm;
mod ssm;
mod tape;

pub(crate) use tape::{DELTA_STEPS, Step, Tape, TapeShape, TimeBlock};

use super::isa::Dispatch;
use super::layout::Room;
use super::panels::Panels;
use super::product::Terms;
use crate::network::{Cell, CellKind, Family};

/// A layer being trained: where its parameters lie in the flat vector, its weights in the order in which the kernels read
/// them, and its steps through time.
pub(crate) trait CellKernel<S>: Send + Sync {
    /// Takes room for the biases. They come after all matrices of all layers: the order decides how the norm of the
    /// gradient is summed, and with it the last bits of every weight.
    fn place_biases(&mut self, room: &mut Room);

    /// Writes the parameters of a cell of its kind into the flat vector.
    fn write(&self, cell: &Cell, flat: &mut [S]);

    /// The cell that the flat vector holds.
    fn read(&self, flat: &[S]) -> Cell;

    /// Takes over the parameters of the flat vector.
    fn pack(&mut self, flat: &[S]);

    /// One step forward; without input where there is none.
    fn forward(&self, step: Step, input: Option<&Panels<S>>, tape: &mut Tape<S>);

    /// One step back: the deltas of this time step. `above` is the part of the derivative by h that comes from what reads h
    /// at this time step, none where nothing does.
    fn backward(&self, step: Step, above: Terms<'_, S>, tape: &mut Tape<S>);

    /// The derivative by the inputs of a time step whose deltas are known, for the layer below.
    fn below<'a>(&'a self, step: Step, tape: &'a Tape<S>) -> Terms<'a, S>;

    /// The gradient of a block of time.
    fn accumulate(&self, block: &TimeBlock<'_, S>, tape: &Tape<S>, gradient: &mut [S]);

    /// Multiply-adds for one sample, forward and back, that cannot be left out.
    fn multiply_adds(&self, counts: StepCounts) -> usize;
}

/// How many time steps there are, how many of them, from the beginning, have input, and at how many, to the end, the units
/// are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepCounts {
    pub(crate) all: usize,
    pub(crate) with_input: usize,
    pub(crate) read: usize,
}

/// The kernel for a cell; `place` is zero for the layer that sees the inputs.
pub(crate) fn kernel<S: Dispatch>(cell: &Cell, biased: bool, place: usize, room: &mut Room) -> Box<dyn CellKernel<S>> {
    match cell {
        Cell::Elman(cell) => Box::new(elman::ElmanKernel::new(cell, biased, place, room)),
        Cell::Gru(cell) => Box::new(gru::GruKernel::new(cell, biased, place, room)),
        Cell::Lstm(cell) => Box::new(lstm::LstmKernel::new(cell, biased, place, room)),
        Cell::Leaky(cell) => Box::new(leaky::LeakyKernel::new(cell, biased, place, room)),
        Cell::Ssm(cell) => Box::new(ssm::SsmKernel::new(cell, place, room)),
    }
}

/// The sizes of a layer, from which follows what its training takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerSizes {
    kind: CellKind,
    inputs: usize,
    units: usize,
    /// Real and imaginary modes of a state-space layer.
    modes: [usize; 2],
}

impl LayerSizes {
    /// Of a layer with random weights.
    pub(crate) fn random(kind: CellKind, inputs: usize, units: usize) -> Self {
        let modes = if kind.family() == Family::Modes { units } else { 0 };
        Self { kind, inputs, units, modes: [modes; 2] }
    }

    /// Of a given layer.
    pub(crate) fn of(cell: &Cell) -> Self {
        let modes = match cell {
            Cell::Ssm(cell) => [cell.modes(), cell.imaginary.as_ref().map_or(0, |part| part.eigenvalues.len())],
            _ => [0; 2],
        };
        Self { kind: cell.kind(), inputs: cell.inputs(), units: cell.units(), modes }
    }

    /// Numbers in its weights, biases and skips included; in floating point, where nothing overflows.
    pub(crate) fn weights(&self) -> f64 {
        let [inputs, units, real, imaginary] =
            [self.inputs, self.units, self.modes[0], self.modes[1]].map(|count| count as f64);
        let leak = if self.kind == CellKind::Leaky { units } else { 0.0 };
        let gate = units * (units + inputs + 2.0) + leak;
        match self.kind.family() {
            Family::Modes => (real + imaginary) * (inputs + units + 1.0) + inputs * units,
            Family::Plain | Family::Gated => self.kind.about().gates.len().max(1) as f64 * gate,
        }
    }

    pub(crate) fn tape_shape(&self) -> TapeShape {
        match self.kind {
            CellKind::Elman => elman::tape_shape(self.units),
            CellKind::Gru => gru::tape_shape(self.units),
            CellKind::Lstm => lstm::tape_shape(self.units),
            CellKind::Leaky => leaky::tape_shape(self.units),
            CellKind::Ssm => ssm::tape_shape(self.units, self.modes),
        }
    }
}
