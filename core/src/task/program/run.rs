//! A program under way: inputs drawn or given, variables, outputs and which of them count.

use super::formula::Place;
use super::law::{Beginning, Draw};
use super::{Kind, Output, Program};
use crate::random::Stream;
use std::ops::Range;

/// Units of a network that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns<'a> {
    /// What they stand for.
    pub name: &'a str,
    /// Its values.
    pub kind: &'a Kind,
    /// Which units.
    pub at: Range<usize>,
    /// How far off a number may be and still count as right.
    pub within: f64,
}

impl Columns<'_> {
    /// Whether what a network says, of all its units, is what is wanted of it.
    pub fn is_right(&self, said: &[f64], wanted: &[f64]) -> bool {
        self.kind.is_right(&said[self.at.clone()], &wanted[self.at.clone()], self.within)
    }
}

/// One step of an episode.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The value of every input.
    pub inputs: Vec<f64>,
    /// The value of every variable after the step.
    pub variables: Vec<f64>,
    /// The value of every output; what does not count has none (NaN).
    pub outputs: Vec<f64>,
}

/// An episode, step by step.
pub type Episode = Vec<Frame>;

/// Why a program could not run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Inputs of another number.
    #[error("step {step} has {found} inputs, and the program {needed}")]
    Inputs {
        /// The step, from 1.
        step: usize,
        /// Values given.
        found: usize,
        /// Values needed.
        needed: usize,
    },
    /// A value that an input cannot have.
    #[error("input {input} is {value} at step {step}, and must be {kind}")]
    Value {
        /// The step, from 1.
        step: usize,
        /// The input.
        input: String,
        /// What was given.
        value: f64,
        /// What is allowed.
        kind: String,
    },
    /// A variable or an output without a value.
    #[error("{name} is {value} at step {step}, and must be {kind}; it follows from {held}")]
    Undefined {
        /// The variable or output.
        name: String,
        /// The step, from 1.
        step: usize,
        /// What was found.
        value: f64,
        /// What is allowed.
        kind: String,
        /// The values that it was made of.
        held: String,
    },
}

/// The most values that a message lists.
const MOST_HELD: usize = 8;

/// Runs a program, step by step.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    program: &'a Program,
    t: usize,
    next: Vec<f64>,
    begun: Vec<Beginning>,
    frame: Frame,
}

impl Program {
    /// A machine before its first step.
    pub fn machine(&self) -> Machine<'_> {
        let mut machine = Machine { program: self, t: 0, next: vec![], begun: vec![], frame: Frame::default() };
        machine.start();
        machine
    }

    /// An episode of `steps` steps with inputs that are drawn.
    pub fn draw(&self, stream: &Stream, index: u32, sample: u32, steps: usize) -> Episode {
        let mut machine = self.machine();
        machine.begin(stream, index, sample);
        (0..steps).map(|_| machine.step_drawn(stream, index, sample).clone()).collect()
    }

    /// What the program says to given inputs, one value for every input a step.
    pub fn run(&self, inputs: &[Vec<f64>]) -> Result<Episode, RunError> {
        let mut machine = self.machine();
        inputs.iter().map(|inputs| machine.step(inputs).cloned()).collect()
    }

    /// The inputs of a step as a network sees them.
    pub fn write_inputs(&self, frame: &Frame, to: &mut [f64]) {
        for (input, value) in self.inputs.iter().zip(&frame.inputs) {
            input.kind.write_input(*value, &mut to[input.columns.clone()]);
        }
    }

    /// The outputs of a step as a network should say them; what does not count is 0, and false in `counts`, which has a place
    /// for every output.
    pub fn write_outputs(&self, frame: &Frame, to: &mut [f64], counts: &mut [bool]) {
        for ((output, value), counts) in self.outputs.iter().zip(&frame.outputs).zip(counts) {
            let to = &mut to[output.columns.clone()];
            *counts = !value.is_nan();
            if *counts { output.kind.write_output(*value, to) } else { to.fill(0.0) }
        }
    }
}

impl Output {
    fn value(&self, read: &impl Fn(Place) -> f64) -> f64 {
        let counts = |when: &super::Rule| when.value(&Kind::Sign { or_none: false }, read) == 1.0;
        if self.when.as_ref().is_none_or(counts) { self.rule.value(&self.kind, read) } else { f64::NAN }
    }
}

