//! Bytes as text inside a page: compressed, thirteen bits in two characters.

use flate2::{Compression, write::GzEncoder};
use std::io::Write;

/// Characters that end nothing inside a script of HTML, and no place of a page's frame: all that can be seen but `<`, `&` and `*`.
const DIGITS: u64 = 91;

/// Compressed with gzip and written in pairs of digits, which is 7.5 % shorter than base 64.
pub(super) fn packed(bytes: &[u8]) -> Result<String, std::io::Error> {
    let mut encoder = GzEncoder::new(vec![], Compression::best());
    encoder.write_all(bytes)?;
    Ok(pairs(&encoder.finish()?))
}

/// Thirteen bits at a time, the lowest first, as two digits, the lower first; before them how many bytes the last pair has too
/// many.
fn pairs(bytes: &[u8]) -> String {
    let count = (8 * bytes.len()).div_ceil(13);
    let mut text = String::with_capacity(2 * count + 1);
    text.push(if 13 * count / 8 > bytes.len() { '1' } else { '0' });
    let (mut bits, mut held, mut bytes) = (0u64, 0, bytes.iter());
    for _ in 0..count {
        while held < 13 {
            bits |= u64::from(bytes.next().copied().unwrap_or(0)) << held;
            held += 8;
        }
        let pair = bits & 0x1fff;
        (bits, held) = (bits >> 13, held - 13);
        text.extend([digit(pair % DIGITS), digit(pair / DIGITS)]);
    }
    text
}

fn digit(value: u64) -> char {
    let next = |skipped: char, c: u8| c + u8::from(c >= skipped as u8);
    ['&', '*', '<'].into_iter().fold(b'!' + value as u8, |c, skipped| next(skipped, c)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the page does.
    fn bytes_of(text: &str) -> Vec<u8> {
        let all: String = (0..DIGITS).map(digit).collect();
        let value = |c: char| all.find(c).unwrap() as u64;
        let (mut bits, mut held, mut bytes) = (0u64, 0, vec![]);
        let digits: Vec<char> = text.chars().collect();
        for pair in digits[1..].chunks(2) {
            bits |= (value(pair[0]) + DIGITS * value(pair[1])) << held;
            held += 13;
            while held >= 8 {
                bytes.push(bits as u8);
                (bits, held) = (bits >> 8, held - 8);
            }
        }
        bytes.truncate(bytes.len() - usize::from(digits[0] == '1'));
        bytes
    }

    #[test]
    fn every_length_comes_back_and_nothing_ends_a_script() {
        for length in 0..60usize {
            let bytes: Vec<u8> =
                (0..length).map(|k| (k * k * 37 + length * 91) as u8 | if k < 4 { 0xf0 } else { 0 }).collect();
            let text = pairs(&bytes);
            assert_eq!(bytes_of(&text), bytes);
            assert!(text.len() <= 3 + 16 * length / 13);
            assert!(!text.contains(['<', '&', '*', ' ']));
        }
    }

    #[test]
    fn digits_are_all_that_can_be_seen_but_three() {
        let all: String = (0..DIGITS).map(digit).collect();
        let seen: String = ('!'..='~').filter(|c| !['<', '&', '*'].contains(c)).collect();
        assert_eq!(all, seen);
    }
}
