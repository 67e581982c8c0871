//! From statements to a program: names are resolved, arrays written out, and every formula checked on all of its values.

mod draw;
mod finish;
mod names;
mod outputs;

use super::formula::{Binary, Elements, Formula, Function, Of, Place};
use super::kind::{Kind, NO_SYMBOL};
use super::law::{Input, Law};
use super::rule::{Rule, Wanted};
use super::syntax::{Declared, Drawn, Expression, Form, Node, Statement, What};
use super::{Output, Program, RunError, Variable};
use crate::choose::nearest_name;
use crate::random::{Purpose, Stream};
use crate::task::text::Problem;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most inputs, variables and outputs of a program, each; the elements of arrays count.
const MOST_PLACES: usize = 4096;
/// The most parts of all formulas together, once arrays are written out.
const MOST_PARTS: usize = 1 << 20;
/// The most parts of formulas that are evaluated to turn them into tables.
const MOST_WORK: usize = 1 << 25;
/// Episodes and steps on which a program is tried out before anybody uses it; of a large one fewer episodes.
const TRIED: (u32, usize) = (64, 64);
/// The most parts of formulas that are evaluated for that.
const MOST_TRIED: usize = 1 << 26;
/// How far off a number may be where a program does not say: whole numbers are rounded, others have to be near.
const WITHIN_WHOLE: f64 = 0.5;
const WITHIN_NUMBER: f64 = 0.1;

/// What a name stands for.
#[derive(Clone)]
enum Meaning {
    Variables(usize),
    Inputs(usize),
    Table(Arc<Vec<f64>>),
    /// The name of a symbol's value.
    Value(f64),
}

#[derive(Clone)]
struct Named {
    dims: Vec<usize>,
    meaning: Meaning,
}

/// A variable whose formula is not known yet.
struct Draft {
    name: String,
    at: usize,
    kind: Kind,
    start: f64,
    formula: Option<(Formula, usize)>,
}

#[derive(Default)]
struct Builder {
    names: BTreeMap<String, Named>,
    variables: Vec<Draft>,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    /// For each input that is read later: its variables, the newest first.
    delays: BTreeMap<usize, Vec<usize>>,
    parts: usize,
    room: usize,
    length: Option<usize>,
}

/// Where a formula stands.
#[derive(Default)]
struct Scope {
    /// Names of indices with their numbers.
    bound: Vec<(String, usize)>,
    /// The element of the target that the formula is for.
    element: Vec<usize>,
    dims: Vec<usize>,
    /// Whether variables have moved on already.
    after: bool,
    /// The farthest that it looks back, noted while it is resolved.
    lag: usize,
}

/// A program from its statements.
pub(super) fn program(statements: &[Statement], text: &str) -> Result<Program, Problem> {
    let mut builder = Builder { room: MOST_WORK, ..Builder::default() };
    builder.declare(statements)?;
    builder.draw(statements)?;
    for statement in statements {
        if let What::Step { name, index, value } = &statement.what {
            builder.step(statement.at, name, index, value)?;
        }
    }
    let outputs = builder.resolve_outputs(statements)?;
    builder.finish(outputs, text)
}

/// All places of an array, the last index running fastest.
fn elements(dims: &[usize]) -> Vec<Vec<usize>> {
    let count = dims.iter().product::<usize>();
    let place = |mut k: usize| {
        let mut element: Vec<usize> = dims
            .iter()
            .rev()
            .map(|dim| {
                let at = k % dim + 1;
                k /= dim;
                at
            })
            .collect();
        element.reverse();
        element
    };
    (0..count).map(place).collect()
}

fn indexed(name: &str, element: &[usize]) -> String {
    let numbers: Vec<String> = element.iter().map(usize::to_string).collect();
    if element.is_empty() { name.into() } else { format!("{name}[{}]", numbers.join(",")) }
}

fn kind_of(form: &Form, or_none: bool) -> Kind {
    match form {
        Form::Sign => Kind::Sign { or_none },
        Form::Pulse(_) => Kind::Sign { or_none: true },
        Form::Symbol(values, names) => Kind::Symbol { values: values.clone(), names: names.clone(), or_none },
        Form::Whole(low, high) => Kind::Whole { low: *low, high: *high },
        Form::Once(..) => Kind::Whole { low: 0, high: 1 },
        Form::Number | Form::Uniform(..) | Form::Normal(_) => Kind::Number,
    }
}

impl Builder {
    fn name(&mut self, at: usize, name: &str, named: Named) -> Result<(), Problem> {
        let known = |known: &Named| match (&known.meaning, &named.meaning) {
            (Meaning::Value(a), Meaning::Value(b)) => a == b,
            _ => false,
        };
        match self.names.get(name) {
            Some(other) if !known(other) => Err(Problem::new(at, format!("{name} is declared twice"))),
            _ => {
                self.names.insert(name.into(), named);
                Ok(())
            }
        }
    }

    fn declare(&mut self, statements: &[Statement]) -> Result<(), Problem> {
        for Statement { at, what } in statements {
            match what {
                What::Input(of, _) | What::Variable(of, _) => {
                    self.declare_places(*at, of, matches!(what, What::Input(..)))?
                }
                What::Table { name, dims, values } => {
                    let meaning = Meaning::Table(Arc::new(values.clone()));
                    self.name(*at, name, Named { dims: dims.clone(), meaning })?;
                }
                What::Length(steps) => self.length = Some(*steps),
                What::Step { .. } | What::Output { .. } => {}
            }
        }
        for Statement { at, what } in statements {
            if let What::Variable(of, Some(start)) = what {
                let formula = self.resolve(start, &mut Scope::default())?;
                let value = formula.value(&|_| f64::NAN).map_err(|fault| Problem::new(start.at, fault))?;
                let Some(Named { meaning: Meaning::Variables(first), dims }) = self.names.get(&of.name).cloned() else {
                    continue;
                };
                for k in first..first + dims.iter().product::<usize>() {
                    let kind = &self.variables[k].kind;
                    let value = if value == NO_SYMBOL { kind.none() } else { value };
                    if kind.values().map_or(!value.is_finite(), |values| !values.contains(&value)) {
                        let shown = super::rule::shown(value);
                        return Err(Problem::new(*at, format!("{} starts at {shown}, which is not {kind}", of.name)));
                    }
                    self.variables[k].start = value;
                }
            }
        }
        Ok(())
    }

