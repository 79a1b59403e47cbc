//! Everything that is printed. Results go to standard output, one-line logs to standard error.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is the place")]

use crate::arguments::Global;
use charrette_app::{AppError, ErrorKind, Notice};
use charrette_model::plumbing::Answer;
use charrette_model::shown::one_line;
use charrette_term::Screen;
use serde::Serialize;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// Prints a result as JSON for people to read and programs to parse.
pub(crate) fn json(value: &impl Serialize) -> Result<(), AppError> {
    let text = serde_json::to_string_pretty(value).map_err(AppError::failed)?;
    line(&text)
}

/// Prints one line, or several, of a result.
pub(crate) fn line(text: &str) -> Result<(), AppError> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.write_all(b"\n"))
        .and_then(|()| stdout.flush());
    match written {
        // Whoever was reading has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| AppError::failed(format!("cannot print the result: {error}"))),
    }
}

/// Prints the lines of a plumbing command, exactly, and ends as it says.
pub(crate) fn answer(answer: &Answer) -> Result<ExitCode, AppError> {
    if !answer.stdout.is_empty() {
        line(&answer.stdout.join("\n"))?;
    }
    for said in &answer.stderr {
        log(said);
    }
    Ok(ExitCode::from(answer.code))
}

/// Standard output as a screen for what changes while it is looked at.
pub(crate) fn screen() -> Screen {
    Screen::new(Box::new(io::stdout()))
}

/// Standard error as a screen, for questions where standard output belongs to a program.
pub(crate) fn side_screen() -> Screen {
    Screen::new(Box::new(io::stderr()))
}

/// Logs something that went wrong: one line, whatever is in it.
pub(crate) fn log(message: &str) {
    let _ = writeln!(io::stderr(), "{}", one_line(message));
}

/// Logs something worth knowing, unless asked to be quiet.
pub(crate) fn note(global: &Global, message: &str) {
    if !global.quiet {
        log(message);
    }
}

/// Says what the application has to say besides its result.
pub(crate) fn notice(global: &Global, notice: &Notice) {
    match notice {
        Notice::Note(text) => note(global, text),
        Notice::Problem(text) => log(text),
        Notice::Detail(text) if crate::progress::is_terminal() => note(global, text),
        Notice::Detail(_) => {}
    }
}

/// Says why a command did not succeed, and what to type next.
pub(crate) fn error(error: &AppError) -> ExitCode {
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

/// The exit code of a failure.
fn exit_code(kind: ErrorKind) -> ExitCode {
    match kind {
        ErrorKind::Failed | ErrorKind::AlreadyComplete => ExitCode::from(1),
        ErrorKind::Usage => ExitCode::from(2),
        ErrorKind::Refused => ExitCode::from(4),
    }
}

/// Help and version go to standard output; everything else clap says is a usage error.
pub(crate) fn usage(usage: &clap::Error) -> ExitCode {
    let text = usage.render();
    if usage.use_stderr() {
        eprint!("{text}");
        ExitCode::from(2)
    } else {
        print!("{text}");
        ExitCode::SUCCESS
    }
}
