//! Why a verdict is what it is, in words.

use super::ClaimName;
use crate::observe::LaterInput;
use crate::ranges::ranges;
use crate::task::Component;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// Activity dies out after the inputs end.
    Silent {
        /// Late activity as a share of the largest.
        persistence: f64,
    },
    /// Outputs come to rest when the inputs end, and keep what they have.
    ComesToRest {
        /// Share of the inputs after which an output still changes its sign late.
        moving: f64,
        /// Output steps that were run.
        steps: usize,
    },
    /// The only function to be seen is that every output stays as it is, or changes its sign at every step.
    OnlyStays,
    /// One more input, after a silence, changes outputs.
    TakesLaterInputs {
        /// What it does.
        #[serde(flatten)]
        later: LaterInput,
    },
    /// The same function is right for other numbers of input steps.
    SameForOtherLengths {
        /// The numbers of input steps.
        lengths: Vec<usize>,
    },
    /// What the network says cannot be what it sees next.
    SizesDiffer {
        /// Inputs.
        inputs: usize,
        /// Outputs.
        outputs: usize,
    },
    /// Outputs at chance level, counted from 1.
    OutputsNotHeld {
        /// The outputs, from 1.
        outputs: Vec<usize>,
    },
    /// No task is known and none could be read back.
    FunctionUnknown {
        /// Outputs (from 1) whose source was identified all the same.
        identified: Vec<usize>,
        /// Outputs in all.
        outputs: usize,
    },
    /// The function keeps nothing that a state could be asked for.
    NothingToHold,
    /// The outputs are right to the end and the contents are in the state, though not everything is the circuit's.
    DoesAndHolds {
        /// How many contents.
        contents: usize,
    },
    /// Every claim holds.
    EveryClaim {
        /// How many.
        claims: usize,
    },
    /// A claim that fails.
    ClaimFails {
        /// Its name.
        claim: ClaimName,
        /// What it says, and its figure.
        words: String,
    },
    /// Fewer directions do not fade than the core needs.
    TooFewDirections {
        /// Found on the orbit.
        found: usize,
        /// Needed.
        needed: usize,
    },
    /// Contents that no linear reader reads.
    ComponentsNotLinear {
        /// The contents.
        components: Vec<Component>,
        /// Share of right signs of the worst.
        worst: f64,
    },
    /// Contents that share directions, of which some are not told apart when they are read as signs either.
    NotToldApart {
        /// Share of right signs of the worst, +-1 taken into account.
        worst: f64,
    },
    /// The outputs are right, and the states explain nothing of the contents.
    StatesElsewhere {
        /// Share of the variance of fresh states that the contents explain.
        explained: f64,
    },
    /// The outputs are right, and no linear code shows how.
    NoLinearCode {
        /// Share of the variance of fresh states that the contents explain.
        explained: f64,
    },
    /// Contents are in recorded states, but noise hides how they move.
    HiddenByNoise {
        /// Episodes that were recorded.
        episodes: usize,
        /// Episodes that would show it, as far as can be told.
        needed: Option<usize>,
    },
    /// Parts of the file were not simulated, so that what the network does is not known.
    NotSimulated {
        /// How many tensors.
        tensors: usize,
    },
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Silent { persistence } => {
                write!(f, "activity dies out when the inputs end (late activity is {persistence:.0e} of the largest)")
            }
            Self::ComesToRest { moving, steps } => write!(
                f,
                "its outputs come to rest when the inputs end: after {:.0} % of the inputs one still changes its sign in the \
                 second half of {steps} steps",
                100.0 * moving
            ),
            Self::OnlyStays => write!(
                f,
                "all that it does in silence is to keep its outputs: a latch, a counter and a copy of one step look alike there"
            ),
            Self::TakesLaterInputs { later: LaterInput { after, changes, stays } } => write!(
                f,
                "one more input after {after} silent steps changes {:.0} % of its outputs at once, and {:.0} % are still changed \
                 {after} steps later",
                100.0 * changes,
                100.0 * stays
            ),
            Self::SameForOtherLengths { lengths } => {
                write!(
                    f,
                    "the same function is right after {} input steps too: their number makes no difference",
                    ranges(lengths)
                )
            }
            Self::SizesDiffer { inputs, outputs } => write!(
                f,
                "it has {inputs} inputs and {outputs} outputs, so that what it says cannot be what it sees next"
            ),
            Self::OutputsNotHeld { outputs } => write!(f, "outputs at chance level: {}", ranges(outputs)),
            Self::FunctionUnknown { identified, outputs } if identified.is_empty() => write!(
                f,
                "no function of the last inputs predicts outputs {}",
                ranges(&(1..=*outputs).collect::<Vec<_>>())
            ),
            Self::FunctionUnknown { identified, outputs } => {
                let missing: Vec<usize> = (1..=*outputs).filter(|j| !identified.contains(j)).collect();
                write!(f, "sources identified for outputs {} only, not for {}", ranges(identified), ranges(&missing))
            }
            Self::NothingToHold => write!(f, "the function keeps nothing, so that no state can be asked for it"),
            Self::DoesAndHolds { contents } => write!(
                f,
                "its outputs follow the function to the last step that was run, and all {contents} contents are read from its state; what fails is about \
                 the rest of the state, or about how one step moves them"
            ),
            Self::EveryClaim { claims } => write!(f, "all {claims} claims hold"),
            Self::ClaimFails { words, .. } => write!(f, "{words}"),
            Self::TooFewDirections { found, needed } => {
                write!(f, "{found} directions on the orbit do not fade, where the core needs {needed}")
            }
            Self::ComponentsNotLinear { components, worst } if components.is_empty() => {
                write!(f, "contents are not read linearly (worst {worst:.2})")
            }
            Self::ComponentsNotLinear { components, worst } => {
                write!(f, "not read linearly (worst {worst:.2}): {}", by_component(components))
            }
            Self::NotToldApart { worst } => {
                write!(
                    f,
                    "contents would have to share directions, but as signs they are not told apart (worst {worst:.2})"
                )
            }
            Self::StatesElsewhere { explained } => write!(
                f,
                "the contents explain {explained:.3} of the states' variance: record the units that hold them, and states \
                 and outputs of the same episodes"
            ),
            Self::NoLinearCode { explained } => write!(
                f,
                "the outputs are right, but a linear code explains only {explained:.3} of the states' variance: the contents \
                 may be held as products or in another nonlinear way"
            ),
            Self::HiddenByNoise { episodes, needed } => {
                write!(f, "the contents are in the states, but noise hides how they move: record ")?;
                match needed {
                    Some(needed) => write!(f, "about {needed} episodes instead of {episodes}, or more units"),
                    None => write!(f, "many more episodes than {episodes}, or more units"),
                }
            }
            Self::NotSimulated { tensors } => write!(
                f,
                "{tensors} tensors of the file were not simulated, and without them the network does not do its task: record \
                 its states and outputs, and interpret these"
            ),
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
    let group = |(names, variables): &(Vec<String>, String)| {
        let several = if variables.parse::<usize>().is_ok() { "" } else { "s" };
        format!("{} in variable{several} {variables}", names.join(", "))
    };
    groups.iter().map(group).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_linear_is_named_in_few_words() {
        let at = |component, variable| Component { variable, component };
        let components = (1..=8).flat_map(|variable| [at(3, variable), at(4, variable)]).chain([at(6, 2)]).collect();
        let reason = Reason::ComponentsNotLinear { components, worst: 0.5 };
        assert_eq!(reason.to_string(), "not read linearly (worst 0.50): u3, u4 in variables 1-8; u6 in variable 2");
    }
}
