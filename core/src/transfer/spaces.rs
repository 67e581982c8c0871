//! The spaces that states and inputs of old tasks span, for every matrix that acts on them.

use super::{Old, TransferError, TransferParams, old_inputs};
use crate::network::Network;
use crate::numeric::{Matrix, NumericError};
use crate::observe::draw_inputs;
use faer::{Accum, Mat, MatRef, Par, Side, linalg::matmul::matmul};
use std::collections::BTreeMap;

/// Second moments of what a matrix is given, in the input phase and after it.
struct Moments {
    phases: [Matrix; 2],
}

impl Moments {
    fn new(size: usize) -> Self {
        Self { phases: [Matrix::zeros(size, size), Matrix::zeros(size, size)] }
    }

    fn add(&mut self, phase: usize, of: MatRef<'_, f64>) {
        matmul(self.phases[phase].as_mut(), Accum::Add, of, of.transpose(), 1.0, Par::Seq);
    }

    /// An orthonormal basis of the least space that leaves out at most a share; each phase counts as much as the other, or
    /// the few steps with input would go under.
    fn space(&self, left_out: f64) -> Result<Matrix, NumericError> {
        let size = self.phases[0].nrows();
        let trace = |of: &Matrix| (0..size).map(|i| of[(i, i)]).sum::<f64>();
        let mut mean = Matrix::zeros(size, size);
        for phase in self.phases.iter().filter(|phase| trace(phase) > 0.0) {
            mean += faer::Scale(1.0 / trace(phase)) * phase;
        }
        let total = trace(&mean);
        let found = mean
            .self_adjoint_eigen(Side::Lower)
            .map_err(|_| NumericError::NoConvergence { what: "the principal directions", size })?;
        // Rising order.
        let values: Vec<f64> = found.S().column_vector().iter().copied().collect();
        let mut rest = 0.0;
        let free = values.iter().take_while(|value| {
            rest += value.max(0.0);
            rest <= left_out * total
        });
        let free = free.count();
        Ok(found.U().subcols(free, size - free).to_owned())
    }
}

/// The space of each matrix, by its name: what goes into recurrent weights, input weights and the readout.
pub(super) fn of(
    network: &Network,
    old: &[&Old],
    params: &TransferParams,
) -> Result<BTreeMap<String, Matrix>, TransferError> {
    let mut moments: BTreeMap<String, Moments> = BTreeMap::new();
    let all = network.units();
    for (k, cell) in network.layers.iter().enumerate() {
        moments.insert(format!("rnn.weight_hh_l{k}"), Moments::new(cell.units()));
        moments.insert(format!("rnn.weight_ih_l{k}"), Moments::new(cell.inputs()));
    }
    moments.insert("readout.weight".into(), Moments::new(network.hidden()));
    for old in old {
        let (s, d, episodes) = (old.task.s(), old.task.d(), params.episodes);
        let drawn = draw_inputs((s, d), episodes, &old_inputs(params.seed), 0)?;
        let cue = |j: usize| f64::from(u8::from(Some(j - d) == old.context));
        let mut state = Mat::zeros(network.state_size(), episodes);
        for t in 0..s + params.horizon {
            let phase = usize::from(t >= s);
            let now = |j: usize, e: usize| if t < s { f64::from(drawn[(t * episodes + e) * d + j]) } else { 0.0 };
            let input = Mat::from_fn(network.inputs(), episodes, |j, e| if j < d { now(j, e) } else { cue(j) });
            // Without cues there is no input after the input phase.
            let input = (t < s || network.inputs() > d).then_some(input);
            let next = network.step_batch(state.as_ref(), input.as_ref().map(Mat::as_ref));
            for (k, units) in all.iter().enumerate() {
                let below = match k {
                    0 => input.as_ref().map(Mat::as_ref),
                    k => Some(next.as_ref().subrows(all[k - 1].start, all[k - 1].len())),
                };
                if let (Some(below), Some(moments)) = (below, moments.get_mut(&format!("rnn.weight_ih_l{k}"))) {
                    moments.add(phase, below);
                }
                if let (true, Some(moments)) = (t > 0, moments.get_mut(&format!("rnn.weight_hh_l{k}"))) {
                    moments.add(phase, state.as_ref().subrows(units.start, units.len()));
                }
            }
            state = next;
            if let (1, Some(last), Some(moments)) = (phase, all.last(), moments.get_mut("readout.weight")) {
                moments.add(1, state.as_ref().subrows(last.start, last.len()));
            }
        }
    }
    moments.into_iter().map(|(name, moments)| Ok((name, moments.space(params.left_out)?))).collect()
}
