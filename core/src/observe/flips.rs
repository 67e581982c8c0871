//! One input at a time turned over: what does the network make of it?

use super::inputs::turned_over;
use super::{Batch, ObserveError, ObserveParams, Watch};
use crate::network::Network;
use crate::random::Stream;
use crate::score::differ;
use crate::task::draw_inputs;

/// Episodes, and the same episodes with one input flipped.
#[derive(Clone, Debug)]
pub struct Flips {
    /// First the episodes as they were drawn, then as many for each flipped input; s output steps.
    pub batch: Batch,
    /// How many were drawn.
    pub bases: usize,
    /// The inputs that were flipped, as window components (step times d plus component).
    pub inputs: Vec<usize>,
}

impl Flips {
    pub(super) fn run(
        network: &Network,
        (s, d): (usize, usize),
        stream: &Stream,
        params: &ObserveParams,
        watch: &Watch<'_>,
    ) -> Result<Self, ObserveError> {
        let (bases, window) = (params.flip_bases.max(1), s * d);
        let flipped = window.min(params.most_flips);
        let inputs: Vec<usize> = (0..flipped).map(|k| k * window / flipped).collect();
        let drawn = draw_inputs((s, d), bases, stream, 3)?;
        let episodes = bases * (1 + flipped);
        let groups: Vec<Option<usize>> = [None].into_iter().chain(inputs.iter().copied().map(Some)).collect();
        let presented = turned_over(&drawn, (bases, d), &groups);
        Ok(Self {
            batch: Batch::run(network, presented, episodes, params.ends_after.map_or(s, |end| s.min(end)), &[], watch)?,
            bases,
            inputs,
        })
    }

    /// Whether every output is seen to depend on more than `most` inputs at the first output step.
    pub fn all_depend_on_more_than(&self, most: usize) -> bool {
        let Some(produced) = self.batch.outputs.first() else { return false };
        let changes = |output: usize, k: usize| {
            (0..self.bases).any(|base| differ(produced[(output, base)], produced[(output, self.episode(k, base))]))
        };
        let inputs = |output: usize| (0..self.inputs.len()).filter(|&k| changes(output, k)).count();
        (0..produced.nrows()).all(|output| inputs(output) > most)
    }

    /// The episode in which input `k` of the flipped ones is turned over in `base`.
    pub fn episode(&self, k: usize, base: usize) -> usize {
        (k + 1) * self.bases + base
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Architecture, Initialization};
    use crate::random::Purpose;

    #[test]
    fn one_input_differs_and_it_is_the_one_that_is_named() {
        let network = Initialization::Uniform.network(&Architecture::elman(6, Activation::Tanh, false), 3, 3, 4);
        let params = ObserveParams { most_flips: 5, ..ObserveParams::default() };
        let flips =
            Flips::run(&network, (4, 3), &Stream::new(1, Purpose::ScoreInputs), &params, &Watch::nobody()).unwrap();
        assert_eq!((flips.inputs.as_slice(), flips.batch.episodes), ([0, 2, 4, 7, 9].as_slice(), 24));
        for (k, &slot) in flips.inputs.iter().enumerate() {
            for base in 0..flips.bases {
                let input = |episode: usize, slot: usize| flips.batch.inputs[(slot / 3 * 24 + episode) * 3 + slot % 3];
                let differs: Vec<usize> =
                    (0..12).filter(|&at| input(base, at) != input(flips.episode(k, base), at)).collect();
                assert_eq!(differs, [slot]);
            }
        }
    }
}
