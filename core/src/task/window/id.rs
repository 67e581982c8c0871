//! The three-integer ids under which the paper's authors keep signed selections.

use super::{Slot, Source, TaskError, Window};
use num_bigint::BigUint;
use std::fmt;
use std::str::FromStr;

/// The most decimal digits of a number of an id. Reading them takes the square of their count.
pub const MAX_ID_DIGITS: usize = 1 << 14;

/// A signed selection as three whole numbers of up to [`MAX_ID_DIGITS`] digits.
///
/// `id1` sets one bit for each chosen window component (variable 1 first, components within); `id2` in base d, least
/// digit first, exchanges choices: digit g at place k swaps choice k with choice k + g; `id3` sets one bit for each
/// negated output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskId {
    chosen: BigUint,
    swaps: BigUint,
    negated: BigUint,
}

impl TaskId {
    /// An id from three decimal numbers.
    pub fn from_decimal(id1: &str, id2: &str, id3: &str) -> Result<Self, TaskError> {
        let number = |text: &str| {
            let text = text.trim();
            if text.len() > MAX_ID_DIGITS {
                return Err(TaskError::IdTooLong { digits: text.len(), limit: MAX_ID_DIGITS });
            }
            BigUint::from_str(text).map_err(|_| TaskError::IdSyntax { text: text.into() })
        };
        Ok(Self { chosen: number(id1)?, swaps: number(id2)?, negated: number(id3)? })
    }

    /// The task that the id stands for.
    pub fn decode(&self, s: usize, d: usize) -> Result<Window, TaskError> {
        super::check_size(s, d)?;
        let mut choice = self.choices(s, d)?;
        self.exchange(&mut choice, d)?;
        let negated_bits = self.negated.bits() as usize;
        if negated_bits > d {
            return Err(TaskError::IdSignOutOfRange { id3: self.negated.to_string(), bit: negated_bits - 1, d });
        }
        let source = |(output, &b): (usize, &usize)| Source::of(Slot::at(b, s, d), self.negated.bit(output as u64));
        Window::selection(self.to_string(), s, d, choice.iter().enumerate().map(source).collect())
    }

    /// The id of a task, if it has one: a signed selection that uses no component twice, of no more than [`MAX_ID_DIGITS`] digits.
    pub fn encode(task: &Window) -> Option<Self> {
        let sources = task.sources()?;
        let bits = task.width().max(task.d() * task.d().ilog2().max(1) as usize);
        if bits as f64 * std::f64::consts::LOG10_2 > MAX_ID_DIGITS as f64 {
            return None;
        }
        let wanted: Vec<usize> = sources.iter().map(|source| task.window_index(source)).collect();
        let mut choice = wanted.clone();
        choice.sort_unstable();
        choice.dedup();
        if choice.len() != wanted.len() {
            return None;
        }
        let mut id = Self { chosen: BigUint::ZERO, swaps: BigUint::ZERO, negated: BigUint::ZERO };
        for &b in &choice {
            id.chosen.set_bit(b as u64, true);
        }
        let mut place_value = BigUint::from(1u32);
        for (place, &b) in wanted.iter().enumerate() {
            let digit = choice[place..].iter().position(|&c| c == b)?;
            choice.swap(place, place + digit);
            id.swaps += digit * &place_value;
            place_value *= wanted.len();
            id.negated.set_bit(place as u64, sources[place].negated);
        }
        Some(id)
    }

    fn choices(&self, s: usize, d: usize) -> Result<Vec<usize>, TaskError> {
        let id1 = || self.chosen.to_string();
        let bits = self.chosen.bits() as usize;
        if bits > s * d {
            return Err(TaskError::IdBitOutOfRange { id1: id1(), bit: bits - 1, s, d });
        }
        let choice: Vec<usize> = (0..bits).filter(|&b| self.chosen.bit(b as u64)).collect();
        if choice.len() != d {
            return Err(TaskError::IdBitCount { id1: id1(), found: choice.len(), d });
        }
        Ok(choice)
    }

    fn exchange(&self, choice: &mut [usize], d: usize) -> Result<(), TaskError> {
        let out_of_range = |digit, place| TaskError::IdSwapOutOfRange { id2: self.swaps.to_string(), digit, place, d };
        if d == 1 {
            // Base 1 has no digits: nothing can be swapped.
            return if self.swaps == BigUint::ZERO { Ok(()) } else { Err(out_of_range(1, 0)) };
        }
        let mut rest = self.swaps.clone();
        let base = BigUint::from(d);
        for place in 0.. {
            if rest == BigUint::ZERO {
                break;
            }
            // Whatever is left has a digit somewhere that swaps with nothing.
            if place >= d {
                return Err(out_of_range(1, place));
            }
            let digit = (&rest % &base).iter_u64_digits().next().unwrap_or(0) as usize;
            if digit > 0 {
                if place + digit >= d {
                    return Err(out_of_range(digit, place));
                }
                choice.swap(place, place + digit);
            }
            rest /= &base;
        }
        Ok(())
    }
}

impl FromStr for TaskId {
    type Err = TaskError;

    fn from_str(text: &str) -> Result<Self, TaskError> {
        let inner = text.trim().trim_start_matches('(').trim_end_matches(')');
        let parts: Vec<&str> = inner.split(',').collect();
        match parts[..] {
            [id1, id2, id3] => Self::from_decimal(id1, id2, id3),
            _ => Err(TaskError::IdSyntax { text: text.into() }),
        }
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.chosen, self.swaps, self.negated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refused(id: &str, s: usize, d: usize) -> String {
        id.parse::<TaskId>().and_then(|id| id.decode(s, d)).unwrap_err().to_string()
    }

    #[test]
    fn an_id_with_the_wrong_number_of_bits_is_refused() {
        assert_eq!(refused("127,0,0", 8, 8), "id1 = 127 has 7 bits set, but d=8 outputs need exactly 8");
        assert!(refused("256,0,0", 4, 2).contains("sets bit 8"));
    }

    #[test]
    fn a_swap_digit_out_of_range_is_refused() {
        // 1 at place 7 of base 8 would swap the last choice with one past it.
        assert!(refused("255,2097152,0", 8, 8).contains("digit 1 at place 7"));
        assert!(refused("1,1,0", 3, 1).contains("digit 1 at place 0"));
    }

    #[test]
    fn a_sign_bit_past_the_outputs_is_refused() {
        assert!(refused("255,0,256", 8, 8).contains("id3 = 256 sets bit 8"));
    }

    #[test]
    fn text_that_is_not_three_numbers_is_refused() {
        for text in ["255,0", "255,0,0,0", "a,b,c", "255,-1,0", ""] {
            assert!(text.parse::<TaskId>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn encoding_undoes_decoding_past_64_and_128_bits(
            s in 1usize..40, d in 1usize..12, shuffle in proptest::collection::vec(any::<u32>(), 480), signs in any::<u16>(),
        ) {
            let mut order: Vec<usize> = (0..s * d).collect();
            order.sort_by_key(|&b| shuffle[b]);
            let sources = (0..d)
                .map(|j| Source::of(Slot::at(order[j], s, d), signs >> j & 1 == 1))
                .collect();
            let task = Window::selection("random", s, d, sources).unwrap();
            let id = TaskId::encode(&task).unwrap();
            let again = id.to_string().parse::<TaskId>().unwrap().decode(s, d).unwrap();
            prop_assert!(again.same_function(&task));
        }
    }
}
