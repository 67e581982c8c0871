//! [`Lanes`] for AVX-512 and for AVX2 with fused multiply-add.

use std::arch::x86_64::*;

use super::lanes::{Lanes, NEGLIGIBLE};
use super::tanh;

/// Sixteen f32; only to be used inside functions compiled for `avx512f`.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512);

/// Eight f32; only to be used inside functions compiled for `avx2` and `fma`.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256);

macro_rules! x86_lanes {
    ($name:ident, $count:expr, $registers:expr, $load:ident, $store:ident, $splat:ident, $add:ident, $sub:ident,
     $mul:ident, $div:ident, $sqrt:ident, $max:ident, $min:ident, $fmadd:ident, $fnmadd:ident, $as_int:ident,
     $as_float:ident, $splat_int:ident, $sub_int:ident, $is_positive:expr,
     $without_negligible:expr) => {
        // SAFETY of every intrinsic below: `Isa::run` is the only way to reach this type, and it picks it only after
        // the processor has said that it has the instructions.
        impl Lanes for $name {
            type Scalar = f32;
            const COUNT: usize = $count;
            const REGISTERS: usize = $registers;

            #[inline(always)]
            unsafe fn load(from: *const f32) -> Self {
                Self(unsafe { $load(from) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut f32) {
                unsafe { $store(to, self.0) }
            }
            #[inline(always)]
            fn splat(value: f32) -> Self {
                Self(unsafe { $splat(value) })
            }
            #[inline(always)]
            fn prefetch(from: *const f32) {
                unsafe { _mm_prefetch::<_MM_HINT_T1>(from.cast()) }
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Self(unsafe { $mul(self.0, other.0) })
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                Self(unsafe { $div(self.0, other.0) })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(unsafe { $sqrt(self.0) })
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Self(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Self(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                Self(unsafe { $fmadd(self.0, factor.0, term.0) })
            }
            #[inline(always)]
            fn neg_mul_add(self, factor: Self, term: Self) -> Self {
                Self(unsafe { $fnmadd(self.0, factor.0, term.0) })
            }
            #[inline(always)]
            fn reciprocal_guess(self) -> Self {
                Self(unsafe { $as_float($sub_int($splat_int(tanh::RECIPROCAL_MAGIC as i32), $as_int(self.0))) })
            }
            #[inline(always)]
            fn tanh(self) -> Self {
                tanh::rational(self)
            }
            #[inline(always)]
            fn is_positive(self) -> Self {
                Self(unsafe { $is_positive(self.0) })
            }
            #[inline(always)]
            fn without_negligible(self) -> Self {
                Self(unsafe { $without_negligible(self.0, $splat(NEGLIGIBLE as f32)) })
            }
        }
    };
}

x86_lanes!(
    Avx512,
    16,
    32,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_set1_ps,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_div_ps,
    _mm512_sqrt_ps,
    _mm512_max_ps,
    _mm512_min_ps,
    _mm512_fmadd_ps,
    _mm512_fnmadd_ps,
    _mm512_castps_si512,
    _mm512_castsi512_ps,
    _mm512_set1_epi32,
    _mm512_sub_epi32,
    |x| _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, _mm512_setzero_ps()), _mm512_set1_ps(1.0)),
    |x, least| _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_NLT_UQ>(_mm512_abs_ps(x), least), x)
);
x86_lanes!(
    Avx2,
    8,
    16,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_set1_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_div_ps,
    _mm256_sqrt_ps,
    _mm256_max_ps,
    _mm256_min_ps,
    _mm256_fmadd_ps,
    _mm256_fnmadd_ps,
    _mm256_castps_si256,
    _mm256_castsi256_ps,
    _mm256_set1_epi32,
    _mm256_sub_epi32,
    |x| _mm256_and_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(x, _mm256_setzero_ps()), _mm256_set1_ps(1.0)),
    |x, least| {
        let magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0), x);
        _mm256_and_ps(_mm256_cmp_ps::<_CMP_NLT_UQ>(magnitude, least), x)
    }
);
