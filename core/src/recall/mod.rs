//! Sequential episodic memory: the General Sequential Episodic Memory Model (GSEMM) and the recurrent network it becomes.
//!
//! Features `V_f` hold what is recalled, hidden neurons `V_h` one activity a stored memory, and `V_d` a delayed trace of
//! the features that drives the transition to the next memory (paper, appendix "RNN-Episodic Memory Equivalence"):
//!
//! ```text
//! T_f dV_f/dt = sqrt(a_s) Xi sigma_h(V_h) - V_f
//! T_h dV_h/dt = sqrt(a_s) Xi+ sigma_f(V_f) + a_c Phi'^T Xi+ V_d - V_h
//! T_d dV_d/dt = sigma_f(V_f) - V_d
//! ```
//!
//! A time constant of zero means that its equation holds at once and is eliminated. With `T_f = 1`, `T_h = T_d = 0` and a
//! forward Euler step of 1 the model is [`SequenceMemory::discrete_step`], which is an Elman network seen through
//! `h = sigma_f(V_f)` ([`SequenceMemory::conjugacy`]). Only here are transitions transposed: entry (m, n) of Phi' leads
//! from memory m to memory n.

mod conjugacy;
mod integrate;
mod parameters;
mod retrieval;

pub use conjugacy::Conjugacy;
pub use integrate::{Integrator, Recording};
pub use parameters::{Parameters, ReadRule, Response};
pub use retrieval::{RECALLED, Retrieval};

use crate::numeric::{Matrix, NumericError, RELATIVE_CUT, draw, pseudo_inverse};
use crate::random::Stream;

/// What can go wrong with a sequence memory.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// A matrix computation failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
    /// A parameter outside its range.
    #[error("{name} is {value}: it must be {range}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A step that is too long for the fastest equation, which would oscillate.
    #[error("the step {step} exceeds the smallest time constant {shortest}; shrink it, or set that constant to 0")]
    StepTooLong {
        /// The step.
        step: f64,
        /// The smallest time constant that is not zero.
        shortest: f64,
    },
    /// The state became infinite or NaN.
    #[error("the state diverged at time {time}; lower the strengths or use a saturating feature response")]
    Diverged {
        /// The time at which it happened.
        time: f64,
    },
    /// The step control could not meet its tolerance.
    #[error("the step fell below {least:e} at time {time}; loosen the tolerance {tolerance:e}")]
    StepUnderflow {
        /// The time at which it happened.
        time: f64,
        /// The smallest step tried.
        least: f64,
        /// The tolerance that could not be met.
        tolerance: f64,
    },
    /// The rewriting as an Elman network does not apply.
    #[error("{0}: only an identity hidden response and an invertible feature response make it an Elman network")]
    NotElman(&'static str),
}

/// Stored memories, the transitions between them and the dynamics of recall.
#[derive(Clone, Debug)]
pub struct SequenceMemory {
    memories: Matrix,
    covectors: Matrix,
    transitions: Matrix,
    parameters: Parameters,
}

/// The three groups of neurons.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Feature neurons.
    #[doc(alias = "V_f")]
    pub features: Vec<f64>,
    /// Hidden neurons, one for each memory.
    #[doc(alias = "V_h")]
    pub hidden: Vec<f64>,
    /// The delayed trace of the features.
    #[doc(alias = "V_d")]
    pub delayed: Vec<f64>,
}

impl SequenceMemory {
    /// Stores the columns of `memories` (features x memories) with square `transitions` between them.
    ///
    /// In the paper's letters: Xi and Phi' = Phi - I.
    #[doc(alias = "Xi")]
    pub fn new(memories: Matrix, transitions: Matrix, parameters: Parameters) -> Result<Self, RecallError> {
        parameters.check()?;
        crate::numeric::require_square(&transitions)?;
        if transitions.nrows() != memories.ncols() {
            let (found, needed) = (transitions.nrows(), memories.ncols());
            return Err(NumericError::Size { what: "rows of transitions", found, needed }.into());
        }
        let covectors = match parameters.rule {
            ReadRule::PseudoInverse => pseudo_inverse(&memories, RELATIVE_CUT)?,
            // Scaled by the number of features, so that memories of +-1 read themselves with strength 1.
            ReadRule::Hebbian => memories.transpose().to_owned() * faer::Scale(1.0 / memories.nrows().max(1) as f64),
        };
        crate::numeric::require_finite(&covectors)?;
        Ok(Self { memories, covectors, transitions, parameters })
    }

