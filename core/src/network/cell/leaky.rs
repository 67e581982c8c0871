//! A leaky layer, the cell of computational neuroscience: `h' = (1 - a) h + a act(W_ih u + b_ih + W_hh h + b_hh)`, a step of length
//! a in units of the time constant. Each unit has an a of its own in (0, 1], fixed or learned; a learned one is the logistic function
//! of a parameter, so that no step of training leaves the range.

use super::gates::{self, Biases};
use super::{
    About, Cell, CellKind, CellSetting, CellSettings, CellValues, Elman, Family, Layer, Parameter, ParameterMut,
};
use crate::network::dynamics::Jacobians;
use crate::network::initialize::Draw;
use crate::network::layers::{LayerTensors, Names, Read};
use crate::network::{Activation, Architecture, NetworkError};
use faer::prelude::ReborrowMut as _;
use faer::{Mat, MatMut, MatRef};

/// A leaky layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaky {
    /// What its units move towards.
    pub towards: Elman,
    /// How far they move in a step.
    pub leak: Leak,
}

/// How far each unit moves in a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Leak {
    /// As far as it was told, which training leaves alone.
    Fixed(Vec<f64>),
    /// The logistic function of these, which are trained.
    Learned(Vec<f64>),
}

/// Names of the tensors: a itself, or what a is the logistic function of.
const FIXED: &str = "alpha";
const LEARNED: &str = "alpha_logit";
/// Name of the setting that makes a learned one.
const LEARN: &str = "learn_alpha";
/// With 0.5 repeat copy of 3 x 2 is learned in 3,000 steps, with 0.2 it is not in 20,000: between two inputs units move too little.
const USUAL: f64 = 0.5;

impl Leaky {
    pub(super) const ABOUT: About = About {
        name: "leaky",
        explained: "leaky (leaky integration)",
        title: "leaky",
        layer: "leaky layer",
        noun: "leaky network",
        family: Family::Plain,
        written: Err("its units move only part of the way in a step, and what is written needs all of it"),
        settings: &[
            CellSetting {
                cell: CellKind::Leaky,
                name: FIXED,
                flag: "alpha",
                help: "how far units move in a step, h' = (1 - alpha) h + alpha act(..); where it is learned, to begin with",
                values: CellValues::Number { usual: USUAL, above: 0.0, most: 1.0, limit: "above 0 and at most 1" },
            },
            CellSetting {
                cell: CellKind::Leaky,
                name: LEARN,
                flag: "learn-alpha",
                help: "learn alpha, one for each unit, beginning with at most 0.99",
                values: CellValues::Flag,
            },
        ],
        ..Elman::ABOUT
    };

    pub(super) fn random(of: &Architecture, inputs: usize, draw: &Draw<'_>) -> Self {
        let alpha = of.settings.get(FIXED).unwrap_or(USUAL);
        let learned = of.settings.get(LEARN).is_some_and(|flag| flag != 0.0);
        // Rounded to what training computes with.
        let leak = match learned {
            true => Leak::Learned(vec![f64::from(logit(alpha) as f32); of.hidden]),
            false => Leak::Fixed(vec![f64::from(alpha as f32); of.hidden]),
        };
        Self { towards: Elman::random(of, inputs, draw), leak }
    }

    /// A plain layer among named tensors that has an a is a leaky one; one a stands for those of all units.
    pub(super) fn read<'a>(from: &LayerTensors<'a>, activation: Activation) -> Result<Read<'a>, NetworkError> {
        let (cell, mut used) = gates::read(from, activation)?;
        let Cell::Elman(towards) = cell else { return Ok((cell, used)) };
        let (learned, fixed) = (from.maybe(&[LEARNED])?, from.maybe(&NAMES_OF_FIXED)?);
        let Some(name) = learned.or(fixed) else { return Ok((Cell::Elman(towards), used)) };
        used.push(name);
        let mut values = from.values(name);
        if let [one] = values[..] {
            values = vec![one; towards.units()];
        }
        if learned.is_none() && !values.iter().all(|a| *a > 0.0 && *a <= 1.0) {
            let (found, instead) =
                ("a leak outside (0, 1]", "it is the length of a step in units of the time constant");
            return Err(NetworkError::Unsupported { name: name.into(), shape: vec![values.len()], found, instead });
        }
        let leak = if learned.is_some() { Leak::Learned(values) } else { Leak::Fixed(values) };
        Ok((Cell::Leaky(Self { towards, leak }), used))
    }
}

