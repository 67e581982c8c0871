//! Adam as PyTorch has it: clip the global norm, add L2 to the gradient, then the update.

use super::chunk::Chunk;
use super::isa::Kernel;
use super::lanes::{Lanes, Real};
use super::panels::LANE_GROUP;

/// Numbers of one step of Adam.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdamStep {
    pub(crate) learning_rate: f64,
    pub(crate) l2: f64,
    pub(crate) beta1: f64,
    pub(crate) beta2: f64,
    pub(crate) epsilon: f64,
    /// Steps taken, this one included.
    pub(crate) count: u64,
    /// Factor on the gradient that keeps its norm within the clip.
    pub(crate) gradient_factor: f64,
}

impl AdamStep {
    /// The factor of torch.nn.utils.clip_grad_norm_.
    pub(crate) fn clipping(clip: f64, norm: f64) -> f64 {
        (clip / (norm + 1e-6)).min(1.0)
    }
}

/// Applies one step to a stretch of the flat vectors.
pub(crate) struct Adam<'a, S> {
    pub(crate) step: AdamStep,
    pub(crate) parameters: &'a mut [S],
    pub(crate) first: &'a mut [S],
    pub(crate) second: &'a mut [S],
    pub(crate) gradient: &'a [S],
}

impl<S: Real> Kernel<S> for Adam<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = S>>(self) {
        let Self { step, parameters, first, second, gradient } = self;
        let len = parameters.len();
        assert!(len.is_multiple_of(LANE_GROUP) && first.len() == len && second.len() == len && gradient.len() == len);
        let count = step.count as f64;
        let step_size = V::constant(-step.learning_rate / (1.0 - step.beta1.powf(count)));
        let correction = V::constant((1.0 - step.beta2.powf(count)).sqrt());
        let (factor, l2) = (V::constant(step.gradient_factor), V::constant(step.l2));
        let (beta2, epsilon) = (V::constant(step.beta2), V::constant(step.epsilon));
        let (one_minus_beta1, one_minus_beta2) = (V::constant(1.0 - step.beta1), V::constant(1.0 - step.beta2));
        for i in (0..len).step_by(V::COUNT) {
            // SAFETY: the slices have one length, a multiple of the register's.
            unsafe {
                let weight = V::load(parameters.as_ptr().add(i));
                let gradient = V::load(gradient.as_ptr().add(i)).mul(factor);
                let gradient = l2.mul_add(weight, gradient);
                let m = V::load(first.as_ptr().add(i));
                let m = gradient.sub(m).mul_add(one_minus_beta1, m);
                let v = V::load(second.as_ptr().add(i)).mul(beta2);
                let v = gradient.mul(one_minus_beta2).mul_add(gradient, v);
                let denominator = v.sqrt().div(correction).add(epsilon);
                m.store(first.as_mut_ptr().add(i));
                v.store(second.as_mut_ptr().add(i));
                m.div(denominator).mul_add(step_size, weight).store(parameters.as_mut_ptr().add(i));
            }
        }
    }
}

/// Adds the gradients of the other chunks to a stretch of the first's and returns the sum of squares, lane by lane in a fixed order.
pub(crate) struct Reduce<'a, S> {
    pub(crate) total: &'a mut [S],
    /// The other chunks, and where in their gradients `total` begins.
    pub(crate) others: &'a [Chunk<S>],
    pub(crate) start: usize,
}

impl<S: Real> Kernel<S> for Reduce<'_, S> {
    type Output = f64;

    #[inline(always)]
    fn run<V: Lanes<Scalar = S>>(self) -> f64 {
        /// Numbers squared in their own precision before they join the sum in f64.
        const STRETCH: usize = 32 * LANE_GROUP;
        let len = self.total.len();
        let end = self.start + len;
        assert!(len.is_multiple_of(LANE_GROUP) && self.others.iter().all(|other| other.gradient.slice().len() >= end));
        let mut sum = 0.0;
        for start in (0..len).step_by(STRETCH) {
            let mut squares = V::constant(0.0);
            for i in (start..len.min(start + STRETCH)).step_by(V::COUNT) {
                // SAFETY: `total` and what begins at `start` of the others are `len` long, a multiple of the register.
                unsafe {
                    let mut total = V::load(self.total.as_ptr().add(i));
                    for other in self.others {
                        total = total.add(V::load(other.gradient.slice().as_ptr().add(self.start + i)));
                    }
                    total.store(self.total.as_mut_ptr().add(i));
                    squares = total.mul_add(total, squares);
                }
            }
            sum += super::kernels::sum(squares);
        }
        sum
    }
}
