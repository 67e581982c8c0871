//! Which instructions the processor has, and running a kernel with the best of them.

use std::fmt;

use super::lanes::{Lanes, Portable};
#[cfg(target_arch = "x86_64")]
use super::x86::{Avx2, Avx512};

/// A kernel, written once over [`Lanes`]; implementations of `run` must be `#[inline(always)]` to be compiled for the
/// instruction set that calls them.
pub(crate) trait Kernel<S> {
    type Output;
    fn run<V: Lanes<Scalar = S>>(self) -> Self::Output;
}

/// An instruction set that the kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Isa {
    /// 512-bit vectors.
    Avx512,
    /// 256-bit vectors with fused multiply-add.
    Avx2,
    /// Whatever the compiler makes of plain arrays.
    Portable,
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Portable => "portable",
        })
    }
}

impl Isa {
    /// The instruction sets of this processor, best first.
    pub fn available() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                found.push(Self::Avx512);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                found.push(Self::Avx2);
            }
        }
        found.push(Self::Portable);
        found
    }

    /// The best instruction set of this processor.
    pub fn best() -> Self {
        Self::available()[0]
    }
}

/// Numbers that have kernels: f32 on every instruction set, f64 on the portable one alone.
pub(crate) trait Dispatch: super::lanes::Real {
    fn dispatch<K: Kernel<Self>>(isa: Isa, kernel: K) -> K::Output;
}

impl Dispatch for f32 {
    fn dispatch<K: Kernel<f32>>(isa: Isa, kernel: K) -> K::Output {
        match isa {
            // SAFETY: `available` offers these only where the processor has them; asked for elsewhere, fall through.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 if is_x86_feature_detected!("avx512f") => unsafe { run_avx512(kernel) },
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") => unsafe {
                run_avx2(kernel)
            },
            _ => kernel.run::<Portable<f32>>(),
        }
    }
}

impl Dispatch for f64 {
    fn dispatch<K: Kernel<f64>>(_isa: Isa, kernel: K) -> K::Output {
        kernel.run::<Portable<f64>>()
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
unsafe fn run_avx512<K: Kernel<f32>>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2<K: Kernel<f32>>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}
