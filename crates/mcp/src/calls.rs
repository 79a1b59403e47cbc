//! Work of the tools, on values. Everything here blocks; the server runs it on threads of their own.

use crate::arguments::{CheckArguments, ReadArguments, RunArguments, StartArguments, SurveyArguments};
use crate::results::{NextStep, ReadResult, RunResult};
use charrette_app::enclosure::refuse_below_agent;
use charrette_app::file_pages::{self, FileList, PageRequest};
use charrette_app::launch::{self, LaunchOutcome, StartOrder};
use charrette_app::look::{self, Look};
use charrette_app::stop::{StopOutcome, stop as stop_driver};
use charrette_app::{AppError, Site, check as spec_check, survey as site_survey};
use serde_json::Value;
use std::fmt::Write as _;
use std::time::Duration;

/// Time for a driver to end after it was told to.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of files of a survey.
const MAX_TOP: usize = 20;
/// Maximum number of issues of a check.
const MAX_ISSUES: usize = 100;

/// A run after it was started or resumed, and what was done.
pub(crate) struct LaunchedRun {
    pub(crate) look: Look,
    pub(crate) did: &'static str,
}

pub(crate) fn start(site: &Site, arguments: StartArguments) -> Result<LaunchedRun, AppError> {
    refuse_below_agent(site, "start a run")?;
    let StartArguments { command, request, feature, options } = arguments;
    let launched = launch::start(site, &StartOrder { command, request, feature, options })?;
    let did = match launched.outcome {
        LaunchOutcome::Started => "Started.",
        LaunchOutcome::Unconfirmed => "Started; its driver has not taken the run yet.",
        LaunchOutcome::AlreadyThere => "This request has a run already; nothing was started.",
    };
    if launched.outcome == LaunchOutcome::Unconfirmed && look::look(site, &launched.name).is_err() {
        return Err(AppError::failed("the driver was started, but has not created its run within 20 s")
            .hint("It may still do so. Call wait in a moment"));
    }
    Ok(LaunchedRun { look: look::look(site, &launched.name)?, did })
}

pub(crate) fn resume(site: &Site, arguments: &RunArguments) -> Result<LaunchedRun, AppError> {
    refuse_below_agent(site, "resume a run")?;
    let name = look::find(site, Some(&arguments.feature), arguments.command.as_deref())?;
    let launched = launch::resume(site, &name)?;
    let did = match launched.outcome {
        LaunchOutcome::Started => "Resumed.",
        LaunchOutcome::Unconfirmed => "Its driver was started, but has not taken the run yet.",
        LaunchOutcome::AlreadyThere => "Nothing was started: the run works already, or is complete.",
    };
    Ok(LaunchedRun { look: look::look(site, &name)?, did })
}

pub(crate) fn stop(site: &Site, arguments: &RunArguments, has_forms: bool) -> Result<RunResult, AppError> {
    refuse_below_agent(site, "stop a run")?;
    let name = look::find(site, Some(&arguments.feature), arguments.command.as_deref())?;
    let did = match stop_driver(site, &name, STOP_TIMEOUT)? {
        StopOutcome::Stopped(holder) => format!("Stopped process {}.", holder.pid),
        StopOutcome::NotDriven => "Nothing to stop: no process drives the run.".to_owned(),
    };
    Ok(RunResult::of(look::look(site, &name)?, has_forms).did(did))
}

/// The look at a run; without a feature the newest open one, else the list of all.
pub(crate) fn look(
    site: &Site,
    feature: Option<&str>,
    command: Option<&str>,
    has_forms: bool,
) -> Result<RunResult, AppError> {
    let found = look::find(site, feature, command);
    match found {
        Ok(name) => Ok(RunResult::of(look::look(site, &name)?, has_forms)),
        Err(_) if feature.is_none() && command.is_none() => {
            let (runs, more) = look::list(site)?;
            let did = match (runs.len(), more) {
                (0, _) => "There is no run in this repository.".to_owned(),
                (_, 0) => "No run is open. All runs, newest first:".to_owned(),
                (_, more) => format!("No run is open. The newest runs ({more} more are not listed):"),
            };
            let next = NextStep::tool("start", "Call start when the person wants something designed.");
            Ok(RunResult { did: Some(did), run: None, runs, next })
        }
        Err(error) => Err(error),
    }
}

pub(crate) fn read(site: &Site, arguments: ReadArguments) -> Result<ReadResult, AppError> {
    let name = look::find(site, Some(&arguments.feature), arguments.command.as_deref())?;
    match arguments.file {
        None => {
            let FileList { files, omitted } = file_pages::files(site, &name)?;
            Ok(ReadResult { files, omitted, page: None })
        }
        Some(file) => {
            let ReadArguments { offset, digest, .. } = arguments;
            let page = file_pages::page(site, &name, &PageRequest { file, offset, digest })?;
            Ok(ReadResult { files: Vec::new(), omitted: 0, page: Some(page) })
        }
    }
}

/// The issues of a specification, as `charrette check --json` prints them.
pub(crate) fn check(site: &Site, arguments: &CheckArguments) -> Result<(String, Value), AppError> {
    // Names only: a path could lead anywhere on the machine.
    if arguments.feature.contains("..") || arguments.feature.starts_with(['/', '~', '.']) {
        return Err(
            AppError::usage("feature is a name, not a path").hint("List runs: wait without a feature")
        );
    }
    let mut found = spec_check::check(site, &arguments.feature)?;
    let mut text = format!("{}: {} issues", found.folder.display(), found.issues.len());
    for issue in found.issues.iter().take(MAX_ISSUES) {
        let path = issue.path.display();
        let _ = write!(text, "\n{path}:{}: {} [{}]", issue.line, issue.message, issue.code);
    }
    found.issues.truncate(MAX_ISSUES);
    Ok((text, serde_json::to_value(&found).unwrap_or_default()))
}

/// A survey, as `charrette survey --json` prints it.
pub(crate) fn survey(site: &Site, arguments: &SurveyArguments) -> Result<(String, Value), AppError> {
    let survey = site_survey::survey(site, &arguments.request, arguments.top.clamp(1, MAX_TOP))?;
    let value = serde_json::to_value(&survey).unwrap_or_default();
    Ok((site_survey::render(&survey), value))
}
