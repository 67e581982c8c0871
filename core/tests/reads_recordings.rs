//! Recordings as people have them: noise, missing and unrelated units, drift, few episodes, and nothing at all.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use ketbra::interpret::{ClaimName, InterpretParams, Interpretation, Question, Verdict, interpret_trajectories};
use ketbra::network::{Network, NetworkFile};
use ketbra::numeric::Matrix;
use ketbra::observe::Trajectories;
use ketbra::random::{Purpose, Stream};
use ketbra::task::{Episodes, Window};
use std::path::Path;

const STEPS: usize = 72;

fn network(name: &str) -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/networks/{name}.safetensors"));
    NetworkFile::open(&path).unwrap().network
}

fn t3() -> Window {
    Window::named("T3", None, None).unwrap()
}

/// What a network does on random inputs, its whole state recorded.
fn record(network: &Network, episodes: usize, seed: u64) -> Trajectories {
    let task = t3();
    let mut drawn = Episodes::new(&task, episodes);
    drawn.draw(&task, &Stream::new(seed, Purpose::ProbeInputs), 9, 0);
    let states = network.run(drawn.inputs(), episodes, STEPS).states.split_off(task.s());
    let outputs = network.begin(drawn.inputs(), episodes, STEPS).answers().collect();
    Trajectories { inputs: Some(drawn.inputs().to_vec()), states, outputs }
}

/// Normal numbers, different for each step.
fn normal(rows: usize, columns: usize, step: usize, seed: u64) -> Matrix {
    let stream = Stream::new(seed, Purpose::Matrices);
    let mut values = vec![0.0; rows * columns];
    stream.fill_normal(step as u32, 77, &mut values);
    Matrix::from_fn(rows, columns, |i, j| values[j * rows + i])
}

/// Noise in units of each unit's standard deviation.
fn with_noise(mut recorded: Trajectories, noise: f64, seed: u64) -> Trajectories {
    let units = recorded.states[0].nrows();
    let count = (recorded.states.len() * recorded.states[0].ncols()) as f64;
    let sum = |of: &dyn Fn(f64) -> f64, i: usize| -> f64 {
        recorded.states.iter().map(|state| state.row(i).iter().map(|&x| of(x)).sum::<f64>()).sum::<f64>() / count
    };
    let scale: Vec<f64> = (0..units).map(|i| (sum(&|x| x * x, i) - sum(&|x| x, i).powi(2)).max(0.0).sqrt()).collect();
    for (t, state) in recorded.states.iter_mut().enumerate() {
        let drawn = normal(units, state.ncols(), t, seed);
        *state += Matrix::from_fn(units, state.ncols(), |i, j| noise * scale[i] * drawn[(i, j)]);
    }
    recorded
}

/// Some of the units.
fn units(mut recorded: Trajectories, kept: &[usize]) -> Trajectories {
    for state in &mut recorded.states {
        *state = Matrix::from_fn(kept.len(), state.ncols(), |i, j| state[(kept[i], j)]);
    }
    recorded
}

fn spread(count: usize, of: usize) -> Vec<usize> {
    (0..count).map(|k| k * of / count).collect()
}

fn read(recorded: &Trajectories) -> Interpretation {
    interpret_trajectories(recorded, &Question::Task(t3()), &InterpretParams::default()).unwrap()
}

#[test]
fn a_circuit_is_seen_through_noise_and_in_a_part_of_the_units() {
    let network = network("t3-h128-dense");
    for (count, noise, least) in [(128, 0.5, 0.9), (64, 0.2, 0.7), (40, 0.1, 0.55)] {
        let recorded = units(record(&network, 512, 3), &spread(count, 128));
        let found = read(&with_noise(recorded.clone(), noise, 5));
        assert_eq!(found.verdict, Verdict::Circuit, "{count} units, noise {noise}: {:?}", found.reasons);
        let recording = found.recording.unwrap();
        let told = recording.noise.clone().unwrap();
        assert!(recording.worst_reading.value > least && recording.worst_reading.value < 0.99, "{recording:?}");
        assert!((recording.worst_reading.value - told.allowed).abs() < 0.03, "{told:?}");
        let share = noise * noise / (1.0 + noise * noise);
        assert!((told.share - share).abs() < 0.3 * share, "{} of {share}", told.share);
        // The same units with the contents of other episodes hold nothing.
        let mut torn = with_noise(recorded, noise, 5);
        torn.states.iter_mut().for_each(|state| *state = turned(state));
        assert_eq!(read(&torn).verdict, Verdict::NotHeld, "{count} units, noise {noise}");
    }
}

