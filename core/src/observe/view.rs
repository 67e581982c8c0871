//! How a state is looked at: an LSTM's cells are as much state as its units, but some of them grow for ever.

use super::{Batch, Observations};
use crate::network::{Network, Part, PartKind};
use crate::numeric::{Matrix, tanh_in_place};

/// The numbers of a state that are looked at, in an order of their own.
///
/// A cell that adds up a content that stays the same grows with time, and so does its share of the variance; nothing but
/// tanh c of it is ever handed on, and that is how it is seen here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Nothing where the state is seen as it is.
    seen: Option<Vec<Seen>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    row: usize,
    squashed: bool,
}

impl View {
    /// The state as it is.
    pub fn plain() -> Self {
        Self { seen: None }
    }

    /// All of the state, the cells of an LSTM squashed.
    pub fn whole(network: &Network) -> Self {
        let rows = |part: Part| (part.from..part.to).map(move |row| Seen { row, squashed: part.kind == PartKind::C });
        let seen: Vec<Seen> = network.parts().into_iter().flat_map(rows).collect();
        Self { seen: seen.iter().any(|seen| seen.squashed).then_some(seen) }
    }

    /// The units h of every layer.
    pub fn units(network: &Network) -> Self {
        let units = network.units().into_iter().flatten();
        let seen = || units.map(|row| Seen { row, squashed: false }).collect();
        Self { seen: network.has_inner_state().then(seen) }
    }

    /// Whether the state is seen as it is.
    pub fn is_plain(&self) -> bool {
        self.seen.is_none()
    }

    /// What is seen of states.
    pub fn of(&self, states: &Matrix) -> Matrix {
        let Some(rows) = &self.seen else { return states.clone() };
        let mut seen = Matrix::zeros(rows.len(), states.ncols());
        for j in 0..states.ncols() {
            seen.col_as_slice_mut(j).copy_from_slice(&self.of_one(states.col_as_slice(j)));
        }
        seen
    }

    /// What is seen of one state.
    pub fn of_one(&self, state: &[f64]) -> Vec<f64> {
        let Some(rows) = &self.seen else { return state.to_vec() };
        let mut seen: Vec<f64> = rows.iter().map(|seen| state[seen.row]).collect();
        // Squashed rows of a layer lie side by side.
        for (stretch, first) in stretches(rows) {
            tanh_in_place(&mut seen[first..first + stretch]);
        }
        seen
    }

    /// What reads states, as it reads what is seen of them: the readout does not see cells.
    pub fn of_readout(&self, readout: &Matrix) -> Matrix {
        match &self.seen {
            None => readout.clone(),
            Some(rows) => Matrix::from_fn(readout.nrows(), rows.len(), |i, j| readout[(i, rows[j].row)]),
        }
    }

    /// A batch with no more of its states than is seen.
    pub fn batch(&self, batch: Batch) -> Batch {
        if self.is_plain() {
            return batch;
        }
        let states = batch.states.iter().map(|(&t, states)| (t, self.of(states))).collect();
        Batch { states, ..batch }
    }

    /// Observations with no more of the states than is seen.
    pub fn observations(&self, all: &Observations) -> Observations {
        Observations { probe: self.batch(all.probe.clone()), score: self.batch(all.score.clone()), ..all.clone() }
    }
}

/// Lengths and beginnings of the stretches of squashed rows.
fn stretches(rows: &[Seen]) -> Vec<(usize, usize)> {
    let mut stretches: Vec<(usize, usize)> = vec![];
    for (at, _) in rows.iter().enumerate().filter(|(_, seen)| seen.squashed) {
        match stretches.last_mut() {
            Some((length, first)) if *first + *length == at => *length += 1,
            _ => stretches.push((1, at)),
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Architecture, CellKind, CellSettings, Initialization};

    #[test]
    fn the_units_of_every_layer_are_seen_and_cells_as_they_act() {
        let of = Architecture {
            cell: CellKind::Lstm,
            layers: 2,
            hidden: 3,
            activation: Activation::Tanh,
            bias: true,
            settings: CellSettings::usual(CellKind::Lstm),
        };
        let network = Initialization::Uniform.network(&of, 2, 2, 1);
        let (units, whole) = (View::units(&network), View::whole(&network));
        let state: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(units.of_one(&state), [0.0, 1.0, 2.0, 6.0, 7.0, 8.0]);
        let seen = whole.of_one(&state);
        assert_eq!((seen[2], seen[7]), (2.0, 7.0));
        assert!((seen[3] - 3f64.tanh()).abs() < 1e-15 && (seen[10] - 10f64.tanh()).abs() < 1e-15);
        let states = Matrix::from_fn(12, 2, |i, j| (10 * i + j) as f64);
        assert_eq!(units.of(&states)[(3, 1)], 61.0);
        assert_eq!(units.of_readout(&network.readout_of_state()).subcols(3, 3), network.readout.weights);
        let gated = Initialization::Uniform.network(&Architecture { cell: CellKind::Gru, ..of }, 2, 2, 1);
        assert!(View::units(&gated).is_plain() && View::whole(&gated).is_plain());
    }
}
