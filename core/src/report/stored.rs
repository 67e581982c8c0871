//! Matrices inside a page: row-major little-endian numbers, first bytes first, in base64.
//!
//! All first bytes, then all second bytes and so on: signs and exponents stand together, and compress.

use crate::numeric::Matrix;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

/// Entries of a matrix that may be kept in f64.
const MOST_IN_FULL: usize = (1 << 16) - 1;

/// A matrix as the page reads it; exactly one of the two encodings is there.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Stored {
    rows: usize,
    cols: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    f32: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    f64: Option<String>,
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
        Self { rows: matrix.nrows(), cols: matrix.ncols(), f32: Some(base64(&planes(&bytes))), f64: None }
    }

    /// Twelve bits of each number: enough for a colour, and the rest compresses to nothing.
    pub(super) fn drawn(matrix: &Matrix) -> Self {
        let coarse = |x: f64| f64::from(f32::from_bits((x as f32).to_bits() & 0xffff_f000));
        Self::shown(&Matrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| coarse(matrix[(i, j)])))
    }

    /// One row.
    pub(super) fn row(values: &[f64]) -> Self {
        Self::exact(&Matrix::from_fn(1, values.len(), |_, j| values[j]))
    }

    fn in_full(matrix: &Matrix, all: &[f64]) -> Self {
        let bytes: Vec<[u8; 8]> = all.iter().map(|x| x.to_le_bytes()).collect();
        Self { rows: matrix.nrows(), cols: matrix.ncols(), f32: None, f64: Some(base64(&planes(&bytes))) }
    }
}

fn planes<const N: usize>(numbers: &[[u8; N]]) -> Vec<u8> {
    (0..N).flat_map(|place| numbers.iter().map(move |bytes| bytes[place])).collect()
}

fn base64(bytes: &[u8]) -> String {
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
    fn gates_are_kept_in_full_as_a_plain_layer_of_that_size_is() {
        let gates = Matrix::from_fn(4 * 128, 128, |_, _| 1.0 / 3.0);
        assert!(Stored::exact(&gates).f64.is_none() && Stored::blocks(&gates, 4).f64.is_some());
    }
}
