//! What a network does on inputs of our choosing, simulated once and shared by every stage.
//!
//! Five batches: *probes* drive the network around its orbit, *trials* hold the evidence for the function it computes,
//! *scores* are fresh inputs on which decoders fitted on the probes are judged, *long* ones show how long it stays accurate,
//! and in *flips* one input at a time is turned over.

mod asking;
mod flips;
mod followed;
mod given;
mod inputs;
mod kind;
mod rare;
mod shown;
mod view;
mod watch;

pub use asking::{Answers, AskParams, Inquiry};
pub use flips::Flips;
pub use followed::{Followed, Worst, Yardstick, follow};
pub use given::{Trajectories, TrajectoriesError};
pub(crate) use inputs::as_windows;
pub use kind::{Kind, KindParams, LaterInput, OtherLength, still_moving};
pub use rare::{Rare, RareParams, RareRule};
pub use shown::Shown;
pub use view::View;
pub use watch::{OnProgress, StageProgress, Stopped, Watch};

use inputs::{every_window, window_count};

use crate::network::{Network, NetworkError, Run};
use crate::numeric::Matrix;
use crate::random::{Purpose, Stream};
use crate::score::{Tally, is_right};
use crate::setting::settings;
use crate::task::{Episodes, TaskError, Window, draw_inputs};
use std::collections::BTreeMap;
use std::ops::Range;

/// Activity below this counts as none: without it, numbers too small for fast arithmetic would slow dead networks down.
const VANISHED: f64 = 1e-100;

/// First output steps whose states are kept for judging, at least: where f forgets there are no later ones to look at.
const EARLY_STEPS: usize = 12;

/// Output steps that are run, and that everything is said of, where nobody says how many.
pub const HORIZON: usize = 200;

settings! {
    /// How much is simulated.
    pub struct ObserveParams {
        /// Seed of every input.
        seed: u64 = 1;
        /// Probe episodes, at least; an even number for networks that are not odd, as inputs then come in pairs u, -u.
        probes: usize = 64, EPISODES;
        /// Probe episodes for each input component, at least: a direction that f repeats d times needs d independent inputs.
        probes_per_component: usize = 8, EPISODES;
        /// Output steps of a probe, at least.
        probe_steps: usize = 120, STEPS;
        /// Trial episodes, at least.
        trials: usize = 256, EPISODES;
        /// Trial episodes for each component of the window, at least.
        trials_per_component: usize = 3, EPISODES;
        /// Score episodes.
        scores: usize = 192, EPISODES;
        /// Output steps of a score episode.
        score_steps: usize = 60, STEPS;
        /// Output steps of it on which decoders are not scored yet, while the state settles.
        score_settle: usize = 40, SETTLING;
        /// Episodes over which accuracy is taken, at least.
        accuracy_episodes: usize = 64, EPISODES;
        /// The same for each component of the window, at least: every direction of the contents is looked for in the last outputs.
        accuracy_per_component: usize = 2, EPISODES;
        /// Output steps over which accuracy is taken: the horizon of everything that is said of outputs.
        accuracy_horizon: usize = HORIZON, STEPS;
        /// Output steps after which the trial ends; nothing is run beyond.
        ends_after: Option<usize> = None, STEPS;
        /// Where there are no more windows than this, each of them is run to the horizon.
        all_windows: usize = 4096, COUNT;
        /// Episodes in which one input at a time is flipped.
        flip_bases: usize = 4, EPISODES;
        /// Inputs that are flipped at most, evenly spread over the window.
        most_flips: usize = 256, between(1.0, 1_000_000.0, "inputs");
        /// One of so many given trajectories is kept for judging; the others show the orbit.
        judged_every: usize = 4, COUNT;
        /// A recorded unit drifts, and its trend is taken off, if trends make up this share of how its mean differs between episodes ...
        drifts: f64 = 0.25, SHARE;
        /// ... and this many times what they make up by chance.
        drifts_beyond_chance: f64 = 12.0, TIMES;
        /// How a network is asked for a truth table.
        ask: AskParams;
        /// How rare inputs are looked for.
        rare: RareParams;
        /// How it is seen whether a network goes on alone.
        kind: KindParams;
    }
}

