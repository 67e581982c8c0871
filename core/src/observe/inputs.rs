//! Inputs that networks are shown: drawn, or every window where there are few.

use crate::numeric::Matrix;
use crate::task::in_window;

/// How many windows of signs there are, if no more than `most`.
pub(crate) fn window_count((s, d): (usize, usize), most: usize) -> Option<usize> {
    let count = 1usize.checked_shl(u32::try_from(s * d).ok()?)?;
    (count <= most).then_some(count)
}

/// Every window of signs as often as any other, in at most `most` episodes: inputs (s, episodes, d), and how many episodes.
pub(super) fn every_window((s, d): (usize, usize), most: usize) -> Option<(Vec<f32>, usize)> {
    let count = window_count((s, d), most)?;
    let episodes = most / count * count;
    let sign = |at: usize| {
        let (step, episode, component) = (at / (episodes * d), at / d % episodes, at % d);
        if episode >> (step * d + component) & 1 == 1 { 1.0 } else { -1.0 }
    };
    Some(((0..s * episodes * d).map(sign).collect(), episodes))
}

/// Inputs (s, episodes, d) as windows, s*d x episodes.
pub(crate) fn as_windows(inputs: &[f32], (s, d): (usize, usize)) -> Matrix {
    let episodes = inputs.len() / (s * d).max(1);
    Matrix::from_fn(s * d, episodes, |slot, e| in_window(inputs, (episodes, d), slot, e))
}

/// The same inputs (s, bases, d) once for each of some groups, with one component of the window turned over in each, or none:
/// (s, groups * bases, d).
pub(super) fn turned_over(inputs: &[f32], (bases, d): (usize, usize), groups: &[Option<usize>]) -> Vec<f32> {
    let mut all = Vec::with_capacity(groups.len() * inputs.len());
    for (t, step) in inputs.chunks(bases * d).enumerate() {
        for group in groups {
            let first = all.len();
            all.extend_from_slice(step);
            if let Some(slot) = group.filter(|slot| slot / d == t) {
                (0..bases).for_each(|base| all[first + base * d + slot % d] *= -1.0);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::network::{Activation, Architecture, Initialization};
    use crate::observe::{Batch, ObserveParams, Watch, observe};
    use std::collections::BTreeMap;

    #[test]
    fn few_windows_are_all_tried_equally_often_and_many_are_drawn() {
        let network = Initialization::Gaussian.network(&Architecture::elman(6, Activation::Tanh, false), 2, 2, 4);
        let windows = |s: usize| {
            let Batch { inputs, episodes, .. } =
                observe(&network, (s, 2), &ObserveParams::default(), &Watch::nobody()).unwrap().trial;
            let window = |e: usize| (0..2 * s).map(|i| inputs[(i / 2 * episodes + e) * 2 + i % 2] > 0.0).collect();
            (0..episodes).fold(BTreeMap::<Vec<bool>, usize>::new(), |mut seen, e| {
                *seen.entry(window(e)).or_default() += 1;
                seen
            })
        };
        assert!(windows(3).len() == 64 && windows(3).values().all(|&times| times == 4));
        assert!(windows(4).len() == 256 && windows(4).values().all(|&times| times == 1));
        assert!(windows(5).len() < 256 && windows(5).values().sum::<usize>() == 256, "1024 windows are too many");
    }
}
