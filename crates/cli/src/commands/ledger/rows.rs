//! `charrette ledger time` and `charrette ledger tokens`: append a row, or dump all rows. Errors are only warnings.

use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_app::disk::{Disk, open_regular};
use charrette_app::environment::LedgerEnvironment;
use charrette_model::ledger::location::{self, LedgerLocation, LedgerSources};
use charrette_model::ledger::timing::{self, TimingAction, TimingRequest};
use charrette_model::ledger::tokens::{TokenAction, TokenRequest};
use charrette_store::ledger::append;
use charrette_store::workspace::sha256;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// Maximum wait for the lock of another writer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

pub(super) fn time(invocation: &Invocation, words: &[String]) -> Result<ExitCode, AppError> {
    let warn = |message: &str| output::log(&format!("Warning: timing ledger: {message}"));
    let request = match TimingRequest::parse(words) {
        Ok(request) => request,
        Err(problem) => return warn_and_exit(&warn, &problem),
    };
    let env = invocation.environment.ledger_environment();
    let current = current_folder();
    let location = location::timing(request.ledger.as_deref(), &sources(&env, &current), &Disk, digest);
    let row = match &request.action {
        TimingAction::Dump => return dump(&location, &warn),
        TimingAction::Append(row) => row,
    };
    if let Some(warning) = &row.warning {
        warn(warning);
    }
    let skill = env.timing_skill.as_deref().unwrap_or(timing::DEFAULT_SKILL);
    match invocation.now() {
        Ok(now) => write(&location, &row.text(now.at().as_second(), skill), &warn),
        Err(error) => warn_and_exit(&warn, &error.message),
    }
}

pub(super) fn tokens(invocation: &Invocation, words: &[String]) -> Result<ExitCode, AppError> {
    let warn = |message: &str| output::log(&format!("Warning: token ledger: {message}"));
    let request = match TokenRequest::parse(words) {
        Ok(request) => request,
        Err(problem) => return warn_and_exit(&warn, &problem),
    };
    request.warnings.iter().for_each(|warning| warn(warning));
    let env = invocation.environment.ledger_environment();
    let current = current_folder();
    let location = location::tokens(request.ledger.as_deref(), &sources(&env, &current), &Disk, digest);
    let row = match &request.action {
        TokenAction::Dump => return dump(&location, &warn),
        TokenAction::Append(row) => row,
    };
    match invocation.now() {
        Ok(now) => write(&location, &row.text(now.at()), &warn),
        Err(error) => warn_and_exit(&warn, &error.message),
    }
}

fn sources<'a>(env: &'a LedgerEnvironment, current: &'a str) -> LedgerSources<'a> {
    LedgerSources {
        temp: &env.temp,
        current,
        implement: env.implement.as_deref(),
        design: env.design.as_deref(),
        review: env.review.as_deref(),
        session_env: env.session_env.as_deref(),
        timing_ledger: env.timing_ledger.as_deref(),
        token_ledger: env.token_ledger.as_deref(),
        token_session: env.token_session.as_deref(),
    }
}

fn current_folder() -> String {
    Path::new(".").canonicalize().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()
}

fn digest(text: &str) -> String {
    sha256(text.as_bytes())
}

fn write(location: &LedgerLocation, row: &str, warn: &impl Fn(&str)) -> Result<ExitCode, AppError> {
    location.warnings.iter().for_each(|warning| warn(warning));
    let Some(path) = &location.path else { return Ok(ExitCode::SUCCESS) };
    match append(Path::new(path), row, Some(LOCK_TIMEOUT)) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => warn_and_exit(warn, &error.to_string()),
    }
}

/// Prints the path of the ledger, then its rows.
fn dump(location: &LedgerLocation, warn: &impl Fn(&str)) -> Result<ExitCode, AppError> {
    location.warnings.iter().for_each(|warning| warn(warning));
    let Some(path) = &location.path else { return Ok(ExitCode::SUCCESS) };
    let mut text = format!("{path}\n");
    if Path::new(path).symlink_metadata().is_ok() {
        let mut rows = Vec::new();
        match open_regular(Path::new(path)).and_then(|mut file| file.read_to_end(&mut rows)) {
            Ok(_) => text.push_str(&String::from_utf8_lossy(&rows)),
            Err(error) => warn(&error.to_string()),
        }
    }
    output::print_line(text.trim_end_matches('\n'))?;
    Ok(ExitCode::SUCCESS)
}

#[expect(clippy::unnecessary_wraps, reason = "every command returns a result")]
fn warn_and_exit(warn: &impl Fn(&str), message: &str) -> Result<ExitCode, AppError> {
    warn(message);
    Ok(ExitCode::SUCCESS)
}
