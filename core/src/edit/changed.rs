//! How much of a network an edit changed: the figure that says what the edit proves.

use crate::network::{Network, Parameter};
use serde::Serialize;
use std::collections::BTreeMap;

/// How much of the parameters differ between two networks of the same shape. A parameter that only one of them has counts
/// as zeros in the other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Changed {
    /// Frobenius norm of the difference of all parameters, biases and readout included, over that of the old ones: 0 for
    /// the same network, 1.4 for an unrelated one of the same size.
    pub share: f64,
    /// Share of all parameters that differ at all.
    pub differ: f64,
    /// All parameters of the larger of the two.
    pub parameters: usize,
    /// The share of each tensor by itself, under PyTorch's name; nothing where the old one was zero or absent.
    pub tensors: BTreeMap<String, Option<f64>>,
}

impl Changed {
    /// How much of `old` is different in `new`.
    pub fn between(old: &Network, new: &Network) -> Self {
        let named = |network: &Network| -> BTreeMap<String, Vec<f64>> {
            let values = |(name, of): (String, Parameter<'_>)| (name, of.values());
            network.parameters().into_iter().map(values).collect()
        };
        let (old, new) = (named(old), named(new));
        let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
        names.sort();
        names.dedup();
        let mut all = Counts::default();
        let mut tensors = BTreeMap::new();
        for name in names {
            let counts = Counts::of(old.get(name), new.get(name));
            tensors.insert(name.clone(), (counts.old > 0.0).then(|| counts.share()));
            all.add(&counts);
        }
        let differ = all.differ as f64 / all.parameters.max(1) as f64;
        Self { share: all.share(), differ, parameters: all.parameters, tensors }
    }
}

/// Sums of squares, and how many numbers differ.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    difference: f64,
    old: f64,
    differ: usize,
    parameters: usize,
}

impl Counts {
    fn of(old: Option<&Vec<f64>>, new: Option<&Vec<f64>>) -> Self {
        let size = old.or(new).map_or(0, Vec::len);
        let mut counts = Self { parameters: size, ..Self::default() };
        for k in 0..size {
            let at = |values: Option<&Vec<f64>>| values.and_then(|values| values.get(k)).copied().unwrap_or(0.0);
            let (old, new) = (at(old), at(new));
            counts.difference += (new - old).powi(2);
            counts.old += old * old;
            counts.differ += usize::from(old != new);
        }
        counts
    }

    fn add(&mut self, other: &Self) {
        self.difference += other.difference;
        self.old += other.old;
        self.differ += other.differ;
        self.parameters += other.parameters;
    }

    fn share(&self) -> f64 {
        (self.difference / self.old.max(f64::MIN_POSITIVE)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Biases};
    use crate::numeric::Matrix;

    fn small() -> Network {
        let weights = |rows, columns| Matrix::from_fn(rows, columns, |i, j| (1 + i + j) as f64);
        Network::elman(Activation::Tanh, weights(2, 1), weights(2, 2), weights(1, 2))
    }

    #[test]
    fn the_same_network_has_changed_by_nothing() {
        let changed = Changed::between(&small(), &small());
        assert_eq!((changed.share, changed.differ, changed.parameters), (0.0, 0.0, 8));
    }

    #[test]
    fn one_number_is_one_of_all_and_its_size_counts() {
        let mut new = small();
        // Squares of the old: input 1 + 4, recurrent 1 + 4 + 4 + 9, readout 1 + 4.
        new.readout.weights[(0, 1)] = 2.0 + 7.0;
        let changed = Changed::between(&small(), &new);
        assert!((changed.share - (49.0f64 / 28.0).sqrt()).abs() < 1e-12, "{changed:?}");
        assert_eq!(changed.differ, 1.0 / 8.0);
        assert_eq!(changed.tensors["rnn.weight_hh_l0"], Some(0.0));
        assert!((changed.tensors["readout.weight"].unwrap() - (49.0f64 / 5.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn biases_that_one_of_them_lacks_count_as_zeros() {
        let mut with = small();
        let biases = Biases { input: vec![3.0, 0.0], recurrent: vec![0.0, 4.0] };
        with.as_elman_mut().unwrap().biases = Some(biases);
        let dropped = Changed::between(&with, &small());
        assert!((dropped.share - (25.0f64 / 53.0).sqrt()).abs() < 1e-12, "{dropped:?}");
        assert_eq!((dropped.differ, dropped.parameters), (2.0 / 12.0, 12));
        let added = Changed::between(&small(), &with);
        assert_eq!(added.tensors["rnn.bias_ih_l0"], None);
        assert!((added.share - (25.0f64 / 28.0).sqrt()).abs() < 1e-12);
    }
}
