//! A claim, and the tables that claims are made by: what each says, where it begins to hold, how it is measured.

use super::ClaimName;
use crate::numeric::NumericError;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// On which side of its limit a figure must lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Not below it.
    AtLeast,
    /// Not above it.
    AtMost,
}

/// Where a claim begins to hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The figure that is just good enough.
    pub value: f64,
    /// On which side of it others must lie.
    pub bound: Bound,
}

impl Limit {
    /// Figures that are not below a value are good enough.
    pub fn at_least(value: f64) -> Self {
        Self { value, bound: Bound::AtLeast }
    }

    /// Figures that are not above a value are.
    pub fn at_most(value: f64) -> Self {
        Self { value, bound: Bound::AtMost }
    }

    /// Of signs a share must be right, of real values the error must be small.
    pub fn of_values(signs: bool, least: f64, most: f64) -> Self {
        if signs { Self::at_least(least) } else { Self::at_most(most) }
    }

    // Comparisons with NaN fail, and so do claims.
    fn holds(self, figure: f64) -> bool {
        match self.bound {
            Bound::AtLeast => figure >= self.value,
            Bound::AtMost => figure <= self.value,
        }
    }
}

/// The figure of a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// What was measured; NaN where it could not be.
    pub value: f64,
    /// The same where there is nothing to find.
    pub control: Option<f64>,
    /// What the figure is, and where it is worst.
    pub detail: String,
}

/// What comes of measuring a claim: nothing where it has no meaning.
pub type Outcome = Option<Result<Measured, NumericError>>;

impl Measured {
    /// A figure without a control.
    pub fn new(value: f64, detail: impl Into<String>) -> Self {
        Self { value, control: None, detail: detail.into() }
    }
}

/// A claim that has meaning, and its figure.
pub(crate) fn found(value: f64, detail: impl Into<String>) -> Outcome {
    Some(Ok(Measured::new(value, detail)))
}

/// A claim that has meaning, and fails because nothing could be measured.
pub(crate) fn unmeasured(detail: impl Into<String>) -> Outcome {
    found(f64::NAN, detail)
}

/// A row of a table of claims, which are measured from `Evidence`.
#[derive(Debug)]
pub struct ClaimKind<Evidence, Name = ClaimName> {
    /// What is claimed.
    pub name: Name,
    /// The same in words.
    pub statement: &'static str,
    /// Where it begins to hold, which may depend on what was seen.
    pub limit: fn(&Evidence) -> Limit,
    /// Measures it.
    pub measure: fn(&Evidence) -> Outcome,
}

impl<Evidence, Name: Copy> ClaimKind<Evidence, Name> {
    /// The claim; nothing where it has no meaning.
    pub fn claim(&self, of: &Evidence) -> Option<Result<Claim<Name>, NumericError>> {
        let claim = |measured| Claim::new((self.name, self.statement), (self.limit)(of), measured);
        Some((self.measure)(of)?.map(claim))
    }
}

/// Declares claims: an enumeration of their names, and tables in the order in which they are told. A line is
/// `Variant = "name", "statement", limit, measure;`, the last two functions of the evidence that stands at the head of its table.
macro_rules! claim_tables {
    (
        $(#[$of:meta])* pub enum $name:ident;
        $($(#[$about:meta])* pub const $table:ident: $evidence:ident<$seen:lifetime> = {
            $($(#[$doc:meta])* $claim:ident = $word:literal, $statement:literal, $limit:expr, $measure:expr;)+
        })+
    ) => {
        $(#[$of])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ::serde::Serialize, ::serde::Deserialize)]
        #[non_exhaustive]
        pub enum $name {
            $($($(#[$doc])* #[serde(rename = $word)] $claim,)+)+
        }

        impl $name {
            /// Every claim, in the order in which they are told.
            pub const ALL: [Self; [$($($name::$claim),+),+].len()] = [$($($name::$claim),+),+];

            /// The name, as in JSON.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Self::$claim => $word,)+)+
                }
            }

            /// What is claimed, in a sentence.
            pub fn statement(self) -> &'static str {
                match self {
                    $($(Self::$claim => $statement,)+)+
                }
            }
        }

        $(impl<$seen> $evidence<$seen> {
            $(#[$about])*
            pub const $table: &$seen [$crate::claims::ClaimKind<Self, $name>] = &[
                $($crate::claims::ClaimKind {
                    name: $name::$claim,
                    statement: $statement,
                    limit: $limit,
                    measure: $measure,
                },)+
            ];
        })+
    };
}
pub(crate) use claim_tables;

/// One statement about a network, with its figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim<Name = ClaimName> {
    /// What is claimed.
    pub name: Name,
    /// The same in words.
    pub statement: &'static str,
    /// Whether it holds.
    pub holds: bool,
    /// What was measured; nothing where it could not be.
    #[serde(serialize_with = "finite")]
    pub measured: Option<f64>,
    /// The same where there is nothing to find, for claims that have a control of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<f64>,
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
    #[serde(default)]
    control: Option<f64>,
    limit: f64,
    bound: Bound,
    detail: String,
}

impl<'de> Deserialize<'de> for Claim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let SavedClaim { name, holds, measured, control, limit, bound, detail } =
            SavedClaim::deserialize(deserializer)?;
        Ok(Self { name, statement: name.statement(), holds, measured, control, limit, bound, detail })
    }
}

impl<Name> Claim<Name> {
    pub(super) fn new((name, statement): (Name, &'static str), limit: Limit, measured: Measured) -> Self {
        let Measured { value, control, detail } = measured;
        let (holds, Limit { value: limit, bound }) = (limit.holds(value), limit);
        Self { name, statement, holds, measured: value.is_finite().then_some(value), control, limit, bound, detail }
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
pub fn all_hold<Name>(claims: &[Claim<Name>]) -> bool {
    !claims.is_empty() && claims.iter().all(|claim| claim.holds)
}

/// Whether a claim was made and holds.
pub fn holds<Name: PartialEq>(claims: &[Claim<Name>], name: Name) -> bool {
    claims.iter().any(|claim| claim.name == name && claim.holds)
}

/// Whether a claim was made and does not hold.
pub fn fails<Name: PartialEq>(claims: &[Claim<Name>], name: Name) -> bool {
    claims.iter().any(|claim| claim.name == name && !claim.holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(limit: Limit, measured: Measured) -> Claim {
        Claim::new((ClaimName::Spectrum, ClaimName::Spectrum.statement()), limit, measured)
    }

    #[test]
    fn what_could_not_be_measured_does_not_hold() {
        for claim in [
            claim(Limit::at_least(0.0), Measured::new(f64::NAN, "")),
            claim(Limit::at_most(0.0), Measured::new(f64::NAN, "")),
            claim(Limit::at_most(1.0), Measured::new(f64::INFINITY, "")),
        ] {
            assert!(!claim.holds && claim.measured.is_none(), "{claim:?}");
        }
        assert!(!all_hold::<ClaimName>(&[]));
    }

    #[test]
    fn a_control_is_saved_only_where_there_is_one() {
        let with =
            |control| claim(Limit::at_least(0.9), Measured { value: 0.95, control, detail: "right signs".into() });
        for claim in [with(None), with(Some(0.5))] {
            let text = serde_json::to_string(&claim).unwrap();
            assert_eq!(text.contains("control"), claim.control.is_some(), "{text}");
            assert_eq!(serde_json::from_str::<Claim>(&text).unwrap(), claim);
        }
    }
}
