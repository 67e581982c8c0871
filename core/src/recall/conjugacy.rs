//! The same dynamics as an Elman network.

use super::{RecallError, Response, SequenceMemory, apply};
use crate::numeric::{Matrix, Svd};

/// Two orbits that theory says are one.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Conjugacy {
    /// Steps compared.
    pub steps: usize,
    /// Largest gap between `sigma_f(V_f(t))` and `h(t)`.
    pub worst_gap: f64,
    /// Largest entry of `h` over the last step: an orbit that has died out proves nothing.
    pub amplitude: f64,
    /// Largest change of `h` in the last step: nor does one that stands still.
    pub motion: f64,
    /// Largest singular value of the recurrent weights. The paper asks for at most 1; conjugacy does not need it and
    /// trained networks exceed it, so it is reported and never enforced.
    pub norm: f64,
}

impl SequenceMemory {
    /// Recurrent weights of the conjugate Elman network: `Xi Phi^T Xi+` for unit strengths, `Phi = I + Phi'`.
    #[doc(alias = "W_hh")]
    pub fn elman_weights(&self) -> Result<Matrix, RecallError> {
        if self.parameters.hidden_response != Response::Identity {
            return Err(RecallError::NotElman("the hidden response is not the identity"));
        }
        if !self.parameters.feature_response.is_invertible() {
            return Err(RecallError::NotElman("the feature response is not invertible"));
        }
        let (strength, next) = (self.parameters.memory_strength, self.parameters.transition_strength);
        let size = self.memories();
        let mixing = Matrix::from_fn(size, size, |to, from| {
            let stay = if to == from { strength } else { 0.0 };
            stay + strength.sqrt() * next * self.transitions[(from, to)]
        });
        Ok(&self.memories * mixing * &self.covectors)
    }

    /// Runs the discrete limit and the Elman network side by side and compares them under `h = sigma_f(V_f)`.
    ///
    /// The memory model is stepped through its own factors, the network through its one matrix.
    pub fn conjugacy(&self, features: &[f64], steps: usize) -> Result<Conjugacy, RecallError> {
        let weights = self.elman_weights()?;
        let mut potentials = features.to_vec();
        let mut hidden = self.response_of(features);
        let mut before = hidden.clone();
        let gap = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        let mut worst_gap = 0.0;
        for _ in 0..steps {
            potentials = self.discrete_step(&potentials);
            before = std::mem::take(&mut hidden);
            hidden = self.response_of(&apply(&weights, &before));
            worst_gap = f64::max(worst_gap, gap(&hidden, &self.response_of(&potentials)));
        }
        let amplitude = hidden.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let norm = Svd::of(&weights)?.values.first().copied().unwrap_or(0.0);
        Ok(Conjugacy { steps, worst_gap, amplitude, motion: gap(&hidden, &before), norm })
    }
}
