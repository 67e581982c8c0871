//! Several functions in one task: a cue that lasts through the whole episode says which of them is meant.
//!
//! A task with c contexts has d + c inputs: the d components, then one for each context, which is 1 in its own and 0 in the
//! others, from the first input to the last output.

use super::{TaskError, Window};
use crate::random::Stream;

/// The most contexts of a task.
pub const MAX_CONTEXTS: usize = 64;

/// One f of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// What it is called.
    pub name: String,
    /// The task in this context.
    pub task: Window,
}

impl Window {
    /// A task with several f over the same s and d.
    pub fn with_contexts(name: impl Into<String>, contexts: Vec<(String, Self)>) -> Result<Self, TaskError> {
        let found = contexts.len();
        if !(2..=MAX_CONTEXTS).contains(&found) {
            return Err(TaskError::ContextCount { found, limit: MAX_CONTEXTS });
        }
        let first = contexts[0].1.clone();
        let mut all: Vec<Context> = vec![];
        for (name, task) in contexts {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if name.is_empty() || !name.chars().all(plain) || all.iter().any(|other| other.name == name) {
                return Err(TaskError::ContextName { name });
            }
            if (task.s, task.d) != (first.s, first.d) {
                let (found_s, found_d, s, d) = (task.s, task.d, first.s, first.d);
                return Err(TaskError::ContextSize { name, found_s, found_d, s, d });
            }
            let task = task.alone()?.renamed(&*name);
            all.push(Context { name, task });
        }
        Ok(Self { name: name.into(), contexts: all, ..first })
    }

    /// The contexts, in order; none where there is one f.
    pub fn contexts(&self) -> &[Context] {
        &self.contexts
    }

    /// The number of inputs of a network: the components, and a cue for each context.
    pub fn inputs(&self) -> usize {
        self.d + self.contexts.len()
    }

    /// The place of a context by its name.
    pub fn context(&self, name: &str) -> Result<usize, TaskError> {
        let found = self.contexts.iter().position(|context| context.name == name);
        found.ok_or_else(|| TaskError::NoContext {
            name: self.name.clone(),
            context: name.into(),
            contexts: if self.contexts.is_empty() { "none".into() } else { self.context_names() },
        })
    }

    /// The names of the contexts, to be shown.
    pub fn context_names(&self) -> String {
        let names: Vec<&str> = self.contexts.iter().map(|context| context.name.as_str()).collect();
        names.join(", ")
    }

    /// The task, if it has one f.
    pub fn alone(self) -> Result<Self, TaskError> {
        if self.contexts.is_empty() {
            return Ok(self);
        }
        Err(TaskError::Contexts { contexts: self.context_names(), name: self.name })
    }

    /// The context of a sample of a batch, the one asked for or drawn: the bits after those of its inputs.
    pub fn drawn_context(&self, only: Option<usize>, stream: &Stream, index: u32, sample: u32) -> usize {
        only.unwrap_or_else(|| {
            let [word, ..] = stream.block(index, sample, self.width().div_ceil(128) as u32);
            ((u64::from(word) * self.contexts.len() as u64) >> 32) as usize
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    fn two() -> Window {
        let text = "name = \"two\"\ns = 3\nd = 2\n[context.b]\ntask = \"repeat-copy\"\n\n[context.a]\nrecurrence = [\"u1 = -u2[t-1]\", \"u2 = u1[t-3]\"]\n";
        Window::from_toml_with_contexts(text, "two.toml", "x").unwrap()
    }

    #[test]
    fn contexts_keep_the_order_of_the_file_and_survive_it() {
        let task = two();
        assert_eq!((task.context_names().as_str(), task.inputs(), task.d()), ("b, a", 4, 2));
        assert_eq!(task.contexts()[1].task.recurrence(), ["u1 = -u2[t-1]", "u2 = u1[t-3]"]);
        assert_eq!(Window::from_toml_with_contexts(&task.to_toml(), "x", "x").unwrap(), task);
    }

    #[test]
    fn a_task_with_contexts_is_refused_where_one_f_is_needed() {
        let message = Window::from_toml(&two().to_toml(), "x", "x").unwrap_err().to_string();
        assert!(message.contains("choose one of b, a with context"), "{message}");
        assert!(two().context("c").unwrap_err().to_string().contains("no context 'c'; it has b, a"));
    }

    #[test]
    fn what_cannot_be_a_context_is_said() {
        let refused = |text: &str| Window::from_toml_with_contexts(text, "f.toml", "x").unwrap_err().to_string();
        let one = refused("s = 2\nd = 1\n[context.a]\ntask = \"repeat-copy\"\n");
        assert!(one.contains("from 2 to 64 of them, not 1"), "{one}");
        let missing = refused("s = 2\nd = 1\n[context.a]\n\n[context.b]\ntask = \"repeat-copy\"\n");
        assert!(missing.contains("f is missing"), "{missing}");
        let wrong = refused("s = 2\nd = 1\n[context.a]\ntask = \"T2\"\n[context.b]\ntask = \"repeat-copy\"\n");
        assert!(wrong.starts_with("f.toml:4:8:") && wrong.contains("T2"), "{wrong}");
        let outside = refused("s = 2\nd = 1\nrecurrence = [\"u1 = u1[t-1]\"]\n[context.a]\ntask = \"repeat-copy\"\n");
        assert!(outside.contains("none outside"), "{outside}");
        let named =
            refused("s = 2\nd = 1\n[context.\"a b\"]\ntask = \"repeat-copy\"\n[context.b]\ntask = \"repeat-copy\"\n");
        assert!(named.contains("letters, digits"), "{named}");
    }

    #[test]
    fn every_context_is_drawn_about_as_often_and_always_the_same() {
        let (task, stream) = (two(), Stream::new(3, Purpose::TrainInputs));
        let drawn: Vec<usize> = (0..1000).map(|sample| task.drawn_context(None, &stream, 7, sample)).collect();
        let second = drawn.iter().sum::<usize>();
        assert!((430..570).contains(&second), "{second}");
        assert_eq!(task.drawn_context(None, &stream, 7, 11), drawn[11]);
        assert_eq!(task.drawn_context(Some(1), &stream, 7, 11), 1);
    }
}
