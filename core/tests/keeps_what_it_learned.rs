//! Training that begins with a trained network: what is frozen or protected stays, what is free moves, and a run that is stopped
//! ends with the same bytes.

#![allow(clippy::unwrap_used, clippy::panic)]

use ketbra::network::{Network, NetworkFile};
use ketbra::random::{Purpose, Stream};
use ketbra::run_folder::{Resumed, RunFolder};
use ketbra::task::Task;
use ketbra::train::cpu::CpuEngine;
use ketbra::train::{Choices, Curriculum, Freeze, Job, Metrics, RestraintRule, Start, TrainObserver, Unobserved};
use ketbra::transfer::{LearnedTask, TransferParams, open_units, protect};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

const SMALL: &str =
    "name = \"two\"\ns = 3\nd = 2\n[context.a]\ntask = \"repeat-copy\"\n[context.b]\ntask = \"compose-copy\"\n";

fn two() -> Task {
    Task::from_toml(SMALL, "two", "two").unwrap()
}

fn one() -> Task {
    Task::named("repeat-copy", Some(3), Some(2)).unwrap()
}

fn few_steps() -> Choices {
    Choices { hidden: Some(24), steps: Some(30), checkpoint_every: Some(10), ..Choices::default() }
}

fn train(task: &Task, choices: &Choices, out: &Path) -> Network {
    let (params, start) = choices.params(task).unwrap();
    let job = Job { task: task.clone(), params, start };
    let folder = RunFolder::begin(out, &job, "cpu".into(), false).unwrap();
    folder.train(&job, &CpuEngine::default(), false, &Unobserved).unwrap().state.network
}

fn after(folder: &Path, from: &Path, choices: Choices) -> Network {
    train(&one(), &Choices { from: Some(from.into()), ..choices }, folder)
}

fn distance(a: &faer::Mat<f64>, b: &faer::Mat<f64>) -> f64 {
    (a - b).norm_max()
}

#[test]
fn frozen_recurrent_weights_stay_to_the_bit_and_the_rest_moves() {
    let here = tempfile::tempdir().unwrap();
    let start = train(&one(), &few_steps(), &here.path().join("start"));
    let freeze = Some(Freeze::Recurrent);
    let ended = after(&here.path().join("on"), &here.path().join("start"), Choices { freeze, ..few_steps() });
    let (a, b) = (start.as_elman().unwrap(), ended.as_elman().unwrap());
    assert_eq!(a.recurrent_weights, b.recurrent_weights);
    assert!(distance(&a.input_weights, &b.input_weights) > 1e-3);
    assert!(distance(&start.readout.weights, &ended.readout.weights) > 1e-3);
    let free = after(&here.path().join("free"), &here.path().join("start"), few_steps());
    assert!(distance(&a.recurrent_weights, &free.as_elman().unwrap().recurrent_weights) > 1e-3);
}

#[test]
fn frozen_memories_are_left_alone_while_everything_around_them_moves() {
    let here = tempfile::tempdir().unwrap();
    let learn = Choices { hidden: Some(24), ..Choices::default() };
    train(&one(), &learn, &here.path().join("start"));
    // What is kept, is kept of the best weights: those in the folder.
    let file = NetworkFile::open(&here.path().join("start")).unwrap();
    let freeze = Choices { freeze: Some(Freeze::Memories), from: Some(here.path().join("start")), ..few_steps() };
    let (params, _) = freeze.params(&one()).unwrap();
    let held = params.restraint.unwrap().held.unwrap();
    let space = held.holds["rnn.weight_hh_l0"].basis().unwrap().clone();
    assert_eq!((space.nrows(), space.ncols()), (24, 6), "repeat copy keeps all of its window");
    let ended = train(&one(), &freeze, &here.path().join("on"));
    let moved = &ended.as_elman().unwrap().recurrent_weights - &file.network.as_elman().unwrap().recurrent_weights;
    let within = space.transpose() * &moved * &space;
    assert!(within.norm_max() < 1e-6, "{}", within.norm_max());
    assert!(moved.norm_max() > 1e-3);
}

