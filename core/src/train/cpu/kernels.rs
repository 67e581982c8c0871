//! The elementwise kernels: activations, their slopes, the loss, sums of columns.

use super::isa::Kernel;
use super::lanes::{Lanes, Real};
use super::panels::{LANE_GROUP, PANEL, Panels, padded};
use super::product::Finish;
use crate::network::Activation;

/// Stores the sum itself.
#[derive(Clone, Copy)]
pub(crate) struct Unchanged;

impl<S> Finish<S> for Unchanged {
    #[inline(always)]
    fn apply<V: Lanes<Scalar = S>>(self, sum: V, _offset: usize) -> V {
        sum
    }
}

/// Stores the activation of the sum.
#[derive(Clone, Copy)]
pub(crate) struct Squash(pub(crate) Activation);

impl<S> Finish<S> for Squash {
    #[inline(always)]
    fn apply<V: Lanes<Scalar = S>>(self, sum: V, _offset: usize) -> V {
        match self.0 {
            Activation::Tanh => sum.tanh(),
            // Zero is the first operand so that NaN goes through: the processor returns the second.
            Activation::Relu => V::constant(0.0).max(sum),
            Activation::Identity => sum,
        }
    }
}

/// Stores the sum times the slope of the activation, which is a function of the state.
#[derive(Clone, Copy)]
pub(crate) struct Slope<'a, S> {
    pub(crate) activation: Activation,
    pub(crate) states: &'a [S],
}

impl<S: Real> Finish<S> for Slope<'_, S> {
    #[inline(always)]
    fn apply<V: Lanes<Scalar = S>>(self, sum: V, offset: usize) -> V {
        debug_assert!(offset + V::COUNT <= self.states.len());
        // SAFETY: `states` has the shape of the product's output, where `offset` points.
        let state = unsafe { V::load(self.states.as_ptr().add(offset)) };
        match self.activation {
            Activation::Tanh => sum.mul(state.neg_mul_add(state, V::constant(1.0))),
            Activation::Relu => sum.mul(state.is_positive()),
            Activation::Identity => sum,
        }
    }
}

/// What one time step of one chunk adds to the loss and to the accuracy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LossSums {
    pub(crate) squared_error: f64,
    pub(crate) correct: u64,
}

/// Compares outputs with targets and turns them into the derivative of the loss by them.
pub(crate) struct Loss<'a, S> {
    pub(crate) outputs: &'a mut Panels<S>,
    pub(crate) targets: &'a Panels<S>,
    /// Factor between the error and the derivative.
    pub(crate) scale: S,
}

impl<S: Real> Kernel<S> for Loss<'_, S> {
    type Output = LossSums;

    #[inline(always)]
    fn run<V: Lanes<Scalar = S>>(self) -> LossSums {
        let Self { outputs, targets, scale } = self;
        assert_eq!((outputs.rows(), outputs.columns()), (targets.rows(), targets.columns()));
        let lanes = padded(outputs.columns());
        let scale = V::splat(scale);
        let (mut squared, mut correct) = (V::constant(0.0), V::constant(0.0));
        for panel in 0..lanes.div_ceil(PANEL) {
            for row in 0..outputs.rows() {
                let target = targets.row(panel, row).as_ptr();
                let output = outputs.row_mut(panel, row).as_mut_ptr();
                for lane in (0..PANEL.min(lanes - panel * PANEL)).step_by(V::COUNT) {
                    // SAFETY: `lane` stays within the row. Padding is zero in both and counts for nothing.
                    unsafe {
                        let (y, u) = (V::load(output.add(lane)), V::load(target.add(lane)));
                        let error = y.sub(u);
                        squared = error.mul_add(error, squared);
                        // An output that is not above zero says -1, also one that is zero: weights that collapse are
                        // right half the time.
                        let (up, not_up) = (y.is_positive(), V::constant(1.0).sub(y.is_positive()));
                        correct = up.mul_add(u.is_positive(), correct);
                        correct = not_up.mul_add(V::constant(0.0).sub(u).is_positive(), correct);
                        error.mul(scale).store(output.add(lane));
                    }
                }
            }
        }
        LossSums { squared_error: sum(squared), correct: sum(correct) as u64 }
    }
}

#[inline(always)]
pub(crate) fn sum<V: Lanes>(lanes: V) -> f64 {
    let mut numbers = [V::Scalar::default(); LANE_GROUP];
    // SAFETY: a register holds at most LANE_GROUP numbers.
    unsafe { lanes.store(numbers.as_mut_ptr()) };
    numbers[..V::COUNT].iter().map(|x| x.to_f64()).sum()
}

/// `out (+)= sum over steps and rows`.
pub(crate) struct ColumnSums<'a, S> {
    pub(crate) steps: &'a [Panels<S>],
    pub(crate) out: &'a mut [S],
    pub(crate) add: bool,
}

impl<S: Real> Kernel<S> for ColumnSums<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = S>>(self) {
        for (column, out) in self.out.chunks_exact_mut(LANE_GROUP).enumerate() {
            let (panel, first) = (column * LANE_GROUP / PANEL, column * LANE_GROUP % PANEL);
            for lane in (0..LANE_GROUP).step_by(V::COUNT) {
                let to = out[lane..].as_mut_ptr();
                // SAFETY: `out` holds LANE_GROUP numbers from 0, a row PANEL numbers.
                unsafe {
                    let mut total = if self.add { V::load(to) } else { V::constant(0.0) };
                    for step in self.steps {
                        for row in 0..step.rows() {
                            total = total.add(V::load(step.row(panel, row).as_ptr().add(first + lane)));
                        }
                    }
                    total.store(to);
                }
            }
        }
    }
}
