//! Words that a person chooses from a list.

use crate::foreign_text::escaped_name;

/// A word that is not on its list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} '{}'; choose from {known}", escaped_name(word))]
pub struct UnknownWord {
    /// What was to be chosen.
    pub what: &'static str,
    /// The word given.
    pub word: String,
    /// The words on the list.
    pub known: String,
}

/// The choice that goes by a word.
pub(crate) fn choose<T: Clone>(what: &'static str, word: &str, choices: &[(&str, T)]) -> Result<T, UnknownWord> {
    let found = choices.iter().find(|(name, _)| *name == word).map(|(_, choice)| choice.clone());
    found.ok_or_else(|| {
        let known: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        UnknownWord { what, word: word.into(), known: known.join(", ") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_not_on_the_list_is_refused_with_the_list() {
        let choices = [("tanh", 1), ("relu", 2)];
        assert_eq!(choose("activation", "relu", &choices), Ok(2));
        let refusal = choose("activation", "Relu", &choices).unwrap_err().to_string();
        assert_eq!(refusal, "there is no activation 'Relu'; choose from tanh, relu");
    }
}
