//! The tasks of two circuits in one network.

use super::ComposeError;
use crate::numeric::Matrix;
use crate::task::{Function, Gate, Slot, Window};

/// Components of the first task, then those of the second, each by its own function.
pub(super) fn side_by_side(first: &Window, second: &Window) -> Result<Window, ComposeError> {
    let (s, a, b) = (first.s(), first.d(), second.d());
    let name = format!("{} + {}", first.name(), second.name());
    if let (Some(gates), Some(others)) = (first.gates(), second.gates()) {
        let all =
            gates.into_iter().map(Ok).chain(others.iter().map(|gate| moved(gate, a))).collect::<Result<_, _>>()?;
        return Ok(Window::table(name, s, a + b, all)?);
    }
    let is_table = |task: &Window| matches!(task.function(), Function::Table(_));
    let (Some(f), Some(g)) = (first.linear(), second.linear()) else { return Err(ComposeError::Functions) };
    if is_table(first) || is_table(second) {
        return Err(ComposeError::Functions);
    }
    let mut matrix = Matrix::zeros(a + b, s * (a + b));
    for variable in 0..s {
        let at = variable * (a + b);
        matrix.submatrix_mut(0, at, a, a).copy_from(f.subcols(variable * a, a));
        matrix.submatrix_mut(a, at + a, b, b).copy_from(g.subcols(variable * b, b));
    }
    Ok(Window::from_matrix(name, s, a + b, matrix)?)
}

/// The first task, and beside it the second one's function of what the first says.
pub(super) fn fed(first: &Window, second: &Window) -> Result<Window, ComposeError> {
    let (s, d) = (first.s(), first.d());
    let (Some(gates), Some(others)) = (first.gates(), second.gates()) else { return Err(ComposeError::Functions) };
    let name = format!("{} -> {}", first.name(), second.name());
    Ok(Window::table(name, s, 2 * d, gates.into_iter().chain(others).collect())?)
}

/// A gate that reads components further on.
fn moved(gate: &Gate, by: usize) -> Result<Gate, ComposeError> {
    let inputs: Vec<Slot> = gate.inputs().iter().map(|slot| Slot { component: slot.component + by, ..*slot }).collect();
    Ok(Gate::new(&inputs, gate.table())?)
}