impl Machine<'_> {
    fn start(&mut self) {
        self.t = 0;
        self.frame.variables.clear();
        self.frame.variables.extend(self.program.variables.iter().map(|variable| variable.start));
        self.frame.inputs.clear();
        self.frame.inputs.extend(self.program.inputs.iter().map(|input| input.kind.none()));
        self.frame.outputs.resize(self.program.outputs.len(), f64::NAN);
    }

    /// The step that it has come to.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Whether everything has a value that it may have.
    pub fn is_sound(&self) -> bool {
        self.checked().is_ok()
    }

    /// The same moment of the same episode, if the variables had other values.
    pub fn holding(&self, variables: &[f64]) -> Self {
        let mut other = self.clone();
        other.frame.variables.copy_from_slice(variables);
        other
    }

    /// Goes back to the start, and draws what is drawn once for an episode.
    pub fn begin(&mut self, stream: &Stream, index: u32, sample: u32) {
        self.start();
        let draw = |place: usize| Draw { stream, index, sample, place: place as u32 };
        self.begun.clear();
        self.begun.extend(self.program.inputs.iter().enumerate().map(|(place, input)| input.begin(draw(place))));
    }

    /// The next step with inputs that are drawn; [`Machine::begin`] comes first.
    pub fn step_drawn(&mut self, stream: &Stream, index: u32, sample: u32) -> &Frame {
        self.t += 1;
        let count = self.program.inputs.len();
        for (place, input) in self.program.inputs.iter().enumerate() {
            let draw = Draw { stream, index, sample, place: (self.t * count + place) as u32 };
            let (frame, t) = (&self.frame, self.t);
            let value = input.draw(place, (t, frame.inputs[place]), &self.begun[place], draw, &reader(frame, t));
            self.frame.inputs[place] = value;
        }
        self.go_on();
        &self.frame
    }

    /// The next step with given inputs, one value for each.
    pub fn step(&mut self, inputs: &[f64]) -> Result<&Frame, RunError> {
        self.t += 1;
        let step = self.t;
        if inputs.len() != self.program.inputs.len() {
            return Err(RunError::Inputs { step, found: inputs.len(), needed: self.program.inputs.len() });
        }
        for (input, &value) in self.program.inputs.iter().zip(inputs) {
            let fits = input.kind.values().map_or(value.is_finite(), |values| values.contains(&value));
            if !fits {
                return Err(RunError::Value { step, input: input.name.clone(), value, kind: input.kind.to_string() });
            }
        }
        self.frame.inputs.copy_from_slice(inputs);
        self.go_on();
        self.checked()?;
        Ok(&self.frame)
    }

    fn go_on(&mut self) {
        let t = self.t;
        let read = reader(&self.frame, t);
        self.next.clear();
        self.next.extend(self.program.variables.iter().map(|variable| variable.rule.value(&variable.kind, &read)));
        drop(read);
        std::mem::swap(&mut self.frame.variables, &mut self.next);
        for (k, output) in self.program.outputs.iter().enumerate() {
            let value = output.value(&reader(&self.frame, t));
            self.frame.outputs[k] = value;
        }
    }

    /// Variables and inputs as a person writes them.
    fn held(&self, variables: &[f64]) -> String {
        let variables = self.program.variables.iter().zip(variables).map(|(of, value)| (&of.name, &of.kind, *value));
        let inputs = self.program.inputs.iter().zip(&self.frame.inputs).map(|(of, value)| (&of.name, &of.kind, *value));
        let shown = |(name, kind, value): (&String, &Kind, f64)| format!("{name} = {}", kind.shown(value));
        let mut all: Vec<String> = inputs.chain(variables).map(shown).collect();
        if all.len() > MOST_HELD {
            all.truncate(MOST_HELD);
            all.push("...".into());
        }
        all.join(", ")
    }

    /// Whether everything has a value that it may have.
    pub(super) fn checked(&self) -> Result<(), RunError> {
        let wrong = |name: &str, value: f64, kind: &Kind, variables: &[f64]| {
            let (name, kind, held) = (name.into(), kind.to_string(), self.held(variables));
            Err(RunError::Undefined { name, step: self.t, value, kind, held })
        };
        let fits = |value: f64, kind: &Kind| kind.values().map_or(value.is_finite(), |values| values.contains(&value));
        for (variable, &value) in self.program.variables.iter().zip(&self.frame.variables) {
            if !fits(value, &variable.kind) {
                return wrong(&variable.name, value, &variable.kind, &self.next);
            }
        }
        for (input, &value) in self.program.inputs.iter().zip(&self.frame.inputs) {
            if !fits(value, &input.kind) {
                return wrong(&input.name, value, &input.kind, &self.next);
            }
        }
        for (output, &value) in self.program.outputs.iter().zip(&self.frame.outputs) {
            let counts =
                |when: &super::Rule| when.value(&Kind::Sign { or_none: false }, &reader(&self.frame, self.t)) == 1.0;
            if output.when.as_ref().is_none_or(counts) && !fits(value, &output.kind) {
                return wrong(&output.name, value, &output.kind, &self.frame.variables);
            }
        }
        Ok(())
    }
}

/// What formulas read in a step: variables before it, or after it once they have moved on.
fn reader(frame: &Frame, t: usize) -> impl Fn(Place) -> f64 {
    move |place| match place {
        Place::Variable(k) => frame.variables[k],
        Place::Input(k) => frame.inputs[k],
        Place::Time => t as f64,
    }
}
