//! Everything a person sees goes through here: colours where they help, plain text where they do not.

use anstyle::{AnsiColor, Style};
use ketbra::foreign_text::escaped;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

/// A title.
pub const TITLE: Style = AnsiColor::Blue.on_default().bold();
/// Something that went well; blue and orange-yellow stay apart for every kind of colour vision.
pub const GOOD: Style = AnsiColor::Cyan.on_default().bold();
/// Something to look at.
pub const WARN: Style = AnsiColor::Yellow.on_default().bold();
/// Detail that can be skipped.
pub const FAINT: Style = Style::new().dimmed();

/// Writes words to standard output, wrapped between words where a person watches.
pub fn print(text: &str) {
    print_exactly(&wrapped(text, room()));
}

/// Writes to standard output as it is. A reader that went away (`| head`) ends the program quietly.
pub fn print_exactly(text: &str) {
    let mut out = anstream::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        complain(&format!("cannot write the results: {error}"));
        std::process::exit(1);
    }
}

/// Writes a value as JSON, followed by a new line.
pub fn print_json(value: &impl Serialize) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => print_exactly(&format!("{text}\n")),
        Err(error) => complain(&format!("cannot write JSON: {error}")),
    }
}

/// Gives a result: as JSON where that is asked for, in words otherwise.
pub fn answer(json: bool, value: &impl Serialize, words: impl FnOnce() -> String) {
    if json { print_json(value) } else { print(&words()) }
}

/// Tells of a failure on standard error.
pub fn complain(message: &str) {
    // A message may quote a path, and a path can hold anything.
    let lines: Vec<String> = message.lines().map(escaped).collect();
    note(&format!("{WARN}error:{WARN:#} {}", lines.join("\n")));
}

/// Tells of something in passing on standard error, so that it never mixes with results.
pub fn note(message: &str) {
    // Nobody is left to tell if standard error is closed.
    let _ = writeln!(anstream::stderr(), "{}", wrapped(message, room_if(io::stderr().is_terminal())));
}

/// Columns of the terminal: what COLUMNS says, what the terminal says, or 80.
pub fn width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let seen = || terminal_size::terminal_size().map(|(columns, _)| usize::from(columns.0));
    told.or_else(seen).unwrap_or(80).max(NARROWEST)
}

/// Columns that a line may have: those of the terminal, and any number where nobody watches, such as in a pipe.
pub fn room() -> usize {
    room_if(io::stdout().is_terminal())
}

fn room_if(terminal: bool) -> usize {
    if terminal || std::env::var_os("COLUMNS").is_some() { width() } else { usize::MAX }
}

/// Lines that are too long go on below, a little further in. Words stay whole; colours take no room.
fn wrapped(text: &str, room: usize) -> String {
    let mut all = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (words, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        if seen(words) <= room {
            all.push_str(line);
            continue;
        }
        let indent = (words.len() - words.trim_start_matches(' ').len() + 2).min(room / 2);
        let mut used = 0;
        for (k, word) in words.split(' ').enumerate() {
            let size = seen(word);
            if k > 0 && used > indent && used + 1 + size > room {
                all.truncate(all.trim_end_matches(' ').len());
                all.push('\n');
                all.push_str(&" ".repeat(indent));
                used = indent;
            } else if k > 0 {
                all.push(' ');
                used += 1;
            }
            all.push_str(word);
            used += size;
        }
        all.push_str(end);
    }
    all
}

/// Characters that a text shows: all but the codes of colours.
fn seen(text: &str) -> usize {
    let mut inside = false;
    let shows = |c: char| {
        let code = inside || c == '\u{1b}';
        inside = code && c != 'm';
        !code
    };
    text.chars().map(shows).filter(|&shown| shown).count()
}

/// Columns below which nothing can be laid out.
const NARROWEST: usize = 40;

/// A text after what stands before it, wrapped between words; the lines that follow begin below its first. `before` may be in
/// colour, so its width is told.
pub fn hanging(before: &str, columns: usize, text: &str) -> String {
    hanging_in(width(), before, columns, text)
}

fn hanging_in(width: usize, before: &str, columns: usize, text: &str) -> String {
    let room = width.saturating_sub(columns).max(NARROWEST / 2);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && line + 1 + word.chars().count() > room {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            let space = if line.is_empty() { "" } else { " " };
            line.push_str(space);
            line.push_str(word);
        }
    }
    let indent = format!("\n{}", " ".repeat(columns));
    format!("{before}{}\n", lines.join(&indent))
}

/// A title line.
pub fn title(text: &str) -> String {
    format!("{TITLE}{text}{TITLE:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_between_words_and_hangs_below_its_first() {
        let text = hanging_in(40, "  holds  ", 9, "contents written into the state come out as the function says");
        assert_eq!(text, "  holds  contents written into the state\n         come out as the function says\n");
        assert_eq!(hanging_in(40, "> ", 2, "short"), "> short\n");
        let long = "x".repeat(60);
        assert_eq!(hanging_in(40, "> ", 2, &long), format!("> {long}\n"), "a word is never cut");
    }

    #[test]
    fn lines_that_are_too_long_go_on_below_and_words_stay_whole() {
        let text = "  circuit 1: 3 networks: a-long-name, another-long-name, a-third\nshort\n";
        let lines = wrapped(text, 40);
        assert_eq!(lines, "  circuit 1: 3 networks: a-long-name,\n    another-long-name, a-third\nshort\n");
        assert_eq!(wrapped(text, usize::MAX), text);
        let painted = format!("{WARN}failed:{WARN:#} {}", "x ".repeat(18).trim_end());
        assert_eq!(wrapped(&painted, 43), painted, "colours take no room");
        let path = format!("saved {}", "y".repeat(90));
        assert_eq!(wrapped(&path, 40).replace("\n", "").replace("  ", " "), path);
    }
}
