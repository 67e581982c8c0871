//! What was found, stage by stage, in a few numbers.

use super::{Claim, Reason, Verdict};
use crate::code::{ContentsFrom, Product, Rows};
use crate::memories::Method;
use crate::network::{CellKind, Network};
use crate::spectrum::Spectrum;
use crate::task::Component;
use serde::{Deserialize, Serialize};

/// A task in a few numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskSummary {
    /// What it is called; nothing where it could not be told.
    pub name: Option<String>,
    /// Variables.
    pub s: usize,
    /// Components of a variable.
    pub d: usize,
    /// Components that are kept for good.
    pub core: Option<usize>,
}

/// The spectra, by place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spectra {
    /// Of the Jacobian at the zero state; nothing where only trajectories are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Spectrum>,
    /// Of the Jacobian at a fixed point, for networks with biases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_point: Option<Spectrum>,
    /// Of the best linear map on the visited states.
    pub orbit: Spectrum,
    /// Of the best linear map on what the code reads from them, where the orbit itself is led astray by units that hold
    /// nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memories: Option<Spectrum>,
}

impl Spectra {
    /// The one that claims rest on: what is read from the memories where the orbit is led astray, otherwise the orbit.
    pub fn lasting(&self) -> &Spectrum {
        self.memories.as_ref().unwrap_or(&self.orbit)
    }
}

/// Memories in a few numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoriesSummary {
    /// How they were found.
    pub method: Method,
    /// Share of contents read rightly from settled states on fresh inputs, over all components.
    pub mean: f64,
    /// The same for the worst component.
    pub worst: f64,
    /// Which component that is.
    pub worst_component: Option<Component>,
    /// The worst component over the first s output steps, while the state settles.
    pub first_steps: f64,
    /// Whether every component is recovered.
    pub recovered: bool,
    /// Condition number of the memories.
    pub condition: Option<f64>,
    /// Relative distance of the learned circuit from Phi.
    pub phi_error: Option<f64>,
}

/// The code in a few numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeSummary {
    /// What the contents are taken to be.
    pub contents: ContentsFrom,
    /// How many there are.
    pub count: usize,
    /// Share of the variance of fresh states that they explain.
    pub explained: f64,
    /// Directions in which they stand out of what is left over.
    pub directions: usize,
    /// Condition number of the memories.
    pub condition: Option<f64>,
    /// Contents that are read linearly.
    pub read: usize,
    /// The one that is read worst: share of right signs, or 1 less the error of real values.
    pub worst: f64,
    /// Rows of the step matrix that are those of f.
    pub rows: Rows,
    /// Products of contents that the states hold beside them, where f is a truth table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub products: Option<ProductsSummary>,
    /// The code of one output step, for cells whose code may change with time and for truth tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_one_moment: Option<AtOneMoment>,
}

/// Product memories in a few numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProductsSummary {
    /// Share of the variance of fresh states that contents alone explain, then with products of two, of three, and so on.
    pub by_degree: Vec<f64>,
    /// The products that make up most of it.
    pub largest: Vec<Product>,
}

/// A code that was fitted and judged at one output step alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AtOneMoment {
    /// The output step, from 0.
    pub step: usize,
    /// Episodes that it was fitted on, and as many that it was judged on.
    pub episodes: usize,
    /// Share of the variance of fresh states that contents explain.
    pub explained: f64,
    /// The same with products of two, where f is a truth table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_products: Option<f64>,
    /// The content that is read worst.
    pub worst: f64,
    /// Condition number of the memories.
    pub condition: f64,
}

/// How the visited states fill the state space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rank {
    /// Directions that the orbit was linearized on.
    pub used: usize,
    /// Directions before the largest gap between consecutive singular values.
    pub largest_gap: usize,
    /// The ratio at that gap.
    pub gap_ratio: f64,
    /// Share of each step that the linear map does not predict.
    pub residual: f64,
    /// Singular values of the visited states, falling.
    pub singular_values: Vec<f64>,
}

/// What a network is made of, in a few numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkSummary {
    /// The kind of its layers; nothing where they are of several.
    pub cell: Option<CellKind>,
    /// How many layers.
    pub layers: usize,
    /// Units that the readout sees.
    pub units: usize,
    /// Numbers in its state, all layers together.
    pub state: usize,
}

impl NetworkSummary {
    pub(super) fn of(network: &Network) -> Self {
        let (layers, state) = (network.layers.len(), network.state_size());
        Self { cell: network.kind(), layers, units: network.hidden(), state }
    }
}

impl std::fmt::Display for NetworkSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cell, layers, units, .. } = *self;
        match cell {
            Some(CellKind::Elman) => {}
            Some(cell) => write!(f, "{} ", cell.title())?,
            None => write!(f, "mixed cells ")?,
        }
        match layers {
            1 => write!(f, "H={units}"),
            layers => write!(f, "{layers} layers H={units}"),
        }
    }
}

/// What is found in the whole state, where the units are a part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WholeState {
    /// Numbers in it.
    pub size: usize,
    /// What it comes to there.
    pub verdict: Verdict,
    /// Why.
    pub reasons: Vec<Reason>,
    /// What is claimed of it.
    pub claims: Vec<Claim>,
    /// The code there.
    pub code: Option<CodeSummary>,
}

impl std::fmt::Display for WholeState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let failing: Vec<_> = self.claims.iter().filter(|claim| !claim.holds).map(|claim| claim.name.name()).collect();
        write!(f, "on the whole state ({} numbers): {}", self.size, self.verdict.name())?;
        match &failing[..] {
            [] => write!(f, ", all {} claims hold", self.claims.len()),
            some => write!(f, ", {} of {} claims fail ({})", some.len(), self.claims.len(), some.join(", ")),
        }
    }
}
