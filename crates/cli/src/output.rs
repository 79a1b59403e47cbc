//! Standard output and standard error. Results go to standard output, one-line logs to standard error.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the only module that prints")]

use crate::arguments::GlobalArgs;
use charrette_app::{AppError, ErrorKind, Notice};
use charrette_model::escape::one_line;
use charrette_model::plumbing::CommandAnswer;
use charrette_term::Screen;
use serde::Serialize;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// Prints a result as indented JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), AppError> {
    let text = serde_json::to_string_pretty(value).map_err(AppError::failed)?;
    print_line(&text)
}

/// Prints one or more lines of a result.
pub(crate) fn print_line(text: &str) -> Result<(), AppError> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.write_all(b"\n"))
        .and_then(|()| stdout.flush());
    match written {
        // The reader closed the pipe (as `head` does); that is no failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| AppError::failed(format!("cannot print the result: {error}"))),
    }
}

/// Prints a line of an endless output. False if the reader has closed it.
pub(crate) fn print_to_reader(text: &str) -> Result<bool, AppError> {
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(AppError::failed(format!("cannot print the result: {error}"))),
    }
}

/// Prints the lines of a plumbing command unchanged and returns its exit code.
pub(crate) fn print_answer(answer: &CommandAnswer) -> Result<ExitCode, AppError> {
    if !answer.stdout.is_empty() {
        print_line(&answer.stdout.join("\n"))?;
    }
    for line in &answer.stderr {
        log(line);
    }
    Ok(ExitCode::from(answer.code))
}

/// Standard output as a screen, for live progress.
pub(crate) fn stdout_screen() -> Screen {
    Screen::new(Box::new(io::stdout()))
}

/// Standard error as a screen, for questions while standard output is piped to a program.
pub(crate) fn stderr_screen() -> Screen {
    Screen::new(Box::new(io::stderr()))
}

/// Logs a problem on standard error, as one line.
pub(crate) fn log(message: &str) {
    let _ = writeln!(io::stderr(), "{}", one_line(message));
}

/// Logs a note or warning on standard error, unless `--quiet` is given.
pub(crate) fn note(global: &GlobalArgs, message: &str) {
    if !global.quiet {
        log(message);
    }
}

/// Logs a notice of the application.
pub(crate) fn print_notice(global: &GlobalArgs, notice: &Notice) {
    match notice {
        Notice::Note(text) => note(global, text),
        Notice::Problem(text) => log(text),
        Notice::Detail(text) if crate::progress::is_terminal() => note(global, text),
        Notice::Detail(_) => {}
    }
}

/// Logs an error with its hints and returns its exit code.
pub(crate) fn report_error(error: &AppError) -> ExitCode {
    let is_watched = rustix::termios::isatty(io::stderr());
    for line in error.machine.iter().filter(|_| !is_watched) {
        log(line);
    }
    let mut lines = error.message.lines().chain(error.more.iter().map(String::as_str));
    log(&format!("error: {}", lines.next().unwrap_or_default()));
    for line in lines {
        log(line);
    }
    for hint in &error.hints {
        log(&format!("hint: {hint}"));
    }
    exit_code(error.kind)
}

fn exit_code(kind: ErrorKind) -> ExitCode {
    match kind {
        ErrorKind::Failed | ErrorKind::AlreadyComplete => ExitCode::from(1),
        ErrorKind::Usage => ExitCode::from(2),
        ErrorKind::Refused => ExitCode::from(4),
        ErrorKind::Interrupted => ExitCode::from(130),
    }
}

/// Prints help and version to standard output, usage errors to standard error.
pub(crate) fn report_usage(usage: &clap::Error) -> ExitCode {
    let text = usage.render();
    if usage.use_stderr() {
        eprint!("{text}");
        ExitCode::from(2)
    } else {
        print!("{text}");
        ExitCode::SUCCESS
    }
}
