//! A line of a recurrence, read character by character.

use super::{Problem, Slot, TaskError};

/// What a line may name. Without s, the lags decide how far back a task looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) s: Option<usize>,
    pub(super) d: usize,
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    /// A line to go by, shown where one is wrong.
    pub(super) example: &'static str,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, example: &'static str) -> Self {
        Self { text, at: 0, example }
    }

    /// What is left, without the blanks in front.
    pub(super) fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    pub(super) fn finished(&mut self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn problem<T>(&mut self, wanted: &str) -> Result<T, Problem> {
        let found = match self.rest().chars().next() {
            Some(c) => format!("'{c}'"),
            None => "the end of the line".into(),
        };
        let what = format!("expected {wanted}, found {found}; write e.g. \"{}\"", self.example);
        Err(Problem { at: self.at, what })
    }

    pub(super) fn accept(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    pub(super) fn expect(&mut self, c: char) -> Result<(), Problem> {
        if self.accept(c) { Ok(()) } else { self.problem(&format!("'{c}'")) }
    }

    fn whole_number(&mut self, wanted: &str) -> Result<usize, Problem> {
        let digits = self.rest().chars().take_while(char::is_ascii_digit).count();
        let start = self.at;
        match self.text[start..start + digits].parse() {
            Ok(number) => {
                self.at += digits;
                Ok(number)
            }
            Err(_) => self.problem(wanted),
        }
    }

    /// The number of a component, from 1.
    pub(super) fn component(&mut self) -> Result<usize, Problem> {
        if !self.accept('u') {
            return self.problem("a component such as 'u1'");
        }
        self.whole_number("the number of a component")
    }

    /// `[t-2]`: the lag, and where it stands.
    pub(super) fn lag(&mut self) -> Result<(usize, usize), Problem> {
        self.expect('[')?;
        self.expect('t')?;
        self.expect('-')?;
        self.rest();
        let at = self.at;
        let lag = self.whole_number("a lag, as in [t-2]")?;
        self.expect(']')?;
        Ok((lag, at))
    }

    /// A past component that exists.
    pub(super) fn slot(&mut self, sizes: Sizes) -> Result<Slot, Problem> {
        self.rest();
        let start = self.at;
        let component = self.component()?;
        let (lag, at) = self.lag()?;
        let wrong = |at: usize, error: TaskError| Problem { at, what: error.to_string() };
        if component == 0 || component > sizes.d {
            return Err(wrong(start, TaskError::ComponentOutOfRange { component, d: sizes.d }));
        }
        match sizes.s {
            Some(s) if lag == 0 || lag > s => Err(wrong(at, TaskError::LagOutOfRange { lag, s })),
            None if lag == 0 => {
                Err(Problem { at, what: "lag 0 is the value that is asked for: lags go from 1 (newest) up".into() })
            }
            _ => Ok(Slot { lag, component: component - 1 }),
        }
    }
}
