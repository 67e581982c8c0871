//! What cells with gates share: each gate sums the inputs and the units before, with weights and biases of its own.

use faer::Mat;

use super::super::isa::Dispatch;
use super::super::kernels::ColumnSums;
use super::super::layout::{MatrixPlace, Room, VectorPlace};
use super::super::panels::{Aligned, Panels, padded};
use super::super::product::{Factors, Outer, Terms};
use super::{Step, StepCounts, TimeBlock};
use crate::network::Biases;

/// The parameters of a layer as a [`crate::network::Cell`] has them, gates under one another.
pub(crate) struct Stacked<'a> {
    pub(crate) input_weights: &'a Mat<f64>,
    pub(crate) recurrent_weights: &'a Mat<f64>,
    pub(crate) biases: Option<&'a Biases>,
}

/// The gates of a layer.
pub(crate) struct Gates<S, const G: usize> {
    pub(crate) units: usize,
    inputs: usize,
    pub(crate) biased: bool,
    pub(crate) gates: [Gate<S>; G],
}

/// One gate.
pub(crate) struct Gate<S> {
    recurrent_place: MatrixPlace,
    /// The transpose: a row for each input.
    input_place: MatrixPlace,
    bias_places: Option<[VectorPlace; 2]>,
    /// W_hh transposed: units to the next units.
    forward: Panels<S>,
    /// W_hh: deltas to the deltas before.
    backward: Panels<S>,
    /// W_ih transposed: inputs to units.
    input: Panels<S>,
    /// W_ih: deltas to the layer below; nothing in the lowest one.
    input_backward: Option<Panels<S>>,
    /// b_ih, b_hh and their sum; zeros without biases.
    pub(crate) input_bias: Aligned<S>,
    pub(crate) recurrent_bias: Aligned<S>,
    pub(crate) bias: Aligned<S>,
}

impl<S: Dispatch, const G: usize> Gates<S, G> {
    /// Takes room for the matrices; `place` is zero for the layer that sees the inputs.
    pub(crate) fn new(of: Stacked<'_>, biased: bool, place: usize, room: &mut Room) -> Self {
        let (units, inputs) = (of.recurrent_weights.ncols(), of.input_weights.ncols());
        let recurrent: [_; G] = std::array::from_fn(|_| room.matrix(units, units));
        let gates = recurrent.map(|recurrent_place| Gate {
            recurrent_place,
            input_place: room.matrix(inputs, units),
            bias_places: None,
            forward: Panels::zeros(units, units),
            backward: Panels::zeros(units, units),
            input: Panels::zeros(inputs, units),
            input_backward: (place > 0).then(|| Panels::zeros(units, inputs)),
            input_bias: Aligned::zeros(padded(units)),
            recurrent_bias: Aligned::zeros(padded(units)),
            bias: Aligned::zeros(padded(units)),
        });
        Self { units, inputs, biased, gates }
    }

    pub(crate) fn place_biases(&mut self, room: &mut Room) {
        if self.biased {
            let units = self.units;
            let input: [_; G] = std::array::from_fn(|_| room.vector(units));
            for (gate, input) in self.gates.iter_mut().zip(input) {
                gate.bias_places = Some([input, room.vector(units)]);
            }
        }
    }

    pub(crate) fn write(&self, of: Stacked<'_>, flat: &mut [S]) {
        for (g, gate) in self.gates.iter().enumerate() {
            let first = g * self.units;
            gate.recurrent_place.write(flat, |i, j| of.recurrent_weights[(first + i, j)]);
            gate.input_place.write(flat, |i, j| of.input_weights[(first + j, i)]);
            if let (Some([input, recurrent]), Some(biases)) = (&gate.bias_places, of.biases) {
                let own = first..first + self.units;
                input.write(flat, &biases.input[own.clone()]);
                recurrent.write(flat, &biases.recurrent[own]);
            }
        }
    }

    /// Input weights, recurrent weights and biases, gates under one another.
    pub(crate) fn read(&self, flat: &[S]) -> (Mat<f64>, Mat<f64>, Option<Biases>) {
        let (units, rows) = (self.units, G * self.units);
        let input = Mat::from_fn(rows, self.inputs, |i, j| self.gates[i / units].input_place.at(flat, j, i % units));
        let recurrent = Mat::from_fn(rows, units, |i, j| self.gates[i / units].recurrent_place.at(flat, i % units, j));
        let bias = |which: usize| {
            let places = self.gates.iter().flat_map(|gate| &gate.bias_places);
            places.flat_map(|places| places[which].read(flat)).collect()
        };
        (input, recurrent, self.biased.then(|| Biases { input: bias(0), recurrent: bias(1) }))
    }

