//! The hyperbolic tangent in f32, without a division or a branch.

use super::lanes::Lanes;

/// `RECIPROCAL_MAGIC - bits(x)` are the bits of a number within 13 % of 1/x.
pub(crate) const RECIPROCAL_MAGIC: u32 = 0x7EF3_11C7;

/// Beyond this tanh rounds to one in f32.
const SATURATION: f64 = 9.0;

/// tanh(x) = x P(x^2) / Q(x^2), fitted on [0, 9] for the smallest largest relative error (2.1e-8); lowest power first.
const P: [f64; 5] = [
    0.999_999_979_462_157,
    0.133_810_265_693_245_3,
    0.003_495_589_151_591_584_7,
    2.060_909_587_737_361_5e-5,
    1.335_467_408_756_278_8e-8,
];
const Q: [f64; 5] =
    [1.0, 0.467_143_421_649_780_2, 0.025_876_986_306_033_58, 3.285_636_351_219_897_5e-4, 7.776_564_768_480_865e-7];

#[inline(always)]
fn polynomial<V: Lanes>(coefficients: &[f64; 5], z: V) -> V {
    let mut sum = V::constant(coefficients[4]);
    sum = sum.mul_add(z, V::constant(coefficients[3]));
    sum = sum.mul_add(z, V::constant(coefficients[2]));
    sum = sum.mul_add(z, V::constant(coefficients[1]));
    sum.mul_add(z, V::constant(coefficients[0]))
}

/// 1 / x for positive x. Each round turns a relative error e into e^3, so 0.13 becomes 1e-8: a division is slower and
/// blocks the unit that the products need.
#[inline(always)]
fn reciprocal<V: Lanes>(x: V) -> V {
    let mut y = x.reciprocal_guess();
    for _ in 0..2 {
        let e = x.neg_mul_add(y, V::constant(1.0));
        y = e.mul_add(e, e).mul_add(y, y);
    }
    y
}

/// tanh of every lane; NaN stays NaN. The largest relative error over all f32 is 4e-7 (tested), so that a saturated unit
/// may exceed one by the last bits.
#[inline(always)]
pub(crate) fn rational<V: Lanes>(x: V) -> V {
    // The limit is the first operand because the x86 instructions return the second when one is NaN.
    let x = V::constant(-SATURATION).max(V::constant(SATURATION).min(x));
    let z = x.mul(x);
    x.mul(polynomial(&P, z)).mul(reciprocal(polynomial(&Q, z)))
}

#[cfg(test)]
mod tests {
    use super::super::isa::{Dispatch, Isa, Kernel};
    use super::super::panels::LANE_GROUP;
    use super::*;

    struct Tanh<'a>(&'a mut [f32]);

    impl Kernel<f32> for Tanh<'_> {
        type Output = ();

        #[inline(always)]
        fn run<V: Lanes<Scalar = f32>>(self) {
            for lanes in self.0.chunks_exact_mut(V::COUNT) {
                // SAFETY: the chunk is as long as the register.
                unsafe { V::load(lanes.as_ptr()).tanh().store(lanes.as_mut_ptr()) };
            }
        }
    }

    fn tanh(isa: Isa, x: [f32; LANE_GROUP]) -> [f32; LANE_GROUP] {
        let mut y = x;
        f32::dispatch(isa, Tanh(&mut y));
        y
    }

    #[test]
    fn agrees_with_the_exact_tangent_over_all_magnitudes() {
        for isa in Isa::available() {
            let mut worst: f64 = 0.0;
            for start in (1..f32::INFINITY.to_bits() - 16 * 1009).step_by(16 * 1009) {
                let x = std::array::from_fn(|lane| f32::from_bits(start + 1009 * lane as u32));
                for (x, y) in x.into_iter().zip(tanh(isa, x)) {
                    let exact = f64::from(x).tanh();
                    // Below the normal numbers a relative error means nothing.
                    let error = (f64::from(y) - exact).abs() / exact.max(f64::from(f32::MIN_POSITIVE));
                    worst = worst.max(error);
                    assert!(y <= 1.0 + 2.0 * f32::EPSILON, "tanh({x}) = {y}");
                }
            }
            assert!(worst < 4e-7, "{isa}: {worst:e}");
        }
    }

    #[test]
    fn is_odd_saturates_and_lets_nan_through() {
        for isa in Isa::available() {
            let mut x = [0.3; LANE_GROUP];
            x[..6].copy_from_slice(&[-0.3, 0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 20.0]);
            let y = tanh(isa, x);
            assert_eq!((y[0], y[1], y[2], y[3], y[5]), (-y[6], 0.0, 1.0, -1.0, 1.0), "{isa}");
            assert!(y[4].is_nan(), "{isa}");
        }
    }
}
