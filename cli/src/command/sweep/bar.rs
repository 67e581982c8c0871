//! One progress bar over a whole sweep.

use crate::interrupt;
use crate::progress::BETWEEN_LINES;
use crate::terminal::WARN;
use crate::terminal::note;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ketbra::sweep::{Row, SweepObserver, Tally};
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A bar on standard error; where that is no terminal, a line a minute, however long a single network takes.
pub struct Bar {
    bar: ProgressBar,
    begin: Instant,
    told: Arc<Mutex<Option<String>>>,
    /// Ends the lines when it is dropped.
    _ends: Option<Sender<()>>,
}

impl Bar {
    pub fn new() -> Self {
        let told = Arc::default();
        let lines = (!std::io::stderr().is_terminal()).then(|| lines_of(&told, BETWEEN_LINES, note));
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:12.cyan} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        Self { bar, begin: Instant::now(), told, _ends: lines }
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
        let message = format!("{} running, {} failed{pace}", tally.running, tally.failed);
        let line = format!("{} of {} networks done, {message}", tally.done + tally.failed, tally.total);
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
        self.bar.set_message(message);
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

/// Says every so often how things stand, until what it gives back is dropped.
fn lines_of(told: &Arc<Mutex<Option<String>>>, between: Duration, say: impl Fn(&str) + Send + 'static) -> Sender<()> {
    let (ends, ended) = channel::<()>();
    let told = Arc::clone(told);
    std::thread::spawn(move || {
        while ended.recv_timeout(between) == Err(RecvTimeoutError::Timeout) {
            let line = told.lock().unwrap_or_else(PoisonError::into_inner).clone();
            line.iter().for_each(|line| say(line));
        }
    });
    ends
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_gets_a_line_now_and_then_until_the_end() {
        let told = Arc::new(Mutex::new(Some("3 of 9 networks done".to_string())));
        let (said, heard) = channel();
        let ends =
            lines_of(&told, Duration::from_millis(5), move |line| said.send(line.to_string()).unwrap_or_default());
        assert_eq!([heard.recv().unwrap(), heard.recv().unwrap()], ["3 of 9 networks done", "3 of 9 networks done"]);
        drop(ends);
        // The thread ends, and what it says with it.
        while heard.recv().is_ok() {}
    }
}
