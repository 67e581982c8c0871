//! Text that comes from files, made fit to be shown: a name in a file must not move the cursor, colour a terminal or
//! pretend to be a line of its own, and it must not fill the screen.

use std::fmt::Write;

/// Characters of a name that are shown.
const NAME: usize = 80;
/// Characters of a sentence that quotes a file.
const SENTENCE: usize = 400;
/// Names that are shown of a list.
const LISTED: usize = 5;

/// Whether a character controls the terminal or the direction of the text instead of being visible.
pub fn is_unsafe_to_show(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

/// A text of any length, such as a path, with control characters escaped.
pub fn escaped(text: &str) -> String {
    cut(text, usize::MAX)
}

/// A name from a file, fit to be shown: control characters are escaped, a long name is cut.
pub fn escaped_name(name: &str) -> String {
    cut(name, NAME)
}

/// A sentence that may quote a file, escaped and cut like a name, but at a greater length.
pub fn escaped_sentence(text: &str) -> String {
    cut(text, SENTENCE)
}

/// The first names of a list, and how many more there are.
pub fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let mut text = names.take(LISTED).map(escaped_name).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

fn cut(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for (place, c) in text.chars().enumerate() {
        if place == most {
            let _ = write!(shown, "... ({} characters)", text.chars().count());
            break;
        }
        if is_unsafe_to_show(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped_and_what_is_long_is_cut() {
        assert_eq!(escaped_name("rnn.weight_hh_l0 é"), "rnn.weight_hh_l0 é");
        assert_eq!(escaped_name("\u{1b}[31mred\n\u{9b}\u{202e}"), "\\u{1b}[31mred\\n\\u{9b}\\u{202e}");
        assert_eq!(escaped("a\tb"), "a\\tb");
        let long = escaped_name(&"x".repeat(200_000));
        assert!(long.len() < 120 && long.ends_with("x... (200000 characters)"), "{long}");
    }

    #[test]
    fn a_list_names_five_and_counts_the_rest() {
        assert_eq!(listed(["a", "b"].into_iter()), "a, b");
        assert_eq!(listed(["a", "b", "c", "d", "e", "f", "g"].into_iter()), "a, b, c, d, e and 2 more");
    }
}
