//! How the units that move contents hold them: each its own content and, in a random basis, a little of every other.

use crate::network::Plain;
use crate::numeric::{Matrix, NumericError, draw, regress, ridge_regression};
use crate::random::{Purpose, Stream};

/// Random contents that a code is measured on, unless there are few enough to try them all.
const SAMPLES: usize = 4096;
/// So many contents have all their combinations tried.
const FEW: usize = 12;
/// Keeps the regressions solvable; far below what decides anything.
const RIDGE: f64 = 1e-9;
/// Address of the mixing among the matrices of a seed.
const MIXING: u32 = 1;

/// The units that move contents: which content is a unit's own, and with what sign.
#[derive(Clone, Debug, Default)]
pub(super) struct Movers {
    pub(super) own: Vec<usize>,
    pub(super) signs: Vec<f64>,
    pub(super) contents: usize,
    /// Which contents are newest values.
    pub(super) newest: Vec<bool>,
}

/// A code, and how well it holds.
#[derive(Clone, Debug)]
pub(super) struct Code {
    /// Units x contents: pre-activations.
    pub(super) sums: Matrix,
    /// Units x contents: what the units become, as far as that is linear in the contents.
    pub(super) memories: Matrix,
    /// Contents x units.
    pub(super) readers: Matrix,
    /// The share of the units' variance that is linear in the contents.
    pub(super) explained: f64,
    /// Variance with which each content is read, noise of the units and what is not linear together.
    pub(super) variance: Vec<f64>,
    /// The share of an error that is left after a step.
    pub(super) kept: f64,
    /// How strongly inputs are written into newest values that are part of it; 1 where these have units that inputs override.
    pub(super) written: f64,
}

impl Code {
    /// Units driven by `gain * (own content + mixing * a random sum of the others)`.
    pub(super) fn new(
        movers: &Movers,
        plain: Plain,
        gain: f64,
        mixing: f64,
        noise: f64,
        seed: u64,
    ) -> Result<Self, NumericError> {
        if movers.contents == 0 {
            let (sums, readers) = (Matrix::zeros(0, 0), Matrix::zeros(0, 0));
            return Ok(Self {
                memories: sums.clone(),
                sums,
                readers,
                explained: 1.0,
                variance: vec![],
                kept: 0.0,
                written: 1.0,
            });
        }
        Self::of(mixed(movers, gain, mixing, seed), plain, noise, seed)
    }

    /// The code with these pre-activations.
    pub(super) fn of(sums: Matrix, plain: Plain, noise: f64, seed: u64) -> Result<Self, NumericError> {
        let count = sums.ncols();
        let contents = try_contents(count, seed);
        let mut slopes = &sums * &contents;
        let mut units = slopes.clone();
        for j in 0..units.ncols() {
            plain.squash(units.col_as_slice_mut(j));
            slopes.col_as_slice_mut(j).iter_mut().for_each(|sum| *sum = plain.slope(*sum));
        }
        let memories = regress(units.as_ref(), contents.as_ref(), RIDGE)?;
        let left = &units - &memories * &contents;
        let explained = 1.0 - left.squared_norm_l2() / units.squared_norm_l2().max(f64::MIN_POSITIVE);
        // Units are trusted as far as they are linear and quiet.
        let trust: Vec<f64> = (0..units.nrows())
            .map(|i| 1.0 / (left.row(i).squared_norm_l2() / units.ncols() as f64 + noise * noise))
            .collect();
        let weighted = Matrix::from_fn(units.nrows(), count, |i, k| trust[i] * memories[(i, k)]);
        let readers = ridge_regression(&(memories.transpose() * &weighted), &weighted.transpose().to_owned(), RIDGE)?;
        let errors = &readers * &units - &contents;
        let loud = |k: usize| noise * noise * readers.row(k).squared_norm_l2();
        let wrong = |k: usize| errors.row(k).squared_norm_l2() / errors.ncols() as f64;
        let slope: Vec<f64> = (0..units.nrows()).map(|i| slopes.row(i).sum() / slopes.ncols() as f64).collect();
        let damped = Matrix::from_fn(sums.nrows(), sums.ncols(), |i, k| slope[i] * sums[(i, k)]);
        let step = &readers * damped;
        Ok(Self {
            explained,
            variance: (0..count).map(|k| wrong(k) + loud(k)).collect(),
            kept: (0..count).map(|k| step[(k, k)].abs()).fold(0.0, f64::max),
            sums,
            memories,
            readers,
            written: 1.0,
        })
    }
}

fn mixed(movers: &Movers, gain: f64, mixing: f64, seed: u64) -> Matrix {
    let units = movers.own.len();
    let mut sums = draw::normal(units, movers.contents, &Stream::new(seed, Purpose::Matrices), MIXING);
    for i in 0..units {
        sums[(i, movers.own[i])] = 0.0;
        let size = sums.row(i).norm_l2();
        let scale = if size > 0.0 { gain * mixing / size } else { 0.0 };
        // While inputs come, a newest value is there twice: as the input, and as what f makes of values that are not all in yet.
        (0..movers.contents).for_each(|k| sums[(i, k)] *= if movers.newest[k] { 0.5 * scale } else { scale });
        sums[(i, movers.own[i])] = gain * movers.signs[i];
    }
    sums
}

/// Contents of +-1, one try a column; the opposite of a try says nothing new, as units without biases are odd.
fn try_contents(count: usize, seed: u64) -> Matrix {
    let sign = |up: bool| if up { 1.0 } else { -1.0 };
    if count <= FEW {
        return Matrix::from_fn(count, 1 << count.saturating_sub(1), |k, m| sign(m >> k & 1 == 1));
    }
    let stream = Stream::new(seed, Purpose::ProbeInputs);
    let blocks: Vec<[u32; 4]> = (0..SAMPLES * count.div_ceil(128))
        .map(|at| stream.block((at % SAMPLES) as u32, (at / SAMPLES) as u32, 0))
        .collect();
    Matrix::from_fn(count, SAMPLES, |k, m| {
        let block = blocks[k / 128 * SAMPLES + m];
        sign(block[k % 128 / 32] >> (k % 32) & 1 == 1)
    })
}
