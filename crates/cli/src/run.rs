//! Entry point: parses the arguments, runs the command, returns the exit code.

use crate::arguments::{Arguments, GlobalArgs};
use crate::invocation::Invocation;
use crate::{commands, help, output};
use charrette_app::start::NewRun;
use charrette_app::{App, AppError};
use charrette_sandbox::launcher;
use clap::FromArgMatches as _;
use std::path::Path;
use std::process::ExitCode;

/// Parses the command line and runs its command, with the flows of `app`.
pub fn main(app: App) -> ExitCode {
    if let Some(code) = run_launcher() {
        return code;
    }
    // Before any other work: a client waits for the answer before each of its tools.
    if let Some(event) = commands::hook::requested_event() {
        return ExitCode::from(charrette_hook::run_hook(Some(event), std::io::stdin().lock()));
    }
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(page) = help::requested_version(&words).or_else(|| help::requested_page(&app, &words)) {
        return exit_code(output::print_line(page.trim_end()).map(|()| ExitCode::SUCCESS));
    }
    // Never dropped: that takes as long as parsing.
    let definition = Box::leak(Box::new(commands::definition(&app)));
    let matches = match definition.try_get_matches_from_mut(std::env::args_os()) {
        Ok(matches) => matches,
        Err(usage) => return output::report_usage(&with_grouped_help(&app, usage)),
    };
    if let Some((flow, args)) = commands::flow::find_flow(&app, &matches) {
        let global = GlobalArgs::from_arg_matches(args);
        let result = global.map_err(|usage| AppError::usage(usage.to_string())).and_then(|global| {
            change_directory(&global)?;
            commands::flow::run(&Invocation::new(global, app.clone()), flow, args)
        });
        return exit_code(result);
    }
    match Arguments::from_arg_matches(&matches) {
        Ok(Arguments { global, command }) => exit_code(change_directory(&global).and_then(|()| {
            let invocation = Invocation::new(global, app);
            match command {
                Some(command) => commands::run(&invocation, command),
                None => commands::overview::overview(&invocation),
            }
        })),
        Err(usage) => output::report_usage(&usage),
    }
}

/// Becomes an agent's program in its sandbox, if the arguments ask for that; returns only if it cannot. Called before
/// anything else: the launch of every agent waits for it.
pub fn run_launcher() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    (arguments.next()? == launcher::MODE).then(|| {
        let failure = launcher::become_program(arguments);
        output::log(&failure.message);
        u8::try_from(failure.code).map_or(ExitCode::FAILURE, ExitCode::from)
    })
}

/// Repeats the parse with the grouped command list, which is built only for help and usage errors.
fn with_grouped_help(app: &App, usage: clap::Error) -> clap::Error {
    match help::with_command_groups(commands::definition(app), app).try_get_matches() {
        Err(grouped) => grouped,
        Ok(_) => usage,
    }
}

/// Starts a run in the current folder, for binaries that bring their own flows. `json` prints events.
pub fn start_run(app: App, beginning: NewRun, answers: Option<&Path>, json: bool) -> ExitCode {
    let global =
        GlobalArgs { directory: None, json, quiet: false, verbose: false, no_color: true, trust: None };
    exit_code(commands::flow::start_run(&Invocation::new(global, app), beginning, answers))
}

/// Changes to the folder of `-C`, so that relative paths in the arguments start there.
fn change_directory(global: &GlobalArgs) -> Result<(), AppError> {
    let Some(folder) = &global.directory else { return Ok(()) };
    std::env::set_current_dir(folder).map_err(|error| {
        AppError::usage(format!("cannot change to folder {}: {error}", folder.display()))
            .hint("Nothing was done. Give an existing folder to -C")
    })
}

fn exit_code(result: Result<ExitCode, AppError>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) => output::report_error(&error),
    }
}
