//! Truth tables as a task file gives them: `[[output]]` with `inputs` and `table`, one for each output.

use super::reader::{Reader, Sizes};
use super::{File, Gate, Slot, TaskError};
use serde::Deserialize;
use toml::Spanned;

/// One output: what it reads, and its value for each combination, the first input changing fastest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Output {
    inputs: Spanned<Vec<Spanned<String>>>,
    table: Spanned<Vec<Spanned<i64>>>,
}

impl Output {
    /// The gate.
    pub(super) fn gate(&self, sizes: Sizes, file: &File<'_>) -> Result<Gate, TaskError> {
        let mut inputs = Vec::new();
        for input in self.inputs.get_ref() {
            inputs.push(slot(input, sizes, file)?);
        }
        let twice = (0..inputs.len()).find(|&at| inputs[..at].contains(&inputs[at]));
        if let Some(at) = twice {
            let start = self.inputs.get_ref()[at].span().start;
            return Err(file.error(start, format!("{} stands twice among the inputs", inputs[at])));
        }
        let table = self.table.get_ref().iter().map(|entry| match entry.get_ref() {
            1 => Ok(true),
            -1 => Ok(false),
            other => Err(file.error(entry.span().start, format!("an entry of a table is 1 or -1, not {other}"))),
        });
        let table = table.collect::<Result<Vec<bool>, TaskError>>()?;
        let place = |wrong: &TaskError| match wrong {
            TaskError::TableSize { .. } => self.table.span().start,
            _ => self.inputs.span().start,
        };
        Gate::new(&inputs, &table).map_err(|wrong| file.error(place(&wrong), wrong.to_string()))
    }
}

fn slot(text: &Spanned<String>, sizes: Sizes, file: &File<'_>) -> Result<Slot, TaskError> {
    let mut reader = Reader::new(text.get_ref(), "u1[t-2]");
    let slot = reader.slot(sizes).and_then(|slot| match reader.finished() {
        true => Ok(slot),
        false => reader.problem("the end of the input"),
    });
    // The span begins at the quotation mark.
    slot.map_err(|problem| file.error(text.span().start + 1 + problem.at, problem.what))
}

#[cfg(test)]
mod tests {
    use crate::task::Window;

    fn read(outputs: &str) -> Result<Window, String> {
        let text = format!("s = 3\nd = 1\n[[output]]\n{outputs}\n");
        Window::from_toml(&text, "f.toml", "f").map_err(|error| error.to_string())
    }

    #[test]
    fn a_table_is_read_with_its_first_input_changing_fastest() {
        let task = read("inputs = [\"u1[t-1]\", \"u1[t-3]\"]\ntable = [-1, 1, -1, -1]").unwrap();
        assert_eq!(task.recurrence(), ["u1 = and(-u1[t-3], u1[t-1])"]);
    }

    #[test]
    fn mistakes_are_placed() {
        for (text, wanted) in [
            ("inputs = [\"u1[t-4]\"]\ntable = [-1, 1]", "f.toml:4:17: lag 4 is outside"),
            ("inputs = [\"u2[t-1]\"]\ntable = [-1, 1]", "f.toml:4:12: component 2 does not exist"),
            ("inputs = [\"u1[t-1] u\"]\ntable = [-1, 1]", "f.toml:4:20: expected the end of the input"),
            ("inputs = [\"u1[t-1]\"]\ntable = [-1, 2]", "f.toml:5:14: an entry of a table is 1 or -1, not 2"),
            ("inputs = [\"u1[t-1]\"]\ntable = [-1]", "f.toml:5:9: a truth table of 1 inputs has 2 entries, not 1"),
            ("inputs = [\"u1[t-1]\", \"u1[t-1]\"]\ntable = [-1]", "f.toml:4:22: u1[t-1] stands twice"),
            ("inputs = []\ntable = [1]\n[[output]]\ninputs = []\ntable = [1]", "2 output components, but d=1"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(wanted), "{text}: {message}");
        }
    }
}
