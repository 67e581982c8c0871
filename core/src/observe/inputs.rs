//! Inputs that networks are shown: drawn, or every window where there are few.

use crate::numeric::Matrix;
use crate::random::Stream;
use crate::task::{Episodes, TaskError, Window};

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

/// Random inputs, (s, episodes, d).
pub(crate) fn draw_inputs(
    (s, d): (usize, usize),
    episodes: usize,
    stream: &Stream,
    index: u32,
) -> Result<Vec<f32>, TaskError> {
    // Only its sizes matter: inputs do not depend on f.
    let any = Window::named("repeat-copy", Some(s), Some(d))?;
    let mut drawn = Episodes::new(&any, episodes);
    drawn.draw(&any, stream, index, 0);
    Ok(drawn.inputs().to_vec())
}

/// Inputs (s, episodes, d) as windows, s*d x episodes.
pub(crate) fn as_windows(inputs: &[f32], (s, d): (usize, usize)) -> Matrix {
    let episodes = inputs.len() / (s * d).max(1);
    Matrix::from_fn(s * d, episodes, |slot, e| f64::from(inputs[(slot / d * episodes + e) * d + slot % d]))
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