/// A batch of episodes: s steps of input, then an output phase with zero input.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The inputs, (s, episodes, d).
    pub inputs: Vec<f32>,
    /// How many episodes.
    pub episodes: usize,
    /// State x episodes, for each output step that was kept.
    pub states: BTreeMap<usize, Matrix>,
    /// d x episodes, one for each output step.
    pub outputs: Vec<Matrix>,
    /// How far outputs spread at the last input step, where the output phase starts.
    pub last_input_size: f64,
    /// Whether the mirror image (-u, -h, -y) of each episode belongs to the batch too: an odd network need not be run to
    /// know it, and means over the batch are zero.
    pub mirrored: bool,
}

/// Everything that was simulated.
#[derive(Clone, Debug)]
pub struct Observations {
    /// Variables, which is steps of input.
    pub s: usize,
    /// Components of a variable.
    pub d: usize,
    /// With the opposite of every input, simulated or mirrored.
    pub probe: Batch,
    /// Independent inputs, s output steps; where they are few, every window as often as any other.
    pub trial: Batch,
    /// Fresh inputs for judging decoders.
    pub score: Batch,
    /// Output steps of `score` that settle.
    pub score_settle: usize,
    /// Other fresh inputs for accuracy, outputs only.
    pub long: Batch,
    /// What changes when one input is flipped; nothing where only trajectories are known.
    pub flips: Option<Flips>,
    /// Answers to every combination of the inputs that matter; nothing where no truth table was looked for.
    pub asked: Option<Inquiry>,
    /// Whether `long` holds every window that there is.
    pub every_window: bool,
    /// Where the first outputs are not those of the function; nothing where none is known, or only trajectories are.
    pub rare: Option<Rare>,
    /// What the network does when it is driven otherwise; nothing where only trajectories are known.
    pub kind: Option<Kind>,
    /// Which input each episode of a recording was shown; nothing where the network itself was run.
    pub shown: Option<Shown>,
}

impl Observations {
    /// Batches of inputs that were drawn independently of one another: those of recordings are all in one.
    pub fn drawn(&self) -> Vec<&Batch> {
        match self.flips {
            Some(_) => vec![&self.trial, &self.score, &self.long],
            None => vec![&self.trial],
        }
    }

    /// Output steps on which decoders are scored.
    pub fn settled_steps(&self) -> Range<usize> {
        let end = self.score.states.last_key_value().map_or(0, |(&last, _)| last + 1);
        self.score_settle.min(end)..end
    }
}

/// What to do with a network of these sizes.
fn what_fits(inputs: usize, outputs: usize) -> String {
    match inputs == outputs {
        true => format!("give a task of {inputs} components, or none"),
        false => "what such a network says cannot be what it sees next, so that it does not go on alone whatever its task is; look \
                  which of its states hold what: in Python, ketbra.readings(hidden, contents)"
            .into(),
    }
}

/// Why a network could not be observed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObserveError {
    /// The network's inputs or outputs do not fit the task.
    #[error(
        "the network has {inputs} inputs and {outputs} outputs, but the task has d={d} components; {}",
        what_fits(*inputs, *outputs)
    )]
    Components {
        /// Inputs of the network.
        inputs: usize,
        /// Outputs of the network.
        outputs: usize,
        /// Components of the task.
        d: usize,
    },
    /// Activity without bound.
    #[error(
        "activity grows without bound: outputs are no longer finite at output step {step}; use a network that is stable"
    )]
    Diverged {
        /// The first such output step, from 1.
        step: usize,
    },
    /// Somebody asked for an end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A task that cannot be.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A network whose shapes do not fit or whose weights are not finite.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl ObserveParams {
    /// How much is simulated in all, in steps of episodes.
    pub fn work(&self, s: usize, d: usize) -> usize {
        let probes = self.probes.max(self.probes_per_component * d) * (s + self.probe_steps.max(self.score_steps + s));
        let trials = self.trials.max(self.trials_per_component * s * d) * 2 * s;
        let flips = self.flip_bases * (1 + self.most_flips.min(s * d)) * 2 * s;
        let scores = self.scores * (2 * s + self.score_steps);
        probes + trials + flips + scores + self.long_episodes((s, d)) * (s + self.accuracy_horizon)
    }

    /// Episodes that are run to the horizon, every window among them where these are few.
    fn long_episodes(&self, (s, d): (usize, usize)) -> usize {
        match window_count((s, d), self.all_windows) {
            Some(count) => count * self.accuracy_episodes.div_ceil(count).max(1),
            None => self.accuracy_episodes.max(self.accuracy_per_component * s * d),
        }
    }
}

