//! The values that settings have, and how they are typed.

use super::{Limits, SettingError};
use crate::foreign_text::escaped_name;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// One value, as JSON has it.
pub trait Leaf {
    /// The value.
    fn value(&self) -> Value;
    /// Takes another one; false where it is of another kind.
    fn put(&mut self, value: Value) -> bool;
}

impl<T: Serialize + DeserializeOwned> Leaf for T {
    fn value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn put(&mut self, value: Value) -> bool {
        serde_json::from_value(value).map(|value| *self = value).is_ok()
    }
}

/// Takes a value as a person types it, if it lies within the limits.
pub(super) fn take(leaf: &mut dyn Leaf, name: &str, typed: &str, limits: &Limits) -> Result<(), SettingError> {
    let now = leaf.value();
    let value = match (&now, limits.words) {
        (Value::Array(_), _) if typed == "none" => Some(Value::Array(vec![])),
        (_, _) if typed == "none" => Some(Value::Null),
        (_, Some(words)) => Some(words(typed)?),
        (now, None) => read(typed, now, limits),
    };
    if value.is_some_and(|value| leaf.put(value)) {
        return Ok(());
    }
    let beyond = typed.parse().is_ok_and(|number: f64| number.is_finite() && !limits.hold(number));
    let must = if beyond { limits.to_string() } else { takes(&now, limits) };
    Err(SettingError::Value { name: name.into(), value: escaped_name(typed), must })
}

/// Reads a value of the kind of another; where there is none yet, a whole number.
fn read(typed: &str, like: &Value, limits: &Limits) -> Option<Value> {
    match like {
        Value::Bool(_) => typed.parse().ok().map(Value::Bool),
        Value::Number(number) if number.is_f64() => typed.parse().ok().filter(|x| limits.hold(*x)).map(Value::from),
        Value::Number(_) | Value::Null => typed.parse::<u64>().ok().filter(|n| limits.hold(*n as f64)).map(Value::from),
        Value::Array(each) => {
            let (like, between) = (each.first()?, if each.iter().any(Value::is_array) { ';' } else { ',' });
            typed
                .split(between)
                .map(|part| read(part.trim(), like, limits))
                .collect::<Option<Vec<_>>>()
                .map(Value::Array)
        }
        _ => None,
    }
}

/// What values are taken, in words.
pub(super) fn takes(like: &Value, limits: &Limits) -> String {
    let number = |kind: &str| match limits.to_string() {
        any if any == "any" => kind.to_string(),
        limits => format!("{kind}, {limits}"),
    };
    if let Some(words) = limits.words {
        return format!("one of {}", words("").err().map(|unknown| unknown.known).unwrap_or_default());
    }
    match like {
        Value::Bool(_) => "true or false".into(),
        Value::Number(one) if one.is_f64() => number("a number"),
        Value::Null => number("a whole number") + ", or none",
        Value::Array(each) => match each.first() {
            Some(pair) if pair.is_array() => {
                format!("any number, with semicolons between them, of {}", takes(pair, limits))
            }
            Some(one) => format!("{} with commas between them, each {}", each.len(), takes(one, limits)),
            None => String::new(),
        },
        _ => number("a whole number"),
    }
}
