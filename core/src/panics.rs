//! Panics that stay where they happen: a bug that one network runs into must not cost the others.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of a piece of work that panicked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it panicked, which is a mistake in ketbra: {0}; please report it with the command that led here")]
pub struct Panicked(String);

/// Runs `work` and catches a panic. What it was working on must not be used after one.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| Panicked::of(payload.as_ref()))
}

impl Panicked {
    /// The message in the payload of a panic.
    pub(crate) fn of(payload: &(dyn Any + Send)) -> Self {
        let message = payload.downcast_ref::<&str>().map(|message| (*message).to_string());
        let message = message.or_else(|| payload.downcast_ref::<String>().cloned());
        // It becomes a cell of a table.
        Self(message.map_or_else(|| "without a word".into(), |message| message.replace('\n', " ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_words() {
        assert_eq!(catch_panic(|| 3), Ok(3));
        for (message, expected) in
            [(catch_panic(|| panic!("plain")), "plain"), (catch_panic(|| panic!("row {}", 7)), "row 7")]
        {
            let message: Result<(), Panicked> = message;
            assert!(message.unwrap_err().to_string().contains(expected));
        }
    }
}
