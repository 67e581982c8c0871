//! What it comes to.

use crate::memories::{Component, Score};
use crate::ranges::ranges;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What separates the verdicts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VerdictParams {
    /// An output is held if it is right more often than this over the first s output steps, and what is superposed lasts if
    /// all outputs together are over a long time; chance is 0.5.
    pub held: f64,
    /// Activity that falls below this share of its largest has died out.
    pub alive: f64,
}

impl Default for VerdictParams {
    fn default() -> Self {
        Self { held: 0.6, alive: 1e-3 }
    }
}

/// What a network comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The theory's circuit: every variable has linear memories of its own.
    Circuit,
    /// What is held is held in fewer linear directions than it has components.
    Superposed,
    /// Some outputs are not held, or not well; what is held has directions enough.
    Partial,
    /// Nothing is held.
    NotLearned,
}

impl Verdict {
    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Circuit => "circuit",
            Self::Superposed => "superposed",
            Self::Partial => "partial",
            Self::NotLearned => "not-learned",
        }
    }
}

/// Why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reason {
    /// Activity dies out after the inputs end.
    Silent {
        /// Late activity as a share of the largest.
        persistence: f64,
    },
    /// Outputs at chance level, counted from 1.
    OutputsNotHeld {
        /// Which.
        outputs: Vec<usize>,
    },
    /// No task is known and none could be read back.
    FunctionUnknown,
    /// As many lasting directions as the core needs.
    EveryDirection {
        /// How many.
        directions: usize,
    },
    /// Fewer lasting directions than the core needs.
    TooFewDirections {
        /// Found on the orbit.
        found: usize,
        /// Needed.
        needed: usize,
    },
    /// Every component is read from the state by a linear map.
    EveryComponent {
        /// Share of right signs of the worst.
        worst: f64,
    },
    /// Components that no linear map of this kind reads.
    ComponentsNotLinear {
        /// Which.
        components: Vec<Component>,
        /// Share of right signs of the worst.
        worst: f64,
    },
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Silent { persistence } => {
                write!(f, "activity dies out when the inputs end (late activity is {persistence:.0e} of the largest)")
            }
            Self::OutputsNotHeld { outputs } => write!(f, "outputs at chance level: {}", ranges(outputs)),
            Self::FunctionUnknown => write!(f, "no task is known, and the function cannot be told from behaviour"),
            Self::EveryDirection { directions } => {
                write!(f, "all {directions} directions of the core last on the orbit")
            }
            Self::TooFewDirections { found, needed } => {
                write!(f, "{found} lasting directions on the orbit where the core needs {needed}")
            }
            Self::EveryComponent { worst } => {
                write!(f, "every component of the core is read linearly (worst {worst:.4})")
            }
            Self::ComponentsNotLinear { components, worst } if components.is_empty() => {
                write!(f, "contents are not read linearly (worst {worst:.2})")
            }
            Self::ComponentsNotLinear { components, worst } => {
                write!(f, "not read linearly (worst {worst:.2}): {}", by_component(components))
            }
        }
    }
}

/// Components that are missed in the same variables are named together: `u3, u4 in variables 1-8`.
fn by_component(missed: &[Component]) -> String {
    let mut variables: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    missed.iter().for_each(|at| variables.entry(at.component).or_default().push(at.variable));
    let mut groups: Vec<(Vec<String>, String)> = vec![];
    for (component, variables) in variables {
        let (name, variables) = (format!("u{component}"), ranges(&variables));
        match groups.last_mut() {
            Some((names, same)) if *same == variables => names.push(name),
            _ => groups.push((vec![name], variables)),
        }
    }
    let group = |(names, variables): &(Vec<String>, String)| format!("{} in variables {variables}", names.join(", "));
    groups.iter().map(group).collect::<Vec<_>>().join("; ")
}

