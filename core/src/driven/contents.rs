//! What the variables of a program hold, as numbers that a state may be linear in.

use crate::score::agree;
use crate::task::{Kind, Program};

/// Whole numbers with no more values than this are taken as symbols: nothing says that a network counts on a line.
const MOST_SYMBOLS: usize = 16;

/// What a content is.
#[derive(Clone, Debug, PartialEq)]
enum Meaning {
    /// +1 or -1.
    Sign,
    /// One of several values: corners of a simplex, which are as far from one another as any two can be.
    Symbol(Vec<f64>),
    /// Any number.
    Number,
}

/// One variable of a program, and the features that stand for it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Content {
    pub(super) variable: usize,
    pub(super) name: String,
    kind: Kind,
    meaning: Meaning,
    /// Which rows of the features are its own.
    pub(super) at: std::ops::Range<usize>,
}

/// Every content of a program, and products of two of them. All are zero while they are not set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Contents {
    pub(super) all: Vec<Content>,
    /// Features of different variables whose products are features too.
    pairs: Vec<(usize, usize)>,
}

impl Contents {
    pub(super) fn of(program: &Program) -> Self {
        let mut first = 0;
        let content = |(variable, (name, kind)): (usize, (&str, &Kind))| {
            let meaning = Meaning::of(kind);
            let at = first..first + meaning.features();
            first = at.end;
            Content { variable, name: name.into(), kind: kind.clone(), meaning, at }
        };
        Self { all: program.variables().enumerate().map(content).collect(), pairs: vec![] }
    }

    /// The same with products of every two, unless these are more than `most`.
    pub(super) fn with_products(&self, most: usize) -> Option<Self> {
        let between = |a: &Content, b: &Content| -> Vec<(usize, usize)> {
            a.at.clone().flat_map(|i| b.at.clone().map(move |j| (i, j))).collect()
        };
        let later = |k: usize, a: &Content| -> Vec<(usize, usize)> {
            self.all[k + 1..].iter().flat_map(|b| between(a, b)).collect()
        };
        let pairs: Vec<(usize, usize)> = self.all.iter().enumerate().flat_map(|(k, a)| later(k, a)).collect();
        (1..=most).contains(&pairs.len()).then(|| Self { all: self.all.clone(), pairs })
    }

    /// How many features contents have by themselves.
    pub(super) fn alone(&self) -> usize {
        self.all.last().map_or(0, |last| last.at.end)
    }

    /// How many features there are, products among them.
    pub(super) fn features(&self) -> usize {
        self.alone() + self.pairs.len()
    }

    /// Writes the features of variables.
    pub(super) fn write(&self, variables: &[f64], to: &mut [f64]) {
        let (alone, products) = to.split_at_mut(self.alone());
        for content in &self.all {
            content.write(variables[content.variable], &mut alone[content.at.clone()]);
        }
        products.iter_mut().zip(&self.pairs).for_each(|(to, (i, j))| *to = alone[*i] * alone[*j]);
    }
}

impl Content {
    /// Whether it is set at all.
    pub(super) fn is_set(&self, variables: &[f64]) -> bool {
        !self.kind.is_none(variables[self.variable])
    }

    fn write(&self, value: f64, to: &mut [f64]) {
        match &self.meaning {
            Meaning::Symbol(values) => match values.iter().position(|of| *of == value) {
                Some(place) => corner(values.len(), place, to),
                None => to.fill(0.0),
            },
            Meaning::Sign | Meaning::Number => to[0] = value,
        }
    }

    /// Whether it is read more or less, instead of rightly or wrongly.
    pub(super) fn is_number(&self) -> bool {
        self.meaning == Meaning::Number
    }

    /// Whether what is read of it is what it holds: the sign, the nearest symbol. A number never is.
    pub(super) fn is_read(&self, read: &[f64], held: &[f64]) -> bool {
        let (read, held) = (&read[self.at.clone()], &held[self.at.clone()]);
        match &self.meaning {
            Meaning::Sign => agree(read[0], held[0]),
            Meaning::Symbol(values) => nearest(values.len(), read) == nearest(values.len(), held),
            Meaning::Number => false,
        }
    }
}

impl Meaning {
    fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Sign { .. } => Self::Sign,
            Kind::Symbol { values, .. } => Self::Symbol(values.clone()),
            Kind::Whole { low, high } if ((high - low) as usize) < MOST_SYMBOLS => {
                Self::Symbol((*low..=*high).map(|value| value as f64).collect())
            }
            Kind::Whole { .. } | Kind::Number => Self::Number,
        }
    }

    fn features(&self) -> usize {
        match self {
            Self::Symbol(values) => values.len().saturating_sub(1),
            Self::Sign | Self::Number => 1,
        }
    }
}

/// The corner of a simplex: Helmert's contrasts, scaled so that every feature has variance 1 when all corners are as frequent.
fn corner(corners: usize, place: usize, to: &mut [f64]) {
    for (k, x) in to.iter_mut().enumerate() {
        let below = k as f64 + 1.0;
        let unit = (corners as f64 / (below * (below + 1.0))).sqrt();
        *x = match place.cmp(&(k + 1)) {
            std::cmp::Ordering::Less => unit,
            std::cmp::Ordering::Equal => -below * unit,
            std::cmp::Ordering::Greater => 0.0,
        };
    }
}

/// The corner that lies nearest in direction.
fn nearest(corners: usize, features: &[f64]) -> usize {
    let (mut at, mut best) = (vec![0.0; features.len()], (0, f64::NEG_INFINITY));
    for place in 0..corners {
        corner(corners, place, &mut at);
        let along = at.iter().zip(features).map(|(a, b)| a * b).sum::<f64>();
        if along > best.1 {
            best = (place, along);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_as_far_from_one_another_as_any_two_and_have_variance_one() {
        for count in 2..8 {
            let at = |place| {
                let mut to = vec![0.0; count - 1];
                corner(count, place, &mut to);
                to
            };
            for a in 0..count {
                assert_eq!(nearest(count, &at(a)), a);
                for b in 0..a {
                    let apart: f64 = at(a).iter().zip(at(b)).map(|(x, y)| (x - y).powi(2)).sum();
                    assert!((apart - 2.0 * count as f64).abs() < 1e-9, "{count} {a} {b}: {apart}");
                }
            }
            for k in 0..count - 1 {
                let (sum, squares) = (0..count).map(|a| at(a)[k]).fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
                assert!(f64::abs(sum) < 1e-9 && (squares / count as f64 - 1.0).abs() < 1e-9);
            }
        }
    }
}
