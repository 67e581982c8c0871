//! One progress bar over a whole sweep.

use crate::interrupt;
use crate::terminal::WARN;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ketbra::sweep::{Row, SweepObserver, Tally};
use std::time::{Duration, Instant};

/// A bar on standard error; nothing at all where that is no terminal, except for networks that failed.
pub struct Bar {
    bar: ProgressBar,
    begin: Instant,
}

impl Bar {
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:12.cyan} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        Self { bar, begin: Instant::now() }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl SweepObserver for Bar {
    fn tally(&self, tally: &Tally) {
        self.bar.set_length(tally.total as u64);
        self.bar.set_position((tally.done + tally.failed) as u64);
        let seconds = self.begin.elapsed().as_secs_f64();
        let left = tally.total.saturating_sub(tally.done + tally.failed);
        let pace = match tally.here {
            0 => String::new(),
            here => {
                let remaining = seconds * left as f64 / here as f64;
                format!(", {:.0} networks/h, {} left", here as f64 / seconds * 3600.0, duration(remaining))
            }
        };
        self.bar.set_message(format!("{} running, {} failed{pace}", tally.running, tally.failed));
    }

    fn finished(&self, row: &Row) {
        if let Some(error) = &row.error {
            let message = format!("{WARN}failed:{WARN:#} {}: {error}", row.name);
            self.bar.suspend(|| crate::terminal::note(&message));
        }
    }

    fn stop(&self) -> bool {
        interrupt::asked()
    }
}

/// A time as a person says it.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s < 2.0 * 86_400.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}
