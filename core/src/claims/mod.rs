//! What is claimed of a network: statements that were measured on fresh inputs and could have failed.
//!
//! Every claim carries its figure, its limit and whether it holds. A verdict is drawn from them and from nothing else.

mod behaviour;
mod kept;
mod reason;
mod structure;
mod verdict;

pub use behaviour::Behaviour;
pub use reason::Reason;
pub(crate) use structure::steered_steps;
pub use structure::{StructureEvidence, steered};
pub use verdict::{Alone, Findings, Verdict, judge};

use crate::recurrence::RivalParams;
use crate::setting::settings;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

settings! {
    /// Where claims begin to hold.
    pub struct ClaimParams {
        /// Least share of right signs of every output in every quarter of the horizon.
        follows: f64 = 0.98, SHARE;
        /// For a real-valued f: the largest error of an output in any quarter, as a share of its size.
        follows_error: f64 = 0.1, SIZE;
        /// Least share of right signs of every output at every single step, over all episodes.
        step: f64 = 0.9, SHARE;
        /// For a real-valued f: the largest error of an output at any single step, as a share of its size there.
        step_error: f64 = 0.2, SIZE;
        /// Least share of right signs of every output in every single episode, over all steps; chance is 0.5.
        episode: f64 = 0.75, SHARE;
        /// For a real-valued f: the largest error of an output in any single episode, as a share of its size over all of them.
        episode_error: f64 = 0.3, SIZE;
        /// Least size of an output of +-1 in any quarter, as a share of its largest.
        keeps: f64 = 0.5, SHARE;
        /// An output below this share of its size has faded away.
        faded: f64 = 0.01, SHARE;
        /// Of all directions of the contents, the one that has shrunk most by the end of the horizon keeps at least this share of what
        /// the middle one keeps.
        kept: f64 = 0.25, SHARE;
        /// Least share of the changes that f predicts for a flipped input, for every input.
        inputs: f64 = 0.7, SHARE;
        /// For a real-valued f: the largest error of what a flipped input changes, as a share of it.
        inputs_error: f64 = 0.2, SIZE;
        /// Least share of right signs in the first s steps after fresh inputs, for every output.
        windows: f64 = 0.99, SHARE;
        /// For a real-valued f: the largest error in those steps, as a share of an output's size.
        windows_error: f64 = 0.1, SIZE;
        /// Largest difference of an output's coefficients where another linear f predicts better.
        further: f64 = 0.01, SIZE;
        /// For a truth table: the largest share of inputs in which one that f does not read may change an output.
        further_input: f64 = 0.02, SHARE;
        /// Where an output was not f's, another rule holds for rare inputs if it is seen again in more than this share of the windows
        /// that agree in the inputs that matter there.
        rare: f64 = 0.5, SHARE;
        /// Another linear f predicts better if its error is below this share of that of the f that is stated.
        better: f64 = 0.5, SHARE;
        /// When the f that is stated can be compared with another at all.
        rival: RivalParams;
        /// Least share of the variance of fresh states that the code explains.
        explained: f64 = 0.95, SHARE;
        /// Least share of right signs of every output after random contents were written into the state.
        steered: f64 = 0.98, SHARE;
        /// For a real-valued f: the largest error of an output then, as a share of its size.
        steered_error: f64 = 0.2, SIZE;
        /// Output steps that contents written into a network of truth tables are followed for, at least: a window of one step is no
        /// time to follow anything.
        steered_steps: usize = 8, STEPS;
        /// And at most: contents are not followed beyond the end of a trial.
        steered_most: usize = 10_000, STEPS;
        /// For a real-valued f: an output that f keeps below this share of the largest must be silent beside that one.
        silent: f64 = 1e-4, SHARE;
        /// Largest that one step may move a direction of the contents otherwise than f does, as a share of its length: the operator norm
        /// of the difference.
        step_norm: f64 = 0.5, SIZE;
        /// Largest difference between the angles of an eigenvalue, learned and predicted, in radians.
        angles: f64 = 0.02, RADIANS;
        /// Largest difference between the moduli of an eigenvalue, learned and predicted.
        moduli: f64 = 0.1, SIZE;
        /// An output is held if it is right more often than this over the first s output steps. What is superposed is told apart if every
        /// content, read as a sign, is right more often than this too; chance is 0.5.
        held: f64 = 0.6, SHARE;
        /// ... and more often than this at each of these steps.
        held_step: f64 = 0.55, SHARE;
        /// For a real-valued f: an output is held if it is missed by less than this share of its size.
        held_error: f64 = 0.8, SIZE;
        /// Activity that falls below this share of its largest has died out.
        alive: f64 = 1e-3, SHARE;
        /// Noise explains why a content is read badly, if it is read at most this much less well than the noise allows.
        below_noise: f64 = 0.03, SHARE;
        /// Contents are in the states at all if the code explains this share of their variance.
        present: f64 = 0.25, SHARE;
        /// A state with fewer directions than contents is a code of them, `superposed`, if they explain at least this share of its
        /// variance ...
        superposed: f64 = 0.5, SHARE;
        /// ... and in recordings, where noise has directions too, at least this.
        superposed_in_recordings: f64 = 0.9, SHARE;
        /// ... if every output that is held is right more often than this in every quarter of a long time ...
        lasts: f64 = 0.55, SHARE;
        /// ... and if at least this share of all signs is right over the whole horizon: what errs more often has not learned its task.
        superposed_accuracy: f64 = 0.875, SHARE;
        /// Noise may hide what a recording does not show of some contents where at least this share of them stands out.
        seen_through_noise: f64 = 0.75, SHARE;
        /// Without a task: a network comes to rest if no more than this share of episodes has an output that still changes its sign in
        /// the second half of the time.
        rests: f64 = 0.01, SHARE;
        /// Of the outputs that differ between two contexts, the least share that must follow the cue.
        cue_obeyed: f64 = 0.98, SHARE;
        /// A memory of one context is shared with another from this share in the space of its memories on.
        shared: f64 = 0.9, SHARE;
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
    /// No single step of the horizon is an exception.
    EveryStep,
    /// No single episode is an exception.
    EveryEpisode,
    /// Outputs of +-1 neither fade nor grow.
    KeepsSize,
    /// No direction of the contents fades by the end of the horizon.
    KeepsContents,
    /// Every input changes what f says it changes.
    DependsOnInputs,
    /// The function is right for every fresh window.
    EveryWindow,
    /// No other linear function, with a further term or another coefficient, predicts better.
    NoFurtherTerm,
    /// No input that a truth table does not read changes an output.
    NoFurtherInput,
    /// Where an output was not f's, no other rule was found.
    NoRareRule,
    /// Every content is read from fresh states.
    ContentsRead,
    /// The contents explain the states.
    CodeExplains,
    /// Every content is in recorded states, and not only those of other episodes.
    ContentsPresent,
    /// Contents move as f says, in the basis of the code.
    StepMatrix,
    /// The same in every direction of the contents, and not only entry by entry.
    StepDirections,
    /// Contents that are written into the state come out as f says.
    Steered,
    /// The angles of the eigenvalues are those of f.
    Spectrum,
    /// The moduli of the eigenvalues are those of f.
    Moduli,
}

impl ClaimName {
    /// Every claim, in the order in which they are told.
    pub const ALL: [Self; 19] = [
        Self::FunctionKnown,
        Self::FollowsFunction,
        Self::EveryStep,
        Self::EveryEpisode,
        Self::KeepsSize,
        Self::KeepsContents,
        Self::DependsOnInputs,
        Self::EveryWindow,
        Self::NoFurtherTerm,
        Self::NoFurtherInput,
        Self::NoRareRule,
        Self::ContentsRead,
        Self::CodeExplains,
        Self::ContentsPresent,
        Self::StepMatrix,
        Self::StepDirections,
        Self::Steered,
        Self::Spectrum,
        Self::Moduli,
    ];

    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::FunctionKnown => "function-known",
            Self::FollowsFunction => "follows-function",
            Self::EveryStep => "every-step",
            Self::EveryEpisode => "every-episode",
            Self::KeepsSize => "keeps-size",
            Self::KeepsContents => "keeps-contents",
            Self::DependsOnInputs => "depends-on-inputs",
            Self::EveryWindow => "every-window",
            Self::NoFurtherTerm => "no-further-term",
            Self::NoFurtherInput => "no-further-input",
            Self::NoRareRule => "no-rare-rule",
            Self::ContentsRead => "contents-read",
            Self::CodeExplains => "code-explains",
            Self::ContentsPresent => "contents-present",
            Self::StepMatrix => "step-matrix",
            Self::StepDirections => "step-directions",
            Self::Steered => "steered",
            Self::Spectrum => "spectrum",
            Self::Moduli => "moduli",
        }
    }

    /// What is claimed, in a sentence.
    pub fn statement(self) -> &'static str {
        match self {
            Self::FunctionKnown => "one function of the last inputs predicts every output",
            Self::FollowsFunction => "every output follows the function, to the last step that was run",
            Self::EveryStep => "no single step is an exception",
            Self::EveryEpisode => "no single input is an exception",
            Self::KeepsSize => "the outputs neither fade nor grow",
            Self::KeepsContents => "no direction of the contents fades",
            Self::DependsOnInputs => "every input changes what the function says it changes",
            Self::EveryWindow => "the function is right for fresh inputs",
            Self::NoFurtherTerm => "no other linear function predicts better",
            Self::NoFurtherInput => "no input that the function does not read changes an output",
            Self::NoRareRule => "no other rule was found for rare inputs",
            Self::ContentsRead => "every content is read from the state",
            Self::CodeExplains => "the contents explain the state",
            Self::ContentsPresent => "the states hold the contents of their own episodes",
            Self::StepMatrix => "between the memories, one step is the circuit",
            Self::StepDirections => "one step moves every direction of the contents as the circuit does",
            Self::Steered => "contents written into the state come out as the function says",
            Self::Spectrum => "the eigenvalues point where the circuit's do",
            Self::Moduli => "the eigenvalues last as the circuit's do",
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
