//! From the command line to an exit code.

use crate::arguments::Arguments;
use crate::{commands, output};
use clap::Parser as _;
use std::process::ExitCode;

/// Runs the command that was typed.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(usage) => return output::usage(&usage),
    };
    match commands::run(arguments) {
        Ok(code) => code,
        Err(error) => output::error(&error),
    }
}
