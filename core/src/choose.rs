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

/// The words that the variants of an enum go by, in one list: `ALL`, `NAMES` and `name`, and how a typed word is taken for `what`. A word
/// behind `|` is an old one: it is taken, and told nowhere.
macro_rules! words {
    ($of:ident, $what:literal: $($variant:ident = $word:literal $(| $old:literal)*),+ $(,)?) => {
        impl $of {
            /// All of them.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];
            /// Their names, in the same order.
            pub const NAMES: [&'static str; Self::ALL.len()] = [$($word),+];

            /// The name, as typed.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl std::str::FromStr for $of {
            type Err = $crate::choose::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($($old => return Ok(Self::$variant),)*)+
                    _ => {}
                }
                $crate::choose::choose($what, word, &Self::ALL.map(|one| (one.name(), one)))
            }
        }
    };
}
pub(crate) use words;

/// The candidate with the smallest edit distance to what was typed, the first one at a tie.
pub(crate) fn nearest_name<'a>(typed: &str, candidates: impl Iterator<Item = &'a str>) -> &'a str {
    candidates.min_by_key(|candidate| edit_distance(typed, &candidate.to_lowercase())).unwrap_or("")
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
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
