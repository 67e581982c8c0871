//! Makes one page of every kind, and the numbers that a browser must compute on it.
//!
//! `cargo run --release -p ketbra --example browser_pages -- FOLDER`, then `browser/test_pages.py FOLDER`.

use ketbra::circuit::{AnalyticNetwork, Basis};
use ketbra::edit::{Change, EditParams, edit};
use ketbra::interpret::{InterpretParams, Interpretation, Question, StateView, interpret, interpret_trajectories};
use ketbra::network::{
    Activation, Architecture, Cell, CellKind, CellSettings, Initialization, Modes, Network, NetworkFile, Readout, Ssm,
};
use ketbra::numeric::{Matrix, RELATIVE_CUT, draw, pseudo_inverse};
use ketbra::observe::{Trajectories, View};
use ketbra::random::{Purpose, Stream};
use ketbra::report::{Provenance, Side, Training, page, page_of_sweep, page_of_two};
use ketbra::sweep::SweepFolder;
use ketbra::task::{Episodes, Window};
use serde_json::json;
use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const HORIZON: usize = 40;

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).ok_or("name a folder to write the pages into")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let [t2, t3] = ["T2", "T3"].map(|name| Window::named(name, None, None));
    let (t2, t3) = (t2?, t3?);
    let (trained, circuit) = (fixture("t2-h128")?, fixture("t3-h128")?);
    let course = Training::from_csv("step,horizon,loss,accuracy\n100,10,0.9,0.6\n200,20,0.2,0.95\n", 100);

    let run = Page { name: "trained", network: trained.clone(), question: Question::Task(t2.clone()), course };
    run.write(folder, Some(&t3))?;
    let told = Question::Task(t3.clone());
    Page { name: "circuit", network: circuit.clone(), question: told, course: None }.write(folder, Some(&t2))?;
    let blind = Question::Blind { s: 8 };
    Page { name: "blind", network: circuit, question: blind.clone(), course: None }.write(folder, None)?;
    let superposed = fixture("t3-h64-superposed")?;
    let told = Question::Task(t3);
    Page { name: "superposed", network: superposed, question: told.clone(), course: None }.write(folder, None)?;
    let mut silent = trained;
    silent.as_elman_mut().ok_or("a plain layer")?.recurrent_weights = Matrix::from_fn(128, 128, |_, _| 1e-6);
    Page { name: "not-learned", network: silent.clone(), question: Question::Task(t2), course: None }
        .write(folder, None)?;
    Page { name: "blind-silent", network: silent, question: blind, course: None }.write(folder, None)?;
    let latch = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/programs/elman-flipflop-seed01.safetensors");
    let latch = NetworkFile::open(&latch)?.network;
    Page { name: "other-kind", network: latch, question: Question::Blind { s: 4 }, course: None }
        .write(folder, None)?;
    for (name, s, d, hidden) in [("long", 16, 5, 128), ("large", 8, 8, 1024)] {
        let task = Window::named("repeat-copy", Some(s), Some(d))?;
        let network = planted(&task, hidden)?;
        Page { name, network, question: Question::Task(task), course: None }.write(folder, None)?;
    }
    recordings(folder, &told)?;
    partial(folder)?;
    unclear(folder)?;
    Page { name: "gates", network: fixture("mux-h128")?, question: Question::Blind { s: 4 }, course: None }
        .write(folder, None)?;
    two(folder)?;
    sweep(folder)?;
    other_cells(folder, &told)
}

/// A network that does its task for a while: two of its outputs are told the wrong way round.
fn partial(folder: &Path) -> Result<()> {
    let mut network = fixture("t3-h128")?;
    let weights = &mut network.readout.weights;
    for unit in 0..weights.ncols() {
        weights[(1, unit)] *= -1.0;
    }
    let question = Question::Task(Window::named("T3", None, None)?);
    Page { name: "partial", network, question, course: None }.write(folder, None)
}

