//! What is said, in which form, and when it counts.

use super::names::lag;
use super::*;

/// An output whose values are not checked yet.
pub(super) struct Said {
    pub(super) name: String,
    pub(super) at: usize,
    pub(super) kind: Option<Kind>,
    pub(super) within: Option<f64>,
    pub(super) formula: Formula,
    pub(super) condition: Option<Formula>,
}

impl Builder {
    pub(super) fn resolve_outputs(&mut self, statements: &[Statement]) -> Result<Vec<Said>, Problem> {
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

    pub(super) fn output(&mut self, said: Said) -> Result<Output, Problem> {
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
