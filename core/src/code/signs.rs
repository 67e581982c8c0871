//! Contents from a state, given that they are +-1.

use super::sharing::Shared;
use super::{CodeParams, right_signs};
use crate::numeric::{Matrix, NumericError, ridge_regression};

/// A flip must lower the cost by more than this.
const PROGRESS: f64 = 1e-9;

/// Share of fresh states in which each content is read right.
pub(super) fn read_as_signs(code: &Shared<'_>, params: &CodeParams) -> Result<Vec<f64>, NumericError> {
    // Errors weigh less where the code explains less: (noise + floor)^-1 is the metric.
    let weighted = ridge_regression(code.noise, code.memories, params.noise_floor)?;
    let problem = Problem {
        gram: code.memories.transpose() * &weighted,
        pairs: coupled_pairs(&code.cosines, params.coupled),
        most_flips: params.sweeps * code.memories.ncols(),
    };
    let seen = weighted.transpose() * &code.fresh.states;
    let mut read = Matrix::zeros(code.fresh.contents.nrows(), code.fresh.contents.ncols());
    for k in 0..read.ncols() {
        let start: Vec<f64> = code.linear.col_as_slice(k).iter().map(|x| 1f64.copysign(*x)).collect();
        read.col_as_slice_mut(k).copy_from_slice(&problem.descend(start, seen.col_as_slice(k)));
    }
    Ok(right_signs(&read, &code.fresh.contents))
}

/// Least squares `|h - E v|^2` over v in {-1, +1}.
struct Problem {
    gram: Matrix,
    pairs: Vec<(usize, usize)>,
    most_flips: usize,
}

impl Problem {
    /// Flips the content, or the coupled pair, that lowers the cost most, until none does.
    ///
    /// Flipping a set F changes the cost by `4 sum_F v_i g_i + 4 |E_F v_F|^2` with `g = E'(h - E v)`.
    fn descend(&self, mut v: Vec<f64>, seen: &[f64]) -> Vec<f64> {
        let size = v.len();
        let mut g: Vec<f64> = seen.to_vec();
        for (j, value) in v.iter().enumerate() {
            g.iter_mut().zip(self.gram.col_as_slice(j)).for_each(|(g, e)| *g -= value * e);
        }
        for _ in 0..self.most_flips {
            let single: Vec<f64> = (0..size).map(|i| 4.0 * v[i] * g[i] + 4.0 * self.gram[(i, i)]).collect();
            let both = |(i, j): (usize, usize)| single[i] + single[j] + 8.0 * v[i] * v[j] * self.gram[(i, j)];
            let mut best = (-PROGRESS, None);
            for (i, &change) in single.iter().enumerate() {
                if change < best.0 {
                    best = (change, Some((i, i)));
                }
            }
            for &pair in &self.pairs {
                if both(pair) < best.0 {
                    best = (both(pair), Some(pair));
                }
            }
            let Some((i, j)) = best.1 else { break };
            for flipped in if i == j { vec![i] } else { vec![i, j] } {
                let twice = 2.0 * v[flipped];
                g.iter_mut().zip(self.gram.col_as_slice(flipped)).for_each(|(g, e)| *g += twice * e);
                v[flipped] = -v[flipped];
            }
        }
        v
    }
}

fn coupled_pairs(cosines: &Matrix, least: f64) -> Vec<(usize, usize)> {
    let pairs = (0..cosines.ncols()).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs.filter(|&at| cosines[at].abs() > least).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sharing::{cosines, lengths};
    use super::*;
    use crate::numeric::draw;
    use crate::random::{Purpose, Stream};

    #[test]
    fn two_bits_on_one_direction_are_read_from_four_levels() {
        // Ten contents in eight directions: the last two ride on the first two at half their amplitude.
        let stream = Stream::new(3, Purpose::Matrices);
        let own = draw::orthonormal(20, 8, &stream, 0);
        let columns = Matrix::from_fn(20, 10, |i, j| if j < 8 { own[(i, j)] } else { 0.5 * own[(i, j - 8)] });
        let signs = draw::normal(10, 200, &stream, 1);
        let truth = Matrix::from_fn(10, 200, |i, j| 1f64.copysign(signs[(i, j)]));
        let states = &columns * &truth + draw::normal(20, 200, &stream, 2) * faer::Scale(0.02);
        let problem = Problem {
            gram: columns.transpose() * &columns,
            pairs: coupled_pairs(&cosines(&columns, &lengths(&columns)), 0.3),
            most_flips: 60,
        };
        assert_eq!(problem.pairs, [(0, 8), (1, 9)]);
        let seen = columns.transpose() * &states;
        for k in 0..200 {
            assert_eq!(problem.descend(vec![1.0; 10], seen.col_as_slice(k)), truth.col_as_slice(k), "state {k}");
        }
    }
}
