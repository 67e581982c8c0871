//! Windows, the tasks of the paper: `u(t) = f(u(t-1), ..., u(t-s))` for t > s, with f linear or a truth table.
//!
//! The first s steps present inputs of d components in {-1, +1}; from then on the input is zero and the network must
//! continue the sequence. Variable 1 holds the oldest of the last s values, variable s the newest, so that the value of
//! lag l lives in variable s + 1 - l.

mod as_program;
mod bits;
mod by_name;
mod component;
mod contexts;
mod episodes;
mod evaluate;
mod explicit;
mod families;
mod formula;
mod from_toml;
mod functions;
mod gate;
mod id;
mod inline;
mod lines;
mod nest;
mod reader;
mod recurrence;
mod shortest;
mod table_of;
mod written;

pub use by_name::{KNOWN_TASKS, KnownTask};
pub use component::Component;
pub use contexts::{Context, MAX_CONTEXTS};
pub use episodes::Episodes;
pub(crate) use episodes::{draw_inputs, in_window};
pub use formula::{MAX_FORMULA_BYTES, MAX_FORMULA_DEPTH};
pub(super) use from_toml::{read_text, refused_name};
pub use gate::{Gate, MAX_GATE_INPUTS, Slot};
pub use id::{MAX_ID_DIGITS, TaskId};
pub use table_of::{PastComponent, TableOf};

use super::TaskError;
use super::text::{File, Problem};
use faer::Mat;

/// The largest window s*d a task may have: a signed selection is described, but neither trained nor interpreted, up to here.
pub const MAX_WINDOW: usize = 1 << 18;
/// The most coefficients d*s*d of an f that is no selection: 2 MiB, or a window of 1024 components with d = 256.
pub const MAX_COEFFICIENTS: usize = 1 << 18;

/// Where one output component of a signed selection comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// How many steps back, from 1 (the newest value) to s.
    pub lag: usize,
    /// Which component, from 0.
    pub component: usize,
    /// Whether the sign is flipped on the way.
    pub negated: bool,
}

impl Source {
    /// A copy of a past component, perhaps negated.
    pub fn of(slot: Slot, negated: bool) -> Self {
        Self { lag: slot.lag, component: slot.component, negated }
    }

    /// The past component that it copies.
    pub fn slot(&self) -> Slot {
        Slot { lag: self.lag, component: self.component }
    }

    /// +1 or -1.
    pub fn sign(&self) -> f64 {
        if self.negated { -1.0 } else { 1.0 }
    }
}

/// The function f of a task.
#[doc(alias = "f")]
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Function {
    /// Each output component copies one component of the window, perhaps negated: values stay in {-1, +1}.
    Selection(Vec<Source>),
    /// Each output component is any function of a few components of the window: values stay in {-1, +1}.
    Table(Vec<Gate>),
    /// A d x (s*d) matrix on the window, variable 1 (the oldest) first: values are real numbers.
    Dense(Mat<f64>),
}

/// A variable-binding task.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    name: String,
    s: usize,
    d: usize,
    function: Function,
    /// Of a task with several f, of which a cue chooses one; `function` is then the first of them.
    contexts: Vec<Context>,
}

impl Window {
    /// A task whose outputs are copies of window components, one [`Source`] an output.
    pub fn selection(name: impl Into<String>, s: usize, d: usize, sources: Vec<Source>) -> Result<Self, TaskError> {
        check_size(s, d)?;
        if sources.len() != d {
            return Err(TaskError::OutputCount { found: sources.len(), d });
        }
        for source in &sources {
            check_slot(source.slot(), s, d)?;
        }
        Ok(Self { name: name.into(), s, d, function: Function::Selection(sources), contexts: vec![] })
    }

    /// A task whose outputs are truth tables on window components, one [`Gate`] an output. Gates that copy one component each
    /// become a [`Function::Selection`].
    pub fn table(name: impl Into<String>, s: usize, d: usize, gates: Vec<Gate>) -> Result<Self, TaskError> {
        if let Some(sources) = gates.iter().map(Gate::as_source).collect() {
            return Self::selection(name, s, d, sources);
        }
        check_size(s, d)?;
        if gates.len() != d {
            return Err(TaskError::OutputCount { found: gates.len(), d });
        }
        let entries: usize = gates.iter().map(|gate| gate.table().len()).sum();
        if entries > MAX_COEFFICIENTS {
            return Err(TaskError::TooManyEntries { found: entries, limit: MAX_COEFFICIENTS });
        }
        for slot in gates.iter().flat_map(Gate::inputs) {
            check_slot(*slot, s, d)?;
        }
        Ok(Self { name: name.into(), s, d, function: Function::Table(gates), contexts: vec![] })
    }

