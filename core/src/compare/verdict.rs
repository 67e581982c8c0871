//! From claims about two networks to a verdict.

use super::agreement::{PairClaim, PairClaimName};
use crate::claims::{Bound, fails, holds};
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

/// Draws the verdict from the claims and from nothing else; `known` says whether both show a function.
pub(super) fn verdict(claims: &[PairClaim], known: bool) -> PairVerdict {
    let same_function = holds(claims, PairClaimName::SameFunction) && !fails(claims, PairClaimName::SameCourse);
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
        () if fails(claims, PairClaimName::SameOutputs) => PairVerdict::Unclear,
        () => PairVerdict::SameFunction,
    }
}
