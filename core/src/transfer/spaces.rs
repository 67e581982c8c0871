//! The spaces that states and inputs of old tasks span, for every matrix that acts on them.

use super::{LearnedTask, TransferError, TransferParams, old_inputs};
use crate::network::Network;
use crate::numeric::{Matrix, NumericError, RELATIVE_CUT};
use crate::task::draw_inputs;
use faer::{Accum, Mat, MatRef, Par, Side, linalg::matmul::matmul};
use std::collections::BTreeMap;

/// Second moments of what a matrix is given: of its deviations from the mean of each step, in the input phase and after it, and of
/// those means. A cue may hold most of the units at +-1: beside that, all that the contents do would count as little.
struct Moments {
    phases: [Matrix; 2],
    means: Matrix,
    /// Variance over the episodes, summed over steps.
    variance: f64,
}

impl Moments {
    fn new(size: usize) -> Self {
        let zeros = || Matrix::zeros(size, size);
        Self { phases: [zeros(), zeros()], means: zeros(), variance: 0.0 }
    }

    fn add(&mut self, phase: usize, of: MatRef<'_, f64>) {
        let episodes = of.ncols() as f64;
        let mean = Matrix::from_fn(of.nrows(), 1, |i, _| of.row(i).iter().sum::<f64>() / episodes);
        let apart = Matrix::from_fn(of.nrows(), of.ncols(), |i, j| of[(i, j)] - mean[(i, 0)]);
        self.variance += apart.squared_norm_l2() / episodes;
        for (sum, of) in [(&mut self.phases[phase], &apart), (&mut self.means, &mean)] {
            matmul(sum.as_mut(), Accum::Add, of.as_ref(), of.transpose(), 1.0, Par::Seq);
        }
    }

    /// An orthonormal basis of a space that leaves out at most a share of the variance, and of the means as much as that; each
    /// phase counts as much as the other, or the few steps with input would go under.
    fn space(&self, left_out: f64) -> Result<Matrix, NumericError> {
        let size = self.means.nrows();
        let means = leading(&self.means, left_out * self.variance)?;
        let mut apart = Matrix::zeros(size, size);
        for phase in self.phases.iter().filter(|phase| trace(phase) > 0.0) {
            apart += faer::Scale(1.0 / trace(phase)) * phase;
        }
        // What the means cover need not be covered twice.
        let rest = Matrix::identity(size, size) - &means * means.transpose();
        let limit = left_out * trace(&apart);
        let others = leading(&(&rest * apart * &rest), limit)?;
        let (first, all) = (means.ncols(), means.ncols() + others.ncols());
        Ok(Matrix::from_fn(size, all, |i, j| if j < first { means[(i, j)] } else { others[(i, j - first)] }))
    }
}

fn trace(of: &Matrix) -> f64 {
    (0..of.nrows()).map(|i| of[(i, i)]).sum()
}

/// The leading directions of second moments: the fewest that leave out at most so much; none where there is nothing.
fn leading(of: &Matrix, limit: f64) -> Result<Matrix, NumericError> {
    let size = of.nrows();
    if trace(of) <= 0.0 {
        return Ok(Matrix::zeros(size, 0));
    }
    let no_convergence = |_| NumericError::NoConvergence { what: "the principal directions", size };
    let found = of.self_adjoint_eigen(Side::Lower).map_err(no_convergence)?;
    // Rising order; below this share of the largest there is rounding.
    let values: Vec<f64> = found.S().column_vector().iter().copied().collect();
    let floor = RELATIVE_CUT * values.last().copied().unwrap_or(0.0);
    let mut rest = 0.0;
    let free = values.iter().take_while(|value| {
        rest += value.max(0.0);
        **value <= floor || rest <= limit
    });
    let free = free.count();
    Ok(found.U().subcols(free, size - free).to_owned())
}

/// The space of each matrix, by its name: what goes into recurrent weights, input weights and the readout.
pub(super) fn of(
    network: &Network,
    old: &[&LearnedTask],
    params: &TransferParams,
) -> Result<BTreeMap<String, Matrix>, TransferError> {
    let mut moments: BTreeMap<String, Moments> = BTreeMap::new();
    let all = network.units();
    for (k, cell) in network.layers.iter().enumerate() {
        moments.insert(format!("rnn.weight_hh_l{k}"), Moments::new(cell.units()));
        moments.insert(format!("rnn.weight_ih_l{k}"), Moments::new(cell.inputs()));
    }
    moments.insert("readout.weight".into(), Moments::new(network.hidden()));
    for old in old {
        let (s, d, episodes) = (old.task.steps_before_outputs(), old.task.outputs(), params.episodes);
        let drawn = draw_inputs((s, d), episodes, &old_inputs(params.seed), 0)?;
        let cue = |j: usize| f64::from(u8::from(Some(j - d) == old.context));
        let mut run = network.begin(&[], episodes, 0);
        for t in 0..s + params.horizon {
            let phase = usize::from(t >= s);
            let now = |j: usize, e: usize| if t < s { f64::from(drawn[(t * episodes + e) * d + j]) } else { 0.0 };
            let input = Mat::from_fn(network.inputs(), episodes, |j, e| if j < d { now(j, e) } else { cue(j) });
            // Without cues there is no input after the input phase.
            run.step_on((t < s || network.inputs() > d).then_some(input));
            for (k, units) in all.iter().enumerate() {
                let below = match k {
                    0 => run.input().map(Mat::as_ref),
                    k => Some(run.state().subrows(all[k - 1].start, all[k - 1].len())),
                };
                if let (Some(below), Some(moments)) = (below, moments.get_mut(&format!("rnn.weight_ih_l{k}"))) {
                    moments.add(phase, below);
                }
                if let (true, Some(moments)) = (t > 0, moments.get_mut(&format!("rnn.weight_hh_l{k}"))) {
                    moments.add(phase, run.before().subrows(units.start, units.len()));
                }
            }
            if let (1, Some(last), Some(moments)) = (phase, all.last(), moments.get_mut("readout.weight")) {
                moments.add(1, run.state().subrows(last.start, last.len()));
            }
        }
    }
    moments.into_iter().map(|(name, moments)| Ok((name, moments.space(params.left_out)?))).collect()
}
