//! `charrette ledger issue`: an entry in the log of what went wrong on the way.

use crate::here::Here;
use crate::{input, output};
use charrette_app::AppError;
use charrette_app::run_log;
use charrette_model::ledger::issues::{self, Entry, Request};
use charrette_model::plumbing::Answer;
use charrette_model::session::DISCARD;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn issue(here: &Here, words: &[String]) -> Result<ExitCode, AppError> {
    let answer = match Request::read(words) {
        Ok(request) => add(here, &request),
        Err(answer) => answer,
    };
    output::answer(&answer)
}

fn add(here: &Here, request: &Request) -> Answer {
    let entry = match &request.entry {
        Entry::Text(text) => text.clone(),
        Entry::File(file) => match input::tolerant_text(Some(Path::new(file))) {
            Ok(text) if text.trim().is_empty() => return issues::misused("the entry file is empty"),
            Ok(text) => text,
            Err(error) => return issues::misused(&format!("unreadable entry file: {}", error.message)),
        },
    };
    let entry = here.environment.redactor().text(&entry).into_owned();
    let log = Path::new(&request.log);
    let folder = log.parent().filter(|_| request.log != DISCARD);
    let written = folder.map_or(Ok(()), fs_err::create_dir_all);
    match written.and_then(|()| run_log::add(log, &format!("### {}", request.category), &entry)) {
        Ok(()) => request.appended(),
        Err(error) => issues::not_appended(&error.to_string()),
    }
}