/// Every episode gets the states of the next one.
fn turned(state: &Matrix) -> Matrix {
    let episodes = state.ncols();
    Matrix::from_fn(state.nrows(), episodes, |i, j| state[(i, (j + 1) % episodes)])
}

#[test]
fn units_that_hold_nothing_do_no_harm_however_loud() {
    let recorded = record(&network("t3-h128"), 128, 3);
    let loud = |recorded: &Trajectories, lasting: f64| {
        let mut recorded = recorded.clone();
        let mut other = normal(60, 128, 1000, 9);
        for (t, state) in recorded.states.iter_mut().enumerate() {
            other =
                &other * faer::Scale(lasting) + normal(60, 128, t, 9) * faer::Scale((1.0 - lasting * lasting).sqrt());
            let all = Matrix::from_fn(188, 128, |i, j| if i < 128 { state[(i, j)] } else { 1e3 * other[(i - 128, j)] });
            *state = all;
        }
        recorded
    };
    for lasting in [0.0, 0.9] {
        let found = read(&loud(&recorded, lasting));
        assert_eq!(found.verdict, Verdict::Circuit, "{lasting}: {:?}", found.reasons);
        assert!(found.memories.unwrap().worst > 0.99 && found.code.unwrap().explained < 0.1);
    }
}

#[test]
fn an_lstm_is_read_from_its_units_its_cells_and_both() {
    let network = network("lstm-t3-h128");
    let recorded = record(&network, 256, 3);
    for (name, kept) in [("h", 0..128), ("c", 128..256), ("both", 0..256)] {
        let found = read(&units(recorded.clone(), &kept.collect::<Vec<_>>()));
        assert_eq!(found.verdict, Verdict::Circuit, "{name}: {:?}", found.reasons);
        assert!(found.memories.unwrap().worst > 0.99, "{name}");
    }
}

#[test]
fn what_drifts_over_a_session_is_taken_off() {
    let mut recorded = record(&network("t3-h128"), 128, 3);
    for (t, state) in recorded.states.iter_mut().enumerate() {
        *state = Matrix::from_fn(128, 128, |i, e| {
            let session = 3.0 * (i as f64).sin() * (e as f64 / 127.0) + (i as f64).cos() * (e as f64 / 127.0).powi(2);
            state[(i, e)] + session + 0.1 * t as f64 * (i as f64).cos()
        });
    }
    let found = read(&recorded);
    assert_eq!(found.verdict, Verdict::Circuit, "{:?}", found.reasons);
}

#[test]
fn white_noise_and_other_episodes_are_not_held_in_a_hundred_draws() {
    let recorded = record(&network("t3-h128-dense"), 96, 3);
    let part = units(recorded, &spread(48, 128));
    let mut p = vec![];
    for draw in 0..100 {
        let mut nothing = part.clone();
        for (t, state) in nothing.states.iter_mut().enumerate() {
            *state = match draw % 2 {
                0 => normal(48, 96, t, 100 + draw),
                _ => Matrix::from_fn(48, 96, |i, j| state[(i, (j + 1 + draw as usize / 2) % 96)]),
            };
        }
        let params = InterpretParams {
            observe: ketbra::observe::ObserveParams { seed: draw, ..Default::default() },
            ..Default::default()
        };
        let found = interpret_trajectories(&nothing, &Question::Task(t3()), &params).unwrap();
        assert_eq!(found.verdict, Verdict::NotHeld, "draw {draw}: {:?}", found.reasons);
        p.push(found.recording.unwrap().null.p);
    }
    // And p is uniform.
    p.sort_by(f64::total_cmp);
    let largest = p.iter().enumerate().map(|(k, p)| (p - (k + 1) as f64 / 100.0).abs()).fold(0.0, f64::max);
    assert!(largest < 0.195 + 0.01, "{largest}: {p:?}");
}

#[test]
fn contents_that_are_not_in_the_recorded_units_are_named_and_no_circuit_is_claimed() {
    // In this network a few units hold some contents alone.
    let recorded = units(record(&network("t3-h128"), 512, 3), &spread(40, 128));
    let found = read(&with_noise(recorded, 0.1, 5));
    assert_ne!(found.verdict, Verdict::Circuit);
    assert!(!found.not_linear.is_empty() && found.claims.iter().any(|claim| claim.name == ClaimName::ContentsPresent));
}

#[test]
fn a_superposed_network_is_no_circuit_under_noise() {
    let network = network("t3-h64-superposed");
    for noise in [0.0, 0.1, 0.3] {
        let found = read(&with_noise(record(&network, 256, 3), noise, 5));
        assert_ne!(found.verdict, Verdict::Circuit, "noise {noise}");
    }
}

