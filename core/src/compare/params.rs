//! Every number that decides something in a comparison.

use super::measures::DsaParams;
use crate::interpret::{InterpretError, InterpretParams};
use crate::setting::{Adjustable, settings};

settings! {
    /// How networks are compared.
    pub struct CompareParams {
        /// How each network is read; its claims decide whether it counts as a circuit.
        interpret: InterpretParams;
        /// Episodes that every network sees, at least, and for each component of the window.
        episodes: (usize, usize) = (128, 2), EPISODES;
        /// The most of them.
        most_episodes: usize = 512, EPISODES;
        /// The output step from which on states are compared, and how many steps.
        settled: (usize, usize) = (40, 16), STEPS;
        /// Coefficients of a real-valued f are the same if they differ by at most this ...
        coefficient: f64 = 0.02, SIZE;
        /// ... and all of an output's together by at most this (root of the sum of squares): small differences add up.
        coefficients: f64 = 0.06, SIZE;
        /// Two real-valued functions, run on from the same inputs for so many windows, ...
        turns: usize = 3, COUNT;
        /// ... may part by at most this share of their size.
        course: f64 = 0.2, SIZE;
        /// Least share of equal signs of every output of the two after the same inputs.
        outputs: f64 = 0.98, SHARE;
        /// For a real-valued f: the largest difference of an output, as a share of its size.
        outputs_error: f64 = 0.1, SIZE;
        /// Step matrices are the same if no entry differs by more than this ...
        entry: f64 = 0.1, SIZE;
        /// ... and if they move no direction of the contents further apart than this share of its length (operator norm).
        step_norm: f64 = 0.5, SIZE;
        /// Least share of right signs of every output after a network went on from what the other one held.
        exchanged: f64 = 0.98, SHARE;
        /// For a real-valued f: the largest error of an output then, as a share of its size.
        exchanged_error: f64 = 0.2, SIZE;
        /// An input that f does not need is kept all the same if it moves the state at least this much, as a share of what a content
        /// does: traces of inputs fade slowly.
        kept_size: f64 = 0.15, SIZE;
        /// And if it moves the state by this many times the variance that chance gives it.
        kept_significant: f64 = 10.0, TIMES;
        /// Units of the networks that are asked what else they keep, at most.
        beside_units: usize = 1024, COUNT;
        /// How dynamical similarity is measured.
        dsa: DsaParams;
    }
}

impl Adjustable for CompareParams {
    const NAME: &'static str = "compare";
    type Error = InterpretError;

    fn complete(self) -> Result<Self, InterpretError> {
        Ok(Self { interpret: self.interpret.complete()?, ..self })
    }
}
