//! Counter-based random numbers: any engine, on any number of threads, can make the same draw again.
//!
//! The generator is Philox 4x32 with ten rounds (Salmon et al., SC 2011). A draw is a pure function of the seed, the
//! [`Purpose`] and a three-word address, so nothing is carried from step to step and a resumed run needs no state.

/// What a stream of random numbers is for; streams of different purpose are independent for one seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// Initial weights. Address: (element block, tensor, 0).
    Weights = 1,
    /// Inputs of training batches. Address: (optimizer step, sample, bit block).
    TrainInputs = 2,
    /// Inputs of test batches. Address: (batch, sample, bit block).
    TestInputs = 3,
    /// Inputs that drive a network while it is being interpreted. Address: (batch, sample, bit block).
    ProbeInputs = 4,
    /// Inputs on which decoders are scored, never those they were fitted on. Address as for `ProbeInputs`.
    ScoreInputs = 5,
    /// Random bases and matrices. Address: (element block, matrix, factor of it).
    Matrices = 6,
    /// Starting points of the search for fixed points. Address: (element block, start, 0).
    Starts = 7,
    /// Resampling for confidence intervals. Address: (draw, resample, 0).
    Bootstrap = 8,
    /// Inputs on which a network is tested while it trains. Address as for `TestInputs`.
    LookInputs = 9,
    /// Inputs that show what a network does in tasks that it learned before. Address as for `TestInputs`.
    OldInputs = 10,
    /// Random signs in place of output errors, for the Fisher information. Address: (episode, sample, output step and
    /// block).
    OldSigns = 11,
    /// Strong cues: signs at (row, context, 0), the seed of a context's own units at (0, context, 1).
    Cues = 12,
}

/// A stream of random numbers, addressed instead of advanced.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    key: [u32; 2],
    purpose: u32,
}

const MULTIPLIER: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

impl Stream {
    /// The stream of one seed for one purpose.
    pub fn new(seed: u64, purpose: Purpose) -> Self {
        Self { key: [seed as u32, (seed >> 32) as u32], purpose: purpose as u32 }
    }

    /// The 128 random bits at an address.
    pub fn block(&self, a: u32, b: u32, c: u32) -> [u32; 4] {
        let mut x = [a, b, c, self.purpose];
        let mut key = self.key;
        for _ in 0..10 {
            let p0 = MULTIPLIER[0] * u64::from(x[0]);
            let p1 = MULTIPLIER[1] * u64::from(x[2]);
            x = [(p1 >> 32) as u32 ^ x[1] ^ key[0], p1 as u32, (p0 >> 32) as u32 ^ x[3] ^ key[1], p0 as u32];
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        x
    }

    /// Random signs without end, 128 of each of the blocks at (a, b, c), (a, b, c + 1) and so on: a bit that is set is +1, one that is
    /// clear -1.
    pub fn signs(&self, a: u32, b: u32, c: u32) -> impl Iterator<Item = f32> {
        (c..).flat_map(move |c| {
            let block = self.block(a, b, c);
            (0..128).map(move |bit| if block[bit / 32] >> (bit % 32) & 1 == 1 { 1.0 } else { -1.0 })
        })
    }

    /// The first of these signs, where one is enough.
    pub fn sign(&self, a: u32, b: u32, c: u32) -> f32 {
        if self.block(a, b, c)[0] & 1 == 1 { 1.0 } else { -1.0 }
    }

    /// Fills `out` with uniform numbers in [0, 1) of 53 random bits, from the blocks at (0, b, c), (1, b, c) and so on.
    pub fn fill_uniform(&self, b: u32, c: u32, out: &mut [f64]) {
        for (a, pair) in out.chunks_mut(2).enumerate() {
            let x = self.block(a as u32, b, c);
            for (k, value) in pair.iter_mut().enumerate() {
                *value = unit_interval(x[2 * k], x[2 * k + 1]);
            }
        }
    }

    /// Fills `out` with standard normal numbers (Box-Muller), from the blocks at (0, b, c), (1, b, c) and so on.
    pub fn fill_normal(&self, b: u32, c: u32, out: &mut [f64]) {
        for (a, pair) in out.chunks_mut(2).enumerate() {
            let x = self.block(a as u32, b, c);
            let radius = (-2.0 * (1.0 - unit_interval(x[0], x[1])).ln()).sqrt();
            let angle = std::f64::consts::TAU * unit_interval(x[2], x[3]);
            pair[0] = radius * angle.cos();
            if let Some(second) = pair.get_mut(1) {
                *second = radius * angle.sin();
            }
        }
    }
}

fn unit_interval(low: u32, high: u32) -> f64 {
    let bits = (u64::from(high) << 32 | u64::from(low)) >> 11;
    bits as f64 * (1.0 / (1u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_test_vectors() {
        // Random123, kat_vectors: philox4x32 10 rounds.
        let zero = Stream { key: [0, 0], purpose: 0 };
        assert_eq!(zero.block(0, 0, 0), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let ones = Stream { key: [u32::MAX; 2], purpose: u32::MAX };
        assert_eq!(ones.block(u32::MAX, u32::MAX, u32::MAX), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    }

    #[test]
    fn normal_numbers_have_the_moments_of_a_normal_distribution() {
        let mut x = vec![0.0; 100_001];
        Stream::new(7, Purpose::Matrices).fill_normal(0, 0, &mut x);
        let n = x.len() as f64;
        let mean = x.iter().sum::<f64>() / n;
        let variance = x.iter().map(|v| v * v).sum::<f64>() / n;
        let fourth = x.iter().map(|v| v.powi(4)).sum::<f64>() / n;
        assert!(mean.abs() < 0.015 && (variance - 1.0).abs() < 0.02 && (fourth - 3.0).abs() < 0.15);
    }

    #[test]
    fn signs_are_the_bits_of_one_block_after_another() {
        let stream = Stream::new(3, Purpose::TestInputs);
        let bit = |k: usize| stream.block(9, 4, 2 + (k / 128) as u32)[k / 32 % 4] >> (k % 32) & 1 == 1;
        assert!(stream.signs(9, 4, 2).take(300).enumerate().all(|(k, sign)| sign == if bit(k) { 1.0 } else { -1.0 }));
        assert_eq!(Some(stream.sign(9, 4, 2)), stream.signs(9, 4, 2).next());
        let sum: f32 = stream.signs(0, 0, 0).take(10_000).sum();
        assert!(sum.abs() < 300.0, "{sum}");
    }

    #[test]
    fn purposes_and_seeds_give_different_streams() {
        let draw = |seed, purpose| Stream::new(seed, purpose).block(0, 0, 0);
        assert_ne!(draw(1, Purpose::Weights), draw(2, Purpose::Weights));
        assert_ne!(draw(1, Purpose::Weights), draw(1, Purpose::TrainInputs));
        assert_ne!(draw(1, Purpose::Weights), draw(1 << 32, Purpose::Weights));
    }
}
