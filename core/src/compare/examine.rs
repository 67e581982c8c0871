//! One network by itself: read blind, and run on the inputs that all of them get.

use super::beside::Beside;
use super::circuit::Circuit;
use super::measures::LinearDynamics;
use super::subject::{Inputs, NetworkOrRecording, Subject};
use super::{CompareError, CompareParams};
use crate::claims::{ClaimName, holds};
use crate::interpret::{Interpretation, Question, Reason, StateView, Verdict, interpret_file, interpret_trajectories};
use crate::memories::{Frame, Method};
use crate::network::Network;
use crate::numeric::Matrix;
use crate::observe::{Batch, ObserveError, OnProgress, Trajectories, View, Watch};
use crate::recurrence::Confidence;
use crate::task::Window;
use serde::Serialize;

/// A network that has been looked at.
#[derive(Clone, Debug)]
pub struct Examined {
    /// What it is called.
    pub name: String,
    /// Input steps and components.
    pub size: (usize, usize),
    /// What was read from it, no task given.
    pub found: Interpretation,
    /// The verdict under its own task, where it shows no function by itself.
    pub told: Option<(Verdict, Vec<Reason>)>,
    /// The network; nothing for a recording.
    pub network: Option<Network>,
    /// How contents move in it; nothing where no function or no code was found.
    pub circuit: Option<Circuit>,
    /// What it keeps that f does not need; nothing where that was not looked at.
    pub beside: Option<Beside>,
    /// The inputs it got, if they are known.
    pub inputs: Option<Inputs>,
    /// What is seen of its states on these inputs.
    pub(super) seen: Batch,
    /// Its whole states, where these are more.
    pub(super) whole: Option<Batch>,
    pub(super) view: View,
    pub(super) dynamics: Option<LinearDynamics>,
}

/// A network in a few words.
#[derive(Clone, Debug, Serialize)]
pub struct SubjectSummary {
    /// What it is called.
    pub name: String,
    /// Input steps.
    pub s: usize,
    /// Components.
    pub d: usize,
    /// Units that were looked at.
    pub units: usize,
    /// What it is made of; nothing for a recording.
    pub made_of: Option<String>,
    /// What it is, read blind.
    pub verdict: Verdict,
    /// Why.
    pub reasons: Vec<String>,
    /// What it is under the task that it was trained on, where it shows no function by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under_its_task: Option<Verdict>,
    /// The function that was read back; empty where there is none.
    pub function: Vec<String>,
    /// How sure that is.
    pub confidence: Confidence,
    /// Contents that it keeps.
    pub contents: Option<usize>,
    /// Directions that it keeps them in.
    pub directions: Option<usize>,
    /// Share of the variance of its states that they explain.
    pub explained: Option<f64>,
    /// What it keeps that f does not need.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
}

/// Looks at one network.
pub fn examine(
    subject: &Subject,
    inputs: &Inputs,
    params: &CompareParams,
    look: OnProgress<'_>,
) -> Result<Examined, CompareError> {
    let failed = |source| CompareError::Interpret { name: subject.name.clone(), source };
    let blind = Question::Blind { s: subject.s };
    let read = |question: &Question| match &subject.known {
        NetworkOrRecording::Network(file) => interpret_file(file, question, &params.interpret, look),
        NetworkOrRecording::Recording(recorded) => interpret_trajectories(recorded, question, &params.interpret),
    };
    let found = read(&blind).map_err(failed)?;
    let told = match (&subject.task, found.confidence) {
        (Some(task), Confidence::CannotTell) => {
            let told = read(&Question::Task(task.clone())).map_err(failed)?;
            Some((told.verdict, told.reasons))
        }
        _ => None,
    };
    let (s, d) = subject.size();
    let mut all = match &subject.known {
        NetworkOrRecording::Network(file) => run(&subject.name, &file.network, inputs, look)?,
        NetworkOrRecording::Recording(recorded) => recorded_batch(recorded, s),
    };
    let view = match &subject.known {
        NetworkOrRecording::Network(file) if file.network.has_inner_state() => match found.state {
            StateView::Units => View::units(&file.network),
            StateView::Whole => View::whole(&file.network),
        },
        _ => View::plain(),
    };
    let whole = (!view.is_plain()).then(|| all.clone());
    all = view.batch(all);
    let (network, shared) = match &subject.known {
        NetworkOrRecording::Network(file) => (Some(file.network.clone()), Some(inputs.clone())),
        NetworkOrRecording::Recording(recorded) => {
            let own = recorded.inputs.clone().map(|values| Inputs { values, episodes: all.episodes, ..inputs.clone() });
            (None, own)
        }
    };
    let steps: Vec<&Matrix> = (inputs.first..inputs.end).filter_map(|t| all.states.get(&t)).collect();
    let dynamics = LinearDynamics::of(&steps, &params.dsa)?;
    let mut examined = Examined {
        name: subject.name.clone(),
        size: (s, d),
        found,
        told,
        network,
        circuit: None,
        beside: None,
        inputs: shared,
        seen: all,
        whole,
        view,
        dynamics,
    };
    examined.circuit = Circuit::of(&examined, (inputs.first, inputs.end))?;
    examined.beside = Beside::of(&examined, params, look)?;
    Ok(examined)
}

