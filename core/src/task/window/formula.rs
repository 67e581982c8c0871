//! Functions as people write them: `u1 = if(u1[t-2], u2[t-1], -xor(u3[t-1], u1[t-4]))`.

use super::bits::Bits;
use super::functions::{FUNCTIONS, apply, elementary, looked_up};
use super::reader::{Reader, Sizes};
use super::{Gate, MAX_GATE_INPUTS, Problem, Slot, TaskError};
use crate::choose::nearest_name;

/// The longest line that uses gates, in bytes: a table of 1024 entries takes a third of it.
pub const MAX_FORMULA_BYTES: usize = 1 << 12;
/// How deep a formula may be nested.
pub const MAX_FORMULA_DEPTH: usize = 64;

const EXAMPLE: &str = "u1 = xor(u1[t-1], -u2[t-3])";

/// Whether the right side of a line asks for gates. A sum has components, numbers and signs only.
pub(super) fn uses_gates(right: &str) -> bool {
    let bytes = right.as_bytes();
    let before = |at: usize| bytes[..at].iter().rev().find(|byte| !byte.is_ascii_whitespace()).copied();
    let constant = right.trim_start_matches(|c: char| "+-".contains(c) || c.is_whitespace()).trim_end();
    if !constant.is_empty() && constant.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return true;
    }
    (0..bytes.len()).any(|at| match bytes[at] {
        b'*' => matches!(before(at), Some(b']' | b')')),
        b'(' => !before(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b']'),
        byte if byte.is_ascii_alphabetic() && !(at > 0 && in_word(bytes[at - 1])) => {
            let word = word_at(right, at);
            let called = right[at + word.len()..].trim_start().starts_with('(');
            FUNCTIONS.contains(&word.to_lowercase().as_str()) || called && !is_component(word)
        }
        _ => false,
    })
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn word_at(text: &str, at: usize) -> &str {
    let end = text.as_bytes()[at..].iter().position(|&byte| !in_word(byte)).map_or(text.len(), |length| at + length);
    &text[at..end]
}

fn is_component(word: &str) -> bool {
    word.strip_prefix('u').is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Reads the right side of a line, from byte `start` on.
pub(super) fn read_gate(text: &str, start: usize, sizes: Sizes) -> Result<Gate, Problem> {
    if text.len() > MAX_FORMULA_BYTES {
        let what = format!(
            "a line with gates has at most {MAX_FORMULA_BYTES} characters, not {}; write less, or split it over several outputs",
            text.len()
        );
        return Err(Problem { at: start, what });
    }
    let reader = Reader { text, at: start, example: EXAMPLE };
    let mut formula = Formula { reader, sizes, inputs: Vec::new(), depth: 0 };
    let value = formula.expression()?;
    if !formula.reader.finished() {
        return formula.reader.problem("'*' or the end of the line");
    }
    Ok(Gate::of(&formula.inputs, |m| value.at(m)))
}

/// An expression that is evaluated while it is read, for all combinations of the inputs met so far and to come.
struct Formula<'a> {
    reader: Reader<'a>,
    sizes: Sizes,
    inputs: Vec<Slot>,
    depth: usize,
}

