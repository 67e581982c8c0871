//! How long the output phase is, step by step.

use serde::{Deserialize, Serialize};

use super::TrainError;
use super::limits::MAX_HORIZON;

/// A rule for the horizon: how many output steps the loss looks at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "lowercase", deny_unknown_fields)]
#[non_exhaustive]
pub enum Curriculum {
    /// Fixed horizons, each left for the next when one batch does well: the protocol of the paper's Table 1.
    Table1 {
        /// The horizons, in order.
        horizons: Vec<usize>,
        /// The accuracy of one batch that must be exceeded.
        threshold: f64,
    },
    /// A horizon that follows the rolling loss of every output step, up and down: the protocol of the paper's appendix.
    Adaptive {
        /// Where the horizon begins, and its lower limit.
        shortest: usize,
        /// Its upper limit.
        longest: usize,
        /// What it is multiplied or divided by at each optimizer step.
        factor: f64,
        /// The rolling loss that every step within the horizon must stay under for the horizon to grow.
        threshold: f64,
        /// The weight of the newest batch in the rolling loss.
        smoothing: f64,
    },
    /// One horizon throughout.
    None {
        /// The horizon.
        horizon: usize,
    },
}

impl Curriculum {
    /// `table1` with its defaults.
    pub fn table1() -> Self {
        Self::Table1 { horizons: vec![10, 20, 40, 60, 100], threshold: 0.98 }
    }

    /// `adaptive` with its defaults.
    pub fn adaptive() -> Self {
        Self::Adaptive { shortest: 10, longest: 100, factor: 1.2, threshold: 3e-2, smoothing: 0.1 }
    }

    /// `none` with its default.
    pub fn none() -> Self {
        Self::None { horizon: 100 }
    }

    /// The longest horizon it can ask for.
    pub fn longest(&self) -> usize {
        match self {
            Self::Table1 { horizons, .. } => horizons.iter().copied().max().unwrap_or(0),
            Self::Adaptive { longest, .. } => *longest,
            Self::None { horizon } => *horizon,
        }
    }

    /// The same rule with another longest horizon; `table1` drops the horizons from there on and ends with it.
    pub fn up_to(mut self, limit: usize) -> Self {
        match &mut self {
            Self::Table1 { horizons, .. } => {
                horizons.retain(|&horizon| horizon < limit);
                horizons.push(limit);
            }
            Self::Adaptive { shortest, longest, .. } => {
                *longest = limit;
                *shortest = limit.min(*shortest);
            }
            Self::None { horizon } => *horizon = limit,
        }
        self
    }

    /// The same rule with another threshold; `none` has no threshold to change.
    pub fn with_threshold(mut self, value: f64) -> Self {
        if let Self::Table1 { threshold, .. } | Self::Adaptive { threshold, .. } = &mut self {
            *threshold = value;
        }
        self
    }

    pub(crate) fn check(&self) -> Result<(), TrainError> {
        let wrong = |name, value: f64, limit| Err(TrainError::OutOfRange { name, value, limit });
        match self {
            Self::Table1 { horizons, .. } if horizons.is_empty() => wrong("the number of horizons", 0.0, "at least 1"),
            Self::Table1 { horizons, .. } if horizons.contains(&0) => wrong("horizon", 0.0, "at least 1"),
            Self::Table1 { threshold, .. } if !(0.0..=1.0).contains(threshold) => {
                wrong("threshold", *threshold, "an accuracy from 0 to 1")
            }
            Self::Adaptive { shortest, longest, .. } if *shortest == 0 || shortest > longest => {
                wrong("the shortest horizon", *shortest as f64, "from 1 to the longest horizon")
            }
            Self::Adaptive { factor, .. } if !(factor.is_finite() && *factor > 1.0) => {
                wrong("the horizon's factor", *factor, "a finite number above 1")
            }
            Self::Adaptive { threshold, .. } if !(threshold.is_finite() && *threshold > 0.0) => {
                wrong("threshold", *threshold, "a loss above 0")
            }
            Self::Adaptive { smoothing, .. } if !(*smoothing > 0.0 && *smoothing <= 1.0) => {
                wrong("smoothing", *smoothing, "above 0, at most 1")
            }
            Self::None { horizon: 0 } => wrong("horizon", 0.0, "at least 1"),
            _ if self.longest() > MAX_HORIZON => wrong("horizon", self.longest() as f64, "at most 65536"),
            _ => Ok(()),
        }
    }

