//! The binary `charrette-hook`. What it does is in [`program`]; the published archives have the same program with another
//! start, in the package `charrette-published-hook`.

#![no_main]
#![expect(unsafe_code, reason = "the entry point of C")]

mod program;

use std::ffi::{c_char, c_int};

/// Entry point of the program.
///
/// # Safety
/// `words` must point to `count` strings that live as long as the process, as they do when C calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn main(count: c_int, words: *const *const c_char) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { program::run(count, words, || std::io::stdin().lock()) }
}