#[test]
fn what_a_few_noisy_episodes_hide_is_unclear_and_never_called_superposed() {
    let network = network("t3-h128-dense");
    for (episodes, count, noise) in [(64, 64, 0.1), (64, 40, 0.2), (128, 40, 0.1), (128, 64, 0.5)] {
        let found = read(&with_noise(units(record(&network, episodes, 3), &spread(count, 128)), noise, 5));
        assert!(
            matches!(found.verdict, Verdict::Unclear | Verdict::Circuit),
            "{episodes} episodes, {count} units, noise {noise}: {:?} {:?}",
            found.verdict,
            found.reasons
        );
    }
    // And the forecast is of the right size: 128 episodes hide what four times as many show.
    let few = read(&with_noise(units(record(&network, 128, 3), &spread(40, 128)), 0.1, 5));
    let needed = few.recording.unwrap().episodes_needed;
    assert!(
        few.verdict == Verdict::Unclear && needed.is_some_and(|needed| (128..1500).contains(&needed)),
        "{needed:?}"
    );
}

#[test]
fn states_that_hold_something_else_are_called_neither_superposed_nor_noisy() {
    let network = network("t3-h128-dense");
    let recorded = record(&network, 256, 3);
    // The outputs alone: the newest variable and nothing of the others.
    let mut outputs = recorded.clone();
    outputs.states = recorded.outputs.clone();
    let found = read(&outputs);
    assert_eq!(found.verdict, Verdict::Partial, "{:?}", found.reasons);
    assert!(
        found.not_linear.len() >= 20
            && found.claims.iter().any(|claim| claim.name == ClaimName::ContentsPresent && !claim.holds)
    );
    // Mixtures of them with noise: what is not there is not hidden by noise, and not read.
    let mut mixed = recorded.clone();
    for (t, state) in mixed.states.iter_mut().enumerate() {
        let mixture = Matrix::from_fn(60, 8, |i, j| ((i * 8 + j) as f64 * 1.7).sin());
        *state = mixture * &recorded.outputs[t] + normal(60, 256, t, 11) * faer::Scale(0.3);
    }
    let found = read(&mixed);
    assert_eq!(found.verdict, Verdict::Partial, "{:?}", found.reasons);
    assert!(found.claims.iter().all(|claim| claim.name != ClaimName::ContentsRead || !claim.holds));
    // Another network that was shown the same inputs moves them in another way.
    let mut other = recorded.clone();
    other.states = record(&self::network("t2-h128"), 256, 3).states;
    let found = read(&other);
    assert!(!matches!(found.verdict, Verdict::Circuit | Verdict::Superposed), "{:?}", found.verdict);
    assert!(!found.reasons.iter().any(|reason| reason.to_string().contains("noise")), "{:?}", found.reasons);
}

#[test]
fn projecting_a_memory_out_silences_the_output_that_reads_it_and_no_other() {
    let found = read(&record(&network("t3-h128"), 128, 3));
    let ablation = found.recording.unwrap().ablation;
    assert!(ablation.intact.iter().all(|&share| share > 0.999));
    for without in &ablation.without {
        for (j, &share) in without.outputs.iter().enumerate() {
            let said_now = without.component.variable == 8 && without.component.component == j + 1;
            assert!(if said_now { share < 0.75 } else { share > 0.98 }, "{without:?}");
        }
    }
}

/// Every episode `times` times, one after the other or in rounds.
fn repeated(recorded: &Trajectories, times: usize, in_blocks: bool) -> Trajectories {
    let episodes = recorded.states[0].ncols();
    let of = |e: usize| if in_blocks { e / times } else { e % episodes };
    let part = |from: &Matrix| Matrix::from_fn(from.nrows(), episodes * times, |i, e| from[(i, of(e))]);
    let d = recorded.outputs[0].nrows();
    let steps = recorded.inputs.as_ref().unwrap().chunks(episodes * d);
    let inputs = steps.flat_map(|step| (0..episodes * times).flat_map(move |e| step[of(e) * d..][..d].to_vec()));
    Trajectories {
        inputs: Some(inputs.collect()),
        states: recorded.states.iter().map(part).collect(),
        outputs: recorded.outputs.iter().map(part).collect(),
    }
}