/// Asks for a stop after some steps.
struct StopAfter(u64, AtomicU64);

impl TrainObserver for StopAfter {
    fn progress(&self, _job: usize, metrics: &Metrics) {
        self.1.store(metrics.step, Ordering::Relaxed);
    }

    fn stop(&self, _job: usize) -> bool {
        self.1.load(Ordering::Relaxed) >= self.0
    }
}

#[test]
fn a_restrained_run_that_is_stopped_ends_with_the_same_bytes() {
    let here = tempfile::tempdir().unwrap();
    let path = |name: &str| here.path().join(name);
    train(&two(), &Choices { context: Some("a".into()), ..few_steps() }, &path("start"));
    let from = Some(path("start"));
    let ways = [
        Choices { freeze: Some(Freeze::Recurrent), ..few_steps() },
        Choices { protect: vec!["a".into()], ..few_steps() },
        Choices { reuse: vec!["a".into()], ..few_steps() },
        Choices { ewc: vec!["a".into()], ..few_steps() },
    ];
    for (k, way) in ways.into_iter().enumerate() {
        let choices = Choices { from: from.clone(), context: Some("b".into()), ..way };
        let (whole, stopped) = (path(&format!("whole{k}")), path(&format!("stopped{k}")));
        train(&two(), &choices, &whole);
        let (params, start) = choices.params(&two()).unwrap();
        let job = Job { task: two(), params, start };
        let folder = RunFolder::begin(&stopped, &job, "cpu".into(), false).unwrap();
        folder.train(&job, &CpuEngine::default(), false, &StopAfter(14, AtomicU64::new(0))).unwrap();
        let Resumed { folder, job, .. } = RunFolder::resume(&stopped).unwrap();
        assert!(matches!(job.start, Start::State(_)));
        folder.train(&job, &CpuEngine::default(), false, &Unobserved).unwrap();
        for file in ["network.safetensors", "checkpoint", "metrics.csv", "held.safetensors"] {
            assert_eq!(
                std::fs::read(whole.join(file)).unwrap(),
                std::fs::read(stopped.join(file)).unwrap(),
                "{k} {file}"
            );
        }
        // Another thing held is another run.
        std::fs::write(stopped.join("held.safetensors"), b"other").unwrap();
        let manifest = std::fs::read_to_string(stopped.join("manifest.json")).unwrap();
        std::fs::write(stopped.join("manifest.json"), manifest.replace("\"complete\"", "\"unfinished\"")).unwrap();
        assert!(RunFolder::resume(&stopped).is_err_and(|error| error.to_string().contains("checksum")));
    }
}

/// States after every step of an episode in a context.
fn states(network: &Network, context: usize) -> Vec<faer::Mat<f64>> {
    let task = two();
    let mut inputs = vec![];
    let stream = Stream::new(9, Purpose::ScoreInputs);
    for t in 0..15 {
        for sample in 0..8 {
            let bits = stream.block(t, sample, 0)[0];
            let sign = |j: u32| if bits >> j & 1 == 1 { 1.0f32 } else { -1.0 };
            inputs.extend([0, 1].map(|j| if t < 3 { sign(j) } else { 0.0 }));
            inputs.extend((0..task.contexts().len()).map(|k| f32::from(u8::from(k == context))));
        }
    }
    network.run(&inputs, 8, 0).states
}

