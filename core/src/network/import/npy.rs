//! NumPy's `.npy` arrays; the header is a Python literal, read as the data it is.

use super::bytes::Bytes;
use super::limits::MAX_DIMENSIONS;
use super::number::Number;
use crate::network::Tensor;

/// The longest header that is read; NumPy itself stops at 10,000 bytes for files that it does not trust.
const MAX_HEADER_BYTES: usize = 10_000;

/// Why an array could not be read.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum NpyError {
    /// Not the magic bytes, or no more than these.
    #[error("it does not start as a NumPy array does")]
    NotAnArray,
    /// A format of the future.
    #[error("it is of format version {0}, but only 1, 2 and 3 are known")]
    Version(u8),
    /// A header beyond the limit.
    #[error("its header says that it is {0} bytes long, more than the limit of {MAX_HEADER_BYTES}")]
    LongHeader(usize),
    /// A header that is no plain description of an array.
    #[error("its header is damaged: expected {expected} at '{found}'")]
    Header { expected: &'static str, found: String },
    /// Data that does not fill the shape.
    #[error("its shape {shape:?} does not fit its {bytes} bytes of data: the file is damaged")]
    Length { shape: Vec<usize>, bytes: usize },
}

/// An array.
#[derive(Debug, PartialEq)]
pub(super) enum Array {
    /// Numbers, row-major.
    Numbers(Tensor),
    /// One text.
    Text(String),
    /// Pickled Python objects, which are not looked at.
    Objects,
    /// Complex numbers, dates, records, many texts: nothing that a network is made of.
    Other,
}

/// The bytes in which an array says what it is.
pub(super) const START: usize = MAX_HEADER_BYTES + 12;

/// The shape that an array of numbers states in its first bytes, checked against all its bytes; nothing for other arrays.
pub(super) fn stated_shape(start: &[u8], all: usize) -> Result<Option<Vec<usize>>, NpyError> {
    let (header, data) = split(start)?;
    let bytes = all.saturating_sub(start.len() - data.len());
    let Some(number) = header.number() else { return Ok(None) };
    header.check_fit(number, bytes)?;
    Ok(Some(header.shape))
}

/// Reads an array.
pub(super) fn parse(file: &[u8]) -> Result<Array, NpyError> {
    let (header, data) = split(file)?;
    array(&header, data)
}

/// The header and what follows it.
fn split(file: &[u8]) -> Result<(Header<'_>, &[u8]), NpyError> {
    let mut bytes = Bytes(file);
    if bytes.take(6) != Some(b"\x93NUMPY") {
        return Err(NpyError::NotAnArray);
    }
    let [major, _minor] = bytes.array().ok_or(NpyError::NotAnArray)?;
    let length = match major {
        1 => bytes.u16().map(usize::from),
        2 | 3 => bytes.length(),
        other => return Err(NpyError::Version(other)),
    };
    let length = length.ok_or(NpyError::NotAnArray)?;
    if length > MAX_HEADER_BYTES {
        return Err(NpyError::LongHeader(length));
    }
    let header = bytes.take(length).and_then(|header| std::str::from_utf8(header).ok());
    Ok((Header::parse(header.ok_or(NpyError::NotAnArray)?)?, bytes.0))
}

fn array(header: &Header<'_>, data: &[u8]) -> Result<Array, NpyError> {
    let (big_endian, kind, _) = header.letters();
    let Some(number) = header.number() else {
        return Ok(match kind {
            Some('O') => Array::Objects,
            Some('U') if header.shape.is_empty() => Array::Text(text(data, big_endian)),
            _ => Array::Other,
        });
    };
    header.check_fit(number, data.len())?;
    let values = number.decode(data, big_endian);
    if header.shape.is_empty() && kind == Some('b') {
        return Ok(Array::Text((values.first() == Some(&1.0)).to_string()));
    }
    let values = match header.shape[..] {
        // Without values there is nothing to reorder, and the number of rows may be anything.
        [rows, columns] if header.fortran_order && !values.is_empty() => {
            (0..rows).flat_map(|i| values.iter().skip(i).step_by(rows).take(columns)).copied().collect()
        }
        _ => values,
    };
    // A column-major array of more dimensions keeps its values but not their order; no weight has more than two.
    if header.fortran_order && header.shape.len() > 2 {
        return Ok(Array::Other);
    }
    Ok(Array::Numbers(Tensor { shape: header.shape.clone(), values }))
}

/// A text of four-byte characters, padded with zeros.
fn text(data: &[u8], big_endian: bool) -> String {
    let codes = Number::Unsigned(4).decode(data, big_endian);
    let characters = codes.into_iter().map(|code| char::from_u32(code as u32).unwrap_or(char::REPLACEMENT_CHARACTER));
    characters.take_while(|character| *character != '\0').collect()
}

/// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`
#[derive(Debug, PartialEq)]
struct Header<'a> {
    kind: &'a str,
    fortran_order: bool,
    shape: Vec<usize>,
}

impl Header<'_> {
    /// Whether the greater bytes come first, the kind, and its width.
    fn letters(&self) -> (bool, Option<char>, usize) {
        let mut letters = self.kind.chars();
        let big_endian = letters.next() == Some('>');
        (big_endian, letters.next(), letters.as_str().parse().unwrap_or(0))
    }

    /// How a number is laid out; nothing for arrays of anything else.
    fn number(&self) -> Option<Number> {
        match self.letters() {
            (_, Some('f'), width @ (2 | 4 | 8)) => Some(Number::Float(width)),
            (_, Some('i'), width @ (1 | 2 | 4 | 8)) => Some(Number::Signed(width)),
            (_, Some('u'), width @ (1 | 2 | 4 | 8)) | (_, Some('b'), width @ 1) => Some(Number::Unsigned(width)),
            _ => None,
        }
    }

    fn check_fit(&self, number: Number, bytes: usize) -> Result<(), NpyError> {
        let count = self.shape.iter().try_fold(1usize, |product, size| product.checked_mul(*size));
        match count.and_then(|count| count.checked_mul(number.width())) {
            Some(needed) if needed == bytes => Ok(()),
            _ => Err(NpyError::Length { shape: self.shape.clone(), bytes }),
        }
    }
}

impl<'a> Header<'a> {
    fn parse(text: &'a str) -> Result<Self, NpyError> {
        let mut literal = Literal(text);
        let (mut kind, mut fortran_order, mut shape) = (None, None, None);
        literal.expect("{", "an opening brace")?;
        while !literal.accept("}") {
            match literal.quoted()? {
                "descr" if kind.is_none() => {
                    literal.expect(":", "a colon")?;
                    kind = Some(literal.kind()?);
                }
                "fortran_order" if fortran_order.is_none() => {
                    literal.expect(":", "a colon")?;
                    fortran_order = Some(literal.truth()?);
                }
                "shape" if shape.is_none() => {
                    literal.expect(":", "a colon")?;
                    shape = Some(literal.shape()?);
                }
                _ => return Err(literal.wrong("one each of descr, fortran_order and shape before")),
            }
            if !literal.accept(",") {
                literal.expect("}", "a comma or the closing brace")?;
                break;
            }
        }
        let ended = literal.0.trim().is_empty();
        match (kind, fortran_order, shape) {
            (Some(kind), Some(fortran_order), Some(shape)) if ended => Ok(Self { kind, fortran_order, shape }),
            _ => Err(literal.wrong("descr, fortran_order, shape and nothing more")),
        }
    }
}

/// What is left of a Python literal.
struct Literal<'a>(&'a str);

impl<'a> Literal<'a> {
    fn wrong(&self, expected: &'static str) -> NpyError {
        NpyError::Header { expected, found: self.0.chars().take(20).collect() }
    }

    fn accept(&mut self, word: &str) -> bool {
        let rest = self.0.trim_start().strip_prefix(word);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn expect(&mut self, word: &str, expected: &'static str) -> Result<(), NpyError> {
        if self.accept(word) { Ok(()) } else { Err(self.wrong(expected)) }
    }

    fn quoted(&mut self) -> Result<&'a str, NpyError> {
        let quote = if self.accept("'") {
            '\''
        } else {
            self.expect("\"", "a quoted word")?;
            '"'
        };
        let (word, rest) = self.0.split_once(quote).ok_or_else(|| self.wrong("a closing quote after"))?;
        self.0 = rest;
        Ok(word)
    }

    /// The kind of number; the list that describes a record is not looked into, as no weight is one.
    fn kind(&mut self) -> Result<&'a str, NpyError> {
        if self.0.trim_start().starts_with('[') {
            Err(self.wrong("one kind of number, not a record"))
        } else {
            self.quoted()
        }
    }

    fn truth(&mut self) -> Result<bool, NpyError> {
        if self.accept("True") {
            return Ok(true);
        }
        self.expect("False", "True or False")?;
        Ok(false)
    }

    fn shape(&mut self) -> Result<Vec<usize>, NpyError> {
        let mut shape = Vec::new();
        self.expect("(", "a tuple of sizes")?;
        while !self.accept(")") {
            let text = self.0.trim_start();
            let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, rest) = text.split_at_checked(digits).unwrap_or_default();
            if shape.len() == MAX_DIMENSIONS {
                return Err(self.wrong("at most 64 sizes before"));
            }
            shape.push(number.parse().map_err(|_| self.wrong("a size"))?);
            self.0 = rest;
            if !self.accept(",") {
                self.expect(")", "a comma or the closing parenthesis")?;
                break;
            }
        }
        Ok(shape)
    }
}
