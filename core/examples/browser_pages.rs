//! Makes one page of every kind, and the numbers that a browser must compute on it.
//!
//! `cargo run --release -p ketbra --example browser_pages -- FOLDER`, then `browser/test_pages.py FOLDER`.

use ketbra::circuit::{AnalyticNetwork, Basis};
use ketbra::edit::{Change, EditParams, edit};
use ketbra::interpret::{InterpretParams, Interpretation, Question, interpret};
use ketbra::network::{Network, NetworkFile};
use ketbra::numeric::Matrix;
use ketbra::random::{Purpose, Stream};
use ketbra::report::{Provenance, Training, page};
use ketbra::task::{Episodes, Task};
use serde_json::json;
use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const HORIZON: usize = 40;

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).ok_or("name a folder to write the pages into")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let [t2, t3] = ["T2", "T3"].map(|name| Task::named(name, None, None));
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
    Page { name: "superposed", network: superposed, question: Question::Task(t3), course: None }.write(folder, None)?;
    let mut silent = trained;
    silent.as_elman_mut().ok_or("a plain layer")?.recurrent_weights = Matrix::from_fn(128, 128, |_, _| 1e-6);
    Page { name: "not-learned", network: silent.clone(), question: Question::Task(t2), course: None }
        .write(folder, None)?;
    Page { name: "blind-silent", network: silent, question: blind, course: None }.write(folder, None)?;
    for (name, s, d, hidden) in [("long", 16, 5, 128), ("large", 8, 8, 1024)] {
        let task = Task::named("repeat-copy", Some(s), Some(d))?;
        let network = planted(&task, hidden)?;
        Page { name, network, question: Question::Task(task), course: None }.write(folder, None)?;
    }
    Ok(())
}

fn fixture(name: &str) -> Result<Network> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/networks/{name}.safetensors"));
    Ok(NetworkFile::open(&path)?.network)
}

/// The theory's circuit in a random basis, rounded to f32 as trained weights are.
fn planted(task: &Task, hidden: usize) -> Result<Network> {
    let basis = Basis::orthonormal(hidden, task.window(), &Stream::new(5, Purpose::Matrices), 0)?;
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
    fn write(&self, folder: &Path, edit_to: Option<&Task>) -> Result<()> {
        let found = interpret(&self.network, &self.question, &InterpretParams::default())?;
        let provenance = Provenance { title: self.name.into(), made: vec![], training: self.course.clone() };
        let html = page(&self.network, &found, &provenance)?;
        std::fs::write(folder.join(format!("{}.html", self.name)), &html)?;
        std::fs::write(folder.join(format!("{}.json", self.name)), self.expected(&found, edit_to)?.to_string())?;
        Ok(())
    }

    fn expected(&self, found: &Interpretation, edit_to: Option<&Task>) -> Result<serde_json::Value> {
        let (s, d) = (found.task.s, found.task.d);
        let task = found.details.task.clone().map_or_else(|| Task::named("repeat-copy", Some(s), Some(d)), Ok)?;
        let mut episode = Episodes::new(&task, 1);
        episode.draw(&task, &Stream::new(9, Purpose::TestInputs), 0, 0);
        let run = |network: &Network| {
            let states = network.run(episode.inputs(), 1, HORIZON).states;
            let outputs: Vec<Vec<f64>> = states.iter().map(|h| column(&network.read(h.as_ref()))).collect();
            (states, outputs)
        };
        let (states, outputs) = run(&self.network);
        let frame = found.details.memories.iter().find_map(|memories| memories.frame.as_ref());
        let contents = frame.map(|frame| states.iter().map(|h| column(&(&frame.readers * h))).collect::<Vec<_>>());
        let edited = match (edit_to, &found.details.task) {
            (Some(to), Some(from)) => {
                let edited = edit(&self.network, from, &Change::To(to.clone()), &EditParams::default())?;
                Some(json!({
                    "to": to.name(), "mode": edited.mode, "fresh_units": edited.fresh_units,
                    "outputs": run(&edited.network).1,
                }))
            }
            _ => None,
        };
        Ok(json!({
            "verdict": found.verdict, "s": s, "d": d, "inputs": episode.inputs(),
            "states": states.iter().map(column).collect::<Vec<_>>(), "outputs": outputs, "contents": contents, "edited": edited,
        }))
    }
}

fn column(matrix: &Matrix) -> Vec<f64> {
    matrix.col(0).iter().copied().collect()
}
