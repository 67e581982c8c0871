//! Matching two sets of angles on the circle.

use std::f64::consts::TAU;

use super::NumericError;
use crate::choose::words;

crate::setting::leaves!(Matching);

/// How angles are paired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// The pairing with the smallest sum of arcs.
    #[default]
    Optimal,
    /// Each angle of the first set, in the order given, takes the nearest one still free. Depends on the order; kept
    /// for parity with the authors' code.
    Greedy,
}

words!(Matching, "matching": Optimal = "optimal", Greedy = "greedy");

/// A one-to-one pairing of two sets of angles.
#[derive(Clone, Debug, PartialEq)]
pub struct AngleMatching {
    /// Places in the first set and in the second, rising in the first.
    pub pairs: Vec<(usize, usize)>,
    /// Mean arc between partners (radians); 0 for empty sets.
    pub mean_error: f64,
    /// Largest arc between partners (radians).
    pub worst_error: f64,
}

/// Distance of two angles along the circle, from 0 to pi.
pub fn arc(a: f64, b: f64) -> f64 {
    let gap = (a - b).abs() % TAU;
    gap.min(TAU - gap)
}

/// Pairs every angle of `first` with one of `second`.
///
/// The optimum is exact. After sorting both sets around the circle some optimal pairing is a rotation of one list
/// against the other (crossing partners can be uncrossed at no cost), so the best of the n rotations is best of all.
///
/// ```
/// use ketbra::numeric::{Matching, match_angles};
/// let matching = match_angles(&[3.1, 0.0], &[0.1, -3.1], Matching::Optimal)?;
/// assert_eq!(matching.pairs, [(0, 1), (1, 0)]);
/// # Ok::<(), ketbra::numeric::NumericError>(())
/// ```
pub fn match_angles(first: &[f64], second: &[f64], how: Matching) -> Result<AngleMatching, NumericError> {
    if first.len() != second.len() {
        return Err(NumericError::Size { what: "angles to match", found: second.len(), needed: first.len() });
    }
    for (column, set) in [first, second].into_iter().enumerate() {
        if let Some(row) = set.iter().position(|angle| !angle.is_finite()) {
            return Err(NumericError::NotFinite { row, column, value: set[row] });
        }
    }
    let (first, second) = (&within_one_turn(first), &within_one_turn(second));
    let mut pairs = match how {
        Matching::Optimal => best_rotation(first, second),
        Matching::Greedy => nearest_free(first, second),
    };
    // Summed from small to large: the sum of a set of arcs then does not depend on which came first.
    let mut arcs: Vec<f64> = pairs.iter().map(|&(i, j)| arc(first[i], second[j])).collect();
    arcs.sort_by(f64::total_cmp);
    let (sum, worst_error) = (arcs.iter().sum::<f64>(), arcs.last().copied().unwrap_or(0.0));
    pairs.sort_unstable();
    Ok(AngleMatching { mean_error: (sum + 0.0) / first.len().max(1) as f64, worst_error, pairs })
}

fn best_rotation(first: &[f64], second: &[f64]) -> Vec<(usize, usize)> {
    let (a, b) = (around_the_circle(first), around_the_circle(second));
    let n = a.len();
    let partners = |shift: usize| (0..n).map(move |k| (k, (k + shift) % n));
    let cost = |shift| partners(shift).map(|(i, j)| arc(first[a[i]], second[b[j]])).sum::<f64>();
    let best = (0..n).map(|shift| (cost(shift), shift)).min_by(|x, y| x.0.total_cmp(&y.0));
    best.map(|(_, shift)| partners(shift).map(|(i, j)| (a[i], b[j])).collect()).unwrap_or_default()
}

fn around_the_circle(angles: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..angles.len()).collect();
    order.sort_by(|&i, &j| angles[i].total_cmp(&angles[j]));
    order
}

fn within_one_turn(angles: &[f64]) -> Vec<f64> {
    angles.iter().map(|angle| angle.rem_euclid(TAU)).collect()
}

