//! A network as the kernels see it: its layers and its readout over one flat vector of parameters.

use super::cells::{CellKernel, LayerSizes, StepCounts, kernel};
use super::isa::Dispatch;
use super::layout::Room;
use super::readout::ReadoutKernel;
use crate::network::Network;

pub(crate) struct Model<S> {
    pub(crate) layers: Vec<Box<dyn CellKernel<S>>>,
    pub(crate) sizes: Vec<LayerSizes>,
    pub(crate) readout: ReadoutKernel<S>,
    inputs: usize,
    /// Numbers in the flat vector.
    len: usize,
}

impl<S: Dispatch> Model<S> {
    pub(crate) fn new(network: &Network) -> Self {
        let biased = network.has_bias();
        let mut room = Room::default();
        let cells = network.layers.iter().enumerate();
        let mut layers: Vec<_> = cells.map(|(place, cell)| kernel(cell, biased, place, &mut room)).collect();
        let mut readout = ReadoutKernel::new(&network.readout, biased, &mut room);
        layers.iter_mut().for_each(|layer| layer.place_biases(&mut room));
        readout.place_bias(&mut room);
        let sizes = network.layers.iter().map(LayerSizes::of).collect();
        Self { layers, sizes, readout, inputs: network.inputs(), len: room.taken() }
    }

    pub(crate) fn inputs(&self) -> usize {
        self.inputs
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn write(&self, network: &Network, flat: &mut [S]) {
        self.layers.iter().zip(&network.layers).for_each(|(layer, cell)| layer.write(cell, flat));
        self.readout.write(&network.readout, flat);
    }

    pub(crate) fn read(&self, flat: &[S]) -> Network {
        let layers = self.layers.iter().map(|layer| layer.read(flat)).collect();
        Network { layers, readout: self.readout.read(flat) }
    }

    /// Takes over the parameters of the flat vector.
    pub(crate) fn pack(&mut self, flat: &[S]) {
        self.layers.iter_mut().for_each(|layer| layer.pack(flat));
        self.readout.pack(flat);
    }

    /// Multiply-adds of one optimizer step for one sample that cannot be left out.
    pub(crate) fn multiply_adds(&self, input_steps: usize, horizon: usize, throughout: bool) -> usize {
        let all = input_steps + horizon;
        let counts = |k: usize| StepCounts {
            all,
            with_input: if k == 0 && !throughout { input_steps } else { all },
            read: if k + 1 == self.layers.len() { horizon } else { all },
        };
        let layers = self.layers.iter().enumerate().map(|(k, layer)| layer.multiply_adds(counts(k)));
        layers.sum::<usize>() + horizon * self.readout.multiply_adds()
    }
}
