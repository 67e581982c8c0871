//! What numbers settings take. Amounts have an end, as they take memory and time; thresholds have none but their meaning.

use super::Leaf;
use crate::choose::UnknownWord;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

/// Reads a word as a value.
pub type ReadWord = fn(&str) -> Result<Value, UnknownWord>;

/// The numbers that a setting takes, ends included, and what they count.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The least of them.
    pub least: f64,
    /// The most.
    pub most: f64,
    /// What one is; nothing for plain numbers.
    pub unit: &'static str,
    /// How a word is read where it takes no number.
    pub words: Option<ReadWord>,
}

/// Any number.
pub const ANY: Limits = between(f64::NEG_INFINITY, f64::INFINITY, "");
/// A share of a whole, a correlation, a cosine.
pub const SHARE: Limits = between(0.0, 1.0, "share");
/// A size, or an error as a share of a size.
pub const SIZE: Limits = between(0.0, f64::INFINITY, "");
/// A number more than 0.
pub const POSITIVE: Limits = between(f64::MIN_POSITIVE, f64::INFINITY, "");
/// How many times as much.
pub const TIMES: Limits = between(0.0, f64::INFINITY, "times");
/// How far from a mean.
pub const DEVIATIONS: Limits = between(0.0, f64::INFINITY, "standard deviations");
/// A damping, relative to what is damped: none would divide by what may be 0.
pub const RIDGE: Limits = between(f64::MIN_POSITIVE, f64::INFINITY, "share");
/// A difference between two angles.
pub const RADIANS: Limits = between(0.0, std::f64::consts::PI, "radians");
/// A time that something may take.
pub const SECONDS: Limits = between(f64::MIN_POSITIVE, f64::INFINITY, "seconds");
/// Time steps, one at least.
pub const STEPS: Limits = between(1.0, 100_000.0, "steps");
/// Time steps that are waited for.
pub const SETTLING: Limits = between(f64::NEG_INFINITY, 100_000.0, "steps");
/// Episodes, or other samples, one at least.
pub const EPISODES: Limits = between(1.0, 65_536.0, "episodes");
/// A number of things, perhaps none.
pub const COUNT: Limits = between(f64::NEG_INFINITY, 1_000_000.0, "");
/// Parts that are held out in turn.
pub const FOLDS: Limits = between(2.0, 1000.0, "folds");
/// Shuffles: chance is seen in one at least.
pub const DRAWS: Limits = between(1.0, 10_000.0, "draws");
/// States that a search starts from: each ends in one that is kept.
pub const STARTS: Limits = between(f64::NEG_INFINITY, 100_000.0, "starts");

/// Numbers from one to another.
pub const fn between(least: f64, most: f64, unit: &'static str) -> Limits {
    Limits { least, most, unit, words: None }
}

/// A choice of words; a wrong one is answered with their list.
pub const fn words<T: FromStr<Err = UnknownWord> + Serialize + DeserializeOwned>() -> Limits {
    Limits { words: Some(|typed| typed.parse::<T>().map(|word| word.value())), ..ANY }
}

impl Limits {
    /// Whether a number lies within.
    pub fn hold(&self, number: f64) -> bool {
        (self.least..=self.most).contains(&number)
    }
}

impl Default for Limits {
    fn default() -> Self {
        ANY
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (f64::NEG_INFINITY, f64::INFINITY) => f.write_str("any"),
            (f64::MIN_POSITIVE, f64::INFINITY) => f.write_str("more than 0"),
            (f64::NEG_INFINITY, most) => write!(f, "at most {most}"),
            (least, f64::INFINITY) => write!(f, "at least {least}"),
            (least, most) => write!(f, "from {least} to {most}"),
        }
    }
}
