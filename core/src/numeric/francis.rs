//! The double-shift QR iteration of Francis on a Hessenberg matrix.
//!
//! faer keeps its own iteration private and its eigenvalue driver drops both the Schur form and the verdict, hence this
//! one. Exceptional shifts follow LAPACK's `dlahqr`. Deflation is judged against the norm of the whole matrix, not
//! against the neighbouring entries: that is as backward stable, and repeated eigenvalues, which are the rule here, keep
//! rounding noise on the subdiagonal that a local test waits for in vain.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{self, ComputeEigenvectors, hessenberg};
use faer::linalg::householder::apply_block_householder_sequence_on_the_right_in_place_with_conj as apply_reflections;
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Par, Spec, unzip, zip};

use super::{Matrix, NumericError};

/// Steps granted to one eigenvalue before the iteration gives up.
const STEPS_PER_EIGENVALUE: usize = 100;

/// Every so many steps a stalled window gets an exceptional shift and twice the tolerance (from 1 to 512 units of
/// rounding error of the whole matrix): many-fold eigenvalues in ill-conditioned bases need it.
const EXCEPTIONAL_EVERY: usize = 10;

/// `A = Z H Z'` with `H` zero below its first subdiagonal: returns `(Z, H)`.
pub(super) fn hessenberg(matrix: &Matrix) -> (Matrix, Matrix) {
    let size = matrix.nrows();
    let mut form = matrix.clone();
    let mut vectors = Matrix::identity(size, size);
    if size < 2 {
        return (vectors, form);
    }
    let mut memory = MemBuffer::new(evd::evd_scratch::<f64>(
        size,
        ComputeEigenvectors::No,
        ComputeEigenvectors::Yes,
        Par::Seq,
        Spec::default(),
    ));
    let stack = MemStack::new(&mut memory);
    let mut reflections = Matrix::zeros(recommended_block_size::<f64>(size - 1, size - 1), size - 1);
    hessenberg::hessenberg_in_place(form.as_mut(), reflections.as_mut(), Par::Seq, stack, Spec::default());
    apply_reflections(
        form.as_ref().submatrix(1, 0, size - 1, size - 1),
        reflections.as_ref(),
        Conj::No,
        vectors.as_mut().submatrix_mut(1, 1, size - 1, size - 1),
        Par::Seq,
        stack,
    );
    for j in 0..size {
        form.col_as_slice_mut(j)[(j + 2).min(size)..].fill(0.0);
    }
    (vectors, form)
}

/// Iterates until every subdiagonal entry is zero or belongs to a 2 x 2 block.
pub(super) fn to_quasi_triangular(vectors: &mut Matrix, form: &mut Matrix) -> Result<(), NumericError> {
    let negligible = (f64::EPSILON * form.norm_l2()).max(f64::MIN_POSITIVE);
    let mut end = form.nrows();
    let mut steps = 0;
    while end > 0 {
        let start = deflate(form, end, negligible * 2f64.powi((steps / EXCEPTIONAL_EVERY) as i32));
        if end - start <= 2 {
            (end, steps) = (start, 0);
            continue;
        }
        steps += 1;
        if steps > STEPS_PER_EIGENVALUE {
            return Err(NumericError::NoConvergence { what: "the QR iteration", size: form.nrows() });
        }
        let shifts = choose_shifts(form, start, end, steps);
        let (bulge_start, first) = place_bulge(form, start, end, shifts);
        chase(vectors, form, start, bulge_start, end, first);
    }
    Ok(())
}

/// Zeroes the last negligible subdiagonal entry above `end` and returns where the active window starts.
fn deflate(form: &mut Matrix, end: usize, negligible: f64) -> usize {
    for k in (1..end).rev() {
        if form[(k, k - 1)].abs() <= negligible {
            form[(k, k - 1)] = 0.0;
            return k;
        }
    }
    0
}

