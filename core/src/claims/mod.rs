//! What is claimed of a network: statements that were measured on fresh inputs and could have failed.
//!
//! Every claim carries its figure, its limit and whether it holds. A verdict is drawn from them and from nothing else.

mod behaviour;
mod structure;
mod verdict;

pub use behaviour::{Behaviour, Followed, follow};
pub(crate) use structure::steered_steps;
pub use structure::{StructureEvidence, steered};
pub use verdict::{Findings, Reason, Verdict, judge};

use crate::recurrence::RivalParams;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Where claims begin to hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClaimParams {
    /// Least share of right signs of every output in every quarter of the horizon.
    pub follows: f64,
    /// For a real-valued f: the largest error of an output in any quarter, as a share of its size.
    pub follows_error: f64,
    /// Least size of an output of +-1 in any quarter, as a share of its largest.
    pub keeps: f64,
    /// An output below this share of its size has faded away.
    pub faded: f64,
    /// Least share of the changes that f predicts for a flipped input, for every input.
    pub inputs: f64,
    /// For a real-valued f: the largest error of what a flipped input changes, as a share of it.
    pub inputs_error: f64,
    /// Least share of right signs in the first s steps after fresh inputs, for every output.
    pub windows: f64,
    /// For a real-valued f: the largest error in those steps, as a share of an output's size.
    pub windows_error: f64,
    /// Largest difference of an output's coefficients where another linear f predicts better.
    pub further: f64,
    /// For a truth table: the largest share of inputs in which one that f does not read may change an output.
    pub further_input: f64,
    /// Another linear f predicts better if its error is below this share of that of the f that is stated.
    pub better: f64,
    /// When the f that is stated can be compared with another at all.
    pub rival: RivalParams,
    /// Least share of the variance of fresh states that the code explains.
    pub explained: f64,
    /// Least share of right signs of every output after random contents were written into the state.
    pub steered: f64,
    /// For a real-valued f: the largest error of an output then, as a share of its size.
    pub steered_error: f64,
    /// Output steps that contents written into a network of truth tables are followed for, at least: a window of one step is no
    /// time to follow anything.
    pub steered_steps: usize,
    /// For a real-valued f: an output that f keeps below this share of the largest must be silent beside that one.
    pub silent: f64,
    /// Largest difference between the angles of an eigenvalue, learned and predicted, in radians.
    pub angles: f64,
    /// An output is held if it is right more often than this over the first s output steps. What is superposed lasts if every
    /// such output is in every quarter of a long time, and is told apart if every content, read as a sign, is too; chance is 0.5.
    pub held: f64,
    /// For a real-valued f: an output is held if it is missed by less than this share of its size.
    pub held_error: f64,
    /// Activity that falls below this share of its largest has died out.
    pub alive: f64,
    /// Noise explains why a content is read badly, if it is read at most this much less well than the noise allows.
    pub below_noise: f64,
    /// Contents are in the states at all if the code explains this share of their variance.
    pub present: f64,
    /// A state with fewer directions than contents is a code of them, `superposed`, if they explain at least this share of its
    /// variance ...
    pub superposed: f64,
    /// ... and in recordings, where noise has directions too, at least this.
    pub superposed_in_recordings: f64,
    /// Of the outputs that differ between two contexts, the least share that must follow the cue.
    pub cue_obeyed: f64,
    /// A memory of one context is shared with another from this share in the space of its memories on.
    pub shared: f64,
}

impl Default for ClaimParams {
    fn default() -> Self {
        Self {
            follows: 0.98,
            follows_error: 0.1,
            keeps: 0.5,
            faded: 0.01,
            inputs: 0.7,
            inputs_error: 0.2,
            windows: 0.99,
            windows_error: 0.1,
            further: 0.01,
            further_input: 0.02,
            better: 0.5,
            rival: RivalParams::default(),
            explained: 0.95,
            steered: 0.98,
            steered_error: 0.2,
            steered_steps: 8,
            silent: 1e-4,
            angles: 0.02,
            held: 0.6,
            held_error: 0.8,
            alive: 1e-3,
            below_noise: 0.03,
            present: 0.25,
            superposed: 0.5,
            superposed_in_recordings: 0.9,
            cue_obeyed: 0.98,
            shared: 0.9,
        }
    }
}

/// What is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ClaimName {
    /// A function of the window was found that predicts every output.
    FunctionKnown,
    /// Every output follows the function, in every quarter of a long time.
    FollowsFunction,
    /// Outputs of +-1 neither fade nor grow.
    KeepsSize,
    /// Every input changes what f says it changes.
    DependsOnInputs,
    /// The function is right for every fresh window.
    EveryWindow,
    /// No further term and no other coefficient predicts better.
    NoFurtherTerm,
    /// Every content is read from fresh states.
    ContentsRead,
    /// The contents explain the states.
    CodeExplains,
    /// Every content is in recorded states, and not only those of other episodes.
    ContentsPresent,
    /// Contents move as f says, in the basis of the code.
    StepMatrix,
    /// Contents that are written into the state come out as f says.
    Steered,
    /// The eigenvalues are those of f.
    Spectrum,
}