fn run(name: &str, network: &Network, inputs: &Inputs, look: OnProgress<'_>) -> Result<Batch, CompareError> {
    let (values, kept): (_, Vec<usize>) = (inputs.values.clone(), (0..inputs.end).collect());
    let failed = |source| CompareError::Observe { name: name.into(), source };
    let watch = Watch::new(look, inputs.episodes * (inputs.end + 1));
    Batch::run(network, values, inputs.episodes, inputs.end, &kept, &watch)
        .map_err(|stopped| failed(ObserveError::Stopped(stopped)))
}

/// A recording as a batch; where no inputs are known, the first outputs stand for them.
fn recorded_batch(recorded: &Trajectories, s: usize) -> Batch {
    let episodes = recorded.states.first().map_or(0, Matrix::ncols);
    let sign = |y: f64| if y > 0.0 { 1.0 } else { -1.0 };
    let first_outputs = || -> Vec<f32> {
        let steps = recorded.outputs.iter().take(s);
        steps.flat_map(|output| (0..output.ncols()).flat_map(|e| output.col_as_slice(e).to_vec())).map(sign).collect()
    };
    let (inputs, skipped) = match &recorded.inputs {
        Some(inputs) => (inputs.clone(), 0),
        None => (first_outputs(), s),
    };
    Batch {
        inputs,
        episodes,
        states: recorded.states.iter().skip(skipped).cloned().enumerate().collect(),
        outputs: recorded.outputs.iter().skip(skipped).cloned().collect(),
        last_input_size: 0.0,
        mirrored: false,
    }
}

impl Examined {
    /// The function that it computes, where it can be told: a circuit's, or one that every output follows for every fresh input. What
    /// was said without known inputs has several functions, of which only a circuit shows the right one.
    pub fn function(&self) -> Option<&Window> {
        let found = &self.found;
        let follows =
            [ClaimName::FollowsFunction, ClaimName::EveryWindow].iter().all(|name| holds(&found.claims, *name));
        let sure = match found.verdict {
            Verdict::Circuit => true,
            Verdict::Superposed => self.inputs.is_some(),
            _ => follows && self.inputs.is_some(),
        };
        found.details.task.as_ref().filter(|_| sure && found.confidence != Confidence::CannotTell)
    }

    /// Memories and readers of its code.
    pub fn frame(&self) -> Option<&Frame> {
        let code = self.found.details.memories.iter().find(|memories| memories.method == Method::Code);
        code.and_then(|memories| memories.frame.as_ref())
    }

    /// States less their means at some steps, beside one another.
    pub(super) fn deviations(&self, steps: &[usize]) -> Matrix {
        let batch = &self.seen;
        let units = batch.states.first_key_value().map_or(0, |(_, states)| states.nrows());
        let mut all = Matrix::zeros(units, steps.len() * batch.episodes);
        for (k, t) in steps.iter().enumerate() {
            let Some(states) = batch.states.get(t) else { continue };
            let mut states = states.clone();
            crate::code::shift(&mut states, &self.mean(*t), -1.0);
            all.subcols_mut(k * batch.episodes, batch.episodes).copy_from(&states);
        }
        all
    }

    /// The mean state at a step: over opposite inputs where the network was run on them, otherwise over these episodes.
    pub(super) fn mean(&self, t: usize) -> Vec<f64> {
        let table = self.found.details.contents.as_ref().is_some_and(|contents| contents.drawn.is_some());
        match self.found.details.means.get(t) {
            Some(mean) if !table => mean.clone(),
            _ => self.seen.states.get(&t).map_or_else(Vec::new, |states| self.seen.mean(states)),
        }
    }

    /// The network in a few words.
    pub fn summary(&self) -> SubjectSummary {
        let found = &self.found;
        SubjectSummary {
            name: self.name.clone(),
            s: self.size.0,
            d: self.size.1,
            units: found.hidden,
            made_of: found.network.map(|network| network.to_string()),
            verdict: found.verdict,
            reasons: found.reasons.iter().map(Reason::to_string).collect(),
            under_its_task: self.told.as_ref().map(|(verdict, _)| *verdict),
            function: if self.function().is_some() { found.recurrence_in_words.clone() } else { vec![] },
            confidence: found.confidence,
            contents: found.code.as_ref().map(|code| code.count),
            directions: found.code.as_ref().map(|code| code.directions),
            explained: found.code.as_ref().map(|code| code.explained),
            beside: self.beside.clone(),
        }
    }
}