    fn declare_places(&mut self, at: usize, of: &Declared, is_input: bool) -> Result<(), Problem> {
        let kind = kind_of(&of.form, of.or_none);
        if !is_input && matches!(of.form, Form::Pulse(_) | Form::Uniform(..) | Form::Normal(_) | Form::Once(..)) {
            let what =
                "a variable is not drawn: it is a sign, one of some symbols, a range such as 0 to 9, or a number";
            return Err(Problem::new(at, what));
        }
        if let Form::Symbol(_, names) = &of.form {
            for (k, name) in names.iter().enumerate() {
                self.name(at, name, Named { dims: vec![], meaning: Meaning::Value(k as f64) })?;
            }
        }
        let count = of.dims.iter().try_fold(1usize, |count, dim| count.checked_mul(*dim)).unwrap_or(usize::MAX);
        let so_far = if is_input { self.inputs.len() } else { self.variables.len() };
        if count.saturating_add(so_far) > MOST_PLACES {
            let what = if is_input { "inputs" } else { "variables" };
            return Err(Problem::new(at, format!("more than {MOST_PLACES} {what}, the limit; use smaller arrays")));
        }
        let meaning = if is_input { Meaning::Inputs(so_far) } else { Meaning::Variables(so_far) };
        self.name(at, &of.name, Named { dims: of.dims.clone(), meaning })?;
        let start = match &kind {
            Kind::Sign { or_none: true } | Kind::Symbol { or_none: true, .. } => kind.none(),
            Kind::Number => 0.0,
            Kind::Whole { low, high } => 0.clamp(*low, *high) as f64,
            Kind::Sign { .. } => 1.0,
            Kind::Symbol { values, .. } => values[0],
        };
        for element in elements(&of.dims) {
            let name = indexed(&of.name, &element);
            if is_input {
                let first = self.inputs.last().map_or(0, |input| input.columns.end);
                let columns = first..first + kind.columns();
                if columns.end > MOST_PLACES {
                    return Err(Problem::new(
                        at,
                        format!("more than {MOST_PLACES} units of input, the limit; use fewer symbols"),
                    ));
                }
                let law = Law::Sign;
                self.inputs.push(Input { name, kind: kind.clone(), law, held: false, when: None, only: None, columns });
            } else {
                self.variables.push(Draft { name, at, kind: kind.clone(), start, formula: None });
            }
        }
        Ok(())
    }

    fn rule(&mut self, formula: &Formula, kind: &Kind, when: Option<&Formula>, at: usize) -> Result<Rule, Problem> {
        let mut room = self.room;
        let wanted = Wanted { kinds: &|place| self.kind(place), kind, when, name: &|place| self.shown(place) };
        let rule = Rule::of(formula, &wanted, &mut room).map_err(|fault| Problem::new(at, fault))?;
        self.room = room;
        Ok(rule)
    }

    fn kind(&self, place: Place) -> Kind {
        match place {
            Place::Variable(k) => self.variables[k].kind.clone(),
            Place::Input(k) => self.inputs[k].kind.clone(),
            Place::Time => Kind::Number,
        }
    }

    fn shown(&self, place: Place) -> String {
        match place {
            Place::Variable(k) => self.variables[k].name.clone(),
            Place::Input(k) => self.inputs[k].name.clone(),
            Place::Time => "t".into(),
        }
    }

    /// `v[i, 2] = ...`: one formula for every element that the left side names.
    fn step(&mut self, at: usize, name: &str, index: &[Expression], value: &Expression) -> Result<(), Problem> {
        let Some(Named { meaning: Meaning::Variables(first), dims }) = self.names.get(name).cloned() else {
            let what = match self.names.contains_key(name) {
                true => format!("{name} is no variable, so that no step changes it"),
                false => format!("{name} is not declared; write e.g. 'variable {name}: sign' above"),
            };
            return Err(Problem::new(at, what));
        };
        if !index.is_empty() && index.len() != dims.len() {
            return Err(Problem::new(at, format!("{name} has {} indices, not {}", dims.len(), index.len())));
        }
        for (k, element) in elements(&dims).into_iter().enumerate() {
            let mut scope = Scope { dims: dims.clone(), ..Scope::default() };
            let mut here = true;
            for (index, at) in index.iter().zip(&element) {
                match &index.node {
                    Node::Number(number) => here &= *number == *at as f64,
                    Node::Name(name, of) if of.is_empty() && !self.names.contains_key(name) => {
                        scope.bound.push((name.clone(), *at));
                    }
                    _ => {
                        return Err(Problem::new(
                            index.at,
                            "an index on the left is a number, or a new name that runs over all",
                        ));
                    }
                }
            }
            if !here {
                continue;
            }
            scope.element = element;
            let formula = self.resolve(value, &mut scope)?;
            let draft = &mut self.variables[first + k];
            if draft.formula.replace((formula, value.at)).is_some() {
                return Err(Problem::new(at, format!("{} has two steps", draft.name)));
            }
        }
        Ok(())
    }
}