    /// Random memories of entries +-1, each leading to the next and the last to the first.
    pub fn episodes(
        features: usize,
        memories: usize,
        parameters: Parameters,
        stream: &Stream,
    ) -> Result<Self, RecallError> {
        let mut stored = draw::normal(features, memories, stream, 0);
        for memory in 0..memories {
            stored.col_as_slice_mut(memory).iter_mut().for_each(|x| *x = 1f64.copysign(*x));
        }
        let transitions = Matrix::from_fn(memories, memories, |from, to| f64::from((from + 1) % memories == to));
        Self::new(stored, transitions, parameters)
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Number of stored memories.
    pub fn memories(&self) -> usize {
        self.memories.ncols()
    }

    /// Number of feature neurons.
    pub fn features(&self) -> usize {
        self.memories.nrows()
    }

    /// The state with these features and all other neurons settled: the trace holds the present alone.
    pub fn settled(&self, features: Vec<f64>) -> State {
        let delayed = self.response_of(&features);
        let hidden = self.hidden_target(&delayed, &delayed);
        State { features, hidden, delayed }
    }

    /// Just this memory in the features, nothing in the trace yet.
    pub fn starting_at(&self, memory: usize) -> State {
        let features = self.memories.col_as_slice(memory).to_vec();
        let delayed = vec![0.0; self.features()];
        let hidden = self.hidden_target(&self.response_of(&features), &delayed);
        State { features, hidden, delayed }
    }

    /// How strongly each memory is present in the features: `Xi+ sigma_f(V_f)`, 1 for full recall.
    pub fn overlaps(&self, features: &[f64]) -> Vec<f64> {
        apply(&self.covectors, &self.response_of(features))
    }

    fn response_of(&self, features: &[f64]) -> Vec<f64> {
        let mut response = features.to_vec();
        self.parameters.feature_response.apply(&mut response);
        response
    }

    /// `sqrt(a_s) Xi+ response + a_c Phi'^T Xi+ delayed`.
    fn hidden_target(&self, response: &[f64], delayed: &[f64]) -> Vec<f64> {
        let strength = self.parameters.memory_strength.sqrt();
        let mut target = apply(&self.covectors, response);
        let trace = apply(&self.covectors, delayed);
        for (memory, value) in target.iter_mut().enumerate() {
            let leads_here = self.transitions.col_as_slice(memory).iter().zip(&trace).map(|(a, b)| a * b).sum::<f64>();
            *value = strength * *value + self.parameters.transition_strength * leads_here;
        }
        target
    }

    /// `sqrt(a_s) Xi sigma_h(hidden)`.
    fn feature_target(&self, hidden: &[f64]) -> Vec<f64> {
        let mut response = hidden.to_vec();
        self.parameters.hidden_response.apply(&mut response);
        let strength = self.parameters.memory_strength.sqrt();
        apply(&self.memories, &response).into_iter().map(|x| strength * x).collect()
    }

    /// The discrete limit: `V_f(t+1) = Xi (I + Phi'^T) Xi+ sigma_f(V_f(t))` for unit strengths.
    pub fn discrete_step(&self, features: &[f64]) -> Vec<f64> {
        self.feature_target(&self.settled(features.to_vec()).hidden)
    }
}

fn apply(matrix: &Matrix, vector: &[f64]) -> Vec<f64> {
    (matrix * faer::ColRef::from_slice(vector)).iter().copied().collect()
}
