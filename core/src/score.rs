//! What is right: one answer as a sign, shares of right signs, and by how much real values are missed.
//!
//! An output has two signs: above 0 it says +1, anything else says -1, so that one that says nothing (0, or no number) is right
//! about every -1. Training counts in this way too ([`same_sign`]). What is read from a state can also hold neither sign: a reading
//! of 0 has none, and is right about nothing ([`agree`]). The two differ on silent networks alone.

use crate::numeric::Matrix;

/// Whether two outputs say the same: one that is not above 0 says -1.
pub(crate) fn same_sign(a: f64, b: f64) -> bool {
    (a > 0.0) == (b > 0.0)
}

/// Whether two outputs say the opposite.
pub(crate) fn differ(a: f64, b: f64) -> bool {
    !same_sign(a, b)
}

/// Whether an output has the sign that is wanted; where 0 is wanted no sign is asked for, and none is right.
pub(crate) fn is_right(said: f64, wanted: f64) -> bool {
    wanted != 0.0 && same_sign(said, wanted)
}

/// Whether what is read has the sign of what is held; 0 and what is no number have no sign.
pub(crate) fn agree(read: f64, held: f64) -> bool {
    read * held > 0.0
}

/// Right answers of several outputs.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    right: Vec<usize>,
    /// Answers that each of them gave.
    answers: usize,
}

impl Tally {
    /// No answers yet.
    pub(crate) fn new(outputs: usize) -> Self {
        Self { right: vec![0; outputs], answers: 0 }
    }

    /// Adds an answer of each output.
    pub(crate) fn add<W: Copy + Into<f64>>(&mut self, said: &[f64], wanted: &[W], right: impl Fn(f64, f64) -> bool) {
        let pairs = said.iter().zip(wanted);
        self.right.iter_mut().zip(pairs).for_each(|(count, (y, u))| *count += usize::from(right(*y, (*u).into())));
        self.answers += 1;
    }

    /// Adds the answers (outputs x episodes) of a step; what is wanted is laid out (episode, output).
    pub(crate) fn add_step(&mut self, said: &Matrix, wanted: &[f32], right: impl Fn(f64, f64) -> bool) {
        let columns = wanted.chunks(said.nrows().max(1)).take(said.ncols()).enumerate();
        columns.for_each(|(k, wanted)| self.add(said.col_as_slice(k), wanted, &right));
    }

    /// The same beside a matrix of what is wanted.
    pub(crate) fn add_columns(&mut self, said: &Matrix, wanted: &Matrix, right: impl Fn(f64, f64) -> bool) {
        (0..said.ncols()).for_each(|k| self.add(said.col_as_slice(k), wanted.col_as_slice(k), &right));
    }

    /// The share of right answers of each output.
    pub(crate) fn shares(&self) -> Vec<f64> {
        self.right.iter().map(|&right| right as f64 / self.answers.max(1) as f64).collect()
    }

    /// The share of right answers of all outputs.
    pub(crate) fn share(&self) -> f64 {
        let all = self.answers as f64 * self.right.len() as f64;
        self.right.iter().sum::<usize>() as f64 / all.max(1.0)
    }
}

/// By how much the values of several outputs are missed.
#[derive(Clone, Debug)]
pub(crate) struct Missed {
    missed: Vec<f64>,
    size: Vec<f64>,
}

impl Missed {
    /// No values yet.
    pub(crate) fn new(outputs: usize) -> Self {
        Self { missed: vec![0.0; outputs], size: vec![0.0; outputs] }
    }

    /// Adds values (outputs x columns) beside those that are wanted; `size` is the square that an error is measured against.
    pub(crate) fn add(&mut self, said: &Matrix, wanted: &Matrix, size: impl Fn(f64, f64) -> f64) {
        for k in 0..said.ncols() {
            for (j, (&y, &u)) in said.col_as_slice(k).iter().zip(wanted.col_as_slice(k)).enumerate() {
                self.missed[j] += (y - u).powi(2);
                self.size[j] += size(y, u);
            }
        }
    }

