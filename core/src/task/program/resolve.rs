//! From statements to a program: names are resolved, arrays written out, and every formula checked on all of its values.

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

    /// How inputs are drawn.
    fn draw(&mut self, statements: &[Statement]) -> Result<(), Problem> {
        for statement in statements {
            let What::Input(of, drawn) = &statement.what else { continue };
            let Some(Named { meaning: Meaning::Inputs(first), dims }) = self.names.get(&of.name).cloned() else {
                continue;
            };
            for (k, element) in elements(&dims).into_iter().enumerate() {
                let scope = |builder: &Self| Scope {
                    element: element.clone(),
                    dims: builder.names[&of.name].dims.clone(),
                    ..Scope::default()
                };
                let mut scope = scope(self);
                self.draw_one(first + k, of, drawn, &mut scope, statement.at)?;
            }
        }
        Ok(())
    }

    fn draw_one(
        &mut self,
        k: usize,
        of: &Declared,
        drawn: &Drawn,
        scope: &mut Scope,
        at: usize,
    ) -> Result<(), Problem> {
        let sign = Kind::Sign { or_none: false };
        // A law sees the inputs above it.
        let when = drawn.when.as_ref().map(|when| self.law_rule(when, &sign, k, scope)).transpose()?;
        let only = match &drawn.only {
            Some((often, _)) if !(0.0..=1.0).contains(often) => {
                return Err(Problem::new(at, format!("usually({often}) is no probability from 0 to 1")));
            }
            Some((often, only)) => Some((*often, self.law_rule(only, &sign, k + 1, scope)?)),
            None => None,
        };
        let none = drawn.none.as_ref().map(|none| self.law_rule(none, &Kind::Number, k, scope)).transpose()?;
        let wrong = |what: &str| Err(Problem::new(at, what));
        let law = match &of.form {
            Form::Sign => Law::Sign,
            Form::Pulse(often) => Law::Pulse(self.law_rule(often, &Kind::Number, k, scope)?),
            Form::Symbol(values, _) => Law::Symbol { values: values.clone(), none, each_first: drawn.each_first },
            Form::Whole(low, high) => Law::Whole(*low, *high),
            Form::Uniform(low, high) => Law::Uniform(*low, *high),
            Form::Normal(deviation) => Law::Normal(*deviation),
            Form::Once(from, to) => Law::Once(*from, *to),
            Form::Number => {
                return wrong("how is it drawn? Write uniform(A, B) or normal(D) for numbers, 0 to 9 for whole ones");
            }
        };
        let is_symbol = matches!(law, Law::Symbol { .. });
        if (drawn.none.is_some() || drawn.each_first) && !is_symbol {
            return wrong("'or none(P)' and 'each first' are for 'one of'; a sign that may be silent is pulse(P)");
        }
        if only.is_some() && !matches!(law, Law::Symbol { .. } | Law::Sign | Law::Whole(..)) {
            return wrong("'where' and 'usually' choose among the values of a sign, of 'one of' or of a range");
        }
        let input = &mut self.inputs[k];
        (input.law, input.when, input.only, input.held) = (law, when, only, drawn.held);
        if input.when.is_some() {
            input.kind = input.kind.clone().or_none();
        }
        Ok(())
    }

    /// A formula of a law, which sees the first `inputs` inputs.
    fn law_rule(&mut self, of: &Expression, kind: &Kind, inputs: usize, scope: &mut Scope) -> Result<Rule, Problem> {
        let formula = self.resolve(of, scope)?;
        let mut places = vec![];
        formula.places(&mut places);
        match places.iter().find(|place| matches!(place, Place::Input(k) if *k >= inputs)) {
            Some(place) => {
                let what = format!("{} is drawn later than this; put its line above", self.shown(*place));
                Err(Problem::new(of.at, what))
            }
            None => self.rule(&formula, kind, None, of.at),
        }
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

    fn resolve_outputs(&mut self, statements: &[Statement]) -> Result<Vec<Said>, Problem> {
        let mut found = vec![];
        let mut names: Vec<String> = vec![];
        for Statement { at, what } in statements {
            let What::Output { name, index, form, within, value, when } = what else { continue };
            let (dims, bound) = self.shape(index, value, when.as_ref())?;
            for element in elements(&dims) {
                let numbered = index.iter().zip(&element).filter_map(|(index, at)| match &index.node {
                    Node::Name(name, _) if bound => Some((name.clone(), *at)),
                    _ => None,
                });
                let scope = Scope {
                    bound: numbered.collect(),
                    element: element.clone(),
                    dims: dims.clone(),
                    after: true,
                    lag: 0,
                };
                let called = match index
                    .iter()
                    .find_map(|index| if let Node::Number(k) = index.node { Some(k) } else { None })
                {
                    Some(number) => indexed(name, &[number as usize]),
                    None => indexed(name, &element),
                };
                if names.contains(&called) {
                    return Err(Problem::new(*at, format!("the output {called} is given twice")));
                }
                names.push(called.clone());
                found.push(self.said(called, form.as_ref(), *within, (value, when.as_ref()), scope)?);
                if found.len() > MOST_PLACES {
                    return Err(Problem::new(*at, format!("more than {MOST_PLACES} outputs, the limit")));
                }
            }
        }
        Ok(found)
    }

    /// The elements that an output has, and whether names on its left run over them.
    fn shape(
        &self,
        index: &[Expression],
        value: &Expression,
        when: Option<&Expression>,
    ) -> Result<(Vec<usize>, bool), Problem> {
        if index.is_empty() {
            let mut dims = vec![];
            self.left_over(value, &mut dims);
            return Ok((dims, false));
        }
        let mut dims = vec![];
        for index in index {
            match &index.node {
                Node::Number(_) => {}
                Node::Name(name, of) if of.is_empty() && !self.names.contains_key(name) => {
                    let dim = self.range(name, value).or(when.and_then(|when| self.range(name, when)));
                    let nowhere = || Problem::new(index.at, format!("{name} is no index of an array on the right"));
                    dims.push(dim.ok_or_else(nowhere)?);
                }
                _ => {
                    return Err(Problem::new(
                        index.at,
                        "an index on the left is a number, or a new name that runs over all",
                    ));
                }
            }
        }
        if dims.len() != index.len() && !dims.is_empty() {
            return Err(Problem::new(index[0].at, "use either numbers or names as indices of an output, not both"));
        }
        let bound = !dims.is_empty();
        Ok((dims, bound))
    }

    /// The number of values of an index, by the array that it is an index of.
    fn range(&self, wanted: &str, of: &Expression) -> Option<usize> {
        match &of.node {
            Node::Number(_) => None,
            Node::Name(name, index) => {
                let dims = self.names.get(name).map(|named| &named.dims);
                index.iter().enumerate().find_map(|(k, index)| match &index.node {
                    Node::Name(name, of) if name == wanted && of.is_empty() => dims?.get(k).copied(),
                    _ => self.range(wanted, index),
                })
            }
            Node::Negated(of) => self.range(wanted, of),
            Node::Binary(_, of) => of.iter().find_map(|of| self.range(wanted, of)),
            Node::Call(_, _, of) => of.iter().find_map(|of| self.range(wanted, of)),
        }
    }

    /// The indices that the first array with fewer than it has leaves over.
    fn left_over(&self, of: &Expression, dims: &mut Vec<usize>) {
        match &of.node {
            Node::Number(_) => {}
            Node::Name(name, index) => {
                if let Some(named) = self.names.get(name)
                    && !matches!(named.meaning, Meaning::Table(_))
                    && dims.is_empty()
                {
                    let lags = index.iter().filter(|index| lag(index).is_some()).count();
                    dims.extend(named.dims.iter().skip(index.len() - lags));
                }
                index.iter().for_each(|index| self.left_over(index, dims));
            }
            Node::Negated(of) => self.left_over(of, dims),
            Node::Binary(_, of) => of.iter().for_each(|of| self.left_over(of, dims)),
            Node::Call(_, _, of) => of.iter().for_each(|of| self.left_over(of, dims)),
        }
    }

    fn said(
        &mut self,
        name: String,
        form: Option<&Form>,
        within: Option<f64>,
        (value, when): (&Expression, Option<&Expression>),
        mut scope: Scope,
    ) -> Result<Said, Problem> {
        let formula = self.resolve(value, &mut scope)?;
        let mut condition = when.map(|when| self.resolve(when, &mut scope)).transpose()?;
        // Before there was anything to look back to, an output does not count.
        if scope.lag > 0 {
            let since = Formula::Binary(
                Binary::Less,
                Box::new([Formula::Number(scope.lag as f64), Formula::Place(Place::Time)]),
            );
            condition = Some(match condition {
                Some(when) => Formula::Call(Function::And, vec![since, when]),
                None => since,
            });
        }
        if let Some(Form::Pulse(_) | Form::Uniform(..) | Form::Normal(_) | Form::Once(..)) = form {
            return Err(Problem::new(
                value.at,
                "an output is not drawn: it is a sign, one of some symbols, a range or a number",
            ));
        }
        Ok(Said { name, at: value.at, kind: form.map(|form| kind_of(form, false)), within, formula, condition })
    }

    fn finish(mut self, said: Vec<Said>, text: &str) -> Result<Program, Problem> {
        let end = text.len();
        if self.inputs.is_empty() {
            return Err(Problem::new(end, "there is no input; write e.g. 'input x: sign'"));
        }
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut variables = vec![];
        for k in 0..self.variables.len() {
            let Draft { name, at, kind, start, formula } = &self.variables[k];
            let (name, at, kind, start) = (name.clone(), *at, kind.clone(), *start);
            let Some((formula, place)) = formula.clone() else {
                return Err(Problem::new(
                    at,
                    format!("{name} has no step; write '{name} = ...', or '{name} = {name}' to keep it"),
                ));
            };
            let rule = self.rule(&formula, &kind, None, place)?;
            places.insert(name.clone(), place);
            variables.push(Variable { name, kind, start, rule });
        }
        for said in said {
            places.insert(said.name.clone(), said.at);
            let output = self.output(said)?;
            self.outputs.push(output);
        }
        if self.outputs.is_empty() {
            return Err(Problem::new(end, "there is no output; write e.g. 'output y = v'"));
        }
        if self.outputs.last().is_some_and(|output| output.columns.end > MOST_PLACES) {
            return Err(Problem::new(
                end,
                format!("more than {MOST_PLACES} units of output, the limit; use fewer symbols"),
            ));
        }
        let Self { inputs, outputs, length, .. } = self;
        let program = Program { name: String::new(), source: text.trim().into(), variables, inputs, outputs, length };
        tried(&program, self.parts)
            .map_err(|(name, what)| Problem::new(places.get(&name).copied().unwrap_or(end), what))?;
        Ok(program)
    }

    fn output(&mut self, said: Said) -> Result<Output, Problem> {
        let Said { name, at, kind, within, formula, condition } = said;
        let sign = Kind::Sign { or_none: false };
        let when = condition.as_ref().map(|when| self.rule(when, &sign, None, at)).transpose()?;
        let kind = match kind.or_else(|| self.plain(&formula)) {
            Some(kind) => kind,
            None => {
                let room = self.room;
                let any = self.rule(&formula, &Kind::Number, condition.as_ref(), at)?;
                self.room = room;
                kind_of_values(&any)
            }
        };
        let rule = self.rule(&formula, &kind, condition.as_ref(), at)?;
        let first = self.outputs.last().map_or(0, |output| output.columns.end);
        let columns = first..first + kind.columns();
        let within = within.unwrap_or(if kind == Kind::Number { WITHIN_NUMBER } else { WITHIN_WHOLE });
        if !(within.is_finite() && within > 0.0) {
            return Err(Problem::new(at, format!("within {within} is no distance above 0")));
        }
        Ok(Output { name, kind, rule, when, within, columns })
    }

    /// The kind of what a formula hands on as it is.
    fn plain(&self, formula: &Formula) -> Option<Kind> {
        let kind = match formula {
            Formula::Place(place) => self.kind(*place),
            Formula::Element(Elements { of: Of::Places(places), .. }) => {
                let first = self.kind(*places.first()?);
                places.iter().all(|place| self.kind(*place) == first).then_some(first)?
            }
            _ => return None,
        };
        // What is said is something.
        Some(match kind {
            Kind::Sign { .. } => Kind::Sign { or_none: false },
            Kind::Symbol { values, names, .. } => Kind::Symbol { values, names, or_none: false },
            kind => kind,
        })
    }

    fn resolve(&mut self, of: &Expression, scope: &mut Scope) -> Result<Formula, Problem> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            let what =
                format!("the formulas have more than {MOST_PARTS} parts with all arrays written out; use smaller ones");
            return Err(Problem::new(of.at, what));
        }
        match &of.node {
            Node::Number(value) => Ok(Formula::Number(*value)),
            Node::Name(name, index) => self.resolve_name(of.at, name, index, scope),
            Node::Negated(of) => Ok(Formula::Negated(Box::new(self.resolve(of, scope)?))),
            Node::Binary(how, parts) => {
                let [a, b] = [self.resolve(&parts[0], scope)?, self.resolve(&parts[1], scope)?];
                let [a, b] = match (how, &a, &b) {
                    (Binary::Equal | Binary::Differs, Formula::None, other) => [self.nothing(other, of.at)?, b],
                    (Binary::Equal | Binary::Differs, other, Formula::None) => [self.nothing(other, of.at)?, a],
                    (_, Formula::None, _) | (_, _, Formula::None) => {
                        return Err(Problem::new(of.at, "none has no size: compare it with == or !="));
                    }
                    _ => [a, b],
                };
                Ok(Formula::Binary(*how, Box::new([a, b])))
            }
            Node::Call(name, entries, arguments) => self.resolve_call(of.at, (name, entries, arguments), scope),
        }
    }

    /// How nothing is held where a formula is compared with it.
    fn nothing(&self, of: &Formula, at: usize) -> Result<Formula, Problem> {
        let place = match of {
            Formula::Place(place) => Some(*place),
            Formula::Element(Elements { of: Of::Places(places), .. }) => places.first().copied(),
            _ => None,
        };
        let place = place.ok_or_else(|| Problem::new(at, "only a variable or an input can be compared with none"))?;
        Ok(Formula::Number(self.kind(place).none()))
    }

    fn resolve_call(
        &mut self,
        at: usize,
        (name, entries, arguments): (&str, &[bool], &[Expression]),
        scope: &mut Scope,
    ) -> Result<Formula, Problem> {
        let parts = arguments.iter().map(|of| self.resolve(of, scope)).collect::<Result<Vec<_>, _>>()?;
        let count = parts.len();
        let takes = |what: &str| Err(Problem::new(at, format!("{name} takes {what}, not {count} values")));
        let rule = name.strip_prefix("rule").and_then(|number| number.parse::<usize>().ok());
        let function = match name {
            "if" => {
                let Ok(parts) = <[Formula; 3]>::try_from(parts) else {
                    return takes("3 values: what is asked, what then, what else");
                };
                return Ok(Formula::If(Box::new(parts)));
            }
            "and" | "or" | "xor" | "min" | "max" if count < 2 => return takes("2 values or more"),
            "not" | "abs" if count != 1 => return takes("1 value"),
            "maj" if count < 3 || count % 2 == 0 => return takes("an odd number of values, 3 or more"),
            "and" => Function::And,
            "or" => Function::Or,
            "xor" => Function::Xor,
            "not" => Function::Not,
            "maj" => Function::Majority,
            "min" => Function::Least,
            "max" => Function::Greatest,
            "abs" => Function::Absolute,
            "table" if count > 20 || entries.len() != 1 << count => {
                return Err(Problem::new(
                    at,
                    format!("a table of {count} values has 2^{count} entries, not {}", entries.len()),
                ));
            }
            "table" => Function::Table(entries.to_vec()),
            _ => {
                let Some(rule) = rule.filter(|rule| *rule < 256) else { return Err(self.no_function(at, name)) };
                let Ok([left, centre, right]) = <[Formula; 3]>::try_from(parts) else {
                    return takes("3 values: left, centre, right");
                };
                let entries = (0..8).map(|bit| rule >> bit & 1 == 1).collect();
                return Ok(Formula::Call(Function::Table(entries), vec![right, centre, left]));
            }
        };
        Ok(Formula::Call(function, parts))
    }

    fn no_function(&self, at: usize, name: &str) -> Problem {
        const FUNCTIONS: [&str; 11] = ["if", "and", "or", "xor", "not", "maj", "min", "max", "abs", "table", "rule110"];
        if self.names.contains_key(name) {
            return Problem::new(at, format!("{name} is no function; an index stands in brackets: {name}[...]"));
        }
        let nearest = nearest_name(name, FUNCTIONS.into_iter());
        let known = "if, and, or, xor, not, maj, min, max, abs, table and rule0 to rule255";
        Problem::new(at, format!("there is no function '{name}'; did you mean '{nearest}'? The functions are {known}"))
    }

    fn resolve_name(
        &mut self,
        at: usize,
        name: &str,
        index: &[Expression],
        scope: &mut Scope,
    ) -> Result<Formula, Problem> {
        if let Some((_, number)) = scope.bound.iter().find(|(bound, _)| bound == name) {
            return Ok(Formula::Number(*number as f64));
        }
        match name {
            "t" => return Ok(Formula::Place(Place::Time)),
            "none" => return Ok(Formula::None),
            _ => {}
        }
        let Some(Named { dims, meaning }) = self.names.get(name).cloned() else {
            let nearest = nearest_name(name, self.names.keys().map(String::as_str));
            let hint = if nearest.is_empty() { String::new() } else { format!("; did you mean '{nearest}'?") };
            return Err(Problem::new(at, format!("there is no '{name}'{hint}")));
        };
        let (back, index) = match (index.split_last(), &meaning) {
            (Some((last, others)), Meaning::Inputs(_)) if lag(last).is_some() => (lag(last), others),
            _ => (None, index),
        };
        let mut numbers = index.iter().map(|index| self.resolve(index, scope)).collect::<Result<Vec<_>, _>>()?;
        if numbers.len() > dims.len() {
            return Err(Problem::new(at, format!("{name} has {} indices, not {}", dims.len(), numbers.len())));
        }
        let missing = dims.len() - numbers.len();
        if missing > 0 {
            let fits = scope.dims.len() >= missing && scope.dims[scope.dims.len() - missing..] == dims[numbers.len()..];
            if !fits || matches!(meaning, Meaning::Table(_)) {
                let sizes: Vec<String> = dims.iter().map(usize::to_string).collect();
                let what = format!(
                    "{name} is an array of [{}]; say which element, as in {}",
                    sizes.join(", "),
                    indexed(name, &vec![1; dims.len()])
                );
                return Err(Problem::new(at, what));
            }
            let own = &scope.element[scope.element.len() - missing..];
            numbers.extend(own.iter().map(|&at| Formula::Number(at as f64)));
        }
        let count = dims.iter().product::<usize>();
        let of = match meaning {
            Meaning::Value(value) => return Ok(Formula::Number(value)),
            Meaning::Table(values) => Of::Table(values),
            Meaning::Variables(first) => Of::Places((first..first + count).map(Place::Variable).collect()),
            Meaning::Inputs(first) => {
                let places = match back {
                    None => (first..first + count).map(Place::Input).collect(),
                    Some(back) => {
                        scope.lag = scope.lag.max(back);
                        let places = (first..first + count).map(|input| self.delayed(input, back, scope.after, at));
                        places.collect::<Result<Vec<_>, _>>()?
                    }
                };
                Of::Places(places)
            }
        };
        let elements = Elements { name: name.into(), of, dims, index: numbers };
        self.parts += elements.index.len();
        Ok(match elements.constant(at)? {
            Some(formula) => formula,
            None => Formula::Element(elements),
        })
    }

    /// The variable that holds an input of some steps ago: at its step before variables move on, or after.
    fn delayed(&mut self, input: usize, back: usize, after: bool, at: usize) -> Result<Place, Problem> {
        if back == 0 {
            return Ok(Place::Input(input));
        }
        let depth = back + usize::from(after);
        if self.variables.len() + depth > MOST_PLACES {
            return Err(Problem::new(at, format!("more than {MOST_PLACES} variables, the limit; look back less far")));
        }
        let known = self.delays.get(&input).map_or(0, Vec::len);
        for k in known..depth {
            let Input { name, kind, .. } = &self.inputs[input];
            let start = kind.values().map_or(0.0, |values| if values.contains(&0.0) { 0.0 } else { values[0] });
            let from = match k.checked_sub(1) {
                None => Place::Input(input),
                Some(newer) => Place::Variable(self.delays[&input][newer]),
            };
            let name = if k == 0 { format!("{name}[t]") } else { format!("{name}[t-{k}]") };
            self.variables.push(Draft {
                name,
                at,
                kind: kind.clone(),
                start,
                formula: Some((Formula::Place(from), at)),
            });
            self.delays.entry(input).or_default().push(self.variables.len() - 1);
        }
        Ok(Place::Variable(self.delays[&input][depth - 1]))
    }
}

