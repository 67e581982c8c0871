//! The weights of one optimizer step, in the order in which the kernels read them.

use super::lanes::Real;
use super::layout::Layout;
use super::panels::{Aligned, Panels, padded};

/// Right factors of every product of a step, made once a step and shared by all threads.
#[derive(Clone)]
pub(crate) struct Packed<S> {
    /// W_hh transposed: states to the next states.
    pub(crate) forward: Panels<S>,
    /// W_hh: deltas to the deltas before.
    pub(crate) backward: Panels<S>,
    /// W_uh transposed: inputs to states.
    pub(crate) input: Panels<S>,
    /// W_r transposed: states to outputs.
    pub(crate) readout: Panels<S>,
    /// W_r: output deltas to state deltas.
    pub(crate) readout_backward: Panels<S>,
    /// b_ih + b_hh, and b_r; zeros without biases.
    pub(crate) bias: Aligned<S>,
    pub(crate) bias_readout: Aligned<S>,
}

impl<S: Real> Packed<S> {
    pub(crate) fn new(layout: &Layout) -> Self {
        let sizes = layout.sizes;
        Self {
            forward: Panels::zeros(sizes.hidden, sizes.hidden),
            backward: Panels::zeros(sizes.hidden, sizes.hidden),
            input: Panels::zeros(sizes.inputs, sizes.hidden),
            readout: Panels::zeros(sizes.hidden, sizes.outputs),
            readout_backward: Panels::zeros(sizes.outputs, sizes.hidden),
            bias: Aligned::zeros(layout.stride),
            bias_readout: Aligned::zeros(padded(sizes.outputs)),
        }
    }

    pub(crate) fn pack(&mut self, layout: &Layout, parameters: &[S]) {
        let stride = layout.stride;
        let recurrent = &parameters[layout.recurrent.clone()];
        rayon::join(|| self.forward.pack_transposed(recurrent, stride), || self.backward.pack(recurrent, stride));
        self.input.pack(&parameters[layout.input.clone()], stride);
        self.readout.pack_transposed(&parameters[layout.readout.clone()], stride);
        self.readout_backward.pack(&parameters[layout.readout.clone()], stride);
        let biases = parameters[layout.bias_input.clone()].iter().zip(&parameters[layout.bias_recurrent.clone()]);
        for (sum, (input, recurrent)) in self.bias.slice_mut().iter_mut().zip(biases) {
            *sum = *input + *recurrent;
        }
        let bias_readout = &parameters[layout.bias_readout.clone()];
        self.bias_readout.slice_mut()[..bias_readout.len()].copy_from_slice(bias_readout);
    }
}
