//! Tasks typed as formulas: `u1 = xor(u1[t-5], u1[t-3])`, several lines with `;` between them.

use super::lines::{Lines, Placed};
use super::{File, TaskError, Window};

/// The longest text that is a task's name too.
const LONGEST_NAME: usize = 60;

impl Window {
    /// A task from lines with `;` or line ends between them. Without s it looks as far back as the largest lag, without d it has
    /// as many components as there are lines.
    pub fn from_formulas(text: &str, s: Option<usize>, d: Option<usize>) -> Result<Self, TaskError> {
        let mut lines = Vec::new();
        let mut start = 0;
        for part in text.split([';', '\n']) {
            let first = start + part.len() - part.trim_start().len();
            if !part.trim().is_empty() {
                lines.push(Placed::new(part.trim(), (first, first)));
            }
            start += part.len() + 1;
        }
        let d = d.unwrap_or(lines.len());
        let task = Lines { file: File { file: "formula", text }, lines }.task(String::new(), s, d)?;
        let name = task.recurrence().join("; ");
        // Folders show every sign as a dash, so that names with a plus could become the same.
        Ok(match name.len() <= LONGEST_NAME && !name.contains('+') {
            true => task.renamed(name),
            // Tasks that differ are called differently, in folders too.
            false => task.renamed(format!("formula-{:08x}", crate::crc32c::crc32c(name.as_bytes()))),
        })
    }

    /// Whether a text that was found somewhere is a formula, rather than a task file.
    pub(crate) fn is_formula(text: &str) -> bool {
        let rest = text.trim_start().strip_prefix('u');
        text.contains('=') && rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_from_the_lines_unless_they_are_given() {
        let task = Window::from_formulas("u1 = xor(u1[t-5], u1[t-3])", None, None).unwrap();
        assert_eq!((task.s(), task.d(), task.name()), (5, 1, "u1 = xor(u1[t-5], u1[t-3])"));
        let task = Window::from_formulas("u2 = u1[t-1];\n u1=-u2[t-2]; ", Some(4), None).unwrap();
        assert_eq!((task.s(), task.d()), (4, 2));
        assert_eq!(task.recurrence(), ["u1 = -u2[t-2]", "u2 = u1[t-1]"]);
        let task = Window::from_formulas("u1 = +1", None, None).unwrap();
        assert_eq!((task.s(), task.d()), (1, 1));
    }

    #[test]
    fn mistakes_are_placed_in_the_whole_text() {
        for (text, s, d, wanted) in [
            ("u1 = u1[t-1]; u2 = xr(u1[t-1], u2[t-1])", None, None, "formula:1:20: there is no function 'xr'"),
            ("u1 = u1[t-1]\nu2 = not(u3[t-1])", None, None, "formula:2:10: component 3 does not exist"),
            ("u1 = u1[t-1]", None, Some(2), "formula:1:13: u2 is not defined"),
            ("u1 = -(u1[t-3])", Some(2), None, "formula:1:13: lag 3 is outside the window"),
            ("u1 = u1[t-3]", Some(2), None, "formula:1:1: lag 3 is outside the window"),
            ("u1 = -(u1[t-0])", None, None, "formula:1:13: lag 0"),
            ("v1 = 3", None, None, "formula:1:1: expected a component"),
            (" = ", None, None, "formula:1:2: expected a component"),
            ("u1 = u1[t-99999999]", None, None, "over the limit"),
        ] {
            let message = Window::from_formulas(text, s, d).unwrap_err().to_string();
            assert!(message.contains(wanted), "{text}: {message}");
        }
    }

    #[test]
    fn long_formulas_have_short_names_of_their_own() {
        let with = |lag: usize| {
            let text: Vec<String> = (1..=6).map(|j| format!("u{j} = xor(u{j}[t-{lag}], u1[t-2])")).collect();
            Window::from_formulas(&text.join(";"), None, None).unwrap().name().to_string()
        };
        assert!(with(3).starts_with("formula-") && with(3) != with(4) && with(3).len() < 20);
    }
}
