//! How inputs are drawn.

use super::formula::Place;
use super::kind::{Kind, NO_SYMBOL};
use super::rule::Rule;
use super::syntax::MOST_VALUES;
use crate::random::Stream;
use std::ops::Range;

/// An input and how it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Input {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) law: Law,
    /// Drawn at the first step, and the same at all others.
    pub(super) held: bool,
    /// Silent where this is not true.
    pub(super) when: Option<Rule>,
    /// With this probability only values with which this is true.
    pub(super) only: Option<(f64, Rule)>,
    pub(super) columns: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Law {
    Sign,
    /// A sign with this probability, and 0 otherwise.
    Pulse(Rule),
    Symbol {
        values: Vec<f64>,
        /// The probability of none of them.
        none: Option<Rule>,
        /// The first steps show each value once.
        each_first: bool,
    },
    Whole(i64, i64),
    Uniform(f64, f64),
    Normal(f64),
    /// 1 at one of these steps, 0 at all others.
    Once(usize, usize),
}

/// What is drawn once for an episode.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Beginning {
    order: Vec<usize>,
    step: usize,
}

/// Random bits of an input at one step; step 0 is for what is drawn once.
#[derive(Clone, Copy)]
pub(super) struct Draw<'a> {
    pub(super) stream: &'a Stream,
    pub(super) index: u32,
    pub(super) sample: u32,
    /// Step times the number of inputs, and the input.
    pub(super) place: u32,
}

impl Draw<'_> {
    fn block(&self) -> [u32; 4] {
        self.stream.block(self.index, self.sample, self.place)
    }
}

fn below(word: u32, count: usize) -> usize {
    ((u64::from(word) * count as u64) >> 32) as usize
}

fn share(word: u32) -> f64 {
    f64::from(word) / 4_294_967_296.0
}

impl Input {
    /// What is drawn before the first step.
    pub(super) fn begin(&self, draw: Draw<'_>) -> Beginning {
        match &self.law {
            Law::Symbol { values, each_first: true, .. } => {
                let mut order: Vec<usize> = (0..values.len()).collect();
                // One block a swap, at addresses that no step reaches.
                for last in (1..order.len()).rev() {
                    let word = draw.stream.block(
                        draw.index,
                        draw.sample,
                        u32::MAX - draw.place * MOST_VALUES as u32 - last as u32,
                    )[0];
                    order.swap(last, below(word, last + 1));
                }
                Beginning { order, step: 0 }
            }
            Law::Once(from, to) => Beginning { order: vec![], step: from + below(draw.block()[0], to - from + 1) },
            _ => Beginning::default(),
        }
    }

    /// The value at step `t`, from 1; `place` is where this input stands among all.
    pub(super) fn draw(
        &self,
        place: usize,
        (t, before): (usize, f64),
        beginning: &Beginning,
        draw: Draw<'_>,
        read: &impl Fn(Place) -> f64,
    ) -> f64 {
        if self.held && t > 1 {
            return before;
        }
        let holds = |rule: &Rule| rule.value(&Kind::Sign { or_none: false }, read) == 1.0;
        if self.when.as_ref().is_some_and(|when| !holds(when)) {
            return self.kind.none();
        }
        let words = draw.block();
        let probability = |rule: &Rule| rule.value(&Kind::Number, read);
        if let Some((often, rule)) = &self.only
            && share(words[3]) < *often
        {
            let allowed: Vec<f64> = self
                .candidates()
                .filter(|&value| {
                    let with = |at: Place| if at == Place::Input(place) { value } else { read(at) };
                    rule.value(&Kind::Sign { or_none: false }, &with) == 1.0
                })
                .collect();
            // What is only usually so gives way where nothing is.
            if !allowed.is_empty() || *often == 1.0 {
                return allowed.get(below(words[1], allowed.len())).copied().unwrap_or(f64::NAN);
            }
        }
        match &self.law {
            Law::Sign => {
                if words[1] >> 31 == 1 {
                    1.0
                } else {
                    -1.0
                }
            }
            Law::Pulse(often) if share(words[0]) >= probability(often) => 0.0,
            Law::Pulse(_) => {
                if words[1] >> 31 == 1 {
                    1.0
                } else {
                    -1.0
                }
            }
            Law::Symbol { values, each_first: true, .. } if t <= values.len() => values[beginning.order[t - 1]],
            Law::Symbol { none: Some(none), .. } if share(words[0]) < probability(none) => NO_SYMBOL,
            Law::Symbol { values, .. } => values[below(words[1], values.len())],
            Law::Whole(low, high) => (low + below(words[1], (high - low + 1) as usize) as i64) as f64,
            Law::Uniform(low, high) => low + (high - low) * share(words[1]),
            Law::Normal(deviation) => {
                let radius = (-2.0 * (1.0 - share(words[0])).ln()).sqrt();
                deviation * radius * (std::f64::consts::TAU * share(words[1])).cos()
            }
            Law::Once(..) => f64::from(u8::from(t == beginning.step)),
        }
    }

    /// The values that a restriction chooses from.
    pub(super) fn candidates(&self) -> impl Iterator<Item = f64> {
        let values = match &self.law {
            Law::Symbol { values, .. } => values.clone(),
            Law::Sign => vec![-1.0, 1.0],
            Law::Whole(low, high) => (*low..=*high).map(|value| value as f64).collect(),
            _ => vec![],
        };
        values.into_iter()
    }
}
