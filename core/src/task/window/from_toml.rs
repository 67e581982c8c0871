//! Tasks from TOML files: a recurrence in words, an explicit matrix, or explicit truth tables.

use super::explicit::Output;
use super::lines::{Lines, Placed};
use super::reader::Sizes;
use super::{Context, File, MAX_COEFFICIENTS, TaskError, Window, check_coefficients};
use crate::foreign_text::is_unsafe_to_show;
use faer::Mat;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskFile {
    name: Option<String>,
    s: Spanned<usize>,
    d: Spanned<usize>,
    recurrence: Option<Vec<Spanned<String>>>,
    matrix: Option<Spanned<Vec<Vec<f64>>>>,
    output: Option<Spanned<Vec<Output>>>,
    context: Option<BTreeMap<String, Spanned<ContextFile>>>,
}

/// One of several f: a named task, or what a task file has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContextFile {
    task: Option<Spanned<String>>,
    recurrence: Option<Vec<Spanned<String>>>,
    matrix: Option<Spanned<Vec<Vec<f64>>>>,
    output: Option<Spanned<Vec<Output>>>,
}

/// f as a file gives it.
struct Given<'a> {
    recurrence: Option<&'a [Spanned<String>]>,
    matrix: Option<&'a Spanned<Vec<Vec<f64>>>>,
    output: Option<&'a Spanned<Vec<Output>>>,
    /// Where to say that all of them are missing.
    end: usize,
}

/// The largest task file that is read, in bytes: the recurrence of the largest dense f takes two thirds of it.
const MAX_FILE_BYTES: u64 = 1 << 24;
/// The most values in a task file, twice the coefficients of the largest dense f. Once read, a value of TOML takes a hundred
/// times its room in the file.
const MAX_FILE_VALUES: usize = 2 * MAX_COEFFICIENTS;

impl Window {
    /// Reads a task file; one with contexts is refused.
    pub fn read_toml(path: &Path) -> Result<Self, TaskError> {
        Self::read_toml_with_contexts(path)?.alone()
    }

    /// Reads a task file, which may have contexts.
    pub fn read_toml_with_contexts(path: &Path) -> Result<Self, TaskError> {
        let text = read_text(path)?;
        let stem = path.file_stem().map_or_else(|| "task".into(), |stem| stem.to_string_lossy());
        Self::from_toml_with_contexts(&text, &path.to_string_lossy(), &stem)
    }

    /// A task from the text of a task file; `file` is named in errors, `default_name` is used if the text has no name. One with
    /// contexts is refused: it has several f.
    pub fn from_toml(text: &str, file: &str, default_name: &str) -> Result<Self, TaskError> {
        Self::from_toml_with_contexts(text, file, default_name)?.alone()
    }

    /// The same; it may have contexts.
    pub fn from_toml_with_contexts(text: &str, file: &str, default_name: &str) -> Result<Self, TaskError> {
        let source = File { file, text };
        // Values are separated by these; strings may hold them too, so this is more than there are.
        if text.bytes().filter(|byte| b",=[{".contains(byte)).count() > MAX_FILE_VALUES {
            let problem = format!("more than {MAX_FILE_VALUES} values, the limit; choose smaller s or d");
            return Err(source.error(text.len(), problem));
        }
        let parsed: TaskFile = toml::from_str(text)
            .map_err(|error| source.error(error.span().map_or(0, |span| span.start), error.message()))?;
        let (s, d) = (*parsed.s.get_ref(), *parsed.d.get_ref());
        super::check_size(s, d).map_err(|error| source.error(parsed.s.span().start, error.to_string()))?;
        let name = parsed.name.clone().unwrap_or_else(|| default_name.into());
        refused_name(&name, &source)?;
        let TaskFile { recurrence, matrix, output, context, .. } = &parsed;
        let sizes = (s, d);
        let Some(contexts) = context else {
            let (matrix, output) = (matrix.as_ref(), output.as_ref());
            return Given { recurrence: recurrence.as_deref(), matrix, output, end: text.len() }
                .task(name, sizes, &source);
        };
        if recurrence.is_some() || matrix.is_some() || output.is_some() {
            return Err(source.error(0, "a task with contexts has an f in each [context.NAME] and none outside"));
        }
        let mut placed: Vec<_> = contexts.iter().collect();
        placed.sort_by_key(|(_, context)| context.span().start);
        let read = |(called, context): (&String, &Spanned<ContextFile>)| {
            let task = context.get_ref().task(called, context.span(), sizes, &source)?;
            Ok((called.clone(), task))
        };
        let contexts = placed.into_iter().map(read).collect::<Result<Vec<_>, TaskError>>()?;
        Self::with_contexts(name, contexts).map_err(|error| source.error(0, error.to_string()))
    }

