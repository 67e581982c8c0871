//! Contents of a person's choice, written into the state of a network: what claims do with random ones.

use super::{InterpretError, Interpretation};
use crate::code::{Contents, ContentsFrom, Less, centre, products_of, shift};
use crate::network::Network;
use crate::numeric::{Matrix, for_each_subset, stacked, subset_count};
use crate::observe::{Watch, drive};
use crate::random::{Purpose, Stream};

/// Output steps on which whole states are regressed on contents.
const STEPS: usize = 12;

/// Episodes for each content and product, at least.
const EPISODES_EACH: usize = 4;

/// Whole states (state x columns) of a network that hold windows of contents (s*d x columns) after output step `at`; without it,
/// after the first step at which the state has settled.
pub fn write_contents(
    network: &Network,
    found: &Interpretation,
    windows: &Matrix,
    at: Option<usize>,
) -> Result<Matrix, InterpretError> {
    let Some(contents) = found.details.contents.as_ref().filter(|contents| contents.count() > 0) else {
        return Err(InterpretError::NothingToWrite);
    };
    let (task, params) = (contents.task(), &found.params);
    if windows.nrows() != task.width() || !windows.is_all_finite() {
        return Err(InterpretError::WrittenSize { s: task.s(), d: task.d() });
    }
    let settled = contents.drawn.as_ref().map_or(params.visited.settle + 2, |drawn| drawn.at);
    let first = at.unwrap_or(if contents.fades { 0 } else { settled });
    let steps: Vec<usize> = (first..first + STEPS).collect();
    let members = products_beside(contents, found);
    let features = contents.count() + members.len();
    let episodes = params.code.table_episodes.max(EPISODES_EACH * features);
    let stream = Stream::new(params.observe.seed, Purpose::ProbeInputs);
    let batch = drive(network, (task.s(), task.d()), &stream, 17, episodes, &steps, &Watch::nobody())?;
    let over = contents.over(&batch, ContentsFrom::Function, (&[], 1.0));
    let held = over.sample(&steps, Less::OwnMeans).with_products(&members);
    let memories = held.memories(params.code.ridge)?;
    let mut written = with_products(&(&contents.project * windows), &members);
    let (middle, mean) = (centre(&mut with_products(&over.at(first), &members)), batch.mean(&batch.states[&first]));
    shift(&mut written, &middle, -1.0);
    let mut states = memories * written;
    shift(&mut states, &mean, 1.0);
    Ok(states)
}

fn with_products(held: &Matrix, members: &[Vec<usize>]) -> Matrix {
    if members.is_empty() { held.clone() } else { stacked(held, &products_of(held, members)) }
}

/// Products of contents that the states of a truth table were found to hold, as far as there are not too many.
fn products_beside(contents: &Contents, found: &Interpretation) -> Vec<Vec<usize>> {
    let degrees = found.code.as_ref().and_then(|code| code.products.as_ref()).map_or(1, |found| found.by_degree.len());
    let mut members: Vec<Vec<usize>> = vec![];
    for degree in 2..=degrees {
        if members.len() as f64 + subset_count(contents.count(), degree) > found.params.code.most_products as f64 {
            break;
        }
        for_each_subset(contents.count(), degree, |choice| members.push(choice.to_vec()));
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::{InterpretParams, Question, interpret};
    use crate::network::NetworkFile;
    use crate::task::Window;
    use std::path::Path;

    #[test]
    fn written_contents_come_out_as_the_function_says() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/networks/lstm-t3-h128.safetensors");
        let network = NetworkFile::open(&path).unwrap().network;
        let task = Window::named("T3", None, None).unwrap();
        let found = interpret(&network, &Question::Task(task.clone()), &InterpretParams::default(), &|_| true).unwrap();
        let windows = Matrix::from_fn(64, 5, |i, k| if (i * 7 + k * 3) % 5 < 2 { 1.0 } else { -1.0 });
        let states = write_contents(&network, &found, &windows, None).unwrap();
        let next = network.read(network.step_batch(states.as_ref(), None).as_ref());
        let wanted = task.linear().unwrap() * &windows;
        for k in 0..5 {
            let signs = |of: &Matrix| of.col_as_slice(k).iter().map(|u| *u > 0.0).collect::<Vec<_>>();
            assert_eq!(signs(&next), signs(&wanted));
        }
        let error = write_contents(&network, &found, &windows.subrows(0, 60).to_owned(), None).unwrap_err();
        assert!(error.to_string().contains("s=8"), "{error}");
    }
}