/// Simulates the batches, all from the zero state, with progress told to a watcher.
pub fn observe(
    network: &Network,
    (s, d): (usize, usize),
    params: &ObserveParams,
    watch: &Watch<'_>,
) -> Result<Observations, ObserveError> {
    check(network, d)?;
    let stream = Stream::new(params.seed, Purpose::ProbeInputs);
    let probes = params.probes.max(params.probes_per_component * d);
    let trials = params.trials.max(params.trials_per_component * s * d);
    let fresh = Stream::new(params.seed, Purpose::ScoreInputs);
    let run = |inputs, episodes, steps, kept: &[usize]| -> Result<Batch, ObserveError> {
        Ok(Batch::run(network, inputs, episodes, steps, kept, watch)?)
    };
    let end = |steps: usize| params.ends_after.map_or(steps, |end| steps.min(end));
    let score_steps = end(params.score_steps);
    let early = s.max(EARLY_STEPS).min(score_steps);
    let scored: Vec<usize> = (0..early).chain(params.score_settle.max(early)..score_steps).collect();
    // Decoders need the mean of the probes at every step that they look at.
    let probe_steps = end(params.probe_steps.max(params.score_steps + s));
    let first = end(s);
    let long_episodes = params.long_episodes((s, d));
    // Every window where there are few, drawn ones otherwise.
    let inputs = |episodes, stream, index| match every_window((s, d), episodes) {
        Some(all) => Ok::<_, ObserveError>(all),
        None => Ok((draw_inputs((s, d), episodes, stream, index)?, episodes)),
    };
    // Batches do not see one another, so each may have a processor of its own.
    let probe = || drive(network, (s, d), &stream, 0, probes, &up_to(probe_steps), watch);
    let trial = || inputs(trials, &stream, 1).and_then(|(inputs, episodes)| run(inputs, episodes, first, &[]));
    let score = || {
        let inputs = draw_inputs((s, d), params.scores, &fresh, 0)?;
        run(inputs, params.scores, end(params.score_steps + s), &scored)
    };
    let to_the_horizon = || {
        let (inputs, episodes) = inputs(long_episodes, &fresh, 2)?;
        run(inputs, episodes, params.accuracy_horizon, &[])
    };
    let flips = || Flips::run(network, (s, d), &fresh, params, watch);
    let ((probe, score), (long, (trial, flips))) =
        rayon::join(|| rayon::join(probe, score), || rayon::join(to_the_horizon, || rayon::join(trial, flips)));
    let observed = Observations {
        s,
        d,
        every_window: every_window((s, d), long_episodes).is_some(),
        rare: None,
        kind: None,
        shown: None,
        probe: probe?,
        trial: trial?,
        score: score?,
        score_settle: params.score_settle,
        long: long?,
        flips: Some(flips?),
        asked: None,
    };
    for batch in [&observed.probe, &observed.trial, &observed.score, &observed.long] {
        if let Some(step) = batch.outputs.iter().position(|produced| !produced.is_all_finite()) {
            return Err(ObserveError::Diverged { step: step + 1 });
        }
    }
    Ok(observed)
}

/// Whether a network can be driven with so many components, and says as many.
pub(crate) fn check(network: &Network, d: usize) -> Result<(), ObserveError> {
    network.check()?;
    let (inputs, outputs) = (network.inputs(), network.outputs());
    if inputs == d && outputs == d { Ok(()) } else { Err(ObserveError::Components { inputs, outputs, d }) }
}

/// Runs at least `episodes` episodes, the opposite of each among them or mirrored, and keeps the output states of `kept`.
pub(crate) fn drive(
    network: &Network,
    (s, d): (usize, usize),
    stream: &Stream,
    index: u32,
    episodes: usize,
    kept: &[usize],
    watch: &Watch<'_>,
) -> Result<Batch, ObserveError> {
    let steps = kept.iter().map(|last| last + 1).max().unwrap_or(0);
    if network.is_odd() {
        let inputs = draw_inputs((s, d), episodes, stream, index)?;
        return Ok(Batch { mirrored: true, ..Batch::run(network, inputs, episodes, steps, kept, watch)? });
    }
    with_opposites(network, (s, d), stream, index, episodes, kept, watch)
}

