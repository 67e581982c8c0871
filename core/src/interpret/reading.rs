//! Simulating a network, and reading its function back from what it does.

use super::{InterpretError, InterpretParams, Question, limits};
use crate::network::Network;
use crate::observe::{Asked, Observations, Watch, observe_watched};
use crate::random::{Purpose, Stream};
use crate::recurrence::{Recurrence, read_back};
use crate::task::MAX_GATE_INPUTS;

/// Everything that is simulated, and the function behind it; where that is no linear one, the network is asked for truth
/// tables.
pub(crate) fn observe_and_read(
    network: &Network,
    question: &Question,
    params: &InterpretParams,
    watch: &Watch<'_>,
) -> Result<(Observations, Recurrence), InterpretError> {
    let (s, d) = question.size(network.outputs());
    limits::check(s, d, network.state_size(), params)?;
    let mut observed = observe_watched(network, (s, d), &params.observe, watch)?;
    let mut reading = read_back(&observed, &params.recurrence)?;
    if wants_tables(&observed, question, &reading, params) {
        watch.stage("asking for truth tables", 0.0)?;
        let stream = Stream::new(params.observe.seed, Purpose::ScoreInputs);
        observed.asked = Asked::run(network, (s, d), &stream, &params.observe.ask, watch)?;
        reading.look_for_tables(&observed, &params.recurrence);
    }
    Ok((observed, reading))
}

/// The function behind recordings; combinations that were seen must do where nobody can be asked.
pub(super) fn read_recordings(
    observed: &Observations,
    question: &Question,
    params: &InterpretParams,
) -> Result<Recurrence, InterpretError> {
    let mut reading = read_back(observed, &params.recurrence)?;
    if wants_tables(observed, question, &reading, params) {
        reading.look_for_tables(observed, &params.recurrence);
    }
    Ok(reading)
}

/// Whether truth tables are to be looked for: the task has them, or no linear function is right.
fn wants_tables(observed: &Observations, question: &Question, reading: &Recurrence, params: &InterpretParams) -> bool {
    let told = matches!(question, Question::Task(task) if !task.is_linear());
    // A table has few inputs: where every output has more, there is none.
    let too_many = observed.flips.as_ref().is_some_and(|flips| flips.all_depend_on_more_than(MAX_GATE_INPUTS));
    told || (!too_many && reading.is_open(&params.recurrence))
}
