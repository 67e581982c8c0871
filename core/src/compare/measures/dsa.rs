//! Dynamical similarity analysis (Ostrow et al., 2023): two systems are alike if the linear dynamics of their delay-embedded
//! states are, up to a rotation.
//!
//! 1. Delay embedding: `n` states in a row make one long state.
//! 2. Linear dynamics (Hankel DMD): with the embedded states as columns, `H = U S V'`; the rows of V' are coordinates in time, of
//!    which the leading ones are kept, and A is the least-squares map from each step's coordinates to the next one's.
//! 3. The angle `arccos max_C <A, C B C'> / (|A| |B|)` over all orthogonal C; or, of the eigenvalues alone, the squared
//!    2-Wasserstein distance.

use crate::numeric::{Eigen, Matrix, NumericError, Svd, c64, draw, eigenvalues, ridge_regression};
use crate::random::{Purpose, Stream};
use crate::setting::settings;
use faer::Side;
use faer::prelude::Solve;
use serde::{Deserialize, Serialize};

settings! {
    /// How dynamics are compared.
    #[derive(Copy)]
    pub struct DsaParams {
        /// States in a row that make one embedded state.
        delays: usize = 2, between(1.0, 12.0, "steps");
        /// Coordinates in time that are kept, at most.
        rank: usize = 24, between(1.0, 256.0, "");
        /// Coordinates with singular values below this share of the largest are noise of the arithmetic.
        least: f64 = 1e-5, SHARE;
        /// Ridge of the least-squares map; coordinates in time have length 1.
        ridge: f64 = 1e-8, RIDGE;
        /// Rotations that the search starts from, beside one that lines up the eigenvectors.
        starts: usize = 4, COUNT;
        /// Steps of the search from each start, at most.
        iterations: usize = 300, COUNT;
        /// The slope below which the search ends.
        slope: f64 = 1e-7, SIZE;
    }
}

/// The linear dynamics of one system.
#[derive(Clone, Debug)]
pub struct LinearDynamics {
    /// One step of the coordinates in time.
    pub operator: Matrix,
    /// Its eigenvalues.
    pub eigenvalues: Vec<c64>,
}

impl LinearDynamics {
    /// The dynamics of trajectories: states (units x episodes), one matrix a step. Nothing where there are too few steps or the
    /// states never differ from zero.
    pub fn of(steps: &[&Matrix], params: &DsaParams) -> Result<Option<Self>, NumericError> {
        let delays = params.delays.max(1);
        let Some(first) = steps.first().filter(|_| steps.len() > delays) else { return Ok(None) };
        let (units, episodes) = (first.nrows(), first.ncols());
        let times = steps.len() + 1 - delays;
        let mut hankel = Matrix::zeros(delays * units, times * episodes);
        for time in 0..times {
            for delay in 0..delays {
                let mut block = hankel.submatrix_mut(delay * units, time * episodes, units, episodes);
                block.copy_from(steps[time + delay]);
            }
        }
        let Some(coordinates) = coordinates_in_time(&hankel, params)? else { return Ok(None) };
        let pairs = (times - 1) * episodes;
        let (now, next) = (coordinates.subcols(0, pairs), coordinates.subcols(episodes, pairs));
        let mut moments = now * now.transpose();
        (0..moments.nrows()).for_each(|i| moments[(i, i)] += params.ridge);
        let operator = ridge_regression(&moments, &(now * next.transpose()), 0.0)?.transpose().to_owned();
        Ok(Some(Self { eigenvalues: eigenvalues(&operator)?, operator }))
    }

    /// The dynamics with a given operator.
    pub fn from_operator(operator: Matrix) -> Result<Self, NumericError> {
        Ok(Self { eigenvalues: eigenvalues(&operator)?, operator })
    }
}