/// Two networks on one clock.
fn two(folder: &Path) -> Result<()> {
    let told = |name: &str| Provenance { title: name.into(), ..Provenance::default() };
    let read = |name: &str, task: &str| -> Result<(Network, Interpretation)> {
        let network = fixture(name)?;
        let found = interpret(
            &network,
            &Question::Task(Window::named(task, None, None)?),
            &InterpretParams::default(),
            &|_| true,
        )?;
        Ok((network, found))
    };
    let (a, b) = (read("t2-h128", "T2")?, read("t3-h64-superposed", "T3")?);
    let [left, right] = ["left", "right"].map(told);
    let left = Side { network: &a.0, found: &a.1, provenance: &left };
    let right = Side { network: &b.0, found: &b.1, provenance: &right };
    std::fs::write(folder.join("pair.html"), page_of_two(&left, &right, None)?)?;
    let expected = json!({ "found": [&a.1, &b.1] });
    std::fs::write(folder.join("pair.json"), expected.to_string())?;
    // Beside one whose rule cannot be read.
    let random = Initialization::Uniform.network(&Architecture::elman(32, Activation::Tanh, false), 8, 8, 1);
    let unread = interpret(&random, &Question::Blind { s: 8 }, &InterpretParams::default(), &|_| true)?;
    let provenance = told("right");
    let right = Side { network: &random, found: &unread, provenance: &provenance };
    std::fs::write(folder.join("pair-unread.html"), page_of_two(&left, &right, None)?)?;
    let expected = json!({ "found": [&a.1, &unread] });
    Ok(std::fs::write(folder.join("pair-unread.json"), expected.to_string())?)
}

/// Networks of a sweep that is made up of four real ones, over and over.
const SWEPT: usize = 960;

fn sweep(folder: &Path) -> Result<()> {
    let runs = folder.join("sweep");
    if runs.exists() {
        std::fs::remove_dir_all(&runs)?;
    }
    std::fs::create_dir_all(&runs)?;
    let kinds =
        [("T2", 128, "t2-h128"), ("T3", 128, "t3-h128"), ("T3", 64, "t3-h64-superposed"), ("T3", 128, "t2-h128")];
    let found = kinds.map(|(task, _, name)| -> Result<Interpretation> {
        let task = Window::named(task, None, None)?;
        Ok(interpret(&fixture(name)?, &Question::Task(task), &InterpretParams::default(), &|_| true)?)
    });
    let found = found.into_iter().collect::<Result<Vec<_>>>()?;
    let mut names = vec![];
    for k in 0..SWEPT {
        let ((task, hidden, file), found) = (kinds[k % kinds.len()], &found[k % kinds.len()]);
        let (seed, l2, threshold) = (k / 32 + 1, [0.0, 1e-5, 1e-4, 1e-3][k / 4 % 4], [0.9, 0.98][k / 16 % 2]);
        let name = format!("{}-h{hidden}-l2_{l2}-{k:03}", task.to_lowercase());
        let at = |spectrum: &ketbra::spectrum::Spectrum| json!({ "found": spectrum.found, "expected": spectrum.expected, "error": spectrum.error, "modulus": spectrum.mean_modulus });
        let failing: Vec<&str> =
            found.claims.iter().filter(|claim| !claim.holds).map(|claim| claim.name.name()).collect();
        let row = json!({
            "name": name, "task": task, "s": 8, "d": 8, "hidden": hidden, "l2": l2, "threshold": threshold, "init": "uniform",
            "curriculum": "table1", "horizon": 100, "steps": 20_000, "batch": 64, "lr": 1e-3, "clip": 1.0, "activation": "tanh",
            "bias": false, "seed": seed, "error": null, "accuracy": found.accuracy.as_ref().map(|a| a.value), "loss": 1e-4,
            "mean_horizon": 60.0, "verdict": found.verdict.name(), "failing": failing.join(" "), "read_back": true,
            "origin": found.spectrum.origin.as_ref().map(at), "orbit": at(&found.spectrum.orbit),
            "worst": {}, "recovered": { "orbit": found.verdict.name() == "circuit" }, "phi_error": {},
        });
        let run = runs.join(&name);
        std::fs::create_dir(&run)?;
        std::fs::write(run.join("result.json"), row.to_string())?;
        let losses: String =
            (0..60).map(|j| format!("{},10,{},0.9\n", 100 * j, 10f64.powf(-0.06 * j as f64))).collect();
        std::fs::write(run.join("metrics.csv"), format!("step,horizon,loss,accuracy\n{losses}"))?;
        // One file under many names: 960 copies would fill the disk.
        std::fs::hard_link(path_of(file), run.join("network.safetensors"))
            .or_else(|_| std::fs::copy(path_of(file), run.join("network.safetensors")).map(drop))?;
        names.push(name);
    }
    names.sort();
    std::fs::write(runs.join("networks.txt"), names.join("\n") + "\n")?;
    let swept = SweepFolder::open(&runs)?;
    std::fs::write(folder.join("sweep.html"), page_of_sweep(&swept, &|_, _| ())?)?;
    let rows = swept.rows()?;
    let cells = ketbra::table::table(&rows, &ketbra::table::TableParams::default()).groups;
    Ok(std::fs::write(folder.join("sweep.json"), json!({ "rows": rows, "cells": cells }).to_string())?)
}

