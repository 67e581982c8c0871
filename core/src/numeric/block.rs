//! Blocks of one or two rows, the pieces of a real Schur form.

use faer::c64;

/// A matrix of up to 4 x 4 entries, row by row.
pub(super) type Small = [[f64; 4]; 4];

/// Eigenvalues of a diagonal block; for a 2 x 2 block a conjugate pair has its upper member first.
pub(super) fn block_eigenvalues(block: &Small, size: usize) -> [c64; 2] {
    if size == 1 {
        return [c64::new(block[0][0], 0.0); 2];
    }
    let [[a, b, ..], [c, d, ..], ..] = *block;
    let half_gap = 0.5 * (a - d);
    let middle = d + half_gap;
    let discriminant = half_gap * half_gap + b * c;
    let spread = discriminant.abs().sqrt();
    if discriminant < 0.0 {
        [c64::new(middle, spread), c64::new(middle, -spread)]
    } else {
        // The larger root first, the other through the determinant, so that neither suffers cancellation.
        let far = middle + spread.copysign(middle);
        let near = if far == 0.0 { 0.0 } else { (a * d - b * c) / far };
        [c64::new(far, 0.0), c64::new(near, 0.0)]
    }
}

/// Rotation (cosine, sine) that makes a 2 x 2 block upper triangular if its eigenvalues are real, and gives it equal
/// diagonal entries if they are not (the standard form of LAPACK's `dlanv2`).
pub(super) fn standardizing_rotation(block: &Small) -> (f64, f64) {
    let [[a, b, ..], [c, d, ..], ..] = *block;
    if c == 0.0 {
        return (1.0, 0.0);
    }
    let half_gap = 0.5 * (a - d);
    let discriminant = half_gap * half_gap + b * c;
    if discriminant >= 0.0 {
        // (shift, c) is the eigenvector of the eigenvalue d + shift.
        let shift = half_gap + discriminant.sqrt().copysign(half_gap);
        let length = shift.hypot(c);
        (shift / length, c / length)
    } else {
        let (sum, gap) = (b + c, a - d);
        let length = sum.hypot(gap);
        if length == 0.0 {
            return (1.0, 0.0);
        }
        let cosine = (0.5 * (1.0 + sum.abs() / length)).sqrt();
        (cosine, -0.5 * gap / (length * cosine) * 1f64.copysign(sum))
    }
}

/// Solves `left X - X right = rhs` for blocks of one or two rows; `None` if the two share an eigenvalue.
pub(super) fn solve_sylvester(left: &Small, p: usize, right: &Small, q: usize, rhs: &Small) -> Option<Small> {
    let n = p * q;
    let mut system = [[0.0; 5]; 4];
    for j in 0..q {
        for i in 0..p {
            let row = &mut system[j * p + i];
            for (k, entry) in left[i].iter().enumerate().take(p) {
                row[j * p + k] += entry;
            }
            for (k, line) in right.iter().enumerate().take(q) {
                row[k * p + i] -= line[j];
            }
            row[4] = rhs[i][j];
        }
    }
    let size = |block: &Small| block.iter().flatten().fold(0.0f64, |most, x| most.max(x.abs()));
    let unknowns = solve_small(&mut system, n, f64::EPSILON * size(left).max(size(right)))?;
    let mut solution = Small::default();
    for j in 0..q {
        for i in 0..p {
            solution[i][j] = unknowns[j * p + i];
        }
    }
    Some(solution)
}

