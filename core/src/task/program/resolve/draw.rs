//! How inputs are drawn: a law sees the variables before the step, and the inputs above it.

use super::*;

impl Builder {
    /// How inputs are drawn.
    pub(super) fn draw(&mut self, statements: &[Statement]) -> Result<(), Problem> {
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
}
