//! Places in a text that a person wrote, for messages that say where a mistake is.

use super::TaskError;
use crate::foreign_text::escaped_sentence;

/// What is wrong with a line or a program, and at which byte (from 0).
#[derive(Debug, PartialEq)]
pub(super) struct Problem {
    pub(super) at: usize,
    pub(super) what: String,
}

impl Problem {
    pub(super) fn new(at: usize, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }
}

/// A text with the name that its errors carry.
#[derive(Clone, Copy)]
pub(super) struct File<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
}

impl File<'_> {
    pub(super) fn error(&self, offset: usize, problem: impl Into<String>) -> TaskError {
        // A place inside a text with escapes is only near to what is meant.
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        TaskError::Syntax { file: self.file.into(), line, column, problem: escaped_sentence(&problem.into()) }
    }
}
