//! The program `charrette-hook EVENT`, started by a client with the JSON of the event on standard input. It is also the
//! launcher of the sandbox, because it starts faster than the product.
//!
//! It runs before every tool of every agent, so it leaves out what Rust does before `main`: alternative signal stacks and
//! the search for the guard page of the stack take a fifth of its time.

#![expect(unsafe_code, reason = "the arguments of C, and the signal that Rust would ignore")]

use charrette_sandbox::{launcher, small_program};
use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::io::{Read, Write as _, stderr, stdout};
use std::os::unix::ffi::OsStrExt as _;

/// Runs the program with the arguments of C's `main` and the input of the hook. Returns its exit code.
///
/// # Safety
/// `words` must point to `count` strings that live as long as the process. No other thread runs yet.
pub(crate) unsafe fn run<I: Read>(
    count: c_int,
    words: *const *const c_char,
    open_input: impl FnOnce() -> I,
) -> c_int {
    // SAFETY: no thread runs yet. A client that closes its end early must not end the hook before it has said no.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    let words = (0..usize::try_from(count).unwrap_or(0)).map(|at| {
        // SAFETY: there are `count` of them.
        let word = unsafe { CStr::from_ptr(*words.add(at)) };
        OsStr::from_bytes(word.to_bytes()).to_owned()
    });
    let mut arguments = words.skip(1);
    let code = match arguments.next() {
        Some(mode) if mode == launcher::MODE => launch(arguments.collect()),
        event => charrette_hook::run_hook(event, open_input()),
    };
    c_int::from(code)
}

/// Becomes the program that the arguments name, in its sandbox; returns only if it cannot.
fn launch(arguments: Vec<OsString>) -> u8 {
    if arguments == [small_program::VERSION_ARGUMENT] {
        let printed = writeln!(stdout(), "{}", small_program::VERSION);
        return u8::from(printed.is_err());
    }
    let failure = launcher::become_program(arguments);
    // Whoever reads it is gone if this fails.
    let _ = writeln!(stderr(), "{}", failure.message);
    u8::try_from(failure.code).unwrap_or(1)
}
