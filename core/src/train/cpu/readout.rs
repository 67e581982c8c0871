//! The linear readout of the last layer's units.

use faer::Mat;

use super::isa::{Dispatch, Isa};
use super::kernels::{ColumnSums, Unchanged};
use super::layout::{MatrixPlace, Room, VectorPlace};
use super::panels::{Aligned, Panels, padded};
use super::product::{Factors, Outer, Product, Terms};
use crate::network::Readout;

pub(crate) struct ReadoutKernel<S> {
    units: usize,
    outputs: usize,
    place: MatrixPlace,
    biased: bool,
    bias_place: Option<VectorPlace>,
    /// W_r transposed: units to outputs.
    forward: Panels<S>,
    /// W_r: output deltas to the derivative by the units.
    backward: Panels<S>,
    /// Zeros without a bias.
    bias: Aligned<S>,
}

impl<S: Dispatch> ReadoutKernel<S> {
    /// Takes room for the weights.
    pub(crate) fn new(readout: &Readout, biased: bool, room: &mut Room) -> Self {
        let (outputs, units) = (readout.weights.nrows(), readout.weights.ncols());
        Self {
            units,
            outputs,
            place: room.matrix(outputs, units),
            biased,
            bias_place: None,
            forward: Panels::zeros(units, outputs),
            backward: Panels::zeros(outputs, units),
            bias: Aligned::zeros(padded(outputs)),
        }
    }

    pub(crate) fn place_bias(&mut self, room: &mut Room) {
        self.bias_place = self.biased.then(|| room.vector(self.outputs));
    }

    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    pub(crate) fn write(&self, readout: &Readout, flat: &mut [S]) {
        self.place.write(flat, |i, j| readout.weights[(i, j)]);
        if let (Some(place), Some(bias)) = (&self.bias_place, &readout.bias) {
            place.write(flat, bias);
        }
    }

    pub(crate) fn read(&self, flat: &[S]) -> Readout {
        Readout {
            weights: Mat::from_fn(self.outputs, self.units, |i, j| self.place.at(flat, i, j)),
            bias: self.bias_place.as_ref().map(|place| place.read(flat)),
        }
    }

    pub(crate) fn pack(&mut self, flat: &[S]) {
        let (place, stride) = (self.place.of(flat), self.place.stride());
        self.forward.pack_transposed(place, stride);
        self.backward.pack(place, stride);
        if let Some(place) = &self.bias_place {
            self.bias.slice_mut().copy_from_slice(place.of(flat));
        }
    }

    pub(crate) fn forward(&self, isa: Isa, units: &Panels<S>, out: &mut Panels<S>) {
        let (terms, bias) = (Terms::of([(units, &self.forward)]), Some(self.bias.slice()));
        S::dispatch(isa, Product { terms: &terms, bias, out, finish: Unchanged });
    }

    /// What the derivative by the outputs says of the units.
    pub(crate) fn below<'a>(&'a self, deltas: &'a Panels<S>) -> Factors<'a, S> {
        (deltas, &self.backward)
    }

    /// The gradient, from the derivatives by the outputs and the units at the same time steps.
    pub(crate) fn accumulate(&self, isa: Isa, deltas: &[Panels<S>], units: &[Panels<S>], gradient: &mut [S]) {
        let out = self.place.of_mut(gradient);
        S::dispatch(isa, Outer { left: deltas, right: units, out, add: false });
        if let Some(place) = &self.bias_place {
            S::dispatch(isa, ColumnSums { steps: deltas, out: place.of_mut(gradient), add: false });
        }
    }

    /// Multiply-adds for one sample at one time step: forward, back and in the gradient.
    pub(crate) fn multiply_adds(&self) -> usize {
        3 * self.outputs * self.units
    }
}
