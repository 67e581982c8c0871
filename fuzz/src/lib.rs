//! What stops a target: an allocator that holds more than it may, a parser that works for longer than it may.

use cpu_time::ThreadTime;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// No file of the corpus is larger than a few kilobytes, so this is a lot.
const MOST_BYTES: usize = 256 << 20;

/// Of the processor, and not of a clock on the wall: a busy machine must not look like a hang.
const LONGEST: Duration = Duration::from_secs(1);

static LIVE: AtomicUsize = AtomicUsize::new(0);

struct Bounded;

#[global_allocator]
static ALLOCATOR: Bounded = Bounded;

// SAFETY: every call is handed on to the system's allocator unchanged, or the process ends.
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size() > MOST_BYTES {
            std::process::abort();
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Calls a parser, and panics where it takes too long.
pub fn timed(parse: impl FnOnce()) {
    let begin = ThreadTime::now();
    parse();
    let took = begin.elapsed();
    assert!(took < LONGEST, "it worked for {took:?}");
}

/// One target: a parser of the library.
#[macro_export]
macro_rules! target {
    ($parser:ident) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::timed(|| ketbra::fuzzing::$parser(bytes)));
    };
}
