//! Which input each episode was shown: episodes of one stimulus belong together.
//!
//! Laboratories show each stimulus many times. What belongs to a stimulus by chance comes back with it, so that a code is judged on
//! stimuli that it was not fitted on, and not on episodes.

use super::Batch;
use crate::numeric::Matrix;
use std::collections::BTreeMap;

/// For each episode the number of its input among those that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    of: Vec<usize>,
    count: usize,
}

impl Shown {
    /// Looks at inputs (s, episodes, d) of +1 and -1; numbers follow the order in which inputs first appear.
    pub fn of(inputs: &[f32], episodes: usize, d: usize) -> Self {
        let mut known: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
        let signs = |e: usize| -> Vec<bool> {
            let steps = inputs.chunks_exact((episodes * d).max(1));
            steps.flat_map(|step| step[e * d..(e + 1) * d].iter().map(|&u| u > 0.0)).collect()
        };
        let of = (0..episodes)
            .map(|e| {
                let next = known.len();
                *known.entry(signs(e)).or_insert(next)
            })
            .collect();
        Self { of, count: known.len() }
    }

    /// Episodes of which no two show the same.
    pub fn once(episodes: usize) -> Self {
        Self { of: (0..episodes).collect(), count: episodes }
    }

    /// Inputs that differ.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Episodes.
    pub fn episodes(&self) -> usize {
        self.of.len()
    }

    /// The number of the input of an episode.
    pub fn input(&self, episode: usize) -> usize {
        self.of[episode]
    }

    /// The first episode that shows each input.
    pub fn firsts(&self) -> Vec<usize> {
        let mut firsts = vec![usize::MAX; self.count];
        self.of.iter().enumerate().for_each(|(e, &input)| firsts[input] = firsts[input].min(e));
        firsts
    }

    /// How often an input is shown, on average.
    pub fn repeats(&self) -> f64 {
        self.of.len() as f64 / self.count.max(1) as f64
    }
}

impl Batch {
    /// Which input each of its episodes was shown.
    pub fn shown(&self) -> Shown {
        Shown::of(&self.inputs, self.episodes, self.outputs.first().map_or(0, Matrix::nrows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn episodes_of_one_input_share_its_number() {
        // Two steps of two components, four episodes; the second and the last differ in the last step alone.
        let first = [1.0, 1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 1.0];
        let second = [1.0, -1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0];
        let shown = Shown::of(&[first, second].concat(), 4, 2);
        assert_eq!((0..4).map(|e| shown.input(e)).collect::<Vec<_>>(), [0, 1, 0, 2]);
        assert_eq!((shown.count(), shown.firsts(), shown.repeats()), (3, vec![0, 1, 3], 4.0 / 3.0));
        assert_eq!(Shown::once(3).firsts(), [0, 1, 2]);
    }
}
