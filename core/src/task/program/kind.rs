//! What values there are, and how a network sees and says them.

use crate::score::same_sign;

/// What a variable, an input or an output can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// +1 or -1; 0 stands for neither, where that can be.
    Sign {
        /// Whether it can be neither.
        or_none: bool,
    },
    /// One of several values, which a network sees or says as one unit each.
    Symbol {
        /// The values, in order.
        values: Vec<f64>,
        /// Their names, where they have some.
        names: Vec<String>,
        /// Whether it can be none of them.
        or_none: bool,
    },
    /// A whole number.
    Whole {
        /// The least.
        low: i64,
        /// The greatest.
        high: i64,
    },
    /// Any number.
    Number,
}

/// Stands for no symbol: no value of any program is that.
pub(super) const NO_SYMBOL: f64 = f64::NEG_INFINITY;

impl Kind {
    /// Every value, in rising order; nothing where there is no end of them.
    pub(super) fn values(&self) -> Option<Vec<f64>> {
        match self {
            Self::Sign { or_none: false } => Some(vec![-1.0, 1.0]),
            Self::Sign { or_none: true } => Some(vec![-1.0, 0.0, 1.0]),
            Self::Symbol { values, or_none, .. } => {
                let mut all: Vec<f64> =
                    or_none.then_some(NO_SYMBOL).into_iter().chain(values.iter().copied()).collect();
                all.sort_by(f64::total_cmp);
                Some(all)
            }
            Self::Whole { low, high } => Some((*low..=*high).map(|value| value as f64).collect()),
            Self::Number => None,
        }
    }

    /// The value that a person writes by its name.
    pub fn value_named(&self, word: &str) -> Option<f64> {
        let Self::Symbol { values, names, .. } = self else { return None };
        names.iter().position(|name| name == word).map(|place| values[place])
    }

    /// What stands for silence, or for what is not set.
    pub fn none(&self) -> f64 {
        if let Self::Symbol { .. } = self { NO_SYMBOL } else { 0.0 }
    }

    /// The same, which may be silent.
    pub(super) fn or_none(mut self) -> Self {
        match &mut self {
            Self::Sign { or_none } | Self::Symbol { or_none, .. } => *or_none = true,
            Self::Whole { low, high } => (*low, *high) = ((*low).min(0), (*high).max(0)),
            Self::Number => {}
        }
        self
    }

    /// Whether it is set at all.
    pub fn is_none(&self, value: f64) -> bool {
        match self {
            Self::Sign { or_none } => *or_none && value == 0.0,
            Self::Symbol { .. } => value == NO_SYMBOL,
            Self::Whole { .. } | Self::Number => false,
        }
    }

    /// Units of a network that it takes.
    pub fn columns(&self) -> usize {
        if let Self::Symbol { values, .. } = self { values.len() } else { 1 }
    }

    /// As an input: symbols as 1 at their place and 0 elsewhere.
    pub(super) fn write_input(&self, value: f64, to: &mut [f64]) {
        match self {
            Self::Symbol { values, .. } => {
                to.iter_mut().zip(values).for_each(|(to, of)| *to = f64::from(u8::from(*of == value)));
            }
            _ => to[0] = value,
        }
    }

    /// As an output: symbols as +1 at their place and -1 elsewhere.
    pub(super) fn write_output(&self, value: f64, to: &mut [f64]) {
        match self {
            Self::Symbol { values, .. } => {
                to.iter_mut().zip(values).for_each(|(to, of)| *to = if *of == value { 1.0 } else { -1.0 });
            }
            _ => to[0] = value,
        }
    }

    /// Whether an output is right: the sign, with 0 as -1; the greatest unit of a symbol; a number at most `within` off.
    pub fn is_right(&self, said: &[f64], wanted: &[f64], within: f64) -> bool {
        let greatest = |of: &[f64]| (1..of.len()).fold(0, |best, k| if of[k] > of[best] { k } else { best });
        match self {
            Self::Sign { .. } => same_sign(said[0], wanted[0]),
            Self::Symbol { .. } => greatest(said) == greatest(wanted),
            Self::Whole { .. } | Self::Number => (said[0] - wanted[0]).abs() <= within,
        }
    }

    /// A value as a person writes it.
    pub fn shown(&self, value: f64) -> String {
        match self {
            Self::Sign { .. } if value != 0.0 => if value > 0.0 { "+" } else { "-" }.into(),
            Self::Sign { or_none: true } => "·".into(),
            Self::Symbol { .. } if value == NO_SYMBOL => "·".into(),
            Self::Symbol { values, names, .. } if !names.is_empty() => {
                let place = values.iter().position(|of| *of == value);
                place.and_then(|place| names.get(place)).cloned().unwrap_or_else(|| value.to_string())
            }
            Self::Number => format!("{value:.3}"),
            _ => value.to_string(),
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sign { .. } => f.write_str("sign")?,
            Self::Symbol { names, .. } if !names.is_empty() => write!(f, "one of {}", names.join(", "))?,
            Self::Symbol { values, .. } if values.iter().enumerate().all(|(k, value)| *value == k as f64) => {
                write!(f, "one of {}", values.len())?;
            }
            Self::Symbol { values, .. } => {
                let values: Vec<String> = values.iter().map(f64::to_string).collect();
                write!(f, "one of {}", values.join(", "))?;
            }
            Self::Whole { low, high } => write!(f, "{low} to {high}")?,
            Self::Number => f.write_str("number")?,
        }
        let or_none = matches!(self, Self::Sign { or_none: true } | Self::Symbol { or_none: true, .. });
        f.write_str(if or_none { " or none" } else { "" })
    }
}

/// A finite set of values with a quick way from a value to its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Domain {
    pub(super) values: Vec<f64>,
    /// The first value and the distance of neighbours, where all are as far apart.
    even: Option<(f64, f64)>,
}

impl Domain {
    /// The set of values in rising order.
    pub(super) fn of(values: Vec<f64>) -> Self {
        let step = values.get(1).map_or(1.0, |second| second - values[0]);
        // What is no symbol lies at no distance from one that is.
        let even = step.is_finite() && values.windows(2).all(|pair| pair[1] - pair[0] == step);
        let even = even.then(|| (values[0], step));
        Self { values, even }
    }

    /// The place of a value that is in the set.
    pub(super) fn place(&self, value: f64) -> usize {
        match self.even {
            // Time goes on, and counts as its last value from there on.
            Some((low, step)) => (((value - low) / step) as usize).min(self.values.len() - 1),
            None => self.values.partition_point(|of| *of < value).min(self.values.len() - 1),
        }
    }
}