/// Recorded episodes of a network that nobody can run; in one of two the states are those of other episodes.
fn recordings(folder: &Path, told: &Question) -> Result<()> {
    let (network, episodes, d) = (fixture("t3-h128")?, 64, 8);
    let Question::Task(task) = told else { return Err("a task".into()) };
    let mut drawn = Episodes::new(task, episodes);
    drawn.draw(task, &Stream::new(3, Purpose::ProbeInputs), 9, 0);
    let inputs = drawn.inputs().to_vec();
    let run = network.run(&inputs, episodes, 60);
    let states: Vec<Matrix> = run.states[task.s()..].to_vec();
    let outputs: Vec<Matrix> = states.iter().map(|state| network.read(state.as_ref())).collect();
    let other = |state: &Matrix| Matrix::from_fn(state.nrows(), episodes, |i, j| state[(i, (j + 1) % episodes)]);
    let torn: Vec<Matrix> = states.iter().map(other).collect();
    for (name, states) in [("recordings", states), ("not-held", torn)] {
        let recorded = Trajectories { inputs: Some(inputs.clone()), states, outputs: outputs.clone() };
        let found = interpret_trajectories(&recorded, told, &InterpretParams::default())?;
        let provenance = Provenance { title: name.into(), ..Provenance::default() };
        std::fs::write(folder.join(format!("{name}.html")), page(None, &found, &provenance)?)?;
        // The second episode that is kept is the fifth of the recording.
        let said: Vec<f64> = (0..d).map(|j| outputs[10][(j, 4)]).collect();
        let expected = json!({ "found": found, "s": task.s(), "d": d, "episode": 1, "step": 10, "said": said });
        std::fs::write(folder.join(format!("{name}.json")), expected.to_string())?;
    }
    Ok(())
}

/// A network that nobody trained: it never comes to rest, and what it computes cannot be told.
fn unclear(folder: &Path) -> Result<()> {
    let mut network = Initialization::Uniform.network(&Architecture::elman(48, Activation::Tanh, false), 4, 4, 7);
    let layer = network.as_elman_mut().ok_or("a plain layer")?;
    layer.recurrent_weights = &layer.recurrent_weights * faer::Scale(3.0);
    Page { name: "unclear", network, question: Question::Blind { s: 4 }, course: None }.write(folder, None)
}