    /// The task as the text of a task file, which [`Window::from_toml`] reads back to the same task.
    pub fn to_toml(&self) -> String {
        let recurrence = |task: &Self| {
            let lines: Vec<String> = task.recurrence().iter().map(|line| format!("    \"{line}\",\n")).collect();
            format!("recurrence = [\n{}]\n", lines.concat())
        };
        let of = |context: &Context| {
            format!("\n[context.{}]\n{}", toml::Value::from(context.name.as_str()), recurrence(&context.task))
        };
        let f = if self.contexts().is_empty() { recurrence(self) } else { self.contexts().iter().map(of).collect() };
        format!("name = {}\ns = {}\nd = {}\n{f}", toml::Value::from(self.name()), self.s, self.d)
    }
}

/// The text of a task file.
pub(in crate::task) fn read_text(path: &Path) -> Result<String, TaskError> {
    let unreadable = |source| TaskError::Unreadable { path: path.into(), source };
    let about = fs::metadata(path).map_err(unreadable)?;
    // A pipe or a device could go on forever.
    if !about.is_file() {
        return Err(TaskError::NotAFile { path: path.into() });
    }
    if about.len() > MAX_FILE_BYTES {
        return Err(TaskError::LargeFile { path: path.into(), bytes: about.len(), limit: MAX_FILE_BYTES });
    }
    fs::read_to_string(path).map_err(unreadable)
}

/// Refuses a name that a terminal must not see.
pub(in crate::task) fn refused_name(name: &str, source: &File<'_>) -> Result<(), TaskError> {
    if name.chars().any(is_unsafe_to_show) {
        let what = "the name holds characters that steer a terminal";
        return Err(source.error(0, format!("{what} ('{name}'); use letters, digits, spaces and signs")));
    }
    Ok(())
}

impl ContextFile {
    fn task(
        &self,
        name: &str,
        at: Range<usize>,
        (s, d): (usize, usize),
        source: &File<'_>,
    ) -> Result<Window, TaskError> {
        let Self { task, recurrence, matrix, output } = self;
        let Some(named) = task else {
            let (matrix, output) = (matrix.as_ref(), output.as_ref());
            return Given { recurrence: recurrence.as_deref(), matrix, output, end: at.end }.task(
                name.into(),
                (s, d),
                source,
            );
        };
        if recurrence.is_some() || matrix.is_some() || output.is_some() {
            return Err(source.error(named.span().start, "give either 'task' or f itself, not both"));
        }
        let known = Window::named_or_numbered(named.get_ref(), Some(s), Some(d))
            .and_then(|task| task.of_size(Some(s), Some(d)));
        known.map(|task| task.renamed(name)).map_err(|error| source.error(named.span().start, error.to_string()))
    }
}

impl Given<'_> {
    fn task(&self, name: String, (s, d): (usize, usize), source: &File<'_>) -> Result<Window, TaskError> {
        match (self.recurrence, self.matrix, self.output) {
            (Some(lines), None, None) => {
                // The span begins at the quotation mark.
                let placed = |line: &'_ Spanned<String>| (line.span().start, line.span().start + 1);
                let lines = lines.iter().map(|line| Placed::new(line.get_ref(), placed(line))).collect();
                Lines { file: File { ..*source }, lines }.task(name, Some(s), d)
            }
            (None, Some(rows), None) => Window::from_matrix(name, s, d, matrix_of_rows(source, rows, s, d)?),
            (None, None, Some(outputs)) => {
                let gates = outputs.get_ref().iter().map(|output| output.gate(Sizes { s: Some(s), d }, source));
                let task = Window::table(name, s, d, gates.collect::<Result<_, _>>()?);
                task.map_err(|error| source.error(outputs.span().start, error.to_string()))
            }
            (None, None, None) => {
                let example = "'recurrence = [\"u1 = -u3[t-2]\", ...]' or 'matrix = [[...], ...]'";
                Err(source.error(self.end, format!("f is missing: add {example}")))
            }
            (_, Some(rows), _) => {
                Err(source.error(rows.span().start, "give either 'recurrence' or 'matrix', not both"))
            }
            (Some(_), _, Some(outputs)) => {
                Err(source.error(outputs.span().start, "give either 'recurrence' or '[[output]]', not both"))
            }
        }
    }
}

