//! `charrette ledger issue`: appends an entry to a log of execution issues.

use crate::invocation::Invocation;
use crate::{input, output};
use charrette_app::AppError;
use charrette_app::run_log;
use charrette_model::ledger::issues::{self, IssueEntry, IssueRequest};
use charrette_model::plumbing::CommandAnswer;
use charrette_model::session::DISCARD;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn issue(invocation: &Invocation, words: &[String]) -> Result<ExitCode, AppError> {
    let answer = match IssueRequest::parse(words) {
        Ok(request) => add(invocation, &request),
        Err(answer) => answer,
    };
    output::print_answer(&answer)
}

fn add(invocation: &Invocation, request: &IssueRequest) -> CommandAnswer {
    let entry = match &request.entry {
        IssueEntry::Text(text) => text.clone(),
        IssueEntry::File(file) => match input::read_text_lossy(Some(Path::new(file))) {
            Ok(text) if text.trim().is_empty() => return issues::usage_error("the entry file is empty"),
            Ok(text) => text,
            Err(error) => return issues::usage_error(&format!("unreadable entry file: {}", error.message)),
        },
    };
    let entry = invocation.environment.redactor().redact(&entry).into_owned();
    let log = Path::new(&request.log);
    let folder = log.parent().filter(|_| request.log != DISCARD);
    let written = folder.map_or(Ok(()), fs_err::create_dir_all);
    match written.and_then(|()| run_log::add(log, &format!("### {}", request.category), &entry)) {
        Ok(()) => request.success(),
        Err(error) => issues::append_error(&error.to_string()),
    }
}
