//! Recurrences as people write them: `u1 = -u3[t-2] + 0.5*u2[t-1]`.

use super::families::neighbours;
use super::formula::{read_gate, uses_gates};
use super::reader::{Reader, Sizes};
use super::{Function, Gate, Problem, Slot, Source, TaskError, Window};
use crate::foreign_text::escaped_sentence;
use std::fmt::Write;

/// One product of a recurrence: coefficient times a past component (both counted from 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Term {
    pub(super) coefficient: f64,
    pub(super) component: usize,
    pub(super) lag: usize,
}

/// A line that adds up: the output component (from 1) and its terms.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sum {
    pub(super) output: usize,
    pub(super) terms: Vec<Term>,
}

/// One line of a recurrence.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    Sum(Sum),
    /// The output component (from 1) and its function.
    Gate(usize, Gate),
}

impl Line {
    /// The output component, from 1.
    pub(super) fn output(&self) -> usize {
        match self {
            Self::Sum(sum) => sum.output,
            Self::Gate(output, _) => *output,
        }
    }

    /// The farthest that it looks back.
    pub(super) fn longest_lag(&self) -> usize {
        let lags: Vec<usize> = match self {
            Self::Sum(sum) => sum.terms.iter().map(|term| term.lag).collect(),
            Self::Gate(_, gate) => gate.inputs().iter().map(|slot| slot.lag).collect(),
        };
        lags.into_iter().max().unwrap_or(0)
    }
}

const EXAMPLE: &str = "u1 = -u3[t-2]";

/// Reads one line; the sizes are checked by the caller, who knows them.
pub(super) fn read_sum(text: &str) -> Result<Sum, Problem> {
    let mut reader = Reader::new(text, EXAMPLE);
    let output = reader.output()?;
    let mut terms = vec![reader.term(true)?];
    while !reader.finished() {
        terms.push(reader.term(false)?);
    }
    Ok(Sum { output, terms })
}

/// Reads one line of any kind.
pub(super) fn read_line(text: &str, sizes: Sizes) -> Result<Line, Problem> {
    let mut reader = Reader::new(text, EXAMPLE);
    let output = reader.output()?;
    if !uses_gates(&text[reader.at..]) {
        return read_sum(text).map(Line::Sum);
    }
    let gate = read_gate(text, reader.at, sizes)?;
    Ok(Line::Gate(output, gate))
}

impl Reader<'_> {
    fn output(&mut self) -> Result<usize, Problem> {
        let output = self.component()?;
        self.expect('=')?;
        Ok(output)
    }

    fn sign(&mut self, first: bool) -> Result<f64, Problem> {
        if self.accept('-') {
            Ok(-1.0)
        } else if self.accept('+') || first {
            Ok(1.0)
        } else {
            self.problem("'+', '-' or the end of the line")
        }
    }

    fn coefficient(&mut self) -> Result<f64, Problem> {
        let rest = self.rest();
        let length = rest.find(|c: char| c == '*' || c.is_whitespace()).unwrap_or(rest.len());
        let number = rest[..length].parse::<f64>();
        let Ok(number) = number else { return self.problem("a number before '*'") };
        if !number.is_finite() {
            return self.problem("a finite number before '*'");
        }
        self.at += length;
        self.expect('*')?;
        Ok(number)
    }

    fn term(&mut self, first: bool) -> Result<Term, Problem> {
        let mut coefficient = self.sign(first)?;
        if self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            coefficient *= self.coefficient()?;
        }
        let component = self.component()?;
        let (lag, _) = self.lag()?;
        Ok(Term { coefficient, component, lag })
    }
}

impl Source {
    /// The output (from 1) and the source of one line of a signed selection, such as `u1 = -u3[t-2]`.
    pub fn parse(text: &str) -> Result<(usize, Self), TaskError> {
        let wrong =
            |at: usize, problem: String| TaskError::Syntax { file: text.into(), line: 1, column: at + 1, problem };
        let line = read_sum(text).map_err(|problem| wrong(problem.at, problem.what))?;
        match line.terms[..] {
            [Term { coefficient, component, lag }] if coefficient.abs() == 1.0 && component > 0 && line.output > 0 => {
                Ok((line.output, Self { lag, component: component - 1, negated: coefficient < 0.0 }))
            }
            _ => Err(wrong(0, "expected one past component with + or -; write e.g. \"u1 = -u3[t-2]\"".into())),
        }
    }
}

