//! The processor's fused-multiply-add peak, against which training is measured.

use super::isa::{Dispatch, Isa, Kernel};
use super::lanes::Lanes;

/// Independent sums: enough to hide the latency of the instruction.
const SUMS: usize = 12;
/// Multiply-adds of each sum: about 0.1 ms.
const ROUNDS: usize = 40_000;

struct Chains {
    rounds: usize,
}

impl Kernel<f32> for Chains {
    /// Floating-point operations done, and a number that keeps the compiler from leaving them out.
    type Output = (f64, f64);

    #[inline(always)]
    fn run<V: Lanes<Scalar = f32>>(self) -> (f64, f64) {
        let mut sums = [V::constant(1.0); SUMS];
        let (factor, term) = (V::constant(std::hint::black_box(0.5)), V::constant(std::hint::black_box(0.5)));
        for _ in 0..self.rounds {
            for sum in &mut sums {
                *sum = sum.mul_add(factor, term);
            }
        }
        let mut total = V::constant(0.0);
        for sum in sums {
            total = total.add(sum);
        }
        ((self.rounds * SUMS * V::COUNT * 2) as f64, super::kernels::sum(total))
    }
}

/// Does a fixed amount of multiply-adds in registers and returns how many floating-point operations that was.
pub(crate) fn fma_work(isa: Isa) -> f64 {
    let (operations, total) = f32::dispatch(isa, Chains { rounds: ROUNDS });
    std::hint::black_box(total);
    operations
}
