//! Programs with inputs at every step: `v(t) = F(v(t-1), x(t))` and `y(t) = G(v(t), x(t))`, written as formulas.
//!
//! ```text
//! input x[2]: pulse(0.25)
//! variable v[2]: sign or none
//! v = if(x == 0, v, x)
//! output y: sign = v when v != none
//! ```

mod description;
mod formula;
mod groups;
mod kind;
mod law;
mod named;
mod resolve;
mod rule;
mod run;
mod syntax;
mod token;

pub use description::{Description, Part, Step};
pub use kind::Kind;
pub use named::{KnownProgram, PROGRAMS};
pub use run::{Columns, Episode, Frame, Machine, RunError};

use super::TaskError;
use super::text::File;
use law::Input;
use rule::Rule;

/// The longest text of a program, in bytes.
pub const MAX_PROGRAM_BYTES: usize = 1 << 20;

/// A program: variables that follow from their last values and the inputs, and outputs that follow from both.
#[derive(Clone, Debug)]
pub struct Program {
    name: String,
    source: String,
    variables: Vec<Variable>,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    length: Option<usize>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
struct Variable {
    name: String,
    kind: Kind,
    start: f64,
    rule: Rule,
}

/// An output.
#[derive(Clone, Debug, PartialEq)]
struct Output {
    name: String,
    kind: Kind,
    rule: Rule,
    /// When it counts; always if nothing.
    when: Option<Rule>,
    /// How far off a number may be and still count as right.
    within: f64,
    columns: std::ops::Range<usize>,
}

/// Everything follows from the text.
impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.source) == (&other.name, &other.source)
    }
}

impl Program {
    /// Whether a text is a program, rather than a name, the formulas of a window or a task file.
    pub fn is_text(text: &str) -> bool {
        let mut statements = text.split(['\n', ';']).map(str::trim_start);
        let begins =
            |of: &str, word: &str| of.strip_prefix(word).is_some_and(|rest| rest.starts_with(char::is_whitespace));
        let is_file = |of: &str| of.strip_prefix("program").is_some_and(|rest| rest.trim_start().starts_with('='));
        !statements.clone().any(is_file) && statements.any(|of| syntax::STATEMENTS.iter().any(|word| begins(of, word)))
    }

    /// Reads a program from its text; it is named after the text.
    pub fn read(text: &str) -> Result<Self, TaskError> {
        let program = Self::read_in(text, &File { file: "program", text }, 0)?;
        let name = format!("program-{:08x}", crate::crc32c::crc32c(program.source.as_bytes()));
        Ok(program.renamed(name))
    }

    /// Reads a program whose text begins at byte `start` of a file.
    pub(super) fn read_in(text: &str, file: &File<'_>, start: usize) -> Result<Self, TaskError> {
        if text.len() > MAX_PROGRAM_BYTES {
            let what = format!(
                "a program has at most {MAX_PROGRAM_BYTES} bytes, not {}; use fewer or smaller tables",
                text.len()
            );
            return Err(file.error(start, what));
        }
        let statements = syntax::statements(text).and_then(|statements| resolve::program(&statements, text));
        statements.map_err(|problem| file.error(start + problem.at, problem.what))
    }

    /// The task as the text of a task file.
    pub fn to_toml(&self) -> String {
        let (name, source) = (toml::Value::from(self.name.as_str()), self.source.as_str());
        // Between three marks nothing can be escaped.
        let plain = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
        match source.chars().all(plain) && !source.contains("'''") && !source.ends_with('\'') {
            true => format!("name = {name}\nprogram = '''\n{source}\n'''\n"),
            false => format!("name = {name}\nprogram = {}\n", toml::Value::from(source)),
        }
    }

    /// The same program under another name.
    pub fn renamed(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The number of inputs of a network: a symbol takes one for each of its values.
    pub fn inputs(&self) -> usize {
        self.inputs.last().map_or(0, |input| input.columns.end)
    }

    /// The number of outputs of a network.
    pub fn outputs(&self) -> usize {
        self.outputs.last().map_or(0, |output| output.columns.end)
    }

    /// The names and kinds of the variables, in order.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = (&str, &Kind)> {
        self.variables.iter().map(|variable| (variable.name.as_str(), &variable.kind))
    }

    /// What a network sees: name, kind and the units that it takes.
    pub fn input_columns(&self) -> Vec<Columns<'_>> {
        fn of(input: &Input) -> Columns<'_> {
            Columns { name: &input.name, kind: &input.kind, at: input.columns.clone(), within: 0.0 }
        }
        self.inputs.iter().map(of).collect()
    }

    /// What a network says: name, kind and the units that it takes.
    pub fn output_columns(&self) -> Vec<Columns<'_>> {
        fn of(output: &Output) -> Columns<'_> {
            Columns { name: &output.name, kind: &output.kind, at: output.columns.clone(), within: output.within }
        }
        self.outputs.iter().map(of).collect()
    }

    /// The steps of an episode, where it has an end.
    pub fn longest(&self) -> Option<usize> {
        self.length
    }

    /// Whether every output counts at every step.
    pub fn counts_always(&self) -> bool {
        self.outputs.iter().all(|output| output.when.is_none())
    }
}

#[cfg(test)]
mod tests;
