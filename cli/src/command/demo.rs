//! `ketbra demo`: trains a small network, shows that it remembers, and reads its circuit.

use super::interpret::summary;
use super::report;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::subject::write;
use crate::terminal::{FAINT, GOOD, WARN, print, title};
use crate::written::print_made;
use ketbra::interpret::{InterpretParams, Question, interpret};
use ketbra::network::Network;
use ketbra::random::{Purpose, Stream};
use ketbra::report::{Provenance, Training, page};
use ketbra::task::{Episodes, Window};
use ketbra::train::cpu::CpuEngine;
use ketbra::train::{Engine, Job, Metrics, Start, TrainObserver, TrainParams};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

/// Train a small network on repeat copy, read its circuit and make its page: a few seconds
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra demo
  ketbra demo --seed 7 --out demo.html --open
  ketbra demo --json")]
pub struct DemoCommand {
    /// Seed of weights and inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the network's page goes
    #[arg(long, value_name = "FILE", default_value = "ketbra-demo.html")]
    out: PathBuf,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Print JSON: the files written, and what the network comes to
    #[arg(long)]
    json: bool,
}

/// Variables and components: 16 bits to remember.
const SIZE: (usize, usize) = (4, 4);
/// Output steps that are printed: the network repeats its input four times.
const SHOWN: usize = 16;

struct Watching {
    bar: Progress,
    course: Mutex<Training>,
}

impl TrainObserver for Watching {
    fn progress(&self, _job: usize, metrics: &Metrics) {
        self.bar.show(metrics);
        if let Ok(mut course) = self.course.lock() {
            course.step.push(metrics.step as f64);
            course.loss.push(metrics.loss);
            course.accuracy.push(metrics.accuracy);
            course.horizon.push(metrics.horizon as f64);
        }
    }
}

impl DemoCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let say = |text: String| {
            if !self.json {
                print(&text)
            }
        };
        let task = Window::named("repeat-copy", Some(SIZE.0), Some(SIZE.1))?;
        let params =
            TrainParams { hidden: 64, steps: 2_500, learning_rate: 3e-3, seed: self.seed, ..TrainParams::default() };
        say(format!(
            "{}An Elman network of {} tanh units sees {} inputs of {} bits, then nothing, and must repeat them for ever.\n\n",
            title("Training"),
            params.hidden,
            task.s(),
            task.d()
        ));
        // A step of so small a network is over before a second thread is awake.
        let engine = CpuEngine { threads: 1, ..CpuEngine::default() };
        let job = Job { task: task.clone().into(), params, start: Start::Random };
        let watching = Watching { bar: Progress::new(job.params.steps, 0), course: Mutex::default() };
        let begin = Instant::now();
        let outcome = engine.train(std::slice::from_ref(&job), &watching).pop();
        watching.bar.finish();
        let outcome = outcome.ok_or_else(|| Failure::could_not("training ended without a result"))??;
        let accuracy = outcome.accuracy.map_or(0.0, |accuracy| accuracy.value);
        let colour = if accuracy >= job.params.test.learned_from { GOOD } else { WARN };
        say(format!(
            "{} steps in {:.1} s; {colour}accuracy {accuracy:.4}{colour:#} over {} output steps on inputs it never saw\n\n",
            job.params.steps,
            begin.elapsed().as_secs_f64(),
            job.params.test.horizon
        ));
        let network = outcome.state.best();
        say(recital(&task, network, self.seed));
        let found = interpret(network, &Question::Task(task), &InterpretParams::default(), &|_| true)
            .map_err(Failure::could_not)?;
        say(format!("\n{}", summary::summary(&self.out, &found)));
        let course = watching.course.into_inner().ok().filter(|course| !course.step.is_empty());
        let made = vec![("command".into(), "ketbra demo".into()), ("seed".into(), self.seed.to_string())];
        let provenance = Provenance { title: "demo".into(), made, training: course };
        let html = page(Some(network), &found, &provenance)?;
        let page = write(&self.out, html.as_bytes())?;
        say(format!("\nIts page, with the network running in it: {}\n", self.out.display()));
        if self.open {
            report::open(&self.out);
        }
        say("Next: ketbra train T2 --out runs/t2, then ketbra interpret runs/t2\n".into());
        if self.json {
            print_made(None, &found, &[page])?;
        }
        Ok(())
    }
}

/// What the network saw and what it says, a column a time step.
fn recital(task: &Window, network: &Network, seed: u64) -> String {
    let mut episodes = Episodes::new(task, 1);
    episodes.draw(task, &Stream::new(seed, Purpose::TestInputs), 0, SHOWN);
    let said: Vec<_> = network.begin(episodes.inputs(), 1, SHOWN).answers().collect();
    let mut text = title("What it saw, and what it says");
    let sign = |x: f64| if x > 0.0 { '+' } else { '-' };
    let mut wrong = 0;
    for component in 0..task.d() {
        text.push_str("  ");
        for t in 0..task.s() {
            text.push(sign(f64::from(episodes.inputs()[t * task.d() + component])));
        }
        text.push_str(" | ");
        for (t, said) in said.iter().enumerate() {
            let output = said[(component, 0)];
            let wanted = episodes.target(t, 0, component);
            wrong += usize::from(sign(output) != sign(wanted));
            text.push(sign(output));
        }
        text.push('\n');
    }
    let verdict = if wrong == 0 { "no sign is wrong".into() } else { format!("{wrong} signs are wrong") };
    text + &format!("  {FAINT}{verdict}{FAINT:#}\n")
}
