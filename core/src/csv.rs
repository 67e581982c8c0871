//! Text as a cell of comma-separated values.

/// A cell that no spreadsheet takes for a formula, and that ends where it should: text that begins like a formula gets an apostrophe,
/// and separators stand in quotation marks.
pub(crate) fn text(text: &str) -> String {
    let tame = match text.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r') if text.parse::<f64>().is_err() => format!("'{text}"),
        _ => text.into(),
    };
    match tame.contains([',', '"', '\n', '\r', ';']) {
        true => format!("\"{}\"", tame.replace('"', "\"\"")),
        false => tame,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_text_is_a_formula_or_two_cells() {
        let cells = ["=1+2", "+a", "-a", "@a", "\tb", "a,b", "say \"x\"", "=HYPERLINK(\"a\",1)", "t1-h64", "-0.5"]
            .map(super::text);
        let wanted = [
            "'=1+2",
            "'+a",
            "'-a",
            "'@a",
            "'\tb",
            "\"a,b\"",
            "\"say \"\"x\"\"\"",
            "\"'=HYPERLINK(\"\"a\"\",1)\"",
            "t1-h64",
            "-0.5",
        ];
        assert_eq!(cells, wanted);
    }
}
