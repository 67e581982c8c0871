//! Words and numbers, one after another.

use super::MOST_VALUES;
use crate::task::program::token::{Placed, Token};
use crate::task::text::Problem;

/// Words with a meaning of their own.
const RESERVED: [&str; 19] = [
    "input", "variable", "output", "table", "length", "when", "where", "usually", "or", "and", "not", "mod", "none",
    "one", "of", "to", "held", "t", "within",
];

/// What is read of a program, and how deep.
pub(super) struct Parser<'a> {
    pub(super) tokens: &'a [Placed],
    pub(super) next: usize,
    pub(super) depth: usize,
    pub(super) operators: usize,
}

impl Parser<'_> {
    pub(super) fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |placed| &placed.token)
    }

    pub(super) fn peek_after(&self) -> &Token {
        self.tokens.get(self.next + 1).map_or(&Token::End, |placed| &placed.token)
    }

    pub(super) fn at(&self) -> usize {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(0, |placed| placed.at)
    }

    pub(super) fn problem<T>(&self, wanted: &str) -> Result<T, Problem> {
        Err(Problem::new(self.at(), format!("expected {wanted}, found {}", self.peek().shown())))
    }

    pub(super) fn accept(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(found) if *found == sign);
        self.next += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Result<(), Problem> {
        if self.accept(sign) { Ok(()) } else { self.problem(&format!("'{sign}'")) }
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Name(name) if name == word);
        self.next += usize::from(found);
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), Problem> {
        if self.accept_word(word) { Ok(()) } else { self.problem(&format!("'{word}'")) }
    }

    /// A name that is not taken by the language.
    pub(super) fn name(&mut self) -> Result<String, Problem> {
        match self.peek() {
            Token::Name(name) if !RESERVED.contains(&name.as_str()) => {
                let name = name.clone();
                self.next += 1;
                Ok(name)
            }
            Token::Name(name) => {
                Err(Problem::new(self.at(), format!("'{name}' is a word of the language; choose another name")))
            }
            _ => self.problem("a name"),
        }
    }

    pub(super) fn number(&mut self) -> Result<f64, Problem> {
        let sign = if self.accept("-") { -1.0 } else { 1.0 };
        let Token::Number(value) = *self.peek() else { return self.problem("a number") };
        self.next += 1;
        Ok(sign * value)
    }

    pub(super) fn whole(&mut self) -> Result<i64, Problem> {
        let at = self.at();
        let value = self.number()?;
        match value.fract() == 0.0 && value.abs() < 1e9 {
            true => Ok(value as i64),
            false => Err(Problem::new(at, format!("expected a whole number below 10^9, found {value}"))),
        }
    }

    pub(super) fn count(&mut self) -> Result<usize, Problem> {
        let at = self.at();
        let value = self.whole()?;
        match (1..=MOST_VALUES as i64).contains(&value) {
            true => Ok(value as usize),
            false => Err(Problem::new(at, format!("expected a number from 1 to {MOST_VALUES}, found {value}"))),
        }
    }
}