#[test]
fn what_a_protected_network_does_in_its_old_context_does_not_change_and_unprotected_it_does() {
    let here = tempfile::tempdir().unwrap();
    let path = |name: &str| here.path().join(name);
    // A linear network lives in few directions, so that nothing of its states need be left out.
    let linear = Choices { activation: Some(ketbra::network::Activation::Identity), ..few_steps() };
    let start = train(&two(), &Choices { context: Some("a".into()), ..linear.clone() }, &path("start"));
    let on = Choices { context: Some("b".into()), from: Some(path("start")), left_out: Some(1e-12), ..linear };
    let protected = train(&two(), &Choices { protect: vec!["a".into()], ..on.clone() }, &path("protected"));
    let plain = train(&two(), &on, &path("plain"));
    let apart = |of: &Network, context: usize| {
        let pairs = states(&start, context).into_iter().zip(states(of, context));
        pairs.map(|(a, b)| (a - b).norm_max()).fold(0.0, f64::max)
    };
    assert!(apart(&protected, 0) < 1e-4, "old context: {}", apart(&protected, 0));
    assert!(apart(&protected, 1) > 1e-2, "new context: {}", apart(&protected, 1));
    assert!(apart(&plain, 0) > 1e-2, "unprotected: {}", apart(&plain, 0));
    let read = |of: &Network| of.read(states(&start, 0).last().unwrap().as_ref());
    assert!((read(&start) - read(&protected)).norm_max() < 1e-4);
}

#[test]
fn reuse_moves_weights_within_the_old_spaces_alone() {
    let here = tempfile::tempdir().unwrap();
    let start = train(&one(), &few_steps(), &here.path().join("start"));
    let old = [LearnedTask::named("repeat-copy", &one()).unwrap()];
    let params = TransferParams::default();
    let space =
        protect(&start, &old, true, &params).unwrap().held.unwrap().holds["rnn.weight_hh_l0"].basis().unwrap().clone();
    assert!(space.ncols() < 24, "{} directions", space.ncols());
    let reuse = Choices { reuse: vec!["repeat-copy".into()], ..few_steps() };
    let ended = after(&here.path().join("on"), &here.path().join("start"), reuse);
    let moved = &ended.as_elman().unwrap().recurrent_weights - &start.as_elman().unwrap().recurrent_weights;
    let outside = &moved - &moved * &space * space.transpose();
    assert!(outside.norm_max() < 1e-6 && moved.norm_max() > 1e-3, "{}", outside.norm_max());
}

#[test]
fn elastic_weights_stay_nearer_the_stronger_the_pull() {
    let here = tempfile::tempdir().unwrap();
    let start = train(&one(), &few_steps(), &here.path().join("start"));
    let far = |strength: Option<f64>, name: &str| {
        let ewc = if strength.is_some() { vec!["repeat-copy".into()] } else { vec![] };
        let choices = Choices { ewc, ewc_strength: strength, ..few_steps() };
        let ended = after(&here.path().join(name), &here.path().join("start"), choices);
        (&ended.as_elman().unwrap().recurrent_weights - &start.as_elman().unwrap().recurrent_weights).norm_l2()
    };
    let (free, weak, strong) = (far(None, "free"), far(Some(1e-3), "weak"), far(Some(1e6), "strong"));
    assert!(strong < 0.7 * free && (weak - free).abs() < 0.1 * free, "{free} {weak} {strong}");
}

#[test]
fn what_cannot_be_kept_is_said() {
    let here = tempfile::tempdir().unwrap();
    train(&one(), &few_steps(), &here.path().join("start"));
    let refused = |choices: Choices| choices.params(&one()).unwrap_err().to_string();
    let from = Some(here.path().join("start"));
    let nothing = refused(Choices { freeze: Some(Freeze::Recurrent), ..Choices::default() });
    assert!(nothing.contains("nothing to keep of random weights"), "{nothing}");
    let both =
        Choices { from: from.clone(), freeze: Some(Freeze::Recurrent), protect: vec!["T1".into()], ..few_steps() };
    assert!(refused(both).contains("exclude each other"));
    // Thirty steps make no memories.
    let memories = refused(Choices { from: from.clone(), freeze: Some(Freeze::Memories), ..few_steps() });
    assert!(memories.contains("no memories to freeze") || memories.contains("not learned"), "{memories}");
    let wrong = refused(Choices {
        from: from.clone(),
        left_out: Some(1.5),
        protect: vec!["repeat-copy".into()],
        ..few_steps()
    });
    assert!(wrong.contains("left_out is 1.5"), "{wrong}");
    let unknown = Choices { from, protect: vec!["c".into()], ..few_steps() };
    assert!(unknown.params(&two()).unwrap_err().to_string().contains("no context 'c'"));
    let missing = refused(Choices { from: Some("nowhere".into()), ..few_steps() });
    assert!(missing.contains("from takes the file or the run folder"), "{missing}");
    let strength = Choices {
        from: Some(here.path().join("start")),
        ewc: vec!["repeat-copy".into()],
        ewc_strength: Some(-1.0),
        ..few_steps()
    };
    assert!(refused(strength).contains("ewc_strength is -1"));
}

