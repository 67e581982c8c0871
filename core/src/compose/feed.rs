//! One network drives another, by their codes.
//!
//! Let A say u(t) = f(u(t-1), ...), and let B hold the contents of a window and compute g. After every step B's newest variable is
//! replaced by A's: `h_B <- h_B + Psi_n (u - x)`, u and x being the newest variables that the readers of A and B read and Psi_n the
//! memories of B's newest variable. B's next step is then g of A's output. The replacement is linear, so that it goes into the
//! weights: `W_B (I - Psi_n Psi*_n)` within B and `W_B Psi_n Psi*_n` of A from A to B. Both get the same inputs, and both read
//! them as newest while they last.
//!
//! The task: components 1 to d are A's, components d + 1 to 2d are g of the window of components 1 to d. Nothing is asked of the inputs
//! d + 1 to 2d; no weight comes from them.

use super::sum::{readout, same_activation};
use super::tasks::fed;
use super::{ComposeError, Composed, NetworkAndTask, check};
use crate::interpret::Interpretation;
use crate::memories::Method;
use crate::network::{Biases, Cell, Elman, Network};
use crate::numeric::Matrix;

/// The second network computes its function of what the first one says. Both have been interpreted under their tasks.
pub fn feed(
    first: NetworkAndTask<'_>,
    second: NetworkAndTask<'_>,
    (of_first, of_second): (&Interpretation, &Interpretation),
) -> Result<Composed, ComposeError> {
    check(first, second)?;
    if first.1.d() != second.1.d() {
        return Err(ComposeError::Feed { first: first.1.d(), second: second.1.d() });
    }
    let task = fed(first.1, second.1)?;
    let (a, b) = (Newest::of("first", first, of_first)?, Newest::of("second", second, of_second)?);
    let (units, more, d) = (a.cell.recurrent_weights.nrows(), b.cell.recurrent_weights.nrows(), first.1.d());
    same_activation(Some(a.cell.activation), Some(b.cell.activation))?;
    let written = &b.cell.recurrent_weights * &b.memories;
    let mut recurrent = Matrix::zeros(units + more, units + more);
    recurrent.submatrix_mut(0, 0, units, units).copy_from(&a.cell.recurrent_weights);
    recurrent.submatrix_mut(units, 0, more, units).copy_from(&written * &a.readers);
    let within = &b.cell.recurrent_weights - &written * &b.readers;
    recurrent.submatrix_mut(units, units, more, more).copy_from(&within);
    let mut input = Matrix::zeros(units + more, 2 * d);
    input.submatrix_mut(0, 0, units, d).copy_from(&a.cell.input_weights);
    input.submatrix_mut(units, 0, more, d).copy_from(&b.cell.input_weights);
    // Contents are read from deviations: what the mean states would read is taken off.
    let offset = &written * (&b.readers * &b.mean - &a.readers * &a.mean);
    let cell = Elman {
        activation: a.cell.activation,
        input_weights: input,
        recurrent_weights: recurrent,
        biases: biases(&a, &b, &offset),
    };
    let network = Network { layers: vec![Cell::Elman(cell)], readout: readout(&first.0.readout, &second.0.readout) };
    network.check()?;
    Ok(Composed { network, task })
}

fn biases(a: &Newest<'_>, b: &Newest<'_>, offset: &Matrix) -> Option<Biases> {
    let sums = |cell: &Elman| -> Vec<f64> {
        let zero = || vec![0.0; cell.recurrent_weights.nrows()];
        cell.biases.as_ref().map_or_else(zero, |of| of.input.iter().zip(&of.recurrent).map(|(x, y)| x + y).collect())
    };
    if a.cell.biases.is_none() && b.cell.biases.is_none() && offset.norm_max() == 0.0 {
        return None;
    }
    let mut input = [sums(a.cell), sums(b.cell)].concat();
    let units = a.cell.recurrent_weights.nrows();
    (0..offset.nrows()).for_each(|i| input[units + i] += offset[(i, 0)]);
    let recurrent = vec![0.0; input.len()];
    Some(Biases { input, recurrent })
}

/// The newest variable of a network of one plain layer: where it is written, and how it is read.
struct Newest<'a> {
    cell: &'a Elman,
    /// Units x d.
    memories: Matrix,
    /// d x units.
    readers: Matrix,
    /// The mean state once it has settled, one column.
    mean: Matrix,
}

impl<'a> Newest<'a> {
    fn of(
        which: &'static str,
        (network, task): NetworkAndTask<'a>,
        found: &Interpretation,
    ) -> Result<Self, ComposeError> {
        let found_as = || match network.kind() {
            Some(kind) => format!("{} in {} layers", kind.title(), network.layers.len()),
            None => "of several cells".into(),
        };
        let cell = network.as_elman().ok_or_else(|| ComposeError::NotPlain { which, found: found_as() })?;
        let not_lasting = || ComposeError::NotLasting { name: task.name().into() };
        let contents = found.details.contents.as_ref().ok_or_else(not_lasting)?;
        let slots = contents.slots.as_ref().filter(|_| !contents.fades && task.is_linear()).ok_or_else(not_lasting)?;
        let code = found.details.memories.iter().find(|memories| memories.method == Method::Code);
        let no_code = || ComposeError::NoCode { which, verdict: found.verdict.name() };
        let frame = code.and_then(|memories| memories.frame.as_ref()).ok_or_else(no_code)?;
        let first = task.width() - task.d();
        let place = |j: usize| {
            let kept = slots.iter().position(|&slot| slot == first + j);
            kept.ok_or(ComposeError::NewestNotKept { which, component: j + 1 })
        };
        let places = (0..task.d()).map(place).collect::<Result<Vec<usize>, _>>()?;
        let (units, d) = (frame.memories.nrows(), task.d());
        let settled = found.details.means.last().cloned().unwrap_or_else(|| vec![0.0; units]);
        Ok(Self {
            cell,
            memories: Matrix::from_fn(units, d, |i, j| frame.memories[(i, places[j])]),
            readers: Matrix::from_fn(d, units, |j, i| frame.readers[(places[j], i)]),
            mean: Matrix::from_fn(units, 1, |i, _| settled[i]),
        })
    }
}
