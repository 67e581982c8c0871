//! The elementwise kernels: activations, their slopes, the loss, sums of columns.

use super::isa::{Dispatch, Isa, Kernel};
use super::lanes::{Lanes, Real};
use super::panels::{LANE_GROUP, PANEL, Panels, padded};
use super::product::{Finish, Place, Product, Terms, load};
use crate::network::Activation;

/// Stores the sum itself.
pub(crate) struct Unchanged;

impl<S> Finish<S> for Unchanged {
    fn fits(&self, _out: &Panels<S>) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, sum: V, _at: Place) -> V {
        sum
    }
}

/// Stores the logistic function of the sum.
pub(crate) struct Sigmoid;

impl<S> Finish<S> for Sigmoid {
    const LARGE: bool = true;

    fn fits(&self, _out: &Panels<S>) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, sum: V, _at: Place) -> V {
        sigmoid(sum)
    }
}

#[inline(always)]
pub(crate) fn sigmoid<V: Lanes>(x: V) -> V {
    let half = V::constant(0.5);
    x.mul(half).tanh().mul_add(half, half)
}

/// The slope of the logistic function where it has this value.
#[inline(always)]
pub(crate) fn sigmoid_slope<V: Lanes>(value: V) -> V {
    value.neg_mul_add(value, value)
}

/// The slope of the hyperbolic tangent where it has this value.
#[inline(always)]
pub(crate) fn tanh_slope<V: Lanes>(value: V) -> V {
    value.neg_mul_add(value, V::constant(1.0))
}

/// Stores the activation of a sum of products. Softplus has a kernel of its own: it would crowd the registers of the others.
pub(crate) fn squash<S: Dispatch>(
    isa: Isa,
    activation: Activation,
    terms: &Terms<'_, S>,
    bias: Option<&[S]>,
    out: &mut Panels<S>,
) {
    match activation {
        Activation::Softplus => {
            S::dispatch(isa, Product { terms, bias, out: &mut *out, finish: Softplus });
            // Of the units that only fill up a panel nothing may come: ln 2 would.
            out.clear_padding();
        }
        _ => S::dispatch(isa, Product { terms, bias, out, finish: Squash(activation) }),
    }
}

/// Stores a sum of products times the slope of the activation where it has these values.
pub(crate) fn slope<S: Dispatch>(
    isa: Isa,
    activation: Activation,
    terms: &Terms<'_, S>,
    states: &[S],
    out: &mut Panels<S>,
) {
    match activation {
        Activation::Softplus => S::dispatch(isa, Product { terms, bias: None, out, finish: SoftplusSlope(states) }),
        _ => S::dispatch(isa, Product { terms, bias: None, out, finish: Slope { activation, states } }),
    }
}

/// Stores ln(1 + e^x) of the sum.
struct Softplus;

impl<S> Finish<S> for Softplus {
    const LARGE: bool = true;

    fn fits(&self, _out: &Panels<S>) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, sum: V, _at: Place) -> V {
        softplus(sum)
    }
}

/// Terms of the series of artanh at 1/3 until f64 shows no more of them.
const SERIES: i32 = 16;

/// ln(1 + e^x) = max(x, 0) + 2 artanh((1 - t) / (3 + t)) with t = tanh(|x| / 2).
#[inline(always)]
fn softplus<V: Lanes>(x: V) -> V {
    let (zero, one) = (V::constant(0.0), V::constant(1.0));
    let t = zero.sub(x).max(x).mul(V::constant(0.5)).tanh();
    // A saturated tangent may exceed one by the last bits. NaN goes through as the second operand.
    let small = zero.max(one.sub(t)).div(t.add(V::constant(3.0)));
    let square = small.mul(small);
    let mut series = V::constant(0.0);
    let mut k = SERIES;
    while k > 0 {
        k -= 1;
        series = series.mul_add(square, V::constant(2.0 / f64::from(2 * k + 1)));
    }
    small.mul_add(series, zero.max(x))
}

/// Stores the sum times the slope of softplus, 1 - e^-value = 2 t / (1 + t) with t = tanh(value / 2).
pub(crate) struct SoftplusSlope<'a, S>(pub(crate) &'a [S]);

impl<S: Real> Finish<S> for SoftplusSlope<'_, S> {
    const LARGE: bool = true;

    fn fits(&self, out: &Panels<S>) -> bool {
        out.has_len_of(self.0)
    }

    #[inline(always)]
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, sum: V, at: Place) -> V {
        // SAFETY: the values fit the output.
        let t = unsafe { load::<V>(self.0, at) }.mul(V::constant(0.5)).tanh();
        sum.mul(t.add(t)).div(t.add(V::constant(1.0)))
    }
}

/// Stores the activation of the sum.
pub(crate) struct Squash(pub(crate) Activation);

impl<S> Finish<S> for Squash {
    fn fits(&self, _out: &Panels<S>) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, sum: V, _at: Place) -> V {
        match self.0 {
            Activation::Tanh => sum.tanh(),
            // Zero is the first operand so that NaN goes through: the processor returns the second.
            Activation::Relu => V::constant(0.0).max(sum),
            Activation::Identity | Activation::Softplus => sum,
        }
    }
}

/// Stores the sum times the slope of the activation, which is a function of the state.
pub(crate) struct Slope<'a, S> {
    pub(crate) activation: Activation,
    pub(crate) states: &'a [S],
}

impl<S: Real> Finish<S> for Slope<'_, S> {
    fn fits(&self, out: &Panels<S>) -> bool {
        out.has_len_of(self.states)
    }

    #[inline(always)]
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, sum: V, at: Place) -> V {
        // SAFETY: `states` fits the output.
        let state = unsafe { load::<V>(self.states, at) };
        match self.activation {
            Activation::Tanh => sum.mul(tanh_slope(state)),
            Activation::Relu => sum.mul(state.is_positive()),
            Activation::Identity | Activation::Softplus => sum,
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

/// `out (+)= sum over steps and rows of left * right`, or minus that.
pub(crate) struct ColumnDots<'a, S> {
    pub(crate) left: &'a [Panels<S>],
    pub(crate) right: &'a [Panels<S>],
    pub(crate) out: &'a mut [S],
    pub(crate) add: bool,
    pub(crate) subtract: bool,
}

impl<S: Real> Kernel<S> for ColumnDots<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = S>>(self) {
        let Self { left, right, out, add, subtract } = self;
        assert_eq!(left.len(), right.len(), "the factors differ in steps");
        for (left, right) in left.iter().zip(right) {
            assert_eq!((left.rows(), left.columns()), (right.rows(), right.columns()), "a step differs in size");
            assert_eq!(padded(left.columns()), out.len(), "the output has another size");
        }
        let sign = V::constant(if subtract { -1.0 } else { 1.0 });
        for column in (0..out.len()).step_by(V::COUNT) {
            let to = out[column..].as_mut_ptr();
            // SAFETY: the columns of both factors are padded to whole registers, like the output.
            unsafe {
                let mut total = V::constant(0.0);
                for (left, right) in left.iter().zip(right) {
                    for row in 0..left.rows() {
                        let at = left.offset(column / PANEL, row) + column % PANEL;
                        let right = V::load(right.data().as_ptr().add(at));
                        total = V::load(left.data().as_ptr().add(at)).mul_add(right, total);
                    }
                }
                let before = if add { V::load(to) } else { V::constant(0.0) };
                total.mul_add(sign, before).store(to);
            }
        }
    }
}
