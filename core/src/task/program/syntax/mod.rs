//! Programs as they are written: statements, and formulas whose names are not resolved yet.

mod expression;
mod form;
mod parser;
mod statement;

use super::formula::Binary;
use super::token::{Token, tokens};
use crate::task::text::Problem;
use parser::Parser;

/// A formula as it is written.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) at: usize,
    pub(super) node: Node,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Number(f64),
    /// A name, perhaps with an index.
    Name(String, Vec<Expression>),
    Negated(Box<Expression>),
    Binary(Binary, Box<[Expression; 2]>),
    Call(String, Vec<bool>, Vec<Expression>),
}

/// What comes behind `:` of a variable, an output or an input.
#[derive(Clone, Debug)]
pub(super) enum Form {
    Sign,
    /// Values or names.
    Symbol(Vec<f64>, Vec<String>),
    Whole(i64, i64),
    Number,
    Pulse(Expression),
    Uniform(f64, f64),
    Normal(f64),
    /// 1 at one step of these, 0 at all others.
    Once(usize, usize),
}

/// One statement.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) at: usize,
    pub(super) what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    Input(Declared, Drawn),
    Variable(Declared, Option<Expression>),
    Table {
        name: String,
        dims: Vec<usize>,
        values: Vec<f64>,
    },
    /// `v[i] = ...`.
    Step {
        name: String,
        index: Vec<Expression>,
        value: Expression,
    },
    Output {
        name: String,
        index: Vec<Expression>,
        form: Option<Form>,
        within: Option<f64>,
        value: Expression,
        when: Option<Expression>,
    },
    Length(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) dims: Vec<usize>,
    pub(super) form: Form,
    pub(super) or_none: bool,
}

/// How an input is drawn, beside its values.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawn {
    /// The probability of none of the values.
    pub(super) none: Option<Expression>,
    /// Whether the first steps show each of the values once.
    pub(super) each_first: bool,
    /// Whether it is drawn once, and stays.
    pub(super) held: bool,
    /// Silent elsewhere.
    pub(super) when: Option<Expression>,
    /// Only values with which this is true, with this probability.
    pub(super) only: Option<(f64, Expression)>,
}

pub(super) const STATEMENTS: [&str; 5] = ["input", "variable", "output", "table", "length"];

/// The most values of one symbol or of one range.
pub(super) const MOST_VALUES: usize = 4096;

/// Reads a program.
pub(super) fn statements(text: &str) -> Result<Vec<Statement>, Problem> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, next: 0, depth: 0, operators: 0 };
    let mut found = vec![];
    while parser.next < tokens.len() {
        if parser.peek() == &Token::End {
            parser.next += 1;
            continue;
        }
        parser.operators = 0;
        found.push(parser.statement()?);
        if parser.peek() != &Token::End {
            return parser.problem("the end of the line or ';'");
        }
    }
    Ok(found)
}
