//! Groups, waves and launches: what the host does while the device trains.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

mod member;

use self::member::Member;
use super::device::{Device, Numbers, Session, Wave};
use super::plan::{LOSS_DIVERGED, Plan, RUNNING, Row};
use super::shape::Shape;
use super::{CudaError, Precision};
use crate::train::cpu::test_accuracy;
use crate::train::{Evaluations, Job, Metrics, Outcome, Start, TrainError, TrainObserver, TrainState};

/// Steps after which the host looks in, at the latest.
const LOOK_EVERY: u64 = 500;

/// Networks that are worth a thread of their own to report.
const REPORTS_EACH: usize = 4;

type Results = [Mutex<Option<Result<Outcome, TrainError>>>];

/// Trains every job; those of one shape together, in as many waves as the device's memory asks for. Whoever calls this for
/// another list at the same time waits for its turn on the device, not for the tests of this list on the processor.
pub(super) fn train(
    device: &dyn Device,
    precision: Precision,
    jobs: &[Job],
    observer: &dyn TrainObserver,
    turn: &Mutex<()>,
) -> Vec<Result<Outcome, TrainError>> {
    let results: Vec<_> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let mut groups: BTreeMap<(Shape, Precision), Vec<Member>> = BTreeMap::new();
    for (index, job) in jobs.iter().enumerate() {
        let shape = Shape::of(job);
        // Each job's own input steps decide: its bytes must not depend on the jobs beside it.
        let precision = device.precision(shape, precision, job.task.steps_before_outputs());
        match Member::new(index, job) {
            Ok(member) => groups.entry((shape, precision)).or_default().push(member),
            Err(error) => settle(&results, index, Err(error)),
        }
    }
    // Tests of finished networks run on the processor while the device goes on with the next group: the largest first.
    let failures = rayon::in_place_scope(|scope| {
        let mut failures = Vec::new();
        for &(shape, precision) in groups.keys() {
            // What goes wrong here goes wrong again when the kernel is needed, and is reported then.
            let _ = device.prepare(shape, precision);
        }
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        for ((shape, precision), members) in groups.into_iter().rev() {
            let indices: Vec<usize> = members.iter().map(|member| member.index).collect();
            if let Err(error) = train_group(device, precision, shape, members, observer, scope, &results) {
                failures.extend(indices.into_iter().map(|index| (index, error.clone())));
            }
        }
        failures
    });
    // Only now are all tests of finished networks done: what has no result by now was lost to the failure.
    for (index, error) in failures {
        settle(&results, index, Err(error.into()));
    }
    let lost = || CudaError::Call { action: "train a network", problem: "its result was lost".into() };
    let result = |place: Mutex<Option<_>>| place.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().map(|place| result(place).unwrap_or_else(|| Err(lost().into()))).collect()
}

/// Keeps the first result of a job.
fn settle(results: &Results, index: usize, result: Result<Outcome, TrainError>) {
    let mut place = results[index].lock().unwrap_or_else(PoisonError::into_inner);
    if place.is_none() {
        *place = Some(result);
    }
}

fn train_group<'a>(
    device: &dyn Device,
    precision: Precision,
    shape: Shape,
    mut members: Vec<Member<'a>>,
    observer: &dyn TrainObserver,
    scope: &rayon::Scope<'a>,
    results: &'a Results,
) -> Result<(), CudaError> {
    let room = |input: usize, horizon| device.capacity(shape, precision, input + horizon, horizon, LOOK_EVERY as usize);
    // A network that has no room by itself fails alone.
    let mut alone = BTreeMap::new();
    for member in &members {
        let size = member.size();
        if let Entry::Vacant(place) = alone.entry(size) {
            place.insert(room(size.0, size.1));
        }
    }
    members.retain(|member| match &alone[&member.size()] {
        Err(error @ CudaError::Memory { .. }) => {
            settle(results, member.index, Err(error.clone().into()));
            false
        }
        _ => true,
    });
    let longest = |of: fn((usize, usize)) -> usize| members.iter().map(|member| of(member.size())).max().unwrap_or(1);
    let capacity = if members.is_empty() { 0 } else { room(longest(|size| size.0), longest(|size| size.1))? };
    while !members.is_empty() {
        let rest = members.split_off(capacity.min(members.len()));
        let wave = assemble(shape, &members);
        let rolling_stride = wave.longest_horizon();
        let session = device.open(&wave, precision)?;
        drop(wave.numbers);
        WaveRun { shape, rolling_stride, members, session, observer, scope, results }.run()?;
        members = rest;
    }
    Ok(())
}

