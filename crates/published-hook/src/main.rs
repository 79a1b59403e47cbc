//! The hook of the published archives: the program `charrette-hook`, with a first look before it where `build.rs` finds
//! that possible.

#![no_main]
// The first look runs before the functions can be called that the compiler would use for its loops.
#![no_builtins]

#[cfg(first_look)]
mod first_look;
#[path = "../../cli/src/bin/charrette-hook/program.rs"]
mod program;

use std::ffi::{c_char, c_int};

/// Entry point of the program, after the first look.
///
/// # Safety
/// `words` must point to `count` strings that live as long as the process, as they do when C calls it.
#[expect(unsafe_code, reason = "the entry point of C")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn main(count: c_int, words: *const *const c_char) -> c_int {
    #[cfg(first_look)]
    let open_input = first_look::open_input;
    #[cfg(not(first_look))]
    let open_input = || std::io::stdin().lock();
    // SAFETY: as promised by the caller.
    unsafe { program::run(count, words, open_input) }
}
