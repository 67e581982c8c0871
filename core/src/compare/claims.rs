//! What is claimed of two networks, and the verdict drawn from it.

use crate::claims::Bound;
use serde::Serialize;

/// Whether two networks are the same circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairVerdict {
    /// Every claim holds.
    SameCircuit,
    /// They compute the same function, but some other claim fails.
    SameFunction,
    /// They compute different functions.
    Different,
    /// At least one of them shows no function.
    Unclear,
    /// They have different numbers of input steps or components, so that nothing can be held against each other.
    NotComparable,
}

impl PairVerdict {
    /// Every verdict.
    pub const ALL: [Self; 5] =
        [Self::SameCircuit, Self::SameFunction, Self::Different, Self::Unclear, Self::NotComparable];

    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::SameCircuit => "same-circuit",
            Self::SameFunction => "same-function",
            Self::Different => "different",
            Self::Unclear => "unclear",
            Self::NotComparable => "not-comparable",
        }
    }

    /// What it means, in one sentence.
    pub fn definition(self) -> &'static str {
        match self {
            Self::SameCircuit => {
                "Both are circuits, read without being told their task; they compute the same function, keep the same contents \
                 and, as far as linear readers find it, no other input that only one keeps, move them in the same way, and each goes on \
                 from what the other holds."
            }
            Self::SameFunction => {
                "They compute the same function, but not in the same way, or one of them is no circuit."
            }
            Self::Different => "They compute different functions.",
            Self::Unclear => {
                "There is not enough to tell: at least one shows no function, or what was read contradicts what they say after the same \
                 inputs."
            }
            Self::NotComparable => "They have different numbers of input steps or components.",
        }
    }
}

/// What is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PairClaimName {
    /// Both are circuits, read blind.
    BothCircuits,
    /// The functions read back are the same.
    SameFunction,
    /// They say the same after the same inputs.
    SameOutputs,
    /// They keep the same contents, and the same beside them.
    SameContents,
    /// The functions read back, run on from the same inputs, stay together.
    SameCourse,
    /// Contents move in the same way.
    SameStep,
    /// Every direction of the contents does, and not only each content.
    SameDirections,
    /// Each goes on from what the other holds.
    Exchange,
}

impl PairClaimName {
    /// Every claim, in the order in which they are made.
    pub const ALL: [Self; 8] = [
        Self::BothCircuits,
        Self::SameFunction,
        Self::SameCourse,
        Self::SameOutputs,
        Self::SameContents,
        Self::SameStep,
        Self::SameDirections,
        Self::Exchange,
    ];

    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::BothCircuits => "both-circuits",
            Self::SameFunction => "same-function",
            Self::SameOutputs => "same-outputs",
            Self::SameContents => "same-contents",
            Self::SameCourse => "same-course",
            Self::SameStep => "same-step",
            Self::SameDirections => "same-directions",
            Self::Exchange => "exchange",
        }
    }

    /// What is claimed, in a sentence.
    pub fn statement(self) -> &'static str {
        match self {
            Self::BothCircuits => "both are circuits, read without their task",
            Self::SameFunction => "the functions read back are the same",
            Self::SameOutputs => "they say the same after the same inputs",
            Self::SameContents => {
                "they keep the same contents, and no other input that linear readers find in one alone"
            }
            Self::SameCourse => "the functions read back stay together when they are run on",
            Self::SameStep => "one step moves the contents in the same way",
            Self::SameDirections => "one step moves every direction of the contents in the same way",
            Self::Exchange => "each goes on from what the other holds as the other does",
        }
    }
}

/// One statement about two networks, with its figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairClaim {
    /// What is claimed.
    pub name: PairClaimName,
    /// The same in words.
    pub statement: &'static str,
    /// Whether it holds.
    pub holds: bool,
    /// What was measured; nothing where it could not be.
    pub measured: Option<f64>,
    /// The limit.
    pub limit: f64,
    /// On which side of the limit it must lie.
    pub bound: Bound,
    /// What the figure is, and where it is worst.
    pub detail: String,
}

impl PairClaim {
    pub(super) fn new(name: PairClaimName, measured: f64, bound: Bound, limit: f64, detail: impl Into<String>) -> Self {
        // Comparisons with NaN fail, and so do claims.
        let holds = match bound {
            Bound::AtLeast => measured >= limit,
            Bound::AtMost => measured <= limit,
        };
        let measured = measured.is_finite().then_some(measured);
        Self { name, statement: name.statement(), holds, measured, limit, bound, detail: detail.into() }
    }

    /// The figure with its limit: `0.9956, at least 0.98`.
    pub fn figure(&self) -> String {
        let bound = match self.bound {
            Bound::AtLeast => "at least",
            Bound::AtMost => "at most",
        };
        match self.measured {
            Some(value) if value != 0.0 && value.abs() < 1e-3 => format!("{value:.0e}, {bound} {}", self.limit),
            Some(value) => format!("{value:.4}, {bound} {}", self.limit),
            None => format!("not measurable, {bound} {}", self.limit),
        }
    }
}

/// Draws the verdict from the claims and from nothing else; `known` says whether both show a function.
pub(super) fn verdict(claims: &[PairClaim], known: bool) -> PairVerdict {
    let holds = |name| claims.iter().any(|claim: &PairClaim| claim.name == name && claim.holds);
    let fails = |name| claims.iter().any(|claim: &PairClaim| claim.name == name && !claim.holds);
    let same_function = holds(PairClaimName::SameFunction) && !fails(PairClaimName::SameCourse);
    // Functions that differ must show it, or one of them is not what was read.
    let say_the_same = claims.iter().any(|claim| {
        claim.name == PairClaimName::SameOutputs && claim.bound == Bound::AtLeast && claim.measured == Some(1.0)
    });
    match () {
        () if !known => PairVerdict::Unclear,
        () if !same_function && say_the_same => PairVerdict::Unclear,
        () if !same_function => PairVerdict::Different,
        () if claims.iter().all(|claim| claim.holds) => PairVerdict::SameCircuit,
        // What was read is the same, and what they say is not: one of them does not do what was read.
        () if fails(PairClaimName::SameOutputs) => PairVerdict::Unclear,
        () => PairVerdict::SameFunction,
    }
}