/// The leading rows of V' in `H = U S V'`, by the eigenvectors of the smaller `H H'`.
fn coordinates_in_time(hankel: &Matrix, params: &DsaParams) -> Result<Option<Matrix>, NumericError> {
    let moments = hankel * hankel.transpose();
    let failed = |_| NumericError::NoConvergence { what: "the delay coordinates", size: moments.nrows() };
    let found = moments.self_adjoint_eigen(Side::Lower).map_err(failed)?;
    let squares: Vec<f64> = found.S().column_vector().iter().copied().collect();
    // Eigenvalues rise.
    let size = squares.len();
    let largest = squares.last().copied().unwrap_or(0.0);
    let enough = |&&square: &&f64| square > params.least.powi(2) * largest && square > 0.0;
    let rank = squares.iter().rev().take(params.rank).take_while(enough).count();
    if rank == 0 || largest <= 0.0 {
        return Ok(None);
    }
    let scaled = Matrix::from_fn(rank, size, |k, i| found.U()[(i, size - 1 - k)] / squares[size - 1 - k].sqrt());
    Ok(Some(scaled * hankel))
}

/// How far two dynamics are apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dsa {
    /// The angle in radians, of the best rotation that was found.
    pub angle: f64,
    /// The mean squared distance of eigenvalues under the best matching; those that one system has more are matched with 0.
    pub wasserstein: f64,
}

/// Compares two dynamics. The smaller one is padded with coordinates at rest. The best rotation is searched for from several
/// starts, so that the angle is an upper bound.
pub fn dsa(first: &LinearDynamics, second: &LinearDynamics, params: &DsaParams) -> Result<Dsa, NumericError> {
    let size = first.operator.nrows().max(second.operator.nrows());
    let padded = |of: &Matrix| {
        let mut all = Matrix::zeros(size, size);
        all.submatrix_mut(0, 0, of.nrows(), of.ncols()).copy_from(of);
        let norm = all.norm_l2();
        all * faer::Scale(1.0 / norm.max(f64::MIN_POSITIVE))
    };
    let (a, b) = (padded(&first.operator), padded(&second.operator));
    let mut best = f64::NEG_INFINITY;
    for start in starts(&a, &b, params)? {
        best = best.max(climb(&a, &b, start, params)?);
    }
    Ok(Dsa { angle: best.clamp(-1.0, 1.0).acos(), wasserstein: wasserstein(first, second) })
}

/// Rotations to start from: one that lines up the eigenvectors, and random ones of both orientations.
fn starts(a: &Matrix, b: &Matrix, params: &DsaParams) -> Result<Vec<Matrix>, NumericError> {
    let size = a.nrows();
    let mut starts = vec![Matrix::identity(size, size)];
    if let (Some(a), Some(b)) = (schur_vectors(a)?, schur_vectors(b)?) {
        starts.push(&a * b.transpose());
    }
    let stream = Stream::new(1, Purpose::Matrices);
    for index in 0..params.starts {
        let mut turned = draw::orthonormal(size, size, &stream, 40 + index as u32);
        if index % 2 == 1 {
            turned.col_as_slice_mut(0).iter_mut().for_each(|x| *x = -*x);
        }
        starts.push(turned);
    }
    Ok(starts)
}

/// An orthonormal basis in which a matrix is block triangular, its eigenvalues in their stated order; nothing where eigenvectors are
/// dependent.
fn schur_vectors(matrix: &Matrix) -> Result<Option<Matrix>, NumericError> {
    let size = matrix.nrows();
    let found = Eigen::of(matrix)?;
    let mut columns = Matrix::zeros(size, size);
    let mut at = 0;
    for (k, value) in found.values.iter().enumerate().filter(|(_, value)| value.im >= 0.0) {
        for part in 0..if value.im > 0.0 { 2 } else { 1 } {
            if at == size {
                return Ok(None);
            }
            for i in 0..size {
                let entry = found.vectors[(i, k)];
                columns[(i, at)] = if part == 0 { entry.re } else { entry.im };
            }
            at += 1;
        }
    }
    let basis = columns.qr().compute_thin_Q();
    Ok((at == size && basis.is_all_finite()).then_some(basis))
}

