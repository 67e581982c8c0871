//! What values a variable, an input or an output has.

use super::parser::Parser;
use super::{Form, MOST_VALUES};
use crate::task::program::token::Token;
use crate::task::text::Problem;

const FORMS: &str =
    "sign, pulse(P), one of 4, one of a, b, c, 0 to 9, number, uniform(A, B), normal(D) or once(FROM, TO)";

impl Parser<'_> {
    pub(super) fn form(&mut self) -> Result<Form, Problem> {
        let at = self.at();
        if matches!(self.peek(), Token::Number(_) | Token::Sign("-")) {
            let low = self.whole()?;
            self.expect_word("to")?;
            return range(low, self.whole()?, at).map(|(low, high)| Form::Whole(low, high));
        }
        let Token::Name(word) = self.peek().clone() else { return self.problem(FORMS) };
        self.next += 1;
        match word.as_str() {
            "sign" => Ok(Form::Sign),
            "number" => Ok(Form::Number),
            "one" => self.expect_word("of").and_then(|()| self.symbol()),
            "pulse" | "uniform" | "normal" | "once" => {
                self.expect("(")?;
                let form = match word.as_str() {
                    "pulse" => Form::Pulse(self.expression()?),
                    "normal" => Form::Normal(self.number()?),
                    "uniform" => Form::Uniform(self.number()?, self.expect(",").and_then(|()| self.number())?),
                    _ => Form::Once(self.count()?, self.expect(",").and_then(|()| self.count())?),
                };
                self.expect(")")?;
                match form {
                    Form::Uniform(low, high) if low >= high => {
                        Err(Problem::new(at, format!("uniform({low}, {high}) has no numbers between its ends")))
                    }
                    Form::Once(from, to) if from > to => {
                        Err(Problem::new(at, format!("once({from}, {to}) has no step")))
                    }
                    form => Ok(form),
                }
            }
            _ => Err(Problem::new(at, format!("there is no kind '{word}'; there are {FORMS}"))),
        }
    }

    /// What comes behind `one of`.
    pub(super) fn symbol(&mut self) -> Result<Form, Problem> {
        let at = self.at();
        if matches!(self.peek(), Token::Name(_)) {
            let mut names = vec![self.name()?];
            while *self.peek() == Token::Sign(",") && *self.peek_after() != Token::Name("each".into()) {
                self.next += 1;
                names.push(self.name()?);
            }
            return Ok(Form::Symbol((0..names.len()).map(|k| k as f64).collect(), names));
        }
        let first = self.whole()?;
        if self.accept_word("to") {
            let (low, high) = range(first, self.whole()?, at)?;
            return Ok(Form::Symbol((low..=high).map(|value| value as f64).collect(), vec![]));
        }
        let mut values = vec![first as f64];
        while *self.peek() == Token::Sign(",") && *self.peek_after() != Token::Name("each".into()) {
            self.next += 1;
            values.push(self.whole()? as f64);
        }
        if values.len() == 1 {
            let (low, high) = range(0, first - 1, at)?;
            values = (low..=high).map(|value| value as f64).collect();
        }
        match (1..values.len()).find(|&k| values[..k].contains(&values[k])) {
            Some(k) => Err(Problem::new(at, format!("{} stands twice", values[k]))),
            None => Ok(Form::Symbol(values, vec![])),
        }
    }
}

fn range(low: i64, high: i64, at: usize) -> Result<(i64, i64), Problem> {
    match (0..MOST_VALUES as i64).contains(&(high - low)) {
        true => Ok((low, high)),
        false => Err(Problem::new(at, format!("{low} to {high} is no range of 1 to {MOST_VALUES} values"))),
    }
}