/// An output whose values are not checked yet.
struct Said {
    name: String,
    at: usize,
    kind: Option<Kind>,
    within: Option<f64>,
    formula: Formula,
    condition: Option<Formula>,
}

/// `t` or `t-2`: how many steps back.
fn lag(of: &Expression) -> Option<usize> {
    let is_t = |of: &Expression| matches!(&of.node, Node::Name(name, index) if name == "t" && index.is_empty());
    match &of.node {
        Node::Binary(Binary::Subtract, parts) if is_t(&parts[0]) => match parts[1].node {
            Node::Number(back) if back.fract() == 0.0 && back >= 0.0 => Some(back as usize),
            _ => None,
        },
        _ => is_t(of).then_some(0),
    }
}

/// The kind of an output that has none of its own.
fn kind_of_values(rule: &Rule) -> Kind {
    let values: Vec<f64> = match rule {
        Rule::Table { values, .. } => values.iter().copied().filter(|value| !value.is_nan()).collect(),
        Rule::Constant(value) => vec![*value],
        Rule::Copy(_) | Rule::Tree(_) => return Kind::Number,
    };
    if values.iter().all(|value| value.abs() == 1.0) {
        return Kind::Sign { or_none: false };
    }
    let ends = |so_far: (f64, f64), value: &f64| (so_far.0.min(*value), so_far.1.max(*value));
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    match values.iter().all(|value| value.fract() == 0.0) && high - low < 4096.0 {
        true => Kind::Whole { low: low as i64, high: high as i64 },
        false => Kind::Number,
    }
}

