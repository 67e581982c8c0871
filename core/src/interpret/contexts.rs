//! A network with several functions: each context by itself, what their memories share, and where the cue acts.

use super::{InterpretError, InterpretParams, Interpretation, Question, Verdict, interpret};
use crate::memories::{Angles, Method};
use crate::network::{Biases, Cell, Network, ParameterMut};
use crate::numeric::{Matrix, NumericError};
use crate::observe::OnProgress;
use crate::random::{Purpose, Stream};
use crate::score::differ;
use crate::task::{Component, Episodes, Window, draw_inputs};
use faer::Mat;
use serde::Serialize;

/// What was found in a network with several functions.
#[derive(Clone, Debug, Serialize)]
pub struct InContexts {
    /// The task.
    pub task: String,
    /// Each context by itself.
    pub contexts: Vec<InContext>,
    /// Every two of them.
    pub pairs: Vec<Shared>,
    /// Whether every context has its circuit and the cue was seen to decide between any two of them.
    pub holds: bool,
    /// What speaks against it.
    pub failing: Vec<String>,
    /// Contexts between which nothing shows what the cue does, as their functions are the same.
    pub alike: Vec<[String; 2]>,
}

impl InContexts {
    /// What it comes to, in a sentence that says no more than was measured; nothing where something speaks against it.
    pub fn conclusion(&self) -> Option<String> {
        let circuits = self.contexts.iter().filter(|of| of.found.verdict == Verdict::Circuit).count();
        let held = match circuits == self.contexts.len() {
            true => "every context has its circuit".to_string(),
            false => {
                format!("{circuits} of {} contexts have their circuit, the others are superposed", self.contexts.len())
            }
        };
        let compared = self.pairs.len() - self.alike.len();
        let alike: Vec<String> = self.alike.iter().map(|[a, b]| format!("{a} and {b}")).collect();
        let cue = match (compared, alike.is_empty()) {
            (0, true) => String::new(),
            (_, true) => ", and the cue decides between them".to_string(),
            (0, false) => {
                "; whether the cue decides between them cannot be seen: their functions are the same".to_string()
            }
            (_, false) => format!(
                ", and the cue decides between those whose functions differ; between {} it cannot be seen",
                alike.join(", ")
            ),
        };
        self.failing.is_empty().then(|| held + &cue)
    }
}

/// One context.
#[derive(Clone, Debug, Serialize)]
pub struct InContext {
    /// What it is called.
    pub context: String,
    /// Where its cue acts.
    pub cue: Cue,
    /// What was found.
    pub found: Interpretation,
}

/// Where a cue acts, by its input weights.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cue {
    /// Length of its input weights, relative to the mean length of a component's.
    pub size: f64,
    /// Units that it drives so far that they hardly answer to anything else (|tanh w| > 0.9); those of all gates.
    pub saturated: f64,
    /// Share of its input weights that lies in the space of the context's memories; nothing without a code.
    pub in_memories: Option<f64>,
    /// What a random direction has there.
    pub by_chance: Option<f64>,
    /// The contents that it is written into most, with how much: as if it were that content.
    pub written: Vec<(Component, f64)>,
}

/// What two contexts share.
#[derive(Clone, Debug, Serialize)]
pub struct Shared {
    /// The contexts.
    pub contexts: [String; 2],
    /// How the spaces of their memories lie to each other; nothing where one has no code.
    pub angles: Option<Angles>,
    /// Memories of the first context that lie in the space of the second's ...
    pub shared: Vec<Component>,
    /// ... and those that do not.
    pub apart: Vec<Component>,
    /// Of the outputs at which the two functions differ on the same inputs, the share at which the network differs too; nothing
    /// where the functions never differ.
    pub cue_obeyed: Option<f64>,
}