/// Climbs `<A, C B C'>` along the gradient on the rotations (Cayley's transform keeps C one), with the step length that the last
/// two gradients suggest (Barzilai and Borwein): directions in which the dynamics commute with a rotation are all but flat.
fn climb(a: &Matrix, b: &Matrix, mut c: Matrix, params: &DsaParams) -> Result<f64, NumericError> {
    let value = |c: &Matrix| inner(a, &(c * b * c.transpose()));
    let slope = |c: &Matrix| {
        let gradient = (a * c * b.transpose() + a.transpose() * c * b) * c.transpose();
        (&gradient - gradient.transpose()) * faer::Scale(0.5)
    };
    let steepest = 2.0 * Svd::of(a)?.values[0] * Svd::of(b)?.values[0];
    let (mut length, mut best) = (1.0 / steepest.max(f64::MIN_POSITIVE), value(&c));
    let mut last = [best; REMEMBERED];
    let mut omega = slope(&c);
    for iteration in 0..params.iterations {
        let square = omega.squared_norm_l2();
        if square.sqrt() < params.slope {
            break;
        }
        // Steps may go down a little, but not below all of the last ones.
        let floor = last.iter().copied().fold(f64::INFINITY, f64::min);
        let mut next = turned(&omega, length, &c);
        let mut reached = value(&next);
        for _ in 0..HALVINGS {
            if reached >= floor + SUFFICIENT * length * square {
                break;
            }
            length *= 0.5;
            next = turned(&omega, length, &c);
            reached = value(&next);
        }
        let after = slope(&next);
        let along = length * inner(&omega, &(&omega - &after));
        let suggested = if along.abs() > 0.0 { length * length * square / along.abs() } else { 2.0 * length };
        (c, omega, best) = (next, after, best.max(reached));
        length = suggested.clamp(SHORTEST, LONGEST);
        last[iteration % REMEMBERED] = reached;
    }
    Ok(best)
}

/// Values that a step may go below, but not below all of them.
const REMEMBERED: usize = 5;
/// Halvings of a step, at most, and the share of the gain that the slope promises which is asked of it.
const HALVINGS: usize = 30;
const SUFFICIENT: f64 = 5e-5;
/// Lengths of a step.
const SHORTEST: f64 = 1e-3;
const LONGEST: f64 = 1e5;

fn inner(a: &Matrix, b: &Matrix) -> f64 {
    (0..a.ncols()).map(|j| a.col(j).transpose() * b.col(j)).sum()
}

/// The rotation after a step of some length along a skew matrix.
fn turned(omega: &Matrix, length: f64, c: &Matrix) -> Matrix {
    let half = omega * faer::Scale(0.5 * length);
    let one = Matrix::identity(omega.nrows(), omega.nrows());
    (&one - &half).partial_piv_lu().solve((&one + &half) * c)
}

/// The optimal matching of as many eigenvalues as the larger system has.
fn wasserstein(first: &LinearDynamics, second: &LinearDynamics) -> f64 {
    let size = first.eigenvalues.len().max(second.eigenvalues.len());
    let padded = |of: &LinearDynamics| -> Vec<c64> {
        let rest = size - of.eigenvalues.len();
        of.eigenvalues.iter().copied().chain(std::iter::repeat_n(c64::new(0.0, 0.0), rest)).collect()
    };
    let (a, b) = (padded(first), padded(second));
    let cost = |i: usize, j: usize| (a[i].re - b[j].re).powi(2) + (a[i].im - b[j].im).powi(2);
    let matched = crate::numeric::assignment(size, cost);
    matched.iter().enumerate().map(|(i, &j)| cost(i, j)).sum::<f64>() / size.max(1) as f64
}
