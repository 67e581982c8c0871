//! When training may end before its last step, and which weights are kept.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::TrainError;
use crate::network::Network;

/// Looks at the network every so often on inputs of their own, keeps the best weights, and ends training once the task is reliably
/// solved: some good looks in a row, then a while at the lower learning rate of
/// [`LearningRateChange`](super::LearningRateChange), which comes early then.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stopping {
    /// Steps between two looks. Default 500.
    pub look_every: u64,
    /// Batches of a look, of the size and horizon of the test. Default 2.
    pub batches: u32,
    /// A look is good if the share of right signs reaches this in every quarter of the horizon. Default 0.9999.
    pub accuracy: f64,
    /// And if the mean squared error stays below this in every quarter. Default 0.1.
    pub loss: f64,
    /// Good looks in a row that count as reliably solved. Default 3.
    pub good: u32,
    /// Steps at the lower learning rate before the end. Default 1,000.
    pub settle: u64,
}

impl Default for Stopping {
    fn default() -> Self {
        Self { look_every: 500, batches: 2, accuracy: 0.9999, loss: 0.1, good: 3, settle: 1_000 }
    }
}

/// The accuracy whose first look is recorded, to compare how fast networks learn.
pub const REACHED_ACCURACY: f64 = 0.99;

/// What the looks during training have seen; part of every checkpoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluations {
    /// Good looks in a row.
    pub good: u32,
    /// Step at which the task counted as learned, if it still does.
    pub settling_since: Option<u64>,
    /// Step of the first look at which accuracy was [`REACHED_ACCURACY`] in every quarter of the horizon.
    pub reached: Option<u64>,
    /// The best weights that a look has seen.
    pub best: Option<BestWeights>,
}

/// What one look sees: the worst quarter of the horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// Mean squared error.
    pub loss: f64,
    /// Share of right signs.
    pub accuracy: f64,
}

impl Evaluation {
    /// From losses and shares of right answers at every output step; those at which nothing counts are left out.
    pub(crate) fn in_quarters(loss: &[f64], accuracy: &[f64], counts: &[bool]) -> Self {
        let counting = |of: &[f64]| of.iter().zip(counts).filter(|(_, counts)| **counts).map(|(x, _)| *x).collect();
        let (loss, accuracy): (Vec<f64>, Vec<f64>) = (counting(loss), counting(accuracy));
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        // A maximum that passes over a NaN would call it good.
        let worse = |a: f64, b: f64| if b.is_nan() || b > a { b } else { a };
        let quarters = |of: &'_ [f64]| of.chunks(of.len().div_ceil(4).max(1)).map(mean).collect::<Vec<_>>();
        Self {
            loss: quarters(&loss).into_iter().fold(0.0, worse),
            accuracy: quarters(&accuracy).into_iter().fold(1.0, f64::min),
        }
    }

    fn is_good(&self, rule: &Stopping) -> bool {
        self.loss < rule.loss && self.accuracy >= rule.accuracy
    }
}

/// The best weights so far.
#[derive(Clone, Debug, PartialEq)]
pub struct BestWeights {
    /// Steps taken.
    pub step: u64,
    /// Their loss: that of the worst quarter of the horizon.
    pub loss: f64,
    /// The weights.
    pub network: Arc<Network>,
}

impl Stopping {
    /// Refuses what no training can use.
    pub(super) fn check(&self) -> Result<(), TrainError> {
        let require = |fine: bool, name, value, limit| {
            if fine { Ok(()) } else { Err(TrainError::OutOfRange { name, value, limit }) }
        };
        require(self.look_every > 0, "look_every", 0.0, "at least 1")?;
        require(self.batches > 0, "the batches of a look", 0.0, "at least 1")?;
        require(self.good > 0, "the good looks in a row", 0.0, "at least 1")?;
        require((0.0..=1.0).contains(&self.accuracy), "the accuracy of a good look", self.accuracy, "from 0 to 1")?;
        require(self.loss.is_finite() && self.loss > 0.0, "the loss of a good look", self.loss, "a number above 0")
    }

    /// Whether a look is due after `step` steps of `steps`.
    pub fn is_due(&self, step: u64, steps: u64) -> bool {
        step > 0 && (step.is_multiple_of(self.look_every) || step == steps)
    }
}