fn matrix_of_rows(source: &File<'_>, rows: &Spanned<Vec<Vec<f64>>>, s: usize, d: usize) -> Result<Mat<f64>, TaskError> {
    let (start, rows) = (rows.span().start, rows.get_ref());
    let odd = rows.iter().find(|row| row.len() != s * d);
    if rows.len() != d || odd.is_some() {
        let columns = odd.map_or(s * d, Vec::len);
        let error = TaskError::MatrixShape { rows: rows.len(), columns, s, d };
        return Err(source.error(start, error.to_string()));
    }
    check_coefficients(s, d).map_err(|error| source.error(start, error.to_string()))?;
    Ok(Mat::from_fn(d, s * d, |row, column| rows[row][column]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Window::from_toml(text, "f.toml", "f").unwrap_err().to_string()
    }

    #[test]
    fn a_task_written_to_toml_reads_back_the_same() {
        for name in ["T1", "T2", "T3", "T4"] {
            let task = Window::named(name, None, None).unwrap();
            assert_eq!(Window::from_toml(&task.to_toml(), "x", "x").unwrap(), task);
        }
        let fibonacci = "s = 2\nd = 1\nrecurrence = [\"u1 = 0.25*u1[t-1] - 1.5e-3*u1[t-2]\"]";
        let task = Window::from_toml(fibonacci, "x", "fibonacci").unwrap();
        assert!(!task.is_binary());
        assert_eq!(Window::from_toml(&task.to_toml(), "x", "x").unwrap(), task);
    }

    #[test]
    fn an_explicit_matrix_is_read() {
        let task = Window::from_toml("s=2\nd=1\nmatrix=[[-1, 0]]", "x", "x").unwrap();
        assert_eq!(task.recurrence(), ["u1 = -u1[t-2]"]);
        assert!(refused("s=2\nd=1\nmatrix=[[1]]").contains("f.toml:3:8: the matrix is 1 x 1"));
        assert!(refused("s=1\nd=1\nmatrix=[[nan]]").contains("row 1, column 1 is NaN"));
    }

    #[test]
    fn malformed_toml_names_line_and_column() {
        assert!(refused("s = 2\nd = [1\n").starts_with("f.toml:2:7:"), "{}", refused("s = 2\nd = [1\n"));
        assert!(refused("s = 2\nd = -1").starts_with("f.toml:2:5:"), "{}", refused("s = 2\nd = -1"));
        assert!(refused("s = 2\nd = 1\nspeed = 3").starts_with("f.toml:3:1: unknown field"));
        let text = "s = 2\nd = 1\nrecurrence = [\n  \"u1 = -u1(t-2)\",\n]";
        assert!(refused(text).starts_with("f.toml:4:12: expected '['"), "{}", refused(text));
    }

    #[test]
    fn missing_double_and_out_of_range_definitions_are_refused() {
        let with = |lines: &str| refused(&format!("s = 2\nd = 2\nrecurrence = [{lines}]"));
        assert!(with("\"u1 = u1[t-1]\"").contains("u2 is not defined"));
        assert!(with("\"u1 = u1[t-1]\", \"u1 = u1[t-2]\"").contains("u1 is defined twice"));
        assert!(with("\"u1 = u3[t-1]\"").contains("component 3 does not exist"));
        assert!(with("\"u1 = u1[t-3]\"").contains("lag 3 is outside the window"));
        assert!(refused("s = 0\nd = 2\nrecurrence = []").contains("at least one variable"));
        assert!(refused("s = 2\nd = 2").contains("f is missing"));
    }

    #[test]
    fn a_large_selection_is_read_without_its_matrix_and_a_large_sum_is_refused() {
        let task = Window::named("repeat-copy", Some(4), Some(2048)).unwrap();
        assert!(Window::from_toml(&task.to_toml(), "x", "x").unwrap().same_function(&task));
        let sum = task.to_toml().replacen("u1[t-4]", "u1[t-4] + u2[t-4]", 1);
        assert!(refused(&sum).contains("2048*4*2048 coefficients, more than the limit of 262144"), "{}", refused(&sum));
        let many = format!("s = 1\nd = 1\nmatrix = [{}]", "0,".repeat(1 << 19));
        assert!(refused(&many).contains("more than 524288 values"), "{}", refused(&many));
    }

    #[test]
    fn a_mistake_behind_escaped_characters_is_placed_nearby() {
        let message = refused("s = 1\nd = 1\nrecurrence = [\"u1 =\\u0020\u{3000}\u{3000}v1[t-1]\"]");
        assert!(message.starts_with("f.toml:3:"), "{message}");
    }

    #[test]
    fn a_name_that_steers_a_terminal_is_refused_and_shown_harmless() {
        let message = refused("name = \"\\u001b[31mred\"\ns = 2\nd = 1\nrecurrence = [\"u1 = u1[t-1]\"]");
        assert!(message.contains("steer a terminal ('\\u{1b}[31mred')"), "{message}");
        let message = refused(&format!("{} = 3", "x".repeat(200_000)));
        assert!(message.len() < 600, "{} bytes", message.len());
    }

    #[cfg(unix)]
    #[test]
    fn only_a_regular_file_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.toml");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [pipe.as_path(), folder.path(), Path::new("/dev/zero")] {
            let message = Window::read_toml(path).unwrap_err().to_string();
            assert!(message.contains("is not a regular file"), "{message}");
        }
    }
}
