//! Matrices inside a page: row-major little-endian numbers, first bytes first, behind the rest of the data.
//!
//! All first bytes, then all second bytes and so on: signs and exponents stand together, and compress.

use crate::numeric::Matrix;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;

/// Entries of a matrix that may be kept in f64.
const MOST_IN_FULL: usize = (1 << 16) - 1;

/// A matrix as the page reads it; exactly one of the three encodings is there. What is text here is bytes in the page
/// ([`with_matrices_behind`]).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Stored {
    rows: usize,
    cols: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    f32: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    f64: Option<String>,
    /// Whole multiples of 2^-places: four bytes each, the sign in the last bit.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    places: Option<u32>,
}

/// Fields that hold a matrix.
const ENCODINGS: [&str; 3] = ["f32", "f64", "fixed"];
/// Places of numbers that are read from, not computed with step after step.
const READ_PLACES: u32 = 22;

/// The data of a page: the length of its JSON, the JSON with the place of each matrix, and the matrices.
///
/// Bytes compress by a tenth better than the text that JSON would need for them.
pub(super) fn with_matrices_behind(data: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let (mut value, mut behind) = (serde_json::to_value(data)?, vec![]);
    move_behind(&mut value, &mut behind);
    let json = serde_json::to_vec(&value)?;
    let length = u32::try_from(json.len()).unwrap_or(u32::MAX).to_le_bytes();
    Ok([&length[..], &json, &behind].concat())
}

fn move_behind(value: &mut Value, behind: &mut Vec<u8>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| move_behind(item, behind)),
        Value::Object(fields) if fields.contains_key("rows") && fields.contains_key("cols") => {
            for (_, field) in fields.iter_mut().filter(|(name, _)| ENCODINGS.contains(&name.as_str())) {
                let bytes = field.as_str().and_then(|text| STANDARD.decode(text).ok()).unwrap_or_default();
                *field = behind.len().into();
                behind.extend(bytes);
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(|field| move_behind(field, behind)),
        _ => {}
    }
}

impl Stored {
    /// f32 where that loses nothing, f64 otherwise: the page computes with what the library computes with.
    ///
    /// A matrix too large for that ([`MOST_IN_FULL`]) is rounded, so that a page can still be mailed.
    pub(super) fn exact(matrix: &Matrix) -> Self {
        Self::blocks(matrix, 1)
    }

    /// The same for blocks of rows, such as those of gates: each may be as large as a matrix by itself.
    pub(super) fn blocks(matrix: &Matrix, count: usize) -> Self {
        let all = row_major(matrix);
        let too_large = all.len() > MOST_IN_FULL * count;
        let rounds = too_large || all.iter().all(|&x| f64::from(x as f32) == x);
        if rounds { Self::shown(matrix) } else { Self::in_full(matrix, &all) }
    }

    /// f32: enough for what is only looked at.
    pub(super) fn shown(matrix: &Matrix) -> Self {
        let bytes: Vec<[u8; 4]> = row_major(matrix).iter().map(|&x| (x as f32).to_le_bytes()).collect();
        Self { rows: matrix.nrows(), cols: matrix.ncols(), f32: Some(base64(&planes(&bytes))), ..Self::default() }
    }

    /// Twelve bits of each number: enough for a colour, and the rest compresses to nothing.
    pub(super) fn drawn(matrix: &Matrix) -> Self {
        let coarse = |x: f64| f64::from(f32::from_bits((x as f32).to_bits() & 0xffff_f000));
        Self::shown(&Matrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| coarse(matrix[(i, j)])))
    }

    /// Rounded to multiples of 2^-places; nothing where a number is too large for that.
    pub(super) fn fixed(matrix: &Matrix, places: u32) -> Option<Self> {
        let scale = f64::from(1u32 << places);
        let digits = |x: f64| -> Option<[u8; 4]> {
            let whole = (x * scale).round();
            let size = (whole.abs() < f64::from(1u32 << 31)).then_some(whole.abs() as u32)?;
            Some((2 * size + u32::from(whole < 0.0)).to_le_bytes())
        };
        let bytes = row_major(matrix).into_iter().map(digits).collect::<Option<Vec<_>>>()?;
        let fixed = Some(base64(&planes(&bytes)));
        Some(Self { rows: matrix.nrows(), cols: matrix.ncols(), fixed, places: Some(places), ..Self::default() })
    }

    /// Rounded as far as a content that is read with it does not show.
    pub(super) fn read(matrix: &Matrix) -> Self {
        Self::fixed(matrix, READ_PLACES).unwrap_or_else(|| Self::shown(matrix))
    }

    /// One row.
    pub(super) fn row(values: &[f64]) -> Self {
        Self::exact(&Matrix::from_fn(1, values.len(), |_, j| values[j]))
    }

    fn in_full(matrix: &Matrix, all: &[f64]) -> Self {
        let bytes: Vec<[u8; 8]> = all.iter().map(|x| x.to_le_bytes()).collect();
        Self { rows: matrix.nrows(), cols: matrix.ncols(), f64: Some(base64(&planes(&bytes))), ..Self::default() }
    }
}

fn planes<const N: usize>(numbers: &[[u8; N]]) -> Vec<u8> {
    (0..N).flat_map(|place| numbers.iter().map(move |bytes| bytes[place])).collect()
}

pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn row_major(matrix: &Matrix) -> Vec<f64> {
    (0..matrix.nrows()).flat_map(|i| (0..matrix.ncols()).map(move |j| matrix[(i, j)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_come_first_and_nothing_is_rounded_that_matters() {
        let stored = Stored::exact(&Matrix::from_fn(1, 2, |_, j| [1.0, -2.0][j]));
        assert_eq!((stored.f32.as_deref(), stored.f64), (Some("AAAAAIAAP8A="), None));
        let third = Stored::exact(&Matrix::from_fn(2, 1, |_, _| 1.0 / 3.0));
        assert!(third.f32.is_none() && third.f64.is_some());
    }

    #[test]
    fn fixed_points_are_rounded_to_the_nearest_and_too_large_ones_refused() {
        let stored = Stored::fixed(&Matrix::from_fn(1, 2, |_, j| [0.74, -1.0][j]), 2).unwrap();
        assert_eq!((stored.fixed, stored.places), (Some(base64(&[6, 9, 0, 0, 0, 0, 0, 0])), Some(2)));
        assert_eq!(Stored::fixed(&Matrix::from_fn(1, 1, |_, _| 9000.0), 20), None);
        assert_eq!(Stored::fixed(&Matrix::from_fn(1, 1, |_, _| f64::NAN), 20), None);
    }

    #[test]
    fn matrices_lie_behind_the_json_that_names_their_places() {
        let stored = || Stored::exact(&Matrix::from_fn(1, 2, |_, j| [1.0, -2.0][j]));
        let data = serde_json::json!({ "a": [stored()], "b": { "c": stored() }, "text": "f32" });
        let bytes = with_matrices_behind(&data).unwrap();
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let json: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        let place = |at: usize| serde_json::json!({ "rows": 1, "cols": 2, "f32": at });
        assert_eq!(json, serde_json::json!({ "a": [place(0)], "b": { "c": place(8) }, "text": "f32" }));
        assert_eq!(bytes[4 + length..], [0, 0, 0, 0, 128, 0, 63, 192].repeat(2));
    }

    #[test]
    fn gates_are_kept_in_full_as_a_plain_layer_of_that_size_is() {
        let gates = Matrix::from_fn(4 * 128, 128, |_, _| 1.0 / 3.0);
        assert!(Stored::exact(&gates).f64.is_none() && Stored::blocks(&gates, 4).f64.is_some());
    }
}
