//! Pages and figures of trained networks.

#![allow(clippy::unwrap_used)]

use ketbra::interpret::{InterpretParams, Interpretation, Question, interpret};
use ketbra::network::{Activation, Architecture, CellKind, CellSettings, Initialization, Network, NetworkFile};
use ketbra::numeric::Matrix;
use ketbra::report::figures::{animation, figures};
use ketbra::report::{Provenance, Training, page};
use ketbra::task::Window;
use std::path::Path;

fn fixture(name: &str) -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/networks/{name}.safetensors"));
    NetworkFile::open(&path).unwrap().network
}

fn ask(network: &Network, question: Question) -> Interpretation {
    interpret(network, &question, &InterpretParams::default(), &|_| true).unwrap()
}

fn told(network: &Network, task: &str) -> Interpretation {
    ask(network, Question::Task(Window::named(task, None, None).unwrap()))
}

fn silent() -> Network {
    let mut network = fixture("t3-h128");
    network.as_elman_mut().unwrap().recurrent_weights = Matrix::zeros(128, 128);
    network
}

#[test]
fn figures_and_pages_are_the_same_bytes_from_run_to_run() {
    let network = fixture("t3-h128");
    let draw = || {
        let found = told(&network, "T3");
        let pictures = figures(&network, &found, None).unwrap();
        let drawn: Vec<(String, Vec<u8>)> = pictures.iter().map(|p| (p.svg(), p.png(96.0).unwrap())).collect();
        (drawn, page(Some(&network), &found, &Provenance::default()).unwrap())
    };
    let (first, second) = (draw(), draw());
    assert_eq!(first.0.len(), 5);
    assert!(first == second);
}

#[test]
fn a_page_needs_nothing_from_outside_and_can_be_mailed() {
    let network = fixture("t3-h128");
    let html =
        page(Some(&network), &told(&network, "T3"), &Provenance { title: "<b>".into(), ..Default::default() }).unwrap();
    assert!(html.len() < 3_000_000, "{} bytes", html.len());
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"));
    assert!(html.contains("<title>&lt;b&gt; - ketbra</title>"));
}

#[test]
fn every_kind_of_network_has_figures() {
    let course = Training::from_csv("step,horizon,loss,accuracy\n1,10,0.9,0.5\n2,10,0.1,0.9\n", 10).unwrap();
    let names = |network: &Network, found: &Interpretation, course: Option<&Training>| -> Vec<&'static str> {
        figures(network, found, course).unwrap().iter().map(|picture| picture.name).collect()
    };
    let always = ["figure3-hidden-state", "figure4-weights", "appendix-spectrum", "appendix-summary"];
    let network = fixture("t3-h64-superposed");
    assert_eq!(
        names(&network, &told(&network, "T3"), Some(&course))[..],
        [&["figure2-circuit"], &always[..], &["training"]].concat()
    );
    let network = silent();
    assert_eq!(names(&network, &told(&network, "T3"), None)[..], always);
    assert_eq!(names(&network, &ask(&network, Question::Blind { s: 8 }), None)[..], always);
    assert!(animation(&network, &told(&network, "T3"), 432).unwrap().is_none());
}

#[test]
fn text_stays_text_and_pictures_have_print_sizes() {
    let network = fixture("t3-h128");
    let pictures = figures(&network, &told(&network, "T3"), None).unwrap();
    let weights = pictures.iter().find(|picture| picture.name == "figure4-weights").unwrap();
    let svg = weights.svg();
    assert!(svg.contains("width=\"504pt\"") && svg.contains(">from variable</text>") && !svg.contains("<image"));
    let png = weights.png(300.0).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(u32::from_be_bytes([png[16], png[17], png[18], png[19]]), 504 * 300 / 72);
}

