//! The Jacobian at the zero state.

use super::{Linearization, LinearizeError, Place};
use crate::network::{Activation, Cell, Network};
use crate::numeric::{InvariantSubspace, Matrix};

/// The Jacobian at the zero state with zero input: `W_hh` itself for tanh without biases.
pub fn origin(network: &Network) -> Matrix {
    // The slope of relu at 0 is not 1, biases or not.
    if network.biases.is_none() && network.activation != Activation::Relu {
        return network.recurrent_weights.clone();
    }
    let (zero, input) = (vec![0.0; network.state_size()], vec![0.0; network.input_size()]);
    let (mut next, mut tape) = (zero.clone(), zero.clone());
    network.step_with_tape(&zero, &input, &mut next, &mut tape);
    network.state_jacobian(&tape)
}

/// A Jacobian restricted to the eigenvalues with modulus above `threshold`: what lasts, without its transients.
pub fn restrict(jacobian: &Matrix, threshold: f64, place: Place) -> Result<Linearization, LinearizeError> {
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
    use crate::network::Initialization;

    #[test]
    fn biases_scale_the_rows_of_the_jacobian_at_the_origin() {
        let network = Initialization::Uniform.network(6, 2, 2, Activation::Tanh, true, 3);
        let (jacobian, bias) = (origin(&network), network.total_bias());
        for i in 0..6 {
            let slope = 1.0 - bias[i].tanh().powi(2);
            assert!((jacobian[(i, 2)] - slope * network.recurrent_weights[(i, 2)]).abs() < 1e-15);
        }
    }

    #[test]
    fn the_restriction_is_a_projection_onto_what_lasts() {
        let network = Initialization::Gaussian.network(24, 2, 2, Activation::Tanh, false, 3);
        let jacobian = origin(&network);
        let lasting = restrict(&jacobian, 0.5, Place::Origin).unwrap();
        let kept = &lasting.dual * &jacobian * &lasting.basis - &lasting.operator;
        assert!(lasting.rank() > 0 && lasting.rank() < 24 && kept.norm_max() < 1e-10, "{}", kept.norm_max());
    }
}