/// As bare names stand for the first layer: PyTorch's style and the field's.
const NAMES_OF_FIXED: Names = [FIXED, "leak"];

/// What a learned a begins with, at most: no logit reaches 1, and near it nothing is learned of a.
const MOST_AT_FIRST: f64 = 0.99;

fn logit(alpha: f64) -> f64 {
    let alpha = alpha.min(MOST_AT_FIRST);
    (alpha / (1.0 - alpha)).ln()
}

impl Leak {
    /// How far each unit moves in a step: more than 0, at most 1.
    pub fn alpha(&self) -> Vec<f64> {
        match self {
            Self::Fixed(alpha) => alpha.clone(),
            Self::Learned(logits) => logits.iter().map(|x| (1.0 / (1.0 + (-x).exp())).max(f64::MIN_POSITIVE)).collect(),
        }
    }
}

impl Layer for Leaky {
    fn units(&self) -> usize {
        self.towards.units()
    }

    fn inputs(&self) -> usize {
        self.towards.inputs()
    }

    fn step_into(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>, mut next: MatMut<'_, f64>) {
        self.towards.step_into(state, input, next.rb_mut());
        let alpha = self.leak.alpha();
        for j in 0..next.ncols() {
            for (i, a) in alpha.iter().enumerate() {
                next[(i, j)] = (1.0 - a) * state[(i, j)] + a * next[(i, j)];
            }
        }
    }

    fn jacobians(&self, state: &[f64], input: &[f64]) -> Jacobians {
        let (alpha, towards) = (self.leak.alpha(), self.towards.jacobians(state, input));
        let scaled = |m: &Mat<f64>| Mat::from_fn(m.nrows(), m.ncols(), |i, j| alpha[i] * m[(i, j)]);
        let mut by_state = scaled(&towards.state);
        (0..alpha.len()).for_each(|i| by_state[(i, i)] += 1.0 - alpha[i]);
        Jacobians { state: by_state, input: scaled(&towards.input) }
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        let mut all = self.towards.parameters();
        all.push(match &self.leak {
            Leak::Fixed(alpha) => (FIXED, Parameter::Vector(alpha)),
            Leak::Learned(logits) => (LEARNED, Parameter::Vector(logits)),
        });
        all
    }

    fn parameters_mut(&mut self) -> Vec<(&'static str, ParameterMut<'_>)> {
        let mut all = self.towards.parameters_mut();
        all.push(match &mut self.leak {
            Leak::Fixed(_) => (FIXED, ParameterMut::Constant),
            Leak::Learned(logits) => (LEARNED, ParameterMut::Vector(logits)),
        });
        all
    }

    fn shapes(&self) -> Vec<Vec<usize>> {
        let mut all = self.towards.shapes();
        all.push(vec![self.units()]);
        all
    }

    fn is_odd(&self) -> bool {
        self.towards.is_odd()
    }

    fn activation(&self) -> Option<Activation> {
        self.towards.activation()
    }

    fn settings(&self) -> CellSettings {
        let mut settings = CellSettings::default();
        let alpha = self.leak.alpha();
        let alike = alpha.windows(2).all(|pair| pair[0] == pair[1]);
        // As a person would write it: weights are f32.
        let written = |alpha: &f64| (*alpha as f32).to_string().parse().ok();
        settings.set(FIXED, alpha.first().filter(|_| alike).and_then(written));
        settings.set(LEARN, Some(f64::from(u8::from(matches!(self.leak, Leak::Learned(_))))));
        settings
    }

    fn biases_mut(&mut self) -> Option<&mut Option<Biases>> {
        self.towards.biases_mut()
    }
}
