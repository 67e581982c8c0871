//! Nests of gates, and their text.

use super::Slot;

/// A formula over numbered inputs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Nest {
    Constant(bool),
    Input {
        input: usize,
        negated: bool,
    },
    /// The product of the signs, perhaps negated.
    Product {
        negated: bool,
        factors: Vec<Nest>,
    },
    Call {
        negated: bool,
        name: String,
        arguments: Vec<Nest>,
    },
}

impl Nest {
    pub(super) fn input(input: usize, negated: bool) -> Self {
        Self::Input { input, negated }
    }

    /// `and` or `or`; nests of the same kind become one.
    pub(super) fn join(name: &str, parts: impl IntoIterator<Item = Self>) -> Self {
        let flat = parts.into_iter().flat_map(|part| match part {
            Self::Call { negated: false, name: inner, arguments } if inner == name => arguments,
            other => vec![other],
        });
        Self::call(name, sorted(flat.collect()))
    }

    pub(super) fn call(name: impl Into<String>, arguments: Vec<Self>) -> Self {
        Self::Call { negated: false, name: name.into(), arguments }
    }

    /// The product of parts, or its opposite. The opposite of two parts' product is their xor.
    pub(super) fn product(mut negated: bool, parts: impl IntoIterator<Item = Self>) -> Self {
        let mut factors = Vec::new();
        for part in parts {
            let (sign, inner) = part.without_sign();
            negated ^= sign;
            factors.extend(inner);
        }
        let factors = sorted(factors);
        match negated && factors.len().is_multiple_of(2) {
            true => Self::call("xor", factors),
            false => Self::Product { negated, factors },
        }
    }

    /// Whether it is negated, and the factors of what is left.
    fn without_sign(self) -> (bool, Vec<Self>) {
        match self {
            Self::Constant(up) => (!up, vec![]),
            Self::Input { input, negated } => (negated, vec![Self::input(input, false)]),
            Self::Product { negated, factors } => (negated, factors),
            Self::Call { name, arguments, .. } if name == "xor" => (arguments.len().is_multiple_of(2), arguments),
            Self::Call { negated, name, arguments } => (negated, vec![Self::call(name, arguments)]),
        }
    }

    /// How many inputs it names, each as often as it does.
    pub(super) fn literals(&self) -> usize {
        match self {
            Self::Constant(_) => 0,
            Self::Input { .. } => 1,
            Self::Product { factors: parts, .. } | Self::Call { arguments: parts, .. } => {
                parts.iter().map(Self::literals).sum()
            }
        }
    }

    /// The first input that it names.
    fn first(&self) -> usize {
        match self {
            Self::Constant(_) => 0,
            Self::Input { input, .. } => *input,
            Self::Product { factors: parts, .. } | Self::Call { arguments: parts, .. } => {
                parts.iter().map(Self::first).min().unwrap_or(0)
            }
        }
    }

    /// The same nest on other inputs: input q becomes `inputs[q]`.
    pub(super) fn on(&self, inputs: &[usize]) -> Self {
        let all = |parts: &[Self]| parts.iter().map(|part| part.on(inputs)).collect();
        match self {
            Self::Constant(up) => Self::Constant(*up),
            Self::Input { input, negated } => Self::input(inputs[*input], *negated),
            Self::Product { negated, factors } => Self::Product { negated: *negated, factors: all(factors) },
            Self::Call { negated, name, arguments } => {
                Self::Call { negated: *negated, name: name.clone(), arguments: all(arguments) }
            }
        }
    }

    /// As it is read by [`read_gate`](super::formula::read_gate).
    pub(super) fn text(&self, inputs: &[Slot]) -> String {
        let sign = |negated: &bool| if *negated { "-" } else { "" };
        let all = |parts: &[Self]| parts.iter().map(|part| part.text(inputs)).collect::<Vec<_>>();
        match self {
            Self::Constant(up) => if *up { "+1" } else { "-1" }.into(),
            Self::Input { input, negated } => format!("{}{}", sign(negated), inputs[*input]),
            Self::Product { negated, factors } => format!("{}{}", sign(negated), all(factors).join("*")),
            Self::Call { negated, name, arguments } => {
                format!("{}{name}({})", sign(negated), all(arguments).join(", "))
            }
        }
    }
}

/// Inputs before nests, and in their order.
fn sorted(mut parts: Vec<Nest>) -> Vec<Nest> {
    parts.sort_by_key(|part| (!matches!(part, Nest::Input { .. }), part.first()));
    parts
}
