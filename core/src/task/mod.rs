//! What a network should compute: a program of variables, `v(t) = F(v(t-1), x(t))`, that says `y(t) = G(v(t), x(t))`.
//!
//! There are two ways to write one down. A [`Window`] is the paper's: inputs for s steps, then silence; its variables are the
//! last s values, which move along by one place at each step, and the newest takes the input while there is one and f of the
//! others in silence. A [`Program`] has formulas for its variables and outputs, and inputs at every step.

mod error;
mod program;
mod text;
mod window;

pub use error::TaskError;
pub use program::{
    Columns, Description as ProgramDescription, Episode, Frame, Kind, KnownProgram, MAX_PROGRAM_BYTES, Machine,
    PROGRAMS, Part as ProgramPart, Program, RunError, Step as ProgramStep,
};
pub use window::{
    Component, Context, Episodes, Function, Gate, KNOWN_TASKS, KnownTask, MAX_COEFFICIENTS, MAX_CONTEXTS,
    MAX_FORMULA_BYTES, MAX_FORMULA_DEPTH, MAX_GATE_INPUTS, MAX_ID_DIGITS, MAX_WINDOW, PastComponent, Slot, Source,
    TableOf, TaskId, Window,
};

pub(crate) use window::{draw_inputs, in_window};

use serde::Deserialize;
use std::ffi::OsStr;
use std::path::Path;
use text::File;
use toml::Spanned;

/// A task of either kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Inputs for s steps, then silence.
    Window(Window),
    /// Inputs at every step.
    Program(Program),
}

impl From<Window> for Task {
    fn from(window: Window) -> Self {
        Self::Window(window)
    }
}

impl From<Program> for Task {
    fn from(program: Program) -> Self {
        Self::Program(program)
    }
}

/// A task file that holds a program; windows have a form of their own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramFile {
    name: Option<String>,
    program: Spanned<String>,
}

impl Task {
    /// A task from what a person types: a name, an id such as `255,0,0`, formulas such as `u1 = xor(u1[t-5], u1[t-3])`, a
    /// program such as `input x: sign; variable v: sign; v = v * x; output y = v`, or the path of a TOML file.
    ///
    /// `s` and `d` are those of windows, and default to 8 for most names and for ids.
    pub fn parse(text: impl AsRef<OsStr>, s: Option<usize>, d: Option<usize>) -> Result<Self, TaskError> {
        let path = Path::new(text.as_ref());
        if path.extension().is_some_and(|extension| extension == "toml") {
            return Self::read_toml(path);
        }
        Self::written(&path.to_string_lossy(), s, d)
    }

    /// The same beside a network of `inputs` inputs, as many as the components of a window have where nobody says otherwise.
    pub(crate) fn parse_beside(
        text: impl AsRef<OsStr>,
        s: Option<usize>,
        d: Option<usize>,
        inputs: usize,
    ) -> Result<Self, TaskError> {
        let path = Path::new(text.as_ref());
        match path.extension().is_some_and(|extension| extension == "toml") {
            true => Self::read_toml(path)?.of_size(s, d),
            false if d.is_none() => Self::written_beside(&path.to_string_lossy(), s, Some(inputs)),
            false => Self::written(&path.to_string_lossy(), s, d),
        }
    }

    /// A task that somebody wrote beside the sizes of a window, which a program has no use for.
    pub(crate) fn written_beside(text: &str, s: Option<usize>, d: Option<usize>) -> Result<Self, TaskError> {
        match Program::is_text(text) || Program::named(text).is_some() {
            true => Self::written(text, None, None),
            false => Self::written(text, s, d)?.of_size(s, d),
        }
    }

    /// A task by its name, id, formulas or program, whoever wrote it: no file is opened.
    pub fn written(text: &str, s: Option<usize>, d: Option<usize>) -> Result<Self, TaskError> {
        let of_a_window = [("s", s), ("d", d)].into_iter().find_map(|(option, asked)| Some((option, asked?)));
        let program = match Program::is_text(text) {
            true => Some(Program::read(text)),
            false => Program::named(text),
        };
        match (program, of_a_window) {
            (None, _) => Window::named_or_numbered(text, s, d).map(Self::Window),
            (Some(Ok(program)), Some((option, asked))) => {
                Err(TaskError::NoWindow { name: program.name().into(), option, asked })
            }
            (Some(program), _) => program.map(Self::Program),
        }
    }

    /// A task by name.
    pub fn named(name: &str, s: Option<usize>, d: Option<usize>) -> Result<Self, TaskError> {
        match Program::named(name) {
            Some(program) => program.map(Self::Program),
            None => Window::named(name, s, d).map(Self::Window),
        }
    }