impl Gate {
    /// The output (from 1) and the gate of one line, such as `u1 = xor(u1[t-1], -u2[t-3])`, in a task of any size.
    pub fn parse(text: &str) -> Result<(usize, Self), TaskError> {
        let wrong = |at: usize, problem: String| TaskError::Syntax {
            file: "formula".into(),
            line: 1,
            column: text[..text.floor_char_boundary(at)].chars().count() + 1,
            problem: escaped_sentence(&problem),
        };
        let sizes = Sizes { s: None, d: usize::MAX };
        match read_line(text, sizes).map_err(|problem| wrong(problem.at, problem.what))? {
            Line::Gate(output, gate) if output > 0 => Ok((output, gate)),
            _ => Source::parse(text).map(|(output, source)| (output, Self::copy(&source))),
        }
    }
}

impl Window {
    /// The recurrence in words, one line an output, in the form that task files take.
    pub fn recurrence(&self) -> Vec<String> {
        let ring = self.ring_rule().is_some();
        (0..self.d).map(|output| format!("u{} = {}", output + 1, self.right_side(output, ring))).collect()
    }

    fn right_side(&self, output: usize, ring: bool) -> String {
        match &self.function {
            Function::Selection(sources) => {
                let source = &sources[output];
                let sign = if source.negated { "-" } else { "" };
                format!("{sign}{}", source.slot())
            }
            Function::Table(gates) if ring => gates[output].written(&neighbours(output, self.d)),
            Function::Table(gates) => gates[output].to_string(),
            Function::Dense(matrix) => {
                let mut text = String::new();
                for lag in 1..=self.s {
                    for component in 0..self.d {
                        let value = matrix[(output, Slot { lag, component }.index(self.s, self.d))];
                        if value != 0.0 {
                            push_term(&mut text, value, component + 1, lag);
                        }
                    }
                }
                // A row of zeros still has to be read back.
                if text.is_empty() { "0*u1[t-1]".into() } else { text }
            }
        }
    }
}

fn push_term(text: &mut String, value: f64, component: usize, lag: usize) {
    text.push_str(match (text.is_empty(), value < 0.0) {
        (true, true) => "-",
        (true, false) => "",
        (false, true) => " - ",
        (false, false) => " + ",
    });
    // Writing to a String cannot fail.
    let _ = match value.abs() {
        1.0 => write!(text, "u{component}[t-{lag}]"),
        size => write!(text, "{size}*u{component}[t-{lag}]"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_signs_and_coefficients_are_read() {
        let line = read_sum(" u1 = -u3[t-2] + 0.5*u2[ t - 1 ] - 2e-1 * u1[t-4]").unwrap();
        let term = |coefficient, component, lag| Term { coefficient, component, lag };
        assert_eq!(line, Sum { output: 1, terms: vec![term(-1.0, 3, 2), term(0.5, 2, 1), term(-0.2, 1, 4)] });
    }

    #[test]
    fn one_line_of_a_selection_is_read_and_anything_else_refused() {
        let (output, source) = Source::parse("u4 = -u3[t-2]").unwrap();
        assert_eq!((output, source), (4, Source { lag: 2, component: 2, negated: true }));
        for text in ["u1 = 2*u1[t-1]", "u1 = u1[t-1] + u2[t-1]", "u1 = u0[t-1]", "u0 = u1[t-1]", "", "u1 = "] {
            assert!(Source::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_mistake_is_placed_at_its_character() {
        for (text, at, wanted) in [
            ("u1 - u3[t-2]", 3, "expected '='"),
            ("u1 = u3(t-2)", 7, "expected '['"),
            ("u1 = u3[t-2] u2[t-1]", 13, "expected '+', '-'"),
            ("u1 = 3u2[t-1]", 5, "a number before '*'"),
            ("u1 =", 4, "expected a component"),
            ("v1 = u1[t-1]", 0, "expected a component"),
            ("u1 = u99999999999999999999[t-1]", 6, "the number of a component"),
            ("u1 = 1e999*u1[t-1]", 5, "a finite number"),
            ("u1 = ü1[t-1]", 5, "expected a component"),
        ] {
            let problem = read_line(text, Sizes { s: Some(4), d: 3 }).unwrap_err();
            assert_eq!(problem.at, at, "{text}: {}", problem.what);
            assert!(problem.what.contains(wanted), "{text}: {}", problem.what);
        }
    }
}
