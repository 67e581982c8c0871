//! Statements: what is declared, and what follows from what.

use super::parser::Parser;
use super::{Declared, Drawn, STATEMENTS, Statement, What};
use crate::choose::nearest_name;
use crate::task::program::token::Token;
use crate::task::text::Problem;

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Result<Statement, Problem> {
        let at = self.at();
        let Token::Name(word) = self.peek().clone() else {
            return self.problem("a statement, such as 'input x: sign'");
        };
        let declares = STATEMENTS.contains(&word.as_str());
        if !declares && matches!(self.peek_after(), Token::Name(_)) {
            let nearest = nearest_name(&word, STATEMENTS.into_iter());
            return Err(Problem::new(at, format!("there is no statement '{word}'; did you mean '{nearest}'?")));
        }
        self.next += usize::from(declares);
        let what = match word.as_str() {
            "input" => self.input()?,
            "variable" => self.variable()?,
            "table" => self.table()?,
            "output" => self.output()?,
            "length" => What::Length(self.whole().and_then(|steps| match (1..=65_536).contains(&steps) {
                true => Ok(steps as usize),
                false => Err(Problem::new(at, format!("an episode has from 1 to 65536 steps, not {steps}"))),
            })?),
            _ => {
                let (name, index) = (self.name()?, self.index()?);
                self.expect("=")?;
                What::Step { name, index, value: self.expression()? }
            }
        };
        Ok(Statement { at, what })
    }

    pub(super) fn dims(&mut self) -> Result<Vec<usize>, Problem> {
        let mut dims = vec![];
        if self.accept("[") {
            dims.push(self.count()?);
            while self.accept(",") {
                dims.push(self.count()?);
            }
            self.expect("]")?;
        }
        Ok(dims)
    }

    pub(super) fn declared(&mut self) -> Result<Declared, Problem> {
        let (name, dims) = (self.name()?, self.dims()?);
        self.expect(":")?;
        Ok(Declared { name, dims, form: self.form()?, or_none: false })
    }

    pub(super) fn input(&mut self) -> Result<What, Problem> {
        let (name, dims) = (self.name()?, self.dims()?);
        self.expect(":")?;
        let mut drawn = Drawn { held: self.accept_word("held"), ..Drawn::default() };
        let mut input = Declared { name, dims, form: self.form()?, or_none: false };
        if self.accept_word("or") {
            self.expect_word("none")?;
            self.expect("(")?;
            drawn.none = Some(self.expression()?);
            self.expect(")")?;
            input.or_none = true;
        }
        if self.accept(",") {
            self.expect_word("each")?;
            self.expect_word("first")?;
            drawn.each_first = true;
        }
        loop {
            let at = self.at();
            let twice = if self.accept_word("when") {
                drawn.when.replace(self.expression()?).is_some()
            } else if self.accept_word("where") {
                drawn.only.replace((1.0, self.expression()?)).is_some()
            } else if self.accept_word("usually") {
                self.expect("(")?;
                let probability = self.number()?;
                self.expect(")")?;
                drawn.only.replace((probability, self.expression()?)).is_some()
            } else {
                break;
            };
            if twice {
                return Err(Problem::new(
                    at,
                    "an input has one 'when' and one 'where' or 'usually'; join them with 'and'",
                ));
            }
        }
        Ok(What::Input(input, drawn))
    }

    pub(super) fn variable(&mut self) -> Result<What, Problem> {
        let mut variable = self.declared()?;
        if self.accept_word("or") {
            self.expect_word("none")?;
            variable.or_none = true;
        }
        let start = if self.accept("=") { Some(self.expression()?) } else { None };
        Ok(What::Variable(variable, start))
    }

    /// `table add[2, 3] = 0 1 2 | 1 2 3`: the bars are for the eye.
    pub(super) fn table(&mut self) -> Result<What, Problem> {
        let (at, name, dims) = (self.at(), self.name()?, self.dims()?);
        self.expect("=")?;
        let mut values = vec![];
        while *self.peek() != Token::End {
            if !self.accept("|") {
                values.push(self.number()?);
            }
        }
        let count = dims.iter().try_fold(1usize, |count, dim| count.checked_mul(*dim)).unwrap_or(usize::MAX);
        if dims.is_empty() || count != values.len() {
            let sizes: Vec<String> = dims.iter().map(usize::to_string).collect();
            let what =
                format!("the table {name} has {} entries, but [{}] asks for {count}", values.len(), sizes.join(", "));
            return Err(Problem::new(at, what));
        }
        Ok(What::Table { name, dims, values })
    }

    pub(super) fn output(&mut self) -> Result<What, Problem> {
        let (name, index) = (self.name()?, self.index()?);
        let form = if self.accept(":") { Some(self.form()?) } else { None };
        let within = if self.accept_word("within") { Some(self.number()?) } else { None };
        self.expect("=")?;
        let value = self.expression()?;
        let when = if self.accept_word("when") { Some(self.expression()?) } else { None };
        Ok(What::Output { name, index, form, within, value, when })
    }
}