fn nearest_free(first: &[f64], second: &[f64]) -> Vec<(usize, usize)> {
    let mut free: Vec<usize> = (0..second.len()).collect();
    let mut take_nearest = |i: usize| {
        let nearest = (0..free.len())
            .min_by(|&x, &y| arc(first[i], second[free[x]]).total_cmp(&arc(first[i], second[free[y]])))?;
        Some((i, free.remove(nearest)))
    };
    (0..first.len()).filter_map(&mut take_nearest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute_force(first: &[f64], second: &[f64]) -> f64 {
        fn extend(first: &[f64], second: &[f64], used: &mut Vec<bool>, sum: f64, best: &mut f64) {
            let Some((head, tail)) = first.split_first() else {
                *best = best.min(sum);
                return;
            };
            for j in 0..second.len() {
                if !used[j] {
                    used[j] = true;
                    extend(tail, second, used, sum + arc(*head, second[j]), best);
                    used[j] = false;
                }
            }
        }
        let mut best = f64::INFINITY;
        extend(first, second, &mut vec![false; second.len()], 0.0, &mut best);
        best / first.len().max(1) as f64
    }

    fn angle() -> impl Strategy<Value = f64> {
        // Multiples of pi/8 make ties and antipodes common.
        prop_oneof![-10.0..10.0f64, (-16i32..16).prop_map(|k| f64::from(k) * TAU / 16.0)]
    }

    fn two_sets() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
        (0usize..=8).prop_flat_map(|n| (prop::collection::vec(angle(), n), prop::collection::vec(angle(), n)))
    }

    proptest! {
        #[test]
        fn the_optimum_is_that_of_all_permutations((first, second) in two_sets()) {
            let found = match_angles(&first, &second, Matching::Optimal).unwrap();
            let best = brute_force(&first, &second);
            let best = if first.is_empty() { 0.0 } else { best };
            prop_assert!((found.mean_error - best).abs() <= 1e-12, "{} against {}", found.mean_error, best);
            let greedy = match_angles(&first, &second, Matching::Greedy).unwrap();
            prop_assert!(greedy.mean_error >= found.mean_error - 1e-12);
        }

        #[test]
        fn the_order_of_the_input_changes_nothing(
            (first, second) in two_sets(), shuffle in prop::collection::vec(any::<u32>(), 8),
        ) {
            let reorder = |set: &[f64]| {
                let mut keyed: Vec<(u32, f64)> = shuffle.iter().copied().zip(set.iter().copied()).collect();
                keyed.sort_by_key(|(key, _)| *key);
                keyed.into_iter().map(|(_, angle)| angle).collect::<Vec<_>>()
            };
            let found = match_angles(&first, &second, Matching::Optimal).unwrap();
            let again = match_angles(&reorder(&first), &reorder(&second), Matching::Optimal).unwrap();
            prop_assert_eq!(found.mean_error.to_bits(), again.mean_error.to_bits());
        }

        #[test]
        fn identical_sets_are_exactly_zero_apart(angles in prop::collection::vec(angle(), 0..40)) {
            let mut turned = angles.clone();
            turned.reverse();
            let found = match_angles(&angles, &turned, Matching::Optimal).unwrap();
            prop_assert_eq!(found.mean_error.to_bits(), 0.0f64.to_bits());
        }
    }

    #[test]
    fn greedy_matching_can_be_worse_and_depends_on_the_order() {
        let greedy = |first: &[f64]| match_angles(first, &[1.0, 0.0], Matching::Greedy).unwrap().mean_error;
        assert!(greedy(&[0.6, 1.5]) > greedy(&[1.5, 0.6]));
    }

    #[test]
    fn unequal_counts_and_nan_are_refused() {
        assert!(match_angles(&[0.0], &[], Matching::Optimal).is_err());
        assert!(match_angles(&[0.0], &[f64::NAN], Matching::Optimal).is_err());
    }
}
