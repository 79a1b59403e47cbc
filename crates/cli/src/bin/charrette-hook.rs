//! The binary `charrette-hook EVENT`, started by a client with the JSON of the event on standard input.

use std::process::ExitCode;

fn main() -> ExitCode {
    charrette_hook::run_hook(std::env::args_os().nth(1))
}
