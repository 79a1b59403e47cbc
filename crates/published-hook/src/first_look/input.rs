//! Standard input: read by the first look, and read again by the hook if there was no proof.

#![expect(unsafe_code, reason = "memory that is written before the program starts and read after it")]

use super::system;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::io::{Read, stdin};

/// Longest input that is looked at, in bytes: as much as a pipe holds.
const MAX_BYTES: usize = 64 << 10;

static KEPT: Kept = Kept {
    length: AtomicUsize::new(0),
    has_ended: AtomicBool::new(false),
    bytes: UnsafeCell::new([const { MaybeUninit::zeroed() }; MAX_BYTES]),
};

/// The input that was read.
struct Kept {
    /// Number of bytes that were read.
    length: AtomicUsize,
    /// True if the end was read too. At a terminal the end comes once.
    has_ended: AtomicBool,
    bytes: UnsafeCell<[MaybeUninit<u8>; MAX_BYTES]>,
}

// SAFETY: the bytes are written by [`EarlyInput`] only, before there are threads.
unsafe impl Sync for Kept {}

/// Right to read standard input and keep it.
pub(super) struct EarlyInput {
    kept: &'static Kept,
}

impl EarlyInput {
    /// # Safety
    /// Only the first look may have one, and only one.
    pub(super) unsafe fn new() -> EarlyInput {
        EarlyInput { kept: &KEPT }
    }

    /// Reads the input to its end. None if it is too long, or if it cannot be read at present.
    pub(super) fn read_all(self) -> Option<&'static [u8]> {
        loop {
            let length = self.kept.length.load(Relaxed);
            // SAFETY: nothing else uses the bytes before the look has ended.
            let bytes = unsafe { &mut *self.kept.bytes.get() };
            let free = bytes.get_mut(length..).filter(|free| !free.is_empty())?;
            let read = system::read_standard_input(free)?;
            if read == 0 {
                self.kept.has_ended.store(true, Relaxed);
                return Some(self.kept.content());
            }
            self.kept.length.store(length + read, Relaxed);
        }
    }
}

/// The input of the hook: what the first look has read, and then the rest of standard input.
pub(crate) fn open_input() -> impl Read {
    let rest = if KEPT.has_ended.load(Relaxed) { 0 } else { u64::MAX };
    KEPT.content().chain(stdin().lock().take(rest))
}

impl Kept {
    /// The bytes that were read, when all were.
    fn content(&self) -> &[u8] {
        let length = self.length.load(Relaxed);
        // SAFETY: that many bytes were read, and none is written any more.
        unsafe { core::slice::from_raw_parts(self.bytes.get().cast(), length) }
    }
}
