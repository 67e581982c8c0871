//! Weights that are kept during training.

use serde::{Deserialize, Serialize};

use super::TrainError;

/// Most snapshots of one run.
pub const MAX_SNAPSHOTS: u32 = 1000;

/// How many times the weights are kept during training, and after which steps: first before any step, last at the end,
/// wherever that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshots {
    /// How many, at most.
    pub count: u32,
    /// Whether the steps between them grow by a factor: early training in detail. Default evenly spaced.
    pub log_spaced: bool,
}

impl Snapshots {
    /// Refuses what no training can use.
    pub(super) fn check(&self) -> Result<(), TrainError> {
        if (2..=MAX_SNAPSHOTS).contains(&self.count) {
            return Ok(());
        }
        Err(TrainError::OutOfRange { name: "snapshots", value: self.count.into(), limit: "from 2 to 1000" })
    }

    /// The steps after which weights are kept, of a run of `all` steps.
    pub fn steps(&self, all: u64) -> Vec<u64> {
        let last = f64::from(self.count.max(2) - 1);
        let step = |k: u32| {
            let share = f64::from(k) / last;
            let step = if self.log_spaced { (all as f64 + 1.0).powf(share) - 1.0 } else { all as f64 * share };
            (step.round() as u64).min(all)
        };
        let mut steps: Vec<u64> = (0..self.count.max(2)).map(step).collect();
        steps.dedup();
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_spread_evenly_or_by_a_factor_from_the_first_step_to_the_last() {
        let steps = |count, log_spaced, all| Snapshots { count, log_spaced }.steps(all);
        assert_eq!(steps(5, false, 1_000), [0, 250, 500, 750, 1_000]);
        assert_eq!(steps(11, true, 1_023), [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1_023]);
        assert_eq!(steps(50, true, 3), [0, 1, 2, 3], "none is kept twice");
    }

    #[test]
    fn impossible_numbers_are_refused() {
        let refused = |count| Snapshots { count, log_spaced: false }.check().unwrap_err().to_string();
        assert_eq!(refused(1), "snapshots is 1, but must be from 2 to 1000");
        assert!(refused(1001).contains("1001"));
    }
}
