//! Numbers as files lay them out.

use crate::network::store::{bfloat16, float16};

/// How a number is laid out in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// IEEE half, single or double precision: 2, 4 or 8 bytes.
    Float(usize),
    /// The upper half of a single.
    Bfloat16,
    /// A whole number with a sign, of 1 to 8 bytes.
    Signed(usize),
    /// A whole number or a truth value, of 1 to 8 bytes.
    Unsigned(usize),
}

impl Number {
    /// Bytes a number takes.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Float(width) | Self::Signed(width) | Self::Unsigned(width) => width,
            Self::Bfloat16 => 2,
        }
    }

    /// The values in a run of bytes; an incomplete last one is left out.
    pub(super) fn decode(self, bytes: &[u8], big_endian: bool) -> Vec<f64> {
        bytes.chunks_exact(self.width()).map(|chunk| self.value(chunk, big_endian)).collect()
    }

    /// The value of one number.
    pub(super) fn value(self, bytes: &[u8], big_endian: bool) -> f64 {
        let mut padded = [0; 8];
        for (to, from) in padded.iter_mut().zip(bytes) {
            *to = *from;
        }
        if big_endian {
            padded.iter_mut().zip(bytes.iter().rev()).for_each(|(to, from)| *to = *from);
        }
        let bits = u64::from_le_bytes(padded);
        match self {
            Self::Float(2) => float16(bits as u16),
            Self::Float(4) => f64::from(f32::from_bits(bits as u32)),
            Self::Float(_) => f64::from_bits(bits),
            Self::Bfloat16 => bfloat16(bits as u16),
            Self::Unsigned(_) => bits as f64,
            Self::Signed(width) => {
                let unused = 64 - 8 * width.min(8) as u32;
                ((bits << unused) as i64 >> unused) as f64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_are_read_in_both_byte_orders() {
        let check = |number: Number, little: &[u8], value: f64| {
            let big: Vec<u8> = little.iter().rev().copied().collect();
            assert_eq!(number.decode(little, false), [value], "{number:?}");
            assert_eq!(number.decode(&big, true), [value], "{number:?}");
        };
        check(Number::Float(2), &0x3555u16.to_le_bytes(), 0.333_251_953_125);
        check(Number::Float(4), &(-1.5f32).to_le_bytes(), -1.5);
        check(Number::Float(8), &0.1f64.to_le_bytes(), 0.1);
        check(Number::Bfloat16, &0x3FC0u16.to_le_bytes(), 1.5);
        check(Number::Signed(1), &[0xFE], -2.0);
        check(Number::Signed(4), &(-70_000i32).to_le_bytes(), -70_000.0);
        check(Number::Signed(8), &(-3i64).to_le_bytes(), -3.0);
        check(Number::Unsigned(2), &65_535u16.to_le_bytes(), 65_535.0);
    }

    #[test]
    fn an_incomplete_number_is_left_out() {
        assert_eq!(Number::Float(4).decode(&[0; 7], false), [0.0]);
    }
}
