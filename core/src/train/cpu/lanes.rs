//! Vectors of numbers: the kernels are written once over [`Lanes`] and compiled for every instruction set.

use std::ops::{Add, Neg};

use super::tanh;

/// A floating-point number that the kernels can work on.
pub(crate) trait Real: Copy + Default + Send + Sync + Add<Output = Self> + Neg<Output = Self> + 'static {
    fn from_f64(value: f64) -> Self;
    fn to_f64(self) -> f64;
}

impl Real for f32 {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
}

/// What is smaller is as good as zero: Adam adds 1e-8 to the size of a gradient. Squared it is still a normal number; with
/// denormal ones, which states that fade and gradients that vanish become, processors are a hundred times slower.
pub(crate) const NEGLIGIBLE: f64 = 1e-15;

/// A register of numbers. `load` and `store` need `COUNT` valid numbers at the pointer.
///
/// Registers must stay within `#[inline(always)]` functions: one that passes through a closure of the standard library
/// (`map`, `map_or`, `fold`) leaves the instruction set of its kernel, and every operation becomes a call.
pub(crate) trait Lanes: Copy {
    type Scalar: Real;
    /// Numbers in one register; divides [`super::panels::LANE_GROUP`].
    const COUNT: usize;
    /// Registers of the instruction set, which a tile should fill.
    const REGISTERS: usize;

    unsafe fn load(from: *const Self::Scalar) -> Self;
    unsafe fn store(self, to: *mut Self::Scalar);
    fn splat(value: Self::Scalar) -> Self;
    /// Asks for the line of memory around an address, valid or not, to be brought near.
    #[inline(always)]
    fn prefetch(_from: *const Self::Scalar) {}
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    /// `self * factor + term`
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// `term - self * factor`
    fn neg_mul_add(self, factor: Self, term: Self) -> Self;
    /// A first guess of 1 / self, from the bits of the exponent: within 13 % for positive normal numbers.
    fn reciprocal_guess(self) -> Self;
    fn tanh(self) -> Self;
    /// One where a lane is above zero, zero elsewhere.
    fn is_positive(self) -> Self;
    /// Zero where a lane is [`NEGLIGIBLE`].
    fn without_negligible(self) -> Self;

    #[inline(always)]
    fn constant(value: f64) -> Self {
        Self::splat(Self::Scalar::from_f64(value))
    }
}

/// Plain arrays, for machines without the instruction sets of [`super::x86`], and for gradient checks in f64.
#[derive(Clone, Copy)]
pub(crate) struct Portable<S>([S; 4]);

macro_rules! portable_lanes {
    ($scalar:ty, $bits:ty, $magic:expr, $tanh:expr) => {
        impl Portable<$scalar> {
            #[inline(always)]
            fn zip(self, other: Self, f: impl Fn($scalar, $scalar) -> $scalar) -> Self {
                Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
            }
        }

        impl Lanes for Portable<$scalar> {
            type Scalar = $scalar;
            const COUNT: usize = 4;
            const REGISTERS: usize = 16;

            #[inline(always)]
            unsafe fn load(from: *const $scalar) -> Self {
                // SAFETY: the caller vouches for COUNT numbers at `from`.
                Self(unsafe { from.cast::<[$scalar; 4]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $scalar) {
                // SAFETY: the caller vouches for COUNT numbers at `to`.
                unsafe { to.cast::<[$scalar; 4]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            fn splat(value: $scalar) -> Self {
                Self([value; 4])
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.zip(other, |a, b| a + b)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.zip(other, |a, b| a - b)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.zip(other, |a, b| a * b)
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                self.zip(other, |a, b| a / b)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(self.0.map(<$scalar>::sqrt))
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                self.zip(other, |a, b| if a > b { a } else { b })
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                self.zip(other, |a, b| if a < b { a } else { b })
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                self.mul(factor).add(term)
            }
            #[inline(always)]
            fn neg_mul_add(self, factor: Self, term: Self) -> Self {
                term.sub(self.mul(factor))
            }
            #[inline(always)]
            fn reciprocal_guess(self) -> Self {
                Self(self.0.map(|x| <$scalar>::from_bits(($magic as $bits).wrapping_sub(x.to_bits()))))
            }
            #[inline(always)]
            fn tanh(self) -> Self {
                $tanh(self)
            }
            #[inline(always)]
            fn is_positive(self) -> Self {
                Self(self.0.map(|x| if x > 0.0 { 1.0 } else { 0.0 }))
            }
            #[inline(always)]
            fn without_negligible(self) -> Self {
                Self(self.0.map(|x| if x.abs() < NEGLIGIBLE as $scalar { 0.0 } else { x }))
            }
        }
    };
}

portable_lanes!(f32, u32, tanh::RECIPROCAL_MAGIC, tanh::rational);
portable_lanes!(f64, u64, 0x7FDE_6238_22FC_16E6_u64, |x: Self| Self(x.0.map(f64::tanh)));