impl Evaluations {
    /// Notes a look at the weights after `step` steps. A loss that is NaN is never good.
    pub fn note(&mut self, rule: &Stopping, step: u64, seen: Evaluation, network: impl FnOnce() -> Network) {
        let loss = seen.loss;
        self.good = if seen.is_good(rule) { self.good.saturating_add(1) } else { 0 };
        if self.good == 0 {
            self.settling_since = None;
        } else if self.good >= rule.good && self.settling_since.is_none() {
            self.settling_since = Some(step);
        }
        if seen.accuracy >= REACHED_ACCURACY && self.reached.is_none() {
            self.reached = Some(step);
        }
        if loss.is_finite() && self.best.as_ref().is_none_or(|best| loss < best.loss) {
            self.best = Some(BestWeights { step, loss, network: Arc::new(network()) });
        }
    }

    /// The next step after `step` at which there is something to do: a look, or the end.
    pub fn next_stop(&self, rule: &Stopping, step: u64) -> u64 {
        let look = (step / rule.look_every + 1) * rule.look_every;
        let end = self.settling_since.map(|since| since + rule.settle).filter(|end| *end > step);
        end.map_or(look, |end| end.min(look))
    }

    /// Whether training may end after `step` steps: the task is reliably solved.
    pub fn settled(&self, rule: &Stopping, step: u64) -> bool {
        self.settling_since.is_some_and(|since| step >= since + rule.settle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Architecture, Initialization};

    fn network(seed: u64) -> Network {
        Initialization::Uniform.network(&Architecture::elman(2, Activation::Tanh, false), 1, 1, seed)
    }

    fn evaluations(rule: &Stopping, losses: &[f64]) -> (Evaluations, Option<u64>) {
        let mut evaluations = Evaluations::default();
        for (k, &loss) in losses.iter().enumerate() {
            let step = rule.look_every * (k as u64 + 1);
            let accuracy = if loss < 0.1 { 1.0 } else { 0.5 };
            evaluations.note(rule, step, Evaluation { loss, accuracy }, || network(step));
            if evaluations.settled(rule, step) {
                return (evaluations, Some(step));
            }
        }
        (evaluations, None)
    }

    #[test]
    fn three_good_looks_and_two_to_settle_end_training() {
        let rule = Stopping::default();
        assert_eq!(evaluations(&rule, &[1.0, 1e-3, 1e-3, 1e-3, 1e-4, 1e-4, 1e-4]).1, Some(3_000));
    }

    #[test]
    fn a_leap_of_the_loss_begins_the_count_again_and_leaves_the_best_weights_alone() {
        let rule = Stopping::default();
        let (seen, ended) = evaluations(&rule, &[1e-3, 1e-3, 1e-3, 1e-4, 0.7, 1e-3, 1e-3]);
        assert_eq!(ended, None);
        assert_eq!((seen.good, seen.settling_since), (2, None));
        let best = seen.best.unwrap();
        assert_eq!((best.step, best.loss), (2_000, 1e-4));
        assert_eq!(*best.network, network(2_000));
    }

    #[test]
    fn the_first_good_look_is_remembered_through_a_leap() {
        assert_eq!(evaluations(&Stopping::default(), &[1.0, 1e-3, 0.7, 1e-3]).0.reached, Some(1_000));
        assert_eq!(evaluations(&Stopping::default(), &[1.0, 0.7]).0.reached, None);
    }

    #[test]
    fn a_loss_that_is_no_number_is_neither_good_nor_best() {
        let (seen, _) = evaluations(&Stopping::default(), &[f64::NAN, f64::INFINITY]);
        assert_eq!(seen, Evaluations::default());
    }

    #[test]
    fn the_worst_quarter_decides() {
        let (mut loss, mut accuracy) = ([0.01; 8], [1.0; 8]);
        (loss[7], accuracy[5]) = (0.21, 0.99);
        let seen = Evaluation::in_quarters(&loss, &accuracy, &[true; 8]);
        assert_eq!((seen.loss, seen.accuracy), (0.11, 0.995));
        assert!(!seen.is_good(&Stopping::default()));
        loss[0] = f64::NAN;
        assert!(Evaluation::in_quarters(&loss, &[1.0; 8], &[true; 8]).loss.is_nan());
    }

    #[test]
    fn a_look_is_due_at_its_steps_and_at_the_last() {
        let rule = Stopping::default();
        let due = |step| rule.is_due(step, 1_200);
        assert_eq!([0, 499, 500, 1_000, 1_199, 1_200].map(due), [false, false, true, true, false, true]);
        let mut evaluations = Evaluations::default();
        assert_eq!([0, 499, 500].map(|step| evaluations.next_stop(&rule, step)), [500, 500, 1_000]);
        evaluations.settling_since = Some(250);
        assert_eq!([1_000, 1_249, 1_250].map(|step| evaluations.next_stop(&rule, step)), [1_250, 1_250, 1_500]);
    }
}