#[test]
fn repeating_episodes_raises_no_figure() {
    let recorded = with_noise(record(&network("t3-h128-dense"), 160, 3), 0.3, 5);
    let once = read(&recorded);
    for in_blocks in [true, false] {
        let often = read(&repeated(&recorded, 4, in_blocks));
        assert_eq!(often.verdict, once.verdict, "{:?}", often.reasons);
        let (a, b) = (once.recording.clone().unwrap(), often.recording.unwrap());
        assert_eq!((a.stimuli, b.stimuli, b.episodes), (160, 160, 640));
        assert!(b.worst_reading.value <= a.worst_reading.value + 0.02, "{a:?} {b:?}");
        let width = |of: ketbra::code::Interval| of.high - of.low;
        assert!(width(b.worst_reading) > 0.9 * width(a.worst_reading) && width(b.explained) > 0.9 * width(a.explained));
        assert!(b.null.stands_out < 1.3 * a.null.stands_out && b.null.least < 1.3 * a.null.least, "{a:?} {b:?}");
        // Nor is the control given its own contents back by a repeat.
        let (control, again) = (once.control.clone().unwrap(), often.control.clone().unwrap());
        assert!(again.rows.right() <= control.rows.right() && again.explained < control.explained + 0.05, "{again:?}");
        for (before, after) in once.claims.iter().zip(&often.claims) {
            assert_eq!((before.name, before.holds), (after.name, after.holds), "{before:?} {after:?}");
        }
        assert!(
            often.warnings.iter().any(|note| note.message.contains("160 different inputs")),
            "{:?}",
            often.warnings
        );
    }
}

/// States that a stimulus has by chance, the same whenever it is shown.
fn random_for_each_stimulus(recorded: &Trajectories, draw: u64) -> Trajectories {
    let mut nothing = recorded.clone();
    let (units, episodes) = (nothing.states[0].nrows(), nothing.states[0].ncols());
    for (t, state) in nothing.states.iter_mut().enumerate() {
        *state = normal(units, episodes, t, 500 + draw);
    }
    nothing
}

#[test]
fn states_that_are_random_for_each_stimulus_are_not_held_however_often_it_is_shown() {
    let recorded = units(record(&network("t3-h128-dense"), 96, 3), &spread(48, 128));
    for draw in 0..10 {
        let nothing = repeated(&random_for_each_stimulus(&recorded, draw), 4, draw % 2 == 0);
        let little = with_noise(nothing, 0.1, draw);
        let found = read(&little);
        assert_eq!(found.verdict, Verdict::NotHeld, "{:?}", found.reasons);
        assert!(found.recording.unwrap().null.stands_out < 6.0);
    }
}

#[test]
fn noise_in_a_recording_that_drifts_holds_nothing_when_stimuli_come_in_blocks() {
    let recorded = repeated(&units(record(&network("t3-h128-dense"), 96, 3), &spread(48, 128)), 4, true);
    for draw in 0..10 {
        let mut nothing = recorded.clone();
        // A walk from episode to episode, the same at every step of one, and white noise.
        let moves = normal(48, 384, 1000, 700 + draw);
        let mut walk = Matrix::zeros(48, 384);
        for e in 1..384 {
            for i in 0..48 {
                walk[(i, e)] = 0.98 * walk[(i, e - 1)] + moves[(i, e)];
            }
        }
        for (t, state) in nothing.states.iter_mut().enumerate() {
            *state = normal(48, 384, t, 800 + draw) + &walk;
        }
        let found = read(&nothing);
        assert_eq!(found.verdict, Verdict::NotHeld, "draw {draw}: {:?}", found.reasons);
        assert!(found.recording.unwrap().null.stands_out < 6.0, "draw {draw}");
    }
}

/// Where noise does not help to see, a verdict is no stronger with more of it.
#[test]
fn more_noise_never_gives_a_stronger_verdict() {
    let strength = |verdict: Verdict| Verdict::ALL.iter().position(|other| *other == verdict).unwrap();
    for name in ["t3-h128-dense", "t3-h128"] {
        let recorded = record(&network(name), 512, 3);
        for (count, circuit_to) in [(128, 0.5), (64, 0.2), (40, 0.1)] {
            let mut weakest = 0;
            for noise in [0.0, 0.05, 0.1, 0.2, 0.5] {
                let found = read(&with_noise(units(recorded.clone(), &spread(count, 128)), noise, 5));
                assert!(
                    strength(found.verdict) >= weakest,
                    "{name}, {count} units, noise {noise}: {:?}",
                    found.reasons
                );
                weakest = strength(found.verdict);
                // In the other network a few units hold some contents alone, and some of these are left out.
                let seen = noise <= circuit_to && name == "t3-h128-dense";
                assert!(
                    found.verdict == Verdict::Circuit || !seen,
                    "{count} units, noise {noise}: {:?}",
                    found.reasons
                );
            }
        }
    }
}
