//! The one tolerance that tests compare numbers with.

use super::{Matrix, c64};

/// How far two collections of numbers may lie apart: `absolute + relative * (largest modulus in either)`.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// Share of the largest modulus.
    pub relative: f64,
    /// Added to it.
    pub absolute: f64,
}

/// Numbers in rows and columns, for comparison.
pub trait Numbers {
    /// Rows and columns.
    fn shape(&self) -> (usize, usize);
    /// The number at a place.
    fn at(&self, row: usize, column: usize) -> c64;
}

impl Numbers for f64 {
    fn shape(&self) -> (usize, usize) {
        (1, 1)
    }
    fn at(&self, _: usize, _: usize) -> c64 {
        c64::new(*self, 0.0)
    }
}

impl Numbers for [f64] {
    fn shape(&self) -> (usize, usize) {
        (self.len(), 1)
    }
    fn at(&self, row: usize, _: usize) -> c64 {
        c64::new(self[row], 0.0)
    }
}

impl Numbers for [c64] {
    fn shape(&self) -> (usize, usize) {
        (self.len(), 1)
    }
    fn at(&self, row: usize, _: usize) -> c64 {
        self[row]
    }
}

impl Numbers for Matrix {
    fn shape(&self) -> (usize, usize) {
        (self.nrows(), self.ncols())
    }
    fn at(&self, row: usize, column: usize) -> c64 {
        c64::new(self[(row, column)], 0.0)
    }
}

impl Tolerance {
    /// A share of the largest modulus.
    pub const fn relative(relative: f64) -> Self {
        Self { relative, absolute: 0.0 }
    }

    /// A fixed distance.
    pub const fn absolute(absolute: f64) -> Self {
        Self { relative: 0.0, absolute }
    }

    /// Fails, naming the worst place, unless every pair of numbers lies within the tolerance. NaN is never close.
    #[track_caller]
    pub fn assert_close<N: Numbers + ?Sized>(&self, found: &N, expected: &N) {
        assert_eq!(found.shape(), expected.shape(), "shapes (rows, columns) differ");
        let (rows, columns) = found.shape();
        let places = || (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        let size = |z: c64| z.re.hypot(z.im);
        let scale = places().map(|(i, j)| size(found.at(i, j)).max(size(expected.at(i, j)))).fold(0.0, f64::max);
        let allowed = self.absolute + self.relative * scale;
        let mut worst = (-1.0, (0, 0));
        for (i, j) in places() {
            let gap = size(found.at(i, j) - expected.at(i, j));
            let gap = if gap.is_nan() { f64::INFINITY } else { gap };
            if gap > worst.0 {
                worst = (gap, (i, j));
            }
        }
        let (gap, (i, j)) = worst;
        assert!(
            gap <= allowed,
            "entry ({i}, {j}): found {}, expected {}, apart {gap:e}, allowed {allowed:e}",
            found.at(i, j),
            expected.at(i, j),
        );
    }
}
