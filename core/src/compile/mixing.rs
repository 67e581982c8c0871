//! How much of the other contents a unit of a random basis can bear.

use super::check::{self, Reading};
use super::circuit::Role;
use super::code::Code;
use super::weights::{Made, Parts};
use super::{CompileError, CompileParams, GATE, UnitBasis};
use crate::task::Window;

/// How many shares are tried, evenly from the largest down.
const TRIES: u32 = 10;
/// With more contents than this a try takes seconds, and large shares do not pass: only the smallest are tried.
const MANY: usize = 256;
const TRIES_OF_MANY: u32 = 4;
/// A share is taken if one that is larger by this factor passes the trial: what a trial sees once in a million readings, a long run
/// must never see.
const SAFETY: f64 = 0.75;
/// Episodes and the most output steps of a trial.
const TRIAL: (usize, usize) = (256, 60);
/// Numbers that a trial may multiply: fewer steps for large networks.
const WORK: usize = 1_000_000_000;

/// The largest share with which a code stays linear and no reading comes near to its threshold in a harder trial, and that code.
pub(super) fn choose(parts: &Parts<'_>, task: &Window, params: &CompileParams) -> Result<(Code, f64), CompileError> {
    let of = |mixing: f64| {
        let (movers, plain) = (&parts.moving.movers, parts.drive.plain);
        Code::new(movers, plain, params.gain, mixing, params.state_noise, params.seed)
    };
    let tries = match parts.moving.of.len() {
        0 | 1 => 0,
        _ if params.basis == UnitBasis::Units => 0,
        contents => {
            if contents > MANY {
                TRIES_OF_MANY
            } else {
                TRIES
            }
        }
    };
    for part in (1..=tries).rev() {
        let mixing = params.mixing * f64::from(part) / f64::from(TRIES);
        let code = of(mixing)?;
        let margin = Made { parts: *parts, code: &code }.margin(params.state_noise);
        if code.explained < params.linear || margin < params.margin {
            continue;
        }
        let harder = Made { parts: *parts, code: &of(mixing / SAFETY)? };
        if keeps_clear(&harder, task, params) {
            return Ok((code, mixing));
        }
    }
    Ok((of(0.0)?, 0.0))
}

/// Whether every reading keeps clear of its threshold in a trial.
fn keeps_clear(made: &Made<'_>, task: &Window, params: &CompileParams) -> bool {
    let network = made.parts.drive.plain.network(made.weights(), GATE);
    let (episodes, most) = TRIAL;
    let steps = (WORK / (episodes * network.hidden().pow(2)).max(1)).clamp(20, most);
    let trial = (episodes, steps, params.state_noise);
    // Other inputs than those of the check at the end.
    check::keeps_clear(&network, task, &readings(made), !params.seed, trial, params.nearest)
}

/// Every content that is held alone, and every sum of contents that a threshold is put on.
fn readings(made: &Made<'_>) -> Vec<Reading> {
    let (circuit, readers) = (made.parts.circuit, made.readers());
    // The content of each signal that holds only one.
    let content = |signal: usize| {
        let mut held = (0..circuit.contents.len()).filter(|&content| circuit.holder[content] == signal);
        held.next().filter(|_| held.next().is_none())
    };
    let reading = |reads: &[(usize, f64)], threshold: f64, half_gap: f64| {
        let of = reads.iter().map(|&(signal, weight)| Some((circuit.contents[content(signal)?], weight)));
        let sum = |i: usize| reads.iter().map(|&(signal, weight)| weight * readers[(signal, i)]).sum();
        let reader = (0..readers.ncols()).map(sum).collect();
        Some(Reading { of: of.collect::<Option<_>>()?, threshold, half_gap, reader })
    };
    let contents = (0..circuit.signals.len()).filter_map(|signal| reading(&[(signal, 1.0)], 0.0, 1.0));
    let gates = circuit.units.iter().filter(|unit| matches!(unit.role, Role::Gate { .. }));
    contents.chain(gates.filter_map(|unit| reading(&unit.reads, unit.threshold, unit.half_gap))).collect()
}
