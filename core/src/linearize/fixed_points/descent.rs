//! From one starting state to a minimum of q.

use super::{FixedPointParams, is_within, norm};
use crate::network::Dynamics;
use crate::numeric::Matrix;
use faer::Side;
use faer::linalg::solvers::Solve;

/// Damping of the first step, relative to the largest curvature.
const FIRST_DAMPING: f64 = 1e-3;
/// Damping shrinks by this after a step that helps, and grows by it after one that does not.
const DAMPING_FACTOR: f64 = 4.0;
/// Tries with more and more damping before a point counts as a minimum.
const MAX_TRIES: usize = 20;
/// A share of q that a step must win, or the point counts as a minimum.
const LEAST_GAIN: f64 = 1e-10;
/// Newton steps at the end: each doubles the digits, and rounding stops them.
const POLISH_STEPS: usize = 8;
/// A polish that moves further than this leaves one point of a line for another.
const LONGEST_POLISH: f64 = 0.1;
/// Newton steps longer than this are not taken, for a state of size 1 and in proportion to larger ones.
const LONGEST_STEP: f64 = 1.0;
/// A Newton step is halved at most so often before damping takes over.
const MAX_HALVINGS: usize = 4;
/// Share of the decrease of q that a Newton step promises to first order, and must keep.
const KEPT_PROMISE: f64 = 0.1;
/// A descent that is not slow yet and does not halve q in so many steps is lost.
const PATIENCE: usize = 10;
/// A descent that is slow, further out than slow states count, and keeps more than this share of q in so many steps creeps into
/// a gate that saturates, where everything is slow and nothing is fixed.
const CREEPING: f64 = 1e-3;

/// Where a descent from one starting state ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// The starting state.
    pub x_init: Vec<f64>,
    /// The last state.
    #[doc(alias = "xstar")]
    pub state: Vec<f64>,
    /// Half the squared length of the step that the network takes from there.
    pub q: f64,
    /// Steps of the descent.
    pub n_iters: usize,
    /// The first state on the way that was slow: these sample a slow manifold, which minima of q leave out.
    pub first_slow: Option<Vec<f64>>,
}

/// A state with the step that the network takes from it.
struct Here {
    state: Vec<f64>,
    step: Matrix,
    q: f64,
}

pub(super) struct Descent<'a, C> {
    pub(super) cell: &'a C,
    pub(super) input: &'a [f64],
    pub(super) params: &'a FixedPointParams,
}