    /// Reads a task file.
    pub fn read_toml(path: &Path) -> Result<Self, TaskError> {
        let text = window::read_text(path)?;
        let stem = path.file_stem().map_or_else(|| "task".into(), |stem| stem.to_string_lossy());
        Self::from_toml(&text, &path.to_string_lossy(), &stem)
    }

    /// A task from the text of a task file; `file` is named in errors, `default_name` is used if the text has no name.
    pub fn from_toml(text: &str, file: &str, default_name: &str) -> Result<Self, TaskError> {
        // A window's file has sizes, which a program's has not.
        if !text.lines().any(|line| line.trim_start().starts_with("program")) {
            return Window::from_toml_with_contexts(text, file, default_name).map(Self::Window);
        }
        let source = File { file, text };
        let parsed: ProgramFile = toml::from_str(text)
            .map_err(|error| source.error(error.span().map_or(0, |span| span.start), error.message()))?;
        let name = parsed.name.unwrap_or_else(|| default_name.into());
        window::refused_name(&name, &source)?;
        let start = parsed.program.span().start;
        let opening = text[start..].find(|c| c != '"' && c != '\'').unwrap_or(0);
        // A line end right behind three quotation marks does not count.
        let opening = opening + usize::from(opening == 3 && text[start + opening..].starts_with('\n'));
        let program = Program::read_in(parsed.program.get_ref(), &source, start + opening)?;
        Ok(Self::Program(program.renamed(name)))
    }

    /// The task as the text of a task file, which [`Task::from_toml`] reads back to the same task.
    pub fn to_toml(&self) -> String {
        match self {
            Self::Window(window) => window.to_toml(),
            Self::Program(program) => program.to_toml(),
        }
    }

    /// What the task is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Window(window) => window.name(),
            Self::Program(program) => program.name(),
        }
    }

    /// The window, for what is about windows alone.
    pub fn window(&self) -> Result<&Window, TaskError> {
        match self {
            Self::Window(window) => Ok(window),
            Self::Program(program) => Err(TaskError::Driven { name: program.name().into() }),
        }
    }

    /// The window, taken out, if it has one f.
    pub fn into_window(self) -> Result<Window, TaskError> {
        match self {
            Self::Window(window) => window.alone(),
            Self::Program(program) => Err(TaskError::Driven { name: program.name().into() }),
        }
    }

    /// The program, where there are inputs at every step.
    pub fn program(&self) -> Option<&Program> {
        match self {
            Self::Window(_) => None,
            Self::Program(program) => Some(program),
        }
    }

    /// The number of inputs of a network.
    pub fn inputs(&self) -> usize {
        match self {
            Self::Window(window) => window.inputs(),
            Self::Program(program) => program.inputs(),
        }
    }

    /// The number of outputs of a network.
    pub fn outputs(&self) -> usize {
        match self {
            Self::Window(window) => window.d(),
            Self::Program(program) => program.outputs(),
        }
    }

    /// Steps of input before the first output: s of a window, none of a program.
    pub fn steps_before_outputs(&self) -> usize {
        match self {
            Self::Window(window) => window.s(),
            Self::Program(_) => 0,
        }
    }

    /// Whether there are inputs beside the outputs too.
    pub fn has_inputs_throughout(&self) -> bool {
        match self {
            Self::Window(window) => !window.contexts().is_empty(),
            Self::Program(_) => true,
        }
    }

    /// The most output steps that an episode has; nothing where it may go on forever.
    pub fn longest(&self) -> Option<usize> {
        self.program().and_then(Program::longest)
    }

    /// The contexts of a window that has several f.
    pub fn contexts(&self) -> &[Context] {
        match self {
            Self::Window(window) => window.contexts(),
            Self::Program(_) => &[],
        }
    }

    /// The place of a context by its name.
    pub fn context(&self, name: &str) -> Result<usize, TaskError> {
        self.window()?.context(name)
    }

    /// Whether it is a window with a linear f.
    pub fn is_linear(&self) -> bool {
        self.window().is_ok_and(Window::is_linear)
    }

    /// Whether a network without biases can compute it.
    pub fn is_odd(&self) -> bool {
        match self {
            Self::Window(window) => window.is_odd(),
            Self::Program(_) => false,
        }
    }

    /// The task, if it has the sizes asked for; a task file carries its own.
    pub fn of_size(self, s: Option<usize>, d: Option<usize>) -> Result<Self, TaskError> {
        match self {
            Self::Window(window) => window.of_size(s, d).map(Self::Window),
            Self::Program(_) => Ok(self),
        }
    }

    /// Whether two tasks ask for the same thing, whatever they are called.
    pub fn same_function(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Window(window), Self::Window(other)) => window.same_function(other),
            (Self::Program(program), Self::Program(other)) => program.source() == other.source(),
            _ => false,
        }
    }
}