/// The same with the opposite of every input run too, whatever the network.
pub(crate) fn with_opposites(
    network: &Network,
    (s, d): (usize, usize),
    stream: &Stream,
    index: u32,
    episodes: usize,
    kept: &[usize],
    watch: &Watch<'_>,
) -> Result<Batch, ObserveError> {
    let steps = kept.iter().map(|last| last + 1).max().unwrap_or(0);
    let half = episodes.div_ceil(2);
    let with_opposites = draw_inputs((s, d), half, stream, index)?
        .chunks(half * d)
        .flat_map(|step| step.iter().copied().chain(step.iter().map(|u| -u)).collect::<Vec<_>>())
        .collect();
    Ok(Batch::run(network, with_opposites, 2 * half, steps, kept, watch)?)
}

fn up_to(steps: usize) -> Vec<usize> {
    (0..steps).collect()
}

impl Batch {
    /// Runs `steps` output steps and keeps the states of those in `kept`.
    pub(crate) fn run(
        network: &Network,
        inputs: Vec<f32>,
        episodes: usize,
        steps: usize,
        kept: &[usize],
        watch: &Watch<'_>,
    ) -> Result<Self, Stopped> {
        let presented = inputs.len() / (episodes * network.inputs()).max(1);
        let (mut states, mut outputs, mut last_input_size) = (BTreeMap::new(), Vec::with_capacity(steps), 0.0);
        let network = network.padded();
        let mut run = network.begin(&inputs, episodes, steps);
        while let Some(time) = watched_step(&mut run, watch)? {
            if time + 1 == presented {
                last_input_size = spread(&run.said());
            }
            let Some(t) = time.checked_sub(presented) else { continue };
            outputs.push(run.said());
            if kept.contains(&t) {
                states.insert(t, run.state().clone());
            }
        }
        Ok(Self { inputs, episodes, states, outputs, last_input_size, mirrored: false })
    }

    /// What a component was at a time step: of the s inputs first, then of the outputs.
    pub(crate) fn value(&self, (s, d): (usize, usize), time: usize, component: usize, episode: usize) -> f64 {
        match time.checked_sub(s) {
            Some(step) => self.outputs[step][(component, episode)],
            None => f64::from(self.inputs[(time * self.episodes + episode) * d + component]),
        }
    }

    /// The outputs of s steps from `first` on below one another, the oldest first: the window that they make up, s*d x episodes.
    pub(crate) fn window_of_outputs(&self, first: usize, (s, d): (usize, usize)) -> Matrix {
        Matrix::from_fn(s * d, self.episodes, |slot, e| self.outputs[first + slot / d][(slot % d, e)])
    }

    /// The inputs and targets of these episodes under a task.
    pub fn targets(&self, task: &Window) -> Episodes {
        let mut episodes = Episodes::new(task, self.episodes);
        episodes.present(task, &self.inputs, self.outputs.len());
        episodes
    }

    /// Mean of something over the batch, one column an episode.
    pub fn mean(&self, of: &Matrix) -> Vec<f64> {
        let mut mean = vec![0.0; of.nrows()];
        if !self.mirrored {
            for episode in 0..of.ncols() {
                mean.iter_mut().zip(of.col_as_slice(episode)).for_each(|(sum, x)| *sum += x);
            }
            mean.iter_mut().for_each(|sum| *sum /= of.ncols() as f64);
        }
        mean
    }

    /// Mean state over the batch at each output step up to the last that was kept; empty where none was.
    pub fn mean_states(&self) -> Vec<Vec<f64>> {
        let end = self.states.last_key_value().map_or(0, |(&last, _)| last + 1);
        let mean = |t: usize| self.states.get(&t).map_or_else(Vec::new, |states| self.mean(states));
        (0..end).map(mean).collect()
    }

    /// Mean output over the batch at each step: over probes, what biases add.
    pub fn mean_outputs(&self) -> Vec<Vec<f64>> {
        self.outputs.iter().map(|produced| self.mean(produced)).collect()
    }

    /// How far outputs spread over the episodes from step `from` on, relative to the largest step: near 0 where activity
    /// dies out or no longer depends on the inputs.
    pub fn persistence(&self, from: usize) -> f64 {
        let sizes: Vec<f64> = self.outputs.iter().map(spread).collect();
        let largest = sizes.iter().copied().fold(self.last_input_size, f64::max);
        let late = &sizes[from.min(sizes.len())..];
        let settled = (late.iter().map(|x| x * x).sum::<f64>() / late.len().max(1) as f64).sqrt();
        if largest > 0.0 { settled / largest } else { 0.0 }
    }
}

