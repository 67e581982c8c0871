//! Networks of which only trajectories are known: states and outputs over time, from a cell of any kind.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use ketbra::interpret::{InterpretParams, Interpretation, Question, Verdict, interpret, interpret_trajectories};
use ketbra::memories::Method;
use ketbra::network::NetworkFile;
use ketbra::numeric::Matrix;
use ketbra::observe::Trajectories;
use ketbra::random::{Purpose, Stream};
use ketbra::recurrence::Confidence;
use ketbra::task::{Episodes, Window};
use std::path::Path;

const EPISODES: usize = 128;

/// Random inputs (s, episodes, d), and the trajectories of a cell that steps from state to state and says something.
fn drive(
    task: &Window,
    hidden: usize,
    steps: usize,
    step: impl Fn(&Matrix, &Matrix) -> Matrix,
    say: impl Fn(&Matrix) -> Matrix,
) -> Trajectories {
    let mut drawn = Episodes::new(task, EPISODES);
    drawn.draw(task, &Stream::new(3, Purpose::ProbeInputs), 9, 0);
    let inputs = drawn.inputs().to_vec();
    let (mut state, d) = (Matrix::zeros(hidden, EPISODES), task.d());
    for now in inputs.chunks(EPISODES * d) {
        state = step(&state, &Matrix::from_fn(d, EPISODES, |j, episode| f64::from(now[episode * d + j])));
    }
    let (mut states, mut outputs) = (vec![], vec![]);
    for _ in 0..steps {
        state = step(&state, &Matrix::zeros(d, EPISODES));
        outputs.push(say(&state));
        states.push(state.clone());
    }
    Trajectories { inputs: Some(inputs), states, outputs }
}

fn of_fixture(task: &Window) -> (NetworkFile, Trajectories) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/networks/t3-h128.safetensors");
    let file = NetworkFile::open(&path).unwrap();
    let network = file.network.clone();
    let step = |state: &Matrix, input: &Matrix| network.step_batch(state.as_ref(), Some(input.as_ref()));
    let trajectories = drive(task, network.hidden(), 100, step, |state| network.read(state.as_ref()));
    (file, trajectories)
}

fn read(trajectories: &Trajectories, question: Question) -> Interpretation {
    interpret_trajectories(trajectories, &question, &InterpretParams::default()).unwrap()
}

#[test]
fn trajectories_of_a_network_show_what_its_weights_show() {
    let task = Window::named("T3", None, None).unwrap();
    let (file, trajectories) = of_fixture(&task);
    let by_weights =
        interpret(&file.network, &Question::Task(task.clone()), &InterpretParams::default(), &|_| true).unwrap();
    for question in [Question::Task(task.clone()), Question::Blind { s: 8 }] {
        let found = read(&trajectories, question);
        assert_eq!((found.verdict, &found.recurrence), (Verdict::Circuit, &by_weights.recurrence));
        assert!(found.accuracy.unwrap().value > 0.999 && found.spectrum.origin.is_none());
        // Readers may differ in directions that nothing visits; memories are visited.
        let memories = |found: &Interpretation| found.details.memories[0].frame.clone().unwrap().memories;
        let difference = (memories(&found) - memories(&by_weights)).norm_l2() / memories(&by_weights).norm_l2();
        // Fitted on 96 episodes here and on 64 with their mirror images there.
        assert!(difference < 0.02, "{difference}");
    }
}

#[test]
fn without_inputs_the_first_outputs_stand_for_them() {
    let task = Window::named("T3", None, None).unwrap();
    let (_, mut trajectories) = of_fixture(&task);
    trajectories.inputs = None;
    let found = read(&trajectories, Question::Task(task));
    assert_eq!(found.verdict, Verdict::Circuit);
    assert!(found.warnings.iter().any(|note| note.message.starts_with("no inputs were given")));
}

/// Each content has a group of units; a gate lets the next state in and keeps a little of the old one.
#[test]
fn a_gated_cell_that_holds_variables_is_read() {
    let task = Window::from_toml("s = 3\nd = 2\nrecurrence = [\"u1 = u1[t-3]\", \"u2 = -u1[t-2]\"]", "x", "x").unwrap();
    let (s, d, window, hidden) = (3, 2, 6, 18);
    let sign = |unit: usize| if (unit * 7 + unit / 6).is_multiple_of(3) { -1.0 } else { 1.0 };
    let f = task.linear().unwrap();
    let source = |to: usize, from: usize| match to + d < window {
        true => f64::from(u8::from(from == to + d)),
        false => f[(to + d - window, from)],
    };
    let recurrent = Matrix::from_fn(hidden, hidden, |i, j| 0.55 * sign(i) * sign(j) * source(i % window, j % window));
    let newest = |unit: usize, j: usize| unit % window == (s - 1) * d + j;
    let input = Matrix::from_fn(hidden, d, |i, j| if newest(i, j) { 4.0 * sign(i) } else { 0.0 });
    let step = |state: &Matrix, given: &Matrix| {
        let drive = &recurrent * state + &input * given;
        Matrix::from_fn(hidden, EPISODES, |i, episode| {
            let gate = 1.0 / (1.0 + (-3.0 - 0.1 * state[((i + 1) % hidden, episode)]).exp());
            gate * drive[(i, episode)].tanh() + (1.0 - gate) * state[(i, episode)]
        })
    };
    let read_out = Matrix::from_fn(d, hidden, |j, i| if newest(i, j) { sign(i) } else { 0.0 });
    let trajectories = drive(&task, hidden, 80, step, |state| &read_out * state);
    let found = read(&trajectories, Question::Blind { s });
    assert_eq!(found.recurrence_in_words, ["u1 = u1[t-3]", "u2 = -u1[t-2]"]);
    assert_eq!(found.verdict, Verdict::Circuit, "{:?}", found.reasons);
    // u2 repeats what u1 will say one step later, so that on the orbit u1 = -u2[t-1] as well.
    assert_eq!(found.confidence, Confidence::Behaviour);
}

#[test]
fn trajectories_that_cannot_be_used_are_refused_with_what_to_do() {
    let task = Window::named("T3", None, None).unwrap();
    let (_, whole) = of_fixture(&task);
    let refusal = |change: &dyn Fn(&mut Trajectories), params: &InterpretParams| {
        let mut changed = whole.clone();
        change(&mut changed);
        interpret_trajectories(&changed, &Question::Blind { s: 8 }, params).unwrap_err().to_string()
    };
    let usual = InterpretParams::default();
    let short = refusal(&|all| (all.states.truncate(20), all.outputs.truncate(20)).0, &usual);
    assert!(short.contains("20 output steps, but 30 are needed"), "{short}");
    let torn = refusal(&|all| all.outputs.truncate(20), &usual);
    assert!(torn.contains("20 found where 100 are needed"), "{torn}");
    let few = |all: &mut Trajectories| {
        all.states.iter_mut().for_each(|state| *state = state.subcols(0, 12).to_owned());
        all.outputs.iter_mut().for_each(|said| *said = said.subcols(0, 12).to_owned());
        all.inputs = None;
    };
    assert!(refusal(&few, &usual).contains("12 episodes show 12 different inputs, but 22 are needed"));
    let nan = refusal(&|all| all.states[3][(0, 0)] = f64::NAN, &usual);
    assert!(nan.contains("states are not finite at output step 4"), "{nan}");
    let by_power = InterpretParams { method: Method::Power, ..InterpretParams::default() };
    assert!(refusal(&|_| (), &by_power).contains("power needs the weights of a network"));
}
