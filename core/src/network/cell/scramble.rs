//! Weights that are as large as before and mean nothing any more: what a control is made of.

use crate::numeric::Matrix;
use crate::random::{Purpose, Stream};

/// Shuffles the entries of every gate, gates of `units` rows each.
pub(super) fn shuffle_gates(weights: &mut Matrix, units: usize, seed: u64) {
    for gate in 0..weights.nrows() / units.max(1) {
        let moved = in_other_order(&weights.subrows(gate * units, units).to_owned(), seed + gate as u64);
        weights.subrows_mut(gate * units, units).copy_from(&moved);
    }
}

/// The same entries in another order.
fn in_other_order(weights: &Matrix, seed: u64) -> Matrix {
    let (rows, columns) = (weights.nrows(), weights.ncols());
    let from = order(rows * columns, seed);
    Matrix::from_fn(rows, columns, |i, j| {
        let at = from[j * rows + i];
        weights[(at % rows, at / rows)]
    })
}

/// The numbers below `count` in another order (Fisher and Yates).
fn order(count: usize, seed: u64) -> Vec<usize> {
    let stream = Stream::new(seed, Purpose::Matrices);
    let mut order: Vec<usize> = (0..count).collect();
    for k in (1..count).rev() {
        let draw = stream.block(9, (k / 4) as u32, 0)[k % 4];
        order.swap(k, ((u64::from(draw) * (k as u64 + 1)) >> 32) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Architecture, Initialization};

    #[test]
    fn shuffling_keeps_the_entries_of_each_gate_and_moves_nearly_all_of_them() {
        let network = Initialization::Gaussian.network(&Architecture::elman(20, Activation::Tanh, false), 2, 2, 4);
        let weights = network.layers[0].recurrent_weights().unwrap().clone();
        let mut moved = weights.clone();
        shuffle_gates(&mut moved, 10, 1);
        for gate in 0..2 {
            let sorted = |matrix: &Matrix| {
                let gate = matrix.subrows(10 * gate, 10);
                let mut all: Vec<f64> = (0..200).map(|k| gate[(k % 10, k / 10)]).collect();
                all.sort_by(f64::total_cmp);
                all
            };
            assert_eq!(sorted(&moved), sorted(&weights));
        }
        let stayed = (0..400).filter(|k| moved[(k % 20, k / 20)] == weights[(k % 20, k / 20)]).count();
        assert!(stayed < 10, "{stayed} of 400 stayed");
    }
}
