//! What JavaScript calls: it asks for room, writes a request there, and is told where the answer lies.

use crate::answer_bytes;
use ketbra::observe::StageProgress;
use std::cell::RefCell;

thread_local! {
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

#[link(wasm_import_module = "page")]
// SAFETY: the page takes numbers and reads text where they point; it cannot be called wrongly.
unsafe extern "C" {
    /// How far the work is: a share from 0 to 1, and the name of the stage.
    safe fn progress(share: f64, stage: *const u8, length: usize);
    /// The message of a panic, before the engine stops for good.
    safe fn panicked(message: *const u8, length: usize);
}

/// Room for the bytes of a request.
#[unsafe(no_mangle)] // SAFETY: no other function of the module has this name.
pub extern "C" fn room(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        *request = vec![0; length];
        request.as_mut_ptr()
    })
}

/// Answers the request, and says how long the answer is.
#[unsafe(no_mangle)] // SAFETY: no other function of the module has this name.
pub extern "C" fn answer() -> usize {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.to_string();
        panicked(message.as_ptr(), message.len());
    }));
    let request = REQUEST.take();
    let answered = answer_bytes(&request, &|StageProgress { stage, share }| {
        progress(share, stage.as_ptr(), stage.len());
        true
    });
    let length = answered.len();
    ANSWER.set(answered);
    length
}

/// Where the answer lies, until the next one.
#[unsafe(no_mangle)] // SAFETY: no other function of the module has this name.
pub extern "C" fn answer_at() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}
