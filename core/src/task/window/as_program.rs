//! A window as a program: its variables are the last s values, and its inputs fall silent after s steps.

use super::{Function, Window};
use crate::task::{Program, TaskError};
use std::fmt::Write;

impl Window {
    /// The same task as a program: the variables move along by one place at each step, and the newest takes the input while
    /// there is one and f of all in silence. Contexts become an input that stays.
    pub fn program(&self) -> Result<Program, TaskError> {
        Ok(Program::read(&self.program_text())?.renamed(self.name()))
    }

    fn program_text(&self) -> String {
        let (s, d) = (self.s, self.d);
        let dense = |window: &Self| matches!(window.function, Function::Dense(_));
        let numbers = dense(self) || self.contexts.iter().any(|context| dense(&context.task));
        let kind = if numbers { "number" } else { "sign" };
        let mut text = format!("input x[{d}]: sign when t <= {s}\n");
        if !self.contexts.is_empty() {
            let names: Vec<String> = (1..=self.contexts.len()).map(|k| format!("cue{k}")).collect();
            let _ = writeln!(text, "input cue: held one of {}", names.join(", "));
        }
        let _ = writeln!(text, "variable w[{s},{d}]: {kind}");
        for older in 1..s {
            let _ = writeln!(text, "w[{older},j] = w[{},j]", older + 1);
        }
        for output in 0..d {
            let _ = writeln!(text, "w[{s},{}] = if(t <= {s}, x[{}], {})", output + 1, output + 1, self.newest(output));
        }
        let _ = write!(text, "output y[j]: {kind} = w[{s},j] when t > {s}");
        text
    }

    /// What an output says, of the variables; f of the cue where there are several.
    fn newest(&self, output: usize) -> String {
        let of = |window: &Self| {
            let line = &window.recurrence()[output];
            of_variables(line.split_once("= ").map_or(line.as_str(), |(_, right)| right), self.s)
        };
        let Some((last, others)) = self.contexts.split_last() else { return of(self) };
        let chosen =
            others.iter().enumerate().map(|(k, context)| format!("if(cue == cue{}, {}, ", k + 1, of(&context.task)));
        format!("{}{}{}", chosen.collect::<String>(), of(&last.task), ")".repeat(others.len()))
    }
}

/// A right side with `w[s+1-lag,component]` in place of `u<component>[t-<lag>]`.
fn of_variables(right: &str, s: usize) -> String {
    let mut text = String::new();
    let mut rest = right;
    while let Some((before, component, lag, after)) = past(rest) {
        let _ = write!(text, "{before}w[{},{component}]", s + 1 - lag);
        rest = after;
    }
    text + rest
}

/// What stands before the first past component, its component and lag, and what stands behind it.
fn past(text: &str) -> Option<(&str, usize, usize, &str)> {
    let at = text.find("[t-")?;
    let name = text[..at].rfind('u')?;
    let (lag, after) = text[at + 3..].split_once(']')?;
    Some((&text[..name], text[name + 1..at].parse().ok()?, lag.parse().ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};
    use crate::task::Episodes;

    #[test]
    fn a_window_and_its_program_say_the_same() {
        let names = [
            ("T2", None, None),
            ("T4", None, None),
            ("repeat-copy", Some(3), Some(2)),
            ("rule110", None, Some(5)),
            ("lfsr:5,3", None, None),
        ];
        let formulas = "u1 = 0.5*u1[t-1] - 0.25*u2[t-2]; u2 = u1[t-2]";
        let mut windows: Vec<Window> =
            names.into_iter().map(|(name, s, d)| Window::named(name, s, d).unwrap()).collect();
        windows.push(Window::parse(formulas, None, None).unwrap());
        windows.push(
            Window::parse("u1 = xor(u1[t-1], -u2[t-3]); u2 = maj(u1[t-1], u1[t-2], u2[t-1])", None, None).unwrap(),
        );
        for window in windows {
            let program = window.program().unwrap();
            let (s, d) = (window.s(), window.d());
            assert_eq!((program.inputs(), program.outputs()), (d, d));
            let mut episodes = Episodes::new(&window, 1);
            episodes.draw(&window, &Stream::new(1, Purpose::TestInputs), 0, 20);
            let silent = vec![0.0; d];
            let shown = episodes.inputs().chunks(d).map(|step| step.iter().map(|x| f64::from(*x)).collect());
            let inputs: Vec<Vec<f64>> = shown.chain(std::iter::repeat_n(silent, 20)).collect();
            let said = program.run(&inputs).unwrap();
            for (t, wanted) in episodes.targets().chunks(d).enumerate() {
                for (said, wanted) in said[s + t].outputs.iter().zip(wanted) {
                    assert!((said - f64::from(*wanted)).abs() < 1e-6, "{} at output step {t}", window.name());
                }
            }
            assert!(said[..s].iter().all(|frame| frame.outputs.iter().all(|y| y.is_nan())));
        }
    }

    #[test]
    fn contexts_become_an_input_that_stays() {
        let text = "s = 3\nd = 2\n[context.a]\ntask = \"repeat-copy\"\n[context.b]\ntask = \"compose-copy\"\n";
        let window = Window::from_toml_with_contexts(text, "two", "two").unwrap();
        let program = window.program().unwrap();
        assert_eq!((program.inputs(), program.outputs()), (4, 2), "two components and a cue for each context");
        let episode = program.draw(&Stream::new(1, Purpose::TestInputs), 0, 0, 12);
        assert!(episode.iter().all(|frame| frame.inputs[2] == episode[0].inputs[2]), "the cue stays");
    }
}
