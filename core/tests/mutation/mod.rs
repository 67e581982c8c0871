//! Valid files changed a little, always in the same ways: input n of a test is the same on every machine.

/// Numbers at which sizes, indices and floating-point arithmetic go wrong.
const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "-1",
    "2",
    "255",
    "65536",
    "1000000",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "1e308",
    "1e309",
    "-1e-320",
    "0.5",
    "nan",
    "inf",
];
/// Bytes that mean something to a parser, or are the largest or smallest of their kind.
const BYTES: &[u8] = b"\x00\x01\x7f\x80\xff\"'\\[](){}=,.:-+#\n\r\t eE09tTqhRbQus";

/// A generator of choices (splitmix64).
pub struct Choices(u64);

impl Choices {
    /// The choices for one input.
    pub fn new(input: u64) -> Self {
        Self(input.wrapping_mul(0xA076_1D64_78BD_642F))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    /// A number below `limit`, 0 where there is none.
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next() % limit as u64) as usize }
    }

    /// One of some things.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// The file with one to four changes.
    pub fn mutated(&mut self, file: &[u8]) -> Vec<u8> {
        let mut file = file.to_vec();
        for _ in 0..=self.below(4) {
            self.change(&mut file);
        }
        file
    }

    /// The text with one to four changes, made text again.
    pub fn mutated_text(&mut self, text: &str) -> String {
        String::from_utf8_lossy(&self.mutated(text.as_bytes())).into_owned()
    }

    fn change(&mut self, file: &mut Vec<u8>) {
        let at = self.below(file.len() + 1);
        match self.below(9) {
            0 | 1 => self.put_number(file, at),
            2 => file.insert(at, *self.one(BYTES)),
            3 if at < file.len() => file[at] = *self.one(BYTES),
            4 if at < file.len() => file[at] ^= 1 << self.below(8),
            5 => drop(file.drain(at..(at + 1 + self.below(12)).min(file.len()))),
            6 => self.double(file, at),
            7 => self.drop_line(file, at),
            _ => file.truncate(at.max(file.len() / 2)),
        }
    }

    /// Another number in place of the next one, or of a few bytes where numbers are stored in binary.
    fn put_number(&mut self, file: &mut Vec<u8>, at: usize) {
        let number = *self.one(&NUMBERS);
        let is_digit = |place: &usize| file[*place].is_ascii_digit();
        match (at..file.len()).find(is_digit) {
            Some(start) if self.below(4) > 0 => {
                let end = (start..file.len()).find(|place| !is_digit(place)).unwrap_or(file.len());
                file.splice(start..end, number.bytes());
            }
            _ => {
                let value = number.parse::<u64>().unwrap_or(u64::MAX).to_le_bytes();
                let width = [1, 2, 4, 8][self.below(4)].min(file.len() - at);
                file[at..at + width].copy_from_slice(&value[..width]);
            }
        }
    }

    /// A part twice, or many times.
    fn double(&mut self, file: &mut Vec<u8>, at: usize) {
        let part = file[at..(at + 1 + self.below(24)).min(file.len())].to_vec();
        let times = if self.below(8) == 0 { 200 } else { 1 };
        file.splice(at..at, part.repeat(times));
    }

    fn drop_line(&mut self, file: &mut Vec<u8>, at: usize) {
        let start = file[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
        let end = file[at..].iter().position(|byte| *byte == b'\n').map_or(file.len(), |place| at + place + 1);
        file.drain(start..end);
    }
}
