//! The words of a program.

use crate::task::text::Problem;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    Number(f64),
    Sign(&'static str),
    /// The end of a line, or `;`.
    End,
}

/// A word and its place in the text.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) at: usize,
}

const SIGNS: [&str; 19] =
    ["==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "(", ")", "[", "]", ",", ":", "=", "%", "|"];

/// The words of a text; lines go on inside brackets, and behind `#` is a comment.
pub(super) fn tokens(text: &str) -> Result<Vec<Placed>, Problem> {
    let mut found: Vec<Placed> = vec![];
    let (mut at, mut depth) = (0, 0usize);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = match c {
            '#' => (None, rest.find('\n').unwrap_or(rest.len())),
            '\n' if depth > 0 => (None, 1),
            ';' | '\n' => (Some(Token::End), 1),
            c if c.is_whitespace() => (None, c.len_utf8()),
            c if c.is_ascii_digit() || c == '.' => number(rest, at)?,
            c if c.is_alphabetic() || c == '_' => {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                (Some(Token::Name(rest[..end].into())), end)
            }
            _ => {
                let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) else {
                    return Err(Problem::new(at, format!("'{c}' has no meaning in a program")));
                };
                match sign {
                    "(" | "[" => depth += 1,
                    ")" | "]" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                (Some(Token::Sign(sign)), sign.len())
            }
        };
        found.extend(token.map(|token| Placed { token, at }));
        at += length;
    }
    found.push(Placed { token: Token::End, at: text.len() });
    Ok(found)
}

fn number(rest: &str, at: usize) -> Result<(Option<Token>, usize), Problem> {
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    match rest[..end].parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((Some(Token::Number(value)), end)),
        _ => Err(Problem::new(at, format!("'{}' is not a number", &rest[..end.min(40)]))),
    }
}

impl Token {
    /// As a message names it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Name(name) => format!("'{name}'"),
            Self::Number(value) => format!("'{value}'"),
            Self::Sign(sign) => format!("'{sign}'"),
            Self::End => "the end of the line".into(),
        }
    }
}
