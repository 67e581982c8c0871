//! Bases as types: vectors, covectors, components, subspaces.

use std::ops::Range;

use super::CircuitError;
use crate::numeric::{Matrix, RELATIVE_CUT, Svd, draw};
use crate::random::Stream;

/// A basis whose condition number exceeds this is refused: too few digits of its dual would be right.
pub const CONDITION_LIMIT: f64 = 1e12;

/// Linearly independent vectors of hidden space with their dual covectors.
///
/// ```
/// use ketbra::circuit::Basis;
/// use ketbra::random::{Purpose, Stream};
/// let basis = Basis::with_condition(8, 3, 100.0, &Stream::new(1, Purpose::Matrices), 0)?;
/// let vector = basis.vector_from(&[1.0, -2.0, 0.5]);
/// let components = basis.components_of(&vector);
/// assert!((components[1] + 2.0).abs() < 1e-12 && (basis.condition() - 100.0).abs() < 1e-9);
/// # Ok::<(), ketbra::circuit::CircuitError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Basis {
    vectors: Matrix,
    covectors: Matrix,
    condition: f64,
}

impl Basis {
    /// The columns of a matrix as basis; the dual is the pseudo-inverse, so covectors lie in the span of the vectors.
    pub fn new(vectors: Matrix) -> Result<Self, CircuitError> {
        let svd = checked(&vectors)?;
        let (covectors, condition) = (svd.pseudo_inverse(RELATIVE_CUT), svd.condition());
        Ok(Self { vectors, covectors, condition })
    }

    /// The standard basis: component k is hidden unit k.
    pub fn standard(size: usize) -> Self {
        let identity = Matrix::identity(size, size);
        Self { vectors: identity.clone(), covectors: identity, condition: 1.0 }
    }

    /// Random orthonormal vectors of a hidden space.
    pub fn orthonormal(hidden: usize, size: usize, stream: &Stream, index: u32) -> Result<Self, CircuitError> {
        require_room(size, hidden)?;
        let vectors = draw::orthonormal(hidden, size, stream, index);
        let covectors = vectors.transpose().to_owned();
        Ok(Self { vectors, covectors, condition: 1.0 })
    }

    /// Random vectors with a chosen condition number.
    pub fn with_condition(
        hidden: usize,
        size: usize,
        condition: f64,
        stream: &Stream,
        index: u32,
    ) -> Result<Self, CircuitError> {
        require_room(size, hidden)?;
        Self::new(draw::with_condition(hidden, size, condition, stream, index))
    }

    /// Number of vectors.
    pub fn size(&self) -> usize {
        self.vectors.ncols()
    }

    /// Dimension of the space they live in.
    pub fn hidden(&self) -> usize {
        self.vectors.nrows()
    }

    /// The vectors, as columns.
    #[doc(alias = "Psi")]
    pub fn vectors(&self) -> &Matrix {
        &self.vectors
    }

    /// The dual basis, as rows: `covectors vectors = I`.
    #[doc(alias = "Psi*")]
    pub fn covectors(&self) -> &Matrix {
        &self.covectors
    }

    /// Largest over smallest singular value of the vectors: by how much components can magnify an error.
    pub fn condition(&self) -> f64 {
        self.condition
    }

    /// Largest entry of `covectors vectors - I`.
    pub fn duality_error(&self) -> f64 {
        (&self.covectors * &self.vectors - Matrix::identity(self.size(), self.size())).norm_max()
    }

    /// Components of a vector in this basis.
    pub fn components_of(&self, vector: &[f64]) -> Vec<f64> {
        apply(&self.covectors, vector)
    }

    /// The vector with given components.
    pub fn vector_from(&self, components: &[f64]) -> Vec<f64> {
        apply(&self.vectors, components)
    }

    /// The operator of hidden space that acts on components as `on_components` does and forgets everything else.
    pub fn operator_from(&self, on_components: &Matrix) -> Matrix {
        &self.vectors * on_components * &self.covectors
    }

    /// How an operator of hidden space acts on components.
    pub fn components_of_operator(&self, operator: &Matrix) -> Matrix {
        &self.covectors * operator * &self.vectors
    }