#[test]
fn the_circuit_moves() {
    let network = fixture("t3-h128");
    let gif = animation(&network, &told(&network, "T3"), 432).unwrap().unwrap();
    assert_eq!(&gif[..6], b"GIF89a");
    assert!(gif.len() < 1_000_000, "{} bytes", gif.len());
    let frames = gif.windows(3).filter(|bytes| bytes == b"\x21\xf9\x04").count();
    assert!(frames >= 96, "{frames} frames");
}

/// A trained network or a random one of every kind, with what its captions must call it.
fn every_cell() -> Vec<(&'static str, Network)> {
    let random = |cell, layers| {
        let of = Architecture {
            cell,
            layers,
            hidden: 12,
            activation: Activation::Tanh,
            bias: true,
            settings: CellSettings::usual(cell),
        };
        Initialization::Uniform.network(&of, 8, 8, 2)
    };
    let mut mixed = random(CellKind::Gru, 2);
    mixed.layers[1] = random(CellKind::Ssm, 2).layers.remove(1);
    vec![
        ("Network: GRU, 128 units.", fixture("gru-t3-h128")),
        ("Network: LSTM, 128 units, state (h, c); contents are read from the units h.", fixture("lstm-t3-h128")),
        ("Network: GRU, 2 layers of 12 units.", random(CellKind::Gru, 2)),
        ("Network: Elman, 2 layers of 12 units, tanh.", random(CellKind::Elman, 2)),
        ("Network: state-space layer, 12 units, 12 complex modes, tanh; ", random(CellKind::Ssm, 1)),
        ("Network: GRU of 12 units, then state-space of 12 units; ", mixed),
    ]
}

#[test]
fn every_cell_has_figures_whose_captions_name_it_and_a_page() {
    for (named, network) in every_cell() {
        let draw = || {
            let found = told(&network, "T3");
            let pictures = figures(&network, &found, None).unwrap();
            assert!(pictures.len() >= 4, "{named}");
            for picture in &pictures {
                assert!(picture.caption.contains(named), "{}: {}", picture.name, picture.caption);
                assert!(!picture.png(40.0).unwrap().is_empty());
            }
            let drawn: Vec<String> = pictures.iter().map(|picture| picture.svg()).collect();
            (drawn, page(Some(&network), &found, &Provenance::default()).unwrap())
        };
        let (first, second) = (draw(), draw());
        assert!(first == second, "{named}");
        assert!(first.1.len() < 3_000_000, "{named}: {} bytes", first.1.len());
    }
}

#[test]
fn weights_are_drawn_gate_by_gate_and_modes_as_eigenvalues() {
    let weights = |network: &Network| {
        let pictures = figures(network, &told(network, "T3"), None).unwrap();
        pictures.into_iter().find(|picture| picture.name == "figure4-weights").unwrap()
    };
    let cells = every_cell();
    let drawn = |named: &str| {
        let (_, network) = cells.iter().find(|(name, _)| name.contains(named)).unwrap();
        weights(network)
    };
    let count = |svg: &str, text: &str| svg.matches(text).count();
    let gru = drawn("GRU, 128");
    for gate in ["r (reset)", "z (update)", "n (candidate)"] {
        assert_eq!(count(&gru.svg(), &format!(">{gate}, from unit</text>")), 1);
    }
    assert!(gru.caption.starts_with("The recurrent weights between units, gate by gate (left)"), "{}", gru.caption);
    assert!(gru.svg().contains(">from variable</text>"));
    let lstm = drawn("LSTM").svg();
    assert!(["i (input)", "f (forget)", "g (candidate)", "o (output)"].iter().all(|gate| lstm.contains(gate)));
    let stack = drawn("GRU, 2 layers");
    assert!(stack.svg().contains(">to unit, layer 2</text>") && stack.caption.contains("a row for each layer"));
    let modes = drawn("state-space layer");
    assert!(modes.svg().contains(">its conjugate</text>") && !modes.svg().contains("from unit"));
    assert!(modes.caption.starts_with("The eigenvalues of the modes"), "{}", modes.caption);
}
