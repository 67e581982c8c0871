//! Several functions in one network: trained, read context by context, and told where the cue is a lie.

#![allow(clippy::unwrap_used, clippy::panic)]

use ketbra::interpret::{InterpretParams, Verdict, in_context, interpret_contexts};
use ketbra::network::CellKind;
use ketbra::network::Network;
use ketbra::random::{Purpose, Stream};
use ketbra::run_folder::Trained;
use ketbra::task::{Episodes, Task, Window};
use ketbra::train::cpu::CpuEngine;
use ketbra::train::{Choices, Engine, Job, Unobserved};

const TWO: &str =
    "name = \"two\"\ns = 3\nd = 2\n[context.a]\ntask = \"repeat-copy\"\n[context.b]\ntask = \"compose-copy\"\n";

fn two() -> Window {
    Window::from_toml_with_contexts(TWO, "two", "two").unwrap()
}

fn job(choices: &Choices) -> Job {
    let (params, start) = choices.params(&two().into()).unwrap();
    Job { task: two().into(), params, start }
}

#[test]
fn a_network_learns_both_functions_and_each_is_read_as_a_circuit() {
    let job = job(&Choices { hidden: Some(48), ..Choices::default() });
    let trained = Trained::in_memory(&job, &CpuEngine::default(), &Unobserved).unwrap();
    let result = trained.result.unwrap();
    assert_eq!(result.contexts.len(), 2);
    assert!(
        result.contexts.iter().all(|of| of.learned && of.trained && of.accuracy.value > 0.99),
        "{:?}",
        result.contexts
    );
    assert!(result.steps_to_99.is_some_and(|step| step <= result.steps));
    let network = trained.state.best().clone();
    let found = interpret_contexts(&network, &two(), &InterpretParams::default(), &|_| true).unwrap();
    for of in &found.contexts {
        assert_eq!(of.found.verdict, Verdict::Circuit, "{}: {:?}", of.context, of.found.reasons);
        assert_eq!(of.found.hidden, 48);
    }
    assert!(found.holds, "{:?}", found.failing);
    let pair = &found.pairs[0];
    assert!(pair.cue_obeyed.unwrap() > 0.98);
    assert_eq!(pair.shared.len() + pair.apart.len(), 6);

    // The same network without its cue says the same in both contexts, and must be told so.
    let mut deaf = network.clone();
    let weights = &mut deaf.as_elman_mut().unwrap().input_weights;
    for i in 0..48 {
        weights[(i, 3)] = weights[(i, 2)];
    }
    // Where both contexts ask for the same, nothing shows what the cue does: that is no evidence that it decides.
    let alike =
        "name = \"alike\"\ns = 3\nd = 2\n[context.a]\ntask = \"repeat-copy\"\n[context.b]\ntask = \"repeat-copy\"\n";
    let alike = Window::from_toml_with_contexts(alike, "alike", "alike").unwrap();
    let found = interpret_contexts(&deaf, &alike, &InterpretParams::default(), &|_| true).unwrap();
    assert!(found.contexts.iter().all(|of| of.found.verdict == Verdict::Circuit));
    assert!(!found.holds && found.pairs[0].cue_obeyed.is_none() && found.alike.len() == 1);
    let said = found.conclusion().unwrap();
    assert!(said.contains("cannot be seen") && !said.contains("and the cue decides"), "{said}");

    let found = interpret_contexts(&deaf, &two(), &InterpretParams::default(), &|_| true).unwrap();
    assert!(!found.holds);
    assert_eq!(found.pairs[0].cue_obeyed, Some(0.0));
    assert!(
        found.failing.iter().any(|why| why.contains("the cue does not decide between a and b")),
        "{:?}",
        found.failing
    );
    assert!(found.failing.iter().any(|why| why.contains("in context b")), "{:?}", found.failing);
    assert_eq!(found.contexts[0].found.verdict, Verdict::Circuit, "what it does in a, it still does");
    // One circuit for both: every memory is shared.
    assert!(found.pairs[0].angles.is_none() || found.pairs[0].angles.as_ref().unwrap().shared > 0.5);
}

#[test]
fn the_network_of_one_context_is_the_network_with_its_cue_in_every_cell() {
    let task = two();
    for cell in [CellKind::Elman, CellKind::Gru, CellKind::Lstm] {
        let all = Task::from(task.clone());
        let params = Choices { cell: Some(cell), hidden: Some(9), ..Choices::default() }.params(&all).unwrap().0;
        let network = params.network_for(&all);
        assert_eq!((network.inputs(), network.outputs()), (4, 2));
        for context in 0..2 {
            let within = in_context(&network, &task, context).unwrap();
            let of = &task.contexts()[context].task;
            let mut episodes = Episodes::new(of, 5);
            episodes.draw(of, &Stream::new(4, Purpose::TestInputs), 0, 7);
            let cue = [0, 1].map(|k| f32::from(u8::from(context == k)));
            let silent = [0.0f32; 2 * 5 * 7];
            let steps = episodes.inputs().chunks(2).chain(silent.chunks(2));
            let cued: Vec<f32> = steps.flat_map(|u| [u[0], u[1], cue[0], cue[1]]).collect();
            let outputs = |network: &Network, inputs: &[f32], horizon: usize| {
                let states = network.run(inputs, 5, horizon).states;
                states.iter().map(|state| network.read(state.as_ref())).collect::<Vec<_>>()
            };
            for (here, there) in outputs(&within, episodes.inputs(), 7).iter().zip(outputs(&network, &cued, 0)) {
                assert!((here - there).norm_max() < 1e-14, "{cell:?}");
            }
        }
    }
}

#[test]
fn one_context_alone_is_trained_and_the_other_is_not_claimed() {
    let job = job(&Choices { hidden: Some(32), context: Some("b".into()), ..Choices::default() });
    let result = Trained::in_memory(&job, &CpuEngine::default(), &Unobserved).unwrap().result.unwrap();
    let [a, b] = &result.contexts[..] else { panic!("two contexts") };
    assert!(b.trained && b.learned && !a.trained && !a.learned, "{result:?}");
    assert!(result.learned, "what was trained is learned");
}

#[test]
fn contexts_that_cannot_be_are_refused_in_words() {
    let mut wrong = job(&Choices { hidden: Some(8), ..Choices::default() });
    wrong.params.context = Some("c".into());
    let said = CpuEngine::default().train(&[wrong], &Unobserved).pop().unwrap().unwrap_err().to_string();
    assert!(said.contains("no context 'c'; it has a, b"), "{said}");
    let plain = Task::named("repeat-copy", Some(3), Some(2)).unwrap();
    let network = Choices { hidden: Some(8), ..Choices::default() }.params(&plain).unwrap().0.network_for(&plain);
    let said = interpret_contexts(&network, &two(), &InterpretParams::default(), &|_| true).unwrap_err().to_string();
    assert!(said.contains("has 2 inputs") && said.contains("needs 4, a cue for each context"), "{said}");
    let said = interpret_contexts(&network, plain.window().unwrap(), &InterpretParams::default(), &|_| true)
        .unwrap_err()
        .to_string();
    assert!(said.contains("has no contexts"), "{said}");
}
