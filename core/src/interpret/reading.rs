//! Simulating a network, and reading its function back from what it does.

use super::{InterpretError, InterpretParams, Question, limits};
use crate::network::Network;
use crate::observe::{Inquiry, Kind, Observations, RareRule, Watch, observe};
use crate::random::{Purpose, Stream};
use crate::recurrence::{Recurrence, read_back};
use crate::task::{MAX_GATE_INPUTS, Window};

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
    let mut observed = observe(network, (s, d), &params.observe, watch)?;
    let mut reading = read_back(&observed, &params.recurrence)?;
    if wants_tables(&observed, question, &reading, params) {
        watch.stage("asking for truth tables", 0.0)?;
        let stream = Stream::new(params.observe.seed, Purpose::ScoreInputs);
        observed.asked = Inquiry::run(network, (s, d), &stream, &params.observe.ask, watch)?;
        reading.look_for_tables(&observed, &params.recurrence);
    }
    let task = match question {
        Question::Task(task) => Some(task.clone()),
        Question::Blind { .. } => {
            watch.stage("looking for rare inputs", 0.05)?;
            with_rare_rules(network, &mut observed, &mut reading, params, watch)?
        }
    };
    let signs = task.as_ref().filter(|task| task.is_binary());
    if observed.rare.is_none() {
        observed.rare = signs.map(|task| observed.look_for_rare(network, task, &params.observe, watch)).transpose()?;
    }
    if matches!(question, Question::Blind { .. }) {
        observed.kind = Some(Kind::look(network, (s, d), task.as_ref(), &params.observe, watch)?);
    }
    Ok((observed, reading))
}

/// Looks where the function that was read is wrong at the first output step. What other inputs decide there is asked for too, and
/// the tables of these inputs take the place of what was read, where they are stated. Gives the task that is read in the end.
fn with_rare_rules(
    network: &Network,
    observed: &mut Observations,
    reading: &mut Recurrence,
    params: &InterpretParams,
    watch: &Watch<'_>,
) -> Result<Option<Window>, InterpretError> {
    let (s, d) = (observed.s, observed.d);
    let Some(task) = reading.task(s, d).filter(Window::is_binary) else { return Ok(reading.task(s, d)) };
    let rare = observed.look_for_rare(network, &task, &params.observe, watch)?;
    let found: Vec<&RareRule> = rare.rules.iter().filter(|rule| rule.share > params.claims.rare).collect();
    let gates = task.gates().unwrap_or_default();
    let mut wanted: Vec<Vec<usize>> =
        gates.iter().map(|gate| gate.inputs().iter().map(|slot| slot.index(s, d)).collect()).collect();
    for rule in &found {
        wanted[rule.output].extend(rule.inputs.iter().map(|(slot, _)| slot.index(s, d)));
    }
    if !found.is_empty() {
        let stream = Stream::new(params.observe.seed, Purpose::ScoreInputs);
        let asked = Inquiry::these(network, (s, d), &wanted, &stream, &params.observe.ask, watch)?;
        let mut wider = reading.clone();
        let before = observed.asked.replace(asked);
        wider.look_for_tables(observed, &params.recurrence);
        match wider.gates().and_then(|_| wider.task(s, d)) {
            Some(task) => {
                *reading = wider;
                return Ok(Some(task));
            }
            None => observed.asked = before,
        }
    }
    observed.rare = Some(rare);
    Ok(Some(task))
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