    pub(crate) fn pack(&mut self, flat: &[S]) {
        self.gates.iter_mut().for_each(|gate| gate.pack(flat));
    }

    /// Multiply-adds of all gates for one sample: each weight forward, back and in the gradient, but nothing goes back to
    /// inputs that come from no layer, and nothing comes from h(0) = 0.
    pub(crate) fn multiply_adds(&self, counts: StepCounts) -> usize {
        G * self.units * 3 * (counts.all - 1) * self.units + G * counts.with_input * self.input_multiply_adds()
    }

    /// Those of one gate with the inputs of one time step.
    pub(crate) fn input_multiply_adds(&self) -> usize {
        let lowest = self.gates.iter().any(|gate| gate.input_backward.is_none());
        self.units * self.inputs * if lowest { 2 } else { 3 }
    }

    /// The derivative by the inputs, from the deltas of each gate at a time step.
    pub(crate) fn below<'a>(&'a self, step: Step, deltas: [&'a [Panels<S>]; G]) -> Terms<'a, S> {
        let gates = self.gates.iter().zip(deltas);
        Terms::of(gates.filter_map(|(gate, deltas)| Some((&deltas[step.slot()], gate.input_backward.as_ref()?))))
    }
}

impl<S: Dispatch> Gate<S> {
    fn pack(&mut self, flat: &[S]) {
        let (place, stride) = (self.recurrent_place.of(flat), self.recurrent_place.stride());
        rayon::join(|| self.forward.pack_transposed(place, stride), || self.backward.pack(place, stride));
        let (place, stride) = (self.input_place.of(flat), self.input_place.stride());
        self.input.pack(place, stride);
        if let Some(backward) = &mut self.input_backward {
            backward.pack_transposed(place, stride);
        }
        if let Some([input, recurrent]) = &self.bias_places {
            self.input_bias.slice_mut().copy_from_slice(input.of(flat));
            self.recurrent_bias.slice_mut().copy_from_slice(recurrent.of(flat));
            let parts = self.input_bias.slice().iter().zip(self.recurrent_bias.slice());
            for (sum, (input, recurrent)) in self.bias.slice_mut().iter_mut().zip(parts) {
                *sum = *input + *recurrent;
            }
        }
    }

    /// What the units before add to the gate.
    pub(crate) fn recurrent<'a>(&'a self, step: Step, before: &'a Panels<S>) -> Option<Factors<'a, S>> {
        step.unless_first((before, &self.forward))
    }

    /// What the inputs add to the gate.
    pub(crate) fn input<'a>(&'a self, input: Option<&'a Panels<S>>) -> Option<Factors<'a, S>> {
        input.map(|input| (input, &self.input))
    }

    /// What the gate's deltas of the next time step say of the units.
    pub(crate) fn later<'a>(&'a self, step: Step, later: &'a Panels<S>) -> Option<Factors<'a, S>> {
        step.unless_last((later, &self.backward))
    }

    /// Adds the gradients of a block of time: `deltas` by what the gate sums up, `recurrent_deltas` by the part of it that
    /// comes from the units.
    pub(crate) fn accumulate(
        &self,
        block: &TimeBlock<'_, S>,
        states: &[Panels<S>],
        deltas: &[Panels<S>],
        recurrent_deltas: &[Panels<S>],
        gradient: &mut [S],
    ) {
        let isa = block.isa;
        let (left, right) = block.with_before(recurrent_deltas, states);
        S::dispatch(isa, Outer { left, right, out: self.recurrent_place.of_mut(gradient), add: block.add });
        let (left, right) = (block.inputs, block.deltas_with_input(deltas));
        S::dispatch(isa, Outer { left, right, out: self.input_place.of_mut(gradient), add: block.add_inputs });
        if let Some([input, recurrent]) = &self.bias_places {
            let mut sums = |steps, place: &VectorPlace| {
                let steps = block.deltas(steps);
                S::dispatch(isa, ColumnSums { steps, out: place.of_mut(gradient), add: block.add });
            };
            sums(deltas, input);
            if std::ptr::eq(deltas, recurrent_deltas) {
                input.copy_to(recurrent, gradient);
            } else {
                sums(recurrent_deltas, recurrent);
            }
        }
    }
}
