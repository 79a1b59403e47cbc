//! The binary `charrette-hook EVENT`, started by a client with the JSON of the event on standard input. It is also the
//! launcher of the sandbox, because it starts faster than the product.

use charrette_sandbox::{launcher, small_program};
use std::ffi::OsString;
use std::io::{Write as _, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(mode) if mode == launcher::MODE => launch(arguments.collect()),
        event => charrette_hook::run_hook(event),
    }
}

/// Becomes the program that the arguments name, in its sandbox; returns only if it cannot.
fn launch(arguments: Vec<OsString>) -> ExitCode {
    if arguments == [small_program::VERSION_ARGUMENT] {
        let printed = writeln!(stdout(), "{}", small_program::VERSION);
        return printed.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    let failure = launcher::become_program(arguments);
    // Whoever reads it is gone if this fails.
    let _ = writeln!(stderr(), "{}", failure.message);
    u8::try_from(failure.code).map_or(ExitCode::FAILURE, ExitCode::from)
}
