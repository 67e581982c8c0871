//! Everything a person sees goes through here: colours where they help, plain text where they do not.

use anstyle::{AnsiColor, Style};
use ketbra::foreign_text::harmless;
use serde::Serialize;
use std::io::{self, Write};

/// A title.
pub const TITLE: Style = AnsiColor::Blue.on_default().bold();
/// Something that went well; blue and orange-yellow stay apart for every kind of colour vision.
pub const GOOD: Style = AnsiColor::Cyan.on_default().bold();
/// Something to look at.
pub const WARN: Style = AnsiColor::Yellow.on_default().bold();
/// Detail that can be skipped.
pub const FAINT: Style = Style::new().dimmed();

/// Writes to standard output. A reader that went away (`| head`) ends the program quietly.
pub fn print(text: &str) {
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
        Ok(text) => print(&format!("{text}\n")),
        Err(error) => complain(&format!("cannot write JSON: {error}")),
    }
}

/// Tells of a failure on standard error.
pub fn complain(message: &str) {
    // A message may quote a path, and a path can hold anything.
    let lines: Vec<String> = message.lines().map(harmless).collect();
    // Nobody is left to tell if standard error is closed.
    let _ = writeln!(anstream::stderr(), "{WARN}error:{WARN:#} {}", lines.join("\n"));
}

/// Tells of something in passing on standard error, so that it never mixes with results.
pub fn note(message: &str) {
    let _ = writeln!(anstream::stderr(), "{message}");
}

/// A title line.
pub fn title(text: &str) -> String {
    format!("{TITLE}{text}{TITLE:#}\n")
}
