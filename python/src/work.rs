//! Long work with the interpreter free and Ctrl-C heard.

use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Time between two looks at the signals: a person who presses Ctrl-C should not have to wait.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// A request to running work to come to an orderly end.
#[derive(Default)]
pub struct Stop(AtomicBool);

impl Stop {
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What work came to, and the exception that asked it to stop early.
pub struct Ended<T> {
    pub value: T,
    pub interrupt: Option<PyErr>,
}

impl<T> Ended<T> {
    /// The value, unless somebody asked for a stop.
    pub fn unless_interrupted(self) -> PyResult<T> {
        self.interrupt.map_or(Ok(self.value), Err)
    }
}

/// Does `work` on a thread of its own. This thread lets other Python threads run, looks at the signals, and calls `look`
/// (a progress bar) now and then; an exception from either asks the work to stop, and is returned beside its value.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> T + Send,
    look: impl Fn(Python<'_>) -> PyResult<()> + Sync,
) -> Ended<T> {
    let stop = Stop::default();
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, ended) = channel::<()>();
            let worker = scope.spawn(|| {
                // Dropped at the end of the work, also of one that panics.
                let _done = done;
                work(&stop)
            });
            let mut interrupt = None;
            while ended.recv_timeout(BETWEEN_LOOKS) == Err(RecvTimeoutError::Timeout) {
                if interrupt.is_none() {
                    interrupt = Python::attach(|py| py.check_signals().and_then(|()| look(py))).err();
                    stop.0.store(interrupt.is_some(), Ordering::Relaxed);
                }
            }
            let value = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ended { value, interrupt }
        })
    })
}

/// The same for work without a progress bar; what it came to is lost where somebody asked for a stop.
pub fn without_bar<T: Send>(py: Python<'_>, work: impl FnOnce(&Stop) -> T + Send) -> PyResult<T> {
    interruptible(py, work, |_| Ok(())).unless_interrupted()
}
