//! How the units that move contents hold them: each its own content and, in a random basis, a little of every other.

use super::circuit::{Circuit, Role, Unit};
use super::redundancy::Drive;
use super::weights::Moving;
use super::{Basis, CompileError, CompileParams};
use crate::network::Plain;
use crate::numeric::{Matrix, NumericError, draw, ridge_regression};
use crate::random::{Purpose, Stream};

/// Random contents that a code is measured on, unless there are few enough to try them all.
const SAMPLES: usize = 4096;
/// So many contents have all their combinations tried.
const FEW: usize = 12;
/// The largest error of a reading without noise, as a share of what is read.
const WORST: f64 = 0.6;
/// Keeps the regressions solvable; far below what decides anything.
const RIDGE: f64 = 1e-9;
/// Address of the mixing among the matrices of a seed.
const MIXING: u32 = 1;

/// The units that move contents: which content is a unit's own, and with what sign.
#[derive(Clone, Debug)]
pub(super) struct Movers {
    pub(super) own: Vec<usize>,
    pub(super) signs: Vec<f64>,
    pub(super) contents: usize,
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
    /// The largest error of a reading without noise, and the share of an error that is left after a step.
    pub(super) worst: f64,
    pub(super) kept: f64,
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
            return Ok(Self { memories: sums.clone(), sums, readers, explained: 1.0, variance: vec![], worst: 0.0, kept: 0.0 });
        }
        let sums = mixed(movers, gain, mixing, seed);
        let contents = try_contents(movers.contents, seed);
        let mut slopes = &sums * &contents;
        let mut units = slopes.clone();
        for j in 0..units.ncols() {
            plain.squash(units.col_as_slice_mut(j));
            slopes.col_as_slice_mut(j).iter_mut().for_each(|sum| *sum = plain.slope(*sum));
        }
        let right = &contents * units.transpose();
        let memories = ridge_regression(&(&contents * contents.transpose()), &right, RIDGE)?.transpose().to_owned();
        let left = &units - &memories * &contents;
        let explained = 1.0 - left.squared_norm_l2() / units.squared_norm_l2().max(f64::MIN_POSITIVE);
        // Units are trusted as far as they are linear and quiet.
        let trust: Vec<f64> = (0..units.nrows())
            .map(|i| 1.0 / (left.row(i).squared_norm_l2() / units.ncols() as f64 + noise * noise))
            .collect();
        let weighted = Matrix::from_fn(units.nrows(), movers.contents, |i, k| trust[i] * memories[(i, k)]);
        let readers =
            ridge_regression(&(memories.transpose() * &weighted), &weighted.transpose().to_owned(), RIDGE)?;
        let errors = &readers * &units - &contents;
        let loud = |k: usize| noise * noise * readers.row(k).squared_norm_l2();
        let wrong = |k: usize| errors.row(k).squared_norm_l2() / errors.ncols() as f64;
        let slope: Vec<f64> = (0..units.nrows()).map(|i| slopes.row(i).sum() / slopes.ncols() as f64).collect();
        let damped = Matrix::from_fn(sums.nrows(), sums.ncols(), |i, k| slope[i] * sums[(i, k)]);
        let step = &readers * damped;
        Ok(Self {
            explained,
            variance: (0..movers.contents).map(|k| wrong(k) + loud(k)).collect(),
            worst: errors.norm_max(),
            kept: (0..movers.contents).map(|k| step[(k, k)].abs()).fold(0.0, f64::max),
            sums,
            memories,
            readers,
        })
    }
}

/// Tries to mix from as much as allowed down to nothing, until the code is linear enough and keeps its margin.
pub(super) fn choose(
    circuit: &Circuit,
    drive: &Drive,
    copies: &[usize],
    moving: &Moving,
    params: &CompileParams,
) -> Result<(Code, f64), CompileError> {
    let of = |mixing: f64| {
        Code::new(&moving.movers, drive.plain, drive.gain, mixing, params.state_noise, params.seed)
    };
    if params.basis == Basis::Random && moving.of.len() > 1 {
        for twentieth in (1..=10).rev() {
            let mixing = params.mixing * f64::from(twentieth) / 10.0;
            let code = of(mixing)?;
            let margin = margin(circuit, drive, copies, moving, &code, params);
            if code.explained >= params.linear && margin >= params.margin && code.worst <= WORST {
                return Ok((code, mixing));
            }
        }
    }
    Ok((of(0.0)?, 0.0))
}

/// How many standard deviations every reading keeps from its threshold.
pub(super) fn margin(
    circuit: &Circuit,
    drive: &Drive,
    copies: &[usize],
    moving: &Moving,
    code: &Code,
    params: &CompileParams,
) -> f64 {
    let by_unit = |&(unit, coefficient): &(usize, f64)| {
        (params.state_noise * coefficient / drive.amplitude(&circuit.units[unit])).powi(2) / copies[unit] as f64
    };
    let mut variance: Vec<f64> = circuit.signals.iter().map(|made| made.iter().map(by_unit).sum()).collect();
    for (k, (_, signal)) in moving.of.iter().enumerate() {
        // What is left of an error adds up over the steps.
        variance[*signal] = code.variance[k] / (1.0 - code.kept.min(0.99).powi(2));
    }
    let of = |reads: &[(usize, f64)]| reads.iter().map(|&(signal, weight)| weight * weight * variance[signal]).sum::<f64>();
    let mut levels = variance.clone();
    for (signal, made) in circuit.signals.iter().enumerate() {
        if let Some(unit) = made.first().map(|(unit, _)| &circuit.units[*unit])
            && matches!(unit.role, Role::Level { .. })
        {
            levels[signal] += drive.levels.slope.powi(2) * of(&unit.reads);
        }
    }
    let reads = |unit: &&Unit| !unit.reads.is_empty() && !matches!(unit.role, Role::Level { .. });
    let readers = circuit.units.iter().filter(reads);
    let of_level = |reads: &[(usize, f64)]| reads.iter().map(|&(signal, weight)| weight * weight * levels[signal]).sum::<f64>();
    let outputs = circuit.newest.iter().map(|&signal| 1.0 / levels[signal].sqrt());
    readers.map(|unit| unit.half_gap / of_level(&unit.reads).sqrt()).chain(outputs).fold(f64::INFINITY, f64::min)
}

fn mixed(movers: &Movers, gain: f64, mixing: f64, seed: u64) -> Matrix {
    let units = movers.own.len();
    let mut sums = draw::normal(units, movers.contents, &Stream::new(seed, Purpose::Matrices), MIXING);
    for i in 0..units {
        sums[(i, movers.own[i])] = 0.0;
        let size = sums.row(i).norm_l2();
        let scale = if size > 0.0 { gain * mixing / size } else { 0.0 };
        (0..movers.contents).for_each(|k| sums[(i, k)] *= scale);
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
