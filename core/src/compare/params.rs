//! Every number that decides something in a comparison.

use super::measures::DsaParams;
use crate::interpret::InterpretParams;
use serde::{Deserialize, Serialize};

/// How networks are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompareParams {
    /// How each network is read; its claims decide whether it counts as a circuit.
    pub interpret: InterpretParams,
    /// Episodes that every network sees, at least, and for each component of the window.
    pub episodes: (usize, usize),
    /// The most of them.
    pub most_episodes: usize,
    /// The output step from which on states are compared, and how many steps.
    pub settled: (usize, usize),
    /// Coefficients of a real-valued f are the same if they differ by at most this ...
    pub coefficient: f64,
    /// ... and all of an output's together by at most this (root of the sum of squares): small differences add up.
    pub coefficients: f64,
    /// Two real-valued functions, run on from the same inputs for so many windows, ...
    pub turns: usize,
    /// ... may part by at most this share of their size.
    pub course: f64,
    /// Least share of equal signs of every output of the two after the same inputs.
    pub outputs: f64,
    /// For a real-valued f: the largest difference of an output, as a share of its size.
    pub outputs_error: f64,
    /// Step matrices are the same if no entry differs by more than this ...
    pub entry: f64,
    /// ... and if they move no direction of the contents further apart than this share of its length (operator norm).
    pub step_norm: f64,
    /// Least share of right signs of every output after a network went on from what the other one held.
    pub exchanged: f64,
    /// For a real-valued f: the largest error of an output then, as a share of its size.
    pub exchanged_error: f64,
    /// An input that f does not need is kept all the same if it moves the state at least this much, as a share of what a content
    /// does: traces of inputs fade slowly.
    pub kept_size: f64,
    /// And if it moves the state by this many times the variance that chance gives it.
    pub kept_significant: f64,
    /// Units of the networks that are asked what else they keep, at most.
    pub beside_units: usize,
    /// How dynamical similarity is measured.
    pub dsa: DsaParams,
}

impl Default for CompareParams {
    fn default() -> Self {
        Self {
            interpret: InterpretParams::default(),
            episodes: (128, 2),
            most_episodes: 512,
            settled: (40, 16),
            coefficient: 0.02,
            coefficients: 0.06,
            turns: 3,
            course: 0.2,
            outputs: 0.98,
            outputs_error: 0.1,
            entry: 0.1,
            step_norm: 0.5,
            exchanged: 0.98,
            exchanged_error: 0.2,
            kept_size: 0.15,
            kept_significant: 10.0,
            beside_units: 1024,
            dsa: DsaParams::default(),
        }
    }
}