    /// The matrix that turns components in this basis into components in another.
    pub fn change_to(&self, other: &Self) -> Matrix {
        &other.covectors * &self.vectors
    }

    /// The span of some of the vectors, e.g. of one variable.
    pub fn subspace(&self, members: Range<usize>) -> Subspace {
        let (start, size) = (members.start, members.len());
        Subspace {
            vectors: self.vectors.subcols(start, size).to_owned(),
            covectors: self.covectors.subrows(start, size).to_owned(),
        }
    }
}

/// Part of a basis: the memory of one variable.
#[derive(Clone, Debug)]
pub struct Subspace {
    /// The vectors, as columns.
    #[doc(alias = "Psi_i")]
    pub vectors: Matrix,
    /// The covectors that read them, as rows.
    pub covectors: Matrix,
}

impl Subspace {
    /// The projector onto the subspace along the rest of the basis.
    pub fn projector(&self) -> Matrix {
        &self.vectors * &self.covectors
    }

    /// What the subspace holds in a hidden state.
    #[doc(alias = "activity")]
    pub fn contents(&self, state: &[f64]) -> Vec<f64> {
        apply(&self.covectors, state)
    }
}

fn apply(matrix: &Matrix, vector: &[f64]) -> Vec<f64> {
    let column = faer::ColRef::from_slice(vector);
    (matrix * column).iter().copied().collect()
}

fn require_room(vectors: usize, hidden: usize) -> Result<(), CircuitError> {
    if vectors > hidden { Err(CircuitError::TooManyVectors { vectors, hidden }) } else { Ok(()) }
}

fn checked(vectors: &Matrix) -> Result<Svd, CircuitError> {
    require_room(vectors.ncols(), vectors.nrows())?;
    let svd = Svd::of(vectors)?;
    let condition = svd.condition();
    if condition > CONDITION_LIMIT {
        return Err(CircuitError::Dependent { condition, limit: CONDITION_LIMIT });
    }
    Ok(svd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::tolerance::Tolerance;
    use crate::random::Purpose;

    fn basis(hidden: usize, size: usize, condition: f64, index: u32) -> Basis {
        Basis::with_condition(hidden, size, condition, &Stream::new(41, Purpose::Matrices), index).unwrap()
    }

    #[test]
    fn covectors_read_exactly_their_own_vector() {
        for (hidden, size) in [(1, 1), (5, 2), (64, 64), (128, 36)] {
            for condition in [1.0, 1e2, 1e4] {
                let basis = basis(hidden, size, condition, 0);
                assert!(basis.duality_error() < 1e-15 * 100.0 * condition, "{}", basis.duality_error());
            }
        }
    }

    #[test]
    fn a_change_of_basis_there_and_back_is_the_identity() {
        let (one, other) = (basis(20, 20, 30.0, 0), basis(20, 20, 100.0, 1));
        Tolerance::relative(1e-11)
            .assert_close(&(other.change_to(&one) * one.change_to(&other)), &Matrix::identity(20, 20));
        let state: Vec<f64> = (0..20).map(|k| f64::from(k).cos()).collect();
        let direct = other.components_of(&state);
        let changed = apply(&one.change_to(&other), &one.components_of(&state));
        Tolerance::relative(1e-11).assert_close(changed.as_slice(), direct.as_slice());
    }

    #[test]
    fn subspaces_hold_their_own_share_of_a_state() {
        let basis = basis(30, 12, 50.0, 2);
        let components: Vec<f64> = (0..12).map(f64::from).collect();
        let state = basis.vector_from(&components);
        for variable in 0..4 {
            let range = 3 * variable..3 * variable + 3;
            let subspace = basis.subspace(range.clone());
            Tolerance::absolute(1e-11).assert_close(subspace.contents(&state).as_slice(), &components[range]);
            let projector = subspace.projector();
            Tolerance::relative(1e-11).assert_close(&(&projector * &projector), &projector);
        }
    }

    #[test]
    fn dependent_vectors_and_too_many_vectors_are_refused() {
        assert!(matches!(Basis::new(Matrix::from_fn(4, 2, |_, _| 1.0)), Err(CircuitError::Dependent { .. })));
        assert!(matches!(Basis::new(Matrix::identity(2, 4)), Err(CircuitError::TooManyVectors { .. })));
    }
}