fn assemble<'a>(shape: Shape, members: &[Member<'a>]) -> Wave<'a> {
    let mut wave = Wave {
        shape,
        jobs: members.iter().map(|member| member.job).collect(),
        numbers: Numbers::default(),
        rows_each: LOOK_EVERY as usize,
    };
    let (stride, longest, count) = (shape.parameter_stride(), wave.longest_horizon(), members.len());
    let mut numbers = Numbers {
        weights: vec![0.0; count * stride],
        first_moments: vec![0.0; count * stride],
        second_moments: vec![0.0; count * stride],
        rolling_losses: vec![0.0; count * longest],
    };
    for (k, member) in members.iter().enumerate() {
        let params = &member.job.params;
        let place = k * stride..(k + 1) * stride;
        let d = member.job.task.outputs();
        match &member.job.start {
            Start::Random => {
                shape.flatten(&params.random_network(d), &mut numbers.weights[place]);
            }
            Start::Weights(network) => shape.flatten(network, &mut numbers.weights[place]),
            Start::State(state) => {
                shape.flatten(&state.network, &mut numbers.weights[place.clone()]);
                shape.flatten(&state.first_moment, &mut numbers.first_moments[place.clone()]);
                shape.flatten(&state.second_moment, &mut numbers.second_moments[place]);
                // Losses beyond the longest horizon of this run are never looked at again.
                let rolling = &state.curriculum.rolling_loss;
                let kept = rolling.len().min(longest);
                numbers.rolling_losses[k * longest..k * longest + kept].copy_from_slice(&rolling[..kept]);
            }
        }
    }
    wave.numbers = numbers;
    wave
}

/// What a launch left to be told, worked off while the next launch runs.
struct Update {
    /// Place of the member in its wave.
    place: usize,
    plan: Plan,
    metrics: Option<Metrics>,
    evaluations: Evaluations,
    rows: Vec<Row>,
    /// The state, where a checkpoint or a snapshot is due or the job ends here.
    numbers: Option<Arc<Numbers>>,
    checkpoint: bool,
    snapshot: bool,
    ends: bool,
}

/// One wave on its way through the device.
struct WaveRun<'a, 'b> {
    shape: Shape,
    rolling_stride: usize,
    members: Vec<Member<'a>>,
    session: Box<dyn Session + 'b>,
    observer: &'b dyn TrainObserver,
    scope: &'b rayon::Scope<'a>,
    results: &'a Results,
}

impl WaveRun<'_, '_> {
    fn run(mut self) -> Result<(), CudaError> {
        let mut updates = self.opening()?;
        loop {
            // What has been done is told even if the device goes no further.
            let launched = self.launch();
            self.tell(std::mem::take(&mut updates));
            if !launched? {
                return Ok(());
            }
            updates = self.collect()?;
        }
    }

