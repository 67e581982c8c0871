//! The value of an expression for every combination of its inputs at once.

use super::MAX_GATE_INPUTS;
use std::ops::{BitAnd, BitOr, BitXor, Not};

const WORDS: usize = (1 << MAX_GATE_INPUTS) / 64;

/// One bit for each combination of [`MAX_GATE_INPUTS`] inputs: bit m is the value when input q is +1 exactly where bit q of m
/// is set. An expression is evaluated once, however large it is, instead of once for each combination.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bits([u64; WORDS]);

impl Bits {
    pub(super) fn constant(up: bool) -> Self {
        Self([if up { u64::MAX } else { 0 }; WORDS])
    }

    /// Input q itself.
    pub(super) fn input(q: usize) -> Self {
        let mut bits = Self::constant(false);
        for m in (0..1 << MAX_GATE_INPUTS).filter(|m| m >> q & 1 == 1) {
            bits.0[m / 64] |= 1 << (m % 64);
        }
        bits
    }

    pub(super) fn at(&self, m: usize) -> bool {
        self.0[m / 64] >> (m % 64) & 1 == 1
    }

    /// `a` where this is set, `b` elsewhere.
    pub(super) fn choose(self, a: Self, b: Self) -> Self {
        (self & a) | (!self & b)
    }

    /// Set where more than half of them are: they are added digit by digit, in base two.
    pub(super) fn majority(all: &[Self]) -> Self {
        let mut digits: Vec<Self> = Vec::new();
        for &one in all {
            let mut carry = one;
            for digit in &mut digits {
                (*digit, carry) = (*digit ^ carry, *digit & carry);
            }
            if carry != Self::constant(false) {
                digits.push(carry);
            }
        }
        let half = all.len() / 2;
        // From the lowest digit up: a higher one overrules what was found below.
        digits.iter().enumerate().fold(Self::constant(false), |more, (place, &digit)| {
            if half >> place & 1 == 1 { digit & more } else { digit | more }
        }) & Self::constant(half.checked_shr(digits.len() as u32).unwrap_or(0) == 0)
    }

    /// The entry of a table of 2^n values at n inputs, the first input the lowest bit.
    pub(super) fn looked_up(table: &[bool], inputs: &[Self]) -> Self {
        let mut level: Vec<Self> = table.iter().map(|&up| Self::constant(up)).collect();
        for input in inputs {
            level = level.chunks(2).map(|pair| input.choose(pair[pair.len() - 1], pair[0])).collect();
        }
        level.first().copied().unwrap_or(Self::constant(false))
    }

    fn zip(self, other: Self, word: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|k| word(self.0[k], other.0[k])))
    }
}

impl BitAnd for Bits {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl BitOr for Bits {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl BitXor for Bits {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
}

impl Not for Bits {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_majority_is_more_than_half() {
        for count in 1..=10usize {
            let inputs: Vec<Bits> = (0..count).map(Bits::input).collect();
            let majority = Bits::majority(&inputs);
            for m in 0..1usize << count {
                assert_eq!(majority.at(m), m.count_ones() as usize > count / 2, "{m:b} of {count}");
            }
        }
        assert_eq!(Bits::majority(&[Bits::constant(false); 5]), Bits::constant(false));
        assert_eq!(Bits::majority(&[Bits::constant(true); 5]), Bits::constant(true));
    }

    #[test]
    fn a_table_is_looked_up_with_its_first_input_lowest() {
        let inputs = [Bits::input(2), Bits::input(0)];
        let found = Bits::looked_up(&[false, true, false, false], &inputs);
        for m in 0..8 {
            assert_eq!(found.at(m), m >> 2 & 1 == 1 && m & 1 == 0);
        }
    }
}
