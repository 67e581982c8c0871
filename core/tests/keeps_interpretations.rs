//! Interpretations are written to a file and read back, whole.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use ketbra::interpret::{InterpretParams, Interpretation, Question, interpret, interpret_trajectories};
use ketbra::memories::Method;
use ketbra::network::{Activation, Network, NetworkFile};
use ketbra::numeric::Matrix;
use ketbra::observe::Trajectories;
use ketbra::task::Window;
use std::path::Path;

fn file(name: &str) -> NetworkFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/networks/{name}.safetensors"));
    NetworkFile::open(&path).unwrap()
}

/// Everything that can be compared: the document, and every matrix to the bit.
fn assert_same(found: &Interpretation, read: &Interpretation) {
    assert_eq!(serde_json::to_value(found).unwrap(), serde_json::to_value(read).unwrap());
    let (found, read) = (&found.details, &read.details);
    assert_eq!(found.task, read.task);
    assert_eq!(found.means, read.means);
    assert_eq!(found.runs, read.runs);
    assert_eq!(found.origin_eigenvalues, read.origin_eigenvalues);
    assert_eq!(found.orbit.as_ref().map(|orbit| &orbit.operator), read.orbit.as_ref().map(|orbit| &orbit.operator));
    assert_eq!(found.contents.as_ref().map(|held| &held.step), read.contents.as_ref().map(|held| &held.step));
    assert_eq!(found.memories.len(), read.memories.len());
    for (found, read) in found.memories.iter().zip(&read.memories) {
        assert_eq!((found.method, &found.score), (read.method, &read.score));
        assert_eq!(found.frame.as_ref().map(|frame| &frame.readers), read.frame.as_ref().map(|frame| &frame.readers));
        let blocks = |of: &ketbra::memories::Memories| of.remainder.as_ref().map(|remainder| remainder.blocks.clone());
        assert_eq!(blocks(found), blocks(read));
    }
}

fn returns(found: &Interpretation, network: Option<&NetworkFile>) {
    let bytes = found.to_bytes(network).unwrap();
    let (read, with) = Interpretation::from_bytes(&bytes).unwrap();
    assert_same(found, &read);
    assert_eq!(with.as_ref().map(|file| &file.network), network.map(|file| &file.network));
    // Written again it is the same file.
    assert_eq!(read.to_bytes(with.as_ref()).unwrap(), bytes);
}

#[test]
fn what_was_found_comes_back_whole() {
    let params = InterpretParams {
        methods: vec![Method::Orbit, Method::DualOrbit, Method::Rollout],
        ..InterpretParams::default()
    };
    for (name, s) in [("t3-h128", 8), ("t3-h64-superposed", 8), ("lstm-t3-h128", 8), ("mux-h128", 4), ("t2-h128", 8)] {
        let file = file(name);
        let found = interpret(&file.network, &Question::Blind { s }, &params, &|_| true).unwrap();
        returns(&found, Some(&file));
    }
}

#[test]
fn a_network_that_does_nothing_and_recordings_come_back_too() {
    let dead = Network::elman(Activation::Tanh, Matrix::identity(8, 2), Matrix::zeros(8, 8), Matrix::identity(2, 8));
    let task = Window::named("repeat-copy", Some(3), Some(2)).unwrap();
    let found = interpret(&dead, &Question::Task(task), &InterpretParams::default(), &|_| true).unwrap();
    returns(&found, None);
    let network = file("t3-h128").network;
    let episodes = 64;
    let signs = |k: usize| if (k * 2654435761) >> 17 & 1 == 1 { 1.0f32 } else { -1.0 };
    let inputs: Vec<f32> = (0..8 * episodes * 8).map(signs).collect();
    let states = network.run(&inputs, episodes, 60).states.split_off(8);
    let outputs = network.begin(&inputs, episodes, 60).answers().collect();
    let recorded = Trajectories { inputs: Some(inputs), states, outputs };
    let task = Question::Task(Window::named("T3", None, None).unwrap());
    let found = interpret_trajectories(&recorded, &task, &InterpretParams::default()).unwrap();
    assert!(found.recording.is_some());
    returns(&found, None);
}

#[test]
fn what_is_no_interpretation_is_refused_and_nothing_panics() {
    let file = file("t3-h128");
    let task = Question::Task(Window::named("T3", None, None).unwrap());
    let found = interpret(&file.network, &task, &InterpretParams::default(), &|_| true).unwrap();
    let whole = found.to_bytes(Some(&file)).unwrap();
    let refused = |bytes: &[u8]| Interpretation::from_bytes(bytes).unwrap_err().to_string();
    assert!(refused(b"").contains("no whole interpretation"));
    assert!(refused(&file.to_safetensors().unwrap()).contains("format is missing"));
    for cut in [1, 7, 100, whole.len() / 2, whole.len() - 1] {
        assert!(refused(&whole[..cut]).contains("no whole interpretation"), "{cut}");
    }
    // Damage anywhere in the header is an error or harmless, and never a panic.
    for at in (0..4000).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x15;
        let _ = Interpretation::from_bytes(&damaged);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t3.ketbra");
    found.save(&path, Some(&file)).unwrap();
    assert_same(&found, &Interpretation::load(&path).unwrap().0);
    assert!(Interpretation::load(&folder.path().join("none")).unwrap_err().to_string().contains("none"));
}
