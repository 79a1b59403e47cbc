//! From the command line to an exit code.

use crate::arguments::{Arguments, Global};
use crate::drive::{self, Beginning, Extension};
use crate::error::CommandError;
use crate::{commands, help, output, site};
use clap::{CommandFactory as _, Parser as _};
use std::process::ExitCode;

/// Runs the command that was typed, with the flows and agents of this binary.
pub fn main(extension: Extension) -> ExitCode {
    extend(extension);
    match Arguments::try_parse() {
        Ok(arguments) => {
            answered(enter(&arguments.global).and_then(|()| commands::run(arguments, extension)))
        }
        Err(usage) => output::usage(&explained(usage)),
    }
}

/// What is wrong, or the help that was asked for. Only then is the page of groups worth making.
fn explained(usage: clap::Error) -> clap::Error {
    match help::grouped(Arguments::command()).try_get_matches() {
        Err(explained) => explained,
        Ok(_) => usage,
    }
}

/// Begins a run in the current folder: for binaries that bring flows of their own. `json` prints events.
pub fn begin(extension: Extension, beginning: &Beginning<'_>, json: bool) -> ExitCode {
    extend(extension);
    let global = Global { directory: None, json, quiet: false, no_color: true };
    answered(drive::begin(&global, extension, beginning))
}

fn extend(extension: Extension) {
    if let Some(settings) = extension.settings {
        site::lay_over(settings());
    }
}

/// Goes where `-C` says, so that everything typed is seen from there.
fn enter(global: &Global) -> Result<(), CommandError> {
    let Some(folder) = &global.directory else { return Ok(()) };
    std::env::set_current_dir(folder)
        .map_err(|error| CommandError::usage(format!("cannot work in {}: {error}", folder.display())))
}

fn answered(result: Result<ExitCode, CommandError>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) => output::error(&error),
    }
}
