//! Progress bars: of training, and of anything that can be counted.

use crate::terminal::note;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ketbra::observe::StageProgress;
use ketbra::train::Metrics;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time between two looks at the bar: more often nobody can read it.
const BETWEEN: Duration = Duration::from_millis(100);

/// Time between two lines where there is no terminal, as in the log of a cluster's job.
pub const BETWEEN_LINES: Duration = Duration::from_secs(60);

/// A bar on standard error; where that is no terminal, a line a minute.
pub struct Progress {
    bar: ProgressBar,
    shown: Mutex<Instant>,
    terminal: bool,
    begin: (Instant, u64),
}

impl Progress {
    /// A bar that begins at a step.
    pub fn new(steps: u64, step: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
        let template = "{bar:12.cyan} {pos}/{len} {msg} {per_sec:.0} {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_position(step);
        bar.reset_eta();
        let now = Instant::now();
        Self { bar, shown: Mutex::new(now), terminal: std::io::stderr().is_terminal(), begin: (now, step) }
    }

    /// Shows how training stands.
    pub fn show(&self, metrics: &Metrics) {
        // Whoever comes while another thread draws can leave it at that.
        let Ok(mut shown) = self.shown.try_lock() else { return };
        if shown.elapsed() < if self.terminal { BETWEEN } else { BETWEEN_LINES } {
            return;
        }
        *shown = Instant::now();
        let Metrics { step, loss, accuracy, horizon, .. } = metrics;
        if self.terminal {
            self.bar.set_position(*step);
            // 80 columns hold it all, with a bar, a rate and the time left.
            self.bar.set_message(format!("loss {loss:.1e} right {accuracy:.3} horizon {horizon}"));
            return;
        }
        let all = self.bar.length().unwrap_or(*step);
        let (began, first) = self.begin;
        let left = began.elapsed().as_secs_f64() / step.saturating_sub(first).max(1) as f64 * (all - step) as f64;
        note(&format!(
            "step {step} of {all}, loss {loss:.1e}, accuracy {accuracy:.3}, horizon {horizon}, at most {:.0} min left",
            left / 60.0
        ));
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Work that is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(2);

/// A bar on standard error once its work takes over two seconds; nothing at all where that is no terminal. It goes away with its
/// owner.
pub struct Count {
    bar: ProgressBar,
    begin: Instant,
}

/// Parts that the whole of one thing is counted in.
const PARTS: f64 = 1000.0;

impl Count {
    /// A bar over so many things, `unit` in the plural.
    pub fn new(all: usize, unit: &str) -> Self {
        Self::with(all as u64, &format!("{{bar:30.cyan}} {{pos}}/{{len}} {unit} {{per_sec}} {{eta}} left"))
    }

    /// A bar for one thing that takes a while, with what is being done.
    pub fn of_stages() -> Self {
        Self::with(PARTS as u64, "{bar:30.cyan} {percent} % {msg} {eta} left")
    }

    fn with(all: u64, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, begin: Instant::now() }
    }

    /// One more is done.
    pub fn one(&self) {
        self.show();
        self.bar.inc(1);
    }

    /// So many are done, of so many that are known by now.
    pub fn set(&self, done: usize, of: usize) {
        self.show();
        self.bar.set_length(of as u64);
        self.bar.set_position(done as u64);
    }

    /// How far the work on one thing is.
    pub fn stage(&self, moment: StageProgress) {
        self.show();
        self.bar.set_position((moment.share * PARTS) as u64);
        self.bar.set_message(moment.stage);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self) {
        if self.bar.is_hidden() && self.begin.elapsed() > PATIENCE && std::io::stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        self.finish();
    }
}
