//! The Jacobian at the zero state.

use super::{Linearization, LinearizeError, LinearizedAt};
use crate::network::Dynamics;
use crate::numeric::{InvariantSubspace, Matrix};

/// The Jacobian at the zero state with zero input: `W_hh` itself for tanh without biases.
pub fn origin(network: &impl Dynamics) -> Matrix {
    network.jacobians(&vec![0.0; network.state_size()], &vec![0.0; network.input_size()]).state
}

/// A Jacobian restricted to the eigenvalues with modulus above `threshold`: what lasts, without its transients.
pub fn restrict(jacobian: &Matrix, threshold: f64, place: LinearizedAt) -> Result<Linearization, LinearizeError> {
    let kept = InvariantSubspace::of(jacobian, |z| z.re.hypot(z.im) > threshold)?;
    let image = &kept.basis * &kept.operator;
    Ok(Linearization {
        place,
        basis: kept.basis,
        dual: kept.dual,
        operator: kept.operator,
        image,
        residual: 0.0,
        doubts: vec![],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Architecture, Initialization};

    #[test]
    fn biases_scale_the_rows_of_the_jacobian_at_the_origin() {
        let network = Initialization::Uniform.network(&Architecture::elman(6, Activation::Tanh, true), 2, 2, 3);
        let cell = network.as_elman().unwrap();
        let (jacobian, bias) = (origin(&network), cell.total_bias());
        for i in 0..6 {
            let slope = 1.0 - bias[i].tanh().powi(2);
            assert!((jacobian[(i, 2)] - slope * cell.recurrent_weights[(i, 2)]).abs() < 1e-15);
        }
    }

    #[test]
    fn the_restriction_is_a_projection_onto_what_lasts() {
        let network = Initialization::Gaussian.network(&Architecture::elman(24, Activation::Tanh, false), 2, 2, 3);
        let jacobian = origin(&network);
        let lasting = restrict(&jacobian, 0.5, LinearizedAt::Origin).unwrap();
        let kept = &lasting.dual * &jacobian * &lasting.basis - &lasting.operator;
        assert!(lasting.rank() > 0 && lasting.rank() < 24 && kept.norm_max() < 1e-10, "{}", kept.norm_max());
    }
}
