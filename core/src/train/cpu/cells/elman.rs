//! `h' = act(W_ih u + b_ih + W_hh h + b_hh)`.

use super::super::isa::Dispatch;
use super::super::kernels::{slope, squash};
use super::super::layout::Room;
use super::super::panels::Panels;
use super::super::product::Terms;
use super::gates::{Gates, Stacked};
use super::{CellKernel, Step, StepCounts, Tape, TapeShape, TimeBlock};
use crate::network::{Activation, Cell, Elman};

pub(crate) struct ElmanKernel<S> {
    activation: Activation,
    gates: Gates<S, 1>,
}

pub(super) fn stacked(cell: &Elman) -> Stacked<'_> {
    let Elman { input_weights, recurrent_weights, biases, .. } = cell;
    Stacked { input_weights, recurrent_weights, biases: biases.as_ref() }
}

impl<S: Dispatch> ElmanKernel<S> {
    pub(crate) fn new(cell: &Elman, biased: bool, place: usize, room: &mut Room) -> Self {
        Self { activation: cell.activation, gates: Gates::new(stacked(cell), biased, place, room) }
    }
}

/// Has deltas of the sums.
pub(super) fn tape_shape(units: usize) -> TapeShape {
    TapeShape { units, deltas: [units, 0, 0, 0], ..TapeShape::default() }
}

impl<S: Dispatch> CellKernel<S> for ElmanKernel<S> {
    fn place_biases(&mut self, room: &mut Room) {
        self.gates.place_biases(room);
    }

    fn write(&self, cell: &Cell, flat: &mut [S]) {
        if let Cell::Elman(cell) = cell {
            self.gates.write(stacked(cell), flat);
        }
    }

    fn read(&self, flat: &[S]) -> Cell {
        let (input_weights, recurrent_weights, biases) = self.gates.read(flat);
        Cell::Elman(Elman { activation: self.activation, input_weights, recurrent_weights, biases })
    }

    fn pack(&mut self, flat: &[S]) {
        self.gates.pack(flat);
    }

    fn forward(&self, step: Step, input: Option<&Panels<S>>, tape: &mut Tape<S>) {
        let [gate] = &self.gates.gates;
        let (before, now) = tape.states.split_at_mut(step.t);
        let terms = Terms::of(gate.recurrent(step, &before[step.t - 1])).and(gate.input(input));
        squash(step.isa, self.activation, &terms, Some(gate.bias.slice()), &mut now[0]);
    }

    fn backward(&self, step: Step, above: Terms<'_, S>, tape: &mut Tape<S>) {
        let [gate] = &self.gates.gates;
        let [deltas, ..] = &mut tape.deltas;
        let (out, later) = step.deltas(deltas);
        let terms = Terms::of(gate.later(step, later)).and(above.iter());
        slope(step.isa, self.activation, &terms, tape.states[step.t].data(), out);
    }

    fn below<'a>(&'a self, step: Step, tape: &'a Tape<S>) -> Terms<'a, S> {
        let [deltas, ..] = &tape.deltas;
        self.gates.below(step, [deltas])
    }

    fn accumulate(&self, block: &TimeBlock<'_, S>, tape: &Tape<S>, gradient: &mut [S]) {
        let [deltas, ..] = &tape.deltas;
        let [gate] = &self.gates.gates;
        gate.accumulate(block, &tape.states, deltas, deltas, gradient);
    }

    fn multiply_adds(&self, counts: StepCounts) -> usize {
        self.gates.multiply_adds(counts)
    }
}
