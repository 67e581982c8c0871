//! Formulas: names become places, tables and numbers, calls become functions.

use super::*;

impl Builder {
    pub(super) fn resolve(&mut self, of: &Expression, scope: &mut Scope) -> Result<Formula, Problem> {
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

/// `t` or `t-2`: how many steps back.
pub(super) fn lag(of: &Expression) -> Option<usize> {
    let is_t = |of: &Expression| matches!(&of.node, Node::Name(name, index) if name == "t" && index.is_empty());
    match &of.node {
        Node::Binary(Binary::Subtract, parts) if is_t(&parts[0]) => match parts[1].node {
            Node::Number(back) if back.fract() == 0.0 && back >= 0.0 => Some(back as usize),
            _ => None,
        },
        _ => is_t(of).then_some(0),
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
