//! The program `charrette-hook` for the tests of this crate; the installed one is part of the package `charrette-cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(charrette_hook::run_hook(std::env::args_os().nth(1), std::io::stdin().lock()))
}
