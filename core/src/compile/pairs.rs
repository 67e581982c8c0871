//! Contents that share one direction for a step: `first + second / 2`, told apart again by thresholds.

use super::threshold::Threshold;
use crate::task::{Gate, Slot};

/// Two contents, counted from 0, that are held in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SuperposedPair {
    /// The content with weight 1.
    pub first: usize,
    /// The content with weight 1/2.
    pub second: usize,
}

/// The gain of the units that hold a pair: small enough that four levels stay apart, large enough that noise is small.
pub(super) const GAIN: f64 = 0.6;
/// The two sizes of `first + second / 2`.
const SIZES: [f64; 2] = [0.5, 1.5];

/// What units make of the levels of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    /// Half way between the two sizes: readings are given in this.
    pub(super) middle: f64,
    /// How much a reading changes with the level, at most.
    pub(super) slope: f64,
    /// How near readings come to zero.
    pub(super) small: f64,
}

impl Levels {
    pub(super) fn of(squash: impl Fn(f64) -> f64) -> Self {
        let [small, large] = SIZES.map(|size| squash(GAIN * size));
        let middle = (small + large) / 2.0;
        let step = 1e-4;
        let slope = (squash(GAIN * (SIZES[0] + step)) - small) / step;
        Self { middle, slope: slope / middle, small: small / middle }
    }

    /// How near readings come to a threshold: at zero, or half way between the sizes.
    pub(super) fn half_gap(self, threshold: f64) -> f64 {
        if threshold == 0.0 { self.small } else { 1.0 - self.small }
    }
}

impl SuperposedPair {
    /// The first content is the sign of the level.
    pub(super) fn first_apart() -> Vec<Threshold> {
        vec![threshold(0.0, 1.0)]
    }

    /// The second is up in the levels 3/2 and -1/2: `T(-1) - T(0) + T(1)`.
    pub(super) fn second_apart() -> Vec<Threshold> {
        vec![threshold(-1.0, 1.0), threshold(0.0, -1.0), threshold(1.0, 1.0)]
    }
}

fn threshold(threshold: f64, coefficient: f64) -> Threshold {
    Threshold { weights: vec![1.0], threshold, half_gap: 0.5, coefficient }
}

/// Pairs of contents that can share a direction, as many as there are and at most `wanted`: neither is an output, is read by f,
/// or stands next to another shared one on its way.
pub(super) fn choose(gates: &[Gate], all: &[Slot], wanted: usize) -> Vec<SuperposedPair> {
    let read: Vec<Slot> = gates.iter().flat_map(Gate::inputs).copied().collect();
    let place = |slot: Slot| all.iter().position(|other| *other == slot);
    let can = |slot: &Slot| {
        slot.lag.is_multiple_of(2) && !read.contains(slot) && place(Slot { lag: slot.lag + 1, ..*slot }).is_some()
    };
    let candidates: Vec<Slot> = all.iter().filter(|slot| can(slot)).copied().collect();
    let places: Vec<usize> = candidates.iter().filter_map(|slot| place(*slot)).collect();
    places.as_chunks::<2>().0.iter().take(wanted).map(|&[first, second]| SuperposedPair { first, second }).collect()
}