    /// Before the first step: a checkpoint of those that begin anew, and those that are complete or stopped already.
    fn opening(&mut self) -> Result<Vec<Update>, CudaError> {
        let numbers = Arc::new(self.session.download()?);
        let mut updates = Vec::new();
        for place in 0..self.members.len() {
            let member = &mut self.members[place];
            let ends = member.is_done() || self.observer.stop(member.index);
            member.finished = ends;
            if ends || member.step() == 0 {
                // A run that begins anew has no checkpoint yet, not even one of step 0.
                if member.step() == 0 {
                    member.saved = u64::MAX;
                }
                let (plan, metrics, evaluations) = (member.plan, member.metrics, member.evaluations.clone());
                let (numbers, snapshot) = (Some(numbers.clone()), member.step() == 0 && member.is_kept());
                updates.push(Update {
                    place,
                    plan,
                    metrics,
                    evaluations,
                    rows: vec![],
                    numbers,
                    checkpoint: true,
                    snapshot,
                    ends,
                });
            }
        }
        Ok(updates)
    }

    /// Begins the next launch; false if every member is finished.
    fn launch(&mut self) -> Result<bool, CudaError> {
        for member in &mut self.members {
            let stop = if member.finished { member.step() } else { member.next_stop() };
            member.plan.begin = member.plan.step;
            member.plan.until = stop as u32;
        }
        let launched = self.members.iter().any(|member| !member.finished);
        if launched {
            let plans: Vec<Plan> = self.members.iter().map(|member| member.plan).collect();
            self.session.launch(&plans)?;
        }
        Ok(launched)
    }

    /// Waits for the launch and notes what came of it.
    fn collect(&mut self) -> Result<Vec<Update>, CudaError> {
        let (plans, rows) = self.session.wait()?;
        let numbers = self.look(&plans)?;
        let mut updates = Vec::new();
        let mut any_state = false;
        for (place, member) in self.members.iter_mut().enumerate() {
            if member.finished {
                continue;
            }
            let plan = member.plan;
            let diverged = plan.status != RUNNING;
            // The last row of a network that diverged is of the step that it could not take.
            let taken = (plan.step - plan.begin) as usize + usize::from(diverged);
            let rows = rows[place * LOOK_EVERY as usize..][..taken].to_vec();
            if !diverged && let Some(&row) = rows.last() {
                member.metrics = Some(row.into());
            }
            let params = &member.job.params;
            let ends = diverged || member.is_done() || self.observer.stop(member.index);
            member.finished = ends;
            let checkpoint = ends || member.step().is_multiple_of(params.checkpoint_every);
            let snapshot = member.is_kept();
            let state = !diverged && (checkpoint || snapshot);
            any_state |= state;
            let numbers = state.then(Arc::default);
            let (metrics, evaluations) = (member.metrics, member.evaluations.clone());
            updates.push(Update { place, plan, metrics, evaluations, rows, numbers, checkpoint, snapshot, ends });
        }
        if any_state {
            // Read back now: the next launch goes on from here.
            let numbers = numbers.map_or_else(|| self.session.download().map(Arc::new), Ok)?;
            for place in updates.iter_mut().filter_map(|item| item.numbers.as_mut()) {
                *place = numbers.clone();
            }
        }
        Ok(updates)
    }