impl Elements {
    /// The element itself, where its indices are numbers.
    fn constant(&self, at: usize) -> Result<Option<Formula>, Problem> {
        let first = usize::from(matches!(self.of, Of::Places(_)));
        let mut place = 0;
        for (index, dim) in self.index.iter().zip(&self.dims) {
            let Formula::Number(number) = index else { return Ok(None) };
            let number = *number - first as f64;
            if number.fract() != 0.0 || number < 0.0 || number >= *dim as f64 {
                let what = format!(
                    "there is no {}[{}]: its index goes from {first} to {}",
                    self.name,
                    number + first as f64,
                    dim - 1 + first
                );
                return Err(Problem::new(at, what));
            }
            place = place * dim + number as usize;
        }
        Ok(Some(match &self.of {
            Of::Places(places) => Formula::Place(places[place]),
            Of::Table(values) => Formula::Number(values[place]),
        }))
    }
}

/// Runs some episodes, so that nothing without a value comes up later, and something counts; says what is wrong with what.
fn tried(program: &Program, parts: usize) -> Result<(), (String, String)> {
    let stream = Stream::new(1, Purpose::ProbeInputs);
    let steps = program.length.unwrap_or(usize::MAX).min(TRIED.1);
    let episodes = ((MOST_TRIED / parts.max(1) / steps.max(1)) as u32).clamp(1, TRIED.0);
    let mut counted = false;
    for sample in 0..episodes {
        let mut machine = program.machine();
        machine.begin(&stream, 0, sample);
        for _ in 0..steps {
            counted |= machine.step_drawn(&stream, 0, sample).outputs.iter().any(|value| !value.is_nan());
            machine.checked().map_err(|wrong| match &wrong {
                RunError::Undefined { name, .. } => (name.clone(), wrong.to_string()),
                _ => (String::new(), wrong.to_string()),
            })?;
        }
    }
    if counted {
        Ok(())
    } else {
        let nothing = format!("no output counts in {episodes} episodes of {steps} steps; see its 'when'");
        Err((String::new(), nothing))
    }
}