/// The network as it is in one context: one of d inputs. A cue that lasts is a bias.
pub fn in_context(network: &Network, task: &Window, context: usize) -> Result<Network, InterpretError> {
    let (d, found) = (task.d(), network.inputs());
    if task.contexts().is_empty() || found != task.inputs() {
        return Err(InterpretError::CueInputs { found, d, contexts: task.contexts().len() });
    }
    let mut within = network.clone();
    let Some(first) = within.layers.first_mut() else { return Err(InterpretError::NoTask) };
    let weights = input_weights(first).ok_or(InterpretError::NoInputWeights)?;
    let cue: Vec<f64> = (0..weights.nrows()).map(|i| weights[(i, d + context)]).collect();
    *weights = weights.subcols(0, d).to_owned();
    let biases = first.layer_mut().biases_mut().ok_or(InterpretError::NoInputWeights)?;
    let zero = || Biases { input: vec![0.0; cue.len()], recurrent: vec![0.0; cue.len()] };
    biases.get_or_insert_with(zero).input.iter_mut().zip(&cue).for_each(|(bias, cue)| *bias += cue);
    Ok(within)
}

fn input_weights(cell: &mut Cell) -> Option<&mut Mat<f64>> {
    cell.layer_mut().parameters_mut().into_iter().find_map(|(name, parameter)| match (name, parameter) {
        ("weight_ih", ParameterMut::Matrix(weights)) => Some(weights),
        _ => None,
    })
}

/// Interprets a network in one context.
pub fn interpret_context(
    network: &Network,
    task: &Window,
    context: usize,
    params: &InterpretParams,
    look: OnProgress<'_>,
) -> Result<Interpretation, InterpretError> {
    let within = in_context(network, task, context)?;
    let question = Question::Task(task.contexts()[context].task.clone());
    interpret(&within, &question, params, look)
}

/// Interprets a network in every context of its task.
pub fn interpret_contexts(
    network: &Network,
    task: &Window,
    params: &InterpretParams,
    look: OnProgress<'_>,
) -> Result<InContexts, InterpretError> {
    if task.contexts().is_empty() {
        return Err(InterpretError::NoContexts(task.name().into()));
    }
    let mut contexts = vec![];
    for (k, context) in task.contexts().iter().enumerate() {
        let found = interpret_context(network, task, k, params, look)?;
        contexts.push(InContext { cue: cue(network, task, k, &found)?, context: context.name.clone(), found });
    }
    let answered = answers(network, task, params)?;
    let mut pairs = vec![];
    for a in 0..contexts.len() {
        for b in a + 1..contexts.len() {
            pairs.push(shared([&contexts[a], &contexts[b]], obeyed(&answered[a], &answered[b]), params.claims.shared)?);
        }
    }
    let failing = failing(&contexts, &pairs, params.claims.cue_obeyed);
    let alike = pairs.iter().filter(|pair| pair.cue_obeyed.is_none()).map(|pair| pair.contexts.clone()).collect();
    // What nobody could see is not held.
    let holds = failing.is_empty() && pairs.iter().all(|pair| pair.cue_obeyed.is_some());
    Ok(InContexts { task: task.name().into(), contexts, pairs, holds, failing, alike })
}

fn failing(contexts: &[InContext], pairs: &[Shared], least: f64) -> Vec<String> {
    let circuit = |verdict: Verdict| matches!(verdict, Verdict::Circuit | Verdict::Superposed);
    let wrong = contexts.iter().filter(|of| !circuit(of.found.verdict));
    let mut failing: Vec<String> =
        wrong.map(|of| format!("in context {} the network is {}", of.context, of.found.verdict.name())).collect();
    for pair in pairs {
        if let Some(obeyed) = pair.cue_obeyed.filter(|obeyed| obeyed.is_nan() || *obeyed < least) {
            let [a, b] = &pair.contexts;
            failing.push(format!(
                "the cue does not decide between {a} and {b}: of the outputs that must differ, {:.1} % do",
                100.0 * obeyed
            ));
        }
    }
    failing
}

/// Memories and readers of the code.
pub(crate) fn frame(found: &Interpretation) -> Option<(&Matrix, &Matrix)> {
    let frame = found.details.memories.iter().find(|memories| memories.method == Method::Code)?.frame.as_ref()?;
    Some((&frame.memories, &frame.readers))
}

/// Directions of memories that are smaller than this share of the largest are none.
const RANK_CUT: f64 = 1e-3;

/// An orthonormal basis of the space of memories. Contents that share directions have fewer of them than there are contents.
pub(crate) fn basis(of: &Matrix) -> Result<Matrix, NumericError> {
    let found = crate::numeric::Svd::of(of)?;
    Ok(found.left.subcols(0, found.rank(RANK_CUT)).to_owned())
}

