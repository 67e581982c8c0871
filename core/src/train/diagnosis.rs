//! Why a network has not learned its task, as far as the run shows, and what to try.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::{Job, TrainState};
use crate::circuit::Core;

/// A reason that the run shows; the likeliest comes first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Diagnosis {
    /// A network without biases computes an odd function, and the task's is not odd.
    Odd,
    /// Fewer units than contents that must be kept.
    TooFewUnits {
        /// Contents that f must keep.
        contents: usize,
        /// Hidden units.
        hidden: usize,
    },
    /// The loss rose again: the network was good once, and the last weights are worse.
    LossRose {
        /// Step of the best weights, which were kept.
        best: u64,
        /// Their loss.
        best_loss: f64,
        /// Loss of the last batch.
        last_loss: f64,
        /// Learning rate.
        learning_rate: f64,
    },
    /// The longest horizon was not reached.
    ShortHorizon {
        /// Where it ended.
        horizon: usize,
        /// Where it was to go.
        longest: usize,
        /// Steps taken.
        steps: u64,
    },
    /// The longest horizon is reached, and signs are still wrong.
    NotThereYet {
        /// Loss of the last batch.
        loss: f64,
        /// Steps taken.
        steps: u64,
    },
    /// The loss is no better than that of guessing.
    Stuck {
        /// Loss of the last batch.
        loss: f64,
        /// Learning rate.
        learning_rate: f64,
        /// L2 regularization.
        l2: f64,
    },
}

/// A loss from which on a network guesses: signs of +-1 without any knowledge have 1.
const GUESSING: f64 = 0.9;
/// How much worse the last weights must be for a leap.
const LEAP: f64 = 4.0;
/// Regularization that keeps networks from learning in the paper's Table 1.
const STRONG_L2: f64 = 1e-2;

/// What the end of a run that has not learned its task shows.
pub fn diagnose(job: &Job, state: &TrainState) -> Vec<Diagnosis> {
    let (params, task) = (&job.params, &job.task);
    let mut found = vec![];
    if !task.is_odd() && !params.bias {
        found.push(Diagnosis::Odd);
    }
    // What a truth table must keep is more than its components, so only a linear f has an exact number.
    let contents = task.window().map_or(0, |task| Core::of(task).map_or(0, |core| core.dimension()));
    let hidden = params.hidden * params.layers;
    if hidden < contents {
        found.push(Diagnosis::TooFewUnits { contents, hidden });
    }
    let Some(last) = state.metrics else { return found };
    let (longest, learning_rate) = (params.curriculum.longest(), params.learning_rate);
    if let Some(best) = state.evaluations.best.as_ref().filter(|best| last.loss > LEAP * best.loss) {
        let (best, best_loss) = (best.step, best.loss);
        found.push(Diagnosis::LossRose { best, best_loss, last_loss: last.loss, learning_rate });
    }
    found.push(if last.loss > GUESSING {
        Diagnosis::Stuck { loss: last.loss, learning_rate, l2: params.l2 }
    } else if last.horizon < longest {
        Diagnosis::ShortHorizon { horizon: last.horizon, longest, steps: state.step }
    } else {
        Diagnosis::NotThereYet { loss: last.loss, steps: state.step }
    });
    found
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Odd => write!(f, "without biases a network is odd, and this function is not; give it biases"),
            Self::TooFewUnits { contents, hidden } => {
                write!(
                    f,
                    "the task keeps {contents} contents, and there are {hidden} units; take {} or more",
                    2 * contents
                )
            }
            Self::LossRose { best, best_loss, last_loss, learning_rate } => write!(
                f,
                "the loss rose from {best_loss:.1e} after step {best}, whose weights were kept, to {last_loss:.1e}; try a \
                 learning rate of {:.0e}",
                learning_rate / 2.0
            ),
            Self::ShortHorizon { horizon, longest, steps } => write!(
                f,
                "the horizon ended at {horizon} of {longest} output steps; try {} steps or more units",
                2 * steps
            ),
            Self::NotThereYet { loss, steps } => {
                write!(f, "the longest horizon is reached, at a loss of {loss:.1e}; try {} steps", 2 * steps)
            }
            Self::Stuck { loss, l2, .. } if *l2 >= STRONG_L2 => {
                write!(
                    f,
                    "the loss is {loss:.2}, as of guessing: an L2 of {l2} holds the weights down; try {:.0e}",
                    l2 / 100.0
                )
            }
            Self::Stuck { loss, learning_rate, .. } => write!(
                f,
                "the loss is {loss:.2}, as of guessing; try another seed, a learning rate of {:.0e}, or a shorter horizon first",
                learning_rate / 2.0
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Task;
    use crate::train::cpu::CpuEngine;
    use crate::train::{Choices, Engine, Unobserved};

    fn ends_as(task: &str, choices: Choices) -> Vec<String> {
        let task = Task::parse(task, None, None).unwrap();
        let (params, start) = choices.params(&task).unwrap();
        let job = Job { task, params, start };
        let outcome = CpuEngine::default().train(std::slice::from_ref(&job), &Unobserved).pop().unwrap().unwrap();
        diagnose(&job, &outcome.state).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_stands_in_the_way_is_named() {
        let few = Choices { steps: Some(3), hidden: Some(16), ..Choices::default() };
        let message = ends_as("T1", few.clone());
        assert_eq!(message[0], "the task keeps 64 contents, and there are 16 units; take 128 or more");
        assert!(message[1].contains("as of guessing"), "{message:?}");
        let odd = Choices { bias: Some(false), ..few.clone() };
        assert!(ends_as("rule110", odd)[0].contains("give it biases"));
        let held = Choices { l2: Some(0.1), hidden: Some(128), ..few };
        assert!(ends_as("T1", held)[0].contains("an L2 of 0.1 holds the weights down; try 1e-3"));
    }
}
