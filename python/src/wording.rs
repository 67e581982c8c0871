//! The library's words for Python: options of the command line become keywords.

use std::fmt::Display;

/// Options that take no value.
const FLAGS: [&str; 3] = ["blind", "force", "least"];

/// `--s N` as `s=N`, `--force` as `force=True`, `--out` as `out`. Whole commands, in quotes, stay what they are.
pub fn in_python(said: impl Display) -> String {
    let said = said.to_string().replace("--device cpu", "device='cpu'");
    let mut words = String::with_capacity(said.len());
    let mut rest = said.as_str();
    while let Some(at) = rest.find("--") {
        let (before, after) = rest.split_at(at);
        let name: String = after[2..].chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        let starts_word = before.chars().next_back().is_none_or(|c| c == ' ' || c == '(');
        words += before;
        rest = &after[2 + name.len()..];
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !starts_word || in_command(&words) {
            words += "--";
            words += &name;
            continue;
        }
        // Keywords that follow each other are a list.
        if words.ends_with("=True ") {
            words.insert(words.len() - 1, ',');
        }
        words += &name.replace('-', "_");
        if FLAGS.contains(&name.as_str()) {
            words += "=True";
        } else if takes_value(rest) {
            words.push('=');
            rest = &rest[1..];
        }
    }
    words + rest
}

/// Whether a quoted command has begun and not ended.
fn in_command(before: &str) -> bool {
    let begun = ["'ketbra ", "`ketbra "].iter().filter_map(|begin| before.rfind(begin)).max();
    begun.is_some_and(|at| !before[at + 1..].contains(['\'', '`']))
}

/// Whether a number or a name in capitals comes next.
fn takes_value(after: &str) -> bool {
    let word = after.strip_prefix(' ').map(|after| after.split([' ', ',', ';', ')', '.']).next().unwrap_or(""));
    word.is_some_and(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::in_python;

    #[test]
    fn options_become_keywords() {
        for (typed, called) in [
            ("pass --task T, or --blind --s N", "pass task=T, or blind=True, s=N"),
            ("--blind needs to know the steps; pass --s N", "blind=True needs to know the steps; pass s=N"),
            ("try --threads 1", "try threads=1"),
            ("as many as it has outputs, 8, not --d 4", "as many as it has outputs, 8, not d=4"),
            ("start again with --force, or choose --out", "start again with force=True, or choose out"),
            ("the weights in a-b--c.safetensors", "the weights in a-b--c.safetensors"),
            ("a table entry of --- says nothing", "a table entry of --- says nothing"),
            ("on the processor (--device cpu)", "on the processor (device='cpu')"),
        ] {
            assert_eq!(in_python(typed), called);
        }
    }

    #[test]
    fn commands_stay_commands() {
        let said = "go on with 'ketbra train --resume runs/t2', or start again with --force";
        assert_eq!(in_python(said), "go on with 'ketbra train --resume runs/t2', or start again with force=True");
        let said = "`ketbra task --list` shows all";
        assert_eq!(in_python(said), said);
    }
}
