//! Programs as they are written: statements, and formulas whose names are not resolved yet.

use super::formula::Binary;
use super::token::{Placed, Token, tokens};
use crate::choose::nearest_name;
use crate::task::MAX_FORMULA_DEPTH;
use crate::task::text::Problem;

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

/// Words with a meaning of their own.
const RESERVED: [&str; 19] = [
    "input", "variable", "output", "table", "length", "when", "where", "usually", "or", "and", "not", "mod", "none",
    "one", "of", "to", "held", "t", "within",
];
pub(super) const STATEMENTS: [&str; 5] = ["input", "variable", "output", "table", "length"];
const FORMS: &str =
    "sign, pulse(P), one of 4, one of a, b, c, 0 to 9, number, uniform(A, B), normal(D) or once(FROM, TO)";

/// The most values of one symbol or of one range.
pub(super) const MOST_VALUES: usize = 4096;

/// The most operators of one statement.
const MOST_OPERATORS: usize = 1024;

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

struct Parser<'a> {
    tokens: &'a [Placed],
    next: usize,
    depth: usize,
    operators: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |placed| &placed.token)
    }

    fn peek_after(&self) -> &Token {
        self.tokens.get(self.next + 1).map_or(&Token::End, |placed| &placed.token)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(0, |placed| placed.at)
    }

    fn problem<T>(&self, wanted: &str) -> Result<T, Problem> {
        Err(Problem::new(self.at(), format!("expected {wanted}, found {}", self.peek().shown())))
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(found) if *found == sign);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Problem> {
        if self.accept(sign) { Ok(()) } else { self.problem(&format!("'{sign}'")) }
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Name(name) if name == word);
        self.next += usize::from(found);
        found
    }

    fn expect_word(&mut self, word: &str) -> Result<(), Problem> {
        if self.accept_word(word) { Ok(()) } else { self.problem(&format!("'{word}'")) }
    }

    /// A name that is not taken by the language.
    fn name(&mut self) -> Result<String, Problem> {
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

    fn number(&mut self) -> Result<f64, Problem> {
        let sign = if self.accept("-") { -1.0 } else { 1.0 };
        let Token::Number(value) = *self.peek() else { return self.problem("a number") };
        self.next += 1;
        Ok(sign * value)
    }

    fn whole(&mut self) -> Result<i64, Problem> {
        let at = self.at();
        let value = self.number()?;
        match value.fract() == 0.0 && value.abs() < 1e9 {
            true => Ok(value as i64),
            false => Err(Problem::new(at, format!("expected a whole number below 10^9, found {value}"))),
        }
    }

    fn count(&mut self) -> Result<usize, Problem> {
        let at = self.at();
        let value = self.whole()?;
        match (1..=MOST_VALUES as i64).contains(&value) {
            true => Ok(value as usize),
            false => Err(Problem::new(at, format!("expected a number from 1 to {MOST_VALUES}, found {value}"))),
        }
    }

    fn statement(&mut self) -> Result<Statement, Problem> {
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

    fn dims(&mut self) -> Result<Vec<usize>, Problem> {
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

    fn declared(&mut self) -> Result<Declared, Problem> {
        let (name, dims) = (self.name()?, self.dims()?);
        self.expect(":")?;
        Ok(Declared { name, dims, form: self.form()?, or_none: false })
    }

    fn input(&mut self) -> Result<What, Problem> {
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

    fn variable(&mut self) -> Result<What, Problem> {
        let mut variable = self.declared()?;
        if self.accept_word("or") {
            self.expect_word("none")?;
            variable.or_none = true;
        }
        let start = if self.accept("=") { Some(self.expression()?) } else { None };
        Ok(What::Variable(variable, start))
    }

    /// `table add[2, 3] = 0 1 2 | 1 2 3`: the bars are for the eye.
    fn table(&mut self) -> Result<What, Problem> {
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

    fn output(&mut self) -> Result<What, Problem> {
        let (name, index) = (self.name()?, self.index()?);
        let form = if self.accept(":") { Some(self.form()?) } else { None };
        let within = if self.accept_word("within") { Some(self.number()?) } else { None };
        self.expect("=")?;
        let value = self.expression()?;
        let when = if self.accept_word("when") { Some(self.expression()?) } else { None };
        Ok(What::Output { name, index, form, within, value, when })
    }

    fn form(&mut self) -> Result<Form, Problem> {
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
    fn symbol(&mut self) -> Result<Form, Problem> {
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

    fn index(&mut self) -> Result<Vec<Expression>, Problem> {
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

    fn expression(&mut self) -> Result<Expression, Problem> {
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
    fn words(
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

    fn comparison(&mut self) -> Result<Expression, Problem> {
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

    fn compared(&mut self) -> Result<Expression, Problem> {
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

    fn sum(&mut self) -> Result<Expression, Problem> {
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

    fn product(&mut self) -> Result<Expression, Problem> {
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
    fn operator(&mut self) -> Result<(), Problem> {
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

    fn factor(&mut self) -> Result<Expression, Problem> {
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

    fn atom(&mut self) -> Result<Expression, Problem> {
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
    fn entries(&mut self) -> Result<Vec<bool>, Problem> {
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

fn range(low: i64, high: i64, at: usize) -> Result<(i64, i64), Problem> {
    match (0..MOST_VALUES as i64).contains(&(high - low)) {
        true => Ok((low, high)),
        false => Err(Problem::new(at, format!("{low} to {high} is no range of 1 to {MOST_VALUES} values"))),
    }
}