/// Trained gated cells, a random stack of them, and a state-space layer that was written down.
fn other_cells(folder: &Path, told: &Question) -> Result<()> {
    let of = Architecture {
        cell: CellKind::Gru,
        layers: 2,
        hidden: 24,
        activation: Activation::Tanh,
        bias: true,
        settings: CellSettings::usual(CellKind::Gru),
    };
    let stack = Initialization::Uniform.network(&of, 8, 8, 3);
    let lstm = fixture("lstm-t3-h128")?;
    let gru = fixture("gru-t3-h128")?;
    let cells = [("gru", gru), ("lstm", lstm.clone()), ("mixed", mixed(&stack)?), ("stack", stack)];
    for (name, network) in cells {
        Page { name, network, question: told.clone(), course: None }.write(folder, None)?;
    }
    let whole = InterpretParams { state: StateView::Whole, ..InterpretParams::default() };
    Page { name: "lstm-whole", network: lstm, question: told.clone(), course: None }.write_as(folder, None, &whole)?;
    let task = Window::named("repeat-copy", Some(8), Some(5))?;
    let network = turning(&task, 64)?;
    Page { name: "ssm", network, question: Question::Task(task), course: None }.write(folder, None)?;
    let leaky = Question::Task(Window::named("repeat-copy", Some(3), Some(2))?);
    Page { name: "leaky", network: fixture("leaky-copy-h48")?, question: leaky, course: None }.write(folder, None)
}

/// A layer of gates under real modes with what goes past them: the rest of what a page may have to run.
fn mixed(stack: &Network) -> Result<Network> {
    let of = Architecture {
        cell: CellKind::Ssm,
        layers: 1,
        hidden: 24,
        activation: Activation::Relu,
        bias: false,
        settings: CellSettings::usual(CellKind::Ssm),
    };
    let above = Initialization::Uniform.network(&of, 24, 8, 4);
    let Some(Cell::Ssm(modes)) = above.layers.into_iter().next() else { return Err("a state-space layer".into()) };
    let skip = Some(modes.real.output.clone());
    let layers = vec![stack.layers[0].clone(), Cell::Ssm(Ssm { imaginary: None, skip, ..modes })];
    Ok(Network { layers, readout: above.readout })
}

/// A state-space layer that runs repeat copy: its modes are the window's Fourier components, and each is turned by a root of
/// unity. The units are a random mixture of the window, rounded as trained weights are.
fn turning(task: &Window, hidden: usize) -> Result<Network> {
    let (s, d) = (task.s(), task.d());
    let f32s =
        |matrix: Matrix| Matrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| f64::from(matrix[(i, j)] as f32));
    let memories = draw::with_condition(hidden, s * d, 3.0, &Stream::new(6, Purpose::Matrices), 0);
    let angle = |mode: usize, variable: usize| std::f64::consts::TAU * ((mode / d) * variable) as f64 / s as f64;
    // Contents move to the variable before: x' = lambda x with lambda = exp(i angle) where variable v has phase exp(-i v angle).
    let part = |of: fn(f64) -> f64, sign: f64| {
        let onto = Matrix::from_fn(s * d, s * d, |slot, mode| {
            let same = f64::from(u8::from(slot % d == mode % d));
            same * sign * of(-angle(mode, slot / d)) / s as f64
        });
        Modes {
            eigenvalues: (0..s * d).map(|mode| f64::from(of(angle(mode, 1)) as f32)).collect(),
            input: f32s(Matrix::from_fn(s * d, d, |mode, j| match mode % d == j {
                true => of(-angle(mode, s - 1)),
                false => 0.0,
            })),
            output: f32s(&memories * onto),
        }
    };
    let (real, imaginary) = (part(f64::cos, 1.0), part(f64::sin, -1.0));
    let readers = pseudo_inverse(&memories, RELATIVE_CUT)?;
    let weights = f32s(readers.subrows((s - 1) * d, d).to_owned());
    let cell = Ssm { activation: Activation::Identity, real, imaginary: Some(imaginary), skip: None };
    Ok(Network { layers: vec![Cell::Ssm(cell)], readout: Readout { weights, bias: None } })
}

fn path_of(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/networks/{name}.safetensors"))
}

fn fixture(name: &str) -> Result<Network> {
    Ok(NetworkFile::open(&path_of(name))?.network)
}

