//! Settings as messages name them: the library says `hidden=64`, a command line `--hidden 64`, Python `blind=True`.
//!
//! An error that advises to change a setting holds it as a [`Setting`]; a shell that shows the error says so in its own words.
//!
//! What can be set about a stage is declared beside it with `settings!`: [`Adjustable`] sets it by its name.

mod error;
mod leaf;
pub mod limits;
mod table;

pub use error::SettingError;
pub use leaf::Leaf;
pub use limits::Limits;
pub use table::{Adjustable, Listed, Look, Said, Settings, typed};
pub(crate) use table::{leaves, settings, within};

use std::cell::Cell;
use std::fmt;

/// A setting that a message names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// What it is called, in words joined by `-`.
    pub name: &'static str,
    /// What it should be.
    pub advice: Advice,
}

/// What a setting should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The message leaves it open.
    Unsaid,
    /// Switched on.
    On,
    /// A number, or a letter that stands for one.
    Value(String),
    /// A word.
    Word(&'static str),
}

/// Writes a setting as a shell spells it.
pub type Dialect = fn(&Setting, &mut fmt::Formatter<'_>) -> fmt::Result;

thread_local! {
    static DIALECT: Cell<Dialect> = const { Cell::new(plain) };
}

impl Setting {
    /// A setting that is named without a value.
    pub const fn named(name: &'static str) -> Self {
        Self { name, advice: Advice::Unsaid }
    }

    /// A setting to switch on.
    pub const fn on(name: &'static str) -> Self {
        Self { name, advice: Advice::On }
    }

    /// A setting with one of its words.
    pub const fn word(name: &'static str, word: &'static str) -> Self {
        Self { name, advice: Advice::Word(word) }
    }

    /// A setting with a value.
    pub fn of(name: &'static str, value: impl fmt::Display) -> Self {
        Self { name, advice: Advice::Value(value.to_string()) }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        DIALECT.get()(self, f)
    }
}

/// The library's own words.
fn plain(setting: &Setting, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match &setting.advice {
        Advice::Unsaid => f.write_str(setting.name),
        Advice::On => write!(f, "{}=true", setting.name),
        Advice::Value(value) => write!(f, "{}={value}", setting.name),
        Advice::Word(word) => write!(f, "{}={word}", setting.name),
    }
}

/// The text of a message, with its settings as a shell spells them.
pub fn in_dialect(dialect: Dialect, message: impl fmt::Display) -> String {
    struct Restore(Dialect);
    impl Drop for Restore {
        fn drop(&mut self) {
            DIALECT.set(self.0);
        }
    }
    let _before = Restore(DIALECT.replace(dialect));
    message.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_names_settings_in_its_own_way_and_only_while_it_speaks() {
        let shell: Dialect = |setting, f| write!(f, "<{}>", setting.name);
        let message = format_args!("{}", Setting::of("s", 4)).to_string();
        assert_eq!(message, "s=4");
        struct Advice;
        impl fmt::Display for Advice {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(
                    f,
                    "pass {}, {} or {}",
                    Setting::on("blind"),
                    Setting::named("out"),
                    Setting::word("device", "cpu")
                )
            }
        }
        assert_eq!(in_dialect(shell, Advice), "pass <blind>, <out> or <device>");
        assert_eq!(Advice.to_string(), "pass blind=true, out or device=cpu");
    }
}
