//! What is compared: networks and recordings, and the inputs that all of them get.

use super::{CompareError, CompareParams};
use crate::network::NetworkFile;
use crate::observe::{ObserveError, Trajectories};
use crate::random::{Purpose, Stream};
use crate::task::{Window, draw_inputs};

/// A network or a recording of one.
#[derive(Clone, Debug)]
pub enum NetworkOrRecording {
    /// A network that can be run.
    Network(Box<NetworkFile>),
    /// What a network did.
    Recording(Box<Trajectories>),
}

/// One of the things that are compared.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What it is called.
    pub name: String,
    /// The thing itself.
    pub known: NetworkOrRecording,
    /// Input steps.
    pub s: usize,
    /// The task it was trained on, where that is known. The function is read back all the same; the task says whether a network
    /// that shows none has not learned.
    pub task: Option<Window>,
}

/// Inputs of +-1 that several networks get.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// (s, episodes, d).
    pub values: Vec<f32>,
    /// How many episodes.
    pub episodes: usize,
    /// The first output step at which states are compared.
    pub first: usize,
    /// One beyond the last.
    pub end: usize,
}

impl Subject {
    /// A network from a file. `s` says for how many steps inputs are presented; without it the file must.
    pub fn network(name: impl Into<String>, file: NetworkFile, s: Option<usize>) -> Result<Self, CompareError> {
        let name = name.into();
        let task = file.window().ok().flatten();
        let beside = || file.metadata.get("s")?.parse().ok();
        let inside = || task.as_ref().map(Window::s);
        let Some(s) = s.or_else(beside).or_else(inside).filter(|s| *s > 0) else {
            return Err(CompareError::NoInputSteps { name });
        };
        let task = task.filter(|task| task.s() == s && task.d() == file.network.outputs());
        Ok(Self { name, known: NetworkOrRecording::Network(Box::new(file)), s, task })
    }

    /// A recording of a network that gets `s` steps of input.
    pub fn recording(name: impl Into<String>, recorded: Trajectories, s: usize) -> Self {
        Self { name: name.into(), known: NetworkOrRecording::Recording(Box::new(recorded)), s, task: None }
    }

    /// The same, trained on a task.
    pub fn on(self, task: Window) -> Self {
        Self { s: task.s(), task: Some(task), ..self }
    }

    /// Input steps and output components.
    pub fn size(&self) -> (usize, usize) {
        let outputs = match &self.known {
            NetworkOrRecording::Network(file) => file.network.outputs(),
            NetworkOrRecording::Recording(recorded) => recorded.components(),
        };
        (self.s, outputs)
    }

    /// The inputs of a recording of these sizes and its output steps, where they are known.
    fn recorded(&self, size: (usize, usize)) -> Option<(&[f32], usize)> {
        match &self.known {
            NetworkOrRecording::Recording(recorded) if self.size() == size => {
                let steps = recorded.states.len().min(recorded.outputs.len());
                recorded.inputs.as_deref().map(|inputs| (inputs, steps))
            }
            _ => None,
        }
    }
}

/// The inputs that all networks of a size get: those of the first recording, as nobody can choose them; otherwise random ones.
pub fn shared_inputs(
    subjects: &[Subject],
    (s, d): (usize, usize),
    params: &CompareParams,
) -> Result<Inputs, CompareError> {
    let (from, count) = params.settled;
    let recordings = subjects.iter().filter(|subject| matches!(subject.known, NetworkOrRecording::Recording(_)));
    let shortest = recordings.filter(|subject| subject.size() == (s, d)).map(|subject| match &subject.known {
        NetworkOrRecording::Recording(recorded) => recorded.states.len(),
        NetworkOrRecording::Network(_) => usize::MAX,
    });
    let end = shortest.fold(from + count, usize::min);
    let first = end.saturating_sub(count);
    if let Some((values, _)) = subjects.iter().find_map(|subject| subject.recorded((s, d))) {
        let episodes = values.len() / (s * d).max(1);
        return Ok(Inputs { values: values.to_vec(), episodes, first, end });
    }
    let episodes = params.episodes.0.max(params.episodes.1.saturating_mul(s * d)).min(params.most_episodes);
    let stream = Stream::new(params.interpret.observe.seed, Purpose::ScoreInputs);
    let name = subjects.first().map_or_else(String::new, |subject| subject.name.clone());
    let values = draw_inputs((s, d), episodes, &stream, 31)
        .map_err(|error| CompareError::Observe { name, source: ObserveError::Task(error) })?;
    Ok(Inputs { values, episodes, first, end })
}
