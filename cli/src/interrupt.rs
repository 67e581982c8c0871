//! Ctrl-C and its relatives: the first asks for an orderly stop, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);
/// The exit code of a program that was interrupted, as shells expect it.
pub const EXIT_CODE: u8 = 130;

/// Begins to listen. Without a handler Ctrl-C ends the program as usual, which loses only the steps since the checkpoint.
pub fn listen() {
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(EXIT_CODE));
        }
    });
}

/// Whether a stop was asked for.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
