//! The command and the Python lines that make a page again.

use super::{Provenance, SAVED};
use crate::interpret::{Interpretation, StateView};
use serde::Serialize;

/// How a page is made again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Commands {
    shell: String,
    python: Option<String>,
}

impl Commands {
    /// Nothing where the network came from no file.
    pub(super) fn of(found: &Interpretation, provenance: &Provenance) -> Option<Self> {
        let made = |name: &str| provenance.made.iter().find(|(have, _)| have == name).map(|(_, value)| value.as_str());
        let Some(path) = made("path") else {
            return made("command").map(|command| Self { shell: command.into(), python: None });
        };
        if made(SAVED).is_some() {
            let python = format!(
                "import ketbra\n\nfound = ketbra.Interpretation.load({path:?})\nfound.save_page(\"report.html\")"
            );
            return Some(Self { shell: format!("ketbra report {}", quoted(path)), python: Some(python) });
        }
        let (mut shell, mut python) = (format!("ketbra report {}", quoted(path)), format!("{path:?}"));
        let task = &found.task;
        if found.blind {
            shell += &format!(" --blind --s {}", task.s);
            python += &format!(", blind=True, s={}", task.s);
        } else if let (None, Some(name)) = (made("file: task"), &task.name) {
            shell += &format!(" --task {} --s {} --d {}", quoted(name), task.s, task.d);
            python += &format!(", task={name:?}, s={}, d={}", task.s, task.d);
        }
        // The command line looks at the units; only Python may ask for the whole state.
        if found.state == StateView::Whole {
            python += ", state=\"whole\"";
        }
        let python = format!("import ketbra\n\nfound = ketbra.interpret({python})\nfound.save_page(\"report.html\")");
        Some(Self { shell, python: Some(python) })
    }
}

/// As a shell takes it.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,+=:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.into() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted("runs/t2"), "runs/t2");
        assert_eq!(quoted("my runs/it's"), r"'my runs/it'\''s'");
    }
}