impl ClaimName {
    /// Every claim, in the order in which they are told.
    pub const ALL: [Self; 12] = [
        Self::FunctionKnown,
        Self::FollowsFunction,
        Self::KeepsSize,
        Self::DependsOnInputs,
        Self::EveryWindow,
        Self::NoFurtherTerm,
        Self::ContentsRead,
        Self::CodeExplains,
        Self::ContentsPresent,
        Self::StepMatrix,
        Self::Steered,
        Self::Spectrum,
    ];

    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::FunctionKnown => "function-known",
            Self::FollowsFunction => "follows-function",
            Self::KeepsSize => "keeps-size",
            Self::DependsOnInputs => "depends-on-inputs",
            Self::EveryWindow => "every-window",
            Self::NoFurtherTerm => "no-further-term",
            Self::ContentsRead => "contents-read",
            Self::CodeExplains => "code-explains",
            Self::ContentsPresent => "contents-present",
            Self::StepMatrix => "step-matrix",
            Self::Steered => "steered",
            Self::Spectrum => "spectrum",
        }
    }

    /// What is claimed, in a sentence.
    pub fn statement(self) -> &'static str {
        match self {
            Self::FunctionKnown => "one function of the last inputs predicts every output",
            Self::FollowsFunction => "every output follows the function, to the end",
            Self::KeepsSize => "the outputs neither fade nor grow",
            Self::DependsOnInputs => "every input changes what the function says it changes",
            Self::EveryWindow => "the function is right for every fresh input",
            Self::NoFurtherTerm => "no further term predicts better",
            Self::ContentsRead => "every content is read from the state",
            Self::CodeExplains => "the contents explain the state",
            Self::ContentsPresent => "the states hold the contents of their own episodes",
            Self::StepMatrix => "between the memories, one step is the circuit",
            Self::Steered => "contents written into the state come out as the function says",
            Self::Spectrum => "the eigenvalues are those of the circuit",
        }
    }
}

/// On which side of its limit a figure must lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Not below it.
    AtLeast,
    /// Not above it.
    AtMost,
}

/// One statement about a network, with its figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// What is claimed.
    pub name: ClaimName,
    /// The same in words.
    pub statement: &'static str,
    /// Whether it holds.
    pub holds: bool,
    /// What was measured; nothing where it could not be.
    #[serde(serialize_with = "finite")]
    pub measured: Option<f64>,
    /// The limit.
    pub limit: f64,
    /// On which side of the limit it must lie.
    pub bound: Bound,
    /// What the figure is, and where it is worst.
    pub detail: String,
}

/// A claim as it is read from a file: its name says it in words.
#[derive(Deserialize)]
struct SavedClaim {
    name: ClaimName,
    holds: bool,
    measured: Option<f64>,
    limit: f64,
    bound: Bound,
    detail: String,
}

impl<'de> Deserialize<'de> for Claim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let SavedClaim { name, holds, measured, limit, bound, detail } = SavedClaim::deserialize(deserializer)?;
        Ok(Self { name, statement: name.statement(), holds, measured, limit, bound, detail })
    }
}

impl Claim {
    /// A claim that holds if the figure is not below the limit.
    pub fn at_least(name: ClaimName, measured: f64, limit: f64, detail: impl Into<String>) -> Self {
        Self::new(name, measured, limit, Bound::AtLeast, detail.into())
    }

    /// A claim that holds if the figure is not above the limit.
    pub fn at_most(name: ClaimName, measured: f64, limit: f64, detail: impl Into<String>) -> Self {
        Self::new(name, measured, limit, Bound::AtMost, detail.into())
    }

    /// A claim that fails because nothing could be measured.
    pub fn unmeasured(name: ClaimName, limit: f64, bound: Bound, detail: impl Into<String>) -> Self {
        Self::new(name, f64::NAN, limit, bound, detail.into())
    }

    /// The figure with its limit: `0.9956, at least 0.98`.
    pub fn figure(&self) -> String {
        let bound = match self.bound {
            Bound::AtLeast => "at least",
            Bound::AtMost => "at most",
        };
        match self.measured {
            Some(value) => format!("{}, {bound} {}", number(value), self.limit),
            None => format!("not measurable, {bound} {}", self.limit),
        }
    }

    fn new(name: ClaimName, measured: f64, limit: f64, bound: Bound, detail: String) -> Self {
        // Comparisons with NaN fail, and so do claims.
        let holds = match bound {
            Bound::AtLeast => measured >= limit,
            Bound::AtMost => measured <= limit,
        };
        let measured = measured.is_finite().then_some(measured);
        Self { name, statement: name.statement(), holds, measured, limit, bound, detail }
    }
}

/// Four digits, or a power of ten where these would all be zero.
fn number(value: f64) -> String {
    match value.abs() {
        size if size > 0.0 && !(1e-3..1e4).contains(&size) => format!("{value:.0e}"),
        _ => format!("{value:.4}"),
    }
}

fn finite<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    value.filter(|value| value.is_finite()).serialize(serializer)
}

/// Whether every claim of a list holds; an empty list proves nothing.
pub fn all_hold(claims: &[Claim]) -> bool {
    !claims.is_empty() && claims.iter().all(|claim| claim.holds)
}

/// Whether a claim was made and holds.
pub fn holds(claims: &[Claim], name: ClaimName) -> bool {
    claims.iter().any(|claim| claim.name == name && claim.holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_measured_does_not_hold() {
        for claim in [
            Claim::at_least(ClaimName::Spectrum, f64::NAN, 0.0, ""),
            Claim::at_most(ClaimName::Spectrum, f64::NAN, 0.0, ""),
            Claim::at_most(ClaimName::Spectrum, f64::INFINITY, 1.0, ""),
        ] {
            assert!(!claim.holds && claim.measured.is_none(), "{claim:?}");
        }
        assert!(!all_hold(&[]));
    }
}