    /// A task given by its d x (s*d) matrix. A matrix that selects with signs becomes a [`Function::Selection`].
    pub fn from_matrix(name: impl Into<String>, s: usize, d: usize, matrix: Mat<f64>) -> Result<Self, TaskError> {
        check_size(s, d)?;
        if (matrix.nrows(), matrix.ncols()) != (d, s * d) {
            return Err(TaskError::MatrixShape { rows: matrix.nrows(), columns: matrix.ncols(), s, d });
        }
        check_coefficients(s, d)?;
        for row in 0..d {
            if let Some(column) = (0..s * d).find(|&column| !matrix[(row, column)].is_finite()) {
                return Err(TaskError::NotFinite { row: row + 1, column: column + 1, value: matrix[(row, column)] });
            }
        }
        let function = match as_selection(&matrix, s, d) {
            Some(sources) => Function::Selection(sources),
            None => Function::Dense(matrix),
        };
        Ok(Self { name: name.into(), s, d, function, contexts: vec![] })
    }

    /// What the task is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of variables, which is the number of time steps of the input phase.
    pub fn s(&self) -> usize {
        self.s
    }

    /// The number of components of each variable.
    #[doc(alias = "kappa")]
    pub fn d(&self) -> usize {
        self.d
    }

    /// The number of components of the whole window, s*d.
    pub fn width(&self) -> usize {
        self.s * self.d
    }

    /// The function f.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The sources of a signed selection, `None` for any other f.
    pub fn sources(&self) -> Option<&[Source]> {
        match &self.function {
            Function::Selection(sources) => Some(sources),
            Function::Table(_) | Function::Dense(_) => None,
        }
    }

    /// Every output as a truth table, `None` for a dense f.
    pub fn gates(&self) -> Option<Vec<Gate>> {
        match &self.function {
            Function::Selection(sources) => Some(sources.iter().map(Gate::copy).collect()),
            Function::Table(gates) => Some(gates.clone()),
            Function::Dense(_) => None,
        }
    }

    /// Whether f is linear: a selection or a matrix.
    pub fn is_linear(&self) -> bool {
        !matches!(self.function, Function::Table(_)) && self.contexts.iter().all(|context| context.task.is_linear())
    }

    /// Whether f of the opposite window is the opposite: only then can a network without biases compute it.
    pub fn is_odd(&self) -> bool {
        let odd = |gate: &Gate| {
            let table = gate.table();
            (0..table.len()).all(|m| table[m] != table[table.len() - 1 - m])
        };
        let here = match &self.function {
            Function::Table(gates) => gates.iter().all(odd),
            Function::Selection(_) | Function::Dense(_) => true,
        };
        here && self.contexts.iter().all(|context| context.task.is_odd())
    }

    /// Whether values stay in {-1, +1}. If not, targets are real numbers and may grow or shrink without bound.
    pub fn is_binary(&self) -> bool {
        !matches!(self.function, Function::Dense(_))
    }

    /// The window index of a source: variables from the oldest, components within.
    pub fn window_index(&self, source: &Source) -> usize {
        source.slot().index(self.s, self.d)
    }

    /// f as a d x (s*d) matrix, variable 1 (the oldest) first; `None` where f is not linear.
    pub fn linear(&self) -> Option<Mat<f64>> {
        match &self.function {
            Function::Table(_) => None,
            Function::Dense(matrix) => Some(matrix.clone()),
            Function::Selection(sources) => {
                let mut matrix = Mat::zeros(self.d, self.width());
                for (output, source) in sources.iter().enumerate() {
                    matrix[(output, self.window_index(source))] = source.sign();
                }
                Some(matrix)
            }
        }
    }

