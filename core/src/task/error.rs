//! What can be wrong with a task.

use crate::foreign_text::escaped_name;
use crate::setting::Setting;
use std::path::PathBuf;

/// Why a task could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// Several f where one is needed.
    #[error(
        "task {name} has contexts, each with its own f: choose one of {contexts} with {}",
        Setting::named("context")
    )]
    Contexts {
        /// The task.
        name: String,
        /// Its contexts.
        contexts: String,
    },
    /// Several f in a sweep.
    #[error("task {name} has contexts, and a sweep takes tasks with one f; train it with 'ketbra train'")]
    ContextsInSweep {
        /// The task.
        name: String,
    },
    /// A program where a window is needed.
    #[error(
        "{} has inputs at every step, and this is about tasks that see s inputs and then go on alone, such as T2; to \
         look which of a network's states hold what, use ketbra.readings(hidden, contents) in Python",
        escaped_name(name)
    )]
    Driven {
        /// The task.
        name: String,
    },
    /// The size of a window for a program.
    #[error(
        "{} has inputs at every step and no window, but {} was passed; leave it out: sizes are part of the name, as in flipflop:3",
        escaped_name(name),
        Setting::of(option, asked)
    )]
    NoWindow {
        /// The task.
        name: String,
        /// The setting.
        option: &'static str,
        /// Its value.
        asked: usize,
    },
    /// A context that the task does not have.
    #[error("task {name} has no context '{context}'; it has {contexts}")]
    NoContext {
        /// The task.
        name: String,
        /// What was asked for.
        context: String,
        /// What there is.
        contexts: String,
    },
    /// A number of contexts that cannot be.
    #[error("a task with contexts has from 2 to {limit} of them, not {found}")]
    ContextCount {
        /// How many there are.
        found: usize,
        /// The most.
        limit: usize,
    },
    /// A context's name that cannot be typed.
    #[error("a context is called '{}'; use letters, digits, - and _", escaped_name(name))]
    ContextName {
        /// The name.
        name: String,
    },
    /// A context of another size.
    #[error("context {name} has s={found_s}, d={found_d}, but the first one has s={s}, d={d}; all contexts share them")]
    ContextSize {
        /// The context.
        name: String,
        /// Its variables.
        found_s: usize,
        /// Their components.
        found_d: usize,
        /// Those of the first context.
        s: usize,
        /// Those of the first context.
        d: usize,
    },
    /// s or d is zero.
    #[error(
        "a task needs at least one variable and one component, but s={s}, d={d}; pass {} and {} of 1 or more",
        Setting::named("s"),
        Setting::named("d")
    )]
    Empty {
        /// Variables asked for.
        s: usize,
        /// Components asked for.
        d: usize,
    },
    /// The window would not fit in memory.
    #[error(
        "s*d = {s}*{d} is over the limit of {limit} window components; choose smaller {} or {}",
        Setting::named("s"),
        Setting::named("d")
    )]
    TooLarge {
        /// Variables asked for.
        s: usize,
        /// Components asked for.
        d: usize,
        /// The most components allowed.
        limit: usize,
    },
    /// A dense f whose matrix would be too large.
    #[error(
        "an f that is no signed selection has d*s*d = {d}*{s}*{d} coefficients, more than the limit of {limit}; choose \
         smaller s or d, or let every output copy one component"
    )]
    TooManyCoefficients {
        /// Variables asked for.
        s: usize,
        /// Components asked for.
        d: usize,
        /// The most coefficients allowed.
        limit: usize,
    },
    /// An output that depends on too much.
    #[error(
        "an output depends on {found} past components, and a truth table has at most {limit}; use fewer, or split the function \
         over several outputs"
    )]
    TooManyInputs {
        /// Inputs asked for.
        found: usize,
        /// The most allowed.
        limit: usize,
    },
    /// A table with too few or too many entries.
    #[error("a truth table of {inputs} inputs has {} entries, not {found}", 1usize << inputs)]
    TableSize {
        /// Entries given.
        found: usize,
        /// Inputs.
        inputs: usize,
    },
    /// Truth tables that would be too large together.
    #[error(
        "the truth tables have {found} entries together, more than the limit of {limit}; choose fewer inputs, or smaller d"
    )]
    TooManyEntries {
        /// Entries asked for.
        found: usize,
        /// The most allowed.
        limit: usize,
    },
    /// A number of an id with more digits than any window needs.
    #[error("a number of the task id has {digits} digits, more than the limit of {limit}; pass a task file instead")]
    IdTooLong {
        /// Digits given.
        digits: usize,
        /// The most digits allowed.
        limit: usize,
    },
    /// A selection that does not define every output once.
    #[error("f defines {found} output components, but d={d} needs exactly {d}")]
    OutputCount {
        /// Outputs defined.
        found: usize,
        /// Outputs needed.
        d: usize,
    },
    /// A lag outside the window.
    #[error("lag {lag} is outside the window: with s={s} lags go from 1 (newest) to {s} (oldest)")]
    LagOutOfRange {
        /// The lag given.
        lag: usize,
        /// The number of variables.
        s: usize,
    },
    /// A component that does not exist.
    #[error("component {component} does not exist: with d={d} components go from 1 to {d}")]
    ComponentOutOfRange {
        /// The component given, from 1.
        component: usize,
        /// The number of components.
        d: usize,
    },
    /// A matrix of the wrong shape.
    #[error("the matrix is {rows} x {columns}, but s={s}, d={d} needs d x s*d = {d} x {}", s * d)]
    MatrixShape {
        /// Rows given.
        rows: usize,
        /// Columns given.
        columns: usize,
        /// The number of variables.
        s: usize,
        /// The number of components.
        d: usize,
    },
    /// A coefficient that is NaN or infinite.
    #[error("the coefficient in row {row}, column {column} is {value}; every coefficient must be a finite number")]
    NotFinite {
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        column: usize,
        /// The offending value.
        value: f64,
    },
    /// A name that no task has.
    #[error("there is no task '{}'; did you mean '{nearest}'? A path to a .toml file works too", escaped_name(name))]
    UnknownName {
        /// The name given.
        name: String,
        /// The known name nearest to it.
        nearest: String,
    },
    /// A named task of fixed size was asked for in another one.
    #[error("{name} is defined for s=8, d=8 only, not s={s}, d={d}; use '{general}' for other sizes")]
    FixedSize {
        /// The task's name.
        name: &'static str,
        /// Variables asked for.
        s: usize,
        /// Components asked for.
        d: usize,
        /// The family that takes any size.
        general: &'static str,
    },
    /// A member of a family that does not exist.
    #[error("{}: {problem}", escaped_name(name))]
    Family {
        /// What was asked for.
        name: String,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// An id that is not three whole numbers.
    #[error("'{}' is not a task id: write three whole numbers id1,id2,id3, e.g. 255,0,0", escaped_name(text))]
    IdSyntax {
        /// What was given.
        text: String,
    },
    /// An id whose first number does not choose d components.
    #[error("id1 = {} has {found} bits set, but d={d} outputs need exactly {d}", escaped_name(id1))]
    IdBitCount {
        /// The first number.
        id1: String,
        /// Bits found.
        found: usize,
        /// Bits needed.
        d: usize,
    },
    /// An id whose first number reaches past the window.
    #[error("id1 = {} sets bit {bit}, but s={s}, d={d} has only {} window components (bits 0 to {})", escaped_name(id1), s * d, s * d - 1)]
    IdBitOutOfRange {
        /// The first number.
        id1: String,
        /// The highest bit.
        bit: usize,
        /// The number of variables.
        s: usize,
        /// The number of components.
        d: usize,
    },
    /// An id whose second number swaps past the last choice.
    #[error("id2 = {}: digit {digit} at place {place} swaps with choice {}, but d={d} choices go from 0 to {}", escaped_name(id2), place + digit, d - 1)]
    IdSwapOutOfRange {
        /// The second number.
        id2: String,
        /// The digit in base d.
        digit: usize,
        /// Its place, from 0.
        place: usize,
        /// The number of components.
        d: usize,
    },
    /// An id whose third number negates an output that does not exist.
    #[error("id3 = {} sets bit {bit}, but d={d} outputs have bits 0 to {}", escaped_name(id3), d - 1)]
    IdSignOutOfRange {
        /// The third number.
        id3: String,
        /// The highest bit.
        bit: usize,
        /// The number of components.
        d: usize,
    },
    /// A recurrence that cannot be read, with its place in the file.
    #[error("{file}:{line}:{column}: {problem}")]
    Syntax {
        /// The file's name.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// A task file that cannot be read from disk.
    #[error("cannot read the task file {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A folder, pipe or device in place of a task file.
    #[error("the task file {path} is not a regular file; pass the path of a .toml file, or a name")]
    NotAFile {
        /// What was given.
        path: PathBuf,
    },
    /// A task file beyond the limit.
    #[error("the task file {path} has {bytes} bytes, more than the limit of {limit}; is it a task?")]
    LargeFile {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// A task file that a network file points to; only a person may choose what is opened.
    #[error(
        "the network's file names the task file '{}', which is not opened for it; pass {}, or {} and {}",
        escaped_name(named),
        Setting::of("task", "FILE"),
        Setting::on("blind"),
        Setting::of("s", "N")
    )]
    NamesAFile {
        /// What the network's file says.
        named: String,
    },
    /// A task that a network file describes in a way that cannot be used.
    #[error(
        "the network's file describes its task in a way that cannot be used: {source}. Pass {}, or {} and {}",
        Setting::of("task", "T"),
        Setting::on("blind"),
        Setting::of("s", "N")
    )]
    InNetworkFile {
        /// What is wrong with it.
        source: Box<TaskError>,
    },
    /// Sizes that contradict a task that carries its own.
    #[error(
        "the task '{}' has s={s}, d={d}, but {} was passed; leave {} out, or pass another task",
        escaped_name(name),
        Setting::of(option, asked),
        Setting::named(option)
    )]
    OtherSize {
        /// The task's name.
        name: String,
        /// The setting.
        option: &'static str,
        /// Its value.
        asked: usize,
        /// Variables of the task.
        s: usize,
        /// Components of the task.
        d: usize,
    },
}