/// Sum and product of the two shifts.
fn choose_shifts(form: &Matrix, start: usize, end: usize, steps: usize) -> (f64, f64) {
    let last = end - 1;
    let exceptional = |at: usize, beside: f64| {
        let centre = 0.75 * beside + form[(at, at)];
        (2.0 * centre, centre * centre + 0.4375 * beside * beside)
    };
    if steps.is_multiple_of(2 * EXCEPTIONAL_EVERY) {
        return exceptional(start, form[(start + 1, start)].abs() + form[(start + 2, start + 1)].abs());
    }
    if steps.is_multiple_of(EXCEPTIONAL_EVERY) {
        return exceptional(last, form[(last, last - 1)].abs() + form[(last - 1, last - 2)].abs());
    }
    let (a, b, c, d) = (form[(last - 1, last - 1)], form[(last - 1, last)], form[(last, last - 1)], form[(last, last)]);
    let half_gap = 0.5 * (a - d);
    let discriminant = half_gap * half_gap + b * c;
    if discriminant < 0.0 {
        return (a + d, a * d - b * c);
    }
    // Of two real shifts the one nearer to the corner serves twice.
    let root = discriminant.sqrt().copysign(half_gap);
    let nearer = if half_gap + root == 0.0 { d } else { d - b * c / (half_gap + root) };
    (2.0 * nearer, nearer * nearer)
}

/// Lowest row at which a bulge can start because two neighbouring subdiagonals are small, and its first column.
fn place_bulge(form: &Matrix, start: usize, end: usize, (sum, product): (f64, f64)) -> (usize, [f64; 3]) {
    let column = |m: usize| {
        let (h00, h01, h10, h11) = (form[(m, m)], form[(m, m + 1)], form[(m + 1, m)], form[(m + 1, m + 1)]);
        let mut v = [h00 * h00 + h01 * h10 - sum * h00 + product, h10 * (h00 + h11 - sum), h10 * form[(m + 2, m + 1)]];
        let size = v.iter().map(|x| x.abs()).sum::<f64>();
        if size > 0.0 {
            v.iter_mut().for_each(|x| *x /= size);
        }
        v
    };
    for m in (start + 1..end - 2).rev() {
        let v = column(m);
        let near = form[(m - 1, m - 1)].abs() + form[(m, m)].abs() + form[(m + 1, m + 1)].abs();
        if form[(m, m - 1)].abs() * (v[1].abs() + v[2].abs()) <= f64::EPSILON * v[0].abs() * near {
            return (m, v);
        }
    }
    (start, column(start))
}

/// One sweep: reflections of three (at the end two) rows push the bulge out of the window.
fn chase(vectors: &mut Matrix, form: &mut Matrix, start: usize, bulge: usize, end: usize, first: [f64; 3]) {
    let size = form.nrows();
    let mut v = first;
    for k in bulge..end - 1 {
        let width = if k + 2 < end { 3 } else { 2 };
        if k > bulge {
            v = [form[(k, k - 1)], form[(k + 1, k - 1)], if width == 3 { form[(k + 2, k - 1)] } else { 0.0 }];
        } else if width == 2 {
            v[2] = 0.0;
        }
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm == 0.0 {
            continue;
        }
        let image = -norm.copysign(v[0]);
        let head = v[0] - image;
        let mirror = [1.0, v[1] / head, v[2] / head];
        let strength = -head / image;
        if k > bulge {
            form[(k, k - 1)] = image;
            form[(k + 1, k - 1)] = 0.0;
            if width == 3 {
                form[(k + 2, k - 1)] = 0.0;
            }
        } else if k > start {
            form[(k, k - 1)] *= 1.0 - strength;
        }
        for j in k..size {
            let column = &mut form.col_as_slice_mut(j)[k..k + width];
            let along = strength * column.iter().zip(mirror).map(|(x, m)| x * m).sum::<f64>();
            column.iter_mut().zip(mirror).for_each(|(x, m)| *x -= along * m);
        }
        reflect_columns(form, k, width, (k + 4).min(end), mirror, strength);
        reflect_columns(vectors, k, width, size, mirror, strength);
    }
}

fn reflect_columns(matrix: &mut Matrix, k: usize, width: usize, rows: usize, mirror: [f64; 3], strength: f64) {
    let (left, right) = matrix.as_mut().subrows_mut(0, rows).split_at_col_mut(k + 1);
    let (second, third) = right.split_at_col_mut(1);
    let (x, y) = (left.col_mut(k), second.col_mut(0));
    if width == 2 {
        zip!(x, y).for_each(|unzip!(x, y)| {
            let along = strength * (*x + mirror[1] * *y);
            *x -= along;
            *y -= along * mirror[1];
        });
        return;
    }
    zip!(x, y, third.col_mut(0)).for_each(|unzip!(x, y, z)| {
        let along = strength * (*x + mirror[1] * *y + mirror[2] * *z);
        *x -= along;
        *y -= along * mirror[1];
        *z -= along * mirror[2];
    });
}