    /// Takes over the plans that came back, and looks at the weights of those members that are due, side by side; the numbers,
    /// where they had to be read back for it.
    fn look(&mut self, plans: &[Plan]) -> Result<Option<Arc<Numbers>>, CudaError> {
        for (member, &plan) in self.members.iter_mut().zip(plans).filter(|(member, _)| !member.finished) {
            member.plan = plan;
        }
        let due = |member: &Member| !member.finished && member.plan.status == RUNNING && member.is_due();
        if !self.members.iter().any(due) {
            return Ok(None);
        }
        let (shape, stride) = (self.shape, self.shape.parameter_stride());
        let numbers = Arc::new(self.session.download()?);
        let next =
            Mutex::new(self.members.iter_mut().zip(numbers.weights.chunks(stride)).filter(|(member, _)| due(member)));
        let take = || next.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || std::iter::from_fn(take).for_each(|(member, weights)| member.look(shape, weights));
        thread::scope(|scope| {
            let workers = thread::available_parallelism().map_or(1, usize::from);
            let begun: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            begun.into_iter().for_each(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        });
        Ok(Some(numbers))
    }

    /// Tells the observer, and settles what has ended.
    fn tell(&mut self, updates: Vec<Update>) {
        let (shape, rolling_stride, observer) = (self.shape, self.rolling_stride, self.observer);
        let members = &self.members;
        let report = |item: &Update| report(&members[item.place], item, shape, rolling_stride, observer);
        // Checkpoints of hundreds of networks, one after the other, would keep the device waiting, and so would the tests of
        // finished networks if they stood before them in one queue.
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let each = updates.len().div_ceil(threads).max(REPORTS_EACH);
        let reported: Vec<_> = thread::scope(|scope| {
            let begin = |items| scope.spawn(move || -> Vec<_> { <[Update]>::iter(items).map(report).collect() });
            let workers: Vec<_> = updates.chunks(each).map(begin).collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        for (item, reported) in updates.iter().zip(reported) {
            let member = &mut self.members[item.place];
            let (index, job, results) = (member.index, member.job, self.results);
            match reported {
                Err(error) => {
                    member.finished = true;
                    settle(results, index, Err(error));
                }
                Ok(Some(state)) => {
                    if item.checkpoint {
                        member.saved = state.step;
                    }
                    if item.ends {
                        self.scope.spawn(move |_| {
                            let done = job.is_done(state.step, &state.evaluations);
                            let accuracy = done.then(|| test_accuracy(job, state.best()));
                            settle(results, index, Ok(Outcome { state, accuracy }));
                        });
                    }
                }
                Ok(None) => {}
            }
        }
    }
}

/// Tells the observer what a launch left of one member; the state, where there is one.
fn report(
    member: &Member,
    updates: &Update,
    shape: Shape,
    rolling_stride: usize,
    observer: &dyn TrainObserver,
) -> Result<Option<TrainState>, TrainError> {
    let (index, params) = (member.index, &member.job.params);
    let diverged = updates.plan.status != RUNNING;
    let (good, last) = updates.rows.split_at(updates.rows.len() - usize::from(diverged));
    for &row in good {
        let step = u64::from(row.step);
        if step.is_multiple_of(params.metrics_every) || member.job.is_done(step, &updates.evaluations) {
            observer.record(index, &row.into()).map_err(TrainError::NotRecorded)?;
        }
    }
    if let Some(&row) = good.last() {
        observer.progress(index, &row.into());
    }
    if let (true, Some(row)) = (diverged, last.first()) {
        let loss = updates.plan.status == LOSS_DIVERGED;
        return Err(TrainError::Diverged {
            step: row.step.into(),
            what: if loss { "loss" } else { "norm of the gradient" },
            value: if loss { row.loss } else { row.gradient_norm },
            learning_rate: row.learning_rate,
            clip: params.clip,
        });
    }
    let Some(numbers) = &updates.numbers else { return Ok(None) };
    let (stride, place) = (shape.parameter_stride(), updates.place);
    let network = |numbers: &[f32]| shape.network(&numbers[place * stride..(place + 1) * stride]);
    let state = TrainState {
        step: updates.plan.step.into(),
        curriculum: updates.plan.curriculum(&numbers.rolling_losses[place * rolling_stride..]),
        network: network(&numbers.weights),
        first_moment: network(&numbers.first_moments),
        second_moment: network(&numbers.second_moments),
        metrics: updates.metrics,
        evaluations: updates.evaluations.clone(),
    };
    if updates.checkpoint && member.saved != state.step {
        observer.checkpoint(index, &state).map_err(TrainError::NotRecorded)?;
    }
    if updates.snapshot {
        observer.snapshot(index, state.step, &state.network).map_err(TrainError::NotRecorded)?;
    }
    Ok(Some(state))
}

#[cfg(test)]
mod tests;
