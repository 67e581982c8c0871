//! What a formula of a program means: a tree over places, evaluated here and nowhere else.

use std::sync::Arc;

/// What a formula reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A variable: as it was in a step of the variables, as it is now in what is said.
    Variable(usize),
    /// An input of the present step.
    Input(usize),
    /// The number of the step, from 1.
    Time,
}

/// A formula whose names are resolved.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Formula {
    Number(f64),
    /// Nothing, where a variable is to be neither.
    None,
    Place(Place),
    Negated(Box<Formula>),
    Binary(Binary, Box<[Formula; 2]>),
    If(Box<[Formula; 3]>),
    Call(Function, Vec<Formula>),
    /// One of several elements, by numbers that are known in the run only.
    Element(Elements),
}

/// An array of which an element is asked for: variables and inputs are counted from 1, entries of a table from 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Elements {
    pub(super) name: String,
    pub(super) of: Of,
    pub(super) dims: Vec<usize>,
    pub(super) index: Vec<Formula>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Of {
    Places(Vec<Place>),
    Table(Arc<Vec<f64>>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    Differs,
    Less,
    AtMost,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Function {
    And,
    Or,
    Xor,
    Not,
    Majority,
    Least,
    Greatest,
    Absolute,
    /// The entries of a truth table, its first argument changing fastest.
    Table(Vec<bool>),
}

/// What is wrong with a value.
pub(super) type Fault = String;

fn sign(up: bool) -> f64 {
    if up { 1.0 } else { -1.0 }
}

fn truth(value: f64) -> Result<bool, Fault> {
    match value {
        1.0 => Ok(true),
        -1.0 => Ok(false),
        _ => Err(format!(
            "what is asked is {value}, and must be +1 (true) or -1 (false); write a comparison, such as x > 0"
        )),
    }
}

impl Formula {
    /// The value for what its places hold.
    pub(super) fn value(&self, read: &dyn Fn(Place) -> f64) -> Result<f64, Fault> {
        match self {
            Self::Number(value) => Ok(*value),
            Self::None => Ok(super::kind::NO_SYMBOL),
            Self::Place(place) => Ok(read(*place)),
            Self::Negated(of) => Ok(-of.value(read)?),
            Self::Binary(how, of) => how.of(of[0].value(read)?, of[1].value(read)?),
            // What is not chosen may be undefined.
            Self::If(of) => of[if truth(of[0].value(read)?)? { 1 } else { 2 }].value(read),
            Self::Call(function, of) => function.of(of, read),
            Self::Element(elements) => elements.value(read),
        }
    }

    /// Its parts.
    fn parts(&self) -> &[Formula] {
        match self {
            Self::Number(_) | Self::None | Self::Place(_) => &[],
            Self::Negated(of) => std::slice::from_ref(of),
            Self::Binary(_, of) => &**of,
            Self::If(of) => &**of,
            Self::Call(_, of) => of,
            Self::Element(of) => &of.index,
        }
    }

    /// How many parts it has in all.
    pub(super) fn size(&self) -> usize {
        1 + self.parts().iter().map(Self::size).sum::<usize>()
    }

    /// Adds the places that it reads.
    pub(super) fn places(&self, to: &mut Vec<Place>) {
        match self {
            Self::Place(place) => to.push(*place),
            Self::Element(Elements { of: Of::Places(places), .. }) => to.extend(places),
            _ => {}
        }
        self.parts().iter().for_each(|part| part.places(to));
    }

    /// The last step that it tells apart from later ones; nothing where it reads the time otherwise than by comparing it.
    pub(super) fn last_step(&self) -> Option<usize> {
        if let Self::Binary(Binary::Equal | Binary::Differs | Binary::Less | Binary::AtMost, of) = self
            && let [Self::Place(Place::Time), Self::Number(step)] | [Self::Number(step), Self::Place(Place::Time)] =
                &**of
        {
            return Some(step.clamp(0.0, 65_536.0) as usize + 1);
        }
        if *self == Self::Place(Place::Time) {
            return None;
        }
        self.parts().iter().try_fold(1, |last, part| Some(part.last_step()?.max(last)))
    }
}

impl Binary {
    fn of(self, a: f64, b: f64) -> Result<f64, Fault> {
        match self {
            Self::Add => Ok(a + b),
            Self::Subtract => Ok(a - b),
            Self::Multiply => Ok(a * b),
            Self::Divide | Self::Modulo if b == 0.0 => Err("a division by 0".into()),
            Self::Divide => Ok(a / b),
            Self::Modulo => Ok(a.rem_euclid(b)),
            Self::Equal => Ok(sign(a == b)),
            Self::Differs => Ok(sign(a != b)),
            Self::Less => Ok(sign(a < b)),
            Self::AtMost => Ok(sign(a <= b)),
        }
    }
}

impl Function {
    fn of(&self, arguments: &[Formula], read: &dyn Fn(Place) -> f64) -> Result<f64, Fault> {
        let mut values = arguments.iter().map(|argument| argument.value(read));
        match self {
            Self::Least | Self::Greatest => values
                .try_fold(None, |so_far: Option<f64>, value| {
                    let (value, least) = (value?, *self == Self::Least);
                    Ok(Some(so_far.map_or(value, |other| if least { other.min(value) } else { other.max(value) })))
                })
                .map(|found| found.unwrap_or(0.0)),
            Self::Absolute => values.next().unwrap_or(Ok(0.0)).map(f64::abs),
            // What follows a false part of `and` may be undefined, as in `k > 0 and v[k] == 1`.
            Self::And => {
                Ok(sign(values.try_fold(true, |so_far, value| if so_far { truth(value?) } else { Ok(false) })?))
            }
            Self::Or => {
                Ok(sign(values.try_fold(false, |so_far, value| if so_far { Ok(true) } else { truth(value?) })?))
            }
            Self::Xor | Self::Not | Self::Majority | Self::Table(_) => {
                let truths = values.map(|value| truth(value?)).collect::<Result<Vec<bool>, Fault>>()?;
                let up = truths.iter().filter(|up| **up).count();
                Ok(sign(match self {
                    Self::Xor => up % 2 == 1,
                    Self::Not => up == 0,
                    Self::Table(entries) => entries[truths.iter().rev().fold(0, |m, up| m << 1 | usize::from(*up))],
                    _ => 2 * up > truths.len(),
                }))
            }
        }
    }
}

impl Elements {
    fn value(&self, read: &dyn Fn(Place) -> f64) -> Result<f64, Fault> {
        let first = usize::from(matches!(self.of, Of::Places(_)));
        let mut at = 0;
        for (index, count) in self.index.iter().zip(&self.dims) {
            let value = index.value(read)?;
            let place = value - first as f64;
            if place.fract() != 0.0 || place < 0.0 || place >= *count as f64 {
                let (last, shown) = (
                    count + first - 1,
                    if value == super::kind::NO_SYMBOL { "none".into() } else { value.to_string() },
                );
                return Err(format!("an index of {} is {shown}, and must be from {first} to {last}", self.name));
            }
            at = at * count + place as usize;
        }
        match &self.of {
            Of::Places(places) => Ok(read(places[at])),
            Of::Table(values) => Ok(values[at]),
        }
    }
}
