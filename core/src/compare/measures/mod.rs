//! The measures that the field compares networks with, on the same states, from their published definitions.
//!
//! States are columns, one for each episode and step; the units of a network are its rows, and two networks may have different
//! numbers of them. None of these measures knows what the states stand for.

mod dsa;

pub use dsa::{Dsa, DsaParams, LinearDynamics, dsa};

use crate::numeric::{Matrix, NumericError, Svd};
use serde::{Deserialize, Serialize};

/// What the field's measures say of two networks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Linear centred kernel alignment: 1 where one network's states are a rotated and scaled copy of the other's, 0 where
    /// nothing of them is shared. Nothing where the two saw different inputs.
    pub cka: Option<f64>,
    /// Angular shape distance in radians: 0 up to rotation and scale, pi/2 at most.
    pub shape: Option<f64>,
    /// Dynamical similarity analysis: the angle in radians between the two linear dynamics, turned onto each other as well as
    /// a rotation can.
    pub dsa: Option<f64>,
    /// The same between their eigenvalues alone, by optimal transport.
    pub dsa_wasserstein: Option<f64>,
}

/// Rows with their mean taken off.
pub fn centred(states: &Matrix) -> Matrix {
    let mut states = states.clone();
    crate::code::centre(&mut states);
    states
}

/// Linear CKA (Kornblith et al., 2019, equation 3 with a linear kernel): `|Y'X|^2 / (|X'X| |Y'Y|)` in Frobenius norms, samples in
/// the rows of their X and in the columns of ours. Nothing where a network's states never differ.
pub fn linear_cka(first: &Matrix, second: &Matrix) -> Option<f64> {
    let (x, y) = (centred(first), centred(second));
    let shared = (&y * x.transpose()).squared_norm_l2();
    let alone = |of: &Matrix| (of * of.transpose()).norm_l2();
    let size = alone(&x) * alone(&y);
    (size > 0.0).then(|| shared / size)
}

/// The angular Procrustes distance of Williams et al. (2021), equations 2 and 3 with rotations as nuisance: `arccos max_Q
/// <X, Q Y> / (|X| |Y|)`, whose maximum is the sum of the singular values of `X Y'`. The network with fewer units is padded with
/// units at rest. Nothing where a network's states never differ.
pub fn shape_distance(first: &Matrix, second: &Matrix) -> Result<Option<f64>, NumericError> {
    let (x, y) = (centred(first), centred(second));
    let size = x.norm_l2() * y.norm_l2();
    if size == 0.0 {
        return Ok(None);
    }
    let shared: f64 = Svd::of(&(&x * y.transpose()))?.values.iter().sum();
    Ok(Some((shared / size).clamp(-1.0, 1.0).acos()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::draw;
    use crate::random::{Purpose, Stream};

    fn of(rows: &[&[f64]]) -> Matrix {
        Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
    }

    #[test]
    fn cka_is_as_solved_by_hand() {
        // X has one unit (1, -1, 0, 0), Y two: the same and (0, 0, 1, -1). X'Y: |Y'X|^2 = 4, |X'X| = 2, |Y'Y| = sqrt 8.
        let x = of(&[&[1.0, -1.0, 0.0, 0.0]]);
        let y = of(&[&[1.0, -1.0, 0.0, 0.0], &[0.0, 0.0, 1.0, -1.0]]);
        assert!((linear_cka(&x, &y).unwrap() - 0.5f64.sqrt()).abs() < 1e-15);
        // A mean is no difference, and units that share nothing are at 0.
        let moved = of(&[&[3.0, 1.0, 2.0, 2.0]]);
        assert!((linear_cka(&x, &moved).unwrap() - 1.0).abs() < 1e-15);
        assert!(linear_cka(&x, &of(&[&[0.0, 0.0, 1.0, -1.0]])).unwrap().abs() < 1e-15);
        assert_eq!(linear_cka(&x, &of(&[&[1.0; 4]])), None);
    }

    #[test]
    fn the_shape_distance_is_as_solved_by_hand() {
        // X Y' = (2, 0): one singular value of 2; |X| = sqrt 2, |Y| = 2. arccos(1 / sqrt 2) is 45 degrees.
        let x = of(&[&[1.0, -1.0, 0.0, 0.0]]);
        let y = of(&[&[1.0, -1.0, 0.0, 0.0], &[0.0, 0.0, 1.0, -1.0]]);
        let found = shape_distance(&x, &y).unwrap().unwrap();
        assert!((found - std::f64::consts::FRAC_PI_4).abs() < 1e-12, "{found}");
        // Stretching one of two equal axes by 3: (1 + 3) / (sqrt 2 sqrt 10) = 2 / sqrt 5.
        let stretched = of(&[&[3.0, -3.0, 0.0, 0.0], &[0.0, 0.0, 1.0, -1.0]]);
        let found = shape_distance(&y, &stretched).unwrap().unwrap();
        assert!((found - (2.0 / 5f64.sqrt()).acos()).abs() < 1e-12, "{found}");
    }

    #[test]
    fn neither_sees_a_rotation_into_more_units() {
        let stream = Stream::new(3, Purpose::Matrices);
        let x = draw::normal(5, 60, &stream, 0);
        let turned = draw::orthonormal(9, 5, &stream, 1) * &x * faer::Scale(0.3);
        assert!((linear_cka(&x, &turned).unwrap() - 1.0).abs() < 1e-12);
        assert!(shape_distance(&x, &turned).unwrap().unwrap() < 1e-6);
        let other = draw::normal(5, 60, &stream, 2);
        assert!(linear_cka(&x, &other).unwrap() < 0.5 && shape_distance(&x, &other).unwrap().unwrap() > 0.5);
    }
}