/// Gaussian elimination with complete pivoting; the right-hand side stands in the fifth column, and a pivot must exceed
/// `least_pivot`.
fn solve_small(system: &mut [[f64; 5]; 4], n: usize, least_pivot: f64) -> Option<[f64; 4]> {
    let mut order = [0, 1, 2, 3];
    for step in 0..n {
        let (mut best, mut at) = (0.0, (step, step));
        for (i, row) in system.iter().enumerate().take(n).skip(step) {
            for (j, entry) in row.iter().enumerate().take(n).skip(step) {
                if entry.abs() > best {
                    (best, at) = (entry.abs(), (i, j));
                }
            }
        }
        if best <= least_pivot {
            return None;
        }
        system.swap(step, at.0);
        order.swap(step, at.1);
        for row in system.iter_mut() {
            row.swap(step, at.1);
        }
        let pivot = system[step];
        for row in system.iter_mut().take(n).skip(step + 1) {
            let factor = row[step] / pivot[step];
            for (entry, above) in row.iter_mut().zip(pivot).skip(step) {
                *entry -= factor * above;
            }
        }
    }
    let mut unknowns = [0.0; 4];
    for step in (0..n).rev() {
        let known: f64 = (step + 1..n).map(|k| system[step][k] * unknowns[order[k]]).sum();
        unknowns[order[step]] = (system[step][4] - known) / system[step][step];
    }
    Some(unknowns)
}

/// Orthogonal matrix whose first `columns` columns span those of `tall` (Householder).
pub(super) fn orthogonal_completion(mut tall: Small, rows: usize, columns: usize) -> Small {
    let mut q = Small::default();
    for (i, row) in q.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    for step in 0..columns {
        let norm = (step..rows).map(|i| tall[i][step] * tall[i][step]).sum::<f64>().sqrt();
        if norm == 0.0 {
            continue;
        }
        let mut mirror = [0.0; 4];
        for i in step..rows {
            mirror[i] = tall[i][step];
        }
        mirror[step] += norm.copysign(mirror[step]);
        let half_square = 0.5 * mirror.iter().map(|x| x * x).sum::<f64>();
        let mut along = [0.0; 4];
        for (row, m) in tall.iter().zip(mirror) {
            along.iter_mut().zip(row).for_each(|(sum, x)| *sum += m * x / half_square);
        }
        for (row, m) in tall.iter_mut().zip(mirror) {
            row.iter_mut().zip(along).for_each(|(x, a)| *x -= a * m);
        }
        for row in q.iter_mut().take(rows) {
            let along = row.iter().zip(mirror).map(|(x, m)| x * m).sum::<f64>() / half_square;
            for (x, m) in row.iter_mut().zip(mirror) {
                *x -= along * m;
            }
        }
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(rows: &[&[f64]]) -> Small {
        let mut block = Small::default();
        for (line, row) in block.iter_mut().zip(rows) {
            line[..row.len()].copy_from_slice(row);
        }
        block
    }

    #[test]
    fn a_small_sylvester_solution_satisfies_its_equation() {
        let left = small(&[&[1.0, 2.0], &[-3.0, 1.0]]);
        let right = small(&[&[0.2, -1.0], &[4.0, 0.2]]);
        let rhs = small(&[&[1.0, -2.0], &[0.5, 3.0]]);
        let x = solve_sylvester(&left, 2, &right, 2, &rhs).unwrap();
        for i in 0..2 {
            for j in 0..2 {
                let value: f64 = (0..2).map(|k| left[i][k] * x[k][j] - x[i][k] * right[k][j]).sum();
                assert!((value - rhs[i][j]).abs() < 1e-14, "entry ({i}, {j}): {value} against {}", rhs[i][j]);
            }
        }
    }

    #[test]
    fn blocks_that_share_an_eigenvalue_have_no_sylvester_solution() {
        let one = small(&[&[1.0]]);
        assert!(solve_sylvester(&one, 1, &one, 1, &one).is_none());
    }

    #[test]
    fn the_standardizing_rotation_equalizes_the_diagonal_or_clears_the_corner() {
        for block in [small(&[&[1.0, -5.0], &[2.0, 4.0]]), small(&[&[1.0, 5.0], &[2.0, 4.0]])] {
            let (c, s) = standardizing_rotation(&block);
            let rotate = |x: f64, y: f64| (c * x + s * y, c * y - s * x);
            let [[a, b, ..], [e, d, ..], ..] = block;
            let ((a, e), (b, d)) = (rotate(a, e), rotate(b, d));
            let ((a, _), (e, d)) = (rotate(a, b), rotate(e, d));
            assert!((a - d).abs() < 1e-14 || e.abs() < 1e-14, "diagonal {a}, {d}, corner {e}");
        }
    }
}