#[test]
fn the_manifest_says_what_a_run_began_with_and_what_it_keeps() {
    let here = tempfile::tempdir().unwrap();
    train(&one(), &few_steps(), &here.path().join("start"));
    after(
        &here.path().join("on"),
        &here.path().join("start"),
        Choices { freeze: Some(Freeze::Recurrent), ..few_steps() },
    );
    let params = RunFolder::open(&here.path().join("on")).unwrap().manifest().params.clone();
    assert!(params.from.unwrap().network.ends_with("start"));
    assert_eq!(params.restraint.unwrap().rule, RestraintRule::Freeze { part: Freeze::Recurrent });
}

/// Rows of a column of input weights that a strong cue shuts.
fn shut(of: &faer::Mat<f64>, column: usize) -> Vec<usize> {
    (0..of.nrows()).filter(|&i| of[(i, column)].abs() > 6.0).collect()
}

#[test]
fn strong_cues_leave_each_context_units_of_its_own_and_hold_the_others_still() {
    let choices = Choices { strong_cue: true, context: Some("a".into()), hidden: Some(25), ..few_steps() };
    let (params, start) = choices.params(&two()).unwrap();
    let Start::Weights(network) = start else { panic!("cues are drawn") };
    let weights = &network.as_elman().unwrap().input_weights;
    assert_eq!(shut(weights, 2), (12..25).collect::<Vec<_>>(), "those of b");
    assert_eq!(shut(weights, 3), (0..12).collect::<Vec<_>>(), "those of a");
    assert!(shut(weights, 0).is_empty() && shut(weights, 1).is_empty());
    assert_eq!([0, 1].map(|context| open_units(&network, &two(), context)), [12, 13]);
    // What is held still has no part in the moves of weights that it reaches.
    let held = params.restraint.unwrap().held.unwrap();
    for name in ["rnn.weight_hh_l0", "readout.weight"] {
        let basis = held.holds[name].basis().unwrap();
        assert_eq!(basis.ncols(), 1, "{name}");
        assert!((0..12).all(|i| basis[(i, 0)] == 0.0) && (12..25).all(|i| basis[(i, 0)].abs() > 0.2), "{name}");
    }
    let states = states(&network, 0);
    let apart = |unit: usize| states.iter().flat_map(move |at| (0..8).map(move |e| at[(unit, e)] - at[(unit, 0)]));
    assert!((12..25).all(|unit| apart(unit).all(|by| by.abs() < 1e-6)), "shut units are the same in all episodes");
    assert!((0..12).any(|unit| apart(unit).any(|by| by.abs() > 0.1)), "open ones are not");
}

#[test]
fn units_that_a_cue_shuts_stay_shut_through_training_and_the_next_context_trains_others() {
    let here = tempfile::tempdir().unwrap();
    let path = |name: &str| here.path().join(name);
    let steps = Choices { steps: Some(200), ..few_steps() };
    let begin = Choices { strong_cue: true, context: Some("a".into()), ..steps.clone() };
    let first = train(&two(), &begin, &path("first"));
    let on = Choices { from: Some(path("first")), context: Some("b".into()), protect: vec!["a".into()], ..steps };
    let second = train(&two(), &on, &path("second"));
    let file = NetworkFile::open(&path("first")).unwrap().network;
    for network in [&first, &second] {
        assert_eq!([0, 1].map(|context| open_units(network, &two(), context)), [12, 12]);
    }
    let recurrent = |of: &Network| of.as_elman().unwrap().recurrent_weights.clone();
    let moved = recurrent(&second) - recurrent(&file);
    let (old, new) = (moved.as_ref().subrows(0, 12), moved.as_ref().submatrix(12, 12, 12, 12));
    assert!(old.norm_max() < 1e-4, "units of the first context: {}", old.norm_max());
    assert!(new.norm_max() > 1e-2, "units of the second: {}", new.norm_max());
}