    /// Whether a state can be one of this rule's: a checkpoint may say anything.
    pub(super) fn can_be_at(&self, state: &CurriculumState) -> bool {
        let stages = if let Self::Table1 { horizons, .. } = self { horizons.len() } else { usize::MAX };
        (1..=self.longest()).contains(&state.steps()) && state.stage < stages
    }

    /// Where the rule begins.
    pub fn begin(&self) -> CurriculumState {
        let horizon = match self {
            Self::Table1 { horizons, .. } => horizons.first().copied().unwrap_or(1),
            Self::Adaptive { shortest, .. } => *shortest,
            Self::None { horizon } => *horizon,
        };
        CurriculumState { stage: 0, horizon: horizon as f64, rolling_loss: Vec::new() }
    }

    /// Moves on after a batch.
    pub fn advance(&self, state: &mut CurriculumState, accuracy: f64, loss_by_step: &[f64]) {
        match self {
            Self::Table1 { horizons, threshold } => {
                if accuracy > *threshold && state.stage + 1 < horizons.len() {
                    state.stage += 1;
                    state.horizon = horizons[state.stage] as f64;
                }
            }
            Self::Adaptive { shortest, longest, factor, threshold, smoothing } => {
                for (t, &loss) in loss_by_step.iter().enumerate() {
                    match state.rolling_loss.get_mut(t) {
                        Some(rolling) => *rolling += smoothing * (loss - *rolling),
                        None => state.rolling_loss.push(loss),
                    }
                }
                let good = state.rolling_loss[..loss_by_step.len()].iter().all(|loss| loss < threshold);
                let next = if good { state.horizon * factor } else { state.horizon / factor };
                state.horizon = next.clamp(*shortest as f64, *longest as f64);
            }
            Self::None { .. } => {}
        }
    }
}

/// Where a curriculum stands; part of every checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurriculumState {
    /// Index of the horizon of `table1`.
    pub stage: usize,
    /// The horizon, before rounding to whole steps.
    pub horizon: f64,
    /// `adaptive`: the rolling loss of each output step seen so far.
    pub rolling_loss: Vec<f64>,
}

impl CurriculumState {
    /// The horizon of the next batch.
    pub fn steps(&self) -> usize {
        self.horizon.round() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table1_moves_on_when_one_batch_exceeds_the_threshold_and_stops_at_the_last() {
        let rule = Curriculum::table1();
        let mut state = rule.begin();
        rule.advance(&mut state, 0.98, &[]);
        assert_eq!(state.steps(), 10, "the threshold itself does not exceed it");
        for expected in [20, 40, 60, 100, 100] {
            rule.advance(&mut state, 0.981, &[]);
            assert_eq!(state.steps(), expected);
        }
    }

    #[test]
    fn adaptive_grows_while_every_step_is_good_and_shrinks_when_one_is_not() {
        let rule = Curriculum::adaptive();
        let mut state = rule.begin();
        rule.advance(&mut state, 0.0, &[0.01; 10]);
        assert_eq!(state.steps(), 12);
        let mut losses = [0.01; 12];
        losses[11] = 1.0;
        rule.advance(&mut state, 0.0, &losses);
        assert_eq!(state.steps(), 10);
        rule.advance(&mut state, 0.0, &[0.01; 10]);
        assert_eq!(state.steps(), 12, "steps beyond the horizon are not judged");
        // The bad step must leave the rolling loss first.
        for _ in 0..200 {
            let horizon = state.steps();
            rule.advance(&mut state, 0.0, &vec![0.0; horizon]);
        }
        assert_eq!(state.steps(), 100);
    }

    #[test]
    fn a_limit_cuts_the_horizons_and_comes_last() {
        let horizons = |rule: Curriculum| match rule {
            Curriculum::Table1 { horizons, .. } => horizons,
            _ => vec![],
        };
        assert_eq!(horizons(Curriculum::table1().up_to(40)), [10, 20, 40]);
        assert_eq!(horizons(Curriculum::table1().up_to(30)), [10, 20, 30]);
        assert_eq!(horizons(Curriculum::table1().up_to(5)), [5]);
    }
}
