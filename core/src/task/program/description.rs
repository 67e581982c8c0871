//! What a program asks for, as JSON, Python and people have it.

use super::{Episode, Frame, Kind, Program};
use crate::random::{Purpose, Stream};
use serde::Serialize;

/// Steps of the episode that is shown where nobody says how many.
const SHOWN_STEPS: usize = 24;

/// A program in words, and an episode of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Description {
    /// What it is called.
    pub name: String,
    /// The text of the program.
    pub program: String,
    /// What a network sees.
    pub inputs: Vec<Part>,
    /// What it has to keep.
    pub variables: Vec<Part>,
    /// What it says.
    pub outputs: Vec<Part>,
    /// Steps of an episode, where it has an end.
    pub length: Option<usize>,
    /// An episode, a value for each input, variable and output at each step.
    pub episode: Vec<Step>,
}

/// An input, a variable or an output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// What it is called.
    pub name: String,
    /// Its values, in words.
    pub kind: String,
    /// Units of a network that it takes; none for a variable.
    pub units: usize,
}

/// One step of the episode, in the order of the parts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// As a person writes them.
    pub inputs: Vec<String>,
    /// After the step.
    pub variables: Vec<String>,
    /// Nothing where an output does not count.
    pub outputs: Vec<Option<String>>,
}

impl Program {
    /// An episode to look at, of the length that the program has, or of some steps.
    pub fn example(&self, seed: u64, steps: Option<usize>) -> Episode {
        let most = self.longest().unwrap_or(usize::MAX);
        self.draw(&Stream::new(seed, Purpose::TestInputs), 0, 0, steps.unwrap_or(SHOWN_STEPS).min(most))
    }
}

impl Description {
    /// The description of a program with an episode of it.
    pub fn of(program: &Program, episode: &[Frame]) -> Self {
        let part = |name: &str, kind: &Kind, units| Part { name: name.into(), kind: kind.to_string(), units };
        Self {
            name: program.name.clone(),
            program: program.source.clone(),
            inputs: program.inputs.iter().map(|of| part(&of.name, &of.kind, of.columns.len())).collect(),
            variables: program.variables.iter().map(|of| part(&of.name, &of.kind, 0)).collect(),
            outputs: program.outputs.iter().map(|of| part(&of.name, &of.kind, of.columns.len())).collect(),
            length: program.length,
            episode: episode.iter().map(|frame| Step::of(program, frame)).collect(),
        }
    }
}

impl Step {
    fn of(program: &Program, frame: &Frame) -> Self {
        let outputs = program.outputs.iter().zip(&frame.outputs);
        Self {
            inputs: program.inputs.iter().zip(&frame.inputs).map(|(of, value)| of.kind.shown(*value)).collect(),
            variables: program
                .variables
                .iter()
                .zip(&frame.variables)
                .map(|(of, value)| of.kind.shown(*value))
                .collect(),
            outputs: outputs.map(|(of, value)| (!value.is_nan()).then(|| of.kind.shown(*value))).collect(),
        }
    }
}