fn cue(network: &Network, task: &Window, context: usize, found: &Interpretation) -> Result<Cue, InterpretError> {
    let mut first = network.layers.first().cloned().ok_or(InterpretError::NoTask)?;
    let weights = input_weights(&mut first).ok_or(InterpretError::NoInputWeights)?.clone();
    let length = |j: usize| weights.col(j).squared_norm_l2().sqrt();
    let components = (0..task.d()).map(length).sum::<f64>() / task.d() as f64;
    let acts = weights.col(task.d() + context);
    let saturated = acts.iter().filter(|w| w.tanh().abs() > 0.9).count() as f64 / weights.nrows() as f64;
    let mut cue = Cue {
        size: length(task.d() + context) / components.max(f64::MIN_POSITIVE),
        saturated,
        in_memories: None,
        by_chance: None,
        written: vec![],
    };
    // Only in a plain layer are the weights a direction of the states.
    let (plain, contents) = (network.as_elman(), &found.details.contents);
    if let (Some(_), Some((memories, readers)), Some(contents)) = (plain, frame(found), contents) {
        let state = Mat::from_fn(acts.nrows(), 1, |i, _| acts[i]);
        let space = basis(memories)?;
        let inside = (space.transpose() * &state).squared_norm_l2();
        cue.in_memories = Some(inside / state.squared_norm_l2().max(f64::MIN_POSITIVE));
        cue.by_chance = Some(space.ncols() as f64 / weights.nrows() as f64);
        let read = readers * &state;
        let mut written: Vec<(Component, f64)> =
            (0..read.nrows()).filter_map(|i| Some((contents.named(i)?, read[(i, 0)]))).collect();
        written.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        written.truncate(4);
        cue.written = written;
    }
    Ok(cue)
}

fn shared([a, b]: [&InContext; 2], cue_obeyed: Option<f64>, least: f64) -> Result<Shared, InterpretError> {
    let mut found = Shared {
        contexts: [a.context.clone(), b.context.clone()],
        angles: None,
        shared: vec![],
        apart: vec![],
        cue_obeyed,
    };
    let frames = frame(&a.found).zip(frame(&b.found));
    let (Some(((here, _), (there, _))), Some(contents)) = (frames, &a.found.details.contents) else { return Ok(found) };
    found.angles = Angles::between(here, there)?;
    let inside = basis(there)?.transpose() * here;
    for i in 0..here.ncols() {
        let Some(component) = contents.named(i) else { continue };
        let all = here.col(i).squared_norm_l2().max(f64::MIN_POSITIVE);
        let within = inside.col(i).squared_norm_l2() / all;
        if within >= least { found.shared.push(component) } else { found.apart.push(component) }
    }
    Ok(found)
}

/// What the network says in every context on the same inputs, and what it should say, step by step.
fn answers(network: &Network, task: &Window, params: &InterpretParams) -> Result<Vec<[Vec<f64>; 2]>, InterpretError> {
    let (episodes, horizon) = (params.observe.accuracy_episodes, params.observe.accuracy_horizon);
    let stream = Stream::new(params.observe.seed, Purpose::ScoreInputs);
    let inputs = draw_inputs((task.s(), task.d()), episodes, &stream, 2)?;
    let mut all = vec![];
    for (k, context) in task.contexts().iter().enumerate() {
        let within = in_context(network, task, k)?;
        let column = |output: &Matrix, e: usize| output.col_as_slice(e).to_vec();
        let step = |output: Matrix| (0..episodes).flat_map(|e| column(&output, e)).collect::<Vec<f64>>();
        let said = within.begin(&inputs, episodes, horizon).answers().flat_map(step).collect();
        let mut wanted = Episodes::new(&context.task, episodes);
        wanted.present(&context.task, &inputs, horizon);
        all.push([said, wanted.targets().iter().copied().map(f64::from).collect()]);
    }
    Ok(all)
}

fn obeyed([said_a, wanted_a]: &[Vec<f64>; 2], [said_b, wanted_b]: &[Vec<f64>; 2]) -> Option<f64> {
    let apart: Vec<usize> = (0..wanted_a.len()).filter(|&i| differ(wanted_a[i], wanted_b[i])).collect();
    let follow = apart.iter().filter(|&&i| differ(said_a[i], said_b[i])).count();
    (!apart.is_empty()).then(|| follow as f64 / apart.len() as f64)
}