    /// The largest sum of squares of an output.
    pub(crate) fn largest(&self) -> f64 {
        self.size.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE)
    }

    /// The error of each output as a share of its size, or of `least` where its squares add up to less.
    pub(crate) fn errors(&self, least: f64) -> Vec<f64> {
        self.missed.iter().zip(&self.size).map(|(missed, size)| (missed / size.max(least)).sqrt()).collect()
    }
}

/// The figure than which none is better: a share of right signs, or an error.
pub(crate) fn best(signs: bool) -> f64 {
    if signs { 1.0 } else { 0.0 }
}

/// Whether a figure is worse than another: a smaller share of right signs, a larger error or none that is a number.
pub(crate) fn is_worse(signs: bool, a: f64, b: f64) -> bool {
    if signs { a < b } else { a > b || a.is_nan() }
}

/// The worst figure with its output, counted from 1.
pub(crate) fn worst(signs: bool, figures: &[f64]) -> (f64, usize) {
    let all = figures.iter().enumerate().map(|(j, &figure)| (figure, j + 1));
    all.fold((best(signs), 1), |worst, next| if is_worse(signs, next.0, worst.0) { next } else { worst })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_that_says_nothing_says_minus_one_and_a_reading_of_nothing_is_wrong() {
        for nothing in [0.0, -0.0, f64::NAN] {
            assert!(same_sign(nothing, -1.0) && differ(nothing, 1.0) && is_right(nothing, -1.0));
            assert!(!agree(nothing, -1.0) && !agree(nothing, 1.0));
        }
        assert!(same_sign(-0.1, 0.0) && !is_right(-0.1, 0.0) && !is_right(0.1, 0.0), "no sign is asked for");
        for (a, b) in [(0.3, 1.0), (-2.0, 1.0), (-0.1, -1.0), (0.4, -1.0)] {
            assert!(same_sign(a, b) == agree(a, b) && same_sign(a, b) == is_right(a, b), "{a} {b}");
        }
    }

    #[test]
    fn answers_are_counted_for_each_output_and_in_all() {
        let said = Matrix::from_fn(2, 3, |j, k| if j == 0 || k == 2 { 0.5 } else { -0.5 });
        let mut tally = Tally::new(2);
        tally.add_step(&said, &[1.0, 1.0, 1.0, 1.0, -1.0, 0.0], is_right);
        assert_eq!((tally.shares(), tally.share()), (vec![2.0 / 3.0, 0.0], 2.0 / 6.0));
        tally.add_columns(&said, &said, agree);
        assert_eq!((tally.shares(), tally.share()), (vec![5.0 / 6.0, 0.5], 8.0 / 12.0));
        assert_eq!((Tally::new(2).shares(), Tally::new(0).share()), (vec![0.0; 2], 0.0));
    }

    #[test]
    fn values_are_missed_by_a_share_of_their_size_and_the_worst_is_named() {
        let (said, wanted) = (Matrix::from_fn(3, 4, |j, _| j as f64), Matrix::from_fn(3, 4, |j, _| 2.0 * j as f64));
        let mut missed = Missed::new(3);
        missed.add(&said, &wanted, |_, u| u * u);
        assert_eq!((missed.errors(f64::MIN_POSITIVE), missed.largest()), (vec![0.0, 0.5, 0.5], 64.0));
        assert_eq!(missed.errors(256.0), [0.0, 0.125, 0.25]);
        assert_eq!((worst(false, &[0.1, 0.5, 0.5]), worst(true, &[0.9, 1.0])), ((0.5, 2), (0.9, 1)));
        assert_eq!((worst(true, &[1.0, 1.0]), worst(false, &[])), ((1.0, 1), (0.0, 1)));
        assert!(worst(false, &[2.0, f64::NAN]).0.is_nan(), "what is no number is the worst");
    }
}
