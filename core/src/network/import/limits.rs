//! How much a network in a file may be, told by the shapes that the file states, before any value is read.

use super::MAX_VALUES;
use crate::network::MAX_HIDDEN;
use crate::network::layers::is_recurrent;
use crate::network::tensors::shape_of_units;

/// The most dimensions of a tensor, as NumPy has it.
pub(super) const MAX_DIMENSIONS: usize = 64;

/// Why a file holds too much.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(in crate::network) enum TooMuch {
    /// More units than a network may have.
    #[error("its recurrent layer has {0} units, more than the limit of {MAX_HIDDEN}; use a smaller network")]
    Units(usize),
    /// More values than a network has.
    #[error("its tensors hold more than {MAX_VALUES} values; save the recurrent layer and the readout alone")]
    Values,
    /// More dimensions than a tensor can have.
    #[error("a tensor has {0} dimensions, more than the limit of {MAX_DIMENSIONS}: the file is damaged")]
    Dimensions(usize),
}

/// Adds the values of a tensor to those counted so far, and refuses what is beyond a limit.
pub(in crate::network) fn count(values: &mut usize, name: &str, shape: &[usize]) -> Result<(), TooMuch> {
    if let Some(units) = shape_of_units(shape).filter(|units| is_recurrent(name) && *units > MAX_HIDDEN) {
        return Err(TooMuch::Units(units));
    }
    if shape.len() > MAX_DIMENSIONS {
        return Err(TooMuch::Dimensions(shape.len()));
    }
    let count = shape.iter().fold(1usize, |product, size| product.saturating_mul(*size));
    *values = values.saturating_add(count);
    if *values > MAX_VALUES { Err(TooMuch::Values) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_counted_by_the_recurrent_weights_and_values_by_all() {
        let count = |shapes: &[(&str, &[usize])]| {
            shapes.iter().try_fold(0, |mut values, (name, shape)| count(&mut values, name, shape).map(|()| values))
        };
        assert_eq!(count(&[("rnn.weight_hh_l0", &[4096, 4096]), ("embedding.weight", &[8192, 8])]), Ok(16_842_752));
        assert_eq!(count(&[("W_hh", &[4097, 4097])]), Err(TooMuch::Units(4097)));
        // Of a GRU the columns are the units; that it is none of ours is said later.
        assert!(count(&[("rnn.weight_hh_l0", &[3 * 2048, 2048])]).is_ok());
        assert_eq!(count(&[("a", &[4096, 4096]), ("b", &[4096, 4096])]), Err(TooMuch::Values));
        assert_eq!(count(&[("a", &[1; 65])]), Err(TooMuch::Dimensions(65)));
        assert_eq!(count(&[("a", &[usize::MAX, usize::MAX, 3])]), Err(TooMuch::Values));
    }
}