/// The theory's circuit in a random basis, rounded to f32 as trained weights are.
fn planted(task: &Window, hidden: usize) -> Result<Network> {
    let basis = Basis::orthonormal(hidden, task.width(), &Stream::new(5, Purpose::Matrices), 0)?;
    let mut network = AnalyticNetwork::of(task, basis)?.network;
    network.change_matrices(|matrix| {
        *matrix = Matrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| f64::from(matrix[(i, j)] as f32));
    });
    Ok(network)
}

struct Page {
    name: &'static str,
    network: Network,
    question: Question,
    course: Option<Training>,
}

impl Page {
    fn write(&self, folder: &Path, edit_to: Option<&Window>) -> Result<()> {
        self.write_as(folder, edit_to, &InterpretParams::default())
    }

    fn write_as(&self, folder: &Path, edit_to: Option<&Window>, params: &InterpretParams) -> Result<()> {
        let found = interpret(&self.network, &self.question, params, &|_| true)?;
        let provenance = Provenance { title: self.name.into(), made: vec![], training: self.course.clone() };
        let html = page(Some(&self.network), &found, &provenance)?;
        std::fs::write(folder.join(format!("{}.html", self.name)), &html)?;
        std::fs::write(folder.join(format!("{}.json", self.name)), self.expected(&found, edit_to)?.to_string())?;
        Ok(())
    }

    fn expected(&self, found: &Interpretation, edit_to: Option<&Window>) -> Result<serde_json::Value> {
        let (s, d) = (found.task.s, found.task.d);
        let task = found.details.task.clone().map_or_else(|| Window::named("repeat-copy", Some(s), Some(d)), Ok)?;
        let mut episode = Episodes::new(&task, 1);
        episode.draw(&task, &Stream::new(9, Purpose::TestInputs), 0, 0);
        let run = |network: &Network| {
            let states = network.run(episode.inputs(), 1, HORIZON).states;
            let outputs: Vec<Vec<f64>> = states.iter().map(|h| column(&network.read(h.as_ref()))).collect();
            (states, outputs)
        };
        let (states, outputs) = run(&self.network);
        let contents = self.contents(found, &states);
        let edited = match (edit_to, &found.details.task) {
            (Some(to), Some(from)) => {
                let edited = edit(&self.network, from, &Change::To(to.clone()), &EditParams::default())?;
                Some(json!({
                    "to": to.name(), "mode": edited.mode, "fresh_units": edited.fresh_units, "share": edited.changed.share,
                    "outputs": run(&edited.network).1,
                }))
            }
            _ => None,
        };
        Ok(json!({
            "verdict": found.verdict, "s": s, "d": d, "inputs": episode.inputs(),
            "states": states.iter().map(column).collect::<Vec<_>>(), "outputs": outputs, "contents": contents, "edited": edited,
            "whole_state": found.whole_state.as_ref().map(|whole| whole.verdict.name()), "found": found,
        }))
    }
}

impl Page {
    /// What is read from the part of each state that is looked at, in the output phase less the mean state of that step; what
    /// an input phase is centred by is the page's own.
    fn contents(&self, found: &Interpretation, states: &[Matrix]) -> Option<Vec<Vec<f64>>> {
        let frame = found.details.memories.iter().find_map(|memories| memories.frame.as_ref())?;
        let view = match found.state {
            StateView::Units => View::units(&self.network),
            StateView::Whole => View::whole(&self.network),
        };
        let means = &found.details.means;
        let centred = |(t, state): (usize, &Matrix)| {
            let mut seen = view.of(state);
            if let Some(mean) = t.checked_sub(found.task.s).and_then(|t| means.get(t)) {
                mean.iter().enumerate().for_each(|(i, mean)| seen[(i, 0)] -= mean);
            }
            column(&(&frame.readers * seen))
        };
        Some(states.iter().enumerate().map(centred).collect())
    }
}

fn column(matrix: &Matrix) -> Vec<f64> {
    matrix.col(0).iter().copied().collect()
}
