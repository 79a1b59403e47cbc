//! `charrette ledger time` and `charrette ledger tokens`: one row more, or all of them. Never an error.

use crate::here::Here;
use crate::output;
use charrette_app::AppError;
use charrette_app::disk::{Disk, open_regular};
use charrette_app::environment::LedgerPlaces;
use charrette_model::ledger::place::{self, Place, Places};
use charrette_model::ledger::{timing, tokens};
use charrette_store::ledger::append;
use charrette_store::workspace::sha256;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn time(here: &Here, words: &[String]) -> Result<ExitCode, AppError> {
    let warn = |message: &str| output::log(&format!("Warning: timing ledger: {message}"));
    let request = match timing::Request::read(words) {
        Ok(request) => request,
        Err(problem) => return done(&warn, &problem),
    };
    let env = here.environment.ledgers();
    let current = current();
    let place = place::timing(request.ledger.as_deref(), &places(&env, &current), &Disk, digest);
    let row = match &request.action {
        timing::Action::Dump => return dump(&place, &warn),
        timing::Action::Append(row) => row,
    };
    if let Some(odd) = &row.warning {
        warn(odd);
    }
    let skill = env.timing_skill.as_deref().unwrap_or(timing::DEFAULT_SKILL);
    match here.now() {
        Ok(now) => write(&place, &row.text(now.at().as_second(), skill), &warn),
        Err(error) => done(&warn, &error.message),
    }
}

pub(super) fn tokens(here: &Here, words: &[String]) -> Result<ExitCode, AppError> {
    let warn = |message: &str| output::log(&format!("Warning: token ledger: {message}"));
    let request = match tokens::Request::read(words) {
        Ok(request) => request,
        Err(problem) => return done(&warn, &problem),
    };
    request.warnings.iter().for_each(|warning| warn(warning));
    let env = here.environment.ledgers();
    let current = current();
    let place = place::tokens(request.ledger.as_deref(), &places(&env, &current), &Disk, digest);
    let row = match &request.action {
        tokens::Action::Dump => return dump(&place, &warn),
        tokens::Action::Append(row) => row,
    };
    match here.now() {
        Ok(now) => write(&place, &row.text(now.at()), &warn),
        Err(error) => done(&warn, &error.message),
    }
}

fn places<'a>(env: &'a LedgerPlaces, current: &'a str) -> Places<'a> {
    Places {
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

fn current() -> String {
    Path::new(".").canonicalize().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()
}

fn digest(text: &str) -> String {
    sha256(text.as_bytes())
}

fn write(place: &Place, row: &str, warn: &impl Fn(&str)) -> Result<ExitCode, AppError> {
    place.warnings.iter().for_each(|warning| warn(warning));
    let Some(path) = &place.path else { return Ok(ExitCode::SUCCESS) };
    match append(Path::new(path), row, Some(PATIENCE)) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => done(warn, &error.to_string()),
    }
}

/// The path first, then the rows.
fn dump(place: &Place, warn: &impl Fn(&str)) -> Result<ExitCode, AppError> {
    place.warnings.iter().for_each(|warning| warn(warning));
    let Some(path) = &place.path else { return Ok(ExitCode::SUCCESS) };
    let mut text = format!("{path}\n");
    if Path::new(path).symlink_metadata().is_ok() {
        let mut rows = Vec::new();
        match open_regular(Path::new(path)).and_then(|mut file| file.read_to_end(&mut rows)) {
            Ok(_) => text.push_str(&String::from_utf8_lossy(&rows)),
            Err(error) => warn(&error.to_string()),
        }
    }
    output::line(text.trim_end_matches('\n'))?;
    Ok(ExitCode::SUCCESS)
}

#[expect(clippy::unnecessary_wraps, reason = "the end of every way through here")]
fn done(warn: &impl Fn(&str), message: &str) -> Result<ExitCode, AppError> {
    warn(message);
    Ok(ExitCode::SUCCESS)
}