    /// The same task under another name.
    pub fn renamed(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The task, if it has the sizes asked for; a task file carries its own.
    pub fn of_size(self, s: Option<usize>, d: Option<usize>) -> Result<Self, TaskError> {
        for (option, asked, size) in [("s", s, self.s), ("d", d, self.d)] {
            if let Some(asked) = asked.filter(|asked| *asked != size) {
                return Err(TaskError::OtherSize { name: self.name, option, asked, s: self.s, d: self.d });
            }
        }
        Ok(self)
    }

    /// Whether two tasks ask for the same thing, whatever they are called.
    pub fn same_function(&self, other: &Self) -> bool {
        let same = |(a, b): (&Context, &Context)| a.name == b.name && a.task.same_function(&b.task);
        (self.s, self.d) == (other.s, other.d)
            && self.function == other.function
            && self.contexts.len() == other.contexts.len()
            && self.contexts.iter().zip(&other.contexts).all(same)
    }
}

fn check_size(s: usize, d: usize) -> Result<(), TaskError> {
    if s == 0 || d == 0 {
        return Err(TaskError::Empty { s, d });
    }
    match s.checked_mul(d) {
        Some(window) if window <= MAX_WINDOW => Ok(()),
        _ => Err(TaskError::TooLarge { s, d, limit: MAX_WINDOW }),
    }
}

fn check_slot(slot: Slot, s: usize, d: usize) -> Result<(), TaskError> {
    if slot.lag == 0 || slot.lag > s {
        return Err(TaskError::LagOutOfRange { lag: slot.lag, s });
    }
    if slot.component >= d {
        return Err(TaskError::ComponentOutOfRange { component: slot.component + 1, d });
    }
    Ok(())
}

/// Refuses a dense f whose matrix would be too large; the window is known to be within its limit.
fn check_coefficients(s: usize, d: usize) -> Result<(), TaskError> {
    match (s * d).checked_mul(d) {
        Some(count) if count <= MAX_COEFFICIENTS => Ok(()),
        _ => Err(TaskError::TooManyCoefficients { s, d, limit: MAX_COEFFICIENTS }),
    }
}

fn as_selection(matrix: &Mat<f64>, s: usize, d: usize) -> Option<Vec<Source>> {
    (0..d)
        .map(|row| {
            let mut entries = (0..s * d).filter(|&column| matrix[(row, column)] != 0.0);
            let column = entries.next()?;
            let value = matrix[(row, column)];
            let unit = value.abs() == 1.0 && entries.next().is_none();
            unit.then(|| Source::of(Slot::at(column, s, d), value < 0.0))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_of_signed_units_is_a_selection_and_back() {
        let t3 = Window::named("T3", None, None).unwrap();
        let again = Window::from_matrix("again", 8, 8, t3.linear().unwrap()).unwrap();
        assert!(again.same_function(&t3) && again.is_binary());
    }

    #[test]
    fn a_matrix_with_sums_is_dense_and_leaves_plus_minus_one() {
        let mut matrix = Mat::zeros(1, 2);
        matrix[(0, 0)] = 1.0;
        matrix[(0, 1)] = 1.0;
        assert!(!Window::from_matrix("fibonacci", 2, 1, matrix).unwrap().is_binary());
    }

    #[test]
    fn a_matrix_of_the_wrong_shape_or_with_nan_is_refused() {
        let shape = Window::from_matrix("x", 2, 2, Mat::zeros(2, 3)).unwrap_err();
        assert_eq!(shape.to_string(), "the matrix is 2 x 3, but s=2, d=2 needs d x s*d = 2 x 4");
        let mut matrix = Mat::zeros(1, 2);
        matrix[(0, 1)] = f64::NAN;
        let value = Window::from_matrix("x", 2, 1, matrix).unwrap_err();
        assert!(value.to_string().contains("row 1, column 2"), "{value}");
    }

    #[test]
    fn a_dense_f_has_a_limit_of_its_own() {
        let message = Window::from_matrix("x", 1, 1024, Mat::zeros(1024, 1024)).unwrap_err().to_string();
        assert!(message.contains("1024*1*1024") && message.contains("262144"), "{message}");
        assert!(Window::from_matrix("x", 4, 256, Mat::zeros(256, 1024)).is_ok());
    }

    #[test]
    fn zero_and_absurd_sizes_are_refused() {
        for (s, d) in [(0, 8), (8, 0), (usize::MAX, 2), (1 << 20, 2)] {
            assert!(Window::selection("x", s, d, vec![]).is_err(), "s={s} d={d}");
        }
    }
}
