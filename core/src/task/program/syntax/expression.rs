//! Formulas, by the strength of their operators.

use super::parser::Parser;
use super::{Expression, Node};
use crate::task::MAX_FORMULA_DEPTH;
use crate::task::program::formula::Binary;
use crate::task::program::token::Token;
use crate::task::text::Problem;

/// The most operators of one statement.
const MOST_OPERATORS: usize = 1024;

impl Parser<'_> {
    pub(super) fn index(&mut self) -> Result<Vec<Expression>, Problem> {
        let mut index = vec![];
        if self.accept("[") {
            index.push(self.expression()?);
            while self.accept(",") {
                index.push(self.expression()?);
            }
            self.expect("]")?;
        }
        Ok(index)
    }

    pub(super) fn expression(&mut self) -> Result<Expression, Problem> {
        if self.depth == MAX_FORMULA_DEPTH {
            let what = format!("nested more than {MAX_FORMULA_DEPTH} deep, the limit; split it over several variables");
            return Err(Problem::new(self.at(), what));
        }
        self.depth += 1;
        let found = self.words("or", |parser| parser.words("and", Self::comparison));
        self.depth -= 1;
        found
    }

    /// Parts with a word between them, as a call of the function of that name.
    pub(super) fn words(
        &mut self,
        word: &str,
        part: impl Fn(&mut Self) -> Result<Expression, Problem>,
    ) -> Result<Expression, Problem> {
        let first = part(self)?;
        let (at, mut parts) = (first.at, vec![first]);
        while self.accept_word(word) {
            parts.push(part(self)?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Expression { at, node: Node::Call(word.into(), vec![], parts) },
        })
    }

    pub(super) fn comparison(&mut self) -> Result<Expression, Problem> {
        let (at, mut negated) = (self.at(), false);
        while self.accept_word("not") {
            negated = !negated;
        }
        let found = self.compared()?;
        Ok(match negated {
            true => Expression { at, node: Node::Call("not".into(), vec![], vec![found]) },
            false => found,
        })
    }

    pub(super) fn compared(&mut self) -> Result<Expression, Problem> {
        let left = self.sum()?;
        let Token::Sign(sign) = *self.peek() else { return Ok(left) };
        let (how, swapped) = match sign {
            "==" => (Binary::Equal, false),
            "!=" => (Binary::Differs, false),
            "<" => (Binary::Less, false),
            "<=" => (Binary::AtMost, false),
            ">" => (Binary::Less, true),
            ">=" => (Binary::AtMost, true),
            "=" => return Err(Problem::new(self.at(), "'=' gives a value; to compare, write '=='")),
            _ => return Ok(left),
        };
        self.next += 1;
        let right = self.sum()?;
        Ok(joined(how, if swapped { [right, left] } else { [left, right] }))
    }

    pub(super) fn sum(&mut self) -> Result<Expression, Problem> {
        let mut left = self.product()?;
        loop {
            let how = match self.peek() {
                Token::Sign("+") => Binary::Add,
                Token::Sign("-") => Binary::Subtract,
                _ => return Ok(left),
            };
            self.operator()?;
            left = joined(how, [left, self.product()?]);
        }
    }

    pub(super) fn product(&mut self) -> Result<Expression, Problem> {
        let mut left = self.factor()?;
        loop {
            let how = match self.peek() {
                Token::Sign("*") => Binary::Multiply,
                Token::Sign("/") => Binary::Divide,
                Token::Sign("%") => Binary::Modulo,
                Token::Name(name) if name == "mod" => Binary::Modulo,
                _ => return Ok(left),
            };
            self.operator()?;
            left = joined(how, [left, self.factor()?]);
        }
    }

    /// Takes an operator: a long row of them is a deep formula.
    pub(super) fn operator(&mut self) -> Result<(), Problem> {
        self.operators += 1;
        if self.operators > MOST_OPERATORS {
            let what = format!(
                "more than {MOST_OPERATORS} operators, the limit of a statement; split it over several variables"
            );
            return Err(Problem::new(self.at(), what));
        }
        self.next += 1;
        Ok(())
    }

    pub(super) fn factor(&mut self) -> Result<Expression, Problem> {
        let at = self.at();
        let mut negated = false;
        loop {
            if self.accept("-") {
                negated = !negated;
            } else if !self.accept("+") {
                break;
            }
        }
        let value = self.atom()?;
        Ok(if negated { Expression { at, node: Node::Negated(Box::new(value)) } } else { value })
    }

    pub(super) fn atom(&mut self) -> Result<Expression, Problem> {
        let at = self.at();
        match self.peek().clone() {
            Token::Number(value) => {
                self.next += 1;
                Ok(Expression { at, node: Node::Number(value) })
            }
            Token::Sign("(") => {
                self.next += 1;
                let value = self.expression()?;
                self.expect(")")?;
                Ok(value)
            }
            Token::Name(name) => {
                self.next += 1;
                if *self.peek() != Token::Sign("(") {
                    return Ok(Expression { at, node: Node::Name(name, self.index()?) });
                }
                self.next += 1;
                let entries = if name == "table" { self.entries()? } else { vec![] };
                let mut arguments = vec![];
                if entries.is_empty() || self.accept(",") {
                    arguments.push(self.expression()?);
                    while self.accept(",") {
                        arguments.push(self.expression()?);
                    }
                }
                self.expect(")")?;
                Ok(Expression { at, node: Node::Call(name, entries, arguments) })
            }
            _ => self.problem("a value: a name, a number, '(' or a function such as 'if('"),
        }
    }

    /// `-++-`, the entries of a truth table.
    pub(super) fn entries(&mut self) -> Result<Vec<bool>, Problem> {
        let mut entries = vec![];
        loop {
            match self.peek() {
                Token::Sign("+") => entries.push(true),
                Token::Sign("-") => entries.push(false),
                _ if entries.is_empty() => return self.problem("the entries of a table, such as -++-"),
                _ => return Ok(entries),
            }
            self.next += 1;
        }
    }
}

fn joined(how: Binary, of: [Expression; 2]) -> Expression {
    Expression { at: of[0].at, node: Node::Binary(how, Box::new(of)) }
}
