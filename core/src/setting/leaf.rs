//! The values that settings have, and how they are typed.

use super::{Limits, SettingError};
use crate::choose::UnknownWord;
use crate::foreign_text::escaped_name;
use serde::Serialize;
use serde_json::Value;

/// Why a value is not taken.
#[derive(Debug)]
pub enum Wrong {
    /// It must be something else.
    Must(String),
    /// A word that is not on its list.
    Word(UnknownWord),
}

impl Wrong {
    /// Said of a setting.
    pub(super) fn of(self, name: &str, value: &str) -> SettingError {
        match self {
            Self::Must(must) => SettingError::Value { name: name.into(), value: escaped_name(value).to_string(), must },
            Self::Word(word) => word.into(),
        }
    }
}

impl From<UnknownWord> for Wrong {
    fn from(word: UnknownWord) -> Self {
        Self::Word(word)
    }
}

/// One value.
pub trait Leaf {
    /// Takes a value as typed, if it lies within the limits.
    fn take(&mut self, typed: &str, limits: &Limits) -> Result<(), Wrong>;
    /// The value, as JSON has it.
    fn value(&self) -> Value;
    /// What values it takes, in words.
    fn takes(&self, limits: &Limits) -> String;
}

/// The value as JSON; every setting has one.
fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// A number: what it is parsed as, and what it is called.
macro_rules! number {
    ($($type:ty, $called:literal;)*) => {$(
        impl Leaf for $type {
            fn take(&mut self, typed: &str, limits: &Limits) -> Result<(), Wrong> {
                let number = typed.parse::<Self>().map_err(|_| Wrong::Must($called.into()))?;
                let finite = (number as f64).is_finite();
                if !finite || !limits.hold(number as f64) {
                    return Err(Wrong::Must(if finite { limits.to_string() } else { $called.into() }));
                }
                *self = number;
                Ok(())
            }

            fn value(&self) -> Value {
                json(self)
            }

            fn takes(&self, limits: &Limits) -> String {
                match limits.to_string() {
                    any if any == "a number" => $called.into(),
                    limits => format!("{}, {limits}", $called),
                }
            }
        }
    )*};
}

number! {
    f64, "a number";
    usize, "a whole number";
    u64, "a whole number";
    u32, "a whole number";
}

/// A choice of words; the list is the one that a wrong word is answered with.
macro_rules! word {
    ($($type:ty),*) => {$(
        impl Leaf for $type {
            fn take(&mut self, typed: &str, _: &Limits) -> Result<(), Wrong> {
                *self = typed.parse()?;
                Ok(())
            }

            fn value(&self) -> Value {
                json(self)
            }

            fn takes(&self, _: &Limits) -> String {
                let words = "".parse::<Self>().err().map(|unknown| unknown.known);
                format!("one of {}", words.unwrap_or_default())
            }
        }
    )*};
}

word!(crate::memories::Method, crate::numeric::Matching, crate::interpret::StateView, crate::edit::Mode);

impl Leaf for bool {
    fn take(&mut self, typed: &str, _: &Limits) -> Result<(), Wrong> {
        *self = typed.parse().map_err(|_| Wrong::Must("true or false".into()))?;
        Ok(())
    }

    fn value(&self) -> Value {
        json(self)
    }

    fn takes(&self, _: &Limits) -> String {
        "true or false".into()
    }
}

impl Leaf for Vec<crate::memories::Method> {
    fn take(&mut self, typed: &str, _: &Limits) -> Result<(), Wrong> {
        *self = if typed == "none" { vec![] } else { crate::memories::Method::list(typed)? };
        Ok(())
    }

    fn value(&self) -> Value {
        json(self)
    }

    fn takes(&self, limits: &Limits) -> String {
        format!(
            "{}, separated by commas, or all, or none",
            crate::memories::Method::default().takes(limits).replacen("one", "some", 1)
        )
    }
}

impl<T: Leaf + Clone + Default + Serialize> Leaf for Option<T> {
    fn take(&mut self, typed: &str, limits: &Limits) -> Result<(), Wrong> {
        let mut value = T::default();
        *self = if typed == "none" { None } else { value.take(typed, limits).map(|()| Some(value))? };
        Ok(())
    }

    fn value(&self) -> Value {
        json(self)
    }

    fn takes(&self, limits: &Limits) -> String {
        format!("{}, or none", T::default().takes(limits))
    }
}

/// Two of a kind, separated by a comma.
impl<T: Leaf + Clone + Serialize> Leaf for (T, T) {
    fn take(&mut self, typed: &str, limits: &Limits) -> Result<(), Wrong> {
        let (first, second) = typed.split_once(',').ok_or_else(|| Wrong::Must(self.takes(limits)))?;
        let (mut pair, typed) = (self.clone(), (first.trim(), second.trim()));
        pair.0.take(typed.0, limits).and_then(|()| pair.1.take(typed.1, limits))?;
        *self = pair;
        Ok(())
    }

    fn value(&self) -> Value {
        json(self)
    }

    fn takes(&self, limits: &Limits) -> String {
        format!("two with a comma between them, each {}", self.0.takes(limits))
    }
}

/// Pairs, separated by semicolons.
impl Leaf for Vec<(f64, f64)> {
    fn take(&mut self, typed: &str, limits: &Limits) -> Result<(), Wrong> {
        let each = typed.split(';').map(|pair| {
            let mut taken = (0.0, 0.0);
            taken.take(pair.trim(), limits).map(|()| taken)
        });
        *self = each.collect::<Result<_, _>>()?;
        Ok(())
    }

    fn value(&self) -> Value {
        json(self)
    }

    fn takes(&self, limits: &Limits) -> String {
        format!("pairs with semicolons between them: {}", (0.0, 0.0).takes(limits))
    }
}