impl<C: Dynamics> Descent<'_, C> {
    /// Newton steps where they keep what they promise, Levenberg-Marquardt on q = |F(h) - h|^2 / 2 where they do not, and
    /// a polish at the end. Slow states count up to `reach`, in any component.
    pub(super) fn run(&self, x_init: Vec<f64>, reach: f64) -> Ending {
        let mut here = self.look(x_init.clone());
        let (mut damping, mut n_iters, mut earlier) = (FIRST_DAMPING, 0, here.q);
        let mut first_slow = self.slow_state(&here);
        while n_iters < self.params.max_iters && here.q > self.params.tol_q && here.q.is_finite() {
            n_iters += 1;
            let slope = self.slope(&here);
            let next = self.newton_step(&here, &slope).or_else(|| self.damped_step(&here, &slope, &mut damping));
            let Some(next) = next else { break };
            let gain = 1.0 - next.q / here.q;
            here = next;
            first_slow = first_slow.or_else(|| self.slow_state(&here));
            if gain < LEAST_GAIN {
                break;
            }
            if n_iters % PATIENCE == 0 {
                if self.is_lost(&here, earlier, reach) {
                    break;
                }
                earlier = here.q;
            }
        }
        for _ in 0..POLISH_STEPS {
            if here.q == 0.0 || here.q > self.params.slow_q || !here.q.is_finite() {
                break;
            }
            let newton = self.slope(&here).partial_piv_lu().solve(&here.step);
            let next = self.moved(&here, &newton);
            if next.q.is_nan() || next.q >= here.q || newton.norm_l2() > LONGEST_POLISH {
                break;
            }
            n_iters += 1;
            here = next;
        }
        Ending { x_init, state: here.state, q: here.q, n_iters, first_slow }
    }

    /// Whether further steps lead nowhere, `PATIENCE` of them after q was `earlier`.
    fn is_lost(&self, here: &Here, earlier: f64, reach: f64) -> bool {
        let most_kept = match here.q <= self.params.slow_q {
            false => 0.5,
            true if is_within(&here.state, reach) => return false,
            true => CREEPING,
        };
        here.q > most_kept * earlier
    }

    /// The states, a column each, after `steps` steps under an input, which comes close to what attracts them.
    pub(super) fn run_on(&self, mut states: Matrix, input: &Matrix, steps: usize) -> Matrix {
        let mut next = Matrix::zeros(states.nrows(), states.ncols());
        for _ in 0..steps {
            self.cell.step_into(states.as_ref(), Some(input.as_ref()), next.as_mut());
            std::mem::swap(&mut states, &mut next);
        }
        states
    }

    /// The constant input, once for each column.
    pub(super) fn inputs(&self, columns: usize) -> Matrix {
        Matrix::from_fn(self.input.len(), columns, |i, _| self.input[i])
    }

    fn slow_state(&self, here: &Here) -> Option<Vec<f64>> {
        (here.q <= self.params.slow_q).then(|| here.state.clone())
    }

    /// The derivative of F(h) - h at a state.
    pub(super) fn slope_at(&self, state: &[f64]) -> Matrix {
        self.slope(&self.look(state.to_vec()))
    }

    fn look(&self, state: Vec<f64>) -> Here {
        let next = self.cell.step(&state, self.input);
        let step = Matrix::from_fn(state.len(), 1, |i, _| next[i] - state[i]);
        let q = 0.5 * step.squared_norm_l2();
        Here { state, step, q }
    }

    fn slope(&self, here: &Here) -> Matrix {
        let mut slope = self.cell.jacobians(&here.state, self.input).state;
        (0..slope.nrows()).for_each(|i| slope[(i, i)] -= 1.0);
        slope
    }

    fn moved(&self, here: &Here, against: &Matrix) -> Here {
        self.look(here.state.iter().enumerate().map(|(i, x)| x - against[(i, 0)]).collect())
    }

    /// The next state on the way to where the network would stay if it were linear; nothing where q does not fall as
    /// that promises.
    fn newton_step(&self, here: &Here, slope: &Matrix) -> Option<Here> {
        let mut newton = slope.partial_piv_lu().solve(&here.step);
        // Where the slope is nearly singular, rounding alone sends the step far along what may be a line of fixed points.
        if newton.norm_l2() > LONGEST_STEP * (1.0 + norm(&here.state)) {
            return None;
        }
        let mut share = 1.0;
        for _ in 0..=MAX_HALVINGS {
            let next = self.moved(here, &newton);
            // To first order q falls by twice the share of the step that is taken.
            if next.q <= here.q * (1.0 - 2.0 * KEPT_PROMISE * share) {
                return Some(next);
            }
            newton *= faer::Scale(0.5);
            share *= 0.5;
        }
        None
    }

    /// The next state, with as little damping as lowers q; nothing where none does.
    fn damped_step(&self, here: &Here, slope: &Matrix, damping: &mut f64) -> Option<Here> {
        let (curvature, gradient) = (slope.transpose() * slope, slope.transpose() * &here.step);
        let largest = (0..curvature.nrows()).map(|i| curvature[(i, i)]).fold(f64::MIN_POSITIVE, f64::max);
        for _ in 0..MAX_TRIES {
            let mut damped = curvature.clone();
            (0..damped.nrows()).for_each(|i| damped[(i, i)] += *damping * largest);
            if let Ok(factors) = damped.llt(Side::Lower) {
                let next = self.moved(here, &factors.solve(&gradient));
                if next.q < here.q {
                    *damping = (*damping / DAMPING_FACTOR).max(f64::EPSILON);
                    return Some(next);
                }
            }
            *damping *= DAMPING_FACTOR;
        }
        None
    }
}