/// Takes the next step of a run, tells a watcher, and gives the number of the step; what vanishes in silence is none from there on.
pub(crate) fn watched_step(run: &mut Run<'_>, watch: &Watch<'_>) -> Result<Option<usize>, Stopped> {
    let Some(time) = run.step() else { return Ok(None) };
    if run.input().is_none() && has_vanished(run.state()) {
        run.state_mut().fill(0.0);
    }
    watch.simulated(run.state().ncols())?;
    Ok(Some(time))
}

/// Whether all activity is as good as none; one episode that is alive answers at once.
fn has_vanished(state: &Matrix) -> bool {
    (0..state.ncols()).all(|episode| state.col_as_slice(episode).iter().all(|x| x.abs() < VANISHED))
}

/// Root mean square deviation from the mean over the episodes: what biases add says nothing.
fn spread(produced: &Matrix) -> f64 {
    let mean =
        |j: usize| (0..produced.ncols()).map(|episode| produced[(j, episode)]).sum::<f64>() / produced.ncols() as f64;
    let means: Vec<f64> = (0..produced.nrows()).map(mean).collect();
    let deviations =
        Matrix::from_fn(produced.nrows(), produced.ncols(), |j, episode| produced[(j, episode)] - means[j]);
    (deviations.squared_norm_l2() / (produced.nrows() * produced.ncols()) as f64).sqrt()
}

/// Accuracy of each output (from 0) over the first `steps` output steps: the share of right signs.
pub fn output_accuracy(batch: &Batch, task: &Window, steps: usize) -> Vec<f64> {
    let (targets, mut tally) = (batch.targets(task), Tally::new(task.d()));
    let wanted = targets.targets().chunks((batch.episodes * task.d()).max(1));
    batch.outputs.iter().zip(wanted).take(steps).for_each(|(said, wanted)| tally.add_step(said, wanted, is_right));
    tally.shares()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Architecture, Initialization};

    #[test]
    fn opposite_inputs_are_mirrored_where_the_network_is_odd_and_simulated_where_it_is_not() {
        for bias in [false, true] {
            // Uniform initialization draws biases; the Gaussian one leaves them zero, and the network odd.
            let network = Initialization::Uniform.network(&Architecture::elman(12, Activation::Tanh, bias), 3, 3, 4);
            let stream = Stream::new(1, Purpose::ProbeInputs);
            let probe = drive(&network, (4, 3), &stream, 0, 10, &up_to(6), &Watch::nobody()).unwrap();
            assert_eq!((probe.mirrored, probe.episodes), (!bias, 10));
            let opposite = probe.inputs.iter().map(|u| -u).collect();
            let there = Batch::run(&network, opposite, 10, 6, &up_to(6), &Watch::nobody()).unwrap();
            for (here, there) in probe.states.values().zip(there.states.values()) {
                assert_eq!((here + there).norm_max() < 1e-15, !bias);
                let pooled = Matrix::from_fn(12, 20, |i, k| if k < 10 { here[(i, k)] } else { there[(i, k - 10)] });
                let mean = Batch { mirrored: false, ..probe.clone() }.mean(&pooled);
                let apart = mean.iter().zip(probe.mean(here)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart < 1e-15, "the mean of the batch is the mean with every opposite: {apart}");
            }
        }
    }

    #[test]
    fn activity_without_bound_is_refused() {
        let mut network =
            Initialization::Gaussian.network(&Architecture::elman(6, Activation::Identity, false), 2, 2, 4);
        network.as_elman_mut().unwrap().recurrent_weights *= faer::Scale(1e4);
        let error = observe(&network, (4, 2), &ObserveParams::default(), &Watch::nobody()).unwrap_err().to_string();
        assert!(error.contains("grows without bound"), "{error}");
    }

    #[test]
    fn a_network_that_does_not_fit_the_task_is_refused() {
        let network = Initialization::Gaussian.network(&Architecture::elman(12, Activation::Tanh, false), 3, 2, 4);
        let error = observe(&network, (4, 3), &ObserveParams::default(), &Watch::nobody()).unwrap_err().to_string();
        assert!(error.contains("3 inputs and 2 outputs") && error.contains("d=3"), "{error}");
    }
}
