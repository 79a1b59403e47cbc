//! From the command line to an exit code.

use crate::arguments::{Arguments, Global};
use crate::here::Here;
use crate::{commands, help, output};
use charrette_app::start::Beginning;
use charrette_app::{App, AppError};
use clap::FromArgMatches as _;
use std::path::Path;
use std::process::ExitCode;

/// Runs the command that was typed, with the flows of this application.
pub fn main(app: App) -> ExitCode {
    let matches = match commands::definition(&app).try_get_matches() {
        Ok(matches) => matches,
        Err(usage) => return output::usage(&explained(&app, usage)),
    };
    if let Some((flow, args)) = commands::flow::typed(&app, &matches) {
        let global = Global::from_arg_matches(args);
        let done = global.map_err(|usage| AppError::usage(usage.to_string())).and_then(|global| {
            enter(&global)?;
            commands::flow::run(&Here::new(global, app.clone()), flow, args)
        });
        return answered(done);
    }
    match Arguments::from_arg_matches(&matches) {
        Ok(Arguments { global, command }) => {
            answered(enter(&global).and_then(|()| commands::run(&Here::new(global, app), command)))
        }
        Err(usage) => output::usage(&usage),
    }
}

/// What is wrong, or the help that was asked for. Only then is the page of groups worth making.
fn explained(app: &App, usage: clap::Error) -> clap::Error {
    match help::grouped(commands::definition(app), app).try_get_matches() {
        Err(explained) => explained,
        Ok(_) => usage,
    }
}

/// Begins a run in the current folder: for binaries that bring flows of their own. `json` prints events.
pub fn begin(app: App, beginning: Beginning, answers: Option<&Path>, json: bool) -> ExitCode {
    let global = Global { directory: None, json, quiet: false, no_color: true };
    answered(commands::flow::begin(&Here::new(global, app), beginning, answers))
}

/// Goes where `-C` says, so that everything typed is seen from there.
fn enter(global: &Global) -> Result<(), AppError> {
    let Some(folder) = &global.directory else { return Ok(()) };
    std::env::set_current_dir(folder)
        .map_err(|error| AppError::usage(format!("cannot work in {}: {error}", folder.display())))
}

fn answered(result: Result<ExitCode, AppError>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) => output::error(&error),
    }
}