#[test]
fn strong_cues_are_refused_where_they_cannot_be_drawn() {
    let here = tempfile::tempdir().unwrap();
    train(&two(), &Choices { context: Some("a".into()), ..few_steps() }, &here.path().join("start"));
    let strong = Choices { strong_cue: true, ..few_steps() };
    let none = strong.params(&one()).unwrap_err().to_string();
    assert!(none.contains("need a task with contexts"), "{none}");
    let has = Choices { from: Some(here.path().join("start")), ..strong }.params(&two()).unwrap_err().to_string();
    assert!(has.contains("has its cues"), "{has}");
}

#[test]
fn the_recipe_follows_the_units_that_are_open() {
    let three = "name = \"three\"\ns = 4\nd = 4\n[context.a]\ntask = \"repeat-copy\"\n[context.b]\ntask = \"compose-copy\"\n\
                 [context.c]\nrecurrence = [\"u1 = u2[t-1]\", \"u2 = u1[t-1]\", \"u3 = u3[t-2]\", \"u4 = u4[t-3]\"]\n";
    let task = Task::from_toml(three, "three", "three").unwrap();
    let of = |strong_cue: bool, hidden: usize| {
        let choices = Choices { strong_cue, context: Some("b".into()), hidden: Some(hidden), ..Choices::default() };
        choices.params(&task).unwrap().0
    };
    assert!(matches!(of(false, 48).curriculum, Curriculum::Adaptive { .. }));
    let narrow = of(true, 48);
    assert!(matches!(narrow.curriculum, Curriculum::Table1 { .. }), "16 units for 16 contents");
    assert_eq!((narrow.l2, narrow.hidden), (0.0, 48));
    assert!(matches!(of(true, 96).curriculum, Curriculum::Adaptive { .. }));
}

#[test]
fn what_leaves_nothing_to_train_is_refused_before_the_first_step() {
    let here = tempfile::tempdir().unwrap();
    // As many contents as units: the old task fills the state, and what it reads and says is all that there is.
    let task = Task::named("repeat-copy", Some(3), Some(2)).unwrap();
    let start =
        train(&task, &Choices { hidden: Some(6), bias: Some(false), ..few_steps() }, &here.path().join("start"));
    let old = [LearnedTask::named("repeat-copy", &task).unwrap()];
    let error =
        protect(&start, &old, false, &TransferParams { left_out: 0.0, ..TransferParams::default() }).unwrap_err();
    assert!(error.to_string().starts_with("nothing is left to train: the states of repeat-copy span"), "{error}");
    assert!(protect(&start, &old, false, &TransferParams { left_out: 0.5, ..TransferParams::default() }).is_ok());
}

#[test]
fn what_became_of_a_protected_task_is_told() {
    let here = tempfile::tempdir().unwrap();
    let path = |name: &str| here.path().join(name);
    train(&two(), &Choices { context: Some("a".into()), steps: Some(1500), ..few_steps() }, &path("start"));
    let on = Choices { context: Some("b".into()), from: Some(path("start")), protect: vec!["a".into()], ..few_steps() };
    let kept = |left_out: f64, name: &str| {
        let choices = Choices { left_out: Some(left_out), steps: Some(400), ..on.clone() };
        train(&two(), &choices, &path(name));
        let folder = RunFolder::open(&path(name)).unwrap();
        folder.manifest().result.clone().unwrap().kept.remove(0)
    };
    let (well, badly) = (kept(1e-10, "well"), kept(0.9, "badly"));
    assert_eq!((well.name.as_str(), well.before), ("a", badly.before));
    assert!(well.before.value > 0.99 && !well.fell(), "{well:?}");
    assert!(badly.fell(), "{badly:?}");
}
