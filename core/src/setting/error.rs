//! Why a setting is not taken.

use crate::choose::UnknownWord;
use crate::foreign_text::escaped_name;

/// Why a setting is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// No stage has a setting of this name.
    #[error("there is no setting '{}'; did you mean '{nearest}'?", escaped_name(name))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        nearest: String,
    },
    /// A value of another kind, or one beyond the limits.
    #[error("{name} is {value}, but must be {must}")]
    Value {
        /// The setting.
        name: String,
        /// The value given.
        value: String,
        /// What it takes.
        must: String,
    },
    /// A word that is not on its list.
    #[error(transparent)]
    Word(#[from] UnknownWord),
    /// A name alone.
    #[error("'{}' is no setting with a value; write NAME=VALUE, such as code.read=0.95", escaped_name(.0))]
    NoValue(String),
}

impl SettingError {
    /// The same of a value that a shell has another name for.
    pub fn called(self, called: &str) -> Self {
        match self {
            Self::Value { value, must, .. } => Self::Value { name: called.into(), value, must },
            other => other,
        }
    }
}