/// What the verdict is drawn from.
pub(super) struct Findings<'a> {
    pub(super) persistence: f64,
    /// Accuracy of each output over the first s output steps; `None` where no function is known.
    pub(super) outputs: Option<&'a [f64]>,
    /// Accuracy over a long output phase.
    pub(super) lasting_accuracy: f64,
    /// Lasting directions on the orbit, found and needed.
    pub(super) directions: (usize, usize),
    /// Core components on cycles that pass through held outputs only.
    pub(super) held_core: usize,
    /// How well the `orbit` memories are read.
    pub(super) score: Option<&'a Score>,
    /// Components below the recovery threshold.
    pub(super) not_linear: &'a [Component],
    pub(super) recovered: f64,
}

pub(super) fn judge(findings: &Findings<'_>, params: &VerdictParams) -> (Verdict, Vec<Reason>) {
    if findings.persistence.is_nan() || findings.persistence <= params.alive {
        return (Verdict::NotLearned, vec![Reason::Silent { persistence: findings.persistence }]);
    }
    let Some(outputs) = findings.outputs else {
        return (Verdict::Partial, vec![Reason::FunctionUnknown]);
    };
    let dropped: Vec<usize> = (1..=outputs.len()).filter(|j| outputs[j - 1] <= params.held).collect();
    if dropped.len() == outputs.len() {
        return (Verdict::NotLearned, vec![Reason::OutputsNotHeld { outputs: dropped }]);
    }
    let (found, needed) = findings.directions;
    let worst = findings.score.map_or(0.0, |score| score.worst);
    let mut reasons = vec![];
    if !dropped.is_empty() {
        reasons.push(Reason::OutputsNotHeld { outputs: dropped.clone() });
    }
    reasons.push(match found == needed {
        true => Reason::EveryDirection { directions: needed },
        false => Reason::TooFewDirections { found, needed },
    });
    reasons.push(match worst >= findings.recovered {
        true => Reason::EveryComponent { worst },
        false => Reason::ComponentsNotLinear { components: findings.not_linear.to_vec(), worst },
    });
    let verdict = if found == needed && worst >= findings.recovered {
        Verdict::Circuit
    } else if found < findings.held_core && findings.lasting_accuracy > params.held {
        Verdict::Superposed
    } else {
        Verdict::Partial
    };
    (verdict, reasons)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(outputs: &[f64], lasting_accuracy: f64, found: usize, held_core: usize) -> Verdict {
        let findings = Findings {
            persistence: 1.0,
            outputs: Some(outputs),
            lasting_accuracy,
            directions: (found, 64),
            held_core,
            score: None,
            not_linear: &[],
            recovered: 0.99,
        };
        judge(&findings, &VerdictParams::default()).0
    }

    #[test]
    fn what_is_not_linear_is_named_in_few_words() {
        let at = |component, variable| Component { variable, component };
        let components = (1..=8).flat_map(|variable| [at(3, variable), at(4, variable)]).chain([at(6, 2)]).collect();
        let reason = Reason::ComponentsNotLinear { components, worst: 0.5 };
        assert_eq!(reason.to_string(), "not read linearly (worst 0.50): u3, u4 in variables 1-8; u6 in variables 2");
    }

    #[test]
    fn a_dropped_output_does_not_hide_that_the_others_are_superposed() {
        assert_eq!(verdict(&[0.9, 0.5], 0.7, 28, 56), Verdict::Superposed);
    }

    #[test]
    fn what_is_soon_forgotten_is_not_superposed() {
        assert_eq!(verdict(&[0.9, 0.9], 0.5, 28, 56), Verdict::Partial);
    }

    #[test]
    fn what_is_held_in_directions_enough_is_partial_when_an_output_is_dropped() {
        assert_eq!(verdict(&[0.9, 0.5], 0.7, 15, 15), Verdict::Partial);
        assert_eq!(verdict(&[0.5, 0.5], 0.5, 15, 0), Verdict::NotLearned);
    }
}
