//! Surveys of real repositories, friendly and hostile.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod chain;
mod citations;
mod embedded;
mod hostile;
mod index_cache;
mod sources;
mod surveys;
mod topics;
mod verify_commands;
mod walks;

use charrette_survey::{Survey, SurveyOptions, survey};
use charrette_testkit::Sandbox;
use std::path::Path;

/// Surveys a folder without a cache.
fn run_survey(root: &Path, request: &str) -> Survey {
    let survey = survey(SurveyOptions { root, request, top: 10, cache: None, sources: None }).unwrap();
    citations::assert_all_exist(root, &survey);
    survey
}

/// The paths a survey names.
fn paths(survey: &Survey) -> Vec<&str> {
    survey.files.iter().map(|file| file.path.as_str()).collect()
}

/// Adds everything and commits it.
fn commit(sandbox: &Sandbox, subject: &str) -> String {
    sandbox.git(["add", "-A"]);
    sandbox.commit(subject)
}
