//! What a person should know before trusting an interpretation.

use crate::claims::Verdict;
use crate::foreign_text::listed;
use crate::linearize::{Doubt, LinearizedAt};
use crate::memories::Method;
use crate::network::Activation;
use crate::setting::Setting;
use serde::{Deserialize, Serialize};

/// Something that speaks against a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Warning {
    /// The network did not learn its task.
    NotLearned,
    /// Only inputs that end were tried.
    InputsAtEveryStep,
    /// The number of lasting eigenvalues is not the theory's, so the spectral error is indeterminate.
    CountDiffers {
        /// Where.
        place: LinearizedAt,
        /// Eigenvalues found.
        found: usize,
        /// Eigenvalues expected.
        expected: usize,
    },
    /// The memories are nearly dependent.
    IllConditioned {
        /// The method that found them.
        method: Method,
        /// Their condition number.
        condition: f64,
        /// The largest one that goes without a warning.
        limit: f64,
    },
    /// A method could not be applied.
    MethodFailed {
        /// The method.
        method: Method,
        /// Why.
        why: String,
    },
    /// The network computes something else than its task for these outputs (from 1).
    ComputesSomethingElse {
        /// The outputs, from 1.
        outputs: Vec<usize>,
    },
    /// On the orbit some outputs (from 1) repeat a nearer past than the one that the inputs show.
    ShorterRelations {
        /// The outputs, from 1.
        outputs: Vec<usize>,
        /// Input steps that were presented.
        s: usize,
        /// Input steps that the relations on the orbit need.
        needed: usize,
    },
    /// The network has biases: states are taken relative to their mean at each step.
    Biases,
    /// Only trajectories are known, and not the inputs behind them.
    InputsUnknown {
        /// Output steps that stand for the inputs.
        s: usize,
    },
    /// Noise in recorded states limits what can be read from one of them.
    Noise {
        /// Its share of their variance.
        share: f64,
        /// The content that is read worst.
        worst: f64,
        /// What the noise allows for it.
        allowed: f64,
        /// Units that were recorded.
        units: usize,
        /// Units like these that would be needed to read every content from one state.
        needed: usize,
    },
    /// Episodes of several lengths were cut to one.
    CutToLength {
        /// Steps that were kept of each.
        steps: usize,
        /// Episodes that were shorter, and left out.
        left_out: usize,
        /// Episodes in all.
        episodes: usize,
    },
    /// Inputs were shown several times.
    RepeatedInputs {
        /// Episodes that were recorded.
        episodes: usize,
        /// Different inputs that they show.
        different: usize,
    },
    /// More episodes would show more.
    FewEpisodes {
        /// Episodes that were recorded.
        episodes: usize,
        /// Episodes that the step matrix would need.
        needed: usize,
    },
    /// The outputs are those of f times a constant.
    OtherUnit {
        /// The constant.
        unit: f64,
    },
    /// The file holds tensors beside the network that were not understood.
    UnusedTensors {
        /// Their names.
        names: Vec<String>,
    },
    /// The network did not learn its task, and its file does not say which activation it has.
    ActivationAssumed {
        /// The one assumed.
        activation: Activation,
    },
    /// At one moment the contents are in the state, but not in the same way as at another.
    CodeChangesWithTime {
        /// The output step that was looked at by itself.
        step: usize,
        /// Share of the variance that contents explain there.
        at_one_moment: f64,
        /// The same by one code for all times.
        over_time: f64,
    },
    /// Something that whoever asked for the interpretation has to add; the message says it.
    Noted {
        /// What it is about.
        topic: String,
    },
    /// The whole state, of which the units are a part, comes to another verdict.
    WholeStateDiffers {
        /// The verdict on the units.
        units: Verdict,
        /// The verdict on the whole state.
        whole: Verdict,
    },
    /// A doubt about the linearized orbit.
    #[serde(untagged)]
    Orbit(Doubt),
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotLearned => write!(f, "the network did not learn its task: nothing below describes a circuit"),
            Self::InputsAtEveryStep => write!(
                f,
                "what it does with inputs at every step was not looked at. If that is its task, drive it with inputs of its own \
                 and look which of its states hold what: in Python, ketbra.readings(hidden, contents)"
            ),
            Self::CountDiffers { place, found, expected } => {
                let place = match place {
                    LinearizedAt::Origin => "at the origin",
                    LinearizedAt::FixedPoint => "at the fixed point",
                    LinearizedAt::Orbit => "on the orbit",
                };
                let last = if *found == 1 { "eigenvalue" } else { "eigenvalues" };
                write!(f, "{found} lasting {last} {place} where the theory has {expected}: no spectral error")
            }
            Self::IllConditioned { method, condition, limit } => {
                let name = method.name();
                write!(f, "{name}: the memories are nearly dependent (condition {condition:.0e}, over {limit:.0e})")
            }
            Self::MethodFailed { method, why } => write!(f, "{}: {why}", method.name()),
            Self::ComputesSomethingElse { outputs } => {
                let outputs: Vec<String> = outputs.iter().map(usize::to_string).collect();
                write!(f, "the network computes something else than its task for output {}", outputs.join(", "))
            }
            Self::ShorterRelations { outputs, s, needed } => {
                let outputs: Vec<String> = outputs.iter().map(usize::to_string).collect();
                write!(
                    f,
                    "output {} repeats a nearer past on the orbit than in the first output step: {s} input steps may be more than the \
                     network was trained with, or it only keeps what it has; the nearer relation goes back {needed} step{}",
                    outputs.join(", "),
                    if *needed == 1 { "" } else { "s" }
                )
            }
            Self::Biases => write!(f, "the network has biases: states are taken relative to their mean at each step"),
            Self::InputsUnknown { s } => {
                write!(f, "no inputs were given: what the network says in its first {s} output steps stands for them")
            }
            Self::Noise { share, worst, allowed, units, needed } => {
                write!(
                    f,
                    "noise makes up {share:.2} of the states' variance: one state is read at {worst:.3} at worst, where "
                )?;
                write!(
                    f,
                    "the noise allows {allowed:.3}; to read every content from one state takes about {needed} units "
                )?;
                write!(f, "like these {units}")
            }
            Self::CutToLength { steps, left_out, episodes } => {
                write!(
                    f,
                    "episodes were cut to {steps} steps, which keeps the most states; {left_out} of {episodes} are "
                )?;
                write!(f, "shorter and were left out")
            }
            Self::RepeatedInputs { episodes, different } => write!(
                f,
                "the {episodes} episodes show {different} different inputs: every figure is over inputs, and the episodes of one input \
                 stay together where something is fitted, judged or shuffled"
            ),
            Self::FewEpisodes { episodes, needed } => {
                write!(
                    f,
                    "the contents are in the states, but {episodes} episodes are too few to show how they move: "
                )?;
                write!(f, "about {needed} are needed")
            }
            Self::OtherUnit { unit } => {
                write!(
                    f,
                    "the outputs are {unit:.3e} times what the function gives: values are compared after division"
                )
            }
            Self::UnusedTensors { names } => {
                let listed = listed(names.iter().map(String::as_str));
                write!(f, "the file holds tensors that are not part of the network as it was read ({listed}): ")?;
                write!(f, "if the model uses them, this describes another network")
            }
            Self::ActivationAssumed { activation } => {
                let name = activation.name();
                write!(f, "the file does not say which activation the network has: {name} was assumed; ")?;
                write!(f, "pass {} if it is another", Setting::named("activation"))
            }
            Self::CodeChangesWithTime { step, at_one_moment, over_time } => {
                write!(f, "the code changes with time: at output step {step} every content is read and they explain ")?;
                write!(f, "{at_one_moment:.4} of the state, by one code for all times {over_time:.4}")
            }
            Self::WholeStateDiffers { units, whole } => {
                let (units, whole) = (units.name(), whole.name());
                write!(f, "this is about the units h: on the whole state the verdict is {whole}, not {units}")
            }
            Self::Noted { topic } => write!(f, "{topic}"),
            Self::Orbit(doubt) => doubt.fmt(f),
        }
    }
}

/// A warning with its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// The warning.
    #[serde(flatten)]
    pub warning: Warning,
    /// What it says.
    pub message: String,
}

impl From<Warning> for Note {
    fn from(warning: Warning) -> Self {
        Self { message: warning.to_string(), warning }
    }
}