impl Formula<'_> {
    /// Factors with `*` between them: the product of the signs.
    fn expression(&mut self) -> Result<Bits, Problem> {
        let mut product = self.factor()?;
        loop {
            if self.reader.accept('*') {
                product = !(product ^ self.factor()?);
            } else if self.reader.rest().starts_with(['+', '-']) {
                return Err(self.sum());
            } else {
                return Ok(product);
            }
        }
    }

    fn sum(&mut self) -> Problem {
        let what = "a sum leaves +-1, and gates take and give +-1, so that one line cannot have both; write the sum as a gate, \
                    e.g. \"u1 = maj(u1[t-1], u2[t-1], u3[t-1])\", or leave the gates out";
        Problem { at: self.reader.at, what: what.into() }
    }

    fn factor(&mut self) -> Result<Bits, Problem> {
        let mut negated = false;
        loop {
            if self.reader.accept('-') {
                negated = !negated;
            } else if !self.reader.accept('+') {
                break;
            }
        }
        let value = self.atom()?;
        Ok(if negated { !value } else { value })
    }

    fn atom(&mut self) -> Result<Bits, Problem> {
        let rest = self.reader.rest();
        match rest.chars().next() {
            Some('(') => {
                self.reader.accept('(');
                let value = self.deeper(Self::expression)?;
                self.reader.expect(')')?;
                Ok(value)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.constant(),
            Some(c) if c.is_ascii_alphabetic() => {
                let word = word_at(rest, 0);
                if c == 'u' && (is_component(word) || word == "u") { self.input() } else { self.call(word) }
            }
            _ => self.reader.problem("a component such as 'u1[t-1]', +1, -1, '(' or a function such as 'xor('"),
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Problem>) -> Result<T, Problem> {
        if self.depth == MAX_FORMULA_DEPTH {
            let what = format!("nested more than {MAX_FORMULA_DEPTH} deep, the limit; split it over several outputs");
            return Err(Problem { at: self.reader.at, what });
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn constant(&mut self) -> Result<Bits, Problem> {
        let rest = self.reader.rest();
        let number = &rest[..rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len())];
        if number.parse() != Ok(1.0) {
            let what = format!(
                "{number} is neither +1 (true) nor -1 (false), and gates know no other values; coefficients belong in sums \
                 without gates, e.g. \"u1 = 0.5*u2[t-1] - u1[t-3]\""
            );
            return Err(Problem { at: self.reader.at, what });
        }
        self.reader.at += number.len();
        Ok(Bits::constant(true))
    }

    fn input(&mut self) -> Result<Bits, Problem> {
        let at = self.reader.at;
        let slot = self.reader.slot(self.sizes)?;
        let known = self.inputs.iter().position(|other| *other == slot);
        if known.is_none() && self.inputs.len() == MAX_GATE_INPUTS {
            let error = TaskError::TooManyInputs { found: MAX_GATE_INPUTS + 1, limit: MAX_GATE_INPUTS };
            return Err(Problem { at, what: error.to_string() });
        }
        Ok(Bits::input(known.unwrap_or_else(|| {
            self.inputs.push(slot);
            self.inputs.len() - 1
        })))
    }

    fn call(&mut self, word: &str) -> Result<Bits, Problem> {
        let at = self.reader.at;
        let name = word.to_lowercase();
        let rule = name.strip_prefix("rule").and_then(|number| number.parse::<usize>().ok());
        if rule.is_none() && !FUNCTIONS.contains(&name.as_str()) {
            let nearest = nearest_name(&name, FUNCTIONS.into_iter());
            let known = "and, or, xor, not, maj, if, table and rule0 to rule255";
            let what = format!("there is no function '{word}'; did you mean '{nearest}'? The functions are {known}");
            return Err(Problem { at, what });
        }
        if rule.is_some_and(|rule| rule > 255) {
            return Err(Problem { at, what: format!("there is no {word}: rules go from rule0 to rule255") });
        }
        self.reader.at += word.len();
        self.reader.expect('(')?;
        let table = if name == "table" { Some(self.entries()?) } else { None };
        let arguments = match &table {
            Some(_) if self.reader.accept(')') => vec![],
            Some(_) => self.reader.expect(',').and_then(|()| self.deeper(Self::arguments))?,
            None => self.deeper(Self::arguments)?,
        };
        let value = match (&table, rule) {
            (Some(table), _) => looked_up(table, &arguments),
            (None, Some(rule)) => elementary(rule, &arguments),
            (None, None) => apply(&name, &arguments),
        };
        value.map_err(|what| Problem { at, what })
    }

    /// `a, b, c)`
    fn arguments(&mut self) -> Result<Vec<Bits>, Problem> {
        let mut arguments = vec![self.expression()?];
        while self.reader.accept(',') {
            arguments.push(self.expression()?);
        }
        if !self.reader.accept(')') {
            return self.reader.problem("',' or ')'");
        }
        Ok(arguments)
    }

    /// The signs of a table.
    fn entries(&mut self) -> Result<Vec<bool>, Problem> {
        let mut table = Vec::new();
        loop {
            if self.reader.accept('+') {
                table.push(true);
            } else if self.reader.accept('-') {
                table.push(false);
            } else if table.is_empty() {
                return self.reader.problem("the entries of a table, as in table(-++-, u1[t-1], u2[t-1])");
            } else {
                return Ok(table);
            }
        }
    }
}
