//! Hyperbolic tangent of many numbers at once.

use std::f64::consts::LOG2_E;

/// Adding and subtracting this rounds a number below 2^51 to the nearest whole one, and leaves it in the low bits.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

/// Where tanh rounds to 1.
const SATURATED: f64 = 19.1;

/// ln 2 in two pieces, so that a multiple of it is subtracted without loss.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Replaces every number by its hyperbolic tangent, to within a few units in the last place.
///
/// Branch-free arithmetic, so that compilers vectorize it and every processor gives the same bits: the multiply-adds are fused
/// on all of them, and wider vectors change the speed alone. WebAssembly alone rounds twice. The system's `tanh` is several times slower and differs
/// between systems.
pub fn tanh_in_place(values: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has just said that it has the instructions.
        return unsafe { tanh_by_eights(values) };
    }
    pulp::Arch::new().dispatch(|| tanh_by_one_loop(values));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn tanh_by_eights(values: &mut [f64]) {
    tanh_by_one_loop(values);
}

#[inline(always)]
fn tanh_by_one_loop(values: &mut [f64]) {
    for x in values {
        *x = tanh(*x);
    }
}

/// `a b + c`, rounded once. WebAssembly has no such instruction, and doing without is fifty times as fast there.
#[inline(always)]
fn fused(a: f64, b: f64, c: f64) -> f64 {
    if cfg!(target_arch = "wasm32") { a * b + c } else { a.mul_add(b, c) }
}

/// `tanh |x| = (e^2|x| - 1) / (e^2|x| + 1)`, with `e^y - 1 = 2^k (e^r - 1) + (2^k - 1)` for `y = k ln 2 + r`.
#[inline(always)]
fn tanh(x: f64) -> f64 {
    // Not `min`, which would lose NaN.
    let y = 2.0 * if x.abs() > SATURATED { SATURATED } else { x.abs() };
    let shifted = fused(y, LOG2_E, ROUNDING);
    let k = shifted - ROUNDING;
    let r = fused(k, -LN_2_LOW, fused(k, -LN_2_HIGH, y));
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    let grown = fused(power, exp_minus_one(r), power - 1.0);
    (grown / (grown + 2.0)).copysign(x)
}

/// Taylor series of `e^r - 1` for |r| up to half of ln 2: the first term left out is below 1e-17 of the sum.
#[inline(always)]
fn exp_minus_one(r: f64) -> f64 {
    const FACTORIALS: [f64; 13] = [
        6_227_020_800.0,
        479_001_600.0,
        39_916_800.0,
        3_628_800.0,
        362_880.0,
        40_320.0,
        5_040.0,
        720.0,
        120.0,
        24.0,
        6.0,
        2.0,
        1.0,
    ];
    let mut sum: f64 = 0.0;
    for factorial in FACTORIALS {
        sum = fused(sum, r, 1.0 / factorial);
    }
    sum * r
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_system_to_a_few_units_in_the_last_place() {
        let mut worst: f64 = 0.0;
        for k in -200_000..=200_000 {
            for x in [k as f64 * 1.3e-4, k as f64 * 1.1e-9, (k as f64 * 3e-3).exp()] {
                let (mut found, exact) = ([x], x.tanh());
                tanh_in_place(&mut found);
                worst = worst.max(((found[0] - exact) / exact.abs().max(f64::MIN_POSITIVE)).abs());
            }
        }
        assert!(worst < 4.0 * f64::EPSILON, "off by {worst:e}");
    }

    #[test]
    fn zeros_infinities_and_nan_are_kept() {
        let mut values = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-310];
        tanh_in_place(&mut values);
        assert_eq!(values[..4], [0.0, -0.0, 1.0, -1.0]);
        assert!(values[1].is_sign_negative() && values[4].is_nan() && values[5] == 1e-310);
    }
}
