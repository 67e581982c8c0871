//! What the page needs to edit a network as the library does.

use super::stored::Stored;
use crate::edit::{EditParams, own_code};
use crate::interpret::Interpretation;
use crate::network::Network;
use serde::Serialize;

/// What the page needs to edit the network as the library does.
#[derive(Serialize)]
pub(super) struct EditData {
    slots: Vec<usize>,
    read: Vec<f64>,
    code: Stored,
    memories: Stored,
    mean: Vec<f64>,
    readers: Stored,
    /// Squares of all parameters, and of the two biases whose sum the page has.
    squares: (f64, f64),
    params: EditParams,
}

/// Nothing where there is no code to edit in: no known selection, no lasting activity, an activation without inverse; and
/// nothing for cells that the page's own edit does not rewrite.
pub(super) fn edit_data(network: &Network, found: &Interpretation) -> Option<EditData> {
    network.as_elman()?;
    let task = found.details.task.as_ref().filter(|task| task.sources().is_some() && found.memories.is_some())?;
    let params = EditParams::default();
    let own = own_code(network, task, &params).ok()?;
    let [code, memories, readers] = [&own.columns, &own.memories, &own.readers].map(Stored::shown);
    let sum = |of: &dyn Fn(&str) -> bool| -> f64 {
        let values =
            network.parameters().into_iter().filter(|(name, _)| of(name)).flat_map(|(_, tensor)| tensor.values());
        values.map(|x| x * x).sum()
    };
    let squares = (sum(&|_| true), sum(&|name| name.starts_with("rnn.bias")));
    Some(EditData { slots: own.slots, read: own.right_signs, code, memories, mean: own.mean, readers, squares, params })
}
