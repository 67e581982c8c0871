//! An allocator that stops a target which holds more than it may.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// No file of the corpus is larger than a few kilobytes, so this is a lot.
const MOST_BYTES: usize = 256 << 20;

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

/// One target: a parser of the library.
#[macro_export]
macro_rules! target {
    ($parser:ident) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
            // Links the allocator.
            let _ = $crate::BOUNDED;
            ketbra::fuzzing::$parser(bytes);
        });
    };
}

/// Named by every target, so that the allocator is part of it.
pub const BOUNDED: () = ();
