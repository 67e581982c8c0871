//! The program as a whole, tried out.

use super::outputs::Said;
use super::*;

impl Builder {
    pub(super) fn finish(mut self, said: Vec<Said>, text: &str) -> Result<Program, Problem> {
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
